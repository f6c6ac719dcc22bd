//! Facts that everybody knows, in the committed table.

use std::time::Instant;

use schema::{Empty, Field, FieldType, ListType, PatchStrategy, Type, Types, resources, types};

const CORE: &str = "k8s.io/api/core/v1";
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

fn ty(package: &str, name: &str) -> &'static Type {
    let types = Types::builtin();
    types.get(types.find(package, name).unwrap_or_else(|| panic!("no {package}.{name}")))
}

#[track_caller]
fn field(package: &str, name: &str, field: &str) -> &'static Field {
    ty(package, name).field(field).unwrap_or_else(|| panic!("no {name}.{field}"))
}

#[track_caller]
fn check_order(package: &str, name: &str, expected: &[&str]) {
    let fields: Vec<&str> = ty(package, name).fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(&fields[..expected.len()], expected);
}

#[test]
fn the_table_is_in_its_form() {
    let start = Instant::now();
    let parsed = types::parse(include_str!("../src/table.txt"));
    println!("parsed in {:?}", start.elapsed());
    assert_eq!(parsed.map(|types| types.iter().count()), Ok(Types::builtin().iter().count()));
    let rows = resources::parse(include_str!("../facts/resources.txt"));
    assert_eq!(rows.map(|rows| rows.len()), Ok(resources().len()));
}

#[test]
fn fields_stand_in_the_order_of_go() {
    check_order(
        CORE,
        "PodSpec",
        &["volumes", "initContainers", "containers", "ephemeralContainers", "restartPolicy"],
    );
    check_order(
        CORE,
        "Container",
        &["name", "image", "command", "args", "workingDir", "ports", "envFrom", "env"],
    );
    check_order(CORE, "Volume", &["name", "hostPath", "emptyDir", "gcePersistentDisk"]);
    let metadata = [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ];
    check_order(META, "ObjectMeta", &metadata);
    check_order(META, "Status", &["metadata", "status", "message", "reason", "details", "code"]);
}

#[test]
fn markers_are_kept() {
    let ports = field(CORE, "Container", "ports");
    assert_eq!(ports.list, Some(ListType::Map(vec!["containerPort".into(), "protocol".into()])));
    assert_eq!(ports.patch_merge_key.as_deref(), Some("containerPort"));
    assert!(ports.patch_strategy.merge && !ports.patch_strategy.retain_keys);
    let volumes = field(CORE, "PodSpec", "volumes");
    assert_eq!(volumes.patch_strategy, PatchStrategy { merge: true, replace: false, retain_keys: true });
    assert_eq!(field(CORE, "PodSpec", "tolerations").list, Some(ListType::Atomic));
    assert_eq!(field(META, "ObjectMeta", "finalizers").list, Some(ListType::Set));
    assert_eq!(field(CORE, "ContainerPort", "protocol").default.as_deref(), Some("\"TCP\""));
    assert_eq!(field(CORE, "AzureDiskVolumeSource", "cachingMode").default.as_deref(), Some("\"ReadWrite\""));
    assert!(field(CORE, "PodSpec", "nodeSelector").map_atomic);
    assert!(field("k8s.io/api/apps/v1", "DeploymentSpec", "selector").struct_atomic);
    assert!(!field(CORE, "PersistentVolumeSpec", "claimRef").struct_atomic);
    assert!(field(CORE, "PersistentVolume", "metadata").empty == Empty::Keep);
}

#[test]
fn protobuf_numbers_are_kept() {
    assert_eq!(field(CORE, "Pod", "spec").number, 2);
    assert_eq!(field(CORE, "PodSpec", "containers").number, 2);
    assert_eq!(field(CORE, "PodSpec", "initContainers").number, 20);
    let config_map = field(CORE, "Volume", "configMap");
    assert_eq!((config_map.within.as_slice(), config_map.number), (&[2][..], 19));
    let groups = field("k8s.io/api/admissionregistration/v1", "NamedRuleWithOperations", "apiGroups");
    assert_eq!((groups.within.as_slice(), groups.number), (&[2, 2][..], 1));
}

#[test]
fn go_types_are_as_messages_print_them() {
    #[track_caller]
    fn check(package: &str, name: &str, of: &str, expected: &str) {
        assert_eq!(field(package, name, of).go_type(Types::builtin()), expected);
    }
    check(CORE, "PodSpec", "containers", "[]v1.Container");
    check(CORE, "PodSpec", "restartPolicy", "v1.RestartPolicy");
    check(CORE, "ConfigMap", "data", "map[string]string");
    check(CORE, "ConfigMap", "metadata", "v1.ObjectMeta");
    check(CORE, "ConfigMap", "binaryData", "map[string][]uint8");
    check("k8s.io/api/authentication/v1", "UserInfo", "extra", "map[string]v1.ExtraValue");
}

#[test]
fn schemas_may_hold_something_else() {
    let package = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";
    let schema = Types::builtin().find(package, "JSONSchemaProps").expect("listed");
    assert_eq!(field(package, "JSONSchemaProps", "items").ty, FieldType::SchemaOrArray(schema));
    assert_eq!(field(package, "JSONSchemaProps", "additionalProperties").ty, FieldType::SchemaOrBool(schema));
    let dependencies = FieldType::Map(Box::new(FieldType::SchemaOrStrings(schema)));
    assert_eq!(field(package, "JSONSchemaProps", "dependencies").ty, dependencies);
    assert_eq!(field(package, "JSONSchemaProps", "default").ty, FieldType::Any);
}

#[test]
fn every_resource_has_a_type() {
    for one in resources() {
        let ty = one.ty().unwrap_or_else(|| panic!("{} has no type", one.kind));
        assert!(Types::builtin().get(ty).type_meta, "{}", one.kind);
        for sub in one.subresources.iter().filter(|sub| !sub.kind.ends_with("Options")) {
            assert!(sub.ty().is_some(), "{}/{}", one.name, sub.name);
        }
    }
    let stored = |group: &str, version: &str| {
        let of = |one: &&std::sync::Arc<schema::Resource>| one.group == group && one.version == version;
        resources().iter().find(of).map(|one| one.storage.clone()).expect("served")
    };
    assert_eq!(stored("autoscaling", "v1"), stored("autoscaling", "v2"));
    let events = stored("events.k8s.io", "v1");
    assert_eq!(
        (events.group.as_str(), events.version.as_str(), events.resource.as_str()),
        ("", "v1", "events")
    );
}
