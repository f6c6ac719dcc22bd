//! The options of a request, from its query or its body, and what is wrong with them.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>

pub(crate) mod delete_options;

use json_tree::Value;

use apimachinery::query::Query;
use apimachinery::selector::{FieldSelector, LabelSelector};
use apimachinery::status::Status;
use field::Path;
use kinds::validation::metadata;

const META_GROUP: &str = "meta.k8s.io";

/// The value of `resourceVersionMatch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionMatch {
    /// The state at exactly that version.
    Exact,
    /// Any state that is not older than that version.
    NotOlderThan,
}

/// The options of a list or a watch.
#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    /// Which labels an object must have.
    pub labels: LabelSelector,
    /// Which fields an object must have.
    pub fields: FieldSelector,
    /// True if this is a watch.
    pub watch: bool,
    /// True if bookmarks may be sent.
    pub bookmarks: bool,
    /// The resource version as it was sent; may be empty.
    pub resource_version: String,
    /// How it is meant.
    pub version_match: Option<VersionMatch>,
    /// After how many seconds a watch ends.
    pub timeout_seconds: Option<i64>,
    /// How many objects a page holds; 0 for all.
    pub limit: i64,
    /// The continue token of the page before; may be empty.
    pub continue_token: String,
    /// True if a watch begins with the present state.
    pub send_initial_events: Option<bool>,
}

impl ListOptions {
    /// Reads and checks the options of a list, or of a watch. `watch_path`: the deprecated `/watch/` stood in
    /// the path; then the options are checked as those of a list unless the query asks for a watch too.
    pub(crate) fn parse(query: &Query, watch_path: bool) -> Result<Self, Box<Status>> {
        let watch = query.boolean("watch").unwrap_or(false);
        let timeout_seconds = query.integer("timeoutSeconds").map_err(Status::bad_request)?;
        let limit = query.integer("limit").map_err(Status::bad_request)?.unwrap_or(0);
        let labels = LabelSelector::parse(query.text("labelSelector")).map_err(Status::bad_request)?;
        let fields = FieldSelector::parse(query.text("fieldSelector")).map_err(Status::bad_request)?;
        let resource_version = query.text("resourceVersion");
        let mut version_match = query.text("resourceVersionMatch");
        let mut send_initial_events = query.boolean("sendInitialEvents");
        // A watch from no version or from 0 is one that begins with the present state.
        let from_anywhere = resource_version.is_empty() || resource_version == "0";
        if watch && from_anywhere && send_initial_events.is_none() && version_match.is_empty() {
            send_initial_events = Some(true);
            version_match = "NotOlderThan";
        }
        let continue_token = query.text("continue");
        let errors = if watch {
            check_watch(version_match, send_initial_events.is_some(), continue_token)
        } else {
            check_list(version_match, resource_version, continue_token, send_initial_events.is_some())
        };
        if !errors.is_empty() {
            return Err(Status::invalid(META_GROUP, "ListOptions", "", &errors));
        }
        Ok(Self {
            labels,
            fields,
            watch: watch || watch_path,
            bookmarks: query.boolean("allowWatchBookmarks").unwrap_or(false),
            resource_version: resource_version.to_owned(),
            version_match: match version_match {
                "Exact" => Some(VersionMatch::Exact),
                "NotOlderThan" => Some(VersionMatch::NotOlderThan),
                _ => None,
            },
            timeout_seconds,
            limit: limit.max(0),
            continue_token: continue_token.to_owned(),
            send_initial_events,
        })
    }
}

fn check_list(version_match: &str, version: &str, token: &str, initial_events: bool) -> Vec<field::Error> {
    let path = Path::new("resourceVersionMatch");
    let mut errors = Vec::new();
    if !version_match.is_empty() {
        if version.is_empty() {
            let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            errors.push(field::Error::forbidden(&path, why));
        }
        if !token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(field::Error::forbidden(&path, why));
        }
        if !["Exact", "NotOlderThan"].contains(&version_match) {
            errors.push(field::Error::not_supported(&path, version_match, &["Exact", "NotOlderThan", ""]));
        }
        if version_match == "Exact" && version == "0" {
            let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            errors.push(field::Error::forbidden(&path, why));
        }
    }
    if initial_events {
        let why = "sendInitialEvents is forbidden for list";
        errors.push(field::Error::forbidden(Path::new("sendInitialEvents"), why));
    }
    errors
}

