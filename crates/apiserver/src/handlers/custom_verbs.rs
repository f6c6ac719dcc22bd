//! Requests to custom resources: which verbs there are.

use http::Method;

use crate::route::Target;
use apimachinery::status::{Status, Subject};

/// The place of the handler of custom resources, which one of its messages names.
const HANDLER: &str = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781";

/// Reports whether the path leads nowhere with this verb: in all namespaces, objects can be listed and watched, no
/// more.
pub(crate) fn is_nowhere(target: &Target, verb: &str) -> bool {
    let resource = &target.resource;
    resource.is_custom()
        && resource.namespaced
        && target.namespace.is_empty()
        && !["list", "watch"].contains(&verb)
}

/// Finds the verb of a request, and whether the resource has it.
pub(crate) fn verb(method: &Method, target: &Target) -> Result<&'static str, Box<Status>> {
    let resource = &target.resource;
    let subject = |name| Subject { group: &resource.group, resource: &resource.name, name };
    let part = target.subresource.as_str();
    if !part.is_empty() && resource.subresource(part).is_none() {
        return Err(Status::not_found(subject(&target.name)));
    }
    let verb = match (method.as_str(), target.name.is_empty()) {
        _ if target.watch => "watch",
        ("GET" | "HEAD", true) => "list",
        ("GET" | "HEAD", false) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "deletecollection",
        ("DELETE", false) => "delete",
        _ => "",
    };
    let of_part = ["get", "update", "patch"].contains(&verb);
    if verb.is_empty() || !part.is_empty() && !of_part {
        return Err(Status::method_not_supported(subject(""), verb));
    }
    if target.name.is_empty() && ["update", "patch"].contains(&verb) {
        return Err(Status::bad_request("name must be provided"));
    }
    Ok(verb)
}

/// 400: the body of a write to `scale` is no `Scale`.
pub(crate) fn no_scale() -> Box<Status> {
    Status::bad_request(["no kind is registered for the type v1.Scale in scheme \"", HANDLER, "\""].concat())
}
