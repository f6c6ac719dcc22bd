//! The ground that the verbs of kubectl share: which objects a line is about, and how requests are sent.

use std::sync::Arc;

use apimachinery::target;
use json_tree::Value;

use super::Kubectl;
use crate::command::shell::Shell;
use crate::command::{Source, print};
use crate::kinds::{Kind, Kinds};
use crate::message::{JSON, Request};

/// A line of kubectl that begins.
pub(super) struct Call<'c> {
    pub(super) kinds: &'c Kinds,
    pub(super) line: &'c Kubectl,
    /// The namespace of what names none.
    pub(super) namespace: String,
    /// The objects of its manifests.
    pub(super) objects: Vec<Value>,
    pub(super) how: How,
    pub(super) shell: Shell,
}

/// Why a command does not go on.
pub(super) enum Stop {
    /// It does not run here.
    Refused(String),
    /// kubectl ends with this error.
    Says(String),
}

/// How requests are sent, and how their outcome is printed.
#[derive(Clone, Default)]
pub(super) struct How {
    headers: Vec<(String, String)>,
    /// `client`, `server`, or nothing.
    pub(super) dry_run: String,
    pub(super) output: String,
    pub(super) managed_fields: bool,
    field_manager: Option<String>,
    validation: &'static str,
    /// The only manifest, as errors name it.
    source: String,
}

/// An object, or all of a kind if there is no name.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) kind: Kind,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Target {
    /// Returns its path.
    pub(super) fn path(&self) -> String {
        let collection = self.collection();
        if self.name.is_empty() {
            collection
        } else {
            [&collection, "/", &target::segment(&self.name)].concat()
        }
    }

    /// Returns the path of its collection.
    pub(super) fn collection(&self) -> String {
        self.kind.path(&target::segment(&self.namespace))
    }

    /// Returns how kubectl names it: `deployment.apps/web`.
    pub(super) fn printed(&self) -> String {
        [&self.kind.printed(), "/", &self.name].concat()
    }

    /// Returns another object of its kind, for an item of a list.
    pub(super) fn of(&self, item: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &item["metadata"];
        Self {
            kind: self.kind.clone(),
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
        }
    }
}

impl How {
    /// Makes a request with `Accept: application/json`; parameters without a value are left out.
    pub(super) fn request(&self, method: &str, path: &str, params: &[(&str, Option<&str>)]) -> Request {
        self.accepting(method, path, params, JSON)
    }

    /// Makes a request for a media type.
    pub(super) fn accepting(
        &self,
        method: &str,
        path: &str,
        params: &[(&str, Option<&str>)],
        accept: &str,
    ) -> Request {
        let given =
            params.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_owned())));
        let (path, mut all) = target::split(path);
        let mut params: Vec<(String, String)> = given.collect();
        params.sort();
        all.extend(params);
        let mut request = Request::new(method, &target::join(&path, &all)).with("Accept", accept);
        request.headers.extend(self.headers.iter().cloned());
        request
    }

    /// Makes a request that writes, on behalf of a field manager; with `validates` as strict as the line says.
    pub(super) fn writing(&self, method: &str, path: &str, manager: &str, validates: bool) -> Request {
        let params = [
            ("dryRun", (self.dry_run == "server").then_some("All")),
            (
                "fieldManager",
                Some(self.field_manager.as_deref().unwrap_or(manager)).filter(|manager| !manager.is_empty()),
            ),
            ("fieldValidation", validates.then_some(self.validation)),
        ];
        self.request(method, path, &params)
    }

    /// Returns what is printed behind an outcome that is tried only.
    pub(super) fn suffix(&self) -> &'static str {
        match self.dry_run.as_str() {
            "client" => " (dry run)",
            "server" => " (server dry run)",
            _ => "",
        }
    }

    /// Prints an outcome: `configmap/a created`, or the object.
    pub(super) fn done(&self, shell: &mut Shell, target: &Target, outcome: &str, object: &Value) {
        if self.output.is_empty() || self.output == "wide" {
            shell.line(&[&target.printed(), " ", outcome, self.suffix()].concat());
            return;
        }
        match print::output(&self.output, object, self.managed_fields) {
            Ok(text) => shell.text(&text),
            Err(error) => shell.fail(&error),
        }
    }

    /// Returns what comes before an error of a manifest: `error when creating "a.yaml": `.
    pub(super) fn doing(&self, doing: &str) -> String {
        if self.source.is_empty() { String::new() } else { format!("error when {doing} {:?}: ", self.source) }
    }
}

