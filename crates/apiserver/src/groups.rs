//! Groups and versions, in the order of preference.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use std::sync::Arc;

use crate::api_services::{self, ApiService};
use crate::resource::{self, Resource};
use crate::version_order;

/// A group that is served.
pub(crate) struct Group<'a> {
    pub(crate) name: &'a str,
    /// The versions of the group; the first is preferred.
    pub(crate) versions: Vec<&'a str>,
}

/// Returns the groups that APIServices register, after the group of APIServices themselves, in the order of their priorities.
pub(crate) fn registered(services: &[Arc<ApiService>]) -> Vec<Group<'_>> {
    let mut groups = vec![Group { name: api_services::GROUP, versions: vec!["v1"] }];
    groups.extend(api_services::by_group(services).into_iter().map(|group| Group {
        name: &group[0].group,
        versions: group.iter().map(|service| service.version.as_str()).collect(),
    }));
    groups
}

/// Returns the groups that are served here: the core group, the built-in ones in their own order, then custom ones by their names, whose
/// versions are ordered by theirs.
pub(crate) fn local(resources: &[Arc<Resource>]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut built_in = 0;
    for row in resources {
        let (name, version) = (row.group.as_str(), row.version.as_str());
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) if group.versions.contains(&version) => {}
            Some(group) => group.versions.push(version),
            None => groups.push(Group { name, versions: vec![version] }),
        }
        if row.ty().is_some() {
            built_in = groups.len();
        }
    }
    let mut custom = groups.split_off(built_in);
    schema::sort_by(&mut custom, |a: &Group<'_>, b| a.name.cmp(b.name));
    for group in &mut custom {
        schema::sort_by(&mut group.versions, |a: &&str, b| version_order::compare(a, b));
    }
    groups.append(&mut custom);
    groups
}

/// Reports whether a CustomResourceDefinition serves the group: those have no router in front of them.
pub(crate) fn is_custom(group: &str) -> bool {
    !resource::built_in().iter().any(|row| row.group == group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(groups: &[Group<'_>]) -> Vec<String> {
        groups.iter().map(|group| [group.name, " ", &group.versions.join(" ")].concat()).collect()
    }

    #[test]
    fn registered_groups_are_in_the_order_of_their_priorities_and_names() {
        let service = |group: &str, version: &str| {
            let name = [version, ".", group].concat();
            Arc::new(ApiService::read(&name, 1, &api_services::custom_object(group, version)))
        };
        let mut services = api_services::built_in();
        services.extend([
            service("c.example.com", "v1beta1"),
            service("a.example.com", "v1beta1"),
            service("b.example.com", "v1"),
            service("c.example.com", "v1"),
        ]);
        let shown = shown(&registered(&services));
        assert_eq!(shown[..3], ["apiregistration.k8s.io v1", " v1", "apps v1"]);
        // By the name of the first APIService of each.
        let custom = ["b.example.com v1", "c.example.com v1 v1beta1", "a.example.com v1beta1"];
        assert_eq!(shown[shown.len() - 3..], custom);
    }

    #[test]
    fn custom_groups_come_last() {
        let mut resources = resource::built_in().to_vec();
        for (group, version) in [
            ("c.example.com", "v1beta1"),
            ("a.example.com", "v1beta1"),
            ("b.example.com", "v1"),
            ("c.example.com", "v1"),
        ] {
            resources.push(Arc::new(crate::discovery::tests::widgets(group, version)));
        }
        let shown = shown(&local(&resources));
        assert_eq!(shown[0], " v1");
        assert!(shown.contains(&"autoscaling v2 v1".to_owned()));
        let custom = ["a.example.com v1beta1", "b.example.com v1", "c.example.com v1 v1beta1"];
        assert_eq!(shown[shown.len() - 3..], custom);
        assert!(is_custom("a.example.com") && !is_custom("apps") && !is_custom(""));
    }
}
