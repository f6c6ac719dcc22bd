//! The kind FlowSchema: which requests belong to which priority level.
//!
//! See <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>.

mod printer;

use json_tree::Value;

use crate::flowcontrol::common::{not_as_fixed, update_status};
use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, TRACKED, keep_metadata, passes};
use crate::validation::checks::{named, required, required_name, supported, texts};
use crate::validation::name;
use crate::validation::read::{at, get, integer, is_true, list, text};
use field::{AddError, Error, Path};

/// The kind FlowSchema.
pub(crate) struct FlowSchema;

impl Kind for FlowSchema {
    const GROUP: &'static str = "flowcontrol.apiserver.k8s.io";
    const RESOURCE: &'static str = "flowschemas";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..TRACKED };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_part_alone("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer { order: Some(printer::order), ..Printer::of(printer::COLUMNS, printer::cells) })
    }
}

const DISTINGUISHERS: [&str; 2] = ["ByNamespace", "ByUser"];

const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

const SUBJECT_KINDS: [&str; 3] = ["Group", "ServiceAccount", "User"];

/// A kind of subjects, the field that describes one, and what is said of that field.
const SUBJECTS: [(&str, &str); 3] =
    [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];

const MAX_PRECEDENCE: i64 = 10_000;

/// Validates a FlowSchema.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    let precedence = integer(spec, "matchingPrecedence").unwrap_or_default();
    let at_precedence = path.child("matchingPrecedence");
    let mut wrong = |why: &str| errors.invalid(&at_precedence, precedence, why);
    if precedence <= 0 {
        wrong("must be a positive value");
    }
    if precedence > MAX_PRECEDENCE {
        wrong("must not be greater than 10000");
    }
    if precedence == 1 && text(at(object, "/metadata"), "name") != "exempt" {
        wrong("only the schema named 'exempt' may have matchingPrecedence 1");
    }
    if let Some(method) = get(spec, "distinguisherMethod") {
        let ty = text(method, "type");
        if !DISTINGUISHERS.contains(&ty) {
            let at = path.child("distinguisherMethod").child("type");
            let value = json_tree::json!({ "Type": ty });
            errors.not_supported(&at, value, &DISTINGUISHERS);
        }
    }
    let (level, at_level) =
        (text(at(spec, "/priorityLevelConfiguration"), "name"), "priorityLevelConfiguration");
    let at_level = path.child(at_level).child("name");
    if level.is_empty() {
        errors.required(&at_level, "must reference a priority level");
    } else {
        errors.extend(named(level, name::subdomain, &at_level));
    }
    for (index, rules) in list(spec, "rules").iter().enumerate() {
        errors.extend(rules_of(rules, &path.child("rules").index(index)));
    }
    errors.extend(not_as_fixed(object, "flowschemas"));
    errors.extend(update_status(object, &Value::Null));
    errors
}

fn rules_of(rules: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let subjects = list(rules, "subjects");
    if subjects.is_empty() {
        let why = "subjects must contain at least one value";
        errors.required(path.child("subjects"), why);
    }
    for (index, one) in subjects.iter().enumerate() {
        errors.extend(subject(one, &path.child("subjects").index(index)));
    }
    let (resources, others) = (list(rules, "resourceRules"), list(rules, "nonResourceRules"));
    if resources.is_empty() && others.is_empty() {
        let why = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.required(path, why);
    }
    for (index, rule) in resources.iter().enumerate() {
        errors.extend(resource_rule(rule, &path.child("resourceRules").index(index)));
    }
    for (index, rule) in others.iter().enumerate() {
        errors.extend(other_rule(rule, &path.child("nonResourceRules").index(index)));
    }
    errors
}

fn subject(subject: &Value, path: &Path) -> Vec<Error> {
    let kind = text(subject, "kind");
    let Some((_, own)) = SUBJECTS.iter().find(|(name, _)| *name == kind) else {
        return supported(subject, "kind", &SUBJECT_KINDS, path).into_iter().collect();
    };
    let at = path.child(own);
    let mut errors = match get(subject, own) {
        None => vec![Error::required(&at, format!("{own} is required when subject kind is '{kind}'"))],
        Some(account) if kind == "ServiceAccount" => {
            let mut errors = match text(account, "name") {
                "*" => Vec::new(),
                _ => required_name(account, "name", name::subdomain, &at),
            };
            let (namespace, at) = (text(account, "namespace"), at.child("namespace"));
            if namespace.is_empty() {
                errors.required(&at, "must specify namespace for service account");
            } else {
                errors.extend(named(namespace, name::label, &at));
            }
            errors
        }
        Some(other) => required(other, &["name"], &at),
    };
    for (kind, field) in SUBJECTS {
        if field != *own && get(subject, field).is_some() {
            let why = format!("{field} is forbidden when subject kind is not '{kind}'");
            errors.forbidden(path.child(field), why);
        }
    }
    errors
}

