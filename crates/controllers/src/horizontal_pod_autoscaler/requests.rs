//! Requests of pods, of which their usage is a part.

use json_tree::Value;
use schema::quantity::Quantity;

use crate::object;
use crate::pod;

/// Returns what a pod requests of a resource in thousandths, or one of its containers if that is named. The error says what requests
/// nothing.
pub(super) fn of(pod: &Value, container: &str, resource: &str) -> Result<i64, String> {
    if container.is_empty() && has_own(pod) {
        let spec = pod.get("spec").unwrap_or(&Value::Null);
        let all = apimachinery::pod::resources(spec, "requests");
        let own = all.get(resource).map(Quantity::thousandths);
        let missing = || format!("missing pod-level request for {resource} in Pod {}", object::name(pod));
        return own.ok_or_else(missing);
    }
    let mut sum = 0_i64;
    for one in pod::containers(pod) {
        let name = one.text("name");
        if container.is_empty() || container == name {
            let request = one.pointer("/resources/requests").and_then(|requests| requests.get(resource));
            let request = request.and_then(Quantity::of).ok_or_else(|| {
                let pod = object::name(pod);
                format!("missing request for {resource} in container {name} of Pod {pod}")
            })?;
            sum = sum.saturating_add(request.thousandths());
        }
        if container == name {
            return Ok(sum);
        }
    }
    if container.is_empty() {
        return Ok(sum);
    }
    Err(format!("container {container} not found in Pod {}", object::name(pod)))
}

/// Reports whether a pod as a whole requests something.
fn has_own(pod: &Value) -> bool {
    let own = pod.pointer("/spec/resources/requests").and_then(Value::as_object);
    let is_own = |name: &str| ["cpu", "memory"].contains(&name) || name.starts_with("hugepages-");
    own.into_iter().flatten().any(|(name, _)| is_own(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spec: &str, container: &str, resource: &str, expected: Result<i64, &str>) {
        let pod = format!(r#"{{"metadata": {{"name": "web-0"}}, "spec": {spec}}}"#);
        let found = of(&serde_json::from_str(&pod).unwrap(), container, resource);
        assert_eq!(found, expected.map_err(str::to_owned), "{spec} {container} {resource}");
    }

    #[test]
    fn requests_are_summed_up() {
        let spec = r#"{
            "containers": [
                {"name": "app", "resources": {"requests": {"cpu": "250m", "memory": "1Ki"}}},
                {"name": "side", "resources": {"requests": {"cpu": "1"}}}
            ],
            "initContainers": [
                {"name": "init"},
                {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "5m"}}}
            ]
        }"#;
        check(spec, "", "cpu", Ok(1255));
        check(spec, "proxy", "cpu", Ok(5));
        check(spec, "app", "memory", Ok(1_024_000));
        check(spec, "", "memory", Err("missing request for memory in container side of Pod web-0"));
        check(spec, "init", "cpu", Err("container init not found in Pod web-0"));
        check(r#"{"containers": []}"#, "", "cpu", Ok(0));
    }

    #[test]
    fn a_pod_may_request_as_a_whole() {
        let spec = r#"{
            "containers": [{"name": "app", "resources": {"requests": {"cpu": "250m"}}}],
            "resources": {"requests": {"cpu": "2"}}
        }"#;
        check(spec, "", "cpu", Ok(2000));
        check(spec, "app", "cpu", Ok(250));
        check(spec, "", "memory", Err("missing pod-level request for memory in Pod web-0"));
    }
}
