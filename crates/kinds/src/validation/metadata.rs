//! The metadata that all objects have.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/>.

use json_tree::{Map, Value};

use super::name::{self, NameRule};
use apimachinery::finalizers::{FOREGROUND, ORPHAN};
use field::{AddError, Error, Path, is_print};

const MAX_ANNOTATIONS: usize = 256 * 1024;
const MAX_FIELD_MANAGER: usize = 128;
const MAX_SUBRESOURCE: usize = 256;
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", ORPHAN, FOREGROUND];

/// How a resource treats metadata.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How objects are named.
    pub name: NameRule,
    /// True if `generateName` is checked besides the name made from it.
    pub generate_name: bool,
    /// True if objects live in namespaces.
    pub namespaced: bool,
    /// True if a finalizer without a prefix must be one that Kubernetes knows.
    pub known_finalizers: bool,
}

/// Validates the metadata of a template, which are labels and annotations alone.
pub(crate) fn of_template(meta: &Value, path: &Path) -> Vec<Error> {
    let entries = |field: &str| meta.get(field).and_then(Value::as_object);
    let mut errors = Vec::new();
    if let Some(entries) = entries("annotations") {
        errors.extend(annotations(entries, &path.child("annotations")));
    }
    if let Some(entries) = entries("labels") {
        errors.extend(labels(entries, &path.child("labels")));
    }
    let fields = meta.as_object().into_iter().flatten();
    let others =
        fields.filter(|(name, value)| !matches!(name.as_str(), "annotations" | "labels") && !value.is_null());
    for (name, _) in others {
        // As the field of Go's struct is called, but for its first letter.
        let name = if name == "uid" { "uID" } else { name };
        errors.forbidden(path.named(name), "cannot be set");
    }
    errors
}

/// Validates the metadata of `object`, whose name has been generated if it had to be.
pub fn validate(object: &Value, rules: &Rules) -> Vec<Error> {
    let mut errors = names(object, rules);
    errors.extend(all_but_names(object, rules));
    errors
}

/// Validates the name of `object` and the prefix that it was made from.
pub(crate) fn names(object: &Value, rules: &Rules) -> Vec<Error> {
    let meta = Meta::of(object);
    let at = Path::new("metadata");
    let mut errors = Vec::new();
    let prefix = meta.text("generateName");
    if rules.generate_name && !prefix.is_empty() {
        let at = at.child("generateName");
        errors
            .extend(rules.name.check_prefix(prefix).into_iter().map(|why| Error::invalid(&at, prefix, why)));
    }
    let name = meta.text("name");
    if name.is_empty() {
        errors.required(at.child("name"), "name or generateName is required");
    } else {
        let at = at.child("name");
        errors.extend(rules.name.check(name).into_iter().map(|why| Error::invalid(&at, name, why)));
    }
    errors
}

/// Validates the metadata of `object` that comes after its name.
pub(crate) fn all_but_names(object: &Value, rules: &Rules) -> Vec<Error> {
    let meta = Meta::of(object);
    let at = Path::new("metadata");
    let mut errors: Vec<Error> =
        namespace(&meta, rules.namespaced, &at.child("namespace")).into_iter().collect();
    let generation = meta.integer("generation");
    if generation < 0 {
        errors.invalid(at.child("generation"), generation, "must be greater than or equal to 0");
    }
    errors.extend(common(&meta, &at));
    let finalizers_at = at.child("finalizers");
    errors.extend(finalizers(&meta, &finalizers_at));
    errors.extend(managed_fields(&meta, &at));
    if rules.known_finalizers {
        errors.extend(known_finalizers(&meta, &finalizers_at));
    }
    errors
}

