//! The issuer of the tokens of service accounts: a key pair that signs, and public keys that recognise tokens.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-controller>, and
//! <https://www.rfc-editor.org/rfc/rfc7518> for the algorithms.

mod keys;

use std::path::{Path, PathBuf};

use apiserver::{ISSUER, Issuer, Unverified};

use json_tree::{Value, json};

use keys::{PublicKey, SigningKey};

/// The reason why tokens of service accounts cannot be signed or recognised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file with a key cannot be read, or has none that can be used.
    #[error("cannot use the key in {}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// The operating system gives no random bytes.
    #[error(
        "cannot make a key for the tokens of service accounts: the operating system gives no random bytes"
    )]
    Random,
}

/// The names, files and URL of an issuer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The name of the issuer, and then those that it had before; none: [`apiserver::ISSUER`].
    pub names: Vec<String>,
    /// The file with the key that signs; none: it makes one.
    pub signing_key: Option<PathBuf>,
    /// The files with the keys that recognise tokens; none: that of the key that signs.
    pub keys: Vec<PathBuf>,
    /// The URL of the public keys; none: on the server itself.
    pub keys_url: Option<String>,
}

/// An issuer that signs with a key pair.
pub(crate) struct KeyIssuer {
    name: String,
    former_names: Vec<String>,
    keys_url: String,
    key: SigningKey,
    /// The id of the key that signs.
    id: String,
    public: Vec<PublicKey>,
}

impl KeyIssuer {
    /// Makes the issuer of a server at an origin.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn new(options: &Options, origin: &str) -> Result<Self, Error> {
        let key = match &options.signing_key {
            Some(path) => read(path, SigningKey::from_pem)?,
            None => SigningKey::make().ok_or(Error::Random)?,
        };
        let own = key.public();
        let id = own.id().to_owned();
        let mut public = Vec::new();
        for path in &options.keys {
            public.extend(read(path, PublicKey::all_from_pem)?);
        }
        if public.is_empty() {
            public.push(own);
        }
        let mut names = options.names.iter().cloned();
        Ok(Self {
            name: names.next().unwrap_or_else(|| ISSUER.to_owned()),
            former_names: names.collect(),
            keys_url: options.keys_url.clone().unwrap_or_else(|| [origin, "/openid/v1/jwks"].concat()),
            key,
            id,
            public,
        })
    }
}

impl Issuer for KeyIssuer {
    fn name(&self) -> &str {
        &self.name
    }

    fn former_names(&self) -> &[String] {
        &self.former_names
    }

    fn keys_url(&self) -> String {
        self.keys_url.clone()
    }

    fn public_keys(&self) -> Vec<Value> {
        self.public.iter().map(PublicKey::to_jwk).collect()
    }

    fn header(&self) -> Value {
        json!({ "alg": self.key.algorithm(), "kid": self.id.as_str() })
    }

    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.key.sign(message)
    }

    /// The key that the header names is asked, or all of them if it names none of these.
    fn verify(&self, header: &Value, message: &[u8], signature: &[u8]) -> Result<(), Unverified> {
        let text = |key: &str| header.get(key).and_then(Value::as_str).unwrap_or_default();
        let (id, algorithm) = (text("kid"), text("alg"));
        let mut asked = self.public.iter().filter(|key| id.is_empty() || key.id() == id).peekable();
        if asked.peek().is_none() {
            return Err(Unverified::Key);
        }
        let is_signed = asked.any(|key| key.algorithm() == algorithm && key.verify(message, signature));
        if is_signed { Ok(()) } else { Err(Unverified::Signature) }
    }
}

