//! The `Status` that answers whatever goes wrong, and a few things that go right.
//!
//! <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#status-v1-meta>

use json_tree::{Map, Value, json};

mod errors;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// Why a request failed, and the HTTP status code that says so.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason { $($(#[$doc])* $name,)* }

        impl Reason {
            /// All of them.
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// The HTTP status code.
            pub fn code(self) -> u16 {
                match self { $(Self::$name => $code,)* }
            }

            /// The reason as the answer spells it. [`Reason::Unknown`] is not spelled: it is left out.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }
    };
}

reasons! {
    /// An error that kube-apiserver has no reason for; its `Status` carries none.
    Unknown = 500,
    /// The request cannot be understood.
    BadRequest = 400,
    /// The bearer token is not known.
    Unauthorized = 401,
    /// Admission or authorization refuses.
    Forbidden = 403,
    /// No such object, or no such path.
    NotFound = 404,
    /// The resource does not have this verb.
    MethodNotAllowed = 405,
    /// No offered media type is accepted.
    NotAcceptable = 406,
    /// The object to create is there already.
    AlreadyExists = 409,
    /// The object is not as the request expects it.
    Conflict = 409,
    /// The resource version has been compacted.
    Expired = 410,
    /// The body is over the limit.
    RequestEntityTooLarge = 413,
    /// The body's media type is not known.
    UnsupportedMediaType = 415,
    /// The object, or an option, breaks a rule.
    Invalid = 422,
    /// It would be allowed at another time.
    TooManyRequests = 429,
    /// The server has a fault, and knows it.
    InternalError = 500,
    /// The server, or what the request is to be passed on to, cannot be reached now.
    ServiceUnavailable = 503,
    /// The server did not get there in time.
    Timeout = 504,
}

/// The message of a conflict: another client wrote the object first.
pub const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// One reason among several, often about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// A machine-readable word; may be empty.
    pub reason: String,
    /// A description of what is wrong.
    pub message: String,
    /// The path of the field that it is about; may be empty.
    pub field: String,
}

/// The details of a [`Status`]: the object that it is about. Empty strings and `None` are left out of the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The object's name.
    pub name: String,
    /// The object's API group.
    pub group: String,
    /// The object's resource, or for validation errors its kind.
    pub kind: String,
    /// The object's uid.
    pub uid: String,
    /// The causes of the failure, one by one.
    pub causes: Vec<Cause>,
    /// After how many seconds it makes sense to try again.
    pub retry_after_seconds: Option<u32>,
}

/// An answer that is not an object: a failure, or the success of a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// Why. [`Reason::Unknown`] leaves it out.
    pub reason: Reason,
    /// Why, in the word of a webhook, if that is no [`Reason`].
    pub other_reason: String,
    /// A description of what happened, for people.
    pub message: String,
    /// The details of the object that it is about. `Some` of an empty one is written as `{}`.
    pub details: Option<Details>,
    /// The continue token at which an expired list can go on, if inconsistently.
    pub continue_token: Option<String>,
    /// The additional warnings of the response, in its headers.
    pub warnings: Vec<String>,
}

/// Whom a [`Status`] is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// API group; empty for core.
    pub group: &'a str,
    /// The resource, plural.
    pub resource: &'a str,
    /// The object's name.
    pub name: &'a str,
}

impl Subject<'_> {
    /// `deployments.apps`, or `pods` in the core group.
    pub fn qualified(&self) -> String {
        qualified(self.resource, self.group)
    }

    fn details(&self) -> Details {
        Details {
            name: self.name.to_owned(),
            group: self.group.to_owned(),
            kind: self.resource.to_owned(),
            ..Details::default()
        }
    }
}

fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

impl Status {
    /// The body of an answer to a deletion that is done.
    pub fn success(details: &Details) -> Value {
        let mut object = head("Success");
        object.insert("details".to_owned(), details.to_value());
        Value::Object(object)
    }

    /// The body of an answer that says no more than that all went well.
    pub fn done(code: u16) -> Value {
        let mut object = head("Success");
        object.insert("code".to_owned(), code.into());
        Value::Object(object)
    }

    /// The answer's body, keys in kube-apiserver's order.
    pub fn to_value(&self) -> Value {
        let mut object = head("Failure");
        if let Some(token) = &self.continue_token {
            object.insert("metadata".to_owned(), json!({ "continue": token }));
        }
        if !self.message.is_empty() {
            object.insert("message".to_owned(), self.message.clone().into());
        }
        if self.reason != Reason::Unknown {
            object.insert("reason".to_owned(), self.reason.as_str().into());
        } else if !self.other_reason.is_empty() {
            object.insert("reason".to_owned(), self.other_reason.as_str().into());
        }
        if let Some(details) = &self.details {
            object.insert("details".to_owned(), details.to_value());
        }
        object.insert("code".to_owned(), self.code.into());
        Value::Object(object)
    }
}

fn head(status: &str) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("kind".to_owned(), "Status".into());
    object.insert("apiVersion".to_owned(), "v1".into());
    object.insert("metadata".to_owned(), json!({}));
    object.insert("status".to_owned(), status.into());
    object
}

impl Details {
    fn to_value(&self) -> Value {
        let mut object = Map::new();
        let texts = [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            object.insert(key.to_owned(), text.as_str().into());
        }
        if !self.causes.is_empty() {
            object.insert("causes".to_owned(), self.causes.iter().map(Cause::to_value).collect());
        }
        if let Some(seconds) = self.retry_after_seconds {
            object.insert("retryAfterSeconds".to_owned(), seconds.into());
        }
        Value::Object(object)
    }
}

impl Cause {
    fn to_value(&self) -> Value {
        let texts = [("reason", &self.reason), ("message", &self.message), ("field", &self.field)];
        texts
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(key, text)| (key.to_owned(), Value::from(text.as_str())))
            .collect::<Map<_, _>>()
            .into()
    }
}

/// Escapes markup: kube-apiserver lets none through.
pub fn sanitized(mut text: String) -> String {
    for (mark, escaped) in [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;")] {
        if text.contains(mark) {
            text = text.replace(mark, escaped);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: &Status, code: u16, body: &str) {
        assert_eq!((status.code, status.to_value().to_string().as_str()), (code, body));
    }

    #[test]
    fn a_missing_object_is_named_with_its_group() {
        check(
            &Status::not_found(Subject { group: "apps", resource: "deployments", name: "web" }),
            404,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","details":{"name":"web","group":"apps","kind":"deployments"},"code":404}"#,
        );
    }

    #[test]
    fn an_unclassified_error_has_no_reason() {
        check(
            &Status::unclassified("broken"),
            500,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"broken","code":500}"#,
        );
    }

    #[test]
    fn a_future_version_says_when_to_try_again() {
        check(
            &Status::too_large_resource_version(9, 5),
            504,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}"#,
        );
    }
}
