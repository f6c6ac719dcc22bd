//! Subresources: parts of an object, an object in the form of another kind, and requests that concern an object. The
//! handlers are in [`handlers`](crate::handlers), what a write of a part keeps is in the strategy of the kind.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use crate::kind::Subresource;
use crate::kinds;
use crate::route::Target;

/// How requests to `target` are answered; `None` if it is not served.
pub(crate) fn find(target: &Target) -> Option<Subresource> {
    let resource = &target.resource;
    match own(&resource.group, &resource.name, &target.subresource) {
        Some(subresource) => Some(subresource),
        None if resource.extension.is_some() && target.subresource == "scale" => Some(Subresource::Scale),
        None if target.subresource.is_empty() => resource.allows("get").then_some(Subresource::Part),
        None => (target.subresource == "status").then_some(Subresource::Part),
    }
}

/// Reports whether a subresource is a part of its object.
pub(crate) fn is_part(group: &str, resource: &str, subresource: &str) -> bool {
    subresource == "status" || own(group, resource, subresource) == Some(Subresource::Part)
}

/// Returns what the kind says of a subresource.
fn own(group: &str, resource: &str, subresource: &str) -> Option<Subresource> {
    let rows = kinds::facts(group, resource).subresources;
    rows.iter().find(|(name, _)| *name == subresource).map(|(_, subresource)| *subresource)
}
