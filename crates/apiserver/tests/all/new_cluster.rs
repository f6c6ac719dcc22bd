//! The revisions at which the objects of a new cluster were written.

use std::collections::BTreeSet;

use apiserver::{Config, FIRST_REVISION};
use json_tree::Value;

use crate::common::{Cluster, version};

const NAMESPACES: &str = "/api/v1/namespaces";
/// The collections in which a new cluster has objects, but for the namespaces.
const OTHERS: [&str; 11] = [
    "/api/v1/endpoints",
    "/api/v1/services",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    "/apis/discovery.k8s.io/v1/endpointslices",
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    "/apis/networking.k8s.io/v1/servicecidrs",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/rolebindings",
    "/apis/rbac.authorization.k8s.io/v1/roles",
];

/// Returns how many objects there are in some collections, and their resource versions.
fn revisions(cluster: &Cluster, collections: &[&str]) -> (usize, BTreeSet<u64>) {
    let lists = collections.iter().map(|path| cluster.get(path).1["items"].as_array().cloned());
    let items: Vec<Value> = lists.flat_map(|items| items.expect("a list")).collect();
    assert!(items.len() >= collections.len());
    (items.len(), items.iter().map(version).collect())
}

#[test]
fn each_object_has_a_revision_of_its_own() {
    for first_revision in [FIRST_REVISION, 10_245] {
        let cluster = Cluster::with(|config| Config { first_revision, ..config });
        let (count, others) = revisions(&cluster, &OTHERS);
        assert_eq!(others.len(), count);
        assert_eq!(others.last(), Some(&(first_revision - 1)));
    }
}

#[test]
fn what_was_before_the_first_revision_is_compacted() {
    let cluster = Cluster::with(|config| Config { first_revision: 10_245, ..config });
    assert_eq!(revisions(&cluster, &[NAMESPACES]).1, (10_245..10_249).collect());
    let list = |revision: u64| {
        cluster.get(&format!("{NAMESPACES}?resourceVersion={revision}&resourceVersionMatch=Exact")).0
    };
    assert_eq!((list(10_244), list(10_245)), (410, 200));
}

#[test]
fn where_there_are_too_few_they_share_one() {
    for (first_revision, shared) in [(0, 1), (1, 1), (2, 1), (100, 99)] {
        let cluster = Cluster::with(|config| Config { first_revision, ..config });
        assert_eq!(revisions(&cluster, &OTHERS).1, BTreeSet::from([shared]), "{first_revision}");
        let first = revisions(&cluster, &[NAMESPACES]).1.first().copied();
        assert_eq!(first, Some(shared + 1), "{first_revision}");
    }
}
