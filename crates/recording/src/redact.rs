//! Leaves out of a trace what is secret: what is in Secrets, and what of the URIs of requests is not known to be harmless.

use bytes::Bytes;
use golang::url::path_unescape;
use protocol::trace::{Batch, Event, Found, Judgement, ObjectKey, RequestRecord, Stored};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// Stands where something was left out. It is Base64, as values in `data` have to be.
pub const LEFT_OUT: &str = "REDACTED";
/// The same as JSON.
const LEFT_OUT_JSON: &str = "\"REDACTED\"";
/// An object of which nothing could be read.
const NOTHING: &[u8] = b"{}";

/// The annotation that repeats the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The fields of a Secret that hold nothing secret, but for an annotation.
const HARMLESS: &[&str] = &["apiVersion", "kind", "metadata", "immutable", "type"];
/// The parameters of Kubernetes' API whose values are no secrets.
const PARAMETERS: &[&str] = &[
    "allowWatchBookmarks",
    "container",
    "continue",
    "dryRun",
    "fieldManager",
    "fieldSelector",
    "fieldValidation",
    "follow",
    "force",
    "gracePeriodSeconds",
    "includeObject",
    "insecureSkipTLSVerifyBackend",
    "labelSelector",
    "limit",
    "limitBytes",
    "orphanDependents",
    "ports",
    "pretty",
    "previous",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "sinceSeconds",
    "sinceTime",
    "stderr",
    "stdin",
    "stdout",
    "tailLines",
    "timeout",
    "timeoutSeconds",
    "timestamps",
    "tty",
    "verbose",
    "watch",
];

/// Replaces what is secret in a batch by [`LEFT_OUT`].
///
/// Of Secrets of the core group these are the values of `data` and `stringData`, the annotation of `kubectl apply` that
/// repeats them, and any field that Secrets do not have; what cannot be read as an object becomes `{}`. The keys stay, and so does
/// everything else. Of requests these are the values of query parameters that Kubernetes does not know or that carry
/// what is run (`command`), what follows `/proxy`, and what admission policies said of Secrets.
pub fn redact(batch: &mut Batch) {
    if let Some(state) = &mut batch.state {
        state.objects.iter_mut().filter(|(key, _, _)| is_secret(key)).for_each(|(_, _, object)| hide(object));
        state.watches.iter_mut().for_each(|watch| hide_in_uri(&mut watch.uri));
    }
    for event in &mut batch.events {
        match event {
            Event::Write(write) if is_secret(&write.key) => write.object.iter_mut().for_each(hide),
            Event::Request(request) => hide_in_request(request),
            Event::WatchOpened(watch) => hide_in_uri(&mut watch.uri),
            _ => {}
        }
    }
}

fn is_secret(key: &ObjectKey) -> bool {
    key.group.is_empty() && key.resource == "secrets"
}

fn hide(object: &mut Stored) {
    object.json = without_secrets(&object.json).map_or_else(|| Bytes::from_static(NOTHING), Bytes::from);
}

/// Returns a Secret without what is secret in it. `None`: it cannot be read.
fn without_secrets(json: &[u8]) -> Option<Vec<u8>> {
    let mut object: Entries = serde_json::from_slice(json).ok()?;
    for (name, value) in &mut object.0 {
        let changed = match name.as_str() {
            "data" | "stringData" => every_value(value),
            "metadata" => without_last_applied(value),
            name if HARMLESS.contains(&name) => continue,
            _ => left_out(),
        };
        *value = changed?;
    }
    serde_json::to_vec(&object).ok()
}

/// Leaves out all values of an object; if it is none, all of it. What is `null` stays.
fn every_value(value: &RawValue) -> Option<Box<RawValue>> {
    if value.get() == "null" {
        return Some(value.to_owned());
    }
    let Ok(mut entries) = serde_json::from_str::<Entries>(value.get()) else { return left_out() };
    for (_, value) in &mut entries.0 {
        *value = left_out()?;
    }
    serde_json::value::to_raw_value(&entries).ok()
}

