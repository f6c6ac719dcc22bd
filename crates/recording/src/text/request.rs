//! Requests in the text: who asked for what, what came of it, and what that has to do with what was before.

use std::borrow::Cow;

use apimachinery::{Attributes, Query};
use protocol::trace::{ObjectKey, RequestRecord};

use super::line::{Line, collection, label};
use super::{Text, Watch, change_of};

impl Text {
    pub(super) fn request(&mut self, request: &RequestRecord) {
        let attributes = attributes_of(request);
        let user = request.access.as_ref().map_or("", |access| access.user.as_str());
        // A read has no manager: it is its client's.
        let agent = request.user_agent.split('/').next().unwrap_or_default().trim();
        let manager = if request.manager.is_empty() { agent } else { &request.manager };
        let (name, who) = match manager {
            "" => (user, user.to_owned()),
            manager if user.is_empty() || manager == user => (manager, manager.to_owned()),
            manager => (manager, format!("{manager} ({user})")),
        };
        let key = ObjectKey {
            group: attributes.group.clone(),
            resource: attributes.resource.clone(),
            namespace: attributes.namespace.clone(),
            name: attributes.name.clone(),
        };
        let object = match attributes.is_resource {
            true => label(&key, &attributes.subresource),
            false => attributes.path.clone(),
        };
        let mut notes = Vec::new();
        notes.extend(self.watch_or_list(request, &attributes, &who));
        notes.extend(self.refusal(request, &attributes, &key, name));
        for judgement in &request.judgements {
            notes.push(format!("{} by policy {}: {}", judgement.action, judgement.policy, judgement.message));
        }
        if !request.at.is_zero() {
            self.time = request.at;
        }
        let line = Line {
            who,
            verb: attributes.verb.clone(),
            code: Some(request.code),
            note: notes.join("; "),
            object,
            revision: None,
        };
        if request.wrote.is_empty() {
            return self.line(&line);
        }
        for revision in &request.wrote {
            let mut own = Line {
                revision: Some(*revision),
                who: line.who.clone(),
                verb: line.verb.clone(),
                ..Line::default()
            };
            (own.object, own.code) = (line.object.clone(), line.code);
            let mut notes = notes.clone();
            if let Some((_, written, change)) = self.waiting.remove(revision) {
                // The answer is about the object that was asked for; other writes come along with it.
                let same = (&written.group, &written.resource) == (&key.group, &key.resource);
                let subresource = if same { attributes.subresource.as_str() } else { "" };
                own.object = label(&written, subresource);
                notes.insert(0, change_of(change).to_owned());
                self.wrote(*revision, written, name);
            }
            own.note = notes.join("; ");
            self.line(&own);
        }
    }

    /// Returns what a request has to do with the watches of its user.
    fn watch_or_list(
        &mut self,
        request: &RequestRecord,
        attributes: &Attributes,
        user: &str,
    ) -> Option<String> {
        let collection = collection(&attributes.group, &attributes.resource, &attributes.namespace);
        let of = (user.to_owned(), collection.clone());
        if let Some(id) = request.watch {
            self.broken.remove(&of);
            let known = self.watches.remove(&id).unwrap_or_default();
            self.watches.insert(id, Watch { user: user.to_owned(), collection, sent: known.sent });
            return Some(format!("watch {id} opened"));
        }
        match (attributes.verb.as_str(), request.code) {
            ("watch" | "list", 410) => {
                self.broken.insert(of, format!("410 Gone for its {}", attributes.verb));
                None
            }
            ("list", 200) => {
                let why = self.broken.remove(&of)?;
                self.summary.relists.add([user.to_owned(), of.1]);
                Some(format!("relist: {why}"))
            }
            _ => None,
        }
    }

    /// Returns why a request was refused.
    fn refusal(
        &mut self,
        request: &RequestRecord,
        of: &Attributes,
        key: &ObjectKey,
        who: &str,
    ) -> Option<String> {
        let code = request.code;
        // What a fault answers, nobody has authorized.
        let fault = request.access.is_none() && matches!(code, 0 | 409 | 429 | 500 | 503);
        if fault {
            self.summary.faults.add([code_of(code).to_owned()]);
        }
        let last = self.writers.get(key).map(|(revision, writer)| {
            let writer = if writer.is_empty() { "the server" } else { writer };
            format!("; {writer} wrote it last, at {revision}")
        });
        match code {
            409 if fault => Some("conflict made by a fault".to_owned()),
            409 if of.verb == "create" => Some("there is such an object, or it is ending".to_owned()),
            409 => {
                self.summary.conflicts.add([who.to_owned(), label(key, "")]);
                Some(format!("conflict{}", last.unwrap_or_default()))
            }
            410 => {
                self.summary.gone += 1;
                Some(code_of(code).to_owned())
            }
            0 | 401 | 403 | 422 | 429 | 500.. => {
                let made = if fault { " (a fault)" } else { "" };
                Some([code_of(code), made].concat())
            }
            _ => None,
        }
    }
}

/// Returns what a request asks for, also if it did not come to authorization.
fn attributes_of(request: &RequestRecord) -> Cow<'_, Attributes> {
    if let Some(access) = &request.access {
        return Cow::Borrowed(&access.attributes);
    }
    let (path, query) = request.uri.split_once('?').unwrap_or((&request.uri, ""));
    let method = request.method.parse().ok();
    let read = method.and_then(|method| Attributes::of(&method, path, &Query::parse(query)));
    let unknown = || Attributes {
        verb: request.method.to_ascii_lowercase(),
        path: path.to_owned(),
        ..Attributes::default()
    };
    Cow::Owned(read.unwrap_or_else(unknown))
}

fn code_of(code: u16) -> &'static str {
    match code {
        0 => "connection broken",
        401 => "not authenticated",
        403 => "forbidden",
        409 => "conflict",
        410 => "gone: the revision is compacted",
        422 => "invalid",
        429 => "too many requests",
        503 => "unavailable",
        504 => "timeout",
        _ => "internal error",
    }
}
