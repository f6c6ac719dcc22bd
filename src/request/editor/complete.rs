//! The completions in the editor: which names and values are possible at a place.

use schema::{Field, FieldType, TypeId, Types};
use serde::{Deserialize, Serialize};

use crate::model::request::schema::{META, Shape, Spot, facts, find, help_name, value_names};
use crate::model::request::subject::{How, Subject};
use crate::ui::messages::editor as words;

/// A question of the editor.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Question {
    /// The way to what is being written, or to the map whose name is.
    pub(crate) path: Vec<String>,
    /// `key`, `value`, or `block`: what is below a name, be it names or a value.
    pub(crate) at: String,
    /// The part of it that has been typed.
    pub(crate) typed: String,
    /// The names that the map has already.
    pub(crate) present: Vec<String>,
    /// The `kind` that the body itself states.
    pub(crate) kind: String,
    /// The `apiVersion` that the body itself states.
    #[serde(rename = "apiVersion")]
    pub(crate) api_version: String,
    /// The JSON pointer of the operation of a JSON Patch.
    pub(crate) pointer: String,
}

/// The options that the editor offers.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Answer {
    /// True if the options are names.
    pub(crate) keys: bool,
    /// Names or values, those first that are likely.
    pub(crate) options: Vec<Offer>,
    /// The names by which more values may be known.
    pub(crate) values: Vec<String>,
}

/// A name or a value that may be meant.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Offer {
    pub(crate) label: String,
    /// A few words beside it: of a field, its Go type.
    pub(crate) detail: String,
    /// True if a value is a text.
    pub(crate) text: bool,
    pub(crate) required: bool,
    /// The text that the value of a name begins with.
    pub(crate) insert: &'static str,
    pub(crate) facts: Vec<String>,
    /// The type and the field by which it is described.
    pub(crate) help: Option<[String; 2]>,
    /// The names by which the values of a field may be known.
    pub(crate) values: Vec<String>,
}

/// The metadata fields that the server sets in every object: offered last.
const SET_BY_SERVER: [&str; 7] = [
    "selfLink",
    "uid",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
];

/// The names in an operation of a JSON Patch, whether they are required, and what they are.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply>
const OPERATION: [(&str, bool, &str, &str); 4] = [
    ("op", true, "\"", words::OPERATION),
    ("path", true, "\"", words::OPERATION_PATH),
    ("value", false, "", words::OPERATION_VALUE),
    ("from", false, "\"", words::OPERATION_FROM),
];

const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];

/// The directives that a strategic merge patch may have besides fields.
///
/// <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/>
const DIRECTIVES: [(&str, &str, &str); 2] =
    [("$patch", "\"", words::DIRECTIVE_PATCH), ("$retainKeys", "[", words::DIRECTIVE_RETAIN)];

/// Returns the possible names or values at the place of `question`.
pub(crate) fn complete(subject: &Subject, question: &Question) -> Answer {
    let path: Vec<&str> = question.path.iter().map(String::as_str).collect();
    let keys = question.at != "value";
    if subject.how != How::Operations {
        return within(subject, question, &path);
    }
    match path.as_slice() {
        [_] if keys => names(
            question,
            OPERATION.iter().map(|(name, required, insert, about)| Offer {
                required: *required,
                ..offer(name, about, insert)
            }),
        ),
        [_, "op"] => values(OPERATIONS.iter().map(|name| (*name).to_owned())),
        [_, "path" | "from"] => values(pointers(subject, &question.typed)),
        [_, "value", rest @ ..] => {
            let steps = steps(&question.pointer);
            let whole: Vec<&str> = steps.iter().map(String::as_str).chain(rest.iter().copied()).collect();
            within(subject, question, &whole)
        }
        _ => Answer::default(),
    }
}