/// Leaves the annotation out of metadata. `None`: they are none.
fn without_last_applied(metadata: &RawValue) -> Option<Box<RawValue>> {
    let mut metadata: Entries = serde_json::from_str(metadata.get()).ok()?;
    for (_, annotations) in metadata.0.iter_mut().filter(|(name, _)| name == "annotations") {
        if annotations.get() == "null" {
            continue;
        }
        let mut entries: Entries = serde_json::from_str(annotations.get()).ok()?;
        for (_, value) in entries.0.iter_mut().filter(|(name, _)| name == LAST_APPLIED) {
            *value = left_out()?;
        }
        *annotations = serde_json::value::to_raw_value(&entries).ok()?;
    }
    serde_json::value::to_raw_value(&metadata).ok()
}

fn left_out() -> Option<Box<RawValue>> {
    RawValue::from_string(LEFT_OUT_JSON.to_owned()).ok()
}

fn hide_in_request(request: &mut RequestRecord) {
    hide_in_uri(&mut request.uri);
    let mut secrets = true;
    if let Some(access) = &mut request.access {
        hide_in_uri(&mut access.attributes.path);
        let of = &access.attributes;
        // A policy sees the object of a request, which may be a Secret of any group that calls its objects so.
        secrets = of.is_resource && of.resource == "secrets";
    }
    if secrets {
        let message = |judgement: &mut Judgement| judgement.message = LEFT_OUT.to_owned();
        request.judgements.iter_mut().for_each(message);
    }
    for considered in request.considered.iter_mut().filter(|one| secrets || !one.params.is_empty()) {
        if let Found::Asked(steps) = &mut considered.found {
            for text in
                steps.iter_mut().flat_map(|step| [&mut step.value, &mut step.error, &mut step.message])
            {
                if !text.is_empty() {
                    *text = LEFT_OUT.to_owned();
                }
            }
        }
    }
}

/// Leaves out of a URI what follows `/proxy` in the path, and values in the query that are not known to be harmless.
fn hide_in_uri(uri: &mut String) {
    let (path, query) = match uri.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (uri.as_str(), None),
    };
    // What is spelled otherwise than it is read may lead to a proxy too.
    let escaped = !path.contains("/proxy/") && path.contains('%');
    if escaped && path_unescape(path).map_or(true, |path| path.contains("/proxy/")) {
        *uri = ["/", LEFT_OUT].concat();
        return;
    }
    let passed_on = path.find("/proxy/").map(|at| at + "/proxy/".len()).filter(|at| *at < path.len());
    let harmless =
        |parameter: &str| parameter.split_once('=').is_none_or(|(name, _)| PARAMETERS.contains(&name));
    if passed_on.is_none() && query.is_none_or(|query| query.split('&').all(harmless)) {
        return;
    }
    let mut hidden = match passed_on {
        Some(at) => [&path[..at], LEFT_OUT].concat(),
        None => path.to_owned(),
    };
    for (index, parameter) in query.into_iter().flat_map(|query| query.split('&')).enumerate() {
        hidden.push(if index == 0 { '?' } else { '&' });
        match parameter.split_once('=') {
            Some((name, _)) if !harmless(parameter) || passed_on.is_some() => {
                hidden.extend([name, "=", LEFT_OUT]);
            }
            None if passed_on.is_some() => hidden.push_str(LEFT_OUT),
            _ => hidden.push_str(parameter),
        }
    }
    *uri = hidden;
}

