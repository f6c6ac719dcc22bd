//! The kind CustomResourceDefinition.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/>. Errors have the
//! paths of kube-apiserver's internal form, where what all versions have in common stands at the top: the schema under
//! `spec.validation`, the rest under its own name. `form` makes it.

mod approval;
mod column;
mod conversion;
mod defaults;
mod field_path;
mod form;
mod internal;
mod names;
mod open_api;
mod rule;
mod selectable;
pub mod status;
mod strategy;
mod structure;
mod subresource;
mod walk;

use std::collections::HashSet;

use json_tree::Value;

use crate::kind::{Checks, Kind, Strategy};
use crate::validation::checks::{required_choice, unchanged};
use crate::validation::name;
use crate::validation::read::{at, list, text};
pub use approval::{ANNOTATION as APPROVAL, is_protected as is_protected_group};
pub use conversion::is_bundle as is_certificate_bundle;
use field::{AddError, Error, Path, quote};
use form::{Form, Version};
pub use walk::unrecognized_formats;

/// The kind CustomResourceDefinition.
pub(crate) struct CustomResourceDefinition;

impl Kind for CustomResourceDefinition {
    const GROUP: &'static str = "apiextensions.k8s.io";
    const RESOURCE: &'static str = "customresourcedefinitions";
    const STORAGE_PREFIX: Option<&'static str> = Some("apiextensions.k8s.io/customresourcedefinitions");
    const STRATEGY: Strategy = strategy::STRATEGY;

    fn checks() -> Checks {
        Checks::none()
            .validate_name(own_name)
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warn)
    }
}

/// Warns of texts whose format nobody knows, and of which nothing is checked.
fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
    let before = old.map(unrecognized_formats).unwrap_or_default();
    let formats = unrecognized_formats(object).into_iter().filter(|format| !before.contains(format));
    formats.map(|format| format!("unrecognized format {}", quote(&format))).collect()
}

const SCOPES: [&str; 2] = ["Cluster", "Namespaced"];
const PRESERVE: &str =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

/// Validates a new definition.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = spec(object, None);
    errors.extend(status(object));
    errors.extend(stored_versions(object));
    errors.extend(approval::validate(object, None));
    errors.extend(preserve(object));
    errors
}

/// Validates a changed definition.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = spec(object, Some(old));
    errors.extend(fixed(object, old));
    errors.extend(status(object));
    errors.extend(stored_versions(object));
    errors.extend(approval::validate(object, Some(old)));
    if at(old, "/spec/preserveUnknownFields") != true {
        errors.extend(preserve(object));
    }
    errors
}

/// Validates a definition whose status was written.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    status(object)
}

/// The name of a definition is made of what it defines.
fn own_name(object: &Value) -> Vec<Error> {
    let spec = at(object, "/spec");
    let name = format!("{}.{}", text(at(spec, "/names"), "plural"), text(spec, "group"));
    let metadata = at(object, "/metadata");
    let wrong = ["generateName", "name"].into_iter().filter(|field| {
        let given = text(metadata, field);
        !given.is_empty() && given != name
    });
    let why = "must be spec.names.plural+\".\"+spec.group";
    wrong
        .map(|field| Error::invalid(Path::new("metadata").child(field), text(metadata, field), why))
        .collect()
}

fn spec(object: &Value, old: Option<&Value>) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let form = Form::of(spec);
    let was = old.map(|old| Form::of(at(old, "/spec")));
    let mut errors: Vec<Error> = group(text(spec, "group"), &path.child("group")).into_iter().collect();
    errors.extend(required_choice(spec, "scope", &SCOPES, &path));
    errors.extend(schemas_are_there(&form, &path));
    let preserves = at(spec, "/preserveUnknownFields") == true;
    if preserves && walk::any(&form, |schema| schema.get("default").is_some()) {
        let why = "must be false in order to use defaults in the schema";
        errors.invalid(path.child("preserveUnknownFields"), true, why);
    }
    for (index, version) in form.versions.iter().enumerate() {
        errors.extend(one_version(&form, version, was.as_ref(), &path.child("versions").index(index)));
    }
    errors.extend(versions_together(&form, &path));
    errors.extend(names::required(at(spec, "/names"), &path.child("names")));
    errors.extend(names::validate(at(spec, "/names"), &path.child("names")));
    errors.extend(open_api::validate(
        form.top.schema,
        was.as_ref().and_then(|was| was.top.schema),
        form.has_status(),
        &path.child("validation"),
    ));
    errors.extend(subresource::validate(form.top.subresources, &path.child("subresources")));
    errors.extend(column::validate(form.top.columns, &path.child("additionalPrinterColumns")));
    if !form.top.selectable.is_empty() {
        let why = "selectableFields may only be set when validations.schema is included";
        errors.extend(selectable::validate(&form.top, why, &path));
    }
    errors.extend(conversion::validate(at(spec, "/conversion"), preserves, old, &path.child("conversion")));
    errors
}

fn group(group: &str, path: &Path) -> Option<Error> {
    if group.is_empty() {
        return Some(Error::required(path, ""));
    }
    let complaints = name::subdomain(group);
    if !complaints.is_empty() {
        return Some(Error::invalid(path, group, complaints.join(",")));
    }
    (!group.contains('.')).then(|| Error::invalid(path, group, "should be a domain with at least one dot"))
}