/// The error of a list with `*` and something else.
fn not_alone(items: &[&str], what: &str, path: &Path) -> Option<Error> {
    let why = || format!("if '*' is present, must not specify other {what}");
    (items.len() > 1 && items.contains(&"*")).then(|| Error::invalid(path, items.to_vec(), why()))
}

fn verbs(rule: &Value, path: &Path) -> Option<Error> {
    let (verbs, path) = (texts(rule, "verbs"), path.child("verbs"));
    if verbs.is_empty() {
        return Some(Error::required(&path, "verbs must contain at least one value"));
    }
    if verbs.contains(&"*") {
        return not_alone(&verbs, "verbs", &path);
    }
    let known = verbs.iter().all(|verb| VERBS.contains(verb));
    (!known).then(|| Error::not_supported(&path, verbs, &VERBS))
}

fn resource_rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> = verbs(rule, path).into_iter().collect();
    for (field, one, others) in
        [("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")]
    {
        let (items, at) = (texts(rule, field), path.child(field));
        if items.is_empty() {
            errors.required(&at, format!("resource rules must supply at least one {one}"));
        }
        errors.extend(not_alone(&items, others, &at));
    }
    let (namespaces, at) = (texts(rule, "namespaces"), path.child("namespaces"));
    if namespaces.is_empty() && !is_true(rule, "clusterScope") {
        let why = "resource rules that are not cluster scoped must supply at least one namespace";
        errors.required(&at, why);
    } else if namespaces.contains(&"*") {
        errors.extend(not_alone(&namespaces, "namespaces", &at));
    } else {
        for (index, namespace) in namespaces.into_iter().enumerate() {
            let complaints = name::label(namespace).into_iter();
            errors.extend(complaints.map(|why| {
                let why = format!("each member of this list must be '*' or a DNS-1123 label; {why}");
                Error::invalid(at.index(index), namespace, why)
            }));
        }
    }
    errors
}

fn other_rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> = verbs(rule, path).into_iter().collect();
    let (urls, path) = (texts(rule, "nonResourceURLs"), path.child("nonResourceURLs"));
    if urls.is_empty() {
        errors.required(&path, "nonResourceURLs must contain at least one value");
    } else if urls.contains(&"*") {
        errors.extend(not_alone(&urls, "non-resource URLs", &path));
    } else {
        for (index, url) in urls.into_iter().enumerate() {
            errors.extend(url_path(url).map(|why| Error::invalid(path.index(index), url, why)));
        }
    }
    errors
}

fn url_path(url: &str) -> Option<&'static str> {
    let stars = url.matches('*').count();
    match url {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !url.starts_with('/') => Some("must start with slash"),
        _ if url.contains(' ') => Some("must not contain white-space"),
        _ if url.contains("//") => Some("must not contain double slash"),
        _ if stars > 1 || (stars == 1 && !url.ends_with("/*")) => {
            Some("wildcard can only do suffix matching")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn schemas() {
        let schema = |spec: Value| create(&json!({"metadata": {"name": "s"}, "spec": spec}));
        let rules = json!([{"subjects": [{"kind": "User", "user": {"name": "u"}}],
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"]}]}]);
        check(
            &schema(
                json!({"matchingPrecedence": 100, "priorityLevelConfiguration": {"name": "p"}, "rules": rules}),
            ),
            "",
        );
        check(
            &schema(json!({"matchingPrecedence": 1, "distinguisherMethod": {"type": "ByMood"},
                "rules": [{}, {"subjects": [{"kind": "Group", "user": {"name": "u"}}, {"kind": "Robot"}],
                    "nonResourceRules": [{"verbs": ["peek"], "nonResourceURLs": ["x"]}]}]})),
            "[spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1, \
             spec.distinguisherMethod.type: Unsupported value: {\"Type\":\"ByMood\"}: supported values: \"ByNamespace\", \"ByUser\", \
             spec.priorityLevelConfiguration.name: Required value: must reference a priority level, \
             spec.rules[0].subjects: Required value: subjects must contain at least one value, \
             spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty, \
             spec.rules[1].subjects[0].group: Required value: group is required when subject kind is 'Group', \
             spec.rules[1].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User', \
             spec.rules[1].subjects[1].kind: Unsupported value: \"Robot\": supported values: \"Group\", \"ServiceAccount\", \"User\", \
             spec.rules[1].nonResourceRules[0].verbs: Unsupported value: [\"peek\"]: supported values: \"create\", \"delete\", \"deletecollection\", \"get\", \"list\", \"patch\", \"proxy\", \"update\", \"watch\", \
             spec.rules[1].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"x\": must start with slash]",
        );
    }
}