/// Validates the change of the metadata of `old` into that of `object`. The caller has filled in what a
/// client may leave out: the uid, the resource version where it is optional, creation and deletion times.
pub fn validate_update(object: &Value, old: &Value, rules: &Rules) -> Vec<Error> {
    let (meta, was) = (Meta::of(object), Meta::of(old));
    let at = Path::new("metadata");
    let mut errors = Vec::new();
    if was.get("deletionTimestamp").is_some() {
        errors.extend(no_new_finalizers(&meta, &was, &at.child("finalizers")));
    }
    if meta.text("resourceVersion").is_empty() {
        errors.invalid(at.child("resourceVersion"), "", "must be specified for an update");
    }
    let generation = meta.integer("generation");
    if generation < was.integer("generation") {
        errors.invalid(at.child("generation"), generation, "must not be decremented");
    }
    for field in ["name", "namespace", "uid"] {
        if meta.text(field) != was.text(field) {
            errors.push(immutable(&at.child(field), meta.text(field).into()));
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if meta.get(field) != was.get(field) {
            errors.push(immutable(&at.child(field), meta.get(field).cloned().unwrap_or_default()));
        }
    }
    errors.extend(common(&meta, &at));
    errors.extend(managed_fields(&meta, &at));
    if rules.known_finalizers {
        errors.extend(known_finalizers(&meta, &at.child("finalizers")));
    }
    errors
}

/// The error of a write whose object needs a `resourceVersion` and has none. The Status that holds it names the
/// resource where others name the kind.
pub fn resource_version_required() -> Error {
    Error::invalid(Path::new("metadata").child("resourceVersion"), 0, "must be specified for an update")
}

/// Validates labels, in metadata and in selectors.
pub fn labels(labels: &Map<String, Value>, at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (key, value) in labels {
        if errors.len() > field::MOST_ERRORS {
            break;
        }
        let value = value.as_str().unwrap_or_default();
        errors.extend(name::qualified_name(key).into_iter().map(|why| Error::invalid(at, key.as_str(), why)));
        errors.extend(name::label_value(value).into_iter().map(|why| Error::invalid(at, value, why)));
    }
    errors
}

/// Validates a single finalizer, such as one in the spec of a namespace.
pub fn finalizer(finalizer: &str, at: &Path) -> Vec<Error> {
    let complaints = name::qualified_name(finalizer).into_iter();
    complaints.map(|why| Error::invalid(at, finalizer, why)).chain(unknown_finalizer(finalizer, at)).collect()
}

/// Validates the name of a field manager.
/// See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers>.
pub fn field_manager(manager: &str, at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if manager.len() > MAX_FIELD_MANAGER {
        errors.too_long(at, MAX_FIELD_MANAGER);
    }
    if let Some((position, c)) = manager.char_indices().find(|(_, c)| !is_print(*c)) {
        let why = format!("invalid character U+{:04X} (at position {position})", u32::from(c));
        errors.invalid(at, manager, why);
    }
    errors
}

/// The error of a changed field that may not change; `value` is the new one.
pub fn immutable(at: &Path, value: Value) -> Error {
    Error::invalid(at, value, "field is immutable")
}

/// The `metadata` of an object; what is missing reads as Go's zero value.
struct Meta<'a>(Option<&'a Map<String, Value>>);

impl<'a> Meta<'a> {
    fn of(object: &'a Value) -> Self {
        Self(object.get("metadata").and_then(Value::as_object))
    }

    fn get(&self, field: &str) -> Option<&'a Value> {
        self.0.and_then(|meta| meta.get(field)).filter(|value| !value.is_null())
    }

    fn text(&self, field: &str) -> &'a str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn integer(&self, field: &str) -> i64 {
        self.get(field).and_then(Value::as_i64).unwrap_or_default()
    }

    fn map(&self, field: &str) -> Option<&'a Map<String, Value>> {
        self.get(field).and_then(Value::as_object)
    }

    fn list(&self, field: &str) -> &'a [Value] {
        self.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn finalizers(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.list("finalizers").iter().map(|finalizer| finalizer.as_str().unwrap_or_default())
    }
}

fn namespace(meta: &Meta<'_>, namespaced: bool, at: &Path) -> Vec<Error> {
    match (namespaced, meta.text("namespace")) {
        (true, "") => vec![Error::required(at, "")],
        (true, namespace) => {
            name::label(namespace).into_iter().map(|why| Error::invalid(at, namespace, why)).collect()
        }
        (false, "") => Vec::new(),
        (false, _) => vec![Error::forbidden(at, "not allowed on this type")],
    }
}

