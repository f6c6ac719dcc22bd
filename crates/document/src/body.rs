//! The body of a request: as it is written, or an example where a document only describes it.

use apimachinery::Place;
use bytes::Bytes;
use json_tree::Value;

use crate::examples;
use crate::kinds::Kinds;
use crate::message::{JSON, Request, YAML};
use crate::outcome::Note;
use crate::pattern::{self, Item, Pattern};
use crate::server::Server;
use crate::words;

/// The kind of definitions.
const DEFINITION: &str = "CustomResourceDefinition";

/// The most names that are tried for an example.
const NAMES: usize = 50;

/// Composes the body of a request.
pub(crate) struct Composing<'a, S> {
    pub(crate) server: &'a S,
    pub(crate) kinds: &'a Kinds,
    /// The documented status code.
    pub(crate) status: Option<u16>,
    /// The documented values of the response.
    pub(crate) documented: &'a [Item],
}

impl<S: Server> Composing<'_, S> {
    /// Puts the body into a request. `written` is its text in the document.
    pub(crate) async fn fill(
        &self,
        request: &mut Request,
        written: &str,
        notes: &mut Vec<Note>,
    ) -> Result<(), String> {
        let takes_body = matches!(&*request.method, "POST" | "PUT" | "PATCH");
        if is_prose(written) || written.is_empty() && takes_body {
            if !takes_body {
                return Ok(());
            }
            request.body = self.example(request).await?;
            notes.push(Note::Filled);
        } else if !written.is_empty() {
            request.body = body_of(written);
        }
        if !request.body.is_empty() && request.header("Content-Type").is_none() {
            let json = request.body.starts_with(b"{") || request.body.starts_with(b"[");
            let content_type = match (&*request.method, json) {
                ("PATCH", true) if request.body.starts_with(b"[") => "application/json-patch+json",
                ("PATCH", true) => "application/merge-patch+json",
                ("PATCH", false) => "application/apply-patch+yaml",
                (_, true) => JSON,
                (_, false) => YAML,
            };
            request.headers.push(("Content-Type".to_owned(), content_type.to_owned()));
            notes.push(Note::Added(["Content-Type: ", content_type].concat()));
        }
        if request.header("Content-Type").is_some_and(|sort| sort.contains("apply-patch"))
            && request.param("fieldManager").is_none()
        {
            request.target =
                apimachinery::target::with(&request.target, &[("fieldManager", Some("example"))]);
            notes.push(Note::Added("fieldManager".to_owned()));
        }
        Ok(())
    }

    /// Returns an example of a body.
    async fn example(&self, request: &Request) -> Result<Bytes, String> {
        let place = Place::of(request.path()).ok_or(words::NO_EXAMPLE)?;
        let kind = self.kinds.at(&place).ok_or(words::NO_EXAMPLE)?;
        if let Some(body) = examples::of_subresource(place.subresource, place.namespace, place.name) {
            return Ok(body.to_string().into());
        }
        let is_it = |told: &&Pattern| told.get("kind").and_then(Pattern::as_str) == Some(&*kind.kind);
        let told = pattern::first(self.documented).filter(is_it);
        let wanted = told.and_then(|told| told.at(&["metadata", "name"])).and_then(Pattern::as_str);
        let name = match (&*request.method, place.name) {
            ("POST", _) => {
                self.free_name(&place, wanted.unwrap_or(&["my-", &kind.singular].concat())).await?
            }
            (_, name) => name.to_owned(),
        };
        if request.method == "PATCH" {
            let patch = if request.header("Content-Type").is_some_and(|sort| sort.contains("json-patch")) {
                r#"[{"op":"add","path":"/metadata/labels","value":{"example":"patched"}}]"#
            } else if request.header("Content-Type").is_some_and(|sort| sort.contains("apply-patch")) {
                return Ok(examples::object(kind, place.namespace, &name).to_string().into());
            } else {
                r#"{"metadata":{"labels":{"example":"patched"}}}"#
            };
            return Ok(patch.into());
        }
        let mut object = examples::object(kind, place.namespace, &name);
        if let Some(told) = told {
            examples::documented(&mut object, told);
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("name".to_owned(), name.into());
            }
        }
        Ok(object.to_string().into())
    }

    /// Returns a name that no object has.
    async fn free_name(&self, place: &Place<'_>, wanted: &str) -> Result<String, String> {
        for number in 1..NAMES {
            let name = if number == 1 { wanted.to_owned() } else { format!("{wanted}-{number}") };
            let get = Request::new("GET", &place.object(&name)).with("Accept", JSON);
            let get = get.with("User-Agent", crate::arrange::USER_AGENT);
            if self.server.arrange(vec![get]).await?.first().is_none_or(|(status, _)| *status != 200) {
                return Ok(name);
            }
        }
        Ok(wanted.to_owned())
    }

    /// Puts the version that an object has into an update which is documented to succeed.
    pub(crate) async fn renew(&self, request: &mut Request, notes: &mut Vec<Note>) {
        if request.method != "PUT" || self.status.is_some_and(|status| status >= 300) {
            return;
        }
        let Ok(mut body) = serde_json::from_slice::<Value>(&request.body) else { return };
        if body.pointer("/metadata/resourceVersion").is_none() {
            return;
        }
        let get = Request::new("GET", request.path()).with("Accept", JSON);
        let get = get.with("User-Agent", crate::arrange::USER_AGENT);
        let Ok(found) = self.server.arrange(vec![get]).await else { return };
        let now: Value =
            found.first().and_then(|(_, body)| serde_json::from_slice(body).ok()).unwrap_or_default();
        let version = now.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        if let (Some(version), Some(told)) = (version, body.pointer_mut("/metadata/resourceVersion"))
            && told.as_str() != Some(version)
        {
            *told = version.into();
            request.body = body.to_string().into();
            notes.push(Note::Version(version.to_owned()));
        }
    }

    /// Writes a body of JSON in the media type that the request says it has, where that is not text.
    pub(crate) async fn encode(&self, request: &mut Request, notes: &mut Vec<Note>) -> Result<(), String> {
        let content_type = request.header("Content-Type").unwrap_or_default().to_owned();
        let is_binary = content_type.contains("protobuf") || content_type.contains("cbor");
        let is_yaml = content_type == YAML && request.body.starts_with(b"{");
        if is_binary || is_yaml {
            request.body = self.server.encode(&content_type, request.body.clone()).await?;
            if is_binary {
                notes.push(Note::Media(content_type));
            }
        }
        Ok(())
    }
}

