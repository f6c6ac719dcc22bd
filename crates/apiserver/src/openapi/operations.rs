//! The operations at a path: one for each method.

use json_tree::{Map, Value, json};

use super::parameters::{self, DELETE, DELETE_COLLECTION, LIST, PATCH, WRITE};
use super::schemas::{KIND, Schemas};
use super::{Edition, Kind};

/// The body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    None,
    /// An object of the kind.
    Own,
    /// `DeleteOptions`, if there is any.
    Options,
    Patch,
}

/// The body of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Own,
    List,
    Status,
    Event,
}

/// How a verb is an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verb {
    /// The verb of the resource.
    pub(super) name: &'static str,
    /// True if it is done to a collection.
    pub(super) collection: bool,
    pub(super) method: &'static str,
    /// The value of `x-kubernetes-action`.
    pub(super) action: &'static str,
    /// The beginning of the operation's name, and the part of it behind group and version.
    pub(super) id: (&'static str, &'static str),
    /// A description of the operation, in words that the kind follows.
    pub(super) about: &'static str,
    pub(super) parameters: &'static [&'static str],
    pub(super) body: Body,
    pub(super) answer: Answer,
    pub(super) codes: &'static [&'static str],
}

/// The operation of a verb that is not listed; the rows of other verbs take their remaining fields from it.
const READ: Verb = Verb {
    name: "get",
    collection: false,
    method: "get",
    action: "get",
    id: ("read", ""),
    about: "read the specified ",
    parameters: &[],
    body: Body::None,
    answer: Answer::Own,
    codes: &["200"],
};

/// Every verb.
pub(super) const VERBS: &[Verb] = &[
    READ,
    Verb {
        name: "list",
        collection: true,
        action: "list",
        id: ("list", ""),
        about: "list or watch objects of kind ",
        parameters: LIST,
        answer: Answer::List,
        ..READ
    },
    Verb {
        name: "update",
        method: "put",
        action: "put",
        id: ("replace", ""),
        about: "replace the specified ",
        parameters: WRITE,
        body: Body::Own,
        codes: &["200", "201"],
        ..READ
    },
    CREATE,
    Verb { collection: true, ..CREATE },
    Verb {
        name: "deletecollection",
        collection: true,
        method: "delete",
        action: "deletecollection",
        id: ("delete", "Collection"),
        about: "delete collection of ",
        parameters: DELETE_COLLECTION,
        body: Body::Options,
        answer: Answer::Status,
        ..READ
    },
    Verb {
        name: "delete",
        method: "delete",
        action: "delete",
        id: ("delete", ""),
        about: "delete the specified ",
        parameters: DELETE,
        body: Body::Options,
        answer: Answer::Status,
        codes: &["200", "202"],
        ..READ
    },
    Verb {
        name: "patch",
        method: "patch",
        action: "patch",
        id: ("patch", ""),
        about: "partially update the specified ",
        parameters: PATCH,
        body: Body::Patch,
        codes: &["200", "201"],
        ..READ
    },
];

const CREATE: Verb = Verb {
    name: "create",
    method: "post",
    action: "post",
    id: ("create", ""),
    about: "create an object of kind ",
    parameters: WRITE,
    body: Body::Own,
    codes: &["200", "201", "202"],
    ..READ
};

/// The deprecated watches of a collection and of an object.
pub(super) const WATCH_LIST: Verb = Verb {
    name: "watch",
    collection: true,
    action: "watchlist",
    id: ("watch", ""),
    about: "watch individual changes to a list of ",
    parameters: LIST,
    answer: Answer::Event,
    ..READ
};
pub(super) const WATCH: Verb =
    Verb { collection: false, action: "watch", about: "watch changes to an object of kind ", ..WATCH_LIST };

/// The operation of a request that is passed on.
pub(super) const CONNECT: Verb = Verb { action: "connect", about: "connect requests to ", ..READ };

