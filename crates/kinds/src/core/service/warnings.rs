//! The warnings to writers of objects of the kind Service.

use json_tree::Value;

use crate::core::service::HINTS;
use crate::validation::warnings::addresses::{of_cidr, of_each, of_ip};
use crate::validation::warnings::{address, annotation, list};
use field::Path;

pub(super) fn warn(service: &Value, _: Option<&Value>) -> Vec<String> {
    let spec = &service["spec"];
    let mut warnings = Vec::new();
    if annotation(service, HINTS).is_some() {
        warnings.push(format!(
            "annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
        ));
    }
    let path = Path::new("spec");
    let headless = spec.text("clusterIP") == "None";
    let named = spec.text("type") == "ExternalName";
    if !headless {
        warnings.extend(of_each(list(spec, "clusterIPs"), &path.child("clusterIPs"), of_ip));
    }
    let external = !list(spec, "externalIPs").is_empty();
    if headless {
        for (ignored, field) in [
            (!spec.text("loadBalancerIP").is_empty(), "spec.loadBalancerIP"),
            (external, "spec.externalIPs"),
            (spec.text("sessionAffinity") == "ClientIP", "spec.SessionAffinity"),
        ] {
            if ignored {
                warnings.push(format!("{field} is ignored for headless services"));
            }
        }
    }
    warnings.extend(of_each(list(spec, "externalIPs"), &path.child("externalIPs"), of_ip));
    if external && !headless && !named {
        warnings.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned(),
        );
    }
    warnings.extend(address::warning(spec.text("loadBalancerIP"), &path.child("loadBalancerIP")));
    let ranges = "loadBalancerSourceRanges";
    warnings.extend(of_each(list(spec, ranges), &path.child(ranges), of_cidr));
    if external && named {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !named && !spec.text("externalName").is_empty() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if spec.text("trafficDistribution") == "PreferClose" {
        let warning = "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"";
        warnings.push(warning.to_owned());
    }
    warnings
}
