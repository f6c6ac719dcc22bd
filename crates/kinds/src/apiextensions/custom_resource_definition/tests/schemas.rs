use super::*;

/// Checks a schema as a property of the spec; the errors' paths begin there.
#[track_caller]
fn field(schema: Value, expected: &[&str]) {
    let root =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": schema}}}});
    let path = "spec.validation.openAPIV3Schema.properties[spec].properties[a]";
    root_at(root, path, expected);
}

#[track_caller]
fn root(schema: Value, expected: &[&str]) {
    root_at(schema, "spec.validation.openAPIV3Schema", expected);
}

#[track_caller]
fn root_at(schema: Value, path: &str, expected: &[&str]) {
    let errors = create(&with("/spec/versions/0/schema/openAPIV3Schema", schema));
    let found: Vec<String> = errors
        .iter()
        .map(|error| error.to_string().replace(path, "").trim_start_matches('.').to_owned())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn roots() {
    root(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), &[]);
    root(json!({}), &["type: Required value: must not be empty at the root"]);
    root(
        json!({"type": "object", "nullable": true}),
        &["nullable: Forbidden: nullable cannot be true at the root"],
    );
    root(
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        &["additionalProperties: Forbidden: must not be used at the root"],
    );
    root(
        json!({"type": "object", "$schema": "x"}),
        &[": Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"],
    );
    root(
        json!({"type": "object", "properties": {"kind": {"type": "integer"}, "apiVersion": {"type": "string"},
            "metadata": {"type": "array", "items": {"type": "string"}}}}),
        &[
            "properties[kind].type: Invalid value: \"integer\": must be string",
            "properties[metadata].type: Invalid value: \"array\": must be object",
            "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        ],
    );
    root(
        json!({"type": "object", "properties": {"kind": {"type": "string", "default": "x"},
            "metadata": {"type": "object", "default": {}, "properties": {"name": {"type": "string"}}}}}),
        &[
            "properties[kind].default: Forbidden: must not be set in top-level kind",
            "properties[metadata].default: Forbidden: must not be set in top-level metadata",
        ],
    );
}

#[test]
fn roots_beside_a_status() {
    let check = |schema: Value, expected: &str| {
        let mut definition = with("/spec/versions/0/schema/openAPIV3Schema", schema);
        definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
        let errors = create(&definition);
        let found =
            errors.first().map(|error| format!("{}: {}", error.field, error.detail)).unwrap_or_default();
        assert_eq!(found, expected);
    };
    check(
        json!({"type": "object", "description": "d", "required": ["spec"], "properties": {"spec": {"type": "object"}}}),
        "",
    );
    check(
        json!({"type": "array", "items": {"type": "string"}}),
        "spec.validation.openAPIV3Schema.type: only \"object\" is allowed as the type at the root of the schema if the status \
         subresource is enabled",
    );
    check(
        json!({"type": "object", "maxProperties": 3}),
        "spec.validation.openAPIV3Schema: only [Description Type Format Title Maximum ExclusiveMaximum Minimum \
         ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties \
         ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status \
         subresource is enabled",
    );
}

#[test]
fn types() {
    field(json!({"type": "string", "format": "date-time"}), &[]);
    field(
        json!({"type": "null"}),
        &[
            "type: Unsupported value: \"null\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
            "type: Forbidden: type cannot be set to null, use nullable as an alternative",
        ],
    );
    field(
        json!({"type": "array", "items": {}}),
        &["items.type: Required value: must not be empty for specified array items"],
    );
    field(
        json!({"type": "object", "additionalProperties": {}}),
        &["additionalProperties.type: Required value: must not be empty for specified object fields"],
    );
    field(json!({"x-kubernetes-preserve-unknown-fields": true}), &[]);
    field(json!({"x-kubernetes-int-or-string": true}), &[]);
    field(
        json!({"type": "string", "id": "x", "definitions": {"a": {}}, "additionalItems": false, "$ref": ""}),
        &[
            "id: Forbidden: id is not supported",
            "additionalItems: Forbidden: additionalItems is not supported",
            "definitions: Forbidden: definitions is not supported",
            "$ref: Forbidden: $ref is not supported",
        ],
    );
}

#[test]
fn integers_or_strings() {
    let pattern = json!([{"type": "integer"}, {"type": "string"}]);
    field(json!({"x-kubernetes-int-or-string": true, "anyOf": pattern}), &[]);
    field(json!({"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": pattern}, {"pattern": "a"}]}), &[]);
    field(
        json!({"x-kubernetes-int-or-string": true, "allOf": [{"pattern": "a"}, {"anyOf": pattern}]}),
        &[
            "allOf[1].anyOf[0].type: Forbidden: must be empty to be structural",
            "allOf[1].anyOf[1].type: Forbidden: must be empty to be structural",
        ],
    );
    field(
        json!({"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}),
        &[
            "x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
        ],
    );
}

#[test]
fn what_only_restricts() {
    field(
        json!({"type": "object", "properties": {"b": {"type": "string"}}, "oneOf": [{"required": ["b"]},
            {"properties": {"b": {"pattern": "x"}}}], "not": {"properties": {"b": {"enum": ["y"]}}}}),
        &[],
    );
    field(
        json!({"type": "object", "allOf": [{"type": "object", "title": "t", "description": "d", "default": false,
            "nullable": true, "x-kubernetes-map-type": "atomic", "x-kubernetes-list-map-keys": ["a"],
            "additionalProperties": {}}]}),
        &[
            "allOf[0].additionalProperties: Forbidden: must be undefined to be structural",
            "allOf[0].default: Forbidden: must be undefined to be structural",
            "allOf[0].description: Forbidden: must be empty to be structural",
            "allOf[0].nullable: Forbidden: must be false to be structural",
            "allOf[0].title: Forbidden: must be empty to be structural",
            "allOf[0].type: Forbidden: must be empty to be structural",
            "allOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural",
            "allOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural",
            "allOf[0].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
        ],
    );
    field(
        json!({"type": "array", "items": {"type": "string"}, "anyOf": [{"items": {"items": {"pattern": "["}}}]}),
        &[
            "anyOf[0].items.items.pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: `[`",
        ],
    );
}

#[test]
fn what_is_restricted_is_defined() {
    let errors = create(&with(
        "/spec/versions/0/schema/openAPIV3Schema",
        json!({"type": "object", "properties": {"spec": {"type": "object"}},
            "allOf": [{"properties": {"spec": {"items": {}}, "x": {}, "metadata": {}}}]}),
    ));
    let root = "spec.validation.openAPIV3Schema";
    check_errors(
        &errors,
        &format!(
            "[{root}.allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context, \
             {root}.properties[metadata]: Required value: because it is defined in {root}.allOf[0].properties[metadata], \
             {root}.properties[spec].items: Required value: because it is defined in {root}.allOf[0].properties[spec].items, \
             {root}.properties[x]: Required value: because it is defined in {root}.allOf[0].properties[x]]"
        ),
    );
}

#[test]
fn lists() {
    let list = |more: Value, expected: &[&str]| {
        let mut list = json!({"type": "array", "items": {"type": "object", "required": ["k"],
            "properties": {"k": {"type": "string"}, "o": {"type": "string", "nullable": true}, "l": {"type": "object"}}}});
        list.as_object_mut()
            .into_iter()
            .for_each(|list| list.extend(more.as_object().cloned().unwrap_or_default()));
        field(list, expected);
    };
    let map = |keys: &[&str], expected: &[&str]| {
        list(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}), expected);
    };
    map(&["k"], &[]);
    map(
        &[],
        &["x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
    );
    map(
        &["k", "k"],
        &["x-kubernetes-list-map-keys: Invalid value: [\"k\",\"k\"]: must not contain duplicate entries"],
    );
    map(
        &["o", "z"],
        &[
            "x-kubernetes-list-map-keys: Invalid value: [\"o\",\"z\"]: entries must all be names of item properties",
            "items.properties[o].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            "items.properties[o].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        ],
    );
    map(
        &["l"],
        &[
            "items.properties[l].type: Invalid value: \"object\": must be a scalar type if parent array's x-kubernetes-list-type is map",
            "items.properties[l].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ],
    );
    list(
        json!({"x-kubernetes-list-map-keys": ["k"]}),
        &["x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
    );
    list(
        json!({"x-kubernetes-list-type": "set"}),
        &[
            "items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
        ],
    );
    list(
        json!({"x-kubernetes-list-type": "bag"}),
        &[
            "x-kubernetes-list-type: Unsupported value: \"bag\": supported values: \"atomic\", \"set\", \"map\"",
        ],
    );
    field(
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "nullable": true,
            "x-kubernetes-list-type": "set", "items": {"type": "string"}}}),
        &[
            "items.x-kubernetes-list-type: Invalid value: \"set\": must be atomic as item of a list with x-kubernetes-list-type=set",
            "items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set",
        ],
    );
    field(
        json!({"type": "string", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
            "x-kubernetes-map-type": "x"}),
        &[
            "type: Invalid value: \"string\": must be object if x-kubernetes-map-type is specified",
            "x-kubernetes-map-type: Unsupported value: \"x\": supported values: \"atomic\", \"granular\"",
            "type: Invalid value: \"string\": must be array if x-kubernetes-list-type is specified",
            "items: Required value: must have a schema if x-kubernetes-list-type is map",
        ],
    );
}

