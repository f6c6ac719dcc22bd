//! Schemas: what they may not have, and what must go together in them.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>.

use json_tree::Value;
use structural::{Structural, rules};

use super::structure::{EMBEDDED, PRESERVE};
use super::walk::unsupported;
use super::{defaults, internal, rule, structure};
use crate::validation::checks::{repeated, texts};
use crate::validation::read::{get, is_true, list, map, text};
use field::{AddError, Error, Path};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const LIST_TYPES: [&str; 3] = ["atomic", "set", "map"];
const MAP_TYPES: [&str; 2] = ["atomic", "granular"];
const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// Fields that are allowed at the root of a schema if the status is a subresource, in the order of Go's struct.
const AT_ROOT: &str = "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength \
    MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
    XPreserveUnknownFields XValidations";

/// Fields that no schema may have.
const NEVER: [&str; 6] =
    ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// Constraints on a schema that follow from its position.
#[derive(Clone, Copy, Default)]
struct Place<'a> {
    /// The reason why there may be no default, if there may be none.
    no_defaults: Option<&'a str>,
    /// It is of the type or the metadata of an object.
    inside_meta: bool,
}

/// The beginnings of the errors about rules that may cost too much, each for itself.
const DEAR: [&str; 2] = ["estimated rule cost", "estimated messageExpression cost"];

/// Validates the schema in `validation`, of one version or of all; `old` is what it replaces. `has_status`: the status is
/// a subresource. A schema that was accepted and is unchanged stays accepted, whatever a rule of it may cost.
pub(super) fn validate(
    validation: Option<&Value>,
    old: Option<&Value>,
    has_status: bool,
    path: &Path,
) -> Vec<Error> {
    let Some(schema) = validation.and_then(|validation| get(validation, "openAPIV3Schema")) else {
        return Vec::new();
    };
    let path = path.child("openAPIV3Schema");
    let mut errors = Vec::new();
    if has_status {
        errors.extend(root_with_status(schema, &path));
    }
    if is_true(schema, "nullable") {
        errors.forbidden(path.child("nullable"), "nullable cannot be true at the root");
    }
    let unsupported = unsupported(schema);
    let mut structural = unsupported.is_none();
    if structural {
        let mut wrong = structure::validate(schema, &path);
        if wrong.is_empty() {
            wrong = defaults::validate(schema, &path);
        }
        structural = wrong.is_empty();
        errors.extend(wrong);
    }
    let mut wrong = Vec::new();
    one(schema, true, Place::default(), &path, &mut wrong);
    let mut of_rules = Vec::new();
    if structural {
        of_rules = rules::compile(&Structural::parse(schema), &path, &wrong).1;
        if old.is_some() && old == validation {
            of_rules.retain(|error| !DEAR.iter().any(|dear| error.detail.starts_with(dear)));
        }
    }
    errors.extend(wrong);
    if let Some(why) = unsupported.filter(|_| errors.is_empty()) {
        errors.invalid(&path, "", why);
    }
    errors.extend(of_rules);
    errors
}

/// The first field at the root that would get lost when the status is looked at alone.
fn root_with_status(schema: &Value, path: &Path) -> Option<Error> {
    let set = internal::fields(schema);
    let known = |field: &str| AT_ROOT.split(' ').any(|known| known == field);
    let bad = set
        .into_iter()
        .find(|field| if *field == "Type" { text(schema, "type") != "object" } else { !known(field) })?;
    if bad == "Type" {
        let why = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        return Some(Error::invalid(path.child("type"), text(schema, "type"), why));
    }
    let why = format!(
        "only [{AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled"
    );
    Some(Error::invalid(path, internal::schema(schema), why))
}

