//! The defaults that do not depend on anything: by Go package, type and field; and the functions for
//! those that do.
//!
//! Defaults with a `+default` marker in Go are in the schema and not repeated here.

use json_tree::{Map, Value};

use super::Fill;
use super::{apps, batch, core, others, pod};

/// A constant that a field gets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Text(&'static str),
    Number(i64),
    Bool(bool),
    /// A list of strings.
    Texts(&'static [&'static str]),
    EmptyStruct,
}

use Constant::{Bool, EmptyStruct, Number, Text, Texts};

impl Constant {
    pub(super) fn to_json(self) -> Value {
        match self {
            Text(text) => Value::from(text),
            Number(number) => Value::from(number),
            Bool(value) => Value::from(value),
            Texts(texts) => Value::from(texts.to_vec()),
            EmptyStruct => Value::Object(Map::new()),
        }
    }
}

const CORE: &str = "k8s.io/api/core/v1";
const APPS: &str = "k8s.io/api/apps/v1";
const BATCH: &str = "k8s.io/api/batch/v1";
const RBAC: &str = "k8s.io/api/rbac/v1";
const NETWORKING: &str = "k8s.io/api/networking/v1";
const ADMISSION: &str = "k8s.io/api/admissionregistration/v1";
const RESOURCE: &str = "k8s.io/api/resource/v1";
const EXTENSIONS: &str = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";
const AGGREGATOR: &str = "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1";

/// The packages whose maps of quantities are `ResourceList`s, which are rounded up to thousandths. Other
/// quantities stay as they are sent.
pub(super) const ROUNDED: &[&str] = &[CORE, "k8s.io/api/node/v1"];

