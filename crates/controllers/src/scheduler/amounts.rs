//! Amounts of resources, and what pods request.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/> and
//! <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers>.

use std::collections::BTreeMap;

use json_tree::Value;
use schema::quantity::Quantity;

use crate::object::list;
use crate::pod;

/// The requests of a container that says nothing, for scores alone: 100 thousandths of a CPU and 200 MiB.
const DEFAULTS: [(&str, i128); 2] = [("cpu", 100), ("memory", 200 << 20)];

/// Amounts by the names of resources: thousandths of CPUs, bytes, numbers of others. Each quantity is an `i64`, so that no sum of them
/// overflows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Amounts(BTreeMap<String, i128>);

impl Amounts {
    /// Reads a list of quantities by names.
    pub(super) fn of(list: Option<&Value>) -> Self {
        let list = list.and_then(Value::as_object).into_iter().flatten();
        let amount = |(name, value): (&String, &Value)| {
            let quantity = Quantity::of(value)?;
            let amount = if name == "cpu" { quantity.thousandths() } else { quantity.value() };
            Some((name.clone(), amount.into()))
        };
        Self(list.filter_map(amount).collect())
    }

    /// Returns the amount of a resource; 0 if there is none.
    pub(super) fn get(&self, name: &str) -> i128 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// Returns all amounts, by names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, i128)> {
        self.0.iter().map(|(name, amount)| (name.as_str(), *amount))
    }

    /// Adds other amounts.
    pub(super) fn add(&mut self, other: &Self) {
        self.combine(other, |own, other| own + other);
    }

    /// Takes other amounts away.
    pub(super) fn subtract(&mut self, other: &Self) {
        self.combine(other, |own, other| own - other);
    }

    /// Raises amounts to others that are larger.
    fn raise(&mut self, other: &Self) {
        self.combine(other, i128::max);
    }

    /// Reports whether there is more of a resource than in other amounts.
    pub(super) fn exceeds(&self, other: &Self) -> bool {
        self.iter().any(|(name, amount)| amount > other.get(name))
    }

    fn combine(&mut self, other: &Self, with: fn(i128, i128) -> i128) {
        for (name, amount) in &other.0 {
            let own = self.0.entry(name.clone()).or_default();
            *own = with(*own, *amount);
        }
    }
}

/// Calculates what a pod requests: as much as its containers together with the sidecars, or as the largest of the others that run
/// before them; what it requests as a whole instead, and its overhead. With `defaults`, no container requests nothing.
pub(super) fn requests(pod: &Value, defaults: bool) -> Amounts {
    let of_container = |container: &Value, statuses: &[Value]| {
        let mut amounts = container_requests(pod, container, statuses);
        for (name, amount) in DEFAULTS.iter().filter(|_| defaults) {
            amounts.0.entry((*name).to_owned()).or_insert(*amount);
        }
        amounts
    };
    let (mut total, mut sidecars, mut largest) = (Amounts::default(), Amounts::default(), Amounts::default());
    for container in list(pod, "/spec/containers") {
        total.add(&of_container(container, list(pod, "/status/containerStatuses")));
    }
    for container in list(pod, "/spec/initContainers") {
        let is_sidecar = pod::is_sidecar(container);
        let statuses = if is_sidecar { list(pod, "/status/initContainerStatuses") } else { &[] };
        let mut amounts = of_container(container, statuses);
        if is_sidecar {
            total.add(&amounts);
            sidecars.add(&amounts);
            amounts = sidecars.clone();
        } else {
            amounts.add(&sidecars);
        }
        largest.raise(&amounts);
    }
    total.raise(&largest);
    total.0.extend(Amounts::of(pod.pointer("/spec/resources/requests")).0);
    total.add(&Amounts::of(pod.pointer("/spec/overhead")));
    total
}

