//! Clusters that go on from what a trace has told of others.

use crate::common::Cluster;
use json_tree::json;
use protocol::command::Backup;
use protocol::trace::{Change, ObjectKey, Stored, Write};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/a.com/v1/namespaces/default/widgets";

/// Returns what a trace tells of a cluster.
fn backup(cluster: &Cluster) -> Backup {
    let inspect = cluster.server.inspect();
    let (_, revision) = inspect.revisions();
    let objects = inspect.objects_at(revision).expect("the compact revision is kept");
    Backup {
        revision,
        objects,
        writes: inspect.writes(revision, usize::MAX),
        numbers: 100,
        ..Backup::default()
    }
}

fn restored(backup: Backup) -> Result<Cluster, String> {
    let cluster = Cluster::new();
    let server = cluster.server.restore(backup)?;
    Ok(Cluster { server, clock: cluster.clock })
}

/// A cluster with a definition, objects of that, a change and a deletion.
fn example() -> Cluster {
    let cluster = Cluster::new();
    let names =
        json!({ "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" });
    let schema = json!({ "type": "object", "properties": { "size": { "type": "integer", "minimum": 1 } } });
    let version =
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.a.com" },
        "spec": { "group": "a.com", "scope": "Namespaced", "names": names, "versions": [version] },
    });
    assert_eq!(cluster.json(&format!("POST {DEFINITIONS}"), &definition).0, 201);
    let widget =
        json!({ "apiVersion": "a.com/v1", "kind": "Widget", "metadata": { "name": "w" }, "size": 3 });
    assert_eq!(cluster.json(&format!("POST {WIDGETS}"), &widget).0, 201);
    cluster.create("a", &json!({}));
    cluster.create("b", &json!({}));
    assert_eq!(cluster.json("DELETE /api/v1/namespaces/default/configmaps/b", &json!(null)).0, 200);
    cluster
}

/// Returns the responses of these paths.
fn seen(cluster: &Cluster) -> Vec<(u16, String)> {
    let paths = [
        "/api/v1/namespaces/default/configmaps",
        "/api/v1/namespaces",
        DEFINITIONS,
        WIDGETS,
        "/apis/a.com/v1",
    ];
    paths.iter().map(|path| cluster.get(path)).map(|(code, body)| (code, body.to_string())).collect()
}

#[test]
fn it_goes_on_where_the_other_one_was() {
    for compacted in [false, true] {
        let cluster = example();
        if compacted {
            cluster.server.inspect().compact(u64::MAX);
        }
        let again = restored(backup(&cluster)).expect("what a trace tells can be restored");
        assert_eq!(seen(&again), seen(&cluster));
        let head = cluster.server.inspect().revision();
        assert_eq!(again.server.inspect().revisions(), cluster.server.inspect().revisions());
        assert_eq!(again.create("c", &json!({})), head + 1);
        let invalid =
            json!({ "apiVersion": "a.com/v1", "kind": "Widget", "metadata": { "name": "x" }, "size": 0 });
        assert_eq!(again.json(&format!("POST {WIDGETS}"), &invalid).0, 422);
        let mut watch = again.watch(&format!("resourceVersion={head}"));
        assert_eq!(watch.events(), [format!("ADDED c@{}", head + 1)]);
        // A watch goes on from where the caches would be, had they been there all the time.
        let (compact_revision, _) = cluster.server.inspect().revisions();
        for from in compact_revision..=head {
            let [old, new] =
                [&cluster, &again].map(|cluster| cluster.watch(&format!("resourceVersion={from}")).events());
            assert!(new.starts_with(&old), "from {from}: {new:?} after {old:?}");
        }
        assert!(again.server.inspect().served(0, usize::MAX)[0].id > 100);
    }
}

#[test]
fn what_was_kept_can_be_read_at_its_revision() {
    let cluster = example();
    let again = restored(backup(&cluster)).expect("what a trace tells can be restored");
    let (head, compact_revision) = cluster.server.inspect().revisions();
    for revision in compact_revision..=head {
        let path = format!("/api/v1/configmaps?resourceVersion={revision}&resourceVersionMatch=Exact");
        assert_eq!(again.get(&path), cluster.get(&path));
    }
}

#[track_caller]
fn check_refused(change: impl FnOnce(&mut Backup), expected: &str) {
    let mut backup = backup(&example());
    change(&mut backup);
    assert_eq!(restored(backup).err().as_deref(), Some(expected));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let key = |resource: &str, name: &str| ObjectKey {
        resource: resource.to_owned(),
        name: name.to_owned(),
        ..ObjectKey::default()
    };
    let write = |revision, key, object| Write { revision, change: Change::Updated, key, object };
    let json = |json: &'static str| Stored { json: json.into(), ..Stored::default() };
    check_refused(
        |backup| {
            backup.writes.swap(0, 1);
        },
        "revision 101 does not follow revision 102",
    );
    check_refused(|backup| backup.head = u64::MAX, "no store comes to revision 18446744073709551615");
    check_refused(
        |backup| backup.writes[0].revision = u64::MAX,
        "revision 18446744073709551615 does not follow revision 100",
    );
    check_refused(
        |backup| {
            backup.writes.push(write(backup.writes.last().unwrap().revision + 1, key("gadgets", "g"), None))
        },
        "the resource gadgets of the group \"\" is not served",
    );
    check_refused(
        |backup| {
            let next = backup.writes.last().unwrap().revision + 1;
            backup.writes.push(write(next, key("namespaces", "n"), None));
        },
        "revision 112 deletes what was not there",
    );
    check_refused(
        |backup| backup.objects.push((key("namespaces", "n"), 1, json("[]"))),
        "/registry/namespaces/n: invalid type: sequence, expected any valid JSON value at line 1 column 0",
    );
    check_refused(
        |backup| backup.objects.push((key("namespaces", "n"), u64::MAX, json("{}"))),
        "key \"/registry/namespaces/n\" can't be restored at revision 18446744073709551615: the store has been written to, or is compacted to 100 only",
    );
}
