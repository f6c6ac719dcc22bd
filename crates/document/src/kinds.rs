//! The kinds that a document's cluster serves: the built-in ones, and those that definitions add.

use apimachinery::Place;
use json_tree::Value;
use schema::Resource;

/// A kind that is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural name, as in paths.
    pub resource: String,
    /// The singular name.
    pub singular: String,
    /// The kind.
    pub kind: String,
    /// True if its objects are in namespaces.
    pub namespaced: bool,
    /// Short names.
    pub short_names: Vec<String>,
    /// The verbs that it allows.
    pub verbs: Vec<String>,
    /// True if a CustomResourceDefinition made it.
    pub is_custom: bool,
}

impl Kind {
    fn of(resource: &Resource) -> Self {
        Self {
            group: resource.group.clone(),
            version: resource.version.clone(),
            resource: resource.name.clone(),
            singular: resource.singular.clone(),
            kind: resource.kind.clone(),
            namespaced: resource.namespaced,
            short_names: resource.short_names.clone(),
            verbs: resource.verbs.clone(),
            is_custom: false,
        }
    }

    /// Returns what `apiVersion` says in its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns the path of its collection in a namespace; an empty one means all of them.
    pub fn path(&self, namespace: &str) -> String {
        let root = if self.group.is_empty() { "/api/" } else { "/apis/" };
        let api_version = self.api_version();
        if self.namespaced && !namespace.is_empty() {
            format!("{root}{api_version}/namespaces/{namespace}/{}", self.resource)
        } else {
            format!("{root}{api_version}/{}", self.resource)
        }
    }

    /// Returns how kubectl names it in what it prints: `configmap`, `deployment.apps`.
    pub fn printed(&self) -> String {
        let kind = self.kind.to_ascii_lowercase();
        if self.group.is_empty() { kind } else { format!("{kind}.{}", self.group) }
    }
}

/// The kinds that are served, the built-in ones first.
#[derive(Clone, Debug)]
pub struct Kinds(Vec<Kind>);

impl Default for Kinds {
    fn default() -> Self {
        Self(schema::resources().iter().map(|resource| Kind::of(resource)).collect())
    }
}

impl Kinds {
    /// Returns all of them.
    pub fn all(&self) -> &[Kind] {
        &self.0
    }

    /// Returns the one that kubectl means by a word: a plural, singular or short name, or a kind, perhaps with its group and
    /// version (`deployments.apps`, `deploy`, `deployments.v1.apps`).
    pub fn named(&self, word: &str) -> Option<&Kind> {
        let word = word.to_ascii_lowercase();
        let (name, rest) = word.split_once('.').unwrap_or((&word, ""));
        self.0.iter().find(|kind| {
            let own = kind.resource == name
                || kind.singular == name
                || kind.kind.eq_ignore_ascii_case(name)
                || kind.short_names.iter().any(|short| short == name);
            let group = || {
                rest == kind.group
                    || rest
                        .strip_prefix(&*kind.version)
                        .is_some_and(|rest| rest.strip_prefix('.').unwrap_or(rest) == kind.group)
            };
            own && (rest.is_empty() || group())
        })
    }

    /// Returns the one of which an object is.
    pub fn of_object(&self, object: &Value) -> Option<&Kind> {
        let (api_version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
        self.0.iter().find(|known| known.kind == kind && known.api_version() == api_version)
    }

    /// Returns the one that a path is about.
    pub fn at(&self, place: &Place<'_>) -> Option<&Kind> {
        let version = place.root.rsplit('/').next()?;
        self.0.iter().find(|kind| {
            kind.group == place.group() && kind.version == version && kind.resource == place.resource
        })
    }

    /// Adds those that a CustomResourceDefinition defines.
    pub fn define(&mut self, definition: &Value) {
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let names = &spec["names"];
        for version in spec["versions"].as_array().into_iter().flatten() {
            let kind = Kind {
                group: text(&spec["group"]),
                version: text(&version["name"]),
                resource: text(&names["plural"]),
                singular: text(&names["singular"]),
                kind: text(&names["kind"]),
                namespaced: spec["scope"] != "Cluster",
                short_names: names["shortNames"].as_array().into_iter().flatten().map(text).collect(),
                verbs: ["create", "delete", "get", "list", "patch", "update", "watch"]
                    .map(str::to_owned)
                    .to_vec(),
                is_custom: true,
            };
            self.0.retain(|known| {
                (&known.group, &known.version, &known.resource)
                    != (&kind.group, &kind.version, &kind.resource)
            });
            self.0.push(kind);
        }
    }
}
