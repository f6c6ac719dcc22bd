//! The options of a deletion, from its body or its query.

use apimachinery::DeleteOptions;
use json_tree::Value;

use super::{META_GROUP, check_dry_run};
use crate::audit_context::AuditContext;
use crate::format::Format;
use apimachinery::query::Query;
use apimachinery::status::{Status, Subject};
use field::Path;

const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";
const RBAC: &str = "rbac.authorization.k8s.io";

/// The Go source line at which the scheme of the options was made, which a message names.
const META_SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";

/// Reads the options from the body, or if there is none from the query: a body replaces the query whole.
/// `audit` is told of a body. Only with `allow_unsafe`, the feature for it, can somebody ask for an object that cannot be read.
pub(crate) fn parse(
    allow_unsafe: bool,
    query: &Query,
    body: Option<(&Format, &[u8])>,
    audit: Option<&dyn AuditContext>,
) -> Result<DeleteOptions, Box<Status>> {
    let RawOptions { mut options, dry_run, preconditions } = match body {
        None => from_query(query)?,
        Some((format, body)) => from_body(format, body, audit)?,
    };
    options.ignore_read_error &= allow_unsafe;
    let dry_run: Vec<&str> = dry_run.iter().map(String::as_str).collect();
    let mut errors = Vec::new();
    let policy = Path::new("propagationPolicy");
    if let Some(asked) = options.propagation_policy.as_deref() {
        if options.orphan_dependents.is_some() {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(field::Error::invalid(&policy, asked, why));
        }
        if !["Foreground", "Background", "Orphan"].contains(&asked) {
            let known = ["Foreground", "Background", "Orphan", "nil"];
            errors.push(field::Error::not_supported(&policy, asked, &known));
        }
    }
    errors.extend(check_dry_run(&dry_run));
    errors.extend(check_ignore_read_error(&options, !dry_run.is_empty(), preconditions));
    if errors.is_empty() {
        Ok(DeleteOptions { dry_run: !dry_run.is_empty(), ..options })
    } else {
        Err(invalid(&errors))
    }
}

/// Returns the errors of options that cannot be combined with ignoring that an object cannot be read.
fn check_ignore_read_error(options: &DeleteOptions, dry_run: bool, preconditions: bool) -> Vec<field::Error> {
    let others = [
        (dry_run, "dryRun"),
        (options.propagation_policy.is_some(), "propagationPolicy"),
        (options.orphan_dependents.is_some(), "orphanDependents"),
        (options.grace_period_seconds.is_some(), "gracePeriodSeconds"),
        (preconditions, "preconditions"),
    ];
    let set = others.iter().filter(|(set, _)| *set && options.ignore_read_error);
    set.map(|(_, other)| ignore_read_error(&["cannot be set together with .", other].concat())).collect()
}

/// Many objects are not deleted unread.
///
/// # Errors
/// The 422 for the option.
pub(crate) fn check_collection(options: &DeleteOptions) -> Result<(), Box<Status>> {
    if !options.ignore_read_error {
        return Ok(());
    }
    let why = "is not allowed with DELETECOLLECTION, try again after removing the option";
    Err(invalid(&[ignore_read_error(why)]))
}

/// No object of this server is unreadable.
///
/// # Errors
/// If the request asks for the deletion of an unreadable object: the 422 that says so, or the 500 for kinds that
/// know of no such deletion.
pub(crate) fn check_object(options: &DeleteOptions, subject: Subject<'_>) -> Result<(), Box<Status>> {
    if !options.ignore_read_error {
        return Ok(());
    }
    if (subject.group, subject.resource) == ("", "namespaces") || subject.group == RBAC {
        let why = format!("no unsafe deleter provided, can not honor {IGNORE_READ_ERROR}");
        return Err(Status::internal_error(why));
    }
    let why = "is exclusively used to delete corrupt object(s), try again by removing this option";
    Err(Status::invalid(subject.group, subject.resource, subject.name, &[ignore_read_error(why)]))
}

fn invalid(errors: &[field::Error]) -> Box<Status> {
    Status::invalid(META_GROUP, "DeleteOptions", "", errors)
}

fn ignore_read_error(why: &str) -> field::Error {
    field::Error::invalid(Path::new(IGNORE_READ_ERROR), true, why)
}

/// Options as they were sent.
struct RawOptions {
    options: DeleteOptions,
    /// The values of `dryRun`, whatever they are.
    dry_run: Vec<String>,
    /// True if there are preconditions.
    preconditions: bool,
}

fn from_query(query: &Query) -> Result<RawOptions, Box<Status>> {
    let grace_period_seconds = query.integer("gracePeriodSeconds").map_err(Status::bad_request)?;
    // An empty one expects nothing, in a query.
    let precondition = |name: &str| query.get(name).filter(|value| !value.is_empty()).map(str::to_owned);
    let options = DeleteOptions {
        dry_run: false,
        grace_period_seconds,
        propagation_policy: query.get("propagationPolicy").map(str::to_owned),
        orphan_dependents: query.boolean("orphanDependents"),
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
        ignore_read_error: query.boolean(IGNORE_READ_ERROR).unwrap_or_default(),
    };
    let preconditions = options.uid.is_some() || options.resource_version.is_some();
    Ok(RawOptions { options, dry_run: query.all("dryRun").map(str::to_owned).collect(), preconditions })
}

fn from_body(
    format: &Format,
    body: &[u8],
    audit: Option<&dyn AuditContext>,
) -> Result<RawOptions, Box<Status>> {
    let sent = delete_options(format, body)?;
    if let Some(audit) = audit {
        audit.requested_deletion(&sent);
    }
    let precondition = |key: &str| sent.pointer(key).and_then(Value::as_str).map(str::to_owned);
    let options = DeleteOptions {
        dry_run: false,
        grace_period_seconds: sent.get("gracePeriodSeconds").and_then(Value::as_i64),
        propagation_policy: precondition("/propagationPolicy"),
        orphan_dependents: sent.get("orphanDependents").and_then(Value::as_bool),
        uid: precondition("/preconditions/uid"),
        resource_version: precondition("/preconditions/resourceVersion"),
        ignore_read_error: sent.get(IGNORE_READ_ERROR).and_then(Value::as_bool).unwrap_or_default(),
    };
    let dry_run = sent.get("dryRun").and_then(Value::as_array);
    let dry_run =
        dry_run.into_iter().flatten().map(|value| value.as_str().unwrap_or_default().to_owned()).collect();
    Ok(RawOptions { options, dry_run, preconditions: sent.get("preconditions").is_some() })
}

/// Decodes a body as `DeleteOptions`, of any version. Fields that are not known are passed over.
fn delete_options(format: &Format, body: &[u8]) -> Result<Value, Box<Status>> {
    let content = (format.parse)(body).map_err(Status::bad_request)?;
    let (api_version, kind) = content.type_meta().map_err(Status::bad_request)?;
    if !kind.is_empty() && kind != "DeleteOptions" {
        let version = if api_version.is_empty() { "v1" } else { &api_version };
        return Err(Status::bad_request(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{META_SCHEME}\""
        )));
    }
    let types = schema::Types::builtin();
    let Some(ty) = types.find("k8s.io/apimachinery/pkg/apis/meta/v1", "DeleteOptions") else {
        return Ok(Value::Null);
    };
    content.typed(types, ty).map(|(value, _)| value).map_err(Status::bad_request)
}
