//! Subresources: parts of an object, an object in the form of another kind, and requests that concern an object. This
//! is the table of them; the handlers are in [`handlers`](crate::handlers), what a write of a part keeps is in
//! [`registry`](crate::registry).
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use crate::route::Target;

/// How requests to a subresource, or to a resource that is never stored, are answered. It names no functions: what names
/// them is in every program, and leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As those to the object, of which it is a part.
    Part,
    /// As those to the object, which it shows as a `Scale`.
    Scale,
    /// By a function of its own.
    Action(Action),
}

/// A request that is about something other than a stored object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Attach,
    Binding,
    ComponentStatuses,
    Eviction,
    Exec,
    Log,
    PortForward,
    ProxyNode,
    ProxyPod,
    ProxyService,
    SelfSubjectAccessReview,
    SelfSubjectReview,
    SelfSubjectRulesReview,
    SubjectAccessReview,
    TokenRequest,
    TokenReview,
}

impl Action {
    /// Reports whether it is a CONNECT: then a GET of it is admitted as a write is.
    pub(crate) fn connects(self) -> bool {
        matches!(
            self,
            Self::Attach
                | Self::Exec
                | Self::PortForward
                | Self::ProxyNode
                | Self::ProxyPod
                | Self::ProxyService
        )
    }
}

/// Group, resource and subresource, and how it is answered.
const KINDS: &[(&str, &str, &str, Kind)] = &[
    ("", "bindings", "", Kind::Action(Action::Binding)),
    ("", "componentstatuses", "", Kind::Action(Action::ComponentStatuses)),
    ("", "nodes", "proxy", Kind::Action(Action::ProxyNode)),
    ("", "pods", "attach", Kind::Action(Action::Attach)),
    ("", "pods", "binding", Kind::Action(Action::Binding)),
    ("", "pods", "eviction", Kind::Action(Action::Eviction)),
    ("", "pods", "exec", Kind::Action(Action::Exec)),
    ("", "pods", "log", Kind::Action(Action::Log)),
    ("", "pods", "portforward", Kind::Action(Action::PortForward)),
    ("", "pods", "proxy", Kind::Action(Action::ProxyPod)),
    ("", "replicationcontrollers", "scale", Kind::Scale),
    ("", "serviceaccounts", "token", Kind::Action(Action::TokenRequest)),
    ("", "services", "proxy", Kind::Action(Action::ProxyService)),
    ("apps", "deployments", "scale", Kind::Scale),
    ("apps", "replicasets", "scale", Kind::Scale),
    ("apps", "statefulsets", "scale", Kind::Scale),
    ("authentication.k8s.io", "selfsubjectreviews", "", Kind::Action(Action::SelfSubjectReview)),
    ("authentication.k8s.io", "tokenreviews", "", Kind::Action(Action::TokenReview)),
    ("authorization.k8s.io", "localsubjectaccessreviews", "", Kind::Action(Action::SubjectAccessReview)),
    ("authorization.k8s.io", "selfsubjectaccessreviews", "", Kind::Action(Action::SelfSubjectAccessReview)),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "", Kind::Action(Action::SelfSubjectRulesReview)),
    ("authorization.k8s.io", "subjectaccessreviews", "", Kind::Action(Action::SubjectAccessReview)),
];

/// How requests to `target` are answered; `None` if it is not served.
pub(crate) fn kind_of(target: &Target) -> Option<Kind> {
    let resource = &target.resource;
    let (group, name) = (resource.group.as_str(), resource.name.as_str());
    let key = (group, name, target.subresource.as_str());
    match KINDS.iter().find(|row| (row.0, row.1, row.2) == key) {
        Some(row) => Some(row.3),
        None if resource.extension.is_some() && target.subresource == "scale" => Some(Kind::Scale),
        None if target.subresource.is_empty() => resource.allows("get").then_some(Kind::Part),
        None => part_of(&resource.group, &resource.name, &target.subresource).map(|_| Kind::Part),
    }
}

/// A part, by what a write of it keeps. It names no functions: what names them is in every program, and leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Approval,
    EphemeralContainers,
    Finalizers,
    Resources,
    Status,
    StatusOfRequest,
    StatusOfVolume,
}

/// Group, resource, subresource, and its part.
const PARTS: &[(&str, &str, &str, Part)] = &[
    ("", "namespaces", "finalize", Part::Finalizers),
    ("", "persistentvolumes", "status", Part::StatusOfVolume),
    ("", "pods", "ephemeralcontainers", Part::EphemeralContainers),
    ("", "pods", "resize", Part::Resources),
    ("certificates.k8s.io", "certificatesigningrequests", "approval", Part::Approval),
    ("certificates.k8s.io", "certificatesigningrequests", "status", Part::StatusOfRequest),
];

/// Returns the part that a subresource is; `None` if it is not a part of its object.
pub(crate) fn part_of(group: &str, resource: &str, subresource: &str) -> Option<Part> {
    let row = PARTS.iter().find(|row| (row.0, row.1, row.2) == (group, resource, subresource));
    row.map(|row| row.3).or_else(|| (subresource == "status").then_some(Part::Status))
}
