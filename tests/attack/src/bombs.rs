//! Requests that are small and may become large, or take long.

use crate::client::request;

pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/attack";
const MEGABYTE: usize = 1_000_000;

/// A request that strains the server.
pub(crate) struct Bomb {
    pub(crate) name: &'static str,
    /// The status code of its response.
    pub(crate) code: u16,
    pub(crate) request: fn() -> Vec<u8>,
}

pub(crate) const BOMBS: [Bomb; 19] = [
    Bomb { name: "YAML, 60,000 keys twice", code: 201, request: duplicate_keys },
    Bomb { name: "YAML, 20,000 aliases of a megabyte", code: 400, request: aliases },
    Bomb { name: "YAML, a list of 1.4 million zeros", code: 400, request: || numbers("application/yaml") },
    Bomb { name: "JSON, a list of 1.4 million zeros", code: 400, request: || numbers("application/json") },
    Bomb { name: "JSON of 2.9 MB", code: 422, request: large_json },
    Bomb { name: "JSON, one map twice, in other orders", code: 201, request: one_map_twice },
    Bomb { name: "lists nested 900,000 deep", code: 400, request: nested },
    Bomb { name: "JSON, 900,000 empty containers", code: 400, request: containers_in_json },
    Bomb { name: "Protobuf, 1.4 million empty containers", code: 400, request: containers_in_protobuf },
    Bomb { name: "an apply of 60,000 keys", code: 201, request: apply },
    Bomb { name: "an apply of 3 MiB of YAML", code: 201, request: apply_yaml },
    Bomb { name: "a create that a policy at its limit sees", code: 201, request: judged },
    Bomb { name: "a JSON Patch of 10,000 operations", code: 200, request: operations },
    Bomb { name: "8,000 values deleted from a list", code: 200, request: deletions },
    Bomb { name: "8,000 owners", code: 201, request: owners },
    Bomb { name: "8,000 variables of a container", code: 201, request: variables },
    Bomb { name: "150,000 labels that are none", code: 422, request: labels },
    Bomb { name: "a definition nested 2,000 deep", code: 400, request: definition },
    Bomb { name: "a selector of 6,000 conditions", code: 200, request: selector },
];

fn create(media_type: &str, path: &str, body: &[u8]) -> Vec<u8> {
    request(&format!("POST {path}?dryRun=All"), media_type, body, body.len())
}

fn create_json(path: &str, body: &str) -> Vec<u8> {
    create("application/json", path, body.as_bytes())
}

fn patch(media_type: &str, path: &str, body: &str) -> Vec<u8> {
    let line = format!("PATCH {path}?dryRun=All&fieldManager=attack");
    request(&line, media_type, body.as_bytes(), body.len())
}

