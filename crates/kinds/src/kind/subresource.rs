//! How requests to a subresource, or to a resource that is never stored, are answered.

/// How requests to a subresource, or to a resource that is never stored, are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// As those to the object, of which it is a part.
    Part,
    /// As those to the object, which it shows as a `Scale`.
    Scale,
    /// By a function of its own.
    Action(Action),
}

/// A request that is about something other than a stored object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Connects to the main process of a container.
    Attach,
    /// Binds a Pod to a node.
    Binding,
    /// Reads ComponentStatuses, which are not stored.
    ComponentStatuses,
    /// Deletes a Pod, if its budgets allow that.
    Eviction,
    /// Runs a command in a container.
    Exec,
    /// Reads the log of a container.
    Log,
    /// Connects to ports of a Pod.
    PortForward,
    /// Passes a request on to a node.
    ProxyNode,
    /// Passes a request on to a Pod.
    ProxyPod,
    /// Passes a request on to a Service.
    ProxyService,
    /// Tells whether its sender may do something.
    SelfSubjectAccessReview,
    /// Tells who its sender is.
    SelfSubjectReview,
    /// Tells what its sender may do in a namespace.
    SelfSubjectRulesReview,
    /// Tells whether somebody may do something.
    SubjectAccessReview,
    /// Makes a token for a ServiceAccount.
    TokenRequest,
    /// Tells whose a token is.
    TokenReview,
}

impl Action {
    /// Reports whether a request may say by the uid in its metadata which object it is for, as a subresource of that.
    pub fn keeps_metadata(self) -> bool {
        matches!(self, Self::Binding | Self::TokenRequest)
    }

    /// Reports whether its requests have options of their own.
    pub fn has_options(self) -> bool {
        self.connects() || matches!(self, Self::Log)
    }

    /// Reports whether it is a CONNECT: then a GET of it is admitted as a write is.
    pub fn connects(self) -> bool {
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