#[test]
fn rules() {
    let rule = |rule: Value, expected: &[&str]| {
        let expected: Vec<String> =
            expected.iter().map(|text| format!("x-kubernetes-validations[0].{text}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        field(
            json!({"type": "object", "properties": {"b": {"type": "object", "additionalProperties": {"type": "string"}}},
                "x-kubernetes-validations": [rule]}),
            &expected,
        );
    };
    rule(json!({"rule": " "}), &["rule: Required value: rule is not specified"]);
    rule(
        json!({"rule": "true", "message": " ", "messageExpression": " ", "reason": "x", "fieldPath": " "}),
        &[
            "message: Invalid value: \" \": must be non-empty if specified",
            "messageExpression: Required value: must be non-empty if specified",
            "reason: Unsupported value: \"x\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
            "fieldPath: Invalid value: \" \": must be non-empty if specified",
            "fieldPath: Invalid value: \" \": must be a valid path",
        ],
    );
    rule(
        json!({"rule": "true\n&& true", "fieldPath": ".b['x.y']"}),
        &["message: Required value: must be specified if rule contains line breaks"],
    );
    rule(
        json!({"rule": "true", "message": "a\nb", "fieldPath": ".b['x"}),
        &[
            "message: Invalid value: \"a\\nb\": must not contain line breaks",
            "fieldPath: Invalid value: \".b['x\": must be a valid path",
        ],
    );
}

#[test]
fn embedded_resources() {
    field(
        json!({"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        &["type: Required value: must be object if x-kubernetes-embedded-resource is true"],
    );
    field(
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "metadata": {"type": "object", "properties": {"x": {"type": "object", "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true}}}}}),
        &[
            "properties[metadata].properties[x].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
        ],
    );
}
