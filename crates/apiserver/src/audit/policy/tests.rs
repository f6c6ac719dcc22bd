use http::Method;

use super::*;
use apimachinery::query::Query;

/// Reads a policy of these rules, each a line of YAML in flow style.
fn policy(rules: &str) -> Result<(AuditPolicy, Option<String>), String> {
    let rules: String = rules.lines().map(|rule| format!("\n- {{{rule}}}")).collect();
    AuditPolicy::parse(format!("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:{rules}").as_bytes())
}

/// Checks whether a rule is for each of some requests: `METHOD PATH`, by alice, who is in `dev` and `ops`.
#[track_caller]
fn check(rule: &str, yes: &[&str], no: &[&str]) {
    let (policy, warning) = policy(&format!("level: Metadata, {rule}")).unwrap();
    assert_eq!(warning, None);
    let user = User {
        name: "alice".to_owned(),
        groups: vec!["dev".to_owned(), "ops".to_owned()],
        ..User::default()
    };
    for (lines, level) in [(yes, Level::Metadata), (no, Level::None)] {
        for line in lines {
            let (method, uri) = line.split_once(' ').unwrap();
            let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
            let asked =
                Attributes::of(&Method::from_bytes(method.as_bytes()).unwrap(), path, &Query::parse(query));
            assert_eq!(policy.evaluate(Some(&user), &asked.unwrap()).level, level, "{rule}: {line}");
        }
    }
}

const PODS: &str = "GET /api/v1/namespaces/a/pods";
const POD: &str = "GET /api/v1/namespaces/a/pods/p";
const STATUS: &str = "GET /api/v1/namespaces/a/pods/p/status";
const LOG: &str = "GET /api/v1/namespaces/a/pods/p/log";
const SCALE: &str = "PUT /apis/apps/v1/namespaces/b/deployments/d/scale";
const NODE: &str = "GET /api/v1/nodes/n";
const VERSION: &str = "GET /version";

#[test]
fn rules_match_requests() {
    check("users: []", &[PODS, NODE, VERSION], &[]);
    check("users: [bob, alice]", &[PODS, VERSION], &[]);
    check("users: [bob]", &[], &[PODS, VERSION]);
    check("userGroups: [ops]", &[PODS], &[]);
    check("userGroups: [admins]", &[], &[PODS]);
    check("verbs: [get, list]", &[PODS, POD, VERSION], &[SCALE, "GET /api/v1/pods?watch=1"]);
    check("namespaces: [a]", &[PODS, LOG], &[SCALE, NODE, VERSION]);
    check("namespaces: ['']", &[NODE, "GET /api/v1/pods"], &[POD, VERSION]);
    check("resources: [{group: ''}]", &[POD, LOG, NODE], &[SCALE, VERSION]);
    check("resources: [{group: '*'}]", &[POD, SCALE], &[VERSION]);
    check("resources: [{resources: [pods]}]", &[PODS, POD], &[STATUS, LOG, NODE, SCALE]);
    check("resources: [{resources: [pods/log]}]", &[LOG], &[POD, STATUS]);
    check("resources: [{resources: [pods/*]}]", &[POD, STATUS, LOG], &[NODE]);
    check("resources: [{resources: ['*/status']}]", &[STATUS], &[POD, LOG]);
    check("resources: [{resources: ['*']}]", &[POD, STATUS, NODE], &[SCALE]);
    check("resources: [{group: apps, resources: ['*/scale']}]", &[SCALE], &[POD]);
    check("resources: [{resources: [pods], resourceNames: [p]}]", &[POD], &[PODS, NODE]);
    check("resources: [{resources: [pods]}], namespaces: [b]", &[], &[POD]);
    check("nonResourceURLs: ['*']", &[VERSION], &[POD]);
    check("nonResourceURLs: [/ver*, /livez]", &[VERSION, "GET /livez"], &[POD, "GET /livez/ping"]);
}