/// Makes the checks that new and changed metadata have in common.
fn common(meta: &Meta<'_>, at: &Path) -> Vec<Error> {
    let mut errors = meta.map("labels").map(|map| labels(map, &at.child("labels"))).unwrap_or_default();
    if let Some(map) = meta.map("annotations") {
        errors.extend(annotations(map, &at.child("annotations")));
    }
    let owners = meta.list("ownerReferences");
    if !owners.is_empty() {
        errors.extend(owner_references(owners, &at.child("ownerReferences")));
    }
    errors
}

/// Validates the `managedFields` entries that a client has written. Whatever cannot be read in them is not stored, so
/// only names can be wrong.
fn managed_fields(meta: &Meta<'_>, at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, entry) in meta.list("managedFields").iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let at = at.child("managedFields").index(index);
        errors.extend(field_manager(text("manager"), &at.child("manager")));
        if text("subresource").len() > MAX_SUBRESOURCE {
            errors.push(Error::too_long(at.child("subresource"), MAX_SUBRESOURCE));
        }
    }
    errors
}

/// Validates annotations.
pub fn annotations(annotations: &Map<String, Value>, at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in annotations {
        // Unlike a label's, the prefix of an annotation's key may have upper case letters.
        let complaints = name::qualified_name(&key.to_ascii_lowercase());
        errors.extend(complaints.into_iter().map(|why| Error::invalid(at, key.as_str(), why)));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > MAX_ANNOTATIONS {
        errors.too_long(at, MAX_ANNOTATIONS);
    }
    errors
}

fn owner_references(references: &[Value], at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for reference in references {
        let text = |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
        if version_of(api_version).is_empty() {
            errors.invalid(at.child("apiVersion"), api_version, "version must not be empty");
        }
        for (field, value) in [("kind", kind), ("name", name), ("uid", text("uid"))] {
            if value.is_empty() {
                errors.invalid(at.child(field), value, "must not be empty");
            }
        }
        if api_version == "v1" && kind == "Event" {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            errors.invalid(at, reference.clone(), why);
        }
        if reference.get("controller").and_then(Value::as_bool) == Some(true) {
            let this = format!("{kind}/{name}");
            match &controller {
                Some(first) => {
                    let why = format!(
                        "Only one reference can have Controller set to true. \
                         Found \"true\" in references for {first} and {this}"
                    );
                    errors.invalid(at, references.to_vec(), why);
                }
                None => controller = Some(this),
            }
        }
    }
    errors
}

/// The version of an `apiVersion`; empty if there is none or it has more than one slash.
fn version_of(api_version: &str) -> &str {
    match api_version.split_once('/') {
        None => api_version,
        Some((_, version)) if version.contains('/') => "",
        Some((_, version)) => version,
    }
}

fn finalizers(meta: &Meta<'_>, at: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for finalizer in meta.finalizers() {
        let complaints = name::qualified_name(finalizer);
        errors.extend(complaints.into_iter().map(|why| Error::invalid(at, finalizer, why)));
    }
    if [ORPHAN, FOREGROUND].iter().all(|one| meta.finalizers().any(|finalizer| finalizer == *one)) {
        let why = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        errors.invalid(at, meta.list("finalizers").to_vec(), why);
    }
    errors
}

fn known_finalizers(meta: &Meta<'_>, at: &Path) -> Vec<Error> {
    meta.finalizers()
        .enumerate()
        .filter_map(|(index, finalizer)| unknown_finalizer(finalizer, &at.index(index)))
        .collect()
}

fn unknown_finalizer(finalizer: &str, at: &Path) -> Option<Error> {
    let known = finalizer.contains('/') || STANDARD_FINALIZERS.contains(&finalizer);
    let why = "name is neither a standard finalizer name nor is it fully qualified";
    (!known).then(|| Error::invalid(at, finalizer, why))
}

fn no_new_finalizers(meta: &Meta<'_>, was: &Meta<'_>, at: &Path) -> Option<Error> {
    let mut added: Vec<&str> =
        meta.finalizers().filter(|new| !was.finalizers().any(|old| old == *new)).collect();
    schema::sort_once(&mut added);
    if added.is_empty() {
        return None;
    }
    let list: Vec<String> = added.iter().map(|finalizer| field::quote(finalizer)).collect();
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        list.join(", ")
    );
    Some(Error::forbidden(at, why))
}

#[cfg(test)]
mod tests;