/// Every version has a schema.
fn schemas_are_there(form: &Form<'_>, path: &Path) -> Vec<Error> {
    if form.top.open_api().is_some() {
        return Vec::new();
    }
    let versions = form.versions.iter().enumerate();
    let missing = versions.filter(|(_, version)| version.own.open_api().is_none());
    missing
        .map(|(index, _)| {
            let at = path.child("versions").index(index).child("schema").child("openAPIV3Schema");
            Error::required(&at, "")
        })
        .collect()
}

/// Validates the fields of a single version.
fn one_version(form: &Form<'_>, version: &Version<'_>, was: Option<&Form<'_>>, path: &Path) -> Vec<Error> {
    let mut errors = dns_label(version.name, &path.child("name"));
    errors.extend(deprecation(version.value, &path.child("deprecationWarning")));
    let (own, has_status) = (&version.own, form.has_status_in(version));
    let was = was.and_then(|was| was.versions.iter().find(|was| was.name == version.name));
    let was = was.and_then(|was| was.own.schema);
    errors.extend(open_api::validate(own.schema, was, has_status, &path.child("schema")));
    errors.extend(subresource::validate(own.subresources, &path.child("subresources")));
    errors.extend(column::validate(own.columns, &path.child("additionalPrinterColumns")));
    if !own.selectable.is_empty() {
        let why = "selectableFields may only be set when version.schema.openAPIV3Schema is not included";
        errors.extend(selectable::validate(own, why, path));
    }
    errors
}

/// Validates the deprecation warning of a version.
fn deprecation(version: &Value, path: &Path) -> Vec<Error> {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else {
        return Vec::new();
    };
    let wrong = |why: String| Error::invalid(path, warning, why);
    if at(version, "/deprecated") != true {
        return vec![wrong("can only be set for deprecated versions".to_owned())];
    }
    let mut errors = Vec::new();
    if warning.len() > 256 {
        errors.push(wrong("must be <= 256 characters long".to_owned()));
    }
    if warning.is_empty() {
        errors.push(wrong("must not be an empty string".to_owned()));
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, c)| !field::is_print(*c)) {
        errors.push(wrong(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        )));
    }
    errors
}

/// Validates the versions as a whole.
fn versions_together(form: &Form<'_>, path: &Path) -> Vec<Error> {
    let at_versions = path.child("versions");
    let wrong = |why: &str| Error::invalid(&at_versions, internal::versions(form), why);
    let mut errors = Vec::new();
    let names: HashSet<&str> = form.versions.iter().map(|version| version.name).collect();
    if names.len() < form.versions.len() {
        errors.push(wrong("must contain unique version names"));
    }
    if form.versions.iter().filter(|version| at(version.value, "/storage") == true).count() != 1 {
        errors.push(wrong("must have exactly one version marked as storage version"));
    }
    // The version of the oldest API, which is that of the first.
    if let Some(first) = form.versions.first().map(|version| version.name).filter(|first| !first.is_empty()) {
        errors.extend(dns_label(first, &path.child("version")));
    }
    errors
}

fn dns_label(text: &str, path: &Path) -> Vec<Error> {
    let complaints = name::dns1035_label(text);
    if complaints.is_empty() { Vec::new() } else { vec![Error::invalid(path, text, complaints.join(","))] }
}

/// Validates what cannot change: what names the resource, and what its objects are stored by.
fn fixed(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, before, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let (names, names_before, at_names) = (at(spec, "/names"), at(before, "/names"), path.child("names"));
    let mut errors = Vec::new();
    if is_established(old) {
        errors.extend(unchanged(spec, before, &["scope"], &path));
        errors.extend(unchanged(names, names_before, &["kind"], &at_names));
    }
    errors.extend(unchanged(spec, before, &["group"], &path));
    errors.extend(unchanged(names, names_before, &["plural"], &at_names));
    errors
}

/// Reports whether the definition is established: its resource is served.
fn is_established(definition: &Value) -> bool {
    let conditions = list(at(definition, "/status"), "conditions").iter();
    let mut established = conditions.filter(|condition| text(condition, "type") == "Established");
    established.next().is_some_and(|condition| text(condition, "status") == "True")
}

fn status(object: &Value) -> Vec<Error> {
    names::validate(at(object, "/status/acceptedNames"), &Path::new("status").child("acceptedNames"))
}

/// Versions in which objects may be stored can not go.
fn stored_versions(object: &Value) -> Vec<Error> {
    let path = Path::new("status").child("storedVersions");
    let all = at(object, "/status/storedVersions");
    let stored = list(at(object, "/status"), "storedVersions");
    if stored.is_empty() {
        return vec![Error::invalid(&path, all.clone(), "must have at least one stored version")];
    }
    let versions = list(at(object, "/spec"), "versions");
    let mut errors = Vec::new();
    for version in versions.iter().filter(|version| at(version, "/storage") == true) {
        if !stored.contains(at(version, "/name")) {
            let why = format!("must have the storage version {}", text(version, "name"));
            errors.invalid(&path, all.clone(), why);
        }
    }
    for (index, one) in stored.iter().enumerate() {
        let is_last = !stored[index + 1..].contains(one);
        if is_last && !versions.iter().any(|version| at(version, "/name") == one) {
            let name = one.as_str().unwrap_or_default();
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            errors.invalid(path.index(index), name, why);
        }
    }
    errors
}

fn preserve(object: &Value) -> Option<Error> {
    let path = Path::new("spec").child("preserveUnknownFields");
    (at(object, "/spec/preserveUnknownFields") == true).then(|| Error::invalid(&path, true, PRESERVE))
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
mod tests;
