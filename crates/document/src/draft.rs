//! Drafts: documents and lessons that are written of what somebody has done in a cluster. `docs/documents.md` ("From doing to
//! document") says what is in them.

mod check;
mod fields;
mod scene;
mod title;
mod versions;
mod words;

use std::fmt::Write;

use bytes::Bytes;
use json_tree::Value;

pub use words::{CHINESE, ENGLISH, Words};

use crate::lesson;
use crate::message::{JSON, Request};

/// The headers of a request that a document writes.
const HEADERS: [&str; 4] = ["Accept", "Content-Type", "Impersonate-User", "Impersonate-Group"];
/// The most that is written of a response, in bytes.
const LONGEST: usize = 6_000;

/// The contents of a document that is to be written.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The title.
    pub title: String,
    /// A sentence on what a lesson is for; `None` for a document without steps.
    pub about: Option<String>,
    /// The revision of the cluster before the first exchange.
    pub revision: Option<u64>,
    /// The objects that were there before the first exchange, in the order in which they are to be made.
    pub objects: Vec<Object>,
    /// True to leave out the objects that the exchanges have nothing to do with.
    pub only_used: bool,
    /// The exchanges, oldest first.
    pub done: Vec<Done>,
    /// The phrases that stand around them.
    pub words: &'static Words,
}

/// An object of the scene.
#[derive(Clone, Debug)]
pub struct Object {
    /// The object.
    pub value: Value,
    /// The object as it is written.
    pub yaml: String,
}

/// A request, and what came.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The request.
    pub request: Request,
    /// The body of the request; null if there is none, or if it cannot be read.
    pub sent: Value,
    /// The response; `None` if it is not known.
    pub came: Option<Came>,
    /// The writes that the request has made, oldest first.
    pub wrote: Vec<Wrote>,
    /// True if readers of a lesson do it themselves.
    pub is_step: bool,
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct Came {
    /// The status code.
    pub status: u16,
    /// The words for it: `Created`.
    pub reason: String,
    /// The media type of the response; may be empty.
    pub content_type: String,
    /// The body as JSON; of a watch its events, one each.
    pub bodies: Vec<Bytes>,
}

/// A write, with the object before and after it.
#[derive(Clone, Debug)]
pub struct Wrote {
    /// The write.
    pub write: lesson::Write,
    /// The object before it; null if there was none, or if it is not known.
    pub before: Value,
    /// The object after it; null if there is none.
    pub after: Value,
}

impl Draft {
    /// Writes the document.
    pub fn markdown(mut self) -> String {
        versions::renumber(&mut self);
        if self.only_used {
            let used = scene::used(&self.objects, &self.done);
            let mut used = used.into_iter();
            self.objects.retain(|_| used.next().unwrap_or(true));
        }
        let mut out = self.front_matter();
        for done in &self.done {
            if self.about.is_some() && done.is_step {
                check::step(&mut out, done, self.words);
            } else {
                let _ = write!(out, "\n## {}\n", title::of_example(done, self.words));
                fenced(&mut out, "http", &exchange(done));
            }
        }
        out
    }

    fn front_matter(&self) -> String {
        // A text in JSON is one in YAML.
        let quoted = |text: &str| Value::from(text).to_string();
        let mut out = format!("---\ntitle: {}\n", quoted(&self.title));
        if let Some(about) = &self.about {
            let _ = write!(out, "lesson:\n  about: {}\n", quoted(about));
        }
        out.push_str("scene:\n");
        if let Some(revision) = self.revision {
            let _ = writeln!(out, "  revision: {revision}");
        }
        out.push_str(if self.objects.is_empty() { "  objects: []\n" } else { "  objects:\n" });
        for object in &self.objects {
            for (number, line) in object.yaml.lines().enumerate() {
                out.extend([if number == 0 { "  - " } else { "    " }, line, "\n"]);
            }
        }
        out.push_str("---\n");
        out
    }
}

/// Writes a block whose fence is longer than each in its text.
fn fenced(out: &mut String, info: &str, text: &str) {
    let (mut longest, mut run) = (2, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let _ = write!(out, "\n{fence}{info}\n{}\n{fence}\n", text.trim_end());
}

/// Returns a request as documents write it, and its response if that is known.
fn exchange(done: &Done) -> String {
    let mut out = request(&done.request);
    let Some(came) = &done.came else { return out };
    let _ = write!(out, "---\n{} {}\n", came.status, came.reason);
    if !came.content_type.is_empty() {
        let _ = writeln!(out, "Content-Type: {}", came.content_type);
    }
    for body in &came.bodies {
        let text = response(body);
        if !text.is_empty() {
            out.extend(["\n", &text, "\n"]);
        }
    }
    out
}

/// Returns a request as documents write it.
fn request(request: &Request) -> String {
    let Request { method, target, headers, body } = request;
    let mut out = format!("{method} {target}\n");
    let is_written = |(name, value): &&(String, String)| {
        let is_told = HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
        // Without it the response is the same.
        is_told && !(name.eq_ignore_ascii_case("Accept") && value.trim() == JSON)
    };
    for (name, value) in headers.iter().filter(is_written) {
        let _ = writeln!(out, "{name}: {value}");
    }
    if !body.is_empty() {
        out.extend(["\n", String::from_utf8_lossy(body).trim_end(), "\n"]);
    }
    out
}

/// Returns the body of a response as a document writes it: JSON without managed fields; an ellipsis for what is long or no JSON.
fn response(body: &[u8]) -> String {
    const DOTS: &str = "...";
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return if body.is_empty() { String::new() } else { DOTS.to_owned() };
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
    if text.len() <= LONGEST { text } else { DOTS.to_owned() }
}

#[cfg(test)]
mod tests;
