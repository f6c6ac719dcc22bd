//! Lists that are empty, of which storage knows only that they are not there.

use json_tree::Value;

use crate::types::{Empty, FieldType, TypeId, Types};

/// Makes the empty lists of an object null that are written even if there are none. A client may send either, and it can
/// tell whose they are; in storage, they are the same.
pub fn nil_empty_lists(types: &Types, ty: TypeId, object: &mut Value) {
    let Value::Object(object) = object else { return };
    let fields = &types.get(ty).fields;
    for (name, value) in object {
        let Some(field) = fields.iter().find(|field| field.name == *name) else { continue };
        if field.empty == Empty::Keep && value.as_array().is_some_and(Vec::is_empty) {
            *value = Value::Null;
        } else {
            inside(types, &field.ty, value);
        }
    }
}

/// The same within a field's value.
fn inside(types: &Types, ty: &FieldType, value: &mut Value) {
    match (ty, value) {
        (FieldType::Struct(id), value) => nil_empty_lists(types, *id, value),
        (FieldType::List(item), Value::Array(items)) if holds_structs(item) => {
            items.iter_mut().for_each(|value| inside(types, item, value));
        }
        (FieldType::Map(item), Value::Object(entries)) if holds_structs(item) => {
            entries.values_mut().for_each(|value| inside(types, item, value));
        }
        _ => {}
    }
}

fn holds_structs(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Struct(_) | FieldType::List(_) | FieldType::Map(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, object: &str, expected: &str) {
        let row = crate::resources().iter().find(|row| row.name == name).expect("there is such a resource");
        let mut object: Value = serde_json::from_str(object).expect("JSON");
        nil_empty_lists(Types::builtin(), row.ty().expect("it has a type"), &mut object);
        assert_eq!(object.to_string(), expected);
    }

    #[test]
    fn only_what_is_always_written_becomes_null() {
        check("roles", r#"{"rules":[]}"#, r#"{"rules":null}"#);
        check("roles", r#"{"rules":[{"verbs":[]}]}"#, r#"{"rules":[{"verbs":null}]}"#);
        check("limitranges", r#"{"spec":{"limits":[]}}"#, r#"{"spec":{"limits":null}}"#);
        check(
            "networkpolicies",
            r#"{"spec":{"podSelector":{},"ingress":[]}}"#,
            r#"{"spec":{"podSelector":{},"ingress":[]}}"#,
        );
    }
}
