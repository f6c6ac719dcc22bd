//! Times that parts of a request took: noted while it is handled, counted by the instruments.

use std::time::Duration;

/// A part of a request, and the time that it took.
pub(crate) struct Measure {
    pub(crate) part: Part,
    /// The operation that admission was about: `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub(crate) operation: &'static str,
    /// True if the request was refused there.
    pub(crate) rejected: bool,
    pub(crate) took: Duration,
}

/// A part of a request.
pub(crate) enum Part {
    /// Changes by policies and webhooks.
    Admit,
    /// Decisions of policies and webhooks.
    Validate,
    /// The call of a webhook.
    Webhook {
        name: String,
        /// True if it is one that changes objects.
        mutating: bool,
        outcome: WebhookOutcome,
    },
}

/// The outcome of the call of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebhookOutcome {
    /// It allows the request.
    Allowed,
    /// It refuses the request, with this code.
    Denied(u16),
    /// It could not be called.
    Failed,
    /// The server could not ask it.
    Unasked,
}