/// Returns the possible names or values at a path of an object.
fn within(subject: &Subject, question: &Question, path: &[&str]) -> Answer {
    if subject.how == How::Strategic && path.last() == Some(&"$patch") {
        return values(["replace", "merge", "delete"].into_iter().map(str::to_owned));
    }
    let Some(ty) = subject.ty() else { return untyped(subject, question, path) };
    let Some(spot) = find(ty, path.iter().copied()) else { return Answer::default() };
    if question.at != "value" {
        if let Some(ty) = spot.shape.of_type() {
            return fields(subject, question, ty, path.is_empty());
        }
        if matches!(spot.shape, Shape::Of(FieldType::Map(_))) {
            // Of the maps only those of quantities have names that are known.
            let quantities = spot.field.and_then(|field| field.go_type.as_deref()) == Some("v1.ResourceList");
            let values = quantities.then(|| "v1.ResourceName".to_owned()).into_iter().collect();
            return Answer { keys: true, values, ..Answer::default() };
        }
    }
    if question.at == "key" {
        return Answer::default();
    }
    value(subject, &spot, path)
}

/// Returns the possible names or values in an object of a kind that has no type here.
fn untyped(subject: &Subject, question: &Question, path: &[&str]) -> Answer {
    let meta = Types::builtin().find("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta");
    match (path, meta) {
        ([], _) if question.at != "value" => {
            let all = ["apiVersion", "kind", "metadata", "spec"];
            names(
                question,
                all.into_iter().map(|name| offer(name, "", if META.contains(&name) { "\"" } else { "{" })),
            )
        }
        ([name], _) if META.contains(name) => identity(subject, name),
        (["metadata", rest @ ..], Some(ty)) => {
            let inner = subject.metadata();
            let Some(spot) = find(ty, rest.iter().copied()) else { return Answer::default() };
            match spot.shape.of_type().filter(|_| question.at != "value") {
                Some(ty) => fields(&inner, question, ty, false),
                None if question.at == "key" => Answer::default(),
                None => value(&inner, &spot, path),
            }
        }
        _ => Answer::default(),
    }
}

/// The names of an object's fields that it has not yet.
fn fields(subject: &Subject, question: &Question, ty: TypeId, outermost: bool) -> Answer {
    let types = Types::builtin();
    let ty = types.get(ty);
    let describe = |name: &str| Some([help_name(ty), name.to_owned()]);
    // kube-apiserver knows kind and version by the path; a configuration to apply has to say them.
    let meta = META.iter().filter(|_| ty.type_meta).map(|name| Offer {
        required: outermost && matches!(subject.how, How::Whole | How::Apply),
        help: describe(name),
        ..offer(name, "string", "\"")
    });
    let is_metadata = ty.name == "v1.ObjectMeta";
    let late = |field: &&Field| is_metadata && SET_BY_SERVER.contains(&field.name.as_str());
    let early = ty.fields.iter().filter(|field| !late(field));
    let whole = matches!(subject.how, How::Whole | How::Apply);
    let own = early.chain(ty.fields.iter().filter(late)).map(|field| {
        let spot = Spot { shape: Shape::Of(&field.ty), field: Some(field), owner: Some(ty), inside: false };
        Offer {
            required: field.required && whole,
            facts: facts(field),
            help: describe(&field.name),
            values: value_names(&spot),
            ..offer(&field.name, &field.go_type(types), spot.shape.begins())
        }
    });
    let directives = DIRECTIVES.iter().filter(|_| subject.how == How::Strategic && !outermost);
    let directives = directives.map(|(name, insert, about)| offer(name, about, insert));
    names(question, meta.chain(own).chain(directives))
}

/// The values that may stand there.
fn value(subject: &Subject, spot: &Spot, path: &[&str]) -> Answer {
    let given = match path {
        ["metadata", "name"] => &subject.name,
        ["metadata", "namespace"] => &subject.namespace,
        _ => "",
    };
    if let Shape::Meta(name) = spot.shape {
        return identity(subject, name);
    }
    let mut answer = values((!given.is_empty()).then(|| given.to_owned()).into_iter());
    if matches!(spot.shape, Shape::Of(FieldType::Bool)) {
        answer.options.extend(["true", "false"].map(|word| offer(word, "", "")));
    }
    let default = spot.field.filter(|_| !spot.inside).and_then(|field| field.default.as_deref());
    match default.map(serde_json::from_str::<json_tree::Value>) {
        Some(Ok(json_tree::Value::String(text))) => {
            answer.options.push(Offer { text: true, ..offer(&text, words::DEFAULT, "") });
        }
        Some(Ok(number @ json_tree::Value::Number(_))) => {
            answer.options.push(offer(&number.to_string(), words::DEFAULT, ""));
        }
        _ => {}
    }
    answer.values = value_names(spot);
    answer
}

