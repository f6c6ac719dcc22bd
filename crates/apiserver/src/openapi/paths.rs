//! The paths of a resource, and those that lead to it.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use std::iter;

use json_tree::{Map, Value, json};
use schema::Types;

use super::custom::{self, Row};
use super::operations::{Answer, Body, CONNECT, Operation, VERBS, Verb, WATCH, WATCH_LIST};
use super::schemas::Schemas;
use super::{Edition, Kind, parameters};

/// The paths of a document.
pub(super) struct Paths<'s, 'a> {
    pub(super) schemas: &'s mut Schemas<'a>,
    done: Vec<(String, Value)>,
}

/// A method, the parameters of its query, and what it does.
type Done<'a> = (&'static str, Vec<&'static str>, Operation<'a>);

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

    /// A path that answers a document by itself.
    pub(super) fn document(&mut self, path: &str, id: String, tag: String, about: &str, answer: Value) {
        let operation = Operation {
            verb: VERBS[0],
            id,
            tag,
            about: about.to_owned(),
            kind: None,
            body: Value::Null,
            answer,
            custom: false,
        };
        self.add(path.to_owned(), &[], &[("get", Vec::new(), operation)]);
    }

    /// The paths of a resource and of its subresources.
    pub(super) fn resource(&mut self, row: &Row<'_>) {
        let resource = row.resource;
        let own = Kind { group: &resource.group, version: &resource.version, name: &resource.kind };
        let root = root(&resource.group, &resource.version);
        let place = Place { row, root, title: title(own), tag: tag(&resource.group, &resource.version), own };
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
        if resource.allows("watch") && row.schema.is_none() {
            self.place(&place, &at("", namespaced, true), &[WATCH_LIST], "", &item, "List");
            self.place(&place, &at("/{name}", namespaced, true), &[WATCH], "", &item, "");
            if namespaced {
                self.place(&place, &at("", false, true), &[WATCH_LIST], "", &item, "ListForAllNamespaces");
            }
        }
        for sub in &resource.subresources {
            let kind = Kind { group: &sub.group, version: &sub.version, name: &sub.kind };
            let suffix = ["/{name}/", &sub.name].concat();
            let place = Place {
                row,
                root: place.root.clone(),
                title: place.title.clone(),
                tag: place.tag.clone(),
                own: kind,
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
        match (resource.ty(), row.schema) {
            (Some(ty), _) => self.schemas.refer(ty),
            (None, schema) => custom::add(self.schemas, resource, schema),
        }
    }

    /// Adds a path with what can be done there. `end` is what the operations' names end with.
    fn place(&mut self, place: &Place<'_>, path: &str, verbs: &[Verb], sub: &str, item: &Value, end: &str) {
        let resource = place.row.resource;
        let mut operations = Vec::new();
        for verb in verbs {
            let namespaced = if path.contains("{namespace}") { "Namespaced" } else { "" };
            let (start, behind) = verb.id;
            let id = [start, &place.title, behind, namespaced, &resource.kind, &capital(sub), end].concat();
            let body = match verb.body {
                Body::None => Value::Null,
                Body::Own => item.clone(),
                Body::Options => self.schemas.refer_to_meta("DeleteOptions"),
                Body::Patch => self.schemas.refer_to_meta("Patch"),
            };
            let answer = match verb.answer {
                Answer::Own => item.clone(),
                Answer::Status => self.schemas.refer_to_meta("Status"),
                Answer::Event => self.schemas.refer_to_meta("WatchEvent"),
                Answer::List => match resource.ty() {
                    Some(ty) => self.schemas.refer_to_list(ty, &place.own),
                    None => {
                        let name = [&custom::name(resource), "List"].concat();
                        self.schemas.list(name, item.clone(), &place.own)
                    }
                },
            };
            let about = match sub {
                "" => [verb.about, &resource.kind].concat(),
                sub => {
                    [verb.about.replace("the", &[sub, " of the"].concat()).as_str(), &resource.kind].concat()
                }
            };
            let mut own = verb.parameters.to_vec();
            own.push("pretty");
            own.extend(parameters::asked(sub));
            schema::sort(&mut own);
            let custom = place.row.schema.is_some();
            let tag = place.tag.clone();
            let kind = Some(place.own);
            operations.push((
                verb.method,
                own,
                Operation { verb: *verb, id, tag, about, kind, body, answer, custom },
            ));
        }
        self.add(path.to_owned(), &in_path(path), &operations);
    }

    /// Adds a path whose requests are passed on.
    fn connect(&mut self, place: &Place<'_>, path: &str, sub: &str, verbs: &[String]) {
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
            let id = ["connect", &place.title, &names].concat();
            let about =
                ["connect ", &method.to_ascii_uppercase(), " requests to ", sub, " of ", &resource.kind]
                    .concat();
            let operation = Operation {
                verb: CONNECT,
                id,
                tag: place.tag.clone(),
                about,
                kind: Some(place.own),
                body: Value::Null,
                answer: json!({ "type": "string" }),
                custom: false,
            };
            operations.push((method, parameters::asked(place.own.name).to_vec(), operation));
        }
        self.add(path.to_owned(), &in_path(path), &operations);
    }

    /// Adds a path. Parameters that all of its operations have stand there once.
    fn add(&mut self, path: String, in_path: &[&str], operations: &[Done<'_>]) {
        let Some((_, first, _)) = operations.first() else { return };
        let everywhere = |name: &str| operations.iter().all(|(_, own, _)| own.contains(&name));
        let common: Vec<&str> = first.iter().filter(|name| everywhere(name)).copied().collect();
        let edition = self.schemas.edition;
        let mut out = Map::new();
        for (method, own, operation) in operations {
            let own: Vec<&str> = own.iter().filter(|name| !common.contains(name)).copied().collect();
            out.insert((*method).to_owned(), operation.shown(self.schemas, &own));
        }
        let mut named: Vec<(&str, bool)> = common.iter().map(|name| (*name, false)).collect();
        named.extend(in_path.iter().map(|name| (*name, true)));
        schema::sort_by(&mut named, |a, b| a.0.cmp(b.0).then_with(|| b.1.cmp(&a.1)));
        if !named.is_empty() {
            let shown = named.iter().map(|(name, in_path)| parameters::parameter(edition, name, *in_path));
            out.insert("parameters".to_owned(), shown.collect());
        }
        self.done.push((path, out.into()));
    }
}

const SCALE: &str = "k8s.io/api/autoscaling/v1";

/// The parameters in a path.
fn in_path(path: &str) -> Vec<&str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

/// The path of a group's version.
pub(crate) fn root(group: &str, version: &str) -> String {
    if group.is_empty() { ["/api/", version].concat() } else { ["/apis/", group, "/", version].concat() }
}

/// The words of a group's name, as the names of operations have them: `core`, `apps`, `rbac`, `authorization`.
fn words(group: &str) -> Vec<&str> {
    match group {
        "" => vec!["core"],
        group => group.strip_suffix(".k8s.io").unwrap_or(group).split('.').collect(),
    }
}

/// The name of a group in the names of operations: `RbacAuthorization`.
pub(super) fn group_title(group: &str) -> String {
    words(group).into_iter().map(capital).collect()
}

fn title(kind: Kind<'_>) -> String {
    [group_title(kind.group), capital(kind.version)].concat()
}

/// The tag of a group: `rbacAuthorization`.
pub(super) fn group_tag(group: &str) -> String {
    let words = words(group);
    let rest = words.iter().skip(1).map(|word| capital(word));
    iter::once(words[0].to_owned()).chain(rest).collect()
}

/// The tag of a version: `rbacAuthorization_v1`.
pub(super) fn tag(group: &str, version: &str) -> String {
    [&group_tag(group), "_", version].concat()
}

/// A word with a capital letter at its beginning.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A document of paths and schemas.
pub(super) fn document(edition: Edition, version: &str, paths: Value, schemas: Value) -> Value {
    let security = json!({ "BearerToken": { "type": "apiKey", "name": "authorization", "in": "header" } });
    let mut out = Map::new();
    // What is large is moved, not copied.
    let set = |out: &mut Map<String, Value>, key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    match edition {
        Edition::V2 => set(&mut out, "swagger", "2.0".into()),
        Edition::V3 => set(&mut out, "openapi", "3.0.0".into()),
    }
    set(&mut out, "info", json!({ "title": "Kubernetes", "version": version }));
    set(&mut out, "paths", paths);
    match edition {
        Edition::V2 => {
            set(&mut out, "definitions", schemas);
            set(&mut out, "securityDefinitions", security);
            set(&mut out, "security", json!([{ "BearerToken": [] }]));
        }
        Edition::V3 => {
            let mut components = Map::new();
            set(&mut components, "schemas", schemas);
            set(&mut components, "securitySchemes", security);
            set(&mut out, "components", components.into());
        }
    }
    out.into()
}
