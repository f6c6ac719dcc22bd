//! Two clients, Alice and Bob, who change one ConfigMap at the same time: each reads it, changes what it has read, and
//! writes that. What comes of it depends on how they write.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#updates-to-existing-resources>

#[cfg(test)]
mod tests;

use json_tree::{Value, json};

use crate::cluster::Request;

/// The name of the ConfigMap.
pub(crate) const NAME: &str = "race";
/// The clients, who are also the field managers.
pub(crate) const CLIENTS: [&str; 2] = ["alice", "bob"];

/// How they write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// PUT with the version that was read: whoever is late gets a conflict.
    #[default]
    Update,
    /// PUT without a version: whoever is late wins.
    Overwrite,
    /// PATCH of what was changed, which for each is a key of their own.
    Patch,
    /// Apply of what they want, which for both is the same key.
    Apply,
}

impl Mode {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Update, Self::Overwrite, Self::Patch, Self::Apply];

    /// The key that a client changes.
    fn key(self, who: usize) -> &'static str {
        if self == Self::Patch { CLIENTS[who] } else { "counter" }
    }

    /// Reports whether what is written depends on what was read.
    fn reads(self) -> bool {
        matches!(self, Self::Update | Self::Overwrite)
    }
}

/// A step that a client can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Read,
    Change,
    Write,
    /// Apply, and take what belongs to somebody else.
    Force,
}

/// A copy of the object that a client has read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Copy {
    /// The resource version of the object.
    pub(crate) version: String,
    /// The data of the object.
    pub(crate) data: Vec<(String, String)>,
}

impl Copy {
    /// Reads the object.
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let data = object.get("data").and_then(Value::as_object).into_iter().flatten();
        Some(Self {
            version: object.pointer("/metadata/resourceVersion")?.as_str()?.to_owned(),
            data: data.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect(),
        })
    }

    /// A value in it, as a number.
    pub(crate) fn number(&self, key: &str) -> u32 {
        let value = self.data.iter().find(|(known, _)| known == key);
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()
    }
}

/// The response that a client got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// The step that the request was for.
    pub(crate) step: Step,
    /// The status code.
    pub(crate) code: u16,
    /// The server's message about a failure.
    pub(crate) message: String,
    /// The version of the object in the answer; empty in a failure.
    pub(crate) version: String,
}

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Client {
    /// The object that it has read.
    pub(crate) copy: Option<Copy>,
    /// The new value of the key that it changes.
    pub(crate) changed: Option<u32>,
    /// The last response that it got.
    pub(crate) told: Option<Told>,
    /// True while it waits for a response.
    pub(crate) waits: bool,
    /// How many of its writes have been taken.
    pub(crate) taken: u32,
}

/// The outcome of the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This client was late, and was told so.
    Conflict(usize),
    /// The value that this client had written has been overwritten, and nobody was told.
    Lost(usize),
    /// This client owns the field, and the other one was refused: only force would take it.
    Owned(usize),
    /// This client has taken the other one's field.
    Taken(usize),
    /// The changes that both have written are there.
    Both,
}

/// The race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Race {
    /// How they write.
    pub(crate) mode: Mode,
    /// The namespace of the ConfigMap; empty until the race has begun.
    pub(crate) namespace: String,
    /// Alice and Bob.
    pub(crate) clients: [Client; 2],
    /// The outcome of the last write; `None` until both clients have written, or tried to.
    pub(crate) outcome: Option<Outcome>,
    /// The last write that was taken: who made it, and the version that came of it.
    pub(crate) last: Option<(usize, String)>,
}

impl Race {
    /// A race that is about to begin.
    pub(crate) fn new(mode: Mode, namespace: &str) -> Self {
        Self { mode, namespace: namespace.to_owned(), ..Self::default() }
    }

