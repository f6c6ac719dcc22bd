//! The objects of a local copy, and reading them out of what a server sends.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::watches::model::Event;

/// The objects by `namespace/name`, or `name` where they are in no namespace.
pub(crate) type Objects = BTreeMap<String, Object>;

/// An object, as the server sent it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// Its resource version.
    pub(crate) version: String,
    /// Its JSON. An item of a list has neither `kind` nor `apiVersion`, which are the list's.
    pub(crate) bytes: Bytes,
}

/// What the annotation is called that the bookmark has with which the initial events of a streaming list end.
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists>.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A page of a list.
#[derive(Debug)]
pub(super) struct Page {
    /// The version of the whole list.
    pub(super) version: String,
    /// The token of the next page; empty in the last.
    pub(super) token: String,
    /// The objects, in the server's order.
    pub(super) items: Vec<(String, Object)>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    namespace: String,
    name: String,
    #[serde(rename = "resourceVersion")]
    version: String,
    #[serde(rename = "continue")]
    token: String,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    metadata: Meta,
}

/// An object's key.
pub(super) fn key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { [namespace, name].join("/") }
}

/// Reads the answer to a list, if it is one.
pub(super) fn page(body: &[u8]) -> Option<Page> {
    #[derive(Deserialize)]
    struct List<'a> {
        kind: &'a str,
        #[serde(default)]
        metadata: Meta,
        #[serde(borrow, default)]
        items: Option<Vec<&'a RawValue>>,
    }
    let list: List<'_> = serde_json::from_slice(body).ok()?;
    if !list.kind.ends_with("List") {
        return None;
    }
    let items = list.items.unwrap_or_default().into_iter().map(|item| {
        let head: Head = serde_json::from_str(item.get()).ok()?;
        let Meta { namespace, name, version, .. } = head.metadata;
        Some((key(&namespace, &name), Object { version, bytes: bytes(item) }))
    });
    let items = items.collect::<Option<_>>()?;
    Some(Page { version: list.metadata.version, token: list.metadata.token, items })
}

/// How many objects of the copy are not as in `state`, the whole of a resource as its server has it, of which the copy
/// is of one namespace, or where that is empty of all.
pub(crate) fn behind(objects: &Objects, state: &[Bytes], namespace: &str) -> usize {
    let heads = state.iter().filter_map(|json| serde_json::from_slice::<Head>(json).ok());
    let (mut known, mut other) = (0, 0);
    for Head { metadata } in heads {
        if namespace.is_empty() || metadata.namespace == namespace {
            let object = objects.get(&key(&metadata.namespace, &metadata.name));
            known += usize::from(object.is_some());
            other += usize::from(object.is_none_or(|object| object.version != metadata.version));
        }
    }
    // And those that the server has no longer.
    other + objects.len() - known
}

/// The object of an event.
pub(super) fn of_event(event: &Event) -> Option<Object> {
    Some(Object { version: event.version.clone(), bytes: bytes(raw(event)?) })
}

/// Whether a bookmark ends the initial events of a streaming list.
pub(super) fn ends_initial_events(bookmark: &Event) -> bool {
    let head = raw(bookmark).and_then(|object| serde_json::from_str::<Head>(object.get()).ok());
    let annotations = head.and_then(|head| head.metadata.annotations).unwrap_or_default();
    annotations.get(INITIAL_EVENTS_END).is_some_and(|value| value == "true")
}

fn raw(event: &Event) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Frame<'a> {
        #[serde(borrow)]
        object: &'a RawValue,
    }
    serde_json::from_slice::<Frame<'_>>(&event.text).ok().map(|frame| frame.object)
}

/// A copy, so that an object does not keep the whole answer that it came in.
fn bytes(object: &RawValue) -> Bytes {
    Bytes::copy_from_slice(object.get().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_page() {
        let body = br#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"x"},
            "items":[{"metadata":{"name":"a","namespace":"n","resourceVersion":"7"}},{"metadata":{"name":"b"}}]}"#;
        let page = page(body).unwrap();
        assert_eq!((page.version.as_str(), page.token.as_str()), ("9", "x"));
        let items: Vec<(&str, &str)> =
            page.items.iter().map(|(key, object)| (key.as_str(), object.version.as_str())).collect();
        assert_eq!(items, [("n/a", "7"), ("b", "")]);
        assert_eq!(page.items[1].1.bytes, br#"{"metadata":{"name":"b"}}"#[..]);
    }

    #[test]
    fn counts_what_is_behind() {
        let object = |namespace: &str, name: &str, version: &str| {
            let meta =
                format!(r#"{{"name":"{name}","namespace":"{namespace}","resourceVersion":"{version}"}}"#);
            Bytes::from(format!(r#"{{"metadata":{meta}}}"#))
        };
        let check = |namespace: &str, state: &[Bytes], expected| {
            let body = br#"{"kind":"PodList","items":[{"metadata":{"name":"a","namespace":"n","resourceVersion":"7"}},
                {"metadata":{"name":"b","namespace":"n","resourceVersion":"8"}}]}"#;
            let copy = page(body).unwrap().items.into_iter().collect();
            assert_eq!(behind(&copy, state, namespace), expected);
        };
        let (a, b) = (object("n", "a", "7"), object("n", "b", "8"));
        check("n", &[a.clone(), b.clone()], 0);
        check("n", &[a.clone(), b.clone(), object("o", "a", "9")], 0);
        check("", &[a.clone(), b.clone(), object("o", "a", "9")], 1);
        check("n", &[object("n", "a", "9"), b], 1);
        check("n", &[a, object("n", "c", "9")], 2);
        check("n", &[], 2);
    }

    #[test]
    fn takes_nothing_else_for_a_page() {
        for body in [
            "",
            "404 page not found\n",
            r#"{"kind":"Status","status":"Failure","metadata":{}}"#,
            r#"{"kind":"Table","metadata":{"resourceVersion":"9"},"rows":[]}"#,
            r#"{"kind":"PodList","items":[1]}"#,
        ] {
            assert!(page(body.as_bytes()).is_none(), "{body}");
        }
        let empty = page(br#"{"kind":"PodList","metadata":{"resourceVersion":"9"},"items":null}"#);
        assert_eq!(empty.map(|page| page.items.len()), Some(0));
    }

    #[track_caller]
    fn check(annotations: &str, ends: bool) {
        let text = format!(
            r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{"resourceVersion":"9"{annotations}}}}}}}"#
        );
        assert_eq!(ends_initial_events(&Event::read(text.into_bytes(), 0.0).unwrap()), ends, "{annotations}");
    }

    #[test]
    fn knows_the_end_of_the_initial_events() {
        check(r#","annotations":{"k8s.io/initial-events-end":"true"}"#, true);
        check(r#","annotations":{"k8s.io/initial-events-end":"false"}"#, false);
        check(r#","annotations":{"a":"true"}"#, false);
        check("", false);
    }
}
