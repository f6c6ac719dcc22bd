//! Services and Ingresses.

use serde_json::Value;

use super::{annotation, list, text};
use crate::field::quote;

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

pub(super) fn service(service: &Value, _: Option<&Value>) -> Vec<String> {
    let spec = &service["spec"];
    let mut warnings = Vec::new();
    if annotation(service, TOPOLOGY_HINTS).is_some() {
        warnings.push(format!(
            "annotation {TOPOLOGY_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
        ));
    }
    let headless = text(spec, "clusterIP") == "None";
    let external = !list(spec, "externalIPs").is_empty();
    if headless {
        for (ignored, field) in [
            (!text(spec, "loadBalancerIP").is_empty(), "spec.loadBalancerIP"),
            (external, "spec.externalIPs"),
            (text(spec, "sessionAffinity") == "ClientIP", "spec.SessionAffinity"),
        ] {
            if ignored {
                warnings.push(format!("{field} is ignored for headless services"));
            }
        }
    } else if external {
        warnings.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned(),
        );
    }
    warnings
}

pub(super) fn ingress(ingress: &Value, old: Option<&Value>) -> Vec<String> {
    let chosen = ingress["spec"].get("ingressClassName").is_some();
    if old.is_some() || chosen || annotation(ingress, INGRESS_CLASS).is_none() {
        return Vec::new();
    }
    vec![format!(
        "annotation {} is deprecated, please use 'spec.ingressClassName' instead",
        quote(INGRESS_CLASS)
    )]
}
