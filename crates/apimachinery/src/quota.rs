//! ResourceQuotas: what an object uses, and which quotas count it. Who admits objects and who keeps the status of quotas count alike.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/>.

pub mod scopes;
pub mod usage;

use json_tree::{Map, Value};

/// The fields of an object.
type Object = Map<String, Value>;
