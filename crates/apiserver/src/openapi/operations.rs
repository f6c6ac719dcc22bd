//! The operations at a path: one for each method.

use json_tree::{Map, Value, json};

use super::parameters::{DELETE, DELETED_LIST, GET, LIST, LOG, Options, PATCH, Parameter, WRITE};
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
    /// No object.
    Text,
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
    /// A description of the operation, in words between which the subresource stands if there is one, and which the kind follows. An
    /// underscore stands for the article of the kind.
    pub(super) about: (&'static str, &'static str),
    /// The end of the description.
    pub(super) deprecated: &'static str,
    pub(super) parameters: &'static [Options],
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
    about: ("read", "the specified "),
    deprecated: "",
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
        about: ("list or watch", "objects of kind "),
        parameters: &[LIST],
        answer: Answer::List,
        ..READ
    },
    Verb {
        name: "update",
        method: "put",
        action: "put",
        id: ("replace", ""),
        about: ("replace", "the specified "),
        parameters: &[WRITE],
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
        about: ("delete collection of", ""),
        parameters: &[DELETE, DELETED_LIST],
        body: Body::Options,
        answer: Answer::Status,
        ..READ
    },
    Verb {
        name: "delete",
        method: "delete",
        action: "delete",
        id: ("delete", ""),
        about: ("delete", "_"),
        parameters: &[DELETE],
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
        about: ("partially update", "the specified "),
        parameters: &[PATCH],
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
    about: ("create", "_"),
    parameters: &[WRITE],
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
    about: ("watch individual changes to a list of", ""),
    deprecated: ". deprecated: use the 'watch' parameter with a list operation instead.",
    parameters: &[LIST],
    answer: Answer::Event,
    ..READ
};
pub(super) const WATCH: Verb = Verb {
    collection: false,
    action: "watch",
    about: ("watch changes to", "an object of kind "),
    deprecated: ". deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.",
    ..WATCH_LIST
};

/// The operation of a request that is passed on.
pub(super) const CONNECT: Verb = Verb { action: "connect", ..READ };

/// The group and the name of resources whose objects are the response to their deletion. Their strategies know it too, but are no part of
/// the code that makes documents.
pub(super) const DELETED_OBJECTS: &[(&str, &str)] = &[
    ("", "persistentvolumeclaims"),
    ("", "persistentvolumes"),
    ("", "pods"),
    ("", "podtemplates"),
    ("", "resourcequotas"),
    ("", "serviceaccounts"),
    ("", "services"),
    ("resource.k8s.io", "deviceclasses"),
    ("resource.k8s.io", "resourceclaims"),
    ("resource.k8s.io", "resourceclaimtemplates"),
    ("resource.k8s.io", "resourceslices"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "storageclasses"),
    ("storage.k8s.io", "volumeattachments"),
    ("storage.k8s.io", "volumeattributesclasses"),
];

impl Verb {
    /// Returns the codes of the responses that there may be.
    pub(super) fn responses(&self, custom: bool) -> &'static [&'static str] {
        // kube-apiserver does not say of custom resources that applying may create them.
        if custom && self.name == "patch" { &["200"] } else { self.codes }
    }

    /// Returns the options that the query may have.
    pub(super) fn options(&self, sub: &str, custom: bool) -> &'static [Options] {
        match (custom, self.name) {
            (true, "get") => &[GET],
            (true, "deletecollection") => &[LIST],
            _ if sub == "log" => &[LOG],
            _ => self.parameters,
        }
    }

    /// Returns the description of the operation on a kind, or on a subresource of it.
    ///
    /// `create a Pod`, `read log of the specified Pod`
    pub(super) fn describe(&self, kind: &str, sub: &str, is_watched: bool) -> String {
        let (verb, object) = self.about;
        let verb = if self.name == "list" && !is_watched { "list" } else { verb };
        let object = if object == "_" { article(kind) } else { object };
        let sub = if sub.is_empty() { String::new() } else { [" ", sub, " of"].concat() };
        [verb, &sub, " ", object, kind, self.deprecated].concat()
    }
}

