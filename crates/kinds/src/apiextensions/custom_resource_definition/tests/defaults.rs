use super::*;

/// Checks the schema of a field `a` of the spec; the errors' paths begin there.
#[track_caller]
fn field(schema: Value, expected: &[&str]) {
    let root =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": schema}}}});
    let path = "spec.validation.openAPIV3Schema.properties[spec].properties[a].";
    let errors = create(&with("/spec/versions/0/schema/openAPIV3Schema", root));
    let found: Vec<String> = errors.iter().map(|error| error.to_string().replace(path, "")).collect();
    assert_eq!(found, expected);
}

#[test]
fn defaults_are_valid() {
    field(json!({"type": "string", "default": "x"}), &[]);
    field(json!({"type": "object", "default": {"b": 1}, "properties": {"b": {"type": "integer"}}}), &[]);
    field(
        json!({"type": "string", "default": 1}),
        &["default: Invalid value: \"integer\":  in body must be of type string: \"integer\""],
    );
    field(
        json!({"type": "array", "items": {"type": "object", "properties": {"b": {"type": "integer", "default": 0,
            "minimum": 1}}}}),
        &["items.properties[b].default: Invalid value: 0:  in body should be greater than or equal to 1"],
    );
}

#[test]
fn defaults_are_pruned() {
    field(
        json!({"type": "object", "default": {"b": 1, "c": 2}, "properties": {"b": {"type": "integer"}}}),
        &["default: Invalid value: {\"b\":1,\"c\":2}: must not have unknown fields"],
    );
}

#[test]
fn embedded_defaults_have_sound_metadata() {
    let embedded = |more: Value, expected: &[&str]| {
        let mut schema = json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true});
        schema
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(more.as_object().cloned().unwrap_or_default()));
        field(schema, expected);
    };
    embedded(json!({"default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}}), &[]);
    embedded(
        json!({"default": {"metadata": {"name": "a/b"}}}),
        &[
            "default.apiVersion: Required value",
            "default.kind: Required value",
            "default.metadata.name: Invalid value: \"a/b\": may not contain '/'",
        ],
    );
    embedded(
        json!({"properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "a/b"}}}}}),
        &[
            "properties[metadata].properties[name].default: Invalid value: \"a/b\": must result in valid metadata: \
           metadata.name: Invalid value: \"a/b\": may not contain '/'",
        ],
    );
    embedded(
        json!({"properties": {"metadata": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}}}}),
        &[
            "properties[metadata].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying \
           to object metadata",
        ],
    );
}
