//! The rows of tables of the kind Pod.

use std::time::Duration;

use json_tree::{Value, json};

use crate::printing::row::{Row, flag, get, is_true, number, text, time_at};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = r#"Name||name||@name
Ready||||The aggregate readiness state of this pod for accepting traffic.
Status||||The aggregate status of the containers in this pod.
Restarts||||The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.
Age||||@created
IP|||1|podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.
Node|||1|NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename
Nominated Node|||1|nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.
Readiness Gates|||1|If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates"#;

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let summary = Summary::of(row);
    let restarts = match summary.last_restart {
        Some(last) if summary.restarts != 0 => {
            format!("{} ({} ago)", summary.restarts, row.since(Some(last)))
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        row.name(),
        format!("{}/{}", summary.ready, summary.containers).into(),
        summary.reason.into(),
        restarts.into(),
        row.age(),
        row.filled_or("/status/podIPs/0/ip", "<none>"),
        row.filled_or("/spec/nodeName", "<none>"),
        row.filled_or("/status/nominatedNodeName", "<none>"),
        readiness_gates(row).into(),
    ]
}

/// A pod that has come to its end says so beside the cells.
pub(super) fn conditions(row: &Row<'_>) -> Option<Value> {
    let (reason, message) = match row.text("/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}

/// Returns how many readiness gates are open: `1/2`.
fn readiness_gates(row: &Row<'_>) -> String {
    let (gates, conditions) = (row.list("/spec/readinessGates"), row.list("/status/conditions"));
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let open = gates.iter().filter(|gate| is_true(conditions, text(gate, "/conditionType"))).count();
    format!("{open}/{}", gates.len())
}

/// A summary of the containers of a pod.
#[derive(Default)]
struct Summary {
    reason: String,
    /// Containers, with the init containers that go on running (sidecars).
    containers: usize,
    ready: usize,
    restarts: i64,
    last_restart: Option<Duration>,
}

impl Summary {
    pub(crate) fn of(row: &Row<'_>) -> Self {
        let sidecars =
            row.list("/spec/initContainers").iter().filter(|container| is_sidecar(container)).count();
        let mut summary = Self {
            reason: overall_reason(row),
            containers: row.list("/spec/containers").len() + sidecars,
            ..Self::default()
        };
        let of_sidecars = summary.add_init_containers(row);
        if let Some((restarts, last_restart)) = of_sidecars {
            (summary.restarts, summary.last_restart) = (restarts, last_restart);
            summary.add_containers(row);
        }
        if row.is_terminating() {
            if row.text("/status/reason") == "NodeLost" {
                summary.reason = "Unknown".to_owned();
            } else if !["Succeeded", "Failed"].contains(&row.text("/status/phase")) {
                summary.reason = "Terminating".to_owned();
            }
        }
        summary
    }

    /// Goes through the init containers up to the first that the others wait for. If there is none, or if the pod
    /// says that it is initialized, the restarts of the sidecars come back, to be counted with the containers'.
    pub(crate) fn add_init_containers(&mut self, row: &Row<'_>) -> Option<(i64, Option<Duration>)> {
        let specs = row.list("/spec/initContainers");
        let mut of_sidecars = (0, None);
        let mut initializing = false;
        for (index, status) in row.list("/status/initContainerStatuses").iter().enumerate() {
            let name = text(status, "/name");
            let sidecar = specs.iter().rfind(|spec| text(spec, "/name") == name).is_some_and(is_sidecar);
            let (restarts, last_restart) = restarts(status);
            self.add_restarts(restarts, last_restart);
            if sidecar {
                of_sidecars = (of_sidecars.0 + restarts, of_sidecars.1.max(last_restart));
            }
            let terminated = get(status, "/state/terminated");
            if terminated.is_some_and(|terminated| number(terminated, "/exitCode") == 0) {
                continue;
            }
            if sidecar && flag(status, "/started") {
                self.ready += usize::from(flag(status, "/ready"));
                continue;
            }
            self.reason = match (terminated, text(status, "/state/waiting/reason")) {
                (Some(terminated), _) => format!("Init:{}", end(terminated)),
                (None, "" | "PodInitializing") => format!("Init:{index}/{}", specs.len()),
                (None, reason) => format!("Init:{reason}"),
            };
            initializing = true;
            break;
        }
        (!initializing || is_true(row.list("/status/conditions"), "Initialized")).then_some(of_sidecars)
    }

    /// Goes through the containers, the first of which has the last word.
    pub(crate) fn add_containers(&mut self, row: &Row<'_>) {
        let mut running = false;
        for status in row.list("/status/containerStatuses").iter().rev() {
            let (restarts, last_restart) = restarts(status);
            self.add_restarts(restarts, last_restart);
            match (text(status, "/state/waiting/reason"), get(status, "/state/terminated")) {
                ("", Some(terminated)) => self.reason = end(terminated),
                ("", None) if flag(status, "/ready") && get(status, "/state/running").is_some() => {
                    running = true;
                    self.ready += 1;
                }
                ("", None) => {}
                (reason, _) => self.reason = reason.to_owned(),
            }
        }
        if self.reason == "Completed" && running {
            let ready = row
                .list("/status/conditions")
                .iter()
                .any(|condition| text(condition, "/type") == "Ready" && text(condition, "/status") == "True");
            self.reason = if ready { "Running" } else { "NotReady" }.to_owned();
        }
    }

    pub(crate) fn add_restarts(&mut self, restarts: i64, last_restart: Option<Duration>) {
        self.restarts += restarts;
        self.last_restart = self.last_restart.max(last_restart);
    }
}

/// Returns the reason that the pod's status gives for the pod as a whole.
fn overall_reason(row: &Row<'_>) -> String {
    let gated = row.list("/status/conditions").iter().any(|condition| {
        text(condition, "/type") == "PodScheduled" && text(condition, "/reason") == "SchedulingGated"
    });
    match row.text("/status/reason") {
        _ if gated => "SchedulingGated",
        "" => row.text("/status/phase"),
        reason => reason,
    }
    .to_owned()
}

/// Returns how a container ended: its reason, or the signal, or the exit code.
fn end(terminated: &Value) -> String {
    match (text(terminated, "/reason"), number(terminated, "/signal")) {
        ("", 0) => format!("ExitCode:{}", number(terminated, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// Returns how often a container was restarted, and when it last ended.
fn restarts(status: &Value) -> (i64, Option<Duration>) {
    (number(status, "/restartCount"), time_at(status, "/lastState/terminated/finishedAt"))
}

/// <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/>
fn is_sidecar(container: &Value) -> bool {
    text(container, "/restartPolicy") == "Always"
}
