//! An object at a revision: its bytes, and what selectors need of it.

mod key;

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;
use codec::json::write_map;
use json_tree::Value;
use store::Revision;

use crate::resource::Resource;
use crate::{custom, selector};
use apimachinery::object::{METADATA_ORDER, Object, as_value, metadata_mut, set_in_order, sort};
use kinds::kind::Found;

pub(crate) use key::{collection_key, object_key, shown_key};

/// An object at a revision: its encoded JSON, made once, and a small index beside it.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Compact JSON in the resource's storage version: without `kind` and `apiVersion`, but for custom objects, of
    /// which it also tells floats from integers.
    pub json: Bytes,
    /// The position in `json` of the digits of the resource version.
    version: Range<usize>,
    /// The API group of its storage version.
    pub group: String,
    /// The object's resource, plural.
    pub resource: String,
    /// The object's namespace; empty for cluster-scoped ones.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// The object's uid.
    pub uid: String,
    /// True if the object has a deletion timestamp.
    terminating: bool,
    /// True if nothing keeps the object from being deleted.
    free: bool,
    /// True if the object has something that etcd's bytes lack, because it is filled in only when they are read
    /// ([`Strategy::read_back`](kinds::kind::Strategy::read_back)). A write that changes nothing stores it.
    filled: bool,
    /// The object's labels, in the order of their keys.
    pub labels: Vec<(String, String)>,
    /// The fields that field selectors can ask for: label and value.
    pub fields: Vec<(Cow<'static, str>, String)>,
}

impl Stored {
    /// Encodes `object` as what `revision` wrote.
    pub(crate) fn new(resource: &Resource, mut object: Object, revision: Revision) -> Self {
        Self::of(resource, &mut object, revision)
    }

    /// Encodes `object` as what `revision` wrote, and leaves it as it is encoded.
    pub(crate) fn of(resource: &Resource, object: &mut Object, revision: Revision) -> Self {
        if let Some(custom) = resource.custom() {
            *object = custom::to_storage(&custom.definition, std::mem::take(object));
        }
        Self::as_it_is(resource, object, revision)
    }

    /// Encodes `object`, a custom one in whatever version it is, as what `revision` wrote.
    pub(crate) fn as_it_is(resource: &Resource, object: &mut Object, revision: Revision) -> Self {
        let custom = resource.custom();
        let kind = resource.facts();
        let fields = as_value(object, |object| selector::field::selectable(kind.selectable_fields, object));
        let mut fields: Vec<_> =
            fields.into_iter().map(|(label, value)| (Cow::Borrowed(label), value)).collect();
        if let Some(custom) = custom {
            fields.extend(custom::selectable(&custom.definition, object));
        }
        let finalizers = |holder: &str| object.get(holder).and_then(|holder| holder.get("finalizers"));
        let holders = if kind.spec_finalizers { &["metadata", "spec"][..] } else { &["metadata"] };
        let free = !holders
            .iter()
            .copied()
            .filter_map(finalizers)
            .any(|list| list.as_array().is_some_and(|list| !list.is_empty()));
        let metadata = metadata_mut(object);
        set_in_order(metadata, "resourceVersion", revision.to_string().into(), METADATA_ORDER);
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (namespace, name, uid) = (text("namespace"), text("name"), text("uid"));
        let terminating = metadata.contains_key("deletionTimestamp");
        let labels = metadata.get("labels").and_then(Value::as_object).into_iter().flatten();
        let label =
            |(key, value): (&String, &Value)| (key.clone(), value.as_str().unwrap_or_default().to_owned());
        let mut labels: Vec<_> = labels.map(label).collect();
        schema::sort_by(&mut labels, |a, b| a.0.cmp(&b.0));
        if custom.is_some() {
            sort(object);
        }
        let write = if custom.is_some() { codec::json::write_exact } else { codec::json::write };
        let (json, version) = encode(object, write);
        let (group, resource) = (resource.storage.group.clone(), resource.storage.resource.clone());
        Self {
            json,
            version,
            group,
            resource,
            namespace,
            name,
            uid,
            terminating,
            free,
            filled: false,
            labels,
            fields,
        }
    }

    /// The object as a tree.
    pub(crate) fn tree(&self) -> Object {
        match serde_json::from_slice(&self.json) {
            Ok(Value::Object(object)) => object,
            _ => Object::new(),
        }
    }

