//! The quality of service class of a pod.
//!
//! <https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/>

use json_tree::Value;

use schema::quantity::Quantity;

/// The class of a pod that asks for nothing.
pub const BEST_EFFORT: &str = "BestEffort";
const BURSTABLE: &str = "Burstable";
const GUARANTEED: &str = "Guaranteed";

/// The resources that count.
const COMPUTE: [&str; 2] = ["cpu", "memory"];

/// An amount for each of [`COMPUTE`]; `None` if nobody states one above zero.
type Amounts = [Option<Quantity>; 2];

const NONE: Amounts = [None, None];

/// Returns the class of a pod of this spec: by its own resources if it states any, or else by those of its containers.
pub fn class(spec: &Value) -> &'static str {
    let own = spec.get("resources").filter(|own| amounts(own, "requests") != NONE || has_limits(own));
    let containers = || {
        let list = |field: &str| spec.get(field).and_then(Value::as_array).into_iter().flatten();
        list("containers").chain(list("initContainers")).map(|container| container.get("resources"))
    };
    let stated: Vec<&Value> = match own {
        Some(own) => vec![own],
        None => containers().map(|resources| resources.unwrap_or(&Value::Null)).collect(),
    };
    let (mut requests, mut limits): (Amounts, Amounts) = (NONE, NONE);
    let mut guaranteed = true;
    for resources in stated {
        let own = amounts(resources, "limits");
        guaranteed &= own.iter().all(Option::is_some);
        add(&mut limits, own);
        add(&mut requests, amounts(resources, "requests"));
    }
    if requests == NONE && limits == NONE {
        return BEST_EFFORT;
    }
    let equal = std::iter::zip(requests, limits).all(|(request, limit)| match (request, limit) {
        (Some(request), Some(limit)) => request == limit,
        (None, None) => true,
        _ => false,
    });
    if guaranteed && equal { GUARANTEED } else { BURSTABLE }
}

fn has_limits(resources: &Value) -> bool {
    amounts(resources, "limits") != NONE
}

fn amounts(resources: &Value, kind: &str) -> Amounts {
    COMPUTE.map(|name| {
        let amount = resources.get(kind)?.get(name)?;
        Quantity::of(amount).filter(|amount| amount.is_positive())
    })
}

fn add(total: &mut Amounts, own: Amounts) {
    for (sum, amount) in std::iter::zip(total, own) {
        *sum = match (sum.take(), amount) {
            (Some(sum), Some(amount)) => Some(sum.plus(&amount)),
            (sum, amount) => sum.or(amount),
        };
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(spec: Value, expected: &str) {
        assert_eq!(class(&spec), expected);
    }

    fn container(requests: Value, limits: Value) -> Value {
        json!({"resources": {"requests": requests, "limits": limits}})
    }

    #[test]
    fn without_compute_resources() {
        check(json!({"containers": [{"name": "a"}]}), BEST_EFFORT);
        check(json!({"containers": [container(json!({"cpu": "0"}), json!({"x.io/gpu": "1"}))]}), BEST_EFFORT);
    }

    #[test]
    fn all_limits_equal_to_requests() {
        let one = json!({"cpu": "1", "memory": "1Gi"});
        let same = json!({"cpu": "1000m", "memory": "1024Mi"});
        check(json!({"containers": [container(one.clone(), same.clone())]}), GUARANTEED);
        check(json!({"containers": [container(one.clone(), same.clone()), {"name": "b"}]}), BURSTABLE);
        check(json!({"containers": [container(one, same)], "initContainers": [{}]}), BURSTABLE);
    }

    #[test]
    fn some_of_it() {
        let cpu = json!({"cpu": "1"});
        check(json!({"containers": [container(cpu.clone(), json!({}))]}), BURSTABLE);
        check(json!({"containers": [container(cpu.clone(), cpu)]}), BURSTABLE);
        let limits = json!({"cpu": "2", "memory": "1Gi"});
        check(json!({"containers": [container(json!({"cpu": "1", "memory": "1Gi"}), limits)]}), BURSTABLE);
    }

    #[test]
    fn the_pod_itself_comes_first() {
        let all = json!({"cpu": "1", "memory": "1Gi"});
        check(json!({"resources": {"requests": all, "limits": all}, "containers": [{}]}), GUARANTEED);
        check(json!({"resources": {}, "containers": [{}]}), BEST_EFFORT);
    }
}