/// The entries of a JSON object, in order, with values as they are written. One name may stand there twice.
struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;

        impl<'de> Visitor<'de> for Whole {
            type Value = Entries;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Whole)
    }
}

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let key = |group: &str, resource: &str| ObjectKey {
            group: group.to_owned(),
            resource: resource.to_owned(),
            ..ObjectKey::default()
        };
        let stored = |json: &str| Stored { json: Bytes::from(json.to_owned()), ..Stored::default() };
        let mut batch = Batch::default();
        let others = [key("", "configmaps"), key("e.com", "secrets")];
        for (key, json, expected) in
            [(&key("", "secrets"), json, expected), (&others[0], json, json), (&others[1], json, json)]
        {
            batch.state = Some(protocol::trace::State {
                objects: vec![(key.clone(), 1, stored(json))],
                ..Default::default()
            });
            let (change, object) = (protocol::trace::Change::Created, Some(stored(json)));
            batch.events =
                vec![Event::Write(protocol::trace::Write { revision: 1, change, key: key.clone(), object })];
            redact(&mut batch);
            assert_eq!(batch.state.as_ref().unwrap().objects[0].2, stored(expected));
            let Event::Write(write) = &batch.events[0] else { panic!("a write") };
            assert_eq!(write.object, Some(stored(expected)));
        }
    }

    #[test]
    fn values_are_left_out_and_keys_stay() {
        check(
            r#"{"metadata":{"name":"s","resourceVersion":"7"},"data":{"a":"eA==","b":""},"type":"Opaque"}"#,
            r#"{"metadata":{"name":"s","resourceVersion":"7"},"data":{"a":"REDACTED","b":"REDACTED"},"type":"Opaque"}"#,
        );
        check(
            r#"{"stringData":{"a":"x"},"immutable":true}"#,
            r#"{"stringData":{"a":"REDACTED"},"immutable":true}"#,
        );
        check(
            r#"{"metadata":{"annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{}"}}}"#,
            r#"{"metadata":{"annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"REDACTED"}}}"#,
        );
        check(
            r#"{"data":null,"metadata":{"annotations":null}}"#,
            r#"{"data":null,"metadata":{"annotations":null}}"#,
        );
    }

    #[test]
    fn what_is_no_secret_as_it_should_be_is_left_out() {
        check(r#"{"data":["x"]}"#, r#"{"data":"REDACTED"}"#);
        check(r#"{"data":{"a":{"b":"x"}},"data":"y"}"#, r#"{"data":{"a":"REDACTED"},"data":"REDACTED"}"#);
        check(r#"{"\u0064ata":{"a":"x"}}"#, r#"{"data":{"a":"REDACTED"}}"#);
        check(r#"{"Data":{"a":"x"}}"#, r#"{"Data":"REDACTED"}"#);
        check(r#"{"data":{"a":"x"}"#, "{}");
        check(r#"["x"]"#, "{}");
        check(r#"{"metadata":"x"}"#, "{}");
        check(r#"{"metadata":{"annotations":["x"]}}"#, "{}");
        check("x", "{}");
    }

    #[test]
    fn uris_say_nothing_that_may_be_secret() {
        #[track_caller]
        fn check(uri: &str, expected: &str) {
            let mut hidden = uri.to_owned();
            hide_in_uri(&mut hidden);
            assert_eq!(hidden, expected);
        }
        for uri in ["/api/v1/pods?watch=1&labelSelector=a%3Db&resourceVersion=7", "/version", "/api/v1/pods?"]
        {
            check(uri, uri);
        }
        check("/x?token=abc&limit=5", "/x?token=REDACTED&limit=5");
        check(
            "/pods/p/exec?command=login&command=pw&stdin=1",
            "/pods/p/exec?command=REDACTED&command=REDACTED&stdin=1",
        );
        check("/services/s/proxy/a/b?limit=5&c", "/services/s/proxy/REDACTED?limit=REDACTED&REDACTED");
        check("/services/s/proxy", "/services/s/proxy");
        check("/services/s/%70roxy/a", "/REDACTED");
        check("/services/s%2fproxy%2Fa?b", "/REDACTED");
        check("/services/s%zz/a", "/REDACTED");
        check("/nodes/x%20y", "/nodes/x%20y");
    }

    #[test]
    fn what_policies_say_of_secrets_is_left_out() {
        #[track_caller]
        fn check(resource: &str, expected: &str) {
            let judgement = Judgement {
                policy: "p".to_owned(),
                binding: "b".to_owned(),
                action: "Deny".to_owned(),
                message: "no".to_owned(),
            };
            let mut access = protocol::trace::AccessDecision::default();
            access.attributes.is_resource = true;
            access.attributes.resource = resource.to_owned();
            let request =
                RequestRecord { judgements: vec![judgement], access: Some(access), ..Default::default() };
            let mut batch = Batch { events: vec![Event::Request(Box::new(request))], ..Batch::default() };
            redact(&mut batch);
            let Event::Request(request) = &batch.events[0] else { panic!("a request") };
            assert_eq!(request.judgements[0].message, expected);
        }
        check("secrets", "REDACTED");
        check("pods", "no");
    }
}
