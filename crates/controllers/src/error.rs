//! Errors of requests.

use json_tree::Value;

/// The cause by which a refused write says that its namespace is being deleted.
const NAMESPACE_TERMINATING: &str = "NamespaceTerminating";

/// The reason why a controller could not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// The API server refused a request: the reason, the message and the causes of the Status.
    #[error("{message}")]
    Status { code: u16, reason: String, message: String, causes: Vec<String> },
    /// The connection broke before a response came.
    #[error("unexpected EOF")]
    Cut,
    /// Somebody has cut the client off on purpose.
    #[error("the API server cannot be reached")]
    CutOff,
    /// Any other, in one sentence.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Reads a Status.
    pub(crate) fn of_status(code: u16, status: &Value) -> Self {
        let causes = status.pointer("/details/causes").and_then(Value::as_array);
        Self::Status {
            code,
            reason: status.text("reason").to_owned(),
            message: status.text("message").to_owned(),
            causes: causes.into_iter().flatten().map(|cause| cause.text("reason").to_owned()).collect(),
        }
    }

    /// Returns this error with a text before its own. What a server has refused stays that.
    pub(crate) fn context(&self, text: &str) -> Self {
        let said = format!("{text}: {self}");
        match self.clone() {
            Self::Status { code, reason, causes, .. } => Self::Status { code, reason, message: said, causes },
            _ => Self::Other(said),
        }
    }

    fn has_reason(&self, wanted: &str) -> bool {
        matches!(self, Self::Status { reason, .. } if reason == wanted)
    }

    pub(crate) fn is_not_found(&self) -> bool {
        self.has_reason("NotFound")
    }

    pub(crate) fn is_conflict(&self) -> bool {
        self.has_reason("Conflict")
    }

    pub(crate) fn is_already_exists(&self) -> bool {
        self.has_reason("AlreadyExists")
    }

    pub(crate) fn is_invalid(&self) -> bool {
        self.has_reason("Invalid")
    }

    pub(crate) fn is_method_not_supported(&self) -> bool {
        self.has_reason("MethodNotAllowed")
    }

    pub(crate) fn is_unsupported_media_type(&self) -> bool {
        self.has_reason("UnsupportedMediaType")
    }

    /// Reports whether the resource version that was asked for is too old.
    pub(crate) fn is_expired(&self) -> bool {
        matches!(self, Self::Status { code: 410, .. })
    }

    /// Reports whether a write was refused because its namespace is being deleted.
    pub(crate) fn is_namespace_terminating(&self) -> bool {
        matches!(self, Self::Status { causes, .. } if causes.iter().any(|cause| cause == NAMESPACE_TERMINATING))
    }
}