const TEXTS: &[(&str, &str)] =
    &[("200", "OK"), ("201", "Created"), ("202", "Accepted"), ("401", "Unauthorized")];

const PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
    "application/strategic-merge-patch+json",
];

const FORMATS: &[&str] =
    &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "application/cbor"];

const STREAMS: &[&str] = &[
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "application/cbor-seq",
];

/// An operation that is being put together.
pub(super) struct Operation<'a> {
    pub(super) verb: Verb,
    pub(super) id: String,
    pub(super) tag: String,
    /// A description of the operation.
    pub(super) about: String,
    /// The kind that it is done to; none for what is passed on as text.
    pub(super) kind: Option<Kind<'a>>,
    /// The schemas of its body and of its answer.
    pub(super) body: Value,
    pub(super) answer: Value,
    /// True if it is a custom resource's: those are written in JSON and YAML alone.
    pub(super) custom: bool,
}

impl Operation<'_> {
    /// The operation with the parameters that its path does not tell.
    pub(super) fn shown(&self, schemas: &Schemas<'_>, own: &[&str]) -> Value {
        let edition = schemas.edition;
        let mut out = Map::new();
        let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
        let mut list: Vec<Value> =
            own.iter().map(|name| parameters::parameter(edition, name, false)).collect();
        let required = matches!(self.verb.body, Body::Own | Body::Patch);
        let has_body = self.verb.body != Body::None;
        if edition == Edition::V3 {
            set("tags", json!([self.tag]));
        }
        set("description", self.about.as_str().into());
        if edition == Edition::V2 {
            set("consumes", json!(if self.verb.body == Body::Patch { self.patches() } else { &["*/*"] }));
            set("produces", self.formats().into());
            set("schemes", json!(["https"]));
            set("tags", json!([self.tag]));
            if has_body {
                let mut body = json!({ "name": "body", "in": "body" });
                if required {
                    body["required"] = true.into();
                }
                body["schema"] = self.body.clone();
                list.insert(0, body);
            }
        }
        set("operationId", self.id.as_str().into());
        if !list.is_empty() {
            set("parameters", list.into());
        }
        if edition == Edition::V3 && has_body {
            let types = if self.verb.body == Body::Patch { self.patches() } else { &["*/*"] };
            let mut body = json!({ "content": (content(types, &self.body)) });
            if required {
                body["required"] = true.into();
            }
            set("requestBody", body);
        }
        let mut responses = Map::new();
        for code in self.verb.codes.iter().chain(&["401"]) {
            let text = TEXTS.iter().find(|(known, _)| known == code).map_or("", |(_, text)| text);
            let mut response = json!({ "description": text });
            match edition {
                _ if *code == "401" => {}
                Edition::V2 => response["schema"] = self.answer.clone(),
                Edition::V3 => response["content"] = content(&self.formats(), &self.answer),
            }
            responses.insert((*code).to_owned(), response);
        }
        set("responses", responses.into());
        if let Some(kind) = &self.kind {
            set("x-kubernetes-action", self.verb.action.into());
            set(KIND, kind.shown());
        }
        out.into()
    }

    fn patches(&self) -> &'static [&'static str] {
        if self.custom { &PATCHES[..3] } else { PATCHES }
    }

    fn formats(&self) -> Vec<&'static str> {
        match (self.custom, self.verb.action, self.verb.answer) {
            (_, "connect", _) => vec!["*/*"],
            (true, ..) => FORMATS[..2].to_vec(),
            (_, _, Answer::List | Answer::Event) => [FORMATS, STREAMS].concat(),
            _ if self.kind.is_none() => FORMATS[..3].to_vec(),
            _ => FORMATS.to_vec(),
        }
    }
}

fn content(types: &[&str], schema: &Value) -> Value {
    let types = types.iter().map(|name| ((*name).to_owned(), json!({ "schema": schema })));
    Value::Object(types.collect())
}