/// Returns the possible values of `apiVersion` or `kind`.
fn identity(subject: &Subject, name: &str) -> Answer {
    let kind = name == "kind";
    let known = if kind { &subject.kind } else { &subject.api_version };
    if !known.is_empty() && subject.ty().is_some() {
        return values([known.clone()].into_iter());
    }
    let mut all: Vec<String> = Vec::new();
    for resource in schema::resources().iter().filter(|resource| resource.allows("create")) {
        let fits = !kind || subject.api_version.is_empty() || resource.api_version() == subject.api_version;
        let word = if kind { resource.kind.clone() } else { resource.api_version() };
        if fits && !all.contains(&word) {
            all.push(word);
        }
    }
    values(all.into_iter())
}

/// The JSON pointers that go one step further than what has been written of one.
fn pointers(subject: &Subject, typed: &str) -> std::vec::IntoIter<String> {
    let before = typed.rfind('/').map_or("", |at| &typed[..at]);
    let way = steps(before);
    let spot = subject.ty().and_then(|ty| find(ty, way.iter().map(String::as_str)));
    let next: Vec<String> = match spot.map(|spot| spot.shape) {
        Some(Shape::Of(FieldType::List(_) | FieldType::Strings)) => vec!["-".to_owned(), "0".to_owned()],
        Some(shape) => {
            let ty = shape.of_type().map(|ty| Types::builtin().get(ty));
            let fields = ty.iter().flat_map(|ty| &ty.fields).map(|field| field.name.clone());
            fields.collect()
        }
        None => Vec::new(),
    };
    let whole: Vec<String> = next.iter().map(|step| [before, "/", step].concat()).collect();
    whole.into_iter()
}

/// The steps of a JSON pointer.
pub(crate) fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

fn offer(label: &str, detail: &str, insert: &'static str) -> Offer {
    Offer { label: label.to_owned(), detail: detail.to_owned(), insert, ..Offer::default() }
}

/// Those that are not there yet, required ones first.
fn names(question: &Question, offers: impl Iterator<Item = Offer>) -> Answer {
    let new = offers.filter(|offer| !question.present.contains(&offer.label));
    let (mut options, rest): (Vec<Offer>, Vec<Offer>) = new.partition(|offer| offer.required);
    options.extend(rest);
    Answer { keys: true, options, values: Vec::new() }
}

