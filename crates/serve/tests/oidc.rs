//! Users of an OpenID Connect provider.

mod common;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use common::signer::Signer;
use common::tls::file;
use common::{hooks, raw, start_with, token_file};
use json_tree::{Value, json};
use serve::{Options, oidc};

/// A provider that listens, and how often it was asked for each of its documents.
struct Provider {
    url: String,
    ca: String,
    signer: Signer,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    async fn start() -> Self {
        let (signer, asked) = (Signer::new("own"), Arc::<Mutex<Vec<String>>>::default());
        let (public, log, url) =
            (signer.public.clone(), Arc::clone(&asked), Arc::<OnceLock<String>>::default());
        let own = Arc::clone(&url);
        let (address, ca) = hooks::listen(move |path, _| {
            log.lock().unwrap().push(path.to_owned());
            let url = own.get().unwrap();
            match path {
                "/.well-known/openid-configuration" => {
                    json!({ "issuer": url, "jwks_uri": format!("{url}/keys") })
                }
                "/keys" => json!({ "keys": [public] }),
                _ => Value::Null,
            }
        })
        .await;
        let url = url.get_or_init(|| format!("https://{address}")).clone();
        Self { url, ca, signer, asked }
    }

    /// Makes a token with these claims besides those that each has.
    fn token(&self, signer: &Signer, key: &str, more: &Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims =
            json!({ "iss": self.url, "aud": "lab", "sub": "jane", "exp": now + 600, "groups": ["dev"] });
        more.as_object().unwrap().iter().for_each(|(name, value)| claims[name] = value.clone());
        signer.sign(&json!({ "alg": "ES256", "kid": key }).to_string(), &claims.to_string())
    }
}

/// Sends a request with a bearer token; returns the code and the body.
async fn send(address: SocketAddr, line: &str, token: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let length = body.len();
    let answer = raw(
        address,
        &format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    )
    .await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
}

const REVIEWS: &str = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";

#[tokio::test]
async fn tokens_of_a_provider_say_who_sends_a_request() {
    let (provider, folder) = (Provider::start().await, tempfile::tempdir().unwrap());
    let (_file, tokens) = token_file("root,root,1,\"system:masters\"\n");
    let oidc = oidc::Options {
        issuer: provider.url.clone(),
        client: "lab".to_owned(),
        ca_file: Some(file(folder.path(), "ca.pem", &provider.ca)),
        username_prefix: Some("oidc:".to_owned()),
        groups_claim: "groups".to_owned(),
        algorithms: vec!["ES256".to_owned()],
        ..oidc::Options::default()
    };
    let options = Options { oidc, token_file: Some(tokens), ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    // A body is read of whoever may be known.
    let review = json!({ "kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1" });
    let good = provider.token(&provider.signer, "own", &json!({}));
    let (code, body) = send(address, REVIEWS, &good, &review).await;
    assert_eq!(code, 201, "{body}");
    let info = json!({ "username": "oidc:jane", "groups": ["dev", "system:authenticated"] });
    assert_eq!(body["status"]["userInfo"], info);
    // Its keys are known from then on.
    assert_eq!(send(address, REVIEWS, &good, &review).await.0, 201);
    assert_eq!(*provider.asked.lock().unwrap(), ["/.well-known/openid-configuration", "/keys"]);
    for bad in [
        provider.token(&provider.signer, "own", &json!({ "exp": 1 })),
        provider.token(&provider.signer, "own", &json!({ "aud": "other" })),
        provider.token(&provider.signer, "own", &json!({ "iss": "https://elsewhere" })),
        provider.token(&Signer::new("own"), "own", &json!({})),
        provider.token(&provider.signer, "unknown", &json!({})),
        "nonsense".to_owned(),
    ] {
        assert_eq!(send(address, REVIEWS, &bad, &review).await.0, 401, "{bad}");
    }
    assert_eq!(send(address, "GET /api/v1/pods", &good, &Value::Null).await.0, 403);
    // Others are told whose a token is.
    let ask = |token: &str| json!({ "kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1", "spec": { "token": token } });
    let line = "POST /apis/authentication.k8s.io/v1/tokenreviews";
    let (code, body) = send(address, line, "root", &ask(&good)).await;
    assert_eq!((code, &body["status"]["authenticated"]), (201, &true.into()), "{body}");
    assert_eq!(body["status"]["user"], info);
    assert_eq!(body["status"]["audiences"], json!(["https://kubernetes.default.svc"]));
    let (_, body) = send(address, line, "root", &ask("nonsense")).await;
    assert_eq!(body["status"]["error"], "invalid bearer token");
}