/// Reads what a container requests. While it is resized, that is the most of what it is to have, what it was promised, and what it
/// has; not what it is to have, if the node will never have that much.
fn container_requests(pod: &Value, container: &Value, statuses: &[Value]) -> Amounts {
    let wanted = container.pointer("/resources/requests");
    let status = statuses.iter().find(|status| status.text("name") == container.text("name"));
    let Some(status) = status.filter(|status| status.get("resources").is_some_and(Value::is_object)) else {
        return Amounts::of(wanted);
    };
    let mut conditions = list(pod, "/status/conditions").iter();
    let pending = conditions.find(|condition| condition.text("type") == "PodResizePending");
    let is_infeasible = pending.is_some_and(|pending| pending.text("reason") == "Infeasible");
    let wanted = wanted.filter(|_| !is_infeasible);
    let mut amounts = Amounts::of(wanted);
    for field in ["/resources/requests", "/allocatedResources"] {
        let own = status.pointer(field);
        // Nearly always they are the same.
        if own != wanted {
            amounts.raise(&Amounts::of(own));
        }
    }
    amounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &[(&str, i128)]) {
        let pod = serde_json::from_str(&format!("{{\"spec\": {spec}}}")).unwrap();
        assert_eq!(requests(&pod, false).iter().collect::<Vec<_>>(), expected, "{spec}");
    }

    #[test]
    fn containers_request_together() {
        let one = r#"{"resources": {"requests": {"cpu": "290m", "memory": "1Gi"}}}"#;
        check(&format!(r#"{{"containers": [{one}, {one}]}}"#), &[("cpu", 580), ("memory", 2 << 30)]);
        check(r#"{"containers": [{}]}"#, &[]);
        let overhead = r#""overhead": {"cpu": "10m"}, "resources": {"requests": {"cpu": "1"}}"#;
        check(&format!(r#"{{"containers": [{one}], {overhead}}}"#), &[("cpu", 1010), ("memory", 1 << 30)]);
    }

    #[test]
    fn the_largest_before_others_counts() {
        let container =
            |cpu: &str, more: &str| format!(r#"{{"resources": {{"requests": {{"cpu": "{cpu}"}}}}{more}}}"#);
        let sidecar = container("1", r#", "restartPolicy": "Always""#);
        let pod = |inits: &[String]| {
            format!(r#"{{"containers": [{}], "initContainers": [{}]}}"#, container("2", ""), inits.join(","))
        };
        check(&pod(&[container("3", "")]), &[("cpu", 3000)]);
        check(&pod(&[container("1", ""), container("1", "")]), &[("cpu", 2000)]);
        check(&pod(&[sidecar.clone(), container("3", "")]), &[("cpu", 4000)]);
        check(&pod(&[container("3", ""), sidecar]), &[("cpu", 3000)]);
    }

    #[test]
    fn a_resize_counts_as_far_as_it_may_be() {
        let pod = |wanted: &str, resources: &str, allocated: &str, reason: &str| {
            let text = format!(
                r#"{{
                    "spec": {{"containers": [{{"name": "c", "resources": {{"requests": {{"cpu": "{wanted}"}}}}}}]}},
                    "status": {{
                        "conditions": [{{"type": "PodResizePending", "reason": "{reason}"}}],
                        "containerStatuses": [
                            {{"name": "c", "resources": {resources}, "allocatedResources": {{"cpu": "{allocated}"}}}}
                        ]
                    }}
                }}"#
            );
            requests(&serde_json::from_str(&text).unwrap(), false).get("cpu")
        };
        let has = |cpu: &str| format!(r#"{{"requests": {{"cpu": "{cpu}"}}}}"#);
        assert_eq!(pod("3", &has("1"), "1", "Deferred"), 3000);
        assert_eq!(pod("1", &has("3"), "1", ""), 3000);
        assert_eq!(pod("1", &has("2"), "3", ""), 3000);
        assert_eq!(pod("8", &has("1"), "2", "Infeasible"), 2000);
        assert_eq!(pod("1", "null", "3", ""), 1000);
    }

    #[test]
    fn who_requests_nothing_counts_a_little_for_scores() {
        let pod = serde_json::from_str(r#"{"spec": {"containers": [{}, {}]}}"#).unwrap();
        let expected = [("cpu", 200), ("memory", 400 << 20)];
        assert_eq!(requests(&pod, true).iter().collect::<Vec<_>>(), expected);
    }
}
