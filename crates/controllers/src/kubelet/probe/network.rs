//! Probes over the network: of a server in the container, if it is known what listens there.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#probe-check-methods>.

use json_tree::Value;

use super::port_of;
use crate::kubelet::exec::{Request, Seen};
use crate::kubelet::program::Program;
use crate::pod;

/// The most redirections that are followed.
const MOST_REDIRECTIONS: usize = 10;

/// Returns the output of a probe by HTTP or TCP that fails, of a container as it was seen. One succeeds if it is not known what listens.
pub(super) fn failure_of_network(
    (pod, container): (&Value, &Value),
    probe: &Value,
    program: &Program,
    seen: &Seen,
) -> Option<String> {
    let part = |kind| probe.get(kind).filter(|part: &&Value| !part.is_null());
    let (http, socket) = (part("httpGet"), part("tcpSocket"));
    let action = http.or(socket).filter(|action| action.text("host").is_empty())?;
    let port = port_of(container, action);
    let number = u16::try_from(port).ok()?;
    let is_served = seen.listens(number);
    if !is_served && !(is_alone(pod) && (seen.is_known || !seen.servers.is_empty())) {
        return None;
    }
    let place = [pod.text_at("/status/podIP"), ":", &port.to_string()].concat();
    let refused = ["dial tcp ", &place, ": connect: connection refused"].concat();
    let Some(http) = http else { return (!is_served).then_some(refused) };
    let scheme = if http.text("scheme") == "HTTPS" { "https" } else { "http" };
    let mut target = http.text("path").to_owned();
    if !target.starts_with('/') {
        target.insert(0, '/');
    }
    let failed = |why: &str| Some(["Get \"", scheme, "://", &place, &target, "\": ", why].concat());
    if !is_served {
        return failed(&refused);
    }
    if scheme == "https" {
        return failed("http: server gave HTTP response to HTTPS client");
    }
    for _ in 0..MOST_REDIRECTIONS {
        let response = program.response(number, &Request::get(&target), seen)?;
        match response.location {
            Some(location) => target = location,
            None if (200..400).contains(&response.code) => return None,
            None => {
                return Some(["HTTP probe failed with statuscode: ", &response.code.to_string()].concat());
            }
        }
    }
    None
}

/// Reports whether a pod has one container, and a network of its own: nothing else listens there.
fn is_alone(pod: &Value) -> bool {
    let others = pod::all_containers(pod).count() - 1;
    others == 0 && pod.pointer("/spec/hostNetwork") != Some(&Value::Bool(true))
}