    /// The requests that make the ConfigMap what it is at the start. The first may fail: there may be none.
    pub(crate) fn start(&self) -> [Request; 2] {
        let delete = Request { method: "DELETE".to_owned(), ..Request::get(&self.path()) };
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": NAME}, "data": {"counter": "0"},
        });
        let mut body = body;
        if !self.mode.reads() {
            // Nobody owns what they are going to write.
            body["data"] = json!({});
        }
        [delete, Request::json("POST", &self.collection(), &body.to_string())]
    }

    fn collection(&self) -> String {
        ["/api/v1/namespaces/", &self.namespace, "/configmaps"].concat()
    }

    /// The path of the ConfigMap.
    pub(crate) fn path(&self) -> String {
        [&self.collection(), "/", NAME].concat()
    }

    /// Reports whether a client can take this step now.
    pub(crate) fn can(&self, who: usize, step: Step) -> bool {
        let client = &self.clients[who];
        if self.namespace.is_empty() || client.waits {
            return false;
        }
        match step {
            Step::Read => true,
            Step::Change => client.copy.is_some() && client.changed.is_none(),
            Step::Write => client.changed.is_some() && !client.refused(),
            Step::Force => self.mode == Mode::Apply && client.refused(),
        }
    }

    /// Changes what a client has read, in its own copy.
    pub(crate) fn change(&mut self, who: usize) {
        let key = self.mode.key(who);
        let mode = self.mode;
        let client = &mut self.clients[who];
        if let Some(copy) = &client.copy {
            // To apply is to say what one wants, whatever there is.
            let wanted = if mode == Mode::Apply { 10 * (who as u32 + 1) } else { copy.number(key) + 1 };
            client.changed = Some(wanted);
            client.told = None;
        }
    }

    /// The request of a step; `None` where there is none to send.
    pub(crate) fn request(&self, who: usize, step: Step) -> Option<Request> {
        let path = self.path();
        if step == Step::Read {
            return Some(Request::get(&path));
        }
        let client = &self.clients[who];
        let (copy, changed) = (client.copy.as_ref()?, client.changed?);
        let key = self.mode.key(who);
        let target = [&path, "?fieldManager=", CLIENTS[who]].concat();
        let mut data = json_tree::Map::new();
        if self.mode.reads() {
            data.extend(copy.data.iter().map(|(key, value)| (key.clone(), json!(value))));
        }
        data.insert(key.to_owned(), json!(changed.to_string()));
        let mut body =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": data});
        Some(match self.mode {
            Mode::Update => {
                body["metadata"]["resourceVersion"] = json!(copy.version);
                Request::json("PUT", &target, &body.to_string())
            }
            Mode::Overwrite => Request::json("PUT", &target, &body.to_string()),
            Mode::Patch => patch(&target, "application/merge-patch+json", &json!({"data": data})),
            Mode::Apply => {
                let force = if step == Step::Force { "&force=true" } else { "" };
                patch(&[&target, force].concat(), "application/apply-patch+yaml", &body)
            }
        })
    }

    /// Takes the answer to a step.
    pub(crate) fn answered(&mut self, who: usize, step: Step, code: u16, body: &Value) {
        let other = 1 - who;
        let object = Copy::of(body).filter(|_| code < 300);
        let client = &mut self.clients[who];
        let base = client.copy.as_ref().map(|copy| copy.version.clone());
        client.waits = false;
        client.told = Some(Told {
            step,
            code,
            message: body.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            version: object.as_ref().map(|object| object.version.clone()).unwrap_or_default(),
        });
        match (step, object) {
            (_, None) if step != Step::Read && code == 409 => {
                let owned = self.mode == Mode::Apply;
                self.outcome = Some(if owned { Outcome::Owned(other) } else { Outcome::Conflict(who) });
            }
            (_, None) => {}
            (Step::Read, Some(object)) => {
                client.copy = Some(object);
                client.changed = None;
            }
            (_, Some(object)) => {
                client.taken += 1;
                client.changed = None;
                let late =
                    self.last.take().filter(|(by, version)| *by == other && Some(version) != base.as_ref());
                let both = self.clients[other].taken > 0;
                self.outcome = match (step, self.mode) {
                    (Step::Force, _) => Some(Outcome::Taken(who)),
                    (_, Mode::Overwrite) if late.is_some() => Some(Outcome::Lost(other)),
                    _ => both.then_some(Outcome::Both),
                };
                self.last = Some((who, object.version.clone()));
                self.clients[who].copy = Some(object);
            }
        }
    }

    /// Returns the steps of the race when it plays by itself.
    pub(crate) fn script(mode: Mode) -> Vec<(usize, Step)> {
        let mut steps = vec![(0, Step::Read), (1, Step::Read), (0, Step::Change), (1, Step::Change)];
        steps.extend([(0, Step::Write), (1, Step::Write)]);
        match mode {
            Mode::Update => steps.extend([(1, Step::Read), (1, Step::Change), (1, Step::Write)]),
            Mode::Apply => steps.push((1, Step::Force)),
            Mode::Overwrite | Mode::Patch => {}
        }
        steps
    }
}

impl Client {
    /// Reports whether its last write was refused for a conflict.
    pub(crate) fn refused(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.step != Step::Read && told.code == 409)
    }
}

fn patch(target: &str, media: &str, body: &Value) -> Request {
    let mut request = Request { method: "PATCH".to_owned(), body: body.to_string(), ..Request::get(target) };
    request.headers.push(("Content-Type".to_owned(), media.to_owned()));
    request
}
