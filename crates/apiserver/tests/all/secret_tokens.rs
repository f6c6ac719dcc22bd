//! Tokens of service accounts in Secrets: who has one, and when it is not good any more.

use apiserver::User;
use golang::base64;
use http::Request;
use json_tree::{Value, json};

use crate::common::{Cluster, read};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const MERGE: &str = "application/merge-patch+json";

fn cluster() -> Cluster {
    let admin =
        User { name: "admin".to_owned(), groups: vec!["system:masters".to_owned()], ..User::default() };
    Cluster::with_tokens(Some(vec![("admin".to_owned(), admin)]))
}

/// Sends a request with a token.
fn send(cluster: &Cluster, token: &str, line: &str, body: &Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let media_type = if method == "PATCH" { MERGE } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("Content-Type", media_type);
    let request = request.header("Authorization", format!("Bearer {token}"));
    let body = if body.is_null() { String::new() } else { body.to_string() };
    read(&cluster.send(request.body(body.into()).unwrap()))
}

/// Returns the claims of the token of a Secret `t` of a service account `robot` with this uid.
fn claims(uid: &str) -> Value {
    json!({
        "iss": "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": "default",
        "kubernetes.io/serviceaccount/secret.name": "t",
        "kubernetes.io/serviceaccount/service-account.name": "robot",
        "kubernetes.io/serviceaccount/service-account.uid": uid,
        "sub": "system:serviceaccount:default:robot"
    })
}

/// A cluster with a service account, the claims of a token of it, and a Secret that has the token.
fn with_token() -> (Cluster, Value, String) {
    let cluster = cluster();
    let (_, account) =
        send(&cluster, "admin", &format!("POST {ACCOUNTS}"), &json!({"metadata": {"name": "robot"}}));
    let claims = claims(account["metadata"]["uid"].as_str().unwrap());
    let token = cluster.server.issuer().token(&claims).unwrap();
    let secret = json!({
        "metadata": {"name": "t", "annotations": {"kubernetes.io/service-account.name": "robot"}},
        "type": "kubernetes.io/service-account-token",
        "data": {"token": base64::encode(&token)}
    });
    assert_eq!(send(&cluster, "admin", &format!("POST {SECRETS}"), &secret).0, 201);
    (cluster, claims, token)
}

/// Asks whose a token is, and returns the status of the review.
fn review(cluster: &Cluster, token: &str) -> Value {
    let review = json!({"spec": {"token": token}});
    send(cluster, "admin", "POST /apis/authentication.k8s.io/v1/tokenreviews", &review).1["status"].clone()
}

#[test]
fn who_has_the_token_is_the_account() {
    let (cluster, claims, token) = with_token();
    let uid = claims["kubernetes.io/serviceaccount/service-account.uid"].clone();
    let user = json!({
        "username": "system:serviceaccount:default:robot",
        "uid": uid,
        "groups": ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
    });
    let expected =
        json!({"authenticated": true, "user": user, "audiences": ["https://kubernetes.default.svc"]});
    assert_eq!(review(&cluster, &token), expected);
    let (code, refused) = send(&cluster, &token, &format!("GET {SECRETS}"), &Value::Null);
    let text = "secrets is forbidden: User \"system:serviceaccount:default:robot\" cannot list resource \"secrets\" in API group \
                \"\" in the namespace \"default\"";
    assert_eq!((code, refused["message"].as_text()), (403, text));
}

#[test]
fn the_secret_tells_on_which_day_it_was_used_last() {
    let (cluster, _, token) = with_token();
    let secret = || send(&cluster, "admin", &format!("GET {SECRETS}/t"), &Value::Null).1["metadata"].clone();
    assert_eq!(secret()["labels"], Value::Null);
    send(&cluster, &token, "GET /version", &Value::Null);
    let used = secret();
    let day = used["labels"]["kubernetes.io/legacy-token-last-used"].as_text().to_owned();
    assert_eq!(day.len(), "2026-11-30".len(), "{used}");
    let managers = used["managedFields"].as_array().cloned().unwrap_or_default();
    assert!(managers.iter().any(|entry| entry["manager"] == "kube-apiserver"), "{used}");
    // On the same day nothing more is written.
    send(&cluster, &token, "GET /version", &Value::Null);
    assert_eq!(secret()["resourceVersion"], used["resourceVersion"]);
}

