//! How requests to a subresource, or to a resource that is never stored, are answered.

/// How requests to a subresource, or to a resource that is never stored, are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
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
    /// Reports whether a request may say by the uid in its metadata which object it is for, as a subresource of that.
    pub(crate) fn keeps_metadata(self) -> bool {
        matches!(self, Self::Binding | Self::TokenRequest)
    }

    /// Reports whether its requests have options of their own.
    pub(crate) fn has_options(self) -> bool {
        self.connects() || matches!(self, Self::Log)
    }

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
