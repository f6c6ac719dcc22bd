//! The paths of a resource, and those that lead to it.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use json_tree::{Map, Value, json};
use schema::Types;

use super::Kind;
use super::custom::{self, Row};
use super::operations::{
    Answer, Body, CONNECT, DELETED_OBJECTS, Operation, VERBS, Verb, WATCH, WATCH_LIST, formats,
};
use super::parameters::{Parameter, connected};
use super::schemas::Schemas;

/// The paths of a document.
pub(super) struct Paths<'s, 'a> {
    pub(super) schemas: &'s mut Schemas<'a>,
    done: Vec<(String, Value)>,
}

/// A method, the parameters of its query, and what it does.
type Done<'a> = (&'static str, Vec<Parameter>, Operation<'a>);

/// A path whose response is a document of its own.
pub(super) struct Document<'a> {
    pub(super) id: String,
    pub(super) tag: String,
    pub(super) about: &'a str,
    /// The schema of the response.
    pub(super) answer: Value,
    /// The media types of requests and responses.
    pub(super) consumes: &'a [&'static str],
    pub(super) produces: &'a [&'static str],
}

/// A path of a resource.
struct Place<'a> {
    row: &'a Row<'a>,
    /// `/apis/apps/v1`
    root: String,
    /// The part that every operation's name has: group and version.
    title: String,
    tag: String,
    own: Kind<'a>,
}

impl<'s, 'a> Paths<'s, 'a> {
    pub(super) fn new(schemas: &'s mut Schemas<'a>) -> Self {
        Self { schemas, done: Vec::new() }
    }

    /// All of them, in the order of their names.
    pub(super) fn finish(mut self) -> Value {
        schema::sort_by(&mut self.done, |a, b| a.0.cmp(&b.0));
        Value::Object(self.done.into_iter().collect())
    }

    /// Adds a path whose response is a document of its own.
    pub(super) fn document(&mut self, path: &str, document: Document<'_>) {
        let Document { id, tag, about, answer, consumes, produces } = document;
        let operation = Operation {
            verb: VERBS[0],
            id,
            tag,
            about: about.to_owned(),
            kind: None,
            body: Value::Null,
            answer,
            consumes: consumes.to_vec(),
            produces: produces.to_vec(),
            codes: &["200"],
        };
        self.add(path.to_owned(), Vec::new(), &[("get", Vec::new(), operation)]);
    }

    /// The paths of a resource and of its subresources.
    pub(super) fn resource(&mut self, row: &Row<'_>) {
        let resource = row.resource;
        let own = Kind { group: &resource.group, version: &resource.version, name: &resource.kind };
        let root = root(&resource.group, &resource.version);
        let place = Place {
            row,
            root,
            title: title(&resource.group, &resource.version),
            tag: tag(&resource.group, &resource.version),
            own,
        };
        let verbs = |collection: bool, verbs: &[String]| -> Vec<Verb> {
            let own = VERBS.iter().filter(|verb| verb.collection == collection);
            own.filter(|verb| verbs.iter().any(|own| own == verb.name)).copied().collect()
        };
        let item = self.kind(row, None);
        let namespaced = resource.namespaced;
        let at = |suffix: &str, namespace: bool, watch: bool| {
            let watch = if watch { "/watch" } else { "" };
            let namespace = if namespace { "/namespaces/{namespace}" } else { "" };
            [&place.root, watch, namespace, "/", &resource.name, suffix].concat()
        };
        // What can only be created has no objects.
        let all: Vec<Verb> = verbs(true, &resource.verbs);
        self.place(&place, &at("", namespaced, false), &all, "", &item, "");
        let one: Vec<Verb> =
            verbs(false, &resource.verbs).into_iter().filter(|verb| verb.name != "create").collect();
        self.place(&place, &at("/{name}", namespaced, false), &one, "", &item, "");
        if namespaced {
            let list: Vec<Verb> = all.iter().filter(|verb| verb.name == "list").copied().collect();
            self.place(&place, &at("", false, false), &list, "", &item, "ForAllNamespaces");
        }
        if resource.allows("watch") && row.custom.is_none() {
            self.place(&place, &at("", namespaced, true), &[WATCH_LIST], "", &item, "List");
            self.place(&place, &at("/{name}", namespaced, true), &[WATCH], "", &item, "");
            if namespaced {
                self.place(&place, &at("", false, true), &[WATCH_LIST], "", &item, "ListForAllNamespaces");
            }
        }
        for sub in &resource.subresources {
            let kind = Kind { group: &sub.group, version: &sub.version, name: &sub.kind };
            // The documents of custom resources say of a scale that it is the resource.
            let shown = if row.custom.is_some() { own } else { kind };
            let suffix = ["/{name}/", &sub.name].concat();
            let place = Place {
                row,
                root: place.root.clone(),
                title: place.title.clone(),
                tag: place.tag.clone(),
                own: shown,
            };
            if sub.kind.ends_with("Options") {
                self.connect(&place, &at(&suffix, namespaced, false), &sub.name, &sub.verbs);
                if sub.name == "proxy" {
                    self.connect(
                        &place,
                        &at(&[&suffix, "/{path}"].concat(), namespaced, false),
                        "proxyWithPath",
                        &sub.verbs,
                    );
                }
                continue;
            }
            let item = self.kind(row, Some(kind));
            self.place(
                &place,
                &at(&suffix, namespaced, false),
                &verbs(false, &sub.verbs),
                &sub.name,
                &item,
                "",
            );
        }
    }

