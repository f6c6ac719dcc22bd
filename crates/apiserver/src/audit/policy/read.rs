//! Reading of audit policies.
//!
//! <https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Policy>

use json_tree::Value;
use schema::types::TableError;
use schema::{Node, TypeId, Types};

use super::rule::{GroupResources, Rule};
use super::{AuditPolicy, Level, Stage, Verdict, list, texts, validate};
use crate::format::type_meta;

/// The group and version of policies.
const API_VERSION: &str = "audit.k8s.io/v1";
/// The kinds of the group.
const KINDS: [&str; 4] = ["Event", "EventList", "Policy", "PolicyList"];
/// The Go source line at which the scheme of policies was made, which messages name.
const SCHEME: &str = "k8s.io/apiserver/pkg/audit/scheme.go:30";
/// The Go package of the types.
const PACKAGE: &str = "k8s.io/apiserver/pkg/apis/audit/v1";

/// The types of a policy, as the table of all types has others.
const TYPES: &str = "\
@audit k8s.io/apiserver/pkg/apis/audit/v1
Policy kind
 metadata 1 ObjectMeta keep
 rules 2 []PolicyRule keep
 omitStages 3 []string go=[]v1.Stage
 omitManagedFields 4 bool
PolicyRule
 level 1 string keep go=v1.Level
 users 2 []string
 userGroups 3 []string
 verbs 4 []string
 resources 5 []GroupResources
 namespaces 6 []string
 nonResourceURLs 7 []string
 omitStages 8 []string go=[]v1.Stage
 omitManagedFields 9 bool ptr
GroupResources
 group 1 string
 resources 2 []string
 resourceNames 3 []string
ObjectMeta
 name 1 string
 generateName 2 string
 namespace 3 string
 selfLink 4 string
 uid 5 string go=types.UID
 resourceVersion 6 string
 generation 7 int64
 creationTimestamp 8 time
 deletionTimestamp 9 time ptr
 deletionGracePeriodSeconds 10 int64 ptr
 labels 11 {}string
 annotations 12 {}string
 ownerReferences 13 []any
 finalizers 14 []string
 managedFields 17 []any
";

impl AuditPolicy {
    /// Reads a policy from YAML or JSON. Returns a warning, too, if fields in it are unknown or stand twice: such a policy is used all
    /// the same.
    ///
    /// # Errors
    /// The reason why it cannot be used, in kube-apiserver's words.
    pub fn parse(text: &[u8]) -> Result<(Self, Option<String>), String> {
        let (node, mut strict) = document(text)?;
        let undecodable = |why: String| ["failed decoding: ", &why].concat();
        let unreadable =
            |why: String| undecodable(["couldn't get version/kind; json parse error: ", &why].concat());
        let (api_version, kind) = type_meta(&node).map_err(unreadable)?;
        check_kind(&api_version, &kind)?;
        let (types, ty) = types().map_err(|error| error.to_string())?;
        let decoded = schema::decode(&types, ty, &node).map_err(|error| undecodable(error.to_string()))?;
        strict.extend(decoded.strict.iter().map(ToString::to_string));
        let errors = validate::policy(&decoded.value);
        if !errors.is_empty() {
            return Err(field::aggregate(&errors));
        }
        let policy = policy(&decoded.value);
        if policy.rules.is_empty() {
            return Err("loaded illegal policy with 0 rules".to_owned());
        }
        let warning = (!strict.is_empty()).then(|| {
            let why = strict.join(", ");
            format!(
                "Audit policy contains errors, falling back to lenient decoding: strict decoding error: {why}"
            )
        });
        Ok((policy, warning))
    }
}

/// Reads a document, and the errors that a strict reader has found in its text.
fn document(text: &[u8]) -> Result<(Node<'_>, Vec<String>), String> {
    if let Ok(node) = codec::json::parse(text) {
        return Ok((node, Vec::new()));
    }
    let document = codec::yaml::parse_document(text).map_err(|error| format!("failed decoding: {error}"))?;
    let strict = document.strict_error().into_iter().collect();
    Ok((document.node, strict))
}

/// Checks that a document says that it is a policy. One that does not say what it is of is taken for that, but it has to say its version.
fn check_kind(api_version: &str, kind: &str) -> Result<(), String> {
    let kind = if kind.is_empty() { "Policy" } else { kind };
    let unknown = |version: &str| {
        let kind = field::quote(kind);
        Err(format!("failed decoding: no kind {kind} is registered for {version} in scheme \"{SCHEME}\""))
    };
    match (api_version, kind) {
        (API_VERSION, "Policy") => Ok(()),
        ("", "Policy") => {
            Err("unknown group version field audit.k8s.io/__internal, Kind=Policy in policy".to_owned())
        }
        ("", kind) if KINDS.contains(&kind) => {
            Err(format!("failed decoding: converting (audit.{kind}) to (audit.Policy): unknown conversion"))
        }
        ("", _) => unknown("the internal version of group \"audit.k8s.io\""),
        (API_VERSION, kind) if KINDS.contains(&kind) => {
            Err(format!("failed decoding: converting (v1.{kind}) to (audit.Policy): unknown conversion"))
        }
        (version, _) => unknown(&["version ", &field::quote(version)].concat()),
    }
}

/// Returns the types, and that of policies.
fn types() -> Result<(Types, TypeId), TableError> {
    let types = schema::types::parse(TYPES)?;
    match types.find(PACKAGE, "Policy") {
        Some(ty) => Ok((types, ty)),
        None => Err(TableError { line: 1, message: "there is no Policy".to_owned() }),
    }
}

/// Makes a policy of what was decoded as one, and is valid.
fn policy(decoded: &Value) -> AuditPolicy {
    let stages = |value: &Value| {
        texts(&value["omitStages"]).iter().filter_map(|name| Stage::of(name)).collect::<Vec<_>>()
    };
    let everywhere = stages(decoded);
    let rule = |rule: &Value| Rule {
        verdict: Verdict {
            level: rule["level"].as_str().and_then(Level::of).unwrap_or_default(),
            omitted: everywhere.iter().copied().chain(stages(rule)).collect(),
            omits_managed_fields: rule["omitManagedFields"]
                .as_bool()
                .unwrap_or(decoded["omitManagedFields"] == true),
        },
        users: texts(&rule["users"]),
        groups: texts(&rule["userGroups"]),
        verbs: texts(&rule["verbs"]),
        resources: list(&rule["resources"]).map(resources).collect(),
        namespaces: texts(&rule["namespaces"]),
        urls: texts(&rule["nonResourceURLs"]),
    };
    AuditPolicy { rules: list(&decoded["rules"]).map(rule).collect() }
}

fn resources(one: &Value) -> GroupResources {
    GroupResources {
        group: one["group"].as_str().unwrap_or_default().to_owned(),
        resources: texts(&one["resources"]),
        names: texts(&one["resourceNames"]),
    }
}