    /// The JSON as it is shown, where nobody asks for floats.
    pub(crate) fn plain(&self) -> Bytes {
        // A custom object begins with its `apiVersion`.
        match self.json.starts_with(b"{\"apiVersion\"") {
            true => Bytes::from(codec::json::plain(&self.json).into_owned()),
            false => self.json.clone(),
        }
    }

    /// Reports whether the object's deletion has begun.
    pub(crate) fn is_terminating(&self) -> bool {
        self.terminating
    }

    /// Reports whether nothing keeps the object from being deleted: it has no finalizers.
    pub(crate) fn is_free(&self) -> bool {
        self.free
    }

    /// The same object with something that was filled in when it was read back.
    pub(crate) fn filled(self, filled: bool) -> Self {
        Self { filled, ..self }
    }

    /// Reports whether a write of `next` would leave everything as it is.
    pub(crate) fn is_same(&self, next: &Self) -> bool {
        self.json == next.json && !self.filled
    }

    /// The value of a label.
    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        let place = self.labels.binary_search_by(|(name, _)| name.as_str().cmp(key)).ok()?;
        Some(self.labels[place].1.as_str())
    }

    /// The value of a selectable field.
    pub(crate) fn field(&self, label: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == label).map(|(_, value)| value.as_str())
    }

    /// Reports whether it is a custom object in this version.
    pub(crate) fn is_in(&self, api_version: &str) -> bool {
        custom::is_in(&self.json, api_version)
    }

    /// The revision that wrote it.
    pub(crate) fn revision(&self) -> Revision {
        let digits = self.json.get(self.version.clone()).unwrap_or_default();
        digits.iter().fold(0, |number, digit| number * 10 + Revision::from(digit - b'0'))
    }

    /// The same object as what `revision` wrote.
    pub(crate) fn at(self, revision: Revision) -> Self {
        let json = self.json_at(revision);
        let version = self.version.start..self.version.start + revision.to_string().len();
        Self { json, version, ..self }
    }

    /// The bytes with another resource version in them: a DELETED event carries the state before the deletion
    /// with the deletion's version.
    pub(crate) fn json_at(&self, revision: Revision) -> Bytes {
        let digits = revision.to_string();
        let (before, after) = (&self.json[..self.version.start], &self.json[self.version.end..]);
        Bytes::from([before, digits.as_bytes(), after].concat())
    }
}

impl Found for Stored {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_terminating(&self) -> bool {
        self.terminating
    }

    fn field(&self, label: &str) -> Option<&str> {
        self.field(label)
    }

    fn tree(&self) -> Object {
        self.tree()
    }
}

/// The JSON of an object, and where in it the digits of `metadata.resourceVersion` stand.
fn encode(object: &Object, write: fn(&Value, &mut Vec<u8>)) -> (Bytes, Range<usize>) {
    let mut out = Vec::with_capacity(1024);
    let mut version = 0..0;
    write_map(entries(object), &mut out, |key, value, out| match value {
        Value::Object(metadata) if key == "metadata" => {
            write_map(entries(metadata), out, |key, value, out| {
                let start = out.len();
                write(value, out);
                if key == "resourceVersion" {
                    version = start + 1..out.len() - 1;
                }
            });
        }
        value => write(value, out),
    });
    (Bytes::from(out), version)
}

fn entries(map: &Object) -> impl Iterator<Item = (&str, &Value)> {
    map.iter().map(|(key, value)| (key.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(object: &str, expected: &str) {
        let Ok(Value::Object(object)) = serde_json::from_str(object) else {
            panic!("not an object: {object}")
        };
        let pods = crate::resource::built_in().iter().find(|row| row.name == "pods").expect("there are pods");
        let stored = Stored::new(pods, object, 7).at(10245);
        assert_eq!(stored.json, expected);
    }

    #[test]
    fn the_version_is_found_where_it_stands() {
        check(r#"{"metadata":{"name":"a"}}"#, r#"{"metadata":{"name":"a","resourceVersion":"10245"}}"#);
        check(
            r#"{"data":{"resourceVersion":"x"},"metadata":{"resourceVersion":"5","annotations":{"resourceVersion":"y"}}}"#,
            r#"{"data":{"resourceVersion":"x"},"metadata":{"resourceVersion":"10245","annotations":{"resourceVersion":"y"}}}"#,
        );
    }
}