/// Validates a schema and the schemas within it.
fn one(schema: &Value, is_root: bool, place: Place<'_>, path: &Path, errors: &mut Vec<Error>) {
    keywords(schema, place, path, errors);
    if is_true(schema, "uniqueItems") {
        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(path.child("uniqueItems"), why);
    }
    let properties = map(schema, "properties");
    if let Some(additional) = get(schema, "additionalProperties") {
        let at = path.child("additionalProperties");
        if properties.is_some_and(|properties| !properties.is_empty()) && *additional != true {
            let why = "additionalProperties and properties are mutual exclusive";
            errors.forbidden(&at, why);
        }
        let why = "inside additionalProperties applying to object metadata";
        let no_defaults = if place.inside_meta { Some(why) } else { place.no_defaults };
        maybe(additional, Place { no_defaults, ..place }, &at, errors);
    }
    for (name, property) in properties.into_iter().flatten() {
        let at = path.child("properties").key(name);
        let is_meta = matches!(name.as_str(), "metadata" | "kind" | "apiVersion");
        let why = format!("in top-level {name}");
        let mut place = place;
        if is_meta && (is_root || is_true(schema, EMBEDDED)) {
            place.inside_meta = true;
            if is_root {
                place.no_defaults = Some(&why);
            }
        }
        one(property, false, place, &at, errors);
    }
    if let Some(not) = get(schema, "not") {
        one(not, false, place, &path.child("not"), errors);
    }
    for field in ["allOf", "oneOf", "anyOf"] {
        for (index, nested) in list(schema, field).iter().enumerate() {
            one(nested, false, place, &path.child(field).index(index), errors);
        }
    }
    for (name, nested) in map(schema, "definitions").into_iter().flatten() {
        one(nested, false, place, &path.child("definitions").key(name), errors);
    }
    match get(schema, "items") {
        Some(Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                one(item, false, place, &path.child("items").index(index), errors);
            }
        }
        Some(item) => one(item, false, place, &path.child("items"), errors),
        None => {}
    }
    for (name, nested) in map(schema, "dependencies").into_iter().flatten() {
        maybe(nested, place, &path.child("dependencies").key(name), errors);
    }
    extensions(schema, path, errors);
    rule::validate(schema, path, errors);
}

/// As [`one`], of what may be no schema but a boolean or a list of names.
fn maybe(schema: &Value, place: Place<'_>, path: &Path, errors: &mut Vec<Error>) {
    if schema.is_object() {
        one(schema, false, place, path, errors);
    }
}

/// Validates the individual keywords of a schema.
fn keywords(schema: &Value, place: Place<'_>, path: &Path, errors: &mut Vec<Error>) {
    let (ty, at_type) = (text(schema, "type"), path.child("type"));
    if !ty.is_empty() && !TYPES.contains(&ty) {
        errors.not_supported(&at_type, ty, &TYPES);
    }
    if let Some(why) = place.no_defaults.filter(|_| get(schema, "default").is_some()) {
        errors.forbidden(path.child("default"), format!("must not be set {why}"));
    }
    for field in NEVER {
        let there = match get(schema, field) {
            Some(Value::Object(map)) if matches!(field, "definitions" | "patternProperties") => {
                !map.is_empty()
            }
            Some(Value::String(text)) => !text.is_empty() || field == "$ref",
            value => value.is_some(),
        };
        if there {
            errors.forbidden(path.child(field), format!("{field} is not supported"));
        }
    }
    if ty == "null" {
        errors.forbidden(&at_type, "type cannot be set to null, use nullable as an alternative");
    }
    if !list(schema, "items").is_empty() {
        let why = "items must be a schema object and not an array";
        errors.forbidden(path.child("items"), why);
    }
    if place.inside_meta && is_true(schema, EMBEDDED) {
        errors.forbidden(path.child(EMBEDDED), "must not be used inside of resource meta");
    }
}

/// The error of a type that is not the one that an extension needs.
fn needs_type(schema: &Value, wanted: &str, extension: &str, path: &Path) -> Option<Error> {
    let (ty, path) = (text(schema, "type"), path.child("type"));
    let why = format!("must be {wanted} if {extension} is specified");
    match ty {
        "" => Some(Error::required(&path, why)),
        ty if ty != wanted => Some(Error::invalid(&path, ty, why)),
        _ => None,
    }
}

