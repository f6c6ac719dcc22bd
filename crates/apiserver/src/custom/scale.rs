//! The subresource `scale` of custom resources: its numbers stand where the definition says.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource>

use json_tree::{Value, json};

use super::definition::Scale;
use apimachinery::object::Object;

/// How many keys a path may have. What a longer one means is nowhere.
const MOST_KEYS: usize = 64;

/// The keys of a path such as `.spec.replicas`.
fn keys(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').skip(1)
}

/// The value at a path, if there is one.
fn at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut keys = keys(path);
    let first = keys.next().and_then(|key| object.get(key));
    keys.fold(first, |value, key| value?.get(key))
}

/// A custom object as a `Scale`.
///
/// # Errors
/// The reason why it cannot be shown as one: the object does not state its size.
pub(crate) fn show(paths: &Scale, object: &Object) -> Result<Object, String> {
    let mut shown = Object::new();
    let metadata: Object = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), object.get("metadata")?.get(key)?.clone())))
        .collect();
    let Some(replicas) = at(object, &paths.spec) else {
        return Err(["the spec replicas field ", &field::quote(&paths.spec), " does not exist"].concat());
    };
    let spec = match replicas.as_i64().unwrap_or_default() {
        0 => json!({}),
        replicas => json!({ "replicas": replicas }),
    };
    let replicas = at(object, &paths.status).and_then(Value::as_i64).unwrap_or_default();
    let mut status = json!({ "replicas": replicas });
    let selector = paths.selector.as_deref().and_then(|path| at(object, path)?.as_str());
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = selector.into();
    }
    for (key, value) in [("metadata", Value::Object(metadata)), ("spec", spec), ("status", status)] {
        shown.insert(key.to_owned(), value);
    }
    Ok(shown)
}

/// A `Scale` that has not been asked for yet: of an object whose size is not said.
pub(crate) fn show_or_empty(paths: &Scale, object: &Object) -> Object {
    show(paths, object).unwrap_or_else(|_| {
        let mut sized = object.clone();
        set(&mut sized, &paths.spec, 0.into());
        show(paths, &sized).unwrap_or_default()
    })
}

/// Takes over the size that a `Scale` says.
pub(crate) fn adopt(paths: &Scale, scale: &Object, object: &mut Object) {
    let replicas = scale.get("spec").and_then(|spec| spec.get("replicas")).and_then(Value::as_i64);
    set(object, &paths.spec, replicas.unwrap_or_default().into());
}

/// Sets the value at a path, and makes the objects on the way there.
fn set(object: &mut Object, path: &str, value: Value) {
    let mut keys: Vec<&str> = keys(path).collect();
    let Some(last) = keys.pop().filter(|_| keys.len() < MOST_KEYS) else { return };
    let mut object = object;
    for key in keys {
        let next = object.entry(key).or_insert_with(|| json!({}));
        if !next.is_object() {
            *next = json!({});
        }
        let Value::Object(next) = next else { return };
        object = next;
    }
    object.insert(last.to_owned(), value);
}

/// Returns the errors in the numbers of an object: those of its spec, or of its status.
pub(crate) fn check(paths: &Scale, object: &Object, part: Part) -> Vec<field::Error> {
    let path = match part {
        Part::Spec => &paths.spec,
        Part::Status => &paths.status,
    };
    let at_field = field::Path::new(path);
    let mut errors = Vec::new();
    match at(object, path) {
        None | Some(Value::Null) => {}
        Some(Value::Number(number)) if number.as_i64().is_some() => {
            let replicas = number.as_i64().unwrap_or_default();
            if replicas < 0 {
                errors.push(field::Error::invalid(&at_field, replicas, "should be a non-negative integer"));
            } else if replicas > i64::from(i32::MAX) {
                let why = ["should be less than or equal to ", &i32::MAX.to_string()].concat();
                errors.push(field::Error::invalid(&at_field, replicas, why));
            }
        }
        Some(other) => {
            errors.push(field::Error::invalid(
                &at_field,
                other.clone(),
                accessor_error(path, other, "int64"),
            ));
        }
    }
    let selector = paths.selector.as_deref().filter(|_| matches!(part, Part::Status));
    if let Some((path, other)) = selector.and_then(|path| Some((path, at(object, path)?)))
        && !other.is_string()
        && !other.is_null()
    {
        let why = accessor_error(path, other, "string");
        errors.push(field::Error::invalid(field::Path::new(path), other.clone(), why));
    }
    errors
}

/// A part of an object.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Spec,
    Status,
}

/// Returns Go's error message for a value in an object whose type is not the expected one.
fn accessor_error(path: &str, found: &Value, expected: &str) -> String {
    let (shown, of) = (schema::go::show(found), schema::go::type_name(found));
    [path, " accessor error: ", &shown, " is of the type ", of, ", expected ", expected].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            _ => panic!("not an object"),
        }
    }

    fn paths() -> Scale {
        Scale {
            spec: ".spec.pool.size".to_owned(),
            status: ".status.size".to_owned(),
            selector: Some(".status.selector".to_owned()),
        }
    }

    #[test]
    fn the_definition_says_where_numbers_stand() {
        #[track_caller]
        fn check(object: Value, expected: Result<Value, &str>) {
            let shown = show(&paths(), &map(object)).map(Value::Object);
            assert_eq!(shown, expected.map_err(str::to_owned));
        }
        check(
            json!({"metadata": {"name": "a", "labels": {}}, "spec": {"pool": {"size": 3}}}),
            Ok(json!({"metadata": {"name": "a"}, "spec": {"replicas": 3}, "status": {"replicas": 0}})),
        );
        check(
            json!({"spec": {"pool": {"size": 0}}, "status": {"size": 2, "selector": "a=b"}}),
            Ok(json!({"metadata": {}, "spec": {}, "status": {"replicas": 2, "selector": "a=b"}})),
        );
        check(json!({"spec": {}}), Err("the spec replicas field \".spec.pool.size\" does not exist"));
    }

    #[test]
    fn sizes_are_adopted_where_nothing_was() {
        let mut object = map(json!({"metadata": {}}));
        adopt(&paths(), &map(json!({"spec": {"replicas": 4}})), &mut object);
        assert_eq!(Value::Object(object), json!({"metadata": {}, "spec": {"pool": {"size": 4}}}));
    }

    #[test]
    fn numbers_have_bounds() {
        let of = |object: Value, part, expected: &[&str]| {
            let errors: Vec<String> =
                check(&paths(), &map(object), part).iter().map(ToString::to_string).collect();
            assert_eq!(errors, expected);
        };
        of(json!({"spec": {"pool": {"size": 3}}}), Part::Spec, &[]);
        of(
            json!({"spec": {"pool": {"size": -1}}}),
            Part::Spec,
            &[".spec.pool.size: Invalid value: -1: should be a non-negative integer"],
        );
        of(
            json!({"status": {"size": 2_147_483_648_i64}}),
            Part::Status,
            &[".status.size: Invalid value: 2147483648: should be less than or equal to 2147483647"],
        );
    }
}