/// Returns the article of a kind, with a space behind it. A plural has none.
fn article(kind: &str) -> &'static str {
    if kind.ends_with('s') && !kind.ends_with("ss") {
        return "";
    }
    let is_vowel = kind.starts_with(|letter| "AEIOUaeiou".contains(letter));
    if is_vowel { "an " } else { "a " }
}

const TEXTS: &[(&str, &str)] =
    &[("200", "OK"), ("201", "Created"), ("202", "Accepted"), ("401", "Unauthorized")];

const PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
];

/// The patches of custom resources.
const CUSTOM_PATCHES: &[&str] =
    &["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

/// The media types of objects.
pub(super) const FORMATS: &[&str] =
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
    /// The media types of its body, and of its answer.
    pub(super) consumes: Vec<&'static str>,
    pub(super) produces: Vec<&'static str>,
    /// The responses that there may be.
    pub(super) codes: &'static [&'static str],
}

/// Returns the media types of the bodies of requests and responses of a verb.
pub(super) fn formats(verb: &Verb, sub: &str, custom: bool) -> (Vec<&'static str>, Vec<&'static str>) {
    let consumes = match (custom, verb.body) {
        (false, Body::Patch) => PATCHES.to_vec(),
        (true, Body::Patch) => CUSTOM_PATCHES.to_vec(),
        (false, _) => vec!["*/*"],
        (true, _) => FORMATS[..2].to_vec(),
    };
    let produces = match verb.answer {
        _ if custom => FORMATS[..2].to_vec(),
        Answer::List | Answer::Event => [FORMATS, STREAMS].concat(),
        _ if sub == "log" => [&["text/plain"], FORMATS].concat(),
        _ => FORMATS.to_vec(),
    };
    (consumes, produces)
}

impl Operation<'_> {
    /// The operation with the parameters that its path does not tell.
    pub(super) fn shown(&self, schemas: &Schemas<'_>, own: &[&Parameter]) -> Value {
        let edition = schemas.edition;
        let spoken = |types: &[&'static str]| -> Vec<&'static str> {
            types.iter().copied().filter(|name| schemas.cbor || !name.contains("cbor")).collect()
        };
        let (consumes, produces) = (spoken(&self.consumes), spoken(&self.produces));
        let mut out = Map::new();
        let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
        let mut list: Vec<Value> = own.iter().map(|parameter| parameter.shown(edition)).collect();
        let required = matches!(self.verb.body, Body::Own | Body::Patch);
        let has_body = !self.body.is_null();
        if edition == Edition::V3 {
            set("tags", json!([self.tag]));
        }
        set("description", self.about.as_str().into());
        if edition == Edition::V2 {
            if !consumes.is_empty() {
                set("consumes", json!(consumes));
            }
            set("produces", json!(produces));
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
            let mut body = json!({ "content": (content(&consumes, &self.body)) });
            if required {
                body["required"] = true.into();
            }
            set("requestBody", body);
        }
        let mut responses = Map::new();
        for code in self.codes.iter().chain(&["401"]) {
            let text = TEXTS.iter().find(|(known, _)| known == code).map_or("", |(_, text)| text);
            let mut response = json!({ "description": text });
            match edition {
                _ if *code == "401" => {}
                Edition::V2 => response["schema"] = self.answer.clone(),
                Edition::V3 => response["content"] = content(&produces, &self.answer),
            }
            responses.insert((*code).to_owned(), response);
        }
        set("responses", responses.into());
        if let Some(kind) = &self.kind {
            set("x-kubernetes-action", self.verb.action.into());
            // kube-aggregator has v2 documents of other servers as JSON, and its own one as structs.
            let as_struct = edition == Edition::V3 || kind.group == "apiregistration.k8s.io";
            set(KIND, if as_struct { kind.shown_as_struct() } else { kind.shown() });
        }
        out.into()
    }
}

/// Returns a schema under each media type, in the order of their names.
fn content(types: &[&'static str], schema: &Value) -> Value {
    let mut types = types.to_vec();
    schema::sort(&mut types);
    let types = types.iter().map(|name| ((*name).to_owned(), json!({ "schema": schema })));
    Value::Object(types.collect())
}
