//! Discovery of what an API server serves: the resources that controllers handle without knowing their kinds.
//!
//! See <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use json_tree::Value;

use crate::client::Client;
use crate::error::Error;
use crate::resource::Resource;

/// A resource that is served, in the version that is preferred, and what can be done with it.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) resource: Resource,
    verbs: Vec<String>,
}

impl Served {
    /// Reports whether all of these verbs are served.
    pub(crate) fn has_verbs(&self, verbs: &[&str]) -> bool {
        verbs.iter().all(|verb| self.verbs.iter().any(|own| own == verb))
    }
}

/// The answer to what is served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Discovery {
    /// The resources in their preferred versions, in the order of their groups and names.
    pub(crate) preferred: Vec<Served>,
    /// The groups and names of the resources that have a subresource `scale`.
    scaled: BTreeSet<(String, String)>,
    /// The resources of all kinds in all versions, by group, version and kind.
    kinds: BTreeMap<(String, String, String), Resource>,
}

impl Discovery {
    /// Asks an API server.
    pub(crate) async fn ask(client: &Client) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut preferred = BTreeMap::new();
        for path in ["/api", "/apis"] {
            let list = client.discover(path).await?;
            for group in items(&list, "items") {
                let group_name = group.text_at("/metadata/name");
                for version in items(group, "versions") {
                    for one in items(version, "resources") {
                        let served = read(group_name, version.text("version"), one);
                        let Resource { group, version, plural, kind, .. } = &served.resource;
                        let by_kind = (group.to_string(), version.to_string(), kind.to_string());
                        found.kinds.entry(by_kind).or_insert_with(|| served.resource.clone());
                        let by_name = (group.to_string(), plural.to_string());
                        if items(one, "subresources").any(|part| part.text("subresource") == "scale") {
                            found.scaled.insert(by_name.clone());
                        }
                        preferred.entry(by_name).or_insert(served);
                    }
                }
            }
        }
        found.preferred = preferred.into_values().collect();
        Ok(found)
    }

    /// Reports whether a resource has a subresource `scale`.
    pub(crate) fn has_scale(&self, resource: &Resource) -> bool {
        self.scaled.contains(&(resource.group.to_string(), resource.plural.to_string()))
    }

    /// Returns the groups, versions and kinds of the resources with a name in a version; of any group, if that is empty.
    pub(crate) fn kinds_of(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> impl Iterator<Item = (String, String, String)> {
        let named = self.kinds.iter().filter(move |(_, resource)| {
            resource.plural == plural
                && resource.version == version
                && (group.is_empty() || resource.group == group)
        });
        named.map(|(kind, _)| kind.clone())
    }

    /// Returns the resource of a kind as an owner reference names it.
    pub(crate) fn resource_of(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kinds.get(&(group.to_owned(), version.to_owned(), kind.to_owned()))
    }
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn read(group: &str, version: &str, resource: &Value) -> Served {
    let verbs = items(resource, "verbs").map(|verb| verb.as_text().to_owned()).collect();
    let owned = |text: &str| Cow::Owned(text.to_owned());
    let resource = Resource {
        group: owned(group),
        version: owned(version),
        plural: owned(resource.text("resource")),
        kind: owned(resource.text_at("/responseKind/kind")),
        namespaced: resource.text("scope") == "Namespaced",
    };
    Served { resource, verbs }
}
