//! Rules of audit policies, and the requests that they are for.

use apimachinery::Attributes;

use super::Verdict;
use apimachinery::User;

/// A rule. Of empty lists each is for all there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) verdict: Verdict,
    pub(super) users: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) resources: Vec<GroupResources>,
    /// The namespaces; the empty one is that of what is in none.
    pub(super) namespaces: Vec<String>,
    /// The paths that are not of resources; `*` at the end is for any text.
    pub(super) urls: Vec<String>,
}

/// Resources of an API group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupResources {
    /// The group; `*` for all.
    pub(super) group: String,
    /// `pods`, `pods/log`, `pods/*`, `*/scale`, `*`
    pub(super) resources: Vec<String>,
    pub(super) names: Vec<String>,
}

impl Rule {
    /// Reports whether it is for a request of a user.
    pub(super) fn matches(&self, user: Option<&User>, asked: &Attributes) -> bool {
        let is_of = |list: &[String], text: &str| list.is_empty() || list.iter().any(|one| one == text);
        let is_users = match user {
            Some(user) => {
                is_of(&self.users, &user.name)
                    && (self.groups.is_empty() || user.groups.iter().any(|group| self.groups.contains(group)))
            }
            None => self.users.is_empty() && self.groups.is_empty(),
        };
        if !is_users || !is_of(&self.verbs, &asked.verb) {
            return false;
        }
        if !self.namespaces.is_empty() || !self.resources.is_empty() {
            return asked.is_resource
                && is_of(&self.namespaces, &asked.namespace)
                && (self.resources.is_empty() || self.resources.iter().any(|one| one.matches(asked)));
        }
        self.urls.is_empty() || !asked.is_resource && self.urls.iter().any(|url| is_path_of(&asked.path, url))
    }
}

/// Reports whether a path is one of those that a rule names.
fn is_path_of(path: &str, url: &str) -> bool {
    url == "*" || url == path || url.ends_with('*') && path.starts_with(url.trim_end_matches('*'))
}

impl GroupResources {
    fn matches(&self, asked: &Attributes) -> bool {
        let is_group = self.group == "*" || self.group == asked.group;
        let is_named = self.names.is_empty() || self.names.contains(&asked.name);
        is_group
            && (self.resources.is_empty() || is_named && self.resources.iter().any(|one| is_of(asked, one)))
    }
}

/// Reports whether a request is for a resource as a rule names it. `pods/*` are the pods themselves, too.
fn is_of(asked: &Attributes, named: &str) -> bool {
    let (resource, part) = (asked.resource.as_str(), asked.subresource.as_str());
    let is_whole = match named.split_once('/') {
        None => part.is_empty() && named == resource,
        Some((first, rest)) => first == resource && rest == part && !part.is_empty(),
    };
    is_whole
        || named == "*"
        || !part.is_empty() && named.strip_prefix("*/") == Some(part)
        || named.strip_suffix("/*") == Some(resource)
}
