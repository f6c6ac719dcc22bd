//! Metrics: targets of a spec, or current values of a status, in the two versions.

use json_tree::{Map, Value};

use super::V2;
use apimachinery::typed_object::TypedObject;

/// One kind of a metric: its `type`, the field that holds it, and the fields of that.
struct Source {
    kind: &'static str,
    field: &'static str,
    fields: &'static [Field],
}

/// A field: its name in v1, where it is in v2, and whether v1 writes it even if it is not set.
type Field = (&'static str, &'static [&'static str], bool);

/// The shape of a list of metrics.
pub(super) struct Shape {
    /// The type of its items in v2.
    item: &'static str,
    /// The field of v2 that says which of its values counts.
    target: Option<&'static str>,
    sources: &'static [Source],
}

pub(super) const SPEC: &Shape = &Shape {
    item: "MetricSpec",
    target: Some("target"),
    sources: &[
        Source {
            kind: "Object",
            field: "object",
            fields: &[
                ("target", &["describedObject"], false),
                ("metricName", &["metric", "name"], false),
                ("targetValue", &["target", "value"], true),
                ("selector", &["metric", "selector"], false),
                ("averageValue", &["target", "averageValue"], false),
            ],
        },
        Source {
            kind: "Pods",
            field: "pods",
            fields: &[
                ("metricName", &["metric", "name"], false),
                ("targetAverageValue", &["target", "averageValue"], true),
                ("selector", &["metric", "selector"], false),
            ],
        },
        Source {
            kind: "Resource",
            field: "resource",
            fields: &[
                ("name", &["name"], false),
                ("targetAverageUtilization", &["target", "averageUtilization"], false),
                ("targetAverageValue", &["target", "averageValue"], false),
            ],
        },
        Source {
            kind: "ContainerResource",
            field: "containerResource",
            fields: &[
                ("name", &["name"], false),
                ("targetAverageUtilization", &["target", "averageUtilization"], false),
                ("targetAverageValue", &["target", "averageValue"], false),
                ("container", &["container"], false),
            ],
        },
        Source {
            kind: "External",
            field: "external",
            fields: &[
                ("metricName", &["metric", "name"], false),
                ("metricSelector", &["metric", "selector"], false),
                ("targetValue", &["target", "value"], false),
                ("targetAverageValue", &["target", "averageValue"], false),
            ],
        },
    ],
};

pub(super) const STATUS: &Shape = &Shape {
    item: "MetricStatus",
    target: None,
    sources: &[
        Source {
            kind: "Object",
            field: "object",
            fields: &[
                ("target", &["describedObject"], false),
                ("metricName", &["metric", "name"], false),
                ("currentValue", &["current", "value"], true),
                ("selector", &["metric", "selector"], false),
                ("averageValue", &["current", "averageValue"], false),
            ],
        },
        Source {
            kind: "Pods",
            field: "pods",
            fields: &[
                ("metricName", &["metric", "name"], false),
                ("currentAverageValue", &["current", "averageValue"], true),
                ("selector", &["metric", "selector"], false),
            ],
        },
        Source {
            kind: "Resource",
            field: "resource",
            fields: &[
                ("name", &["name"], false),
                ("currentAverageUtilization", &["current", "averageUtilization"], false),
                ("currentAverageValue", &["current", "averageValue"], true),
            ],
        },
        Source {
            kind: "ContainerResource",
            field: "containerResource",
            fields: &[
                ("name", &["name"], false),
                ("currentAverageUtilization", &["current", "averageUtilization"], false),
                ("currentAverageValue", &["current", "averageValue"], true),
                ("container", &["container"], false),
            ],
        },
        Source {
            kind: "External",
            field: "external",
            fields: &[
                ("metricName", &["metric", "name"], false),
                ("metricSelector", &["metric", "selector"], false),
                ("currentValue", &["current", "value"], true),
                ("currentAverageValue", &["current", "averageValue"], false),
            ],
        },
    ],
};

/// The metrics of v2 as v1 writes them; `None` if there are none.
pub(super) fn to_v1(metrics: &[Value], shape: &Shape) -> Option<Value> {
    let items: Vec<Value> = metrics.iter().map(|metric| one_to_v1(metric, shape)).collect();
    (!items.is_empty()).then(|| items.into())
}

fn one_to_v1(metric: &Value, shape: &Shape) -> Value {
    let mut out = Map::new();
    out.insert("type".to_owned(), metric.get("type").cloned().unwrap_or_default());
    for source in shape.sources {
        let Some(held) = metric.get(source.field) else { continue };
        let mut fields = Map::new();
        for (name, path, always) in source.fields {
            let found =
                path.iter().try_fold(held, |value, key| value.get(key)).filter(|value| !value.is_null());
            match found {
                Some(value) => {
                    fields.insert((*name).to_owned(), value.clone());
                }
                None if *always => {
                    fields.insert((*name).to_owned(), "0".into());
                }
                None => {}
            }
        }
        out.insert(source.field.to_owned(), fields.into());
    }
    out.into()
}

/// The metrics of v1 as v2 has them. What is not a list of metrics is none.
pub(super) fn to_v2(metrics: Option<Value>, shape: &Shape) -> Vec<Value> {
    let Some(Value::Array(items)) = metrics else { return Vec::new() };
    items.iter().map(|metric| one_to_v2(metric, shape)).collect()
}

fn one_to_v2(metric: &Value, shape: &Shape) -> Value {
    let mut out = Map::new();
    out.insert("type".to_owned(), metric.get("type").cloned().unwrap_or_default());
    for source in shape.sources.iter().filter(|source| metric["type"] == source.kind) {
        let Some(held) = metric.get(source.field) else { continue };
        let Some(mut item) = TypedObject::builtin(V2, shape.item, &mut out) else { continue };
        let Some(mut own) = item.ensure(source.field) else { continue };
        for (name, path, _) in source.fields {
            if let Some(value) = held.get(name).filter(|value| !value.is_null()) {
                put(&mut own, path, value);
            }
        }
        if let Some(target) = shape.target
            && let Some(mut target) = own.ensure(target)
        {
            let kind = if target.is_set("averageUtilization") {
                "Utilization"
            } else if target.is_set("averageValue") {
                "AverageValue"
            } else {
                "Value"
            };
            target.set("type", kind);
        }
    }
    out.into()
}

fn put(fields: &mut TypedObject<'_>, path: &[&str], value: &Value) {
    match path {
        [] => {}
        [last] => fields.set(last, value.clone()),
        [first, rest @ ..] => {
            if let Some(mut inner) = fields.ensure(first) {
                put(&mut inner, rest, value);
            }
        }
    }
}
