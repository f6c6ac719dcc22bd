//! The objects of a local copy, and reading them out of what a server sends.

use bytes::Bytes;

use crate::cluster::event::Event;
use crate::cluster::head;

/// Objects in the order of their keys, which are `namespace/name`, or `name` where they are in no namespace. It is the
/// order in which a server lists them, so that they are mostly added at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Objects(Vec<(String, Object)>);

impl Objects {
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }

    /// The object with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Object> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// Adds an object, or puts it in the place of the one with this key.
    pub(super) fn insert(&mut self, key: String, object: Object) {
        match self.find(&key) {
            Ok(at) => self.0[at].1 = object,
            Err(at) => self.0.insert(at, (key, object)),
        }
    }

    /// Takes an object out, if it is there.
    pub(super) fn remove(&mut self, key: &str) {
        if let Ok(at) = self.find(key) {
            self.0.remove(at);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The objects with their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, Object)> {
        self.0.iter()
    }
}

/// An object, as the server sent it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// The resource version of the object.
    pub(crate) version: String,
    /// The JSON of the object. An item of a list has neither `kind` nor `apiVersion`, which are the list's.
    pub(crate) bytes: Bytes,
}

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

/// An object's key.
pub(super) fn key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { [namespace, name].join("/") }
}

/// Reads the answer to a list, if it is one.
pub(super) fn page(body: &[u8]) -> Option<Page> {
    let list = head::list(body).filter(|list| list.kind.ends_with("List"))?;
    let mut items = Vec::new();
    for item in list.items.unwrap_or_default() {
        let item = head::bytes(item);
        let metadata = head::head(item)?.metadata;
        let key = key(&metadata.namespace, &metadata.name);
        items.push((key, Object { version: metadata.version, bytes: copy(item) }));
    }
    Some(Page { version: list.metadata.version, token: list.metadata.token, items })
}

/// How many objects of the copy are not as in `state`, the whole of a resource as its server has it, of which the copy
/// is of one namespace, or where that is empty of all.
pub(crate) fn behind(objects: &Objects, state: &[Bytes], namespace: &str) -> usize {
    let (mut known, mut other) = (0, 0);
    for json in state {
        let Some(head::Head { metadata, .. }) = head::head(json) else { continue };
        if namespace.is_empty() || metadata.namespace == namespace {
            let object = objects.get(&key(&metadata.namespace, &metadata.name));
            known += usize::from(object.is_some());
            other += usize::from(object.is_none_or(|object| object.version != metadata.version));
        }
    }
    // And those that the server has no longer.
    other + objects.len() - known
}

/// An object in the copy and at the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The key of the object.
    pub(crate) key: String,
    /// The resource version in the copy, if the copy has the object.
    pub(crate) copy: Option<String>,
    /// The resource version at the server, if the object is there.
    pub(crate) server: Option<String>,
}

/// The objects of the copy beside those in `state`, in the order of their keys: see [`behind`].
pub(crate) fn pairs(objects: &Objects, state: &[Bytes], namespace: &str) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut copied = objects.iter().peekable();
    let only = |(key, object): &(String, Object)| Pair {
        key: key.clone(),
        copy: Some(object.version.clone()),
        server: None,
    };
    for json in state {
        let Some(head::Head { metadata, .. }) = head::head(json) else { continue };
        if !namespace.is_empty() && metadata.namespace != namespace {
            continue;
        }
        let key = key(&metadata.namespace, &metadata.name);
        while let Some(before) = copied.next_if(|(known, _)| *known < key) {
            pairs.push(only(before));
        }
        let copy = copied.next_if(|(known, _)| *known == key).map(|(_, object)| object.version.clone());
        pairs.push(Pair { key, copy, server: Some(metadata.version) });
    }
    pairs.extend(copied.map(only));
    pairs
}

/// The object of an event.
pub(super) fn of_event(event: &Event) -> Option<Object> {
    let frame = head::frame(&event.text)?;
    Some(Object { version: event.version.clone(), bytes: copy(head::bytes(frame.object)) })
}

/// Reports whether a bookmark ends the initial events of a streaming list.
pub(super) fn ends_initial_events(bookmark: &Event) -> bool {
    let head = head::frame(&bookmark.text).and_then(|frame| head::head(head::bytes(frame.object)));
    let annotations = head.and_then(|head| head.metadata.annotations);
    annotations.and_then(|annotations| annotations.initial_events_end).is_some_and(|value| value == "true")
}

/// A copy, so that an object does not keep the whole answer that it came in.
fn copy(object: &[u8]) -> Bytes {
    Bytes::copy_from_slice(object)
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
    fn pairs_the_copy_with_the_server() {
        let object = |name: &str, version: u32| {
            format!(r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"{version}"}}}}"#)
        };
        let list = [
            r#"{"kind":"PodList","items":["#,
            &[object("a", 1), object("c", 3), object("d", 4)].join(","),
            "]}",
        ];
        let copy = Objects(page(list.concat().as_bytes()).unwrap().items);
        let state = [object("b", 2), object("c", 5), object("d", 4)].map(Bytes::from);
        let told: Vec<String> = pairs(&copy, &state, "n")
            .into_iter()
            .map(|pair| {
                [Some(pair.key), pair.copy, pair.server].map(|text| text.unwrap_or("-".to_owned())).join(" ")
            })
            .collect();
        assert_eq!(told, ["n/a 1 -", "n/b - 2", "n/c 3 5", "n/d 4 4"]);
        assert!(pairs(&Objects::default(), &state, "other").is_empty());
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
            let copy = Objects(page(body).unwrap().items);
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
