//! The objects of nodes.
//!
//! See <https://kubernetes.io/docs/reference/node/node-status/>.

use std::time::Duration;

use json_tree::{Value, json};

use super::image::hexadecimal;
use crate::object;

/// The zones of nodes, in turns.
const ZONES: [&str; 3] = ["zone-a", "zone-b", "zone-c"];

/// The number of pods for which there is room.
pub(super) const MOST_PODS: usize = 110;

/// The conditions: type, status, reason and message.
const CONDITIONS: [(&str, &str, &str, &str); 4] = [
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
];

/// The resources of a node, beside the pods for which it has room.
pub(super) const RESOURCES: [(&str, &str); 5] = [
    ("cpu", "4"),
    ("ephemeral-storage", "100Gi"),
    ("hugepages-1Gi", "0"),
    ("hugepages-2Mi", "0"),
    ("memory", "8Gi"),
];

/// A node by its number, the first of which is 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) u32);

impl Number {
    /// Returns the name.
    pub(super) fn name(self) -> String {
        format!("node-{}", self.0)
    }

    /// Returns the address.
    pub(super) fn address(self) -> String {
        let last = self.0.saturating_add(1);
        format!("172.18.{}.{}", last / 256 % 256, last % 256)
    }

    /// Returns the first three parts of the addresses of its pods.
    fn network(self) -> String {
        format!("10.{}.{}", 244 + self.0 / 256 % 12, self.0 % 256)
    }

    /// Returns the address of a pod; there are as many as fit into the last part.
    pub(super) fn pod_address(self, number: u8) -> String {
        format!("{}.{number}", self.network())
    }

    /// Makes the node.
    pub(super) fn object(self, now: Duration) -> Value {
        let name = self.name();
        let cidr = [&self.network(), ".0/24"].concat();
        let zone = ZONES[self.0.saturating_sub(1) as usize % ZONES.len()];
        let mut resources = json!({});
        for (name, amount) in RESOURCES {
            object::set(&mut resources, name, amount.into());
        }
        object::set(&mut resources, "pods", MOST_PODS.to_string().into());
        json!({
            "metadata": {
                "name": name.as_str(),
                "labels": {
                    "beta.kubernetes.io/arch": "amd64",
                    "beta.kubernetes.io/os": "linux",
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/hostname": name.as_str(),
                    "kubernetes.io/os": "linux",
                    "topology.kubernetes.io/zone": zone
                },
                "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
            },
            "spec": {"podCIDR": cidr.as_str(), "podCIDRs": [cidr.as_str()]},
            "status": {
                "capacity": resources.clone(),
                "allocatable": resources,
                "conditions": conditions(now),
                "addresses": [
                    {"type": "InternalIP", "address": self.address()},
                    {"type": "Hostname", "address": name.as_str()}
                ],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "nodeInfo": info(&name)
            }
        })
    }
}

fn conditions(now: Duration) -> Vec<Value> {
    let time = object::timestamp(now);
    let condition = |(kind, status, reason, message): (&str, &str, &str, &str)| {
        json!({
            "type": kind,
            "status": status,
            "lastHeartbeatTime": time.as_str(),
            "lastTransitionTime": time.as_str(),
            "reason": reason,
            "message": message
        })
    };
    CONDITIONS.map(condition).to_vec()
}

/// Returns the change of the status of a node that says that all is well with it, unless it says that.
pub(super) fn news(node: &Value, now: Duration) -> Option<Value> {
    let known = object::list(node, "/status/conditions");
    let is_known = |(kind, status, ..): &(&str, &str, &str, &str)| {
        known.iter().any(|known| known.text("type") == *kind && known.text("status") == *status)
    };
    (!CONDITIONS.iter().all(is_known)).then(|| json!({"status": {"conditions": conditions(now)}}))
}

fn info(name: &str) -> Value {
    let id = hexadecimal(name);
    let uuid = |text: &str| {
        let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..32]];
        parts.join("-")
    };
    json!({
        "machineID": &id[..32],
        "systemUUID": uuid(&id),
        "bootID": uuid(&id[32..]),
        "kernelVersion": "6.12.0",
        "osImage": "Kubeglass",
        "containerRuntimeVersion": "containerd://2.2.0",
        "kubeletVersion": "v1.36.2",
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64"
    })
}
