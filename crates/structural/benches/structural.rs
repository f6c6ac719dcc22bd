//! How long a custom resource with 50 fields and 10 rules takes from a client's tree to a valid object.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use field::Path;
use json_tree::{Map, Value, json};
use structural::rules::{self, BUDGET};
use structural::{Structural, default, drop_nulls, prune, validate, validate_lists};

/// Five groups of ten fields, each of which has two rules.
fn schema() -> Value {
    let field = |index: usize| match index % 5 {
        0 => json!({"type": "string", "maxLength": 63, "pattern": "^[a-z0-9-]+$"}),
        1 => json!({"type": "integer", "minimum": 0, "maximum": 65535}),
        2 => json!({"type": "boolean", "default": false}),
        3 => json!({"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 20}}),
        _ => json!({"type": "string", "enum": ["Always", "Never", "OnFailure"]}),
    };
    let fields: Map<String, Value> = (0..10).map(|index| (format!("f{index}"), field(index))).collect();
    let group = json!({
        "type": "object", "properties": fields, "required": ["f0"],
        "x-kubernetes-validations": [
            {"rule": "!has(self.f1) || !has(self.f6) || self.f1 <= self.f6", "message": "f1 is at most f6"},
            {"rule": "self.f3.all(x, x.startsWith('a')) && self.f0 != self.f5"},
        ],
    });
    let groups: Map<String, Value> = (0..5).map(|index| (format!("g{index}"), group.clone())).collect();
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": groups}}})
}

fn object() -> Value {
    let group = json!({
        "f0": "name", "f1": 1, "f3": ["a", "ab", "abc"], "f4": "Always", "f5": "other", "f6": 80, "f7": true,
        "f8": ["x"], "f9": "Never",
    });
    let groups: Map<String, Value> = (0..5).map(|index| (format!("g{index}"), group.clone())).collect();
    json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "spec": groups})
}

fn bench(criterion: &mut Criterion) {
    let schema = Structural::parse(&schema());
    let (compiled, errors) = rules::compile(&schema, &Path::default(), &[]);
    assert!(errors.is_empty(), "{errors:?}");
    let sent = object();
    criterion.bench_function("50 fields, 10 rules", |bencher| {
        bencher.iter_batched(
            || sent.clone(),
            |mut object| {
                prune(&mut object, &schema, true);
                drop_nulls(&mut object, &schema);
                default(&mut object, &schema);
                let mut errors = validate(&object, None, &schema);
                errors.extend(validate_lists(&object, &schema));
                errors.extend(rules::validate(&compiled, &schema, &object, None, BUDGET).errors);
                assert!(black_box(errors).is_empty());
                object
            },
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
