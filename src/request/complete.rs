//! Completing a path from what the cluster serves and holds.

use std::collections::HashSet;

use protocol::trace::ObjectKey;
use schema::Resource;

use crate::cluster::catalog;
use crate::ui::search;

/// How many are offered at once.
const MOST: usize = 12;

/// A path that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// The path.
    pub(crate) path: String,
    /// The thing at the path: a kind, or a word.
    pub(crate) about: String,
}

/// Returns the paths that `typed` may become: those that begin with it first, then those in which it occurs.
pub(crate) fn complete<'r>(
    resources: impl Iterator<Item = &'r Resource> + Clone,
    objects: &mut dyn Iterator<Item = &ObjectKey>,
    namespace: &str,
    typed: &str,
) -> Vec<Suggestion> {
    let typed = typed.trim();
    let namespace = namespace_of(typed).unwrap_or(namespace);
    let needle = typed.to_ascii_lowercase();
    let mut ranked: Vec<(usize, Suggestion)> = Vec::new();
    let mut known = HashSet::new();
    let mut offer = |path: String, about: &str, words: &str| {
        let Some(rank) = rank(&path, words, &needle) else { return };
        if known.insert(path.clone()) {
            ranked.push((rank, Suggestion { path, about: about.to_owned() }));
        }
    };
    for resource in resources.clone() {
        let words = format!("{} {}", resource.kind, resource.short_names.join(" "));
        offer(catalog::path(resource, namespace), &resource.kind, &words);
    }
    for object in objects {
        let mut versions = resources.clone();
        let of = versions.find(|known| known.group == object.group && known.name == object.resource);
        if let Some(resource) = of {
            let path = format!("{}/{}", catalog::path(resource, &object.namespace), object.name);
            offer(path, &resource.kind, "");
        }
    }
    for resource in resources.clone().filter(|resource| resource.namespaced && !namespace.is_empty()) {
        offer(catalog::path(resource, ""), &resource.kind, "");
    }
    for path in ["/version", "/healthz", "/livez", "/readyz", "/api", "/apis"] {
        offer(path.to_owned(), "", "");
    }
    for resource in resources {
        offer(catalog::root(resource), "", "");
    }
    let order = search::order(ranked.iter().map(|(rank, _)| *rank as u64));
    order.into_iter().take(MOST).map(|at| ranked[at].1.clone()).collect()
}

/// The namespace that a path is in.
pub(crate) fn namespace_of(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/namespaces/")?;
    let (namespace, _) = rest.split_once('/')?;
    Some(namespace).filter(|namespace| !namespace.is_empty())
}

/// How well `needle` fits: the less the better.
fn rank(path: &str, words: &str, needle: &str) -> Option<usize> {
    let lower = path.to_ascii_lowercase();
    let last = lower.rsplit('/').next().unwrap_or_default();
    if let Some(rest) = lower.strip_prefix(needle) {
        // One that ends in this segment comes before those that go deeper.
        return Some(usize::from(rest.trim_start_matches('/').contains('/')));
    }
    if needle.starts_with('/') {
        // The start of a path may be left out, its resource not.
        let tail = needle.rsplit('/').next().unwrap_or_default();
        return (!tail.is_empty() && last.starts_with(tail)).then_some(5);
    }
    if last.starts_with(needle) || words.to_ascii_lowercase().split(' ').any(|word| word == needle) {
        return Some(2);
    }
    if words.to_ascii_lowercase().starts_with(needle) || last.contains(needle) {
        return Some(3);
    }
    lower.contains(needle).then_some(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::catalog::tests::resource;

    fn world() -> (Vec<Resource>, Vec<ObjectKey>) {
        let mut configmaps = resource("", "configmaps", "ConfigMap", true);
        configmaps.short_names = vec!["cm".to_owned()];
        let resources = vec![
            configmaps,
            resource("", "nodes", "Node", false),
            resource("", "pods", "Pod", true),
            resource("apps", "deployments", "Deployment", true),
        ];
        let object = ObjectKey {
            group: String::new(),
            resource: "configmaps".to_owned(),
            namespace: "shop".to_owned(),
            name: "settings".to_owned(),
        };
        (resources, vec![object])
    }

    #[track_caller]
    fn check(typed: &str, expected: &[&str]) {
        let (resources, objects) = world();
        let offered = complete(resources.iter(), &mut objects.iter(), "default", typed);
        let paths: Vec<&str> = offered.iter().map(|suggestion| suggestion.path.as_str()).collect();
        assert_eq!(paths[..expected.len().min(paths.len())], *expected, "of {paths:?}");
        assert!(paths.len() <= MOST);
    }

    #[test]
    fn a_word_finds_its_resource() {
        check("cm", &["/api/v1/namespaces/default/configmaps"]);
        check("depl", &["/apis/apps/v1/namespaces/default/deployments"]);
        check("Pod", &["/api/v1/namespaces/default/pods"]);
        check("settings", &["/api/v1/namespaces/shop/configmaps/settings"]);
    }

    #[test]
    fn a_beginning_goes_on_where_it_is() {
        check("/apis/ap", &["/apis/apps/v1/namespaces/default/deployments", "/apis/apps/v1/deployments"]);
        check("/api/v1/no", &["/api/v1/nodes"]);
        check(
            "/api/v1/namespaces/shop/c",
            &["/api/v1/namespaces/shop/configmaps", "/api/v1/namespaces/shop/configmaps/settings"],
        );
        check("/ver", &["/version"]);
    }

    #[test]
    fn custom_kinds_are_found_as_built_in_ones() {
        let crontabs = crate::model::explore::served::Kind {
            group: "stable.example.com".to_owned(),
            version: "v1".to_owned(),
            resource: "crontabs".to_owned(),
            kind: "CronTab".to_owned(),
            namespaced: true,
            short_names: vec!["ct".to_owned()],
            ..Default::default()
        };
        let object = ObjectKey {
            group: crontabs.group.clone(),
            resource: crontabs.resource.clone(),
            namespace: "shop".to_owned(),
            name: "nightly".to_owned(),
        };
        let custom = [crontabs.row()];
        let first = |typed: &str| {
            complete(catalog::with(&custom), &mut std::iter::once(&object), "default", typed)
                .first()
                .map(|one| one.path.clone())
        };
        let all = "/apis/stable.example.com/v1/namespaces/";
        assert_eq!(first("ct"), Some([all, "default/crontabs"].concat()));
        assert_eq!(first("crontab"), Some([all, "default/crontabs"].concat()));
        assert_eq!(first("nightly"), Some([all, "shop/crontabs/nightly"].concat()));
        assert_eq!(first("/apis/stab"), Some([all, "default/crontabs"].concat()));
    }

    #[test]
    fn a_namespace_in_the_path_is_kept() {
        check("/api/v1/namespaces/other/po", &["/api/v1/namespaces/other/pods"]);
        assert_eq!(namespace_of("/api/v1/namespaces/a/pods"), Some("a"));
        assert_eq!(namespace_of("/api/v1/namespaces/a"), None);
        assert_eq!(namespace_of("/api/v1/namespaces//pods"), None);
    }

    #[test]
    fn nonsense_finds_nothing() {
        check("zzz", &[]);
        check("/zzz/yyy", &[]);
        let (resources, objects) = world();
        assert!(complete(resources.iter(), &mut objects.iter(), "default", "zzz").is_empty());
    }
}
