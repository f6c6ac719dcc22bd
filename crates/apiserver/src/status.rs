//! The `Status` that answers whatever goes wrong, and a few things that go right.
//!
//! <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#status-v1-meta>

use field::quote;
use json_tree::{Map, Value, json};

use apimachinery::Attributes;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// Why a request failed, and the HTTP status code that says so.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason { $($(#[$doc])* $name,)* }

        impl Reason {
            /// All of them.
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// The HTTP status code.
            pub(crate) fn code(self) -> u16 {
                match self { $(Self::$name => $code,)* }
            }

            /// The reason as the answer spells it. [`Reason::Unknown`] is not spelled: it is left out.
            pub(crate) fn as_str(self) -> &'static str {
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
pub(crate) const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// One reason among several, often about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    /// A machine-readable word; may be empty.
    pub reason: String,
    /// A description of what is wrong.
    pub message: String,
    /// The path of the field that it is about; may be empty.
    pub field: String,
}

/// The details of a [`Status`]: the object that it is about. Empty strings and `None` are left out of the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Details {
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
pub(crate) struct Status {
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
pub(crate) struct Subject<'a> {
    /// API group; empty for core.
    pub group: &'a str,
    /// The resource, plural.
    pub resource: &'a str,
    /// The object's name.
    pub name: &'a str,
}

