//! The table of resources that a cluster serves: the built-in ones, and those that were defined.

use std::ops::Deref;
use std::sync::Arc;

use schema::{Described, Storage, Subresource};

use crate::api_services::{self, ApiService};
use crate::custom::{Custom, Definition};
use crate::resource::{self, Resource};
use crate::version_order;

/// The verbs of a custom resource, in the order of discovery; the last three are gone once its definition is being deleted.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const VERBS_OF_TERMINATING: [&str; 5] = ["delete", "deletecollection", "get", "list", "watch"];
const VERBS_OF_PART: [&str; 3] = ["get", "patch", "update"];

/// The rows of all resources that are served: groups and versions in the order of discovery.
pub(crate) struct Resources {
    rows: Vec<Arc<Resource>>,
    built_in: usize,
    /// The definitions, whether they are served or not, in the order of their names.
    pub(crate) definitions: Vec<Arc<Definition>>,
    /// The APIServices: the stored ones, in the order of their names.
    pub(crate) services: Vec<Arc<ApiService>>,
}

impl Resources {
    /// Returns the resources that exist without any definition.
    pub(crate) fn builtin() -> Self {
        Self::with(Vec::new(), api_services::built_in())
    }

    /// Returns the resources that exist with these definitions and APIServices.
    pub(crate) fn with(definitions: Vec<Arc<Definition>>, services: Vec<Arc<ApiService>>) -> Self {
        let served = definitions.iter().filter(|definition| definition.is_served());
        let mut custom: Vec<Arc<Resource>> = served.flat_map(of).collect();
        schema::sort_by(&mut custom, |a, b| {
            let versions = || version_order::compare(&a.version, &b.version);
            a.group.cmp(&b.group).then_with(versions).then_with(|| a.name.cmp(&b.name))
        });
        let mut rows = resource::built_in().to_vec();
        let built_in = rows.len();
        rows.append(&mut custom);
        Self { rows, built_in, definitions, services }
    }

    /// Reports whether any resource of a group is served, or a version of it is registered.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.rows.iter().any(|row| row.group == group)
            || self.services.iter().any(|service| service.group == group)
    }

    /// Returns the APIService of an aggregated API server that a path leads to.
    pub(crate) fn aggregated(&self, path: &str) -> Option<&Arc<ApiService>> {
        let leads = |service: &ApiService| {
            let rest = path.strip_prefix(service.root().as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.services.iter().filter(|service| service.server.is_some()).find(|service| leads(service))
    }

    /// Reports whether all resources that are served of a group are custom resources.
    pub(crate) fn is_custom(&self, group: &str) -> bool {
        !self.rows[..self.built_in].iter().any(|row| row.group == group)
    }
}

impl Deref for Resources {
    type Target = [Arc<Resource>];

    fn deref(&self) -> &[Arc<Resource>] {
        &self.rows
    }
}

/// The rows of a definition's served versions.
fn of(definition: &Arc<Definition>) -> Vec<Arc<Resource>> {
    let served = definition.versions.iter().enumerate().filter(|(_, version)| version.served);
    served.map(|(index, _)| Arc::new(row(definition, index))).collect()
}

/// The row of a version, which may be one that is not served.
pub(crate) fn row(definition: &Arc<Definition>, index: usize) -> Resource {
    let names = &definition.names;
    let version = &definition.versions[index];
    let verbs = |verbs: &[&str]| verbs.iter().map(|verb| (*verb).to_owned()).collect::<Vec<_>>();
    let mut subresources = Vec::new();
    if version.status {
        subresources.push(Subresource {
            name: "status".to_owned(),
            group: definition.group.clone(),
            version: version.name.clone(),
            kind: names.kind.clone(),
            described: Described::default(),
            verbs: verbs(&VERBS_OF_PART),
        });
    }
    if version.scale.is_some() {
        // That of the built-in workloads.
        let mut built_in = schema::resources().iter().filter(|row| row.group == "apps");
        let scale = built_in.find_map(|row| row.subresource("scale"));
        subresources.push(Subresource {
            name: "scale".to_owned(),
            group: "autoscaling".to_owned(),
            version: "v1".to_owned(),
            kind: "Scale".to_owned(),
            described: scale.map(|scale| scale.described.clone()).unwrap_or_default(),
            verbs: verbs(&VERBS_OF_PART),
        });
    }
    let row = schema::Resource {
        group: definition.group.clone(),
        version: version.name.clone(),
        name: names.plural.clone(),
        singular: names.singular.clone(),
        kind: names.kind.clone(),
        list_kind: names.list_kind.clone(),
        namespaced: definition.namespaced,
        verbs: verbs(if definition.terminating { &VERBS_OF_TERMINATING } else { &VERBS }),
        short_names: names.short_names.clone(),
        categories: names.categories.clone(),
        described: Described::default(),
        subresources,
        storage: Storage {
            group: definition.group.clone(),
            version: definition.storage_version.clone(),
            resource: names.plural.clone(),
        },
    };
    Resource::defined(row, Custom::new(Arc::clone(definition), index))
}
