//! The fields by which objects can be selected.

use std::borrow::Cow;

use json_tree::Value;

use super::unknown_label;

/// The place of a label's value in an object, and the value that counts if there is none.
#[derive(Clone, Copy)]
enum Source {
    /// A string, or a number or boolean printed, at this JSON pointer; the second text if it is missing.
    At(&'static str, &'static str),
    /// The first of several places that holds a non-empty value.
    FirstOf(&'static [&'static str]),
    /// Nowhere: the label is allowed, and always empty.
    Nowhere,
}

/// A label, and where its value comes from.
type Label = (&'static str, Source);

/// How the API server words that a label is not known to a resource that has labels of its own.
#[derive(Clone, Copy)]
enum Unknown {
    /// `field label not supported: x`
    Plain,
    /// `field label "x" not supported for KIND`
    Of(&'static str),
    /// `field label not supported for KIND: x`
    For(&'static str),
}

/// The labels of a resource.
struct Row {
    group: &'static str,
    resource: &'static str,
    namespaced: bool,
    labels: &'static [Label],
    /// Names that clients may use for labels: the name, and the label.
    aliases: &'static [(&'static str, &'static str)],
    unknown: Unknown,
}

const EVENT_LABELS: &[Label] = &[
    ("involvedObject.kind", Source::FirstOf(&["/involvedObject/kind", "/regarding/kind"])),
    ("involvedObject.namespace", Source::FirstOf(&["/involvedObject/namespace", "/regarding/namespace"])),
    ("involvedObject.name", Source::FirstOf(&["/involvedObject/name", "/regarding/name"])),
    ("involvedObject.uid", Source::FirstOf(&["/involvedObject/uid", "/regarding/uid"])),
    ("involvedObject.apiVersion", Source::FirstOf(&["/involvedObject/apiVersion", "/regarding/apiVersion"])),
    (
        "involvedObject.resourceVersion",
        Source::FirstOf(&["/involvedObject/resourceVersion", "/regarding/resourceVersion"]),
    ),
    ("involvedObject.fieldPath", Source::FirstOf(&["/involvedObject/fieldPath", "/regarding/fieldPath"])),
    ("reason", Source::At("/reason", "")),
    ("reportingComponent", Source::FirstOf(&["/reportingComponent", "/reportingController"])),
    (
        "source",
        Source::FirstOf(&[
            "/source/component",
            "/deprecatedSource/component",
            "/reportingComponent",
            "/reportingController",
        ]),
    ),
    ("type", Source::At("/type", "")),
];

const ROWS: &[Row] = &[
    Row {
        group: "",
        resource: "pods",
        namespaced: true,
        labels: &[
            ("spec.nodeName", Source::At("/spec/nodeName", "")),
            ("spec.restartPolicy", Source::At("/spec/restartPolicy", "")),
            ("spec.schedulerName", Source::At("/spec/schedulerName", "")),
            ("spec.serviceAccountName", Source::At("/spec/serviceAccountName", "")),
            ("spec.hostNetwork", Source::At("/spec/hostNetwork", "false")),
            ("status.phase", Source::At("/status/phase", "")),
            ("status.podIP", Source::FirstOf(&["/status/podIPs/0/ip", "/status/podIP"])),
            ("status.podIPs", Source::Nowhere),
            ("status.nominatedNodeName", Source::At("/status/nominatedNodeName", "")),
        ],
        aliases: &[("spec.host", "spec.nodeName")],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "nodes",
        namespaced: false,
        labels: &[("spec.unschedulable", Source::At("/spec/unschedulable", "false"))],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "namespaces",
        namespaced: false,
        labels: &[("status.phase", Source::At("/status/phase", ""))],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "secrets",
        namespaced: true,
        labels: &[("type", Source::At("/type", ""))],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "services",
        namespaced: true,
        labels: &[
            ("spec.clusterIP", Source::At("/spec/clusterIP", "")),
            ("spec.type", Source::At("/spec/type", "")),
        ],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "replicationcontrollers",
        namespaced: true,
        labels: &[("status.replicas", Source::At("/status/replicas", "0"))],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "",
        resource: "events",
        namespaced: true,
        labels: EVENT_LABELS,
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "events.k8s.io",
        resource: "events",
        namespaced: true,
        labels: EVENT_LABELS,
        aliases: &[
            ("reason", "reason"),
            ("regarding.kind", "involvedObject.kind"),
            ("regarding.namespace", "involvedObject.namespace"),
            ("regarding.name", "involvedObject.name"),
            ("regarding.uid", "involvedObject.uid"),
            ("regarding.apiVersion", "involvedObject.apiVersion"),
            ("regarding.resourceVersion", "involvedObject.resourceVersion"),
            ("regarding.fieldPath", "involvedObject.fieldPath"),
            ("reportingController", "reportingComponent"),
            ("type", "type"),
        ],
        unknown: Unknown::Plain,
    },
    Row {
        group: "batch",
        resource: "jobs",
        namespaced: true,
        labels: &[("status.successful", Source::At("/status/succeeded", "0"))],
        aliases: &[],
        unknown: Unknown::Of("batchv1.Job"),
    },
    Row {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        namespaced: false,
        labels: &[("spec.signerName", Source::At("/spec/signerName", ""))],
        aliases: &[],
        unknown: Unknown::Plain,
    },
    Row {
        group: "resource.k8s.io",
        resource: "resourceslices",
        namespaced: false,
        labels: &[
            ("spec.nodeName", Source::At("/spec/nodeName", "")),
            ("spec.driver", Source::At("/spec/driver", "")),
        ],
        aliases: &[],
        unknown: Unknown::For("resource.k8s.io/v1, Kind=ResourceSlice"),
    },
];

fn row(group: &str, resource: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| (row.group, row.resource) == (group, resource))
}

/// The label that a client means by `label`, or the message of the Status if the resource has none such.
pub(super) fn resolve<'a>(group: &str, resource: &str, label: &'a str) -> Result<Cow<'a, str>, String> {
    let Some(row) = row(group, resource) else {
        return match label {
            "metadata.name" | "metadata.namespace" => Ok(Cow::Borrowed(label)),
            _ => Err(unknown_label(label)),
        };
    };
    // Events of the newer group are selected by the newer names alone.
    let only_aliases = row.group == "events.k8s.io";
    match label {
        "metadata.name" => Ok(Cow::Borrowed(label)),
        "metadata.namespace" if row.namespaced => Ok(Cow::Borrowed(label)),
        _ => {
            if let Some((_, meant)) = row.aliases.iter().find(|(alias, _)| *alias == label) {
                return Ok(Cow::Borrowed(meant));
            }
            if !only_aliases && row.labels.iter().any(|(known, _)| *known == label) {
                return Ok(Cow::Borrowed(label));
            }
            Err(match row.unknown {
                Unknown::Plain => format!("field label not supported: {label}"),
                Unknown::Of(kind) => {
                    format!("field label {} not supported for {kind}", field::quote(label))
                }
                Unknown::For(kind) => format!("field label not supported for {kind}: {label}"),
            })
        }
    }
}

/// The labels of an object and their values: `metadata.name`, `metadata.namespace` if it has one, and those special
/// to the resource. A label that is missing counts as empty.
pub fn selectable(group: &str, resource: &str, object: &Value) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    for (label, pointer) in
        [("metadata.name", "/metadata/name"), ("metadata.namespace", "/metadata/namespace")]
    {
        if let Some(value) = text_at(object, pointer) {
            fields.push((label, value));
        }
    }
    let special = row(group, resource).map_or(&[][..], |row| row.labels);
    fields.extend(special.iter().map(|(label, source)| (*label, value(object, *source))));
    fields
}

fn value(object: &Value, source: Source) -> String {
    match source {
        Source::At(pointer, missing) => text_at(object, pointer).unwrap_or_else(|| missing.to_owned()),
        Source::FirstOf(pointers) => pointers
            .iter()
            .find_map(|pointer| text_at(object, pointer).filter(|text| !text.is_empty()))
            .unwrap_or_default(),
        Source::Nowhere => String::new(),
    }
}

/// The scalar at `pointer` as text.
fn text_at(object: &Value, pointer: &str) -> Option<String> {
    match object.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