/// Joins what `item` makes of each number.
fn each(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

fn duplicate_keys() -> Vec<u8> {
    let keys = each(60_000, "\n", |number| format!("  k{number}: a\n  k{number}: b"));
    create("application/yaml", CONFIG_MAPS, format!("metadata: {{name: attack}}\ndata:\n{keys}\n").as_bytes())
}

fn aliases() -> Vec<u8> {
    let aliases = each(20_000, ", ", |_| "*a".to_owned());
    let body = format!("a: &a {}\nb: [{aliases}]\n", "x".repeat(MEGABYTE));
    create("application/yaml", CONFIG_MAPS, body.as_bytes())
}

fn numbers(media_type: &str) -> Vec<u8> {
    let numbers = each(1_400_000, ",", |_| "0".to_owned());
    let body = format!("{{\"metadata\":{{\"name\":\"attack\"}},\"data\":[{numbers}]}}");
    create(media_type, CONFIG_MAPS, body.as_bytes())
}

fn large_json() -> Vec<u8> {
    let data = each(29_000, ",", |number| format!("\"k{number}\":\"{}\"", "x".repeat(88)));
    create_json(CONFIG_MAPS, &format!("{{\"metadata\":{{\"name\":\"attack\"}},\"data\":{{{data}}}}}"))
}

fn one_map_twice() -> Vec<u8> {
    let entry = |number: usize| format!("\"k{number}\":\"\"");
    let (up, down) = (each(60_000, ",", entry), each(60_000, ",", |number| entry(59_999 - number)));
    let metadata = "\"metadata\":{\"name\":\"attack\"}";
    create_json(CONFIG_MAPS, &format!("{{{metadata},\"data\":{{{up}}},\"data\":{{{down}}}}}"))
}

fn nested() -> Vec<u8> {
    create_json(CONFIG_MAPS, &"[".repeat(900_000))
}

fn containers_in_json() -> Vec<u8> {
    let containers = each(900_000, ",", |_| "{}".to_owned());
    let body = format!("{{\"metadata\":{{\"name\":\"attack\"}},\"spec\":{{\"containers\":[{containers}]}}}}");
    create_json(PODS, &body)
}

/// A field of a Protobuf message that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut length) = (vec![number << 3 | 2], bytes.len());
    while length > 127 {
        out.push((length & 127) as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    [&out, bytes].concat()
}

fn containers_in_protobuf() -> Vec<u8> {
    let pod = [field(1, &field(1, b"attack")), field(2, &field(2, b"").repeat(1_400_000))].concat();
    let kind = [field(1, b"v1"), field(2, b"Pod")].concat();
    let unknown = [field(1, &kind), field(2, &pod)].concat();
    create("application/vnd.kubernetes.protobuf", PODS, &[&b"k8s\0"[..], &unknown].concat())
}

fn apply() -> Vec<u8> {
    let data = each(60_000, ",", |number| format!("\"k{number}\":\"v\""));
    let metadata = "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"attack\"}";
    let body = format!("{{{metadata},\"data\":{{{data}}}}}");
    patch("application/apply-patch+yaml", &format!("{CONFIG_MAPS}/attack"), &body)
}

/// A Deployment with so many variables, 3 MiB in all.
fn apply_yaml() -> Vec<u8> {
    let labels = "{matchLabels: {app: a}}";
    let variables = each(12_000, "\n", |number| {
        format!("        - name: V{number}\n          value: {}", "x".repeat(210))
    });
    let head = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: attack\nspec:\n  selector: {labels}\n  template:\n    \
         metadata: {{labels: {{app: a}}}}\n    spec:\n      containers:\n      - name: c\n        image: i\n        env:\n"
    );
    patch("application/apply-patch+yaml", DEPLOYMENT, &format!("{head}{variables}\n"))
}

fn judged() -> Vec<u8> {
    create_json("/api/v1/namespaces/judged/configmaps", "{\"metadata\":{\"name\":\"attack\"}}")
}

/// A policy for the namespace `judged`, with expressions that cost almost as much as they may: ten of a million each.
fn policy() -> [(&'static str, String); 2] {
    let numbers = format!("[{}]", each(47, ",", |number| number.to_string()));
    let expression = format!("{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, a + b + c >= 0)))");
    let validations = each(10, ",", |_| format!("{{\"expression\":\"{expression}\"}}"));
    let only = "\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"judged\"}}";
    let rule = "{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"operations\":[\"CREATE\"],\"resources\":[\"configmaps\"]}";
    let policy = format!(
        "{{\"metadata\":{{\"name\":\"costly\"}},\"spec\":{{\"matchConstraints\":{{{only},\"resourceRules\":[{rule}]}},\
         \"validations\":[{validations}]}}}}"
    );
    let binding = "{\"metadata\":{\"name\":\"costly\"},\"spec\":{\"policyName\":\"costly\",\"validationActions\":[\"Deny\"]}}";
    [("validatingadmissionpolicies", policy), ("validatingadmissionpolicybindings", binding.to_owned())]
}

fn operations() -> Vec<u8> {
    let add = |number: usize| format!("{{\"op\":\"add\",\"path\":\"/data/k{number}\",\"value\":\"v\"}}");
    patch(
        "application/json-patch+json",
        &format!("{CONFIG_MAPS}/many"),
        &format!("[{}]", each(10_000, ",", add)),
    )
}

fn deletions() -> Vec<u8> {
    let values = each(8_000, ",", |number| format!("\"f{number}.example/x\""));
    let body = format!("{{\"metadata\":{{\"$deleteFromPrimitiveList/finalizers\":[{values}]}}}}");
    patch("application/strategic-merge-patch+json", &format!("{CONFIG_MAPS}/many"), &body)
}

fn owners() -> Vec<u8> {
    let owner =
        |number| format!("{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"n{number}\",\"uid\":\"u\"}}");
    let owners = each(8_000, ",", owner);
    let body = format!("{{\"metadata\":{{\"name\":\"attack\",\"ownerReferences\":[{owners}]}}}}");
    create_json(CONFIG_MAPS, &body)
}

fn variables() -> Vec<u8> {
    let variables = each(8_000, ",", |number| format!("{{\"name\":\"V{number}\",\"value\":\"x\"}}"));
    let container = format!("{{\"name\":\"c\",\"image\":\"i\",\"env\":[{variables}]}}");
    let body = format!("{{\"metadata\":{{\"name\":\"attack\"}},\"spec\":{{\"containers\":[{container}]}}}}");
    create_json(PODS, &body)
}

fn labels() -> Vec<u8> {
    let labels = each(150_000, ",", |number| format!("\"-{number}\":\"-\""));
    create_json(CONFIG_MAPS, &format!("{{\"metadata\":{{\"name\":\"attack\",\"labels\":{{{labels}}}}}}}"))
}

fn definition() -> Vec<u8> {
    let schema = format!(
        "{}{{\"type\":\"string\"}}{}",
        "{\"type\":\"object\",\"properties\":{\"a\":".repeat(2_000),
        "}}".repeat(2_000)
    );
    let names = "\"names\":{\"plural\":\"bombs\",\"kind\":\"Bomb\"},\"scope\":\"Namespaced\"";
    let version = format!(
        "{{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{{\"openAPIV3Schema\":{schema}}}}}"
    );
    let spec = format!("\"spec\":{{\"group\":\"a.example\",{names},\"versions\":[{version}]}}");
    let body = format!("{{\"metadata\":{{\"name\":\"bombs.a.example\"}},{spec}}}");
    create_json("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &body)
}

/// All objects meet all of its conditions.
fn selector() -> Vec<u8> {
    let conditions = each(6_000, ",", |number| format!("!k{number}"));
    request(&format!("GET /api/v1/namespaces/many/configmaps?labelSelector={conditions}"), "", b"", 0)
}

/// Creates what the requests need: 20 ConfigMaps of a megabyte, 2,000 small ones, one with many finalizers, and a policy.
pub(crate) fn prepared() -> Vec<Vec<u8>> {
    let namespace = |name: &str| format!("{{\"metadata\":{{\"name\":\"{name}\"}}}}");
    let post = |path: &str, body: &str| {
        request(&format!("POST {path}"), "application/json", body.as_bytes(), body.len())
    };
    let mut requests: Vec<_> = ["attack", "many", "judged"]
        .iter()
        .map(|name| post("/api/v1/namespaces", &namespace(name)))
        .collect();
    for number in 0..20 {
        let data = "x".repeat(MEGABYTE);
        let body = format!("{{\"metadata\":{{\"name\":\"c{number}\"}},\"data\":{{\"k\":\"{data}\"}}}}");
        requests.push(post("/api/v1/namespaces/attack/configmaps", &body));
    }
    for number in 0..2_000 {
        let body = format!("{{\"metadata\":{{\"name\":\"c{number}\",\"labels\":{{\"app\":\"web\"}}}}}}");
        requests.push(post("/api/v1/namespaces/many/configmaps", &body));
    }
    let finalizers = each(8_000, ",", |number| format!("\"f{number}.example/x\""));
    let many = format!(
        "{{\"metadata\":{{\"name\":\"many\",\"finalizers\":[{finalizers}]}},\"data\":{{\"a\":\"b\"}}}}"
    );
    requests.push(post(CONFIG_MAPS, &many));
    for (resource, body) in policy() {
        requests.push(post(&format!("/apis/admissionregistration.k8s.io/v1/{resource}"), &body));
    }
    requests
}
