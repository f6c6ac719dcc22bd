//! Groups and versions, in the order of preference.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use std::cmp::Ordering;
use std::sync::Arc;

use schema::Resource;

/// A group that is served.
pub(crate) struct Group<'a> {
    pub(crate) name: &'a str,
    /// Its versions; the first is preferred.
    pub(crate) versions: Vec<&'a str>,
}

/// Every group: the core group, the built-in ones in their own order, then custom ones in that of the alphabet, whose
/// versions are ordered by their names.
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
        if row.ty.is_some() {
            built_in = groups.len();
        }
    }
    let mut custom = groups.split_off(built_in);
    schema::sort_by(&mut custom, |a: &Group<'_>, b| a.name.cmp(b.name));
    for group in &mut custom {
        schema::sort_by(&mut group.versions, |a: &&str, b| by_priority(a, b));
    }
    groups.append(&mut custom);
    groups
}

/// Whether a CustomResourceDefinition serves the group: those have no router in front of them.
pub(crate) fn is_custom(group: &str) -> bool {
    !schema::resources().iter().any(|row| row.group == group)
}

/// The order of versions: `v10`, `v2`, `v11beta2`, `v3alpha1`, and then those of other names, in the order of the
/// alphabet.
///
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>
fn by_priority(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(own), Some(other)) => other.cmp(&own),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// How stable a version is, its number, and that of its beta or alpha; `None` for one of another form.
fn rank(version: &str) -> Option<(u8, i64, i64)> {
    let number = |text: &str| {
        let digits = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<i64>().ok()).flatten()
    };
    let rest = version.strip_prefix('v')?;
    for (stability, word) in [(1, "beta"), (0, "alpha")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, number(major)?, number(minor)?));
        }
    }
    Some((2, number(rest)?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        let expected = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "bar",
            "foo1",
            "foo10",
            "v01",
            "v1beta",
            "v1gamma1",
            "v99999999999999999999",
        ];
        let mut versions = expected.to_vec();
        versions.reverse();
        schema::sort_by(&mut versions, |a, b| by_priority(a, b));
        assert_eq!(versions, expected);
    }

    #[test]
    fn custom_groups_come_last() {
        let mut resources = schema::resources().to_vec();
        for (group, version) in
            [("b.example.com", "v1beta1"), ("a.example.com", "v1"), ("b.example.com", "v1")]
        {
            resources.push(Arc::new(super::super::tests::widgets(group, version)));
        }
        let shown: Vec<String> = groups(&resources)
            .iter()
            .map(|group| [group.name, " ", &group.versions.join(" ")].concat())
            .collect();
        assert_eq!(shown[0], " v1");
        assert!(shown.contains(&"autoscaling v2 v1".to_owned()));
        assert_eq!(shown[shown.len() - 2..], ["a.example.com v1", "b.example.com v1 v1beta1"]);
        assert!(is_custom("a.example.com") && !is_custom("apps") && !is_custom(""));
    }
}
