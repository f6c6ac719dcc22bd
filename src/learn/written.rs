//! The requests of a tab as a document: what was sent, what came, and the scene in which it begins.

use std::fmt::Write;

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::trace::{Exchange, Origin, Outcome};
use crate::cluster::{Request, Which, status};
use crate::model::watch::Watch;
use crate::state::Page;
use crate::ui::messages::learn as words;

/// The headers that a document writes.
const HEADERS: [&str; 4] = ["Accept", "Content-Type", "Impersonate-User", "Impersonate-Group"];
/// The most that is written of a response, in bytes.
const LONGEST: usize = 6_000;

/// A request and its response, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    request: Request,
    status: u16,
    content_type: String,
    /// JSON; of a watch its events.
    bodies: Vec<Vec<u8>>,
}

/// Returns what was sent by hand in this tab, the oldest first, and the revision before all of it.
pub(crate) fn sent(page: Page) -> (Vec<Written>, Option<u64>) {
    untrack(|| {
        page.read(|model| {
            let of_user = |sent: &&Exchange| sent.origin == Origin::User && sent.cluster == Which::ThisTab;
            let mut all: Vec<&Exchange> = model.trace.newest().filter(of_user).collect();
            all.reverse();
            let before = all.first().and_then(|first| {
                let writes = first.request.method != "GET";
                first.head.map(|head| if writes { head.saturating_sub(1) } else { head })
            });
            let written = all.iter().filter_map(|sent| {
                let Outcome::Answered(reply) = &sent.outcome else { return None };
                let header = |name: &str| {
                    reply
                        .headers
                        .iter()
                        .find(|(known, _)| known.eq_ignore_ascii_case(name))
                        .map(|(_, value)| value)
                };
                let bodies = match reply.watch {
                    None => reply
                        .decoded
                        .iter()
                        .chain(&reply.body)
                        .next()
                        .map(|body| body.to_vec())
                        .into_iter()
                        .collect(),
                    Some(watch) => {
                        let watch = model.watches.iter().find(|known| known.id == watch);
                        watch.into_iter().flat_map(Watch::events).map(|event| event.text.clone()).collect()
                    }
                };
                Some(Written {
                    request: Request { encoded: None, json: None, ..sent.request.clone() },
                    status: reply.status,
                    content_type: header("Content-Type").cloned().unwrap_or_default(),
                    bodies,
                })
            });
            (written.collect(), before)
        })
    })
}

/// Writes a document. `objects` are those of its scene, in YAML, with `---` between them.
pub(crate) fn markdown(all: &[Written], revision: Option<u64>, objects: &str) -> String {
    let mut out = format!("---\ntitle: {}\nscene:\n", words::WRITTEN);
    if let Some(revision) = revision {
        let _ = writeln!(out, "  revision: {revision}");
    }
    let objects: Vec<&str> = objects.split("---\n").filter(|object| !object.trim().is_empty()).collect();
    out.push_str(if objects.is_empty() { "  objects: []\n" } else { "  objects:\n" });
    for object in objects {
        for (number, line) in object.lines().enumerate() {
            let indent = if number == 0 { "  - " } else { "    " };
            out.extend([indent, line, "\n"]);
        }
    }
    out.push_str("---\n");
    for written in all {
        out.push_str("\n```http\n");
        let Request { method, target, headers, body, .. } = &written.request;
        let _ = writeln!(out, "{method} {target}");
        for (name, value) in
            headers.iter().filter(|(name, _)| HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name)))
        {
            let _ = writeln!(out, "{name}: {value}");
        }
        if !body.is_empty() {
            out.extend(["\n", body.trim_end(), "\n"]);
        }
        let _ = writeln!(out, "---\n{} {}", written.status, status::words(written.status));
        if !written.content_type.is_empty() {
            let _ = writeln!(out, "Content-Type: {}", written.content_type);
        }
        for body in &written.bodies {
            let text = response(body);
            if !text.is_empty() {
                out.extend(["\n", &text, "\n"]);
            }
        }
        out.push_str("```\n");
    }
    out
}

/// Returns a body as a document writes it: JSON without managed fields; an ellipsis for what is long or no JSON.
fn response(body: &[u8]) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return if body.is_empty() { String::new() } else { "...".to_owned() };
    };
    for metadata in ["/metadata", "/object/metadata"] {
        if let Some(metadata) = value.pointer_mut(metadata).and_then(Value::as_object_mut) {
            metadata.shift_remove("managedFields");
        }
    }
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    if text.len() <= LONGEST {
        return text;
    }
    // Of a long list it is told what it is, and not what is in it.
    if let Some(object) = value.as_object_mut() {
        for field in ["items", "rows", "object"] {
            object.shift_remove(field);
        }
    }
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    if text.len() <= LONGEST { text } else { "...".to_owned() }
}

#[cfg(test)]
mod tests {
    use document::block::Content;
    use document::{Scene, markdown};

    use super::markdown as written_markdown;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let body = r#"{"kind":"ConfigMap","metadata":{"name":"a","managedFields":[{}]}}"#;
        let all = [
            Written {
                request: Request::json("POST", "/api/v1/namespaces/default/configmaps", "{\"a\": 1}"),
                status: 201,
                content_type: "application/json".to_owned(),
                bodies: vec![body.into()],
            },
            Written {
                request: Request::get("/api/v1/pods?watch=1"),
                status: 200,
                bodies: vec![b"{}".to_vec(); 2],
                ..Written::default()
            },
            Written {
                request: Request::get("/api/v1/pods"),
                status: 200,
                bodies: vec![vec![b'['; 9_000]],
                ..Written::default()
            },
        ];
        let objects =
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n---\napiVersion: v1\nkind: Namespace\n";
        let page = markdown::read(&written_markdown(&all, Some(77), objects), "a.md").expect("it is short");
        let scene = Scene::in_front_matter(&page.front_matter).expect("it is one").expect("there is one");
        assert_eq!((scene.revision, scene.objects.len()), (Some(77), 2));
        let told: Vec<_> = page
            .blocks
            .iter()
            .map(|block| match &block.content {
                Content::Http(exchanges) => {
                    let documented = exchanges[0].documented.clone().expect("it is written");
                    (exchanges[0].body.clone(), documented.status, documented.body.replace(['\n', ' '], ""))
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            ("{\"a\": 1}", 201, r#"{"kind":"ConfigMap","metadata":{"name":"a"}}"#),
            ("", 200, "{}{}"),
            ("", 200, "..."),
        ];
        assert_eq!(
            told,
            expected.map(|(body, status, came)| (body.to_owned(), Some(status), came.to_owned()))
        );
    }
}
