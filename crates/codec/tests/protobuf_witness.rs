//! Messages held to what somebody else makes of them: prost, with the messages of k8s-pb.
//!
//! The messages of k8s-pb are those of v1.35, so it knows nearly all fields.

mod objects;

use codec::protobuf::{self, Shape};
use k8s_pb::api::core;
use objects::{Dice, Wish, object};
use prost::Message;
use schema::{TypeId, Types, decode};

/// The fields that they do not know.
const NEWER: &[(&str, &str)] = &[
    ("v1.CSIDriverSpec", "preventPodSchedulingIfMissing"),
    ("v1.Device", "nodeAllocatableResourceMappings"),
    ("v1.DeviceAttribute", "ints"),
    ("v1.DeviceAttribute", "bools"),
    ("v1.DeviceAttribute", "strings"),
    ("v1.DeviceAttribute", "versions"),
    ("v1.ListMeta", "shardInfo"),
    ("v1.PodSpec", "schedulingGroup"),
    ("v1.PodStatus", "nodeAllocatableResourceClaimStatuses"),
    ("v1.ResourceHealth", "message"),
    ("v1.VolumeMountStatus", "volumeStatus"),
];

fn ty(package: &str, kind: &str) -> TypeId {
    Types::builtin().find(package, kind).expect("a built-in type")
}

/// Objects go through prost unchanged.
#[track_caller]
fn check<M: Message + Default>(package: &str, kind: &str) {
    let (types, ty) = (Types::builtin(), ty(package, kind));
    for seed in 1..16 {
        let wish = Wish { full: seed % 4 == 0, without: NEWER, ..Wish::SOME_PROTOBUF };
        let value = object(ty, wish, &mut Dice::new(seed));
        let mut ours = Vec::new();
        protobuf::write_message(types, Shape::Object(ty), &(&value).into(), &mut ours);
        let message = M::decode(ours.as_slice()).expect("prost reads it");
        let theirs = message.encode_to_vec();
        assert_eq!(protobuf::decode(types, Shape::Object(ty), &theirs), Ok(value), "{kind}");
        // prost leaves out keys and values of maps that are empty; all else is the same bytes.
        let ours_again = M::decode(theirs.as_slice()).expect("prost reads it");
        assert_eq!(ours_again.encode_to_vec(), theirs, "{kind}");
        assert!(theirs.len() <= ours.len(), "{kind}");
    }
}

/// Checks the kinds of each package by the messages of a module, and answers their types.
macro_rules! check_all {
    ($($($path:ident)::+ as $package:literal: $($kind:ident)+;)*) => {{
        let mut checked = Vec::new();
        $({
            use k8s_pb::$($path)::+ as messages;
            $(
                check::<messages::$kind>($package, stringify!($kind));
                checked.push(ty($package, stringify!($kind)));
            )+
        })*
        checked
    }};
}

#[test]
fn objects_of_all_kinds_go_through_prost() {
    let checked = check_all! {
        api::admissionregistration::v1 as "k8s.io/api/admissionregistration/v1":
            MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
            ValidatingWebhookConfiguration;
        // v1 is new, and the same.
        api::admissionregistration::v1beta1 as "k8s.io/api/admissionregistration/v1":
            MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
        api::apps::v1 as "k8s.io/api/apps/v1": ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet;
        api::authentication::v1 as "k8s.io/api/authentication/v1": SelfSubjectReview TokenRequest TokenReview;
        api::authorization::v1 as "k8s.io/api/authorization/v1":
            LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview;
        api::autoscaling::v1 as "k8s.io/api/autoscaling/v1": HorizontalPodAutoscaler Scale;
        api::autoscaling::v2 as "k8s.io/api/autoscaling/v2": HorizontalPodAutoscaler;
        api::batch::v1 as "k8s.io/api/batch/v1": CronJob Job;
        api::certificates::v1 as "k8s.io/api/certificates/v1": CertificateSigningRequest;
        api::coordination::v1 as "k8s.io/api/coordination/v1": Lease;
        api::core::v1 as "k8s.io/api/core/v1":
            Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node
            PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount;
        api::discovery::v1 as "k8s.io/api/discovery/v1": EndpointSlice;
        api::events::v1 as "k8s.io/api/events/v1": Event;
        api::flowcontrol::v1 as "k8s.io/api/flowcontrol/v1": FlowSchema PriorityLevelConfiguration;
        api::networking::v1 as "k8s.io/api/networking/v1":
            IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR;
        api::node::v1 as "k8s.io/api/node/v1": RuntimeClass;
        api::policy::v1 as "k8s.io/api/policy/v1": Eviction PodDisruptionBudget;
        api::rbac::v1 as "k8s.io/api/rbac/v1": ClusterRole ClusterRoleBinding Role RoleBinding;
        api::resource::v1 as "k8s.io/api/resource/v1":
            DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::scheduling::v1 as "k8s.io/api/scheduling/v1": PriorityClass;
        api::storage::v1 as "k8s.io/api/storage/v1":
            CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass;
        apiextensions_apiserver::pkg::apis::apiextensions::v1
            as "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1": CustomResourceDefinition;
        kube_aggregator::pkg::apis::apiregistration::v1
            as "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1": APIService;
        apimachinery::pkg::apis::meta::v1 as "k8s.io/apimachinery/pkg/apis/meta/v1": DeleteOptions Status;
    };
    let types = Types::builtin();
    let forgotten: Vec<&str> = objects::types()
        .into_iter()
        .filter(|ty| !checked.contains(ty))
        .map(|ty| types.get(ty).name.as_str())
        .collect();
    assert_eq!(forgotten, [""; 0]);
}

/// Without maps that have something empty in them, prost writes the very same bytes.
#[test]
fn prost_writes_the_same_bytes() {
    let (types, ty) = (Types::builtin(), ty("k8s.io/api/core/v1", "Pod"));
    let text = br#"{"metadata": {"name": "a", "labels": {"b": "c", "a": "d"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}],
        "resources": {"limits": {"memory": "1Gi", "cpu": "2"}}}], "volumes": [{"name": "v", "emptyDir": {}}]}}"#;
    let node = codec::json::parse(text).expect("JSON");
    let value = decode(types, ty, &node).expect("a pod").value;
    let mut ours = Vec::new();
    protobuf::write_message(types, Shape::Object(ty), &(&value).into(), &mut ours);
    let pod = core::v1::Pod::decode(ours.as_slice()).expect("prost reads it");
    assert_eq!(pod.encode_to_vec(), ours);
    let spec = pod.spec.expect("set");
    assert_eq!(spec.containers[0].image.as_deref(), Some("i"));
    assert_eq!(spec.containers[0].ports[0].container_port, Some(80));
    assert_eq!(spec.host_network, Some(false));
    assert!(spec.volumes[0].volume_source.as_ref().is_some_and(|source| source.empty_dir.is_some()));
    let metadata = pod.metadata.expect("set");
    assert_eq!(metadata.labels["a"], "d");
    assert_eq!(metadata.creation_timestamp.and_then(|time| time.seconds), Some(1_767_225_600));
}
