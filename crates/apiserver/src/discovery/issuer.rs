//! The issuer of the tokens of service accounts, for those who would check them: OpenID Connect discovery.
//!
//! An issuer that signs with a key which it keeps to itself has no public key to tell: the list is empty, and whoever has a token
//! asks for a `TokenReview`.
//!
//! <https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery>

use http::header::CACHE_CONTROL;
use json_tree::{Value, json};

use crate::answer::Answer;
use crate::issuer::Issuer;

pub(crate) const CONFIGURATION_TYPE: &str = "application/json";
pub(crate) const KEYS_TYPE: &str = "application/jwk-set+json";

/// Returns the names and URLs of an issuer.
pub(super) fn configuration(issuer: &dyn Issuer) -> Answer {
    let document = json!({
        "issuer": issuer.name(),
        "jwks_uri": issuer.keys_url(),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": algorithms(issuer),
    });
    public(CONFIGURATION_TYPE, &document)
}

/// Returns the algorithms of the signatures of an issuer, each once.
fn algorithms(issuer: &dyn Issuer) -> Vec<Value> {
    let mut all: Vec<Value> = issuer.public_keys().iter().map(|key| key["alg"].clone()).collect();
    if all.is_empty() {
        all.push(issuer.header()["alg"].clone());
    }
    all.sort_unstable_by(|a, b| a.as_str().cmp(&b.as_str()));
    all.dedup();
    all
}

/// Returns the public keys that the tokens of an issuer can be checked with.
pub(super) fn keys(issuer: &dyn Issuer) -> Answer {
    public(KEYS_TYPE, &json!({ "keys": issuer.public_keys() }))
}

fn public(media_type: &'static str, document: &Value) -> Answer {
    Answer::bytes(media_type, codec::json::to_vec(document)).with(CACHE_CONTROL, "public, max-age=3600")
}