#[test]
fn the_first_rule_counts() {
    let rules = "level: None, users: [alice]\nlevel: Request, omitStages: [Panic], omitManagedFields: false\nlevel: Metadata";
    let text = format!(
        "omitStages: [RequestReceived]\nomitManagedFields: true\nkind: Policy\napiVersion: audit.k8s.io/v1\nrules:{}",
        rules.lines().map(|rule| format!("\n- {{{rule}}}")).collect::<String>()
    );
    let (policy, _) = AuditPolicy::parse(text.as_bytes()).unwrap();
    let of = |name: &str| {
        let user = User { name: name.to_owned(), ..User::default() };
        policy.evaluate(Some(&user), &Attributes::default())
    };
    assert_eq!(of("alice").level, Level::None);
    let omitted = vec![Stage::RequestReceived, Stage::Panic];
    assert_eq!(of("bob"), Verdict { level: Level::Request, omitted, omits_managed_fields: false });
    assert_eq!(policy.evaluate(None, &Attributes::default()).level, Level::Request);
}

/// Checks the error in a policy, or the warning about it.
#[track_caller]
fn check_error(text: &str, expected: &str) {
    let found = AuditPolicy::parse(text.as_bytes());
    let found = found.map_or_else(|why| why, |(_, warning)| warning.unwrap_or_default());
    assert_eq!(found, expected, "{text}");
}

#[test]
fn wrong_policies_are_refused() {
    const HEAD: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
    const UNVERSIONED: &str = "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy";
    check_error("", UNVERSIONED);
    check_error("kind: Policy", UNVERSIONED);
    check_error("apiVersion: audit.k8s.io/v1\nrules: [{level: None}]", "");
    check_error(
        "kind: Event",
        "failed decoding: converting (audit.Event) to (audit.Policy): unknown conversion",
    );
    check_error(HEAD, "loaded illegal policy with 0 rules");
    check_error(
        "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n",
        r#"failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30""#,
    );
    check_error(
        &format!("{HEAD}rules: x"),
        "failed decoding: json: cannot unmarshal string into Go struct field Policy.rules of type []v1.PolicyRule",
    );
    check_error(&format!("{HEAD}rules: [{{level: Metadata}}]"), "");
    check_error(
        &format!("{HEAD}rules: [{{level: Metadata, foo: 1}}]"),
        "Audit policy contains errors, falling back to lenient decoding: strict decoding error: unknown field \"rules[0].foo\"",
    );
    let rule = |rule: &str, expected: &str| check_error(&format!("{HEAD}rules: [{{{rule}}}]"), expected);
    rule("users: [a]", "rules[0].level: Required value");
    rule(
        "level: All",
        "rules[0].level: Unsupported value: \"All\": supported values: \"None\", \"Metadata\", \"Request\", \"RequestResponse\"",
    );
    rule(
        "level: None, nonResourceURLs: [a, '/*b', '*']",
        "[rules[0].nonResourceURLs[0]: Invalid value: \"a\": non-resource URL rules must begin with a '/' character, \
         rules[0].nonResourceURLs[1]: Invalid value: \"/*b\": non-resource URL wildcards '*' must be the final character of the rule]",
    );
    rule(
        "level: None, nonResourceURLs: ['*'], namespaces: [a]",
        "rules[0].nonResourceURLs: Invalid value: [\"*\"]: rules cannot apply to both regular resources and non-resource URLs",
    );
    rule(
        "level: None, resources: [{resourceNames: [a]}]",
        "rules[0].resources.resourceNames: Invalid value: [\"a\"]: using resourceNames requires at least one resource",
    );
    rule(
        "level: None, omitStages: [Later]",
        "rules[0].omitStages[0]: Invalid value: \"Later\": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic",
    );
    rule(
        "level: None, resources: [{group: rbac/v1}]",
        "rules[0].resources.group: Invalid value: \"rbac/v1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
}