fn check_watch(version_match: &str, initial_events: bool, token: &str) -> Vec<field::Error> {
    let path = Path::new("resourceVersionMatch");
    let mut errors = Vec::new();
    if initial_events && version_match != "NotOlderThan" {
        let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        errors.push(field::Error::forbidden(&path, why));
    }
    if !version_match.is_empty() {
        if !initial_events {
            let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            errors.push(field::Error::forbidden(&path, why));
        }
        if version_match != "NotOlderThan" {
            errors.push(field::Error::not_supported(&path, version_match, &["NotOlderThan"]));
        }
        if !token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(field::Error::forbidden(&path, why));
        }
    }
    errors
}

/// The treatment of unknown and duplicate fields.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    /// Drop them silently.
    Ignore,
    /// Drop them and warn: the default.
    Warn,
    /// Refuse the request.
    Strict,
}

/// The options of a create or an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteOptions {
    /// Process the request in full, but store nothing.
    pub dry_run: bool,
    /// The treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// The object has the entries of field management that it is to have: a configuration was applied.
    pub applied: bool,
    /// The sender has labelled the object. Labels that it has by default are those of its template, whatever is added to these.
    pub labelled: bool,
}

impl WriteOptions {
    /// Reads and checks the options; `kind` is `CreateOptions`, `UpdateOptions` or, for a patch that is not applied,
    /// `PatchOptions`.
    pub(crate) fn parse(query: &Query, kind: &str) -> Result<Self, Box<Status>> {
        let mut errors = Vec::new();
        if kind == "PatchOptions" && query.get("force").is_some() {
            let why = "may not be specified for non-apply patch";
            errors.push(field::Error::forbidden(Path::new("force"), why));
        }
        Self::check(query, kind, errors, false)
    }

    /// Reads and checks the options of a configuration to apply, which must say who applies it.
    pub(crate) fn parse_apply(query: &Query) -> Result<Self, Box<Status>> {
        let mut errors = Vec::new();
        if query.text("fieldManager").is_empty() {
            errors.push(field::Error::required(Path::new("fieldManager"), "is required for apply patch"));
        }
        Self::check(query, "PatchOptions", errors, true)
    }

    /// Reads and checks what all have in common. `errors` are those that were found before.
    fn check(
        query: &Query,
        kind: &str,
        mut errors: Vec<field::Error>,
        applied: bool,
    ) -> Result<Self, Box<Status>> {
        errors.extend(metadata::field_manager(query.text("fieldManager"), &Path::new("fieldManager")));
        let dry_run: Vec<&str> = query.all("dryRun").collect();
        errors.extend(check_dry_run(&dry_run));
        let validation = query.text("fieldValidation");
        let known = ["", "Ignore", "Strict", "Warn"];
        if !known.contains(&validation) {
            errors.push(field::Error::not_supported(Path::new("fieldValidation"), validation, &known));
        }
        if !errors.is_empty() {
            return Err(Status::invalid(META_GROUP, kind, "", &errors));
        }
        Ok(Self {
            dry_run: !dry_run.is_empty(),
            field_validation: match validation {
                "Ignore" => FieldValidation::Ignore,
                "Strict" => FieldValidation::Strict,
                _ => FieldValidation::Warn,
            },
            applied,
            labelled: true,
        })
    }
}

fn check_dry_run(values: &[&str]) -> Option<field::Error> {
    if values.iter().all(|value| *value == "All") {
        return None;
    }
    let sent = Value::from(values.iter().map(|value| Value::from(*value)).collect::<Vec<_>>());
    Some(field::Error::not_supported(Path::new("dryRun"), sent, &["All"]))
}