fn values(texts: impl Iterator<Item = String>) -> Answer {
    let options = texts.map(|label| Offer { label, text: true, ..Offer::default() }).collect();
    Answer { keys: false, options, values: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = "POST /api/v1/namespaces/shop/pods application/json";
    const PATCH: &str = "PATCH /apis/apps/v1/namespaces/shop/deployments/web application/json-patch+json";
    const STRATEGIC: &str =
        "PATCH /apis/apps/v1/namespaces/shop/deployments/web application/strategic-merge-patch+json";

    fn ask(request: &str, at: &str, path: &str, present: &[&str], more: Question) -> Answer {
        let words: Vec<&str> = request.split(' ').collect();
        let subject = Subject::of(words[0], words[1], words[2], "", "");
        let question = Question {
            path: path.split('/').filter(|step| !step.is_empty()).map(str::to_owned).collect(),
            at: at.to_owned(),
            present: present.iter().map(|name| (*name).to_owned()).collect(),
            ..more
        };
        complete(&subject, &question)
    }

    /// The first labels, and which of them are names of required fields (with `!`).
    #[track_caller]
    fn check(request: &str, at: &str, path: &str, present: &[&str], expected: &[&str]) {
        let answer = ask(request, at, path, present, Question::default());
        let label =
            |offer: &Offer| if offer.required { [&offer.label, "!"].concat() } else { offer.label.clone() };
        let labels: Vec<String> = answer.options.iter().map(label).collect();
        assert_eq!(
            labels[..expected.len().min(labels.len())],
            *expected,
            "{request} {at} {path}: {labels:?}"
        );
    }

    #[test]
    fn names_come_in_the_order_of_the_type_and_required_ones_first() {
        check(POD, "key", "", &[], &["apiVersion!", "kind!", "metadata", "spec", "status"]);
        check(POD, "key", "", &["kind", "metadata"], &["apiVersion!", "spec", "status"]);
        check(POD, "block", "spec", &[], &["containers!", "volumes"]);
        check(POD, "key", "spec/containers/0", &[], &["name!", "image", "command", "args"]);
        check(
            POD,
            "key",
            "spec/containers/0/ports/0",
            &[],
            &["containerPort!", "name", "hostPort", "protocol"],
        );
        check(
            POD,
            "key",
            "metadata",
            &["name"],
            &["generateName", "namespace", "resourceVersion", "labels", "annotations"],
        );
        check(POD, "key", "metadata/labels", &[], &[]);
        check(POD, "key", "nothing", &[], &[]);
        check(
            "DELETE /api/v1/namespaces/a/pods/b application/json",
            "key",
            "",
            &["kind", "apiVersion"],
            &["gracePeriodSeconds"],
        );
    }

    #[test]
    fn values_come_from_the_type_and_from_the_path() {
        check(POD, "value", "kind", &[], &["Pod"]);
        check(POD, "value", "apiVersion", &[], &["v1"]);
        check(POD, "value", "spec/hostNetwork", &[], &["true", "false"]);
        check(POD, "value", "spec/containers/0/ports/0/protocol", &[], &["TCP"]);
        check(POD, "value", "metadata/namespace", &[], &["shop"]);
        check(POD, "value", "metadata/name", &[], &[]);
        check(
            "PUT /api/v1/namespaces/shop/pods/web application/json",
            "value",
            "metadata/name",
            &[],
            &["web"],
        );
        check(
            "POST / application/json",
            "value",
            "apiVersion",
            &[],
            &["v1", "apiregistration.k8s.io/v1", "apps/v1"],
        );
        let names = ask(POD, "value", "spec/restartPolicy", &[], Question::default()).values;
        assert_eq!(names, ["v1.RestartPolicy", "v1.PodSpec.restartPolicy"]);
        let quantities = ask(POD, "key", "spec/containers/0/resources/limits", &[], Question::default());
        assert_eq!((quantities.keys, quantities.values), (true, vec!["v1.ResourceName".to_owned()]));
    }

    #[test]
    fn a_strategic_merge_patch_has_directives_and_nothing_is_required() {
        check(STRATEGIC, "key", "", &[], &["apiVersion", "kind", "metadata", "spec", "status"]);
        let labels = ask(STRATEGIC, "key", "spec/strategy", &["type"], Question::default()).options;
        let labels: Vec<&str> = labels.iter().map(|offer| offer.label.as_str()).collect();
        assert_eq!(labels, ["rollingUpdate", "$patch", "$retainKeys"]);
        check(STRATEGIC, "value", "spec/strategy/$patch", &[], &["replace", "merge", "delete"]);
    }

    #[test]
    fn a_json_patch_has_operations_and_pointers() {
        check(PATCH, "key", "0", &["op"], &["path!", "value", "from"]);
        check(PATCH, "value", "0/op", &[], &["add", "remove", "replace"]);
        let more = |typed: &str, pointer: &str| Question {
            typed: typed.to_owned(),
            pointer: pointer.to_owned(),
            ..Question::default()
        };
        let pointers = |typed: &str| {
            let options = ask(PATCH, "value", "0/path", &[], more(typed, "")).options;
            options.into_iter().map(|offer| offer.label).collect::<Vec<_>>()
        };
        assert_eq!(pointers("")[..2], ["/metadata", "/spec"]);
        assert_eq!(pointers("/spec/re")[..2], ["/spec/replicas", "/spec/selector"]);
        assert_eq!(
            pointers("/spec/template/spec/containers/"),
            ["-", "0"].map(|step| format!("/spec/template/spec/containers/{step}"))
        );
        assert!(pointers("/spec/nothing/").is_empty());
        let inner = ask(PATCH, "key", "0/value", &[], more("", "/spec/template/spec/containers/-")).options;
        assert_eq!(inner[0].label, "name");
    }

    #[test]
    fn a_kind_without_a_type_has_metadata_all_the_same() {
        let widget = "POST /apis/example.com/v1/namespaces/a/widgets application/json";
        check(widget, "key", "", &[], &["apiVersion", "kind", "metadata", "spec"]);
        check(widget, "block", "metadata", &[], &["name", "generateName", "namespace"]);
        check(widget, "key", "spec", &[], &[]);
    }
}
