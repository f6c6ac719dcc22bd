//! The warnings to writers of objects of the kind Ingress.

use json_tree::Value;

use crate::networking::ingress::OLD_CLASS;
use crate::validation::warnings::annotation;
use field::quote;

pub(super) fn warn(ingress: &Value, old: Option<&Value>) -> Vec<String> {
    let chosen = ingress["spec"].get("ingressClassName").is_some();
    if old.is_some() || chosen || annotation(ingress, OLD_CLASS).is_none() {
        return Vec::new();
    }
    vec![format!("annotation {} is deprecated, please use 'spec.ingressClassName' instead", quote(OLD_CLASS))]
}
