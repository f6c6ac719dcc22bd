//! The kinds that are written most often and checked with little code, and reviews.

use super::{Checks, Update, autoscaling, config, event, lease, namespace, review, service};

/// Returns the checks of a resource beyond its metadata.
pub(in crate::validation) fn of(group: &str, resource: &str) -> Checks {
    match (group, resource) {
        ("", "configmaps") => Checks::of(config::create_config_map).update(config::update_config_map),
        ("", "events") => Checks::of(event::create_core),
        ("", "namespaces") => Checks::of(namespace::create),
        ("", "secrets") => Checks::of(config::create_secret).update(config::update_secret),
        ("", "services") => Checks::of(service::create).update(service::update),
        ("authorization.k8s.io", "localsubjectaccessreviews") => Checks::of(review::local_subject),
        ("authorization.k8s.io", "selfsubjectaccessreviews") => Checks::of(review::own),
        ("authorization.k8s.io", "subjectaccessreviews") => Checks::of(review::cluster_subject),
        ("autoscaling", "scale") => Checks::of(autoscaling::create_scale),
        ("coordination.k8s.io", "leases") => Checks::of(lease::create).update(lease::update),
        ("events.k8s.io", "events") => Checks::of(event::create).update(event::update),
        _ => Checks::NONE,
    }
}

/// Returns what is checked of a change by way of a subresource, beyond metadata.
pub(in crate::validation) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("", "namespaces", "finalize") => namespace::finalize,
        ("", "namespaces", "status") => namespace::update_status,
        ("", "services", "status") => service::update_status,
        _ => return None,
    })
}
