//! Quantities by the names of resources.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.

use json_tree::Value;
use schema::quantity::Quantity;

use crate::small_map::SmallMap;

/// Quantities by the names of resources.
pub type Amounts = SmallMap<String, Quantity>;

/// Returns the quantities that a map of resources has; what is no quantity is left out.
pub fn amounts(map: Option<&Value>) -> Amounts {
    let mut amounts = Amounts::new();
    for (name, amount) in map.and_then(Value::as_object).into_iter().flatten() {
        if let Some(amount) = Quantity::of(amount) {
            amounts.insert(name.clone(), amount);
        }
    }
    amounts
}