/// Returns whether a body is described, and not written.
fn is_prose(written: &str) -> bool {
    let text = written.trim_start();
    let dots = text.starts_with("...") || text.starts_with('…') || text.starts_with('<');
    dots && text.lines().count() < 4
}

/// Returns a body as it is sent. JSON with comments is sent without them.
fn body_of(written: &str) -> Bytes {
    let text = written.trim_start();
    if text.starts_with(['{', '['])
        && serde_json::from_str::<Value>(text).is_err()
        && let [Item::One(pattern)] = pattern::read(text).as_slice()
    {
        return pattern.to_value().to_string().into();
    }
    Bytes::from(written.to_owned())
}

/// Returns the CustomResourceDefinition that a body is, in JSON or YAML, if it is one.
pub(crate) fn written_definition(written: &str) -> Option<Value> {
    let definition: Value = serde_yaml::from_str(written.contains(DEFINITION).then_some(written)?).ok()?;
    (definition["kind"] == DEFINITION).then_some(definition)
}

/// Returns the name that a body gives its object, as far as its lines tell.
pub(crate) fn written_name(written: &str) -> Option<String> {
    if let Ok(value) = serde_json::from_str::<Value>(written) {
        return Some(value.pointer("/metadata/name")?.as_str()?.to_owned());
    }
    let mut lines = written.lines().skip_while(|line| line.trim_end() != "metadata:").skip(1);
    let name = lines.find_map(|line| line.strip_prefix("  name:"))?;
    Some(name.trim().trim_matches(['"', '\'']).to_owned())
}
