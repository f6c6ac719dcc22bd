//! Deployments, DaemonSets and StatefulSets: how they roll out.

use apimachinery::typed_object::TypedObject;

/// See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy>.
pub(super) fn deployment(deployment: &mut TypedObject<'_>) {
    let Some(mut spec) = deployment.ensure("spec") else {
        return;
    };
    let Some(mut strategy) = spec.ensure("strategy") else {
        return;
    };
    strategy.default("type", "RollingUpdate");
    if strategy.text("type") == "RollingUpdate"
        && let Some(mut rolling) = strategy.ensure("rollingUpdate")
    {
        rolling.default("maxUnavailable", "25%");
        rolling.default("maxSurge", "25%");
    }
}

/// See <https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/>.
pub(super) fn daemon_set(set: &mut TypedObject<'_>) {
    let Some(mut spec) = set.ensure("spec") else {
        return;
    };
    let Some(mut strategy) = spec.ensure("updateStrategy") else {
        return;
    };
    strategy.default("type", "RollingUpdate");
    if strategy.text("type") == "RollingUpdate"
        && let Some(mut rolling) = strategy.ensure("rollingUpdate")
    {
        rolling.default("maxUnavailable", 1);
        rolling.default("maxSurge", 0);
    }
}

/// See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#update-strategies>.
pub(super) fn stateful_set(set: &mut TypedObject<'_>) {
    let Some(mut spec) = set.ensure("spec") else {
        return;
    };
    // Claims are objects of their own inside the set's, and converting writes which kind they are, whatever was sent.
    spec.for_each("volumeClaimTemplates", |claim| claim.set_type_meta("PersistentVolumeClaim", "v1"));
    let Some(mut strategy) = spec.ensure("updateStrategy") else {
        return;
    };
    if !strategy.is_set("type") {
        strategy.set("type", "RollingUpdate");
        strategy.ensure("rollingUpdate");
    }
    if strategy.text("type") == "RollingUpdate"
        && let Some(mut rolling) = strategy.child("rollingUpdate")
    {
        rolling.default("partition", 0);
    }
}
