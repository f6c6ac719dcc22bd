//! JSON Web Tokens, and their signatures.
//!
//! <https://www.rfc-editor.org/rfc/rfc7519>, <https://www.rfc-editor.org/rfc/rfc7518>

use golang::base64::decode_url;
use json_tree::Value;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

/// The longest token that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;

/// A token whose signature has not been verified.
pub(super) struct Token {
    pub(super) algorithm: String,
    /// The name of the key that has signed it.
    pub(super) key: Option<String>,
    pub(super) claims: Value,
    signed: String,
    signature: Vec<u8>,
}

impl Token {
    /// Reads a token; nothing is returned of what is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let part = |text: &str| serde_json::from_slice::<Value>(&decode_url(text)?).ok();
        let header = part(header)?;
        let text = |name: &str| header[name].as_str().map(str::to_owned);
        Some(Self {
            algorithm: text("alg")?,
            key: text("kid"),
            claims: part(payload).filter(Value::is_object)?,
            signed: signed.to_owned(),
            signature: decode_url(signature)?,
        })
    }
}

/// An algorithm of signatures.
pub(super) struct Algorithm {
    pub(super) name: &'static str,
    scheme: Scheme,
}

#[derive(Clone, Copy)]
enum Scheme {
    Rsa(&'static RsaParameters),
    /// On a curve of this name, whose coordinates have so many bytes.
    Elliptic(&'static dyn VerificationAlgorithm, &'static str, usize),
}

const ALGORITHMS: [(&str, Scheme); 8] = [
    ("RS256", Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA256)),
    ("RS384", Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA384)),
    ("RS512", Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA512)),
    ("PS256", Scheme::Rsa(&RSA_PSS_2048_8192_SHA256)),
    ("PS384", Scheme::Rsa(&RSA_PSS_2048_8192_SHA384)),
    ("PS512", Scheme::Rsa(&RSA_PSS_2048_8192_SHA512)),
    ("ES256", Scheme::Elliptic(&ECDSA_P256_SHA256_FIXED, "P-256", 32)),
    ("ES384", Scheme::Elliptic(&ECDSA_P384_SHA384_FIXED, "P-384", 48)),
];

impl Algorithm {
    /// Returns the algorithm of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let found = ALGORITHMS.iter().find(|(known, _)| *known == name);
        found.map(|&(name, scheme)| Self { name, scheme })
    }

    /// Reports whether a public key, a JSON Web Key, explains the signature of a token.
    pub(super) fn verifies(&self, key: &Value, token: &Token) -> bool {
        let message = token.signed.as_bytes();
        let bytes = |name: &str| key[name].as_str().and_then(decode_url);
        match self.scheme {
            Scheme::Rsa(parameters) => {
                let (Some(n), Some(e)) = (bytes("n"), bytes("e")) else { return false };
                key["kty"] == "RSA"
                    && RsaPublicKeyComponents { n, e }.verify(parameters, message, &token.signature).is_ok()
            }
            Scheme::Elliptic(algorithm, curve, size) => {
                let (Some(x), Some(y)) = (bytes("x"), bytes("y")) else { return false };
                if key["kty"] != "EC" || key["crv"] != curve || x.len() != size || y.len() != size {
                    return false;
                }
                // The point as it stands, not compressed.
                let point = [&[4], x.as_slice(), &y].concat();
                UnparsedPublicKey::new(algorithm, point).verify(message, &token.signature).is_ok()
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/common/signer.rs"]
pub(super) mod signer;

#[cfg(test)]
mod tests {
    use super::signer::Signer;
    use super::*;
    use golang::base64::encode_url;

    #[test]
    fn signatures_are_verified() {
        let (own, other) = (Signer::new("a"), Signer::new("b"));
        let text = own.sign(r#"{"alg":"ES256","kid":"a"}"#, r#"{"sub":"jane"}"#);
        let token = Token::read(&text).unwrap();
        assert_eq!((token.algorithm.as_str(), token.key.as_deref()), ("ES256", Some("a")));
        assert_eq!(token.claims["sub"], "jane");
        let algorithm = Algorithm::of("ES256").unwrap();
        assert!(algorithm.verifies(&own.public, &token));
        assert!(!algorithm.verifies(&other.public, &token));
        assert!(!Algorithm::of("RS256").unwrap().verifies(&own.public, &token));
        for name in ["none", "HS256", "ES512", "rs256"] {
            assert!(Algorithm::of(name).is_none(), "{name}");
        }
        let (head, rest) = text.split_once('.').unwrap();
        let changed = [head, &encode_url(r#"{"sub":"root"}"#), rest.split_once('.').unwrap().1].join(".");
        assert!(!algorithm.verifies(&own.public, &Token::read(&changed).unwrap()));
        for wrong in ["", ".", "..", "a.b.c", "e30.e30.", &text[1..], &"a".repeat(LONGEST + 1)] {
            assert!(Token::read(wrong).is_none(), "{}", &wrong[..wrong.len().min(20)]);
        }
    }
}
