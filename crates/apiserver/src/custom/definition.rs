//! The content of a stored CustomResourceDefinition.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/>

use std::any::Any;
use std::sync::{Arc, OnceLock};

use json_tree::Value;
use store::Revision;
use structural::Structural;

use crate::version_order;
use crate::webhooks::{FUNCTION, url_of};
use apimachinery::object::Object;
use kinds::apiextensions::custom_resource_definition::status::has;

/// The names of a custom resource, as they were accepted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names {
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
}

/// A definition.
pub(crate) struct Definition {
    /// The name: `widgets.example.com`.
    pub(crate) name: String,
    /// The uid.
    pub(crate) uid: String,
    pub(crate) group: String,
    pub(crate) names: Names,
    pub(crate) namespaced: bool,
    /// The version in which objects are written.
    pub(crate) storage_version: String,
    /// All versions, served or not, as they stand in the definition.
    pub(crate) versions: Vec<Version>,
    /// True if the names are accepted, or have been.
    accepted: bool,
    /// True if the definition is being deleted.
    pub(crate) terminating: bool,
    /// The revision from which on objects were written by these schemas; 0 if there have not been others.
    pub(crate) since: Revision,
    /// The URL of the webhook that converts the objects; empty if none does.
    webhook_url: String,
    /// The function that stands in for that webhook, if there is one.
    pub(crate) function: Option<String>,
    /// The spec, and the names that were accepted: as long as they stay, all stays as it is.
    source: (Value, Value),
}

/// A version of a definition.
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) served: bool,
    /// The warning that each use of the version gets.
    pub(crate) warning: Option<String>,
    /// True if the version has the subresource `status`.
    pub(crate) status: bool,
    /// The places in which the subresource `scale` finds its numbers, if there is one.
    pub(crate) scale: Option<Scale>,
    /// The columns of its tables, as the definition has them.
    pub(crate) columns: Vec<Value>,
    /// The JSON paths, without their first dot, by which its objects can be selected.
    pub(crate) selectable: Vec<String>,
    /// The structural schema of the objects.
    pub(crate) schema: Structural,
    /// The form of the schema that the validation of the objects has made for itself.
    prepared: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The places of the values that the subresource `scale` shows: JSON paths, as in the definition.
pub(crate) struct Scale {
    pub(crate) spec: String,
    pub(crate) status: String,
    pub(crate) selector: Option<String>,
}

/// Returns how the webhook is called that converts the objects of a definition, if that is how they are converted.
fn webhook(spec: &Value) -> Option<&Value> {
    let conversion = &spec["conversion"];
    (conversion["strategy"] == "Webhook").then(|| &conversion["webhook"])
}

impl Definition {
    /// Reads a definition: its name and uid, the revision that wrote it, and its tree. `last` is the same definition as it was, if it
    /// was there.
    pub(crate) fn read(
        (name, uid): (&str, &str),
        revision: Revision,
        tree: &Object,
        last: Option<&Arc<Self>>,
    ) -> Arc<Self> {
        let source = (part(tree, "/spec"), part(tree, "/status/acceptedNames"));
        let (accepted, terminating) =
            (has(tree, "NamesAccepted") || has(tree, "Established"), has(tree, "Terminating"));
        let last = last.filter(|last| last.uid == uid);
        let function = tree.get("metadata").and_then(|own| own["annotations"][FUNCTION].as_str());
        let same = last.filter(|last| last.source == source && last.function.as_deref() == function);
        if let Some(last) = same
            && (last.accepted, last.terminating) == (accepted, terminating)
        {
            return Arc::clone(last);
        }
        let spec = &source.0;
        let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
        let storage = versions.iter().find(|version| version["storage"] == true);
        Arc::new(Self {
            name: name.to_owned(),
            uid: uid.to_owned(),
            group: spec["group"].as_text().to_owned(),
            names: names(&source.1),
            namespaced: spec["scope"] != "Cluster",
            storage_version: storage.map(|version| version["name"].as_text().to_owned()).unwrap_or_default(),
            versions: versions.iter().map(|version| read_version(spec, version)).collect(),
            webhook_url: webhook(spec).map(|webhook| url_of(&webhook["clientConfig"])).unwrap_or_default(),
            function: function.map(str::to_owned),
            accepted,
            terminating,
            since: match last {
                Some(last) if last.source.0 == source.0 => last.since,
                Some(_) => revision,
                None => 0,
            },
            source,
        })
    }

    /// Reports whether objects of the definition can be read and written.
    pub(crate) fn is_served(&self) -> bool {
        self.accepted
    }

