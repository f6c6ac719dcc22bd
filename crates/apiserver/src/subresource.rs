//! Subresources: parts of an object, an object in the form of another kind, and requests that concern an object. The
//! handlers are in [`handlers`](crate::handlers), what a write of a part keeps is in the strategy of the kind.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use kinds::kind::Subresource;

use crate::route::Target;

/// How requests to `target` are answered; `None` if it is not served.
pub(crate) fn find(target: &Target) -> Option<Subresource> {
    let resource = &target.resource;
    match resource.facts().subresource(&target.subresource) {
        Some(subresource) => Some(subresource),
        None if resource.is_custom() && target.subresource == "scale" => Some(Subresource::Scale),
        None if target.subresource.is_empty() => resource.allows("get").then_some(Subresource::Part),
        None => (target.subresource == "status").then_some(Subresource::Part),
    }
}
