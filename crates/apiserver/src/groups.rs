//! Groups and versions, in the order of preference.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use std::sync::Arc;

use schema::Resource;

use crate::custom::version_order;

/// A group that is served.
pub(crate) struct Group<'a> {
    pub(crate) name: &'a str,
    /// The versions of the group; the first is preferred.
    pub(crate) versions: Vec<&'a str>,
}

/// Every group: the core group, the built-in ones in their own order, then custom ones, whose versions are ordered by their names. As
/// they all have one priority, they are in the order of the first APIService of each: `v1.b.example.com` before `v1beta1.a.example.com`.
pub(crate) fn groups(resources: &[Arc<Resource>]) -> Vec<Group<'_>> {
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
    let service = |group: &Group<'_>| {
        let versions = group.versions.iter();
        versions.map(|version| [*version, ".", group.name].concat()).min().unwrap_or_default()
    };
    schema::sort_by(&mut custom, |a: &Group<'_>, b| service(a).cmp(&service(b)));
    for group in &mut custom {
        schema::sort_by(&mut group.versions, |a: &&str, b| version_order::compare(a, b));
    }
    groups.append(&mut custom);
    groups
}

/// Reports whether a CustomResourceDefinition serves the group: those have no router in front of them.
pub(crate) fn is_custom(group: &str) -> bool {
    !schema::resources().iter().any(|row| row.group == group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_groups_come_last() {
        let mut resources = schema::resources().to_vec();
        for (group, version) in [
            ("c.example.com", "v1beta1"),
            ("a.example.com", "v1beta1"),
            ("b.example.com", "v1"),
            ("c.example.com", "v1"),
        ] {
            resources.push(Arc::new(crate::discovery::tests::widgets(group, version)));
        }
        let shown: Vec<String> = groups(&resources)
            .iter()
            .map(|group| [group.name, " ", &group.versions.join(" ")].concat())
            .collect();
        assert_eq!(shown[0], " v1");
        assert!(shown.contains(&"autoscaling v2 v1".to_owned()));
        let custom = ["b.example.com v1", "c.example.com v1 v1beta1", "a.example.com v1beta1"];
        assert_eq!(shown[shown.len() - 3..], custom);
        assert!(is_custom("a.example.com") && !is_custom("apps") && !is_custom(""));
    }
}