/// Makes an error of kubectl.
pub(super) fn says<T>(text: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Says(text.into()))
}

impl<'c> Call<'c> {
    /// Reads the options that are those of all verbs.
    pub(super) fn new(
        kinds: &'c Kinds,
        line: &'c Kubectl,
        namespace: &str,
        objects: Vec<Value>,
    ) -> Result<Self, String> {
        let mut headers = Vec::new();
        headers.extend(line.flag("--as").map(|user| ("Impersonate-User".to_owned(), user.to_owned())));
        headers.extend(line.flag("--as-uid").map(|uid| ("Impersonate-Uid".to_owned(), uid.to_owned())));
        headers.extend(
            line.all("--as-group").iter().map(|group| ("Impersonate-Group".to_owned(), (*group).to_owned())),
        );
        let source = match line.sources.as_slice() {
            [Source::Inline(_)] => "STDIN",
            [Source::File(path)] => path,
            _ => "",
        };
        let dry_run = match line.flag("--dry-run").unwrap_or_default() {
            "none" | "false" => "",
            "true" | "unchanged" => "client",
            other => other,
        };
        if !matches!(dry_run, "" | "client" | "server") {
            return Err(format!("`--dry-run={dry_run}` is none of `none`, `server` and `client`."));
        }
        let how = How {
            headers,
            dry_run: dry_run.to_owned(),
            output: line.flag("--output").unwrap_or_default().to_owned(),
            managed_fields: line.is("--show-managed-fields"),
            field_manager: line.flag("--field-manager").map(str::to_owned),
            validation: match line.flag("--validate").unwrap_or("strict") {
                "warn" => "Warn",
                "ignore" | "false" => "Ignore",
                _ => "Strict",
            },
            source: source.to_owned(),
        };
        let namespace =
            line.flag("--namespace").unwrap_or(if namespace.is_empty() { "default" } else { namespace });
        Ok(Self { kinds, line, namespace: namespace.to_owned(), objects, how, shell: Shell::default() })
    }

    /// Returns the namespace in which it looks: none with `-A`.
    pub(super) fn scope(&self) -> &str {
        if self.line.is("--all-namespaces") { "" } else { &self.namespace }
    }

