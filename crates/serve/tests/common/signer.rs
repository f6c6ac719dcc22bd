//! Keys that sign tokens, as a provider of OpenID Connect has them.

use golang::base64::encode_url;
use json_tree::{Value, json};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

/// A key that signs tokens, and its public half as a JSON Web Key.
pub(crate) struct Signer {
    pair: EcdsaKeyPair,
    pub(crate) public: Value,
}

impl Signer {
    pub(crate) fn new(name: &str) -> Self {
        let random = SystemRandom::new();
        let signing = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(signing, document.as_ref(), &random).unwrap();
        let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
        let public = json!({
            "kty": "EC", "crv": "P-256", "kid": name, "use": "sig", "x": encode_url(x), "y": encode_url(y),
        });
        Self { pair, public }
    }

    /// Makes a token of a header and claims in JSON.
    pub(crate) fn sign(&self, header: &str, claims: &str) -> String {
        let signed = [header, claims].map(encode_url).join(".");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        [signed, encode_url(signature.as_ref())].join(".")
    }
}