/// Reads a file by its text.
fn read<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    text.and_then(|text| parse(&text)).map_err(|why| Error::File { path: path.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> PathBuf {
        [env!("CARGO_MANIFEST_DIR"), "tests", "keys", name].iter().collect()
    }

    fn issuer(signing_key: &str, keys: &[&str]) -> Result<KeyIssuer, String> {
        let keys = keys.iter().map(|name| key(name)).collect();
        let options = Options { signing_key: Some(key(signing_key)), keys, ..Options::default() };
        KeyIssuer::new(&options, "https://lab:1")
            .map_err(|error| error.to_string().replace(&key("").display().to_string(), ""))
    }

    /// `id`: the digest of the public key, as openssl makes it.
    #[track_caller]
    fn check(private: &str, public: &str, algorithm: &str, id: &str, shape: &[&str]) {
        let issuer = issuer(private, &[public]).unwrap();
        assert_eq!(issuer.header(), json!({"alg": algorithm, "kid": id}));
        let signature = issuer.sign(b"message").unwrap();
        for (header, message, expected) in [
            (json!({"alg": algorithm, "kid": id}), "message", Ok(())),
            (json!({"alg": algorithm, "kid": "another"}), "message", Err(Unverified::Key)),
            (json!({"alg": algorithm}), "message", Ok(())),
            (json!({"alg": "none", "kid": id}), "message", Err(Unverified::Signature)),
            (json!({"kid": id}), "message", Err(Unverified::Signature)),
            (json!({"alg": algorithm, "kid": id}), "massage", Err(Unverified::Signature)),
        ] {
            assert_eq!(
                issuer.verify(&header, message.as_bytes(), &signature),
                expected,
                "{header} {message}"
            );
        }
        let keys = issuer.public_keys();
        let names: Vec<&str> = keys[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((names.as_slice(), &keys[0]["kid"]), (shape, &Value::from(id)));
    }

    #[test]
    fn keys_of_all_kinds() {
        let elliptic = ["use", "kty", "kid", "crv", "alg", "x", "y"];
        let rsa = ["use", "kty", "kid", "alg", "n", "e"];
        check("rsa.pem", "rsa.pub.pem", "RS256", "gzo59jCAvtfgfcLPeztc5TxNb5vzVDSQpbNmSCaBjgY", &rsa);
        check("p256.pem", "p256.pub.pem", "ES256", "V6yqlXllKRUYXwnrELkgWfVYQv_se9u4UMm4JJtIYZw", &elliptic);
        check("p384.pem", "p384.pub.pem", "ES384", "tX5ozNoGx7sfqSRp6JfBTQW7gxzOk0WGvGOYTJHoCX8", &elliptic);
        check("p256.pem", "p256.crt", "ES256", "V6yqlXllKRUYXwnrELkgWfVYQv_se9u4UMm4JJtIYZw", &elliptic);
        check("p256.pem", "p256.pem", "ES256", "V6yqlXllKRUYXwnrELkgWfVYQv_se9u4UMm4JJtIYZw", &elliptic);
        assert_eq!(issuer("rsa.pem", &[]).unwrap().public_keys()[0]["e"], "AQAB");
        assert!(issuer("p256-parameters.pem", &[]).is_ok());
    }

    #[test]
    fn several_keys_recognise_tokens() {
        let both = issuer("p384.pem", &["rsa.pub.pem", "p384.pub.pem"]).unwrap();
        let header = both.header();
        let signature = both.sign(b"m").unwrap();
        assert_eq!(both.verify(&header, b"m", &signature), Ok(()));
        assert_eq!(both.public_keys().len(), 2);
        let other = issuer("p384.pem", &["rsa.pub.pem"]).unwrap();
        assert_eq!(other.verify(&header, b"m", &signature), Err(Unverified::Key));
    }

    #[test]
    fn names_and_the_url_of_the_keys() {
        let made = KeyIssuer::new(&Options::default(), "https://lab:1").unwrap();
        assert_eq!((made.name(), made.former_names().len()), (ISSUER, 0));
        assert_eq!(made.keys_url(), "https://lab:1/openid/v1/jwks");
        let names = ["a", "b", "c"].map(str::to_owned);
        let options =
            Options { names: names.to_vec(), keys_url: Some("https://k".to_owned()), ..Options::default() };
        let named = KeyIssuer::new(&options, "https://lab:1").unwrap();
        assert_eq!((named.name(), named.former_names()), ("a", &names[1..]));
        assert_eq!(named.keys_url(), "https://k");
    }

    #[test]
    fn wrong_keys() {
        let unknown = "it is neither an RSA key of 2048 bits or more nor one on the curve P-256 or P-384";
        for (private, public, expected) in [
            ("ed25519.pem", None, format!("cannot use the key in ed25519.pem: {unknown}")),
            (
                "rsa.pub.pem",
                None,
                "cannot use the key in rsa.pub.pem: it has no private key in PEM".to_owned(),
            ),
            ("rsa.pem", Some("missing.pem"), "cannot use the key in missing.pem: No such file".to_owned()),
            (
                "rsa.pem",
                Some("README.md"),
                "cannot use the key in README.md: it has no public key in PEM".to_owned(),
            ),
        ] {
            let public: Vec<&str> = public.into_iter().collect();
            let error = issuer(private, &public).err().unwrap();
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