type Row = (&'static str, &'static [(&'static str, Constant)]);

/// By package: type, and what its fields get when they are not set.
pub(super) const CONSTANTS: &[(&str, &[Row])] = &[
    (
        CORE,
        &[
            (
                "PodSpec",
                &[
                    ("restartPolicy", Text("Always")),
                    ("terminationGracePeriodSeconds", Number(30)),
                    ("dnsPolicy", Text("ClusterFirst")),
                    ("securityContext", EmptyStruct),
                    ("schedulerName", Text("default-scheduler")),
                ],
            ),
            (
                "Container",
                &[
                    ("terminationMessagePath", Text("/dev/termination-log")),
                    ("terminationMessagePolicy", Text("File")),
                ],
            ),
            (
                "EphemeralContainerCommon",
                &[
                    ("terminationMessagePath", Text("/dev/termination-log")),
                    ("terminationMessagePolicy", Text("File")),
                ],
            ),
            ("ContainerPort", &[("protocol", Text("TCP"))]),
            (
                "Probe",
                &[
                    ("timeoutSeconds", Number(1)),
                    ("periodSeconds", Number(10)),
                    ("successThreshold", Number(1)),
                    ("failureThreshold", Number(3)),
                ],
            ),
            ("HTTPGetAction", &[("path", Text("/")), ("scheme", Text("HTTP"))]),
            ("GRPCAction", &[("service", Text(""))]),
            ("ObjectFieldSelector", &[("apiVersion", Text("v1"))]),
            ("SecretVolumeSource", &[("defaultMode", Number(0o644))]),
            ("ConfigMapVolumeSource", &[("defaultMode", Number(0o644))]),
            ("DownwardAPIVolumeSource", &[("defaultMode", Number(0o644))]),
            ("ProjectedVolumeSource", &[("defaultMode", Number(0o644))]),
            ("ServiceAccountTokenProjection", &[("expirationSeconds", Number(3600))]),
            ("HostPathVolumeSource", &[("type", Text(""))]),
            ("ISCSIVolumeSource", &[("iscsiInterface", Text("default"))]),
            ("ISCSIPersistentVolumeSource", &[("iscsiInterface", Text("default"))]),
            ("RBDVolumeSource", RBD),
            ("RBDPersistentVolumeSource", RBD),
            ("ScaleIOVolumeSource", SCALE_IO),
            ("ScaleIOPersistentVolumeSource", SCALE_IO),
            (
                "AzureDiskVolumeSource",
                &[
                    ("cachingMode", Text("ReadWrite")),
                    ("fsType", Text("ext4")),
                    ("readOnly", Bool(false)),
                    ("kind", Text("Shared")),
                ],
            ),
            ("NamespaceStatus", &[("phase", Text("Active"))]),
            ("ReplicationControllerSpec", &[("replicas", Number(1))]),
            ("PersistentVolumeClaimSpec", &[("volumeMode", Text("Filesystem"))]),
            ("PersistentVolumeClaimStatus", &[("phase", Text("Pending"))]),
            ("Secret", &[("type", Text("Opaque"))]),
            ("ServicePort", &[("protocol", Text("TCP"))]),
            ("EndpointPort", &[("protocol", Text("TCP"))]),
        ],
    ),
    (
        APPS,
        &[
            (
                "DeploymentSpec",
                &[
                    ("replicas", Number(1)),
                    ("revisionHistoryLimit", Number(10)),
                    ("progressDeadlineSeconds", Number(600)),
                ],
            ),
            ("ReplicaSetSpec", &[("replicas", Number(1))]),
            ("DaemonSetSpec", &[("revisionHistoryLimit", Number(10))]),
            (
                "StatefulSetSpec",
                &[
                    ("replicas", Number(1)),
                    ("podManagementPolicy", Text("OrderedReady")),
                    ("revisionHistoryLimit", Number(10)),
                    ("persistentVolumeClaimRetentionPolicy", EmptyStruct),
                ],
            ),
            (
                "StatefulSetPersistentVolumeClaimRetentionPolicy",
                &[("whenDeleted", Text("Retain")), ("whenScaled", Text("Retain"))],
            ),
        ],
    ),
    (
        BATCH,
        &[
            (
                "CronJobSpec",
                &[
                    ("concurrencyPolicy", Text("Allow")),
                    ("suspend", Bool(false)),
                    ("successfulJobsHistoryLimit", Number(3)),
                    ("failedJobsHistoryLimit", Number(1)),
                ],
            ),
            ("PodFailurePolicyOnPodConditionsPattern", &[("status", Text("True"))]),
        ],
    ),
    ("k8s.io/api/autoscaling/v1", &[("HorizontalPodAutoscalerSpec", &[("minReplicas", Number(1))])]),
    ("k8s.io/api/autoscaling/v2", &[("HorizontalPodAutoscalerSpec", &[("minReplicas", Number(1))])]),
    (
        NETWORKING,
        &[
            ("NetworkPolicyPort", &[("protocol", Text("TCP"))]),
            ("IngressClassParametersReference", &[("scope", Text("Cluster"))]),
        ],
    ),
    ("k8s.io/api/discovery/v1", &[("EndpointPort", &[("name", Text("")), ("protocol", Text("TCP"))])]),
    (RBAC, &[("RoleRef", &[("apiGroup", Text("rbac.authorization.k8s.io"))])]),
    (
        "k8s.io/api/storage/v1",
        &[
            ("StorageClass", &[("reclaimPolicy", Text("Delete")), ("volumeBindingMode", Text("Immediate"))]),
            (
                "CSIDriverSpec",
                &[
                    ("attachRequired", Bool(true)),
                    ("podInfoOnMount", Bool(false)),
                    ("volumeLifecycleModes", Texts(&["Persistent"])),
                    ("storageCapacity", Bool(false)),
                    ("fsGroupPolicy", Text("ReadWriteOnceWithFSType")),
                    ("requiresRepublish", Bool(false)),
                    ("seLinuxMount", Bool(false)),
                ],
            ),
        ],
    ),
    ("k8s.io/api/scheduling/v1", &[("PriorityClass", &[("preemptionPolicy", Text("PreemptLowerPriority"))])]),
    (
        "k8s.io/api/flowcontrol/v1",
        &[
            ("FlowSchemaSpec", &[("matchingPrecedence", Number(1000))]),
            (
                "ExemptPriorityLevelConfiguration",
                &[("nominalConcurrencyShares", Number(0)), ("lendablePercent", Number(0))],
            ),
            (
                "LimitedPriorityLevelConfiguration",
                &[("nominalConcurrencyShares", Number(30)), ("lendablePercent", Number(0))],
            ),
            (
                "QueuingConfiguration",
                &[("queues", Number(64)), ("handSize", Number(8)), ("queueLengthLimit", Number(50))],
            ),
        ],
    ),
    (
        ADMISSION,
        &[
            ("ValidatingWebhook", WEBHOOK),
            ("MutatingWebhook", WEBHOOK),
            ("MutatingWebhook", &[("reinvocationPolicy", Text("Never"))]),
            ("Rule", &[("scope", Text("*"))]),
            ("ServiceReference", SERVICE_PORT),
            ("ValidatingAdmissionPolicySpec", &[("failurePolicy", Text("Fail"))]),
            ("MutatingAdmissionPolicySpec", &[("failurePolicy", Text("Fail"))]),
            (
                "MatchResources",
                &[
                    ("namespaceSelector", EmptyStruct),
                    ("objectSelector", EmptyStruct),
                    ("matchPolicy", Text("Equivalent")),
                ],
            ),
        ],
    ),
    ("k8s.io/api/authentication/v1", &[("TokenRequestSpec", &[("expirationSeconds", Number(3600))])]),
    (RESOURCE, &[("DeviceToleration", &[("operator", Text("Equal"))])]),
    (EXTENSIONS, &[("ServiceReference", SERVICE_PORT)]),
    (AGGREGATOR, &[("ServiceReference", SERVICE_PORT)]),
];

const RBD: &[(&str, Constant)] =
    &[("pool", Text("rbd")), ("user", Text("admin")), ("keyring", Text("/etc/ceph/keyring"))];

const SCALE_IO: &[(&str, Constant)] = &[("storageMode", Text("ThinProvisioned")), ("fsType", Text("xfs"))];

const WEBHOOK: &[(&str, Constant)] = &[
    ("failurePolicy", Text("Fail")),
    ("matchPolicy", Text("Equivalent")),
    ("namespaceSelector", EmptyStruct),
    ("objectSelector", EmptyStruct),
    ("timeoutSeconds", Number(10)),
];

const SERVICE_PORT: &[(&str, Constant)] = &[("port", Number(443))];

/// Package, type, and the function that looks at such a struct and fills it, after its constants.
pub(super) const COMPUTED: &[(&str, &str, Fill)] = &[
    (CORE, "Pod", pod::pod),
    (CORE, "PodSpec", pod::pod_spec),
    (CORE, "Container", pod::container),
    (CORE, "EphemeralContainerCommon", pod::container),
    (CORE, "Volume", pod::volume),
    (CORE, "Service", core::service),
    (CORE, "ReplicationController", core::replication_controller),
    (CORE, "Namespace", core::namespace),
    (CORE, "NodeStatus", core::node_status),
    (CORE, "PersistentVolume", core::persistent_volume),
    (CORE, "LimitRangeItem", core::limit_range_item),
    (CORE, "Secret", core::secret),
    (APPS, "Deployment", apps::deployment),
    (APPS, "DaemonSet", apps::daemon_set),
    (APPS, "StatefulSet", apps::stateful_set),
    (BATCH, "Job", batch::job),
    ("k8s.io/api/autoscaling/v1", "HorizontalPodAutoscaler", others::autoscaler_v1),
    ("k8s.io/api/autoscaling/v2", "HorizontalPodAutoscalerSpec", others::autoscaler_v2_spec),
    (NETWORKING, "NetworkPolicySpec", others::network_policy_spec),
    (RBAC, "Subject", others::subject),
    (RESOURCE, "ExactDeviceRequest", others::device_request),
    (RESOURCE, "DeviceSubRequest", others::device_request),
    (EXTENSIONS, "CustomResourceDefinition", others::custom_resource_definition),
];
