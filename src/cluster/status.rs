//! A failing request's `Status`, in words.

use serde::Deserialize;

/// The API's answer to what it will not do.
/// See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/>.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Status {
    kind: String,
    status: String,
    /// A description of what happened.
    pub(crate) message: String,
    /// The same in one word, for programs.
    pub(crate) reason: String,
    /// The HTTP status code.
    pub(crate) code: u16,
    /// More about it.
    pub(crate) details: Details,
    /// The metadata, whose token lets an expired list continue, if inconsistently.
    pub(crate) metadata: ListMeta,
}

/// The metadata of a [`Status`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct ListMeta {
    /// A continue token.
    #[serde(rename = "continue")]
    pub(crate) token: String,
}

impl Status {
    /// Returns the status of a failure that comes without a `Status`.
    pub(crate) fn plain(code: u16, message: String) -> Self {
        Self { code, message, ..Self::default() }
    }
}

/// The subject of a [`Status`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Details {
    /// The object's name.
    pub(crate) name: String,
    /// The resource of the object; if the object is invalid, its kind.
    pub(crate) kind: String,
    /// The single things that are wrong.
    pub(crate) causes: Vec<Cause>,
    /// When to try again.
    #[serde(rename = "retryAfterSeconds")]
    pub(crate) retry_after_seconds: u64,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Cause {
    /// In one word, for programs.
    pub(crate) reason: String,
    /// In words.
    pub(crate) message: String,
    /// The field of the object.
    pub(crate) field: String,
}

/// The failure that `body` tells of, if it is a `Status` of one.
pub(crate) fn failure(body: &[u8]) -> Option<Status> {
    let status: Status = serde_json::from_slice(body).ok()?;
    (status.kind == "Status" && status.status == "Failure").then_some(status)
}

/// The words that go with an HTTP status code.
pub(crate) fn words(code: u16) -> &'static str {
    http::StatusCode::from_u16(code).ok().and_then(|code| code.canonical_reason()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_failure() {
        let body = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Invalid",
            "details":{"name":"a","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.x"}]},"code":422}"#;
        let status = failure(body).unwrap();
        assert_eq!((status.message.as_str(), status.reason.as_str(), status.code), ("no", "Invalid", 422));
        assert_eq!(status.details.causes[0].field, "spec.x");
        assert_eq!(words(status.code), "Unprocessable Entity");
    }

    #[test]
    fn takes_nothing_else_for_one() {
        for body in [
            r#"{"kind":"Status","status":"Success","details":{"name":"a"}}"#,
            r#"{"kind":"ConfigMap","status":"Failure"}"#,
            r#"{"kind":"Pod","status":{"phase":"Running"}}"#,
            "404 page not found\n",
            "[]",
        ] {
            assert_eq!(failure(body.as_bytes()), None, "{body}");
        }
    }
}
