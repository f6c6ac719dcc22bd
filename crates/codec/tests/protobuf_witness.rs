//! Messages held to what somebody else makes of them: prost, with the messages of k8s-pb.
//!
//! Its messages are those of v1.35, so it knows all fields that have a number here.

mod objects;

use codec::protobuf::{self, Shape};
use k8s_pb::api::{apps, core};
use objects::{Dice, Wish, object};
use prost::Message;
use schema::{TypeId, Types, decode};

fn ty(package: &str, kind: &str) -> TypeId {
    Types::builtin().find(package, kind).expect("a built-in type")
}

/// Objects go through prost unchanged.
#[track_caller]
fn check<M: Message + Default>(package: &str, kind: &str) {
    let (types, ty) = (Types::builtin(), ty(package, kind));
    for seed in 1..200 {
        let value = object(ty, Wish { full: seed % 4 == 0, numbered: true }, &mut Dice::new(seed));
        let mut ours = Vec::new();
        protobuf::write_message(types, Shape::Object(ty), &value, &mut ours);
        let message = M::decode(ours.as_slice()).expect("prost reads it");
        let theirs = message.encode_to_vec();
        let node = protobuf::parse(types, Shape::Object(ty), &theirs).expect("prost wrote it");
        assert_eq!(decode(types, ty, &node).map(|it| it.value), Ok(value), "{kind}");
        // prost leaves out keys and values of maps that are empty; all else is the same bytes.
        let ours_again = M::decode(theirs.as_slice()).expect("prost reads it");
        assert_eq!(ours_again.encode_to_vec(), theirs, "{kind}");
        assert!(theirs.len() <= ours.len(), "{kind}");
    }
}

#[test]
fn objects_go_through_prost() {
    check::<core::v1::Pod>("k8s.io/api/core/v1", "Pod");
    check::<core::v1::ConfigMap>("k8s.io/api/core/v1", "ConfigMap");
    check::<core::v1::Secret>("k8s.io/api/core/v1", "Secret");
    check::<core::v1::Service>("k8s.io/api/core/v1", "Service");
    check::<core::v1::PersistentVolume>("k8s.io/api/core/v1", "PersistentVolume");
    check::<core::v1::Node>("k8s.io/api/core/v1", "Node");
    check::<apps::v1::Deployment>("k8s.io/api/apps/v1", "Deployment");
    check::<apps::v1::StatefulSet>("k8s.io/api/apps/v1", "StatefulSet");
    check::<k8s_pb::api::batch::v1::CronJob>("k8s.io/api/batch/v1", "CronJob");
    check::<k8s_pb::api::networking::v1::NetworkPolicy>("k8s.io/api/networking/v1", "NetworkPolicy");
    check::<k8s_pb::api::coordination::v1::Lease>("k8s.io/api/coordination/v1", "Lease");
    check::<k8s_pb::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>(
        "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
        "CustomResourceDefinition",
    );
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
    protobuf::write_message(types, Shape::Object(ty), &value, &mut ours);
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
