//! Reading `facts/resources.txt`.
//!
//! One line for each group and version, resource and subresource, in this form:
//!
//! ```text
//! # a comment
//! @apps/v1 k8s.io/api/apps/v1
//! deployments Deployment deployment namespaced short=deploy categories=all
//!  scale Scale@autoscaling/v1 get,patch,update
//!  status = get,patch,update
//! ```
//!
//! A version comes with the Go package of its types. A resource has its name, kind, singular name and
//! scope; then `verbs=` if it has not all eight of them, `short=`, `categories=`, and `stored=` with the
//! group, version and resource in which its objects are stored, if it is not its own. A subresource has
//! its name, its kind (`=` for the resource's) and its verbs.

use std::collections::HashMap;

use super::{Described, Resource, Storage, Subresource};
use crate::types::TableError;

/// The verbs of most resources.
const ALL_VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";

pub(super) fn parse(text: &'static str) -> Result<Vec<Resource>, TableError> {
    let lines = || (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut packages = HashMap::new();
    for (number, line) in lines() {
        if let Some(rest) = line.strip_prefix('@') {
            let Some((version, package)) = rest.split_once(' ') else {
                return Err(wrong(number, "a version comes with a package"));
            };
            packages.insert(version, package);
        }
    }
    let reader = Reader { packages };
    let mut version = "";
    let mut resources: Vec<Resource> = Vec::new();
    for (number, line) in lines() {
        if let Some(rest) = line.strip_prefix('@') {
            version = rest.split(' ').next().unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix(' ') {
            let Some(resource) = resources.last_mut() else {
                return Err(wrong(number, "a subresource stands before any resource"));
            };
            let Some(subresource) = reader.subresource(rest, resource, version) else {
                return Err(wrong(number, "a subresource has a name, a kind and verbs"));
            };
            resource.subresources.push(subresource);
        } else {
            resources.push(reader.resource(line, version).map_err(|message| wrong(number, message))?);
        }
    }
    Ok(resources)
}

fn wrong(line: usize, message: &str) -> TableError {
    TableError { line, message: message.to_owned() }
}

struct Reader {
    packages: HashMap<&'static str, &'static str>,
}

impl Reader {
    fn resource(&self, line: &str, version: &str) -> Result<Resource, &'static str> {
        let mut words = line.split(' ');
        let (Some(name), Some(kind), Some(singular), Some(scope)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err("a resource has a name, a kind, a singular name and a scope");
        };
        let namespaced = match scope {
            "namespaced" => true,
            "cluster" => false,
            _ => return Err("a scope is namespaced or cluster"),
        };
        let (group, short_version) = split(version);
        let mut resource = Resource {
            group: group.to_owned(),
            version: short_version.to_owned(),
            name: name.to_owned(),
            singular: singular.to_owned(),
            kind: kind.to_owned(),
            list_kind: String::new(),
            namespaced,
            verbs: list(ALL_VERBS),
            short_names: Vec::new(),
            categories: Vec::new(),
            described: Described::within(self.packages.get(version).copied()),
            subresources: Vec::new(),
            storage: Storage {
                group: group.to_owned(),
                version: short_version.to_owned(),
                resource: name.to_owned(),
            },
        };
        for word in words {
            match word.split_once('=') {
                Some(("verbs", verbs)) => resource.verbs = list(verbs),
                Some(("short", names)) => resource.short_names = list(names),
                Some(("categories", categories)) => resource.categories = list(categories),
                Some(("stored", place)) => resource.storage = storage(place).ok_or("where is it stored?")?,
                _ => return Err("unknown mark of a resource"),
            }
        }
        if resource.allows("list") {
            resource.list_kind = format!("{kind}List");
        }
        Ok(resource)
    }

    fn subresource(&self, line: &str, resource: &Resource, version: &str) -> Option<Subresource> {
        let mut words = line.split(' ');
        let (name, kind, verbs) = (words.next()?, words.next()?, words.next()?);
        let (kind, version) = kind.split_once('@').unwrap_or((kind, version));
        let kind = if kind == "=" { resource.kind.as_str() } else { kind };
        let (group, short_version) = split(version);
        Some(Subresource {
            name: name.to_owned(),
            group: group.to_owned(),
            version: short_version.to_owned(),
            kind: kind.to_owned(),
            described: Described::within(self.packages.get(version).copied()),
            verbs: list(verbs),
        })
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

/// Group and version of `apps/v1` or, in the core group, `v1`.
fn split(version: &str) -> (&str, &str) {
    version.split_once('/').unwrap_or(("", version))
}

fn storage(place: &str) -> Option<Storage> {
    let mut parts = place.split('/').map(str::to_owned);
    Some(Storage { group: parts.next()?, version: parts.next()?, resource: parts.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &'static str, expected: &str) {
        let error = parse(text).expect_err("not in the form");
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn says_which_line_is_wrong() {
        check("@v1\n", "line 1: a version comes with a package");
        check("@v1 p\n status = get\n", "line 2: a subresource stands before any resource");
        check("@v1 p\npods Pod\n", "line 2: a resource has a name, a kind, a singular name and a scope");
        check("@v1 p\npods Pod pod here\n", "line 2: a scope is namespaced or cluster");
        check("@v1 p\npods Pod pod cluster big\n", "line 2: unknown mark of a resource");
        check("@v1 p\npods Pod pod cluster stored=v1\n", "line 2: where is it stored?");
        check(
            "@v1 p\npods Pod pod cluster\n status =\n",
            "line 3: a subresource has a name, a kind and verbs",
        );
    }
}
