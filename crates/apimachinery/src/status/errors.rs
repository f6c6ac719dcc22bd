//! The errors of kube-apiserver, each with its code, its reason and its message.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>

use field::quote;

use super::{Cause, Details, Reason, Status, Subject, qualified, sanitized};
use crate::Attributes;

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
    pub fn warned(mut self: Box<Self>, warnings: Vec<String>) -> Box<Self> {
        self.warnings.extend(warnings);
        self
    }

    /// 400: the request cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::BadRequest, message, None)
    }

    /// 401: the bearer token is not known.
    pub fn unauthorized() -> Box<Self> {
        Self::new(Reason::Unauthorized, "Unauthorized", None)
    }

    /// 403: `subject` is refused, which may have no name, or be no resource at all.
    pub fn forbidden(subject: Subject<'_>, why: &str) -> Box<Self> {
        let message = match (subject.resource, subject.name) {
            ("", _) => format!("forbidden: {why}"),
            (_, "") => format!("{} is forbidden: {why}", subject.qualified()),
            (_, name) => format!("{} {} is forbidden: {why}", subject.qualified(), quote(name)),
        };
        Self::new(Reason::Forbidden, message, Some(subject.details()))
    }

    /// 403: `user` may not do what is asked; `reason` is what is known of why.
    pub fn forbidden_access(user: &str, asked: &Attributes, reason: &str) -> Box<Self> {
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
    pub fn not_found(subject: Subject<'_>) -> Box<Self> {
        let message = format!("{} \"{}\" not found", subject.qualified(), subject.name);
        Self::new(Reason::NotFound, message, Some(subject.details()))
    }

    /// 404: nothing is served at that path.
    pub fn path_not_found() -> Box<Self> {
        let message = "the server could not find the requested resource";
        Self::new(Reason::NotFound, message, Some(Details::default()))
    }

    /// 405: the verb is not one of the resource's.
    pub fn method_not_allowed() -> Box<Self> {
        let message = "the server does not allow this method on the requested resource";
        Self::new(Reason::MethodNotAllowed, message, Some(Details::default()))
    }

    /// 405: there are objects, but this cannot be done with them.
    pub fn method_not_supported(subject: Subject<'_>, verb: &str) -> Box<Self> {
        let message = format!("{verb} is not supported on resources of kind \"{}\"", subject.qualified());
        Self::new(Reason::MethodNotAllowed, message, Some(subject.details()))
    }

    /// 406: none of `offered` is accepted.
    pub fn not_acceptable(offered: &str) -> Box<Self> {
        let message = format!("only the following media types are accepted: {offered}");
        Self::new(Reason::NotAcceptable, message, None)
    }

    /// 406: the object, or the list, is not what was asked for.
    pub fn cannot_present(why: String) -> Box<Self> {
        Self::new(Reason::NotAcceptable, why, None)
    }

    /// 406 as the handlers of `/api` and `/version` say it.
    pub fn no_representation(offered: &str) -> Box<Self> {
        let message = format!("406: Not Acceptable\n\nAvailable representations: {offered}");
        Self::new(Reason::NotAcceptable, message, Some(Details::default()))
    }

    /// 409: `subject` is there already.
    pub fn already_exists(subject: Subject<'_>) -> Box<Self> {
        let message = format!("{} \"{}\" already exists", subject.qualified(), subject.name);
        Self::new(Reason::AlreadyExists, message, Some(subject.details()))
    }

    /// 409: `subject` is not as the request expects it.
    pub fn conflict(subject: Subject<'_>, why: &str) -> Box<Self> {
        let message =
            format!("Operation cannot be fulfilled on {} \"{}\": {why}", subject.qualified(), subject.name);
        Self::new(Reason::Conflict, message, Some(subject.details()))
    }

    /// 409: others manage what an applied configuration would change.
    pub fn apply_conflict(message: String, causes: Vec<Cause>) -> Box<Self> {
        Self::new(Reason::Conflict, message, Some(Details { causes, ..Details::default() }))
    }

    /// 410: the version has been compacted.
    pub fn expired(message: &str) -> Box<Self> {
        Self::new(Reason::Expired, message, None)
    }

    /// 410: the version of a continue token has been compacted. `fresh` goes on in the present state.
    pub fn continue_expired(fresh: String) -> Box<Self> {
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
    pub fn too_large(limit: usize) -> Box<Self> {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(Reason::RequestEntityTooLarge, message, None)
    }

    /// 415: none of `known` media types.
    pub fn unsupported_media_type(known: &str) -> Box<Self> {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {known}"
        );
        Self::new(Reason::UnsupportedMediaType, message, None)
    }

    /// 415 as the router says it, before a handler has looked.
    pub fn unsupported_patch_type() -> Box<Self> {
        let message = "415: Unsupported Media Type";
        Self::new(Reason::UnsupportedMediaType, message, Some(Details::default()))
    }

    /// 422: an object of `kind` (or `resource`, in the few errors that say that) breaks rules. Causes that are
    /// the same stand once in the message and as often as they came in `causes`.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[field::Error]) -> Box<Self> {
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
    pub fn generate_name_conflict(mut self: Box<Self>) -> Box<Self> {
        self.message.push_str(", the server was not able to generate a unique name for the object");
        self.details.get_or_insert_default().retry_after_seconds = Some(1);
        self
    }

    /// 413: a JSON Patch has too many operations; `message` says how many.
    pub fn too_many_operations(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::RequestEntityTooLarge, message, None)
    }

    /// 422: a patch does not fit the object. More is not said.
    pub fn unprocessable(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::Invalid, message, Some(Details::default()))
    }

    /// 429: not now. `seconds` from now it makes sense to try again, if that is known.
    pub fn too_many_requests(message: &str, seconds: Option<u32>) -> Box<Self> {
        let details = Details { retry_after_seconds: seconds, ..Details::default() };
        Self::new(Reason::TooManyRequests, message, Some(details))
    }

    /// The same failure, with what has caused it.
    pub fn caused(mut self: Box<Self>, reason: &str, message: String) -> Box<Self> {
        let cause = Cause { reason: reason.to_owned(), message, field: String::new() };
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// 500 without a reason, as kube-apiserver answers for errors that it did not classify.
    pub fn unclassified(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::Unknown, message, None)
    }

    /// 503: the server, or what the request is to be passed on to, cannot be reached now.
    pub fn service_unavailable(message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::ServiceUnavailable, message, None)
    }

    /// 504: `requested` lies in the future of `current`.
    pub fn too_large_resource_version(requested: u64, current: u64) -> Box<Self> {
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
    pub fn too_large_at_once(requested: u64, current: u64) -> Box<Self> {
        let mut status = Self::too_large_resource_version(requested, current);
        status.details.get_or_insert_default().retry_after_seconds = None;
        status
    }

    /// 504: the time is over that the client, or the server, gives a request.
    pub fn timeout() -> Box<Self> {
        let message = "Timeout: request did not complete within the allotted timeout";
        Self::new(Reason::Timeout, message, Some(Details::default()))
    }

    /// 500: what the server cannot do, though it should.
    pub fn internal_error(why: impl Into<String>) -> Box<Self> {
        let why = why.into();
        let message = ["Internal error occurred: ", &why].concat();
        let cause = Cause { reason: String::new(), message: why, field: String::new() };
        Self::new(Reason::InternalError, message, Some(Details { causes: vec![cause], ..Details::default() }))
    }

    /// The refusal by somebody else, who says why in their own words.
    pub fn refused_elsewhere(
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
}