    /// The `openAPIV3Schema` of a version.
    pub(super) fn schema(&self, index: usize) -> Option<Value> {
        self.source.0["versions"][index].pointer("/schema/openAPIV3Schema").cloned()
    }

    /// Returns how the webhook is called that converts the objects, if that is how they are converted.
    pub(crate) fn webhook(&self) -> Option<&Value> {
        webhook(&self.source.0)
    }

    /// Returns the error of a conversion by the webhook, where nobody calls any.
    pub(crate) fn unreachable(&self) -> String {
        let url = self.webhook_url.as_str();
        let host = url.split('/').nth(2).unwrap_or_default();
        [
            "conversion webhook for ",
            &self.storage_api_version(),
            ", Kind=",
            &self.names.kind,
            " failed: Post \"",
            url,
            "?timeout=30s\": dial tcp ",
            host,
            ": connect: network is unreachable",
        ]
        .concat()
    }

    /// Reports whether it is another definition, or has another spec or other accepted names.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.uid != other.uid || self.source != other.source
    }

    /// A version by what `apiVersion` says in its objects.
    pub(crate) fn at(&self, api_version: &str) -> Option<&Version> {
        let name = api_version.strip_prefix(&self.group)?.strip_prefix('/')?;
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the `apiVersion` of stored objects.
    pub(crate) fn storage_api_version(&self) -> String {
        [&self.group, "/", &self.storage_version].concat()
    }
}

impl Version {
    /// Returns the result of `make`, which runs once. All of its objects are validated in one way, so that there is one
    /// thing to make.
    pub(crate) fn prepared<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.prepared.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

fn read_version(spec: &Value, version: &Value) -> Version {
    let (name, subresources) = (version["name"].as_text().to_owned(), &version["subresources"]);
    let kind = spec["names"]["kind"].as_text().to_owned();
    let warning = (version["deprecated"] == true).then(|| {
        let own = version["deprecationWarning"].as_str().map(str::to_owned);
        own.unwrap_or_else(|| default_warning(spec, &name, &kind))
    });
    let scale = subresources["scale"].as_object().map(|_| Scale {
        spec: subresources["scale"]["specReplicasPath"].as_text().to_owned(),
        status: subresources["scale"]["statusReplicasPath"].as_text().to_owned(),
        selector: subresources["scale"]["labelSelectorPath"].as_str().map(str::to_owned),
    });
    let list = |key: &str| version[key].as_array().cloned().unwrap_or_default();
    let path = |field: Value| field["jsonPath"].as_text().trim_start_matches('.').to_owned();
    Version {
        served: version["served"] == true,
        warning,
        status: subresources["status"].is_object(),
        scale,
        columns: list("additionalPrinterColumns"),
        selectable: list("selectableFields").into_iter().map(path).collect(),
        schema: Structural::parse(&version["schema"]["openAPIV3Schema"]),
        prepared: OnceLock::new(),
        name,
    }
}

/// Returns the warning of a deprecated version for which the definition has no words: which version to use, if there is
/// one that is served, not deprecated and better.
fn default_warning(spec: &Value, name: &str, kind: &str) -> String {
    let group = spec["group"].as_text().to_owned();
    let mut warning = [&group, "/", name, " ", kind, " is deprecated"].concat();
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    let usable = versions.iter().filter(|version| version["served"] == true && version["deprecated"] != true);
    let mut better: Vec<String> = usable.map(|version| version["name"].as_text().to_owned()).collect();
    better.retain(|other| version_order::compare(other, name).is_lt());
    schema::sort_by(&mut better, |a, b| version_order::compare(a, b));
    if let Some(other) = better.first() {
        warning.push_str(&["; use ", &group, "/", other, " ", kind].concat());
    }
    warning
}

fn names(names: &Value) -> Names {
    let texts = |key: &str| {
        let list = names[key].as_array().map_or(&[][..], Vec::as_slice);
        list.iter().map(|value| value.as_text().to_owned()).collect::<Vec<_>>()
    };
    Names {
        plural: names["plural"].as_text().to_owned(),
        singular: names["singular"].as_text().to_owned(),
        kind: names["kind"].as_text().to_owned(),
        list_kind: names["listKind"].as_text().to_owned(),
        short_names: texts("shortNames"),
        categories: texts("categories"),
    }
}

fn part(definition: &Object, pointer: &str) -> Value {
    let mut keys = pointer.split('/').skip(1);
    let first = keys.next().and_then(|key| definition.get(key));
    keys.fold(first, |value, key| value?.get(key)).cloned().unwrap_or_default()
}