    /// The reference to the schema of a resource's kind, or of a subresource's.
    fn kind(&mut self, row: &Row<'_>, sub: Option<Kind<'_>>) -> Value {
        let resource = row.resource;
        let types = Types::builtin();
        let other = sub.filter(|sub| sub.name != resource.kind);
        if let Some(sub) = other {
            let known =
                resource.subresources.iter().find(|row| row.kind == sub.name).and_then(|row| row.ty());
            let ty = known.or_else(|| types.find(SCALE, sub.name));
            return ty.map_or_else(|| json!({ "type": "object" }), |ty| self.schemas.refer(ty));
        }
        match (resource.ty(), row.custom) {
            (Some(ty), _) => self.schemas.refer(ty),
            (None, Some(custom)) => custom::add(self.schemas, custom),
            (None, None) => json!({ "type": "object" }),
        }
    }

    /// Adds a path with what can be done there. `end` is what the operations' names end with.
    fn place(&mut self, place: &Place<'_>, path: &str, verbs: &[Verb], sub: &str, item: &Value, end: &str) {
        let resource = place.row.resource;
        let custom = place.row.custom.is_some();
        // Custom resources can be watched, but their documents do not say so.
        let is_watched = resource.allows("watch") && !custom;
        let mut operations = Vec::new();
        for verb in verbs {
            let verb = &if sub == "log" { Verb { answer: Answer::Text, ..*verb } } else { *verb };
            let shows_deleted =
                verb.name == "delete" && DELETED_OBJECTS.contains(&(&resource.group, &resource.name));
            let namespaced = if path.contains("{namespace}") { "Namespaced" } else { "" };
            let (start, behind) = verb.id;
            let names = [behind, namespaced, &resource.kind, &capital(sub), end].concat();
            let id = [start, &place.title, &valid(&names, true)].concat();
            let body = match verb.body {
                Body::None => Value::Null,
                Body::Own => item.clone(),
                Body::Options if custom && verb.collection => Value::Null,
                Body::Options => self.schemas.refer_to_meta("DeleteOptions"),
                Body::Patch => self.schemas.refer_to_meta("Patch"),
            };
            let answer = match verb.answer {
                Answer::Own => item.clone(),
                Answer::Text => json!({ "type": "string" }),
                Answer::Status if shows_deleted => item.clone(),
                Answer::Status => self.schemas.refer_to_meta("Status"),
                Answer::Event => self.schemas.refer_to_meta("WatchEvent"),
                Answer::List => match (resource.ty(), place.row.custom) {
                    (Some(ty), _) => self.schemas.refer_to_list(ty, &place.own),
                    (None, Some(custom)) => custom::add_list(self.schemas, custom, item.clone()),
                    (None, None) => json!({ "type": "object" }),
                },
            };
            let mut own = vec![Parameter::pretty()];
            own.extend(verb.options(sub, custom).iter().flat_map(Parameter::of));
            own.sort_by_key(|parameter| parameter.name);
            let (consumes, produces) = formats(verb, sub, custom);
            operations.push((
                verb.method,
                own,
                Operation {
                    verb: *verb,
                    id,
                    tag: place.tag.clone(),
                    about: verb.describe(&resource.kind, sub, is_watched),
                    kind: Some(place.own),
                    body,
                    answer,
                    consumes,
                    produces,
                    codes: verb.responses(custom),
                },
            ));
        }
        self.add(path.to_owned(), Parameter::of_path(path, place.own.name), &operations);
    }

