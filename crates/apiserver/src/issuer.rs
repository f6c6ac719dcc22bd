//! The issuer of the tokens of service accounts: its names, and the keys that it signs with.
//!
//! <https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery>

use std::fmt::{self, Display, Formatter};

use golang::base64::encode_url;
use json_tree::{Value, json};
use sha2::{Digest, Sha256};

/// The issuer that a cluster has where nobody names another: the name of its own API server.
///
/// <https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/> (`--service-account-issuer`)
pub const ISSUER: &str = "https://kubernetes.default.svc";

/// The path of the public keys.
const KEYS: &str = "/openid/v1/jwks";

/// The number of bytes that SHA-256 takes in at once.
const BLOCK: usize = 64;

/// An issuer of tokens. A host that can sign with a key pair hands one in; without one a cluster makes up a key of its own.
pub trait Issuer: Send + Sync {
    /// Returns its name. The API server takes tokens that are meant for whoever has this name, too.
    fn name(&self) -> &str;

    /// Returns the names that tokens from before may have as their issuer, beside its own.
    fn former_names(&self) -> &[String] {
        &[]
    }

    /// Returns the URL of its public keys.
    fn keys_url(&self) -> String {
        [self.name(), KEYS].concat()
    }

    /// Returns the public keys, as JSON Web Keys.
    ///
    /// <https://www.rfc-editor.org/rfc/rfc7517>
    fn public_keys(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Returns the header of its tokens, in which `alg` is the algorithm of its signatures.
    fn header(&self) -> Value;

    /// Signs a message; `None` if the operating system gives no random bytes for it.
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>>;

    /// Checks that a message was signed by it, with a token that has this header.
    ///
    /// # Errors
    /// [`Unverified`].
    fn verify(&self, header: &Value, message: &[u8], signature: &[u8]) -> Result<(), Unverified>;

    /// Makes a token of claims; `None` if it cannot be signed.
    ///
    /// <https://www.rfc-editor.org/rfc/rfc7519>
    fn token(&self, claims: &Value) -> Option<String> {
        let part = |value: &Value| encode_url(codec::json::to_vec(value));
        let signed = [part(&self.header()), part(claims)].join(".");
        let signature = encode_url(self.sign(signed.as_bytes())?);
        Some([signed, signature].join("."))
    }
}

/// The reason why a token is not of an issuer whose name it has, in kube-apiserver's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// No key has signed it.
    Signature,
    /// It names a key that is not there.
    Key,
}

impl Display for Unverified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signature => "go-jose/go-jose: error in cryptographic primitive",
            Self::Key => "invalid signature, no keys found",
        })
    }
}

impl std::error::Error for Unverified {}

/// The issuer that signs with a key that the cluster has made up for itself (HMAC with SHA-256, where kube-apiserver has a key pair).
/// So its tokens are worth something to this cluster alone, and it has no public keys.
pub(crate) struct OwnIssuer {
    pub(crate) key: [u8; 32],
}

impl Issuer for OwnIssuer {
    fn name(&self) -> &str {
        ISSUER
    }

    fn header(&self) -> Value {
        json!({ "alg": "HS256", "typ": "JWT" })
    }

    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        Some(hmac(&self.key, message))
    }

    fn verify(&self, _: &Value, message: &[u8], signature: &[u8]) -> Result<(), Unverified> {
        if signature == hmac(&self.key, message) { Ok(()) } else { Err(Unverified::Signature) }
    }
}

/// Returns the HMAC with SHA-256 of a message.
///
/// <https://www.rfc-editor.org/rfc/rfc2104>
fn hmac(key: &[u8; 32], message: &[u8]) -> Vec<u8> {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        for (byte, key) in block.iter_mut().zip(key) {
            *byte ^= key;
        }
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_standard() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let hex: String =
            hmac(&key, b"what do ya want for nothing?").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