impl Subject<'_> {
    /// `deployments.apps`, or `pods` in the core group.
    pub(crate) fn qualified(&self) -> String {
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
    fn new(reason: Reason, message: impl Into<String>, details: Option<Details>) -> Box<Self> {
        Box::new(Self {
            code: reason.code(),
            reason,
            other_reason: String::new(),
            message: message.into(),
            details,
            continue_token: None,
            warnings: Vec::new(),
        })
    }

    /// The same failure of a request that has earned warnings before it failed.
    pub(crate) fn warned(mut self: Box<Self>, warnings: Vec<String>) -> Box<Self> {
        self.warnings.extend(warnings);
        self
    }

    /// 400: the request cannot be understood.
    pub(crate) fn bad_request(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::BadRequest, message, None)
    }

    /// 401: the bearer token is not known.
    pub(crate) fn unauthorized() -> Box<Self> {
        Self::new(Reason::Unauthorized, "Unauthorized", None)
    }

    /// 403: `subject` is refused, which may have no name, or be no resource at all.
    pub(crate) fn forbidden(subject: Subject<'_>, why: &str) -> Box<Self> {
        let message = match (subject.resource, subject.name) {
            ("", _) => format!("forbidden: {why}"),
            (_, "") => format!("{} is forbidden: {why}", subject.qualified()),
            (_, name) => format!("{} {} is forbidden: {why}", subject.qualified(), quote(name)),
        };
        Self::new(Reason::Forbidden, message, Some(subject.details()))
    }

    /// 403: `user` may not do what is asked; `reason` is what is known of why.
    pub(crate) fn forbidden_access(user: &str, asked: &Attributes, reason: &str) -> Box<Self> {
        let user = quote(user);
        let mut why = if asked.is_resource {
            let slash = if asked.subresource.is_empty() { "" } else { "/" };
            let resource = quote(&[&asked.resource, slash, &asked.subresource].concat());
            let scope = if asked.namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {}", quote(&asked.namespace))
            };
            let (verb, group) = (&asked.verb, quote(&asked.group));
            format!("User {user} cannot {verb} resource {resource} in API group {group} {scope}")
        } else {
            format!("User {user} cannot {} path {}", asked.verb, quote(&asked.path))
        };
        why = sanitized(why);
        if !reason.is_empty() {
            why.push_str(": ");
            why.push_str(reason);
        }
        Self::forbidden(Subject { group: &asked.group, resource: &asked.resource, name: &asked.name }, &why)
    }

    /// 404: `subject` is not there.
    pub(crate) fn not_found(subject: Subject<'_>) -> Box<Self> {
        let message = format!("{} \"{}\" not found", subject.qualified(), subject.name);
        Self::new(Reason::NotFound, message, Some(subject.details()))
    }

    /// 404: nothing is served at that path.
    pub(crate) fn path_not_found() -> Box<Self> {
        let message = "the server could not find the requested resource";
        Self::new(Reason::NotFound, message, Some(Details::default()))
    }

    /// 405: the verb is not one of the resource's.
    pub(crate) fn method_not_allowed() -> Box<Self> {
        let message = "the server does not allow this method on the requested resource";
        Self::new(Reason::MethodNotAllowed, message, Some(Details::default()))
    }

    /// 405: there are objects, but this cannot be done with them.
    pub(crate) fn method_not_supported(subject: Subject<'_>, verb: &str) -> Box<Self> {
        let message = format!("{verb} is not supported on resources of kind \"{}\"", subject.qualified());
        Self::new(Reason::MethodNotAllowed, message, Some(subject.details()))
    }

    /// 406: none of `offered` is accepted.
    pub(crate) fn not_acceptable(offered: &str) -> Box<Self> {
        let message = format!("only the following media types are accepted: {offered}");
        Self::new(Reason::NotAcceptable, message, None)
    }

    /// 406: the object, or the list, is not what was asked for.
    pub(crate) fn cannot_present(why: String) -> Box<Self> {
        Self::new(Reason::NotAcceptable, why, None)
    }

    /// 406 as the handlers of `/api` and `/version` say it.
    pub(crate) fn no_representation(offered: &str) -> Box<Self> {
        let message = format!("406: Not Acceptable\n\nAvailable representations: {offered}");
        Self::new(Reason::NotAcceptable, message, Some(Details::default()))
    }

    /// 409: `subject` is there already.
    pub(crate) fn already_exists(subject: Subject<'_>) -> Box<Self> {
        let message = format!("{} \"{}\" already exists", subject.qualified(), subject.name);
        Self::new(Reason::AlreadyExists, message, Some(subject.details()))
    }

    /// 409: `subject` is not as the request expects it.
    pub(crate) fn conflict(subject: Subject<'_>, why: &str) -> Box<Self> {
        let message =
            format!("Operation cannot be fulfilled on {} \"{}\": {why}", subject.qualified(), subject.name);
        Self::new(Reason::Conflict, message, Some(subject.details()))
    }

    /// 409: others manage what an applied configuration would change.
    pub(crate) fn apply_conflict(message: String, causes: Vec<Cause>) -> Box<Self> {
        Self::new(Reason::Conflict, message, Some(Details { causes, ..Details::default() }))
    }

    /// 410: the version has been compacted.
    pub(crate) fn expired(message: &str) -> Box<Self> {
        Self::new(Reason::Expired, message, None)
    }

    /// 410: the version of a continue token has been compacted. `fresh` goes on in the present state.
    pub(crate) fn continue_expired(fresh: String) -> Box<Self> {
        let message = "The provided continue parameter is too old to display a consistent list result. You can \
                       start a new list without the continue parameter, or use the continue token in this response \
                       to retrieve the remainder of the results. Continuing with the provided token results in an \
                       inconsistent list - objects that were created, modified, or deleted between the time the \
                       first chunk was returned and now may show up in the list.";
        let mut status = Self::new(Reason::Expired, message, None);
        status.continue_token = Some(fresh);
        status
    }

    /// 413: the body is over `limit` bytes.
    pub(crate) fn too_large(limit: usize) -> Box<Self> {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(Reason::RequestEntityTooLarge, message, None)
    }

    /// 415: none of `known` media types.
    pub(crate) fn unsupported_media_type(known: &str) -> Box<Self> {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {known}"
        );
        Self::new(Reason::UnsupportedMediaType, message, None)
    }

    /// 415 as the router says it, before a handler has looked.
    pub(crate) fn unsupported_patch_type() -> Box<Self> {
        let message = "415: Unsupported Media Type";
        Self::new(Reason::UnsupportedMediaType, message, Some(Details::default()))
    }

    /// 422: an object of `kind` (or `resource`, in the few errors that say that) breaks rules. Causes that are
    /// the same stand once in the message and as often as they came in `causes`.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, errors: &[field::Error]) -> Box<Self> {
        let (errors, more) = match errors.split_at_checked(field::MOST_ERRORS) {
            Some((first, [_, ..])) => (first, ", and more errors, which are left out"),
            _ => (errors, ""),
        };
        let message =
            format!("{} \"{name}\" is invalid: {}{more}", qualified(kind, group), field::aggregate(errors));
        let causes = errors
            .iter()
            .map(|error| Cause {
                reason: error.reason().to_owned(),
                message: error.message(),
                field: error.field.clone(),
            })
            .collect();
        let details = Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes,
            ..Details::default()
        };
        Self::new(Reason::Invalid, message, Some(details))
    }

    /// The same 409, of an object whose name was to be generated: to send it again may help.
    pub(crate) fn generate_name_conflict(mut self: Box<Self>) -> Box<Self> {
        self.message.push_str(", the server was not able to generate a unique name for the object");
        self.details.get_or_insert_default().retry_after_seconds = Some(1);
        self
    }

    /// 413: a JSON Patch has too many operations; `message` says how many.
    pub(crate) fn too_many_operations(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::RequestEntityTooLarge, message, None)
    }

    /// 422: a patch does not fit the object. More is not said.
    pub(crate) fn unprocessable(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::Invalid, message, Some(Details::default()))
    }

    /// 429: not now. `seconds` from now it makes sense to try again, if that is known.
    pub(crate) fn too_many_requests(message: &str, seconds: Option<u32>) -> Box<Self> {
        let details = Details { retry_after_seconds: seconds, ..Details::default() };
        Self::new(Reason::TooManyRequests, message, Some(details))
    }

    /// The same failure, with what has caused it.
    pub(crate) fn caused(mut self: Box<Self>, reason: &str, message: String) -> Box<Self> {
        let cause = Cause { reason: reason.to_owned(), message, field: String::new() };
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// 500 without a reason, as kube-apiserver answers for errors that it did not classify.
    pub(crate) fn unclassified(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::Unknown, message, None)
    }

    /// 503: the server, or what the request is to be passed on to, cannot be reached now.
    pub(crate) fn service_unavailable(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::ServiceUnavailable, message, None)
    }

    /// 504: `requested` lies in the future of `current`.
    pub(crate) fn too_large_resource_version(requested: u64, current: u64) -> Box<Self> {
        let details = Details {
            causes: vec![Cause {
                reason: "ResourceVersionTooLarge".to_owned(),
                message: "Too large resource version".to_owned(),
                field: String::new(),
            }],
            retry_after_seconds: Some(1),
            ..Details::default()
        };
        let message = format!("Timeout: Too large resource version: {requested}, current: {current}");
        Self::new(Reason::Timeout, message, Some(details))
    }

    /// The same where nobody has waited: there is no hint when to try again.
    pub(crate) fn too_large_at_once(requested: u64, current: u64) -> Box<Self> {
        let mut status = Self::too_large_resource_version(requested, current);
        status.details.get_or_insert_default().retry_after_seconds = None;
        status
    }

    /// 504: the time is over that the client, or the server, gives a request.
    pub(crate) fn timeout() -> Box<Self> {
        let message = "Timeout: request did not complete within the allotted timeout";
        Self::new(Reason::Timeout, message, Some(Details::default()))
    }

    /// 500: what the server cannot do, though it should.
    pub(crate) fn internal_error(why: impl Into<String>) -> Box<Self> {
        let why = why.into();
        let message = ["Internal error occurred: ", &why].concat();
        let cause = Cause { reason: String::new(), message: why, field: String::new() };
        Self::new(Reason::InternalError, message, Some(Details { causes: vec![cause], ..Details::default() }))
    }

    /// The refusal by somebody else, who says why in their own words.
    pub(crate) fn refused_elsewhere(
        code: u16,
        reason: &str,
        message: String,
        details: Option<Details>,
    ) -> Box<Self> {
        let known =
            Reason::ALL.iter().copied().find(|known| *known != Reason::Unknown && known.as_str() == reason);
        let mut status = Self::new(known.unwrap_or(Reason::Unknown), message, details);
        status.code = code;
        if known.is_none() {
            reason.clone_into(&mut status.other_reason);
        }
        status
    }

    /// The body of an answer to a deletion that is done.
    pub(crate) fn success(details: &Details) -> Value {
        let mut object = head("Success");
        object.insert("details".to_owned(), details.to_value());
        Value::Object(object)
    }

    /// The body of an answer that says no more than that all went well.
    pub(crate) fn done(code: u16) -> Value {
        let mut object = head("Success");
        object.insert("code".to_owned(), code.into());
        Value::Object(object)
    }

    /// The answer's body, keys in kube-apiserver's order.
    pub(crate) fn to_value(&self) -> Value {
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
pub(crate) fn sanitized(mut text: String) -> String {
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