    /// Adds a path whose requests are passed on.
    fn connect(&mut self, place: &Place<'_>, path: &str, sub: &str, verbs: &[String]) {
        let of = sub.strip_suffix("WithPath").unwrap_or(sub);
        let resource = place.row.resource;
        let mut operations = Vec::new();
        for method in ["get", "put", "post", "delete", "options", "head", "patch"] {
            let verb = match method {
                "post" => "create",
                "put" => "update",
                // A proxy takes whatever there is.
                "options" | "head" => "delete",
                method => method,
            };
            if !verbs.iter().any(|own| own == verb) {
                continue;
            }
            let namespaced = if path.contains("{namespace}") { "Namespaced" } else { "" };
            let names = [&capital(method), namespaced, &resource.kind, &capital(sub)].concat();
            let id = ["connect", &place.title, &valid(&names, true)].concat();
            let method_name = method.to_ascii_uppercase();
            let of = ["connect ", &method_name, " requests to ", of, " of ", &resource.kind];
            let operation = Operation {
                verb: CONNECT,
                id,
                tag: place.tag.clone(),
                about: of.concat(),
                kind: Some(place.own),
                body: Value::Null,
                answer: json!({ "type": "string" }),
                consumes: vec!["*/*"],
                produces: vec!["*/*"],
                codes: &["200"],
            };
            let own = connected(place.own.name).into_iter().flat_map(Parameter::of).collect();
            operations.push((method, own, operation));
        }
        self.add(path.to_owned(), Parameter::of_path(path, place.own.name), &operations);
    }

    /// Adds a path. Parameters that all of its operations have stand there once.
    fn add(&mut self, path: String, in_path: Vec<Parameter>, operations: &[Done<'_>]) {
        let Some((_, first, _)) = operations.first() else { return };
        let has = |own: &[Parameter], parameter: &Parameter| own.iter().any(|own| own.is_like(parameter));
        let everywhere = |parameter: &&Parameter| operations.iter().all(|(_, own, _)| has(own, parameter));
        let mut common: Vec<Parameter> = first.iter().filter(everywhere).cloned().collect();
        let edition = self.schemas.edition;
        let mut out = Map::new();
        for (method, own, operation) in operations {
            let own: Vec<&Parameter> = own.iter().filter(|parameter| !has(&common, parameter)).collect();
            out.insert((*method).to_owned(), operation.shown(self.schemas, &own));
        }
        common.extend(in_path);
        common.sort_by(|a, b| a.name.cmp(b.name).then_with(|| b.in_path.cmp(&a.in_path)));
        if !common.is_empty() {
            let shown = common.iter().map(|parameter| parameter.shown(edition));
            out.insert("parameters".to_owned(), shown.collect());
        }
        self.done.push((path, out.into()));
    }
}

const SCALE: &str = "k8s.io/api/autoscaling/v1";

/// The path of a group's version.
pub(crate) fn root(group: &str, version: &str) -> String {
    if group.is_empty() { ["/api/", version].concat() } else { ["/apis/", group, "/", version].concat() }
}

/// Returns a text without what names of operations cannot have, behind which a capital letter follows.
fn valid(text: &str, capital: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut capital = capital;
    for (at, letter) in text.char_indices() {
        if !(letter.is_alphabetic() || letter == '_' || (at != 0 && letter.is_numeric())) {
            capital = true;
        } else if std::mem::take(&mut capital) {
            out.extend(letter.to_uppercase());
        } else {
            out.push(letter);
        }
    }
    out
}

/// The part of a group's name that the names of operations have.
fn short(group: &str) -> &str {
    if group.is_empty() { "core" } else { group.strip_suffix(".k8s.io").unwrap_or(group) }
}

/// The name of a group in the names of operations: `RbacAuthorization`.
pub(super) fn group_title(group: &str) -> String {
    valid(short(group), true)
}

/// The name of a version in the names of operations: `RbacAuthorizationV1`.
pub(super) fn title(group: &str, version: &str) -> String {
    [group_title(group), valid(version, true)].concat()
}

/// The tag of a group: `rbacAuthorization`.
pub(super) fn group_tag(group: &str) -> String {
    valid(short(group), false)
}

/// The tag of a version: `rbacAuthorization_v1`.
pub(super) fn tag(group: &str, version: &str) -> String {
    [&group_tag(group), "_", &valid(version, false)].concat()
}

/// A word with a capital letter at its beginning.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
