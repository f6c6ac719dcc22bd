//! Validation of the resources that contain CEL expressions or schemas.

use super::{
    Checks, Update, admission_policies, definition, resource_claim, resource_slice, resource_status, webhooks,
};

/// Returns the checks of a resource beyond its metadata.
pub(in crate::validation) fn of(group: &str, resource: &str) -> Checks {
    match (group, resource) {
        ("admissionregistration.k8s.io", resource) => of_admission(resource),
        ("apiextensions.k8s.io", "customresourcedefinitions") => {
            Checks::of(definition::create).update(definition::update)
        }
        ("resource.k8s.io", "deviceclasses") => {
            Checks::of(resource_claim::create_class).update(resource_claim::update_class)
        }
        ("resource.k8s.io", "resourceclaims") => {
            Checks::of(resource_claim::create).update(resource_claim::update)
        }
        ("resource.k8s.io", "resourceclaimtemplates") => {
            Checks::of(resource_claim::create_template).update(resource_claim::update_template)
        }
        ("resource.k8s.io", "resourceslices") => {
            Checks::of(resource_slice::create).update(resource_slice::update)
        }
        _ => Checks::NONE,
    }
}

fn of_admission(resource: &str) -> Checks {
    match resource {
        "mutatingadmissionpolicies" => Checks::of(admission_policies::create_mutating),
        "mutatingadmissionpolicybindings" => Checks::of(admission_policies::create_mutating_binding),
        "mutatingwebhookconfigurations" | "validatingwebhookconfigurations" => Checks::of(webhooks::create),
        "validatingadmissionpolicies" => Checks::of(admission_policies::create_validating),
        "validatingadmissionpolicybindings" => Checks::of(admission_policies::create_validating_binding),
        _ => Checks::NONE,
    }
}

/// Returns what is checked of a change by way of a subresource, beyond metadata.
pub(in crate::validation) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("apiextensions.k8s.io", "customresourcedefinitions", "status") => definition::update_status,
        ("resource.k8s.io", "resourceclaims", "status") => resource_status::update,
        _ => return None,
    })
}
