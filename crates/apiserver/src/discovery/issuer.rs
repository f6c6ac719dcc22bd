//! The issuer of the tokens of service accounts, for those who would check them: OpenID Connect discovery.
//!
//! The cluster signs with a key that it keeps to itself (HMAC with SHA-256, see [`token`]), so there is no public key to
//! tell: the list is empty, and whoever has a token asks for a `TokenReview`.
//!
//! <https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery>

use http::header::CACHE_CONTROL;
use json_tree::{Value, json};

use crate::answer::Answer;
use crate::auth::token;
use crate::route::ISSUER_KEYS;

pub(crate) const CONFIGURATION_TYPE: &str = "application/json";
pub(crate) const KEYS_TYPE: &str = "application/jwk-set+json";

/// How the issuer is to be dealt with.
pub(super) fn configuration() -> Answer {
    let keys = [token::AUDIENCE, ISSUER_KEYS].concat();
    let document = json!({
        "issuer": token::AUDIENCE,
        "jwks_uri": keys,
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["HS256"],
    });
    public(CONFIGURATION_TYPE, &document)
}

/// The public keys that tokens can be checked with.
pub(super) fn keys() -> Answer {
    public(KEYS_TYPE, &json!({ "keys": [] }))
}

fn public(media_type: &'static str, document: &Value) -> Answer {
    Answer::bytes(media_type, codec::json::to_vec(document)).with(CACHE_CONTROL, "public, max-age=3600")
}