    /// Returns the word behind the verb, and others, by their place.
    pub(super) fn word(&self, place: usize) -> Option<&'c str> {
        self.line.words.get(place).map(String::as_str)
    }

    /// Returns the words from a place on.
    pub(super) fn words(&self, from: usize) -> &'c [String] {
        self.line.words.get(from..).unwrap_or_default()
    }

    /// Returns the kind that a word names.
    pub(super) fn kind(&self, word: &str) -> Result<Kind, Stop> {
        match self.kinds.named(word) {
            Some(kind) => Ok(kind.clone()),
            None => says(format!("error: the server doesn't have a resource type {word:?}")),
        }
    }

    fn target(&self, kind: Kind, name: &str) -> Target {
        let namespace = if kind.namespaced { self.namespace.clone() } else { String::new() };
        Target { kind, namespace, name: name.to_owned() }
    }

    /// Returns what words name: `kind name…`, `kind/name…` or `kind,kind`, the last without names.
    pub(super) fn named(&self, words: &[String]) -> Result<Vec<Target>, Stop> {
        let Some((first, names)) = words.split_first() else {
            return says("error: You must specify the type of resource to get.");
        };
        let mut targets = Vec::new();
        if words.iter().any(|word| word.contains('/')) {
            for word in words {
                let Some((kind, name)) = word.split_once('/') else {
                    return says(
                        "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
                    );
                };
                if kind.is_empty() || name.is_empty() || name.contains('/') {
                    return says(
                        "error: arguments in resource/name form must have a single resource and name",
                    );
                }
                targets.push(self.target(self.kind(kind)?, name));
            }
            return Ok(targets);
        }
        for word in first.split(',') {
            let kinds = if word == "all" { self.all() } else { vec![self.kind(word)?] };
            for kind in kinds {
                if names.is_empty() {
                    let mut target = self.target(kind, "");
                    if self.scope().is_empty() {
                        target.namespace.clear();
                    }
                    targets.push(target);
                } else {
                    targets.extend(names.iter().map(|name| self.target(kind.clone(), name)));
                }
            }
        }
        Ok(targets)
    }

    /// Returns the kinds that `all` stands for.
    fn all(&self) -> Vec<Kind> {
        let all = schema::resources()
            .iter()
            .filter(|resource| resource.categories.iter().any(|name| name == "all"));
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in all.filter_map(|resource| {
            let is = |kind: &&Kind| kind.group == resource.group && kind.resource == resource.name;
            self.kinds.all().iter().find(is)
        }) {
            if !kinds.iter().any(|known| known.group == kind.group && known.resource == kind.resource) {
                kinds.push(kind.clone());
            }
        }
        kinds
    }

    /// Returns an object of a manifest with its place; a namespace is put into it.
    pub(super) fn placed(&self, mut object: Value) -> Result<(Target, Value), Stop> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, api_version) = (text(&object["kind"]), text(&object["apiVersion"]));
        for (field, value) in [("Kind", &kind), ("apiVersion", &api_version)] {
            if value.is_empty() {
                return says(format!(
                    "error: {}Object '{field}' is missing in '{}'",
                    "unable to decode: ",
                    print::json(&object)
                ));
            }
        }
        let (name, own) = (text(&object["metadata"]["name"]), text(&object["metadata"]["namespace"]));
        let Some(kind) = self.kinds.of_object(&object) else {
            let from = if self.how.source.is_empty() {
                String::new()
            } else {
                format!(" from {:?}", self.how.source)
            };
            return says(format!(
                "error: resource mapping not found for name: {name:?} namespace: {own:?}{from}: no matches for kind {kind:?} in version {api_version:?}\nensure CRDs are installed first"
            ));
        };
        let mut target = self.target(kind.clone(), &name);
        if kind.namespaced {
            if own.is_empty() {
                if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("namespace".to_owned(), Value::from(self.namespace.as_str()));
                }
            } else if self.line.flag("--namespace").is_some_and(|namespace| namespace != own) {
                return says(format!(
                    "error: the namespace from the provided object {own:?} does not match the namespace {:?}. You must pass '--namespace={own}' to perform this operation.",
                    self.namespace
                ));
            } else {
                target.namespace = own;
            }
        }
        Ok((target, object))
    }

    /// Takes the objects of the manifests, with their places.
    pub(super) fn placed_all(&mut self) -> Result<Vec<(Target, Value)>, Stop> {
        if self.line.sources.is_empty() {
            return says("error: must specify one of -f and -k");
        }
        if self.objects.is_empty() {
            return says(format!("error: no objects passed to {}", self.word(0).unwrap_or_default()));
        }
        let objects = std::mem::take(&mut self.objects);
        objects.into_iter().map(|object| self.placed(object)).collect()
    }

    /// Gets each object that the line is about, by names from `words` on, by a selector, or by a manifest, and does something
    /// with it.
    pub(super) fn each(
        &mut self,
        words: &[String],
        subresource: &str,
        with: impl Fn(&mut Shell, &How, &Target, Value) + Send + Sync + 'static,
    ) -> Result<(), Stop> {
        let with = Arc::new(with);
        let targets = match self.line.flag("--filename") {
            Some(_) => self.placed_all()?.into_iter().map(|(target, _)| target).collect(),
            None => self.named(words)?,
        };
        let selects = self.line.is("--all")
            || self.line.flag("--selector").is_some()
            || self.line.flag("--field-selector").is_some();
        for target in targets {
            let (how, with) = (self.how.clone(), Arc::clone(&with));
            if target.name.is_empty() {
                if !selects {
                    return says("error: resource(s) were provided, but no name was specified");
                }
                let request = how.request("GET", &target.path(), &self.selection());
                self.shell.send(request, move |shell, reply| match reply.object() {
                    Ok(list) => {
                        for item in crate::command::objects(list) {
                            with(shell, &how, &target.of(&item), item);
                        }
                    }
                    Err(failure) => shell.refused(&failure, ""),
                });
                continue;
            }
            let path = [target.path(), subresource.to_owned()].concat();
            self.shell.send(how.request("GET", &path, &[]), move |shell, reply| match reply.object() {
                Ok(object) => with(shell, &how, &target, object),
                Err(failure) => shell.refused(&failure, ""),
            });
        }
        Ok(())
    }

    /// Returns the parameters of a list.
    pub(super) fn selection(&self) -> Vec<(&'static str, Option<&'c str>)> {
        let limit = self.line.flag("--chunk-size").unwrap_or("500");
        vec![
            ("labelSelector", self.line.flag("--selector")),
            ("fieldSelector", self.line.flag("--field-selector")),
            ("limit", Some(limit).filter(|limit| *limit != "0")),
        ]
    }
}