/// Validates the extensions that say how lists and maps are merged.
fn extensions(schema: &Value, path: &Path, errors: &mut Vec<Error>) {
    if schema.get(PRESERVE).is_some_and(|preserve| *preserve == false) {
        errors.invalid(path.child(PRESERVE), false, "must be true or undefined");
    }
    let texted = |field: &str| get(schema, field).and_then(Value::as_str);
    if let Some(map_type) = texted(MAP_TYPE) {
        errors.extend(needs_type(schema, "object", MAP_TYPE, path));
        if !MAP_TYPES.contains(&map_type) {
            errors.not_supported(path.child(MAP_TYPE), map_type, &MAP_TYPES);
        }
    }
    let list_type = texted(LIST_TYPE);
    let at_list_type = path.child(LIST_TYPE);
    let item = get(schema, "items").filter(|items| items.is_object());
    if let Some(list_type) = list_type {
        match needs_type(schema, "array", LIST_TYPE, path) {
            Some(error) => errors.push(error),
            None if list_type == "set" => errors.extend(item.and_then(|item| set_item(item, path))),
            None => {}
        }
        if !LIST_TYPES.contains(&list_type) {
            errors.not_supported(&at_list_type, list_type, &LIST_TYPES);
        }
    }
    if !list(schema, LIST_MAP_KEYS).is_empty() && list_type != Some("map") {
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        errors.push(match list_type {
            None => Error::required(&at_list_type, why),
            Some(list_type) => Error::invalid(&at_list_type, list_type, why),
        });
    }
    if list_type == Some("map") {
        list_map(schema, item, path, errors);
    }
    if let (Some(list_type @ ("set" | "map")), Some(item)) = (list_type, item) {
        items_of_set_or_map(schema, item, list_type, &path.child("items"), errors);
    }
}

/// The error of items of a set that are no whole.
fn set_item(item: &Value, path: &Path) -> Option<Error> {
    let (list_type, map_type) = (text(item, LIST_TYPE), text(item, MAP_TYPE));
    let (field, wrong) = match text(item, "type") {
        "array" => {
            (LIST_TYPE, !matches!(list_type, "" | "atomic") || get(item, LIST_TYPE).is_some_and(|t| t == ""))
        }
        "object" => (MAP_TYPE, map_type != "atomic"),
        _ => return None,
    };
    let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let value = get(item, LIST_TYPE).cloned().unwrap_or_default();
    wrong.then(|| Error::invalid(path.child("items").child(field), value, why))
}

/// Validates a list whose items have keys: `x-kubernetes-list-type` is `map`.
fn list_map(schema: &Value, item: Option<&Value>, path: &Path, errors: &mut Vec<Error>) {
    let (keys, at_keys, at_items) =
        (texts(schema, LIST_MAP_KEYS), path.child(LIST_MAP_KEYS), path.child("items"));
    if keys.is_empty() {
        let why = "must not be empty if x-kubernetes-list-type is map";
        errors.required(&at_keys, why);
    }
    let Some(item) = item else {
        errors.push(match get(schema, "items") {
            None => Error::required(&at_items, "must have a schema if x-kubernetes-list-type is map"),
            Some(items) => {
                let why = "must only have a single schema if x-kubernetes-list-type is map";
                Error::invalid(&at_items, internal::items(items), why)
            }
        });
        return;
    };
    let item_type = text(item, "type");
    if item_type != "object" {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        errors.invalid(at_items.child("type"), item_type, why);
        return;
    }
    // Each of these errors shows all keys: of many keys only some are told.
    let (most, mut told) = (field::most_that_show(16 * keys.len()), 0);
    for (key, repeated) in keys.iter().zip(repeated(&keys)) {
        match map(item, "properties").and_then(|properties| properties.get(*key)) {
            Some(property) if matches!(text(property, "type"), "array" | "object") => {
                let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let at = at_items.child("properties").key(key).child("type");
                errors.invalid(&at, item_type, why);
            }
            Some(_) => {}
            None if told >= most => {}
            None => {
                told += 1;
                let why = "entries must all be names of item properties";
                errors.invalid(&at_keys, keys.clone(), why);
            }
        }
        if repeated && told < most {
            told += 1;
            errors.invalid(&at_keys, keys.clone(), "must not contain duplicate entries");
        }
    }
}

/// Items that are told apart must be there, and so must their keys.
fn items_of_set_or_map(schema: &Value, item: &Value, list_type: &str, path: &Path, errors: &mut Vec<Error>) {
    if is_true(item, "nullable") {
        let why = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.forbidden(path.child("nullable"), why);
    }
    if list_type != "map" {
        return;
    }
    let required = texts(item, "required");
    for key in texts(schema, LIST_MAP_KEYS) {
        let Some(property) = map(item, "properties").and_then(|properties| properties.get(key)) else {
            continue;
        };
        let at = path.child("properties").key(key);
        if !required.contains(&key) && get(property, "default").is_none() {
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.required(at.child("default"), why);
        }
        if is_true(property, "nullable") {
            let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.forbidden(at.child("nullable"), why);
        }
    }
}