#[test]
fn a_token_that_nobody_has_signed_is_nobodys() {
    let (cluster, claims, _) = with_token();
    let part = |value: &Value| base64::encode_url(value.to_string().as_bytes());
    let forged = [part(&json!({"alg": "HS256"})), part(&claims), base64::encode_url(b"x")].join(".");
    let data = json!({"data": {"token": base64::encode(&forged)}});
    assert_eq!(send(&cluster, "admin", &format!("PATCH {SECRETS}/t"), &data).0, 200);
    assert_eq!(send(&cluster, &forged, "GET /api", &Value::Null).0, 401);
    // Nor does the Secret tell that it was used.
    let (_, secret) = send(&cluster, "admin", &format!("GET {SECRETS}/t"), &Value::Null);
    assert_eq!(secret["metadata"]["labels"], Value::Null);
}

#[test]
fn a_token_is_good_as_long_as_its_secret_has_it() {
    let (cluster, claims, token) = with_token();
    let error = |token: &str| {
        let text = review(&cluster, token)["error"].as_text().to_owned();
        text.trim_start_matches("[invalid bearer token, ").trim_end_matches(']').to_owned()
    };
    let change = |line: &str, body: &Value| assert_eq!(send(&cluster, "admin", line, body).0, 200, "{line}");
    let signed = |change: &dyn Fn(&mut Value)| {
        let mut claims = claims.clone();
        change(&mut claims);
        cluster.server.issuer().token(&claims).unwrap()
    };
    let without = |name: &str| signed(&|claims| drop(claims.as_object_mut().unwrap().shift_remove(name)));
    assert_eq!(error(&without("sub")), "sub claim is missing");
    for (claim, named) in [
        ("namespace", "namespace"),
        ("secret.name", "secretName"),
        ("service-account.name", "serviceAccountName"),
        ("service-account.uid", "serviceAccountUID"),
    ] {
        let claim = format!("kubernetes.io/serviceaccount/{claim}");
        assert_eq!(error(&without(&claim)), format!("{named} claim is missing"));
    }
    let other = signed(&|claims| claims["sub"] = "system:serviceaccount:default:other".into());
    assert_eq!(error(&other), "sub claim is invalid");
    let elsewhere = signed(&|claims| claims["kubernetes.io/serviceaccount/secret.name"] = "u".into());
    assert_eq!(error(&elsewhere), "Token has been invalidated");
    let later = signed(&|claims| claims["more"] = 1.into());
    assert_eq!(error(&later), "Token does not match server's copy");
    let label =
        |value: Value| json!({"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": value}}});
    change(&format!("PATCH {SECRETS}/t"), &label("2026-01-01".into()));
    let marked = error(&token);
    assert!(
        marked.starts_with(
            "the token in secret default/t for service account default/robot has been marked invalid."
        ),
        "{marked}"
    );
    assert_eq!(send(&cluster, &token, "GET /api", &Value::Null).0, 401);
    change(&format!("PATCH {SECRETS}/t"), &label(Value::Null));
    assert_eq!(error(&token), "");
    // Another account of the same name is another one.
    change(&format!("DELETE {ACCOUNTS}/robot"), &Value::Null);
    assert_eq!(error(&token), "serviceaccounts \"robot\" not found");
    let (_, account) =
        send(&cluster, "admin", &format!("POST {ACCOUNTS}"), &json!({"metadata": {"name": "robot"}}));
    let (now, then) =
        (&account["metadata"]["uid"], &claims["kubernetes.io/serviceaccount/service-account.uid"]);
    let text = format!("ServiceAccount UID ({}) does not match claim ({})", now.as_text(), then.as_text());
    assert_eq!(error(&token), text);
    change(&format!("DELETE {SECRETS}/t"), &Value::Null);
    assert_eq!(error(&token), "Token has been invalidated");
    assert_eq!(send(&cluster, &token, "GET /api", &Value::Null).0, 401);
}
