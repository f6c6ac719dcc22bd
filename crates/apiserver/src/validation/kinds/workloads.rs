//! Pods, and what has a template of pods.

use super::{Checks, Update, pod, status, workload};

/// Returns the checks of a resource beyond its metadata.
pub(in crate::validation) fn of(group: &str, resource: &str) -> Checks {
    match (group, resource) {
        ("", "pods") => Checks::of(pod::create).only_new(pod::only_new).update(pod::update),
        ("", "podtemplates") => Checks::of(pod::create_template).update(pod::update_template),
        ("", "replicationcontrollers") => {
            let checks = Checks::of(workload::replication_controller::create);
            checks.update(workload::replication_controller::update)
        }
        ("apps", "controllerrevisions") => {
            let checks = Checks::of(workload::controller_revision::create);
            let checks = checks.only_new(workload::controller_revision::only_new);
            checks.update(workload::controller_revision::update)
        }
        ("apps", "daemonsets") => {
            Checks::of(workload::daemon_set::create).update(workload::daemon_set::update)
        }
        ("apps", "deployments") => {
            Checks::of(workload::deployment::create).update(workload::deployment::update)
        }
        ("apps", "replicasets") => {
            Checks::of(workload::replica_set::create).update(workload::replica_set::update)
        }
        ("apps", "statefulsets") => {
            Checks::of(workload::stateful_set::create).update(workload::stateful_set::update)
        }
        ("batch", "cronjobs") => {
            let checks = Checks::of(workload::cron_job::create).update(workload::cron_job::update);
            checks.only_new(workload::cron_job::only_new)
        }
        ("batch", "jobs") => Checks::of(workload::job::create).update(workload::job::update),
        _ => Checks::NONE,
    }
}

/// Returns what is checked of a change by way of a subresource, beyond metadata.
pub(in crate::validation) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("", "pods", "ephemeralcontainers") => pod::update_ephemeral,
        ("", "pods", "resize") => pod::update_resize,
        ("", "pods", "status") => pod::update_status,
        ("", "replicationcontrollers", "status") | ("apps", "replicasets", "status") => {
            status::update_replica_set
        }
        ("apps", "daemonsets", "status") => status::update_daemon_set,
        ("apps", "deployments", "status") => status::update_deployment,
        ("apps", "statefulsets", "status") => status::update_stateful_set,
        ("batch", "cronjobs", "status") => |_, _| Vec::new(),
        ("batch", "jobs", "status") => workload::job_status::update,
        _ => return None,
    })
}
