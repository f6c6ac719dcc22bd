//! Keys of a token issuer: RSA with SHA-256 (RS256), and ECDSA on the curves P-256 (ES256) and P-384 (ES384).

use golang::base64::encode_url;
use json_tree::{Value, json};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey, VerificationAlgorithm,
};
use rustls::pki_types::pem::{self, PemObject, SectionKind};
use sha2::{Digest, Sha256};
use x509_cert::Certificate;
use x509_cert::der::asn1::{BitString, ObjectIdentifier, UintRef};
use x509_cert::der::{self, Any, Decode, Encode, Reader, SliceReader, Tag};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const ELLIPTIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// A curve, and what goes with it.
pub(super) struct Curve {
    oid: ObjectIdentifier,
    name: &'static str,
    algorithm: &'static str,
    signing: &'static EcdsaSigningAlgorithm,
    verification: &'static dyn VerificationAlgorithm,
}

static CURVES: [Curve; 2] = [
    Curve {
        oid: ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"),
        name: "P-256",
        algorithm: "ES256",
        signing: &ECDSA_P256_SHA256_FIXED_SIGNING,
        verification: &ECDSA_P256_SHA256_FIXED,
    },
    Curve {
        oid: ObjectIdentifier::new_unwrap("1.3.132.0.34"),
        name: "P-384",
        algorithm: "ES384",
        signing: &ECDSA_P384_SHA384_FIXED_SIGNING,
        verification: &ECDSA_P384_SHA384_FIXED,
    },
];

/// The sentence about a key of another kind.
const UNKNOWN: &str = "it is neither an RSA key of 2048 bits or more nor one on the curve P-256 or P-384";

/// A private key that signs tokens.
pub(super) enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    Elliptic(Box<EcdsaKeyPair>, &'static Curve),
}

impl SigningKey {
    /// Makes one on the curve P-256; `None` if the operating system gives no random bytes.
    pub(super) fn make() -> Option<Self> {
        let curve = CURVES.first()?;
        let document = EcdsaKeyPair::generate_pkcs8(curve.signing, &SystemRandom::new()).ok()?;
        let pair = EcdsaKeyPair::from_pkcs8(curve.signing, document.as_ref(), &SystemRandom::new()).ok()?;
        Some(Self::Elliptic(Box::new(pair), curve))
    }

    /// Reads one in PEM: `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `PRIVATE KEY`.
    ///
    /// # Errors
    /// There is none, or it is of another kind.
    pub(super) fn from_pem(text: &str) -> Result<Self, String> {
        for (kind, bytes) in sections(text)? {
            match kind {
                SectionKind::RsaPrivateKey => return Self::rsa(RsaKeyPair::from_der(&bytes)),
                SectionKind::EcPrivateKey => return Self::elliptic(|curve| wrap(curve, &bytes)),
                SectionKind::PrivateKey => {
                    return match RsaKeyPair::from_pkcs8(&bytes) {
                        Ok(pair) => Ok(Self::Rsa(Box::new(pair))),
                        Err(_) => Self::elliptic(|_| Some(bytes.clone())),
                    };
                }
                _ => {}
            }
        }
        Err("it has no private key in PEM".to_owned())
    }

    fn rsa(pair: Result<RsaKeyPair, ring::error::KeyRejected>) -> Result<Self, String> {
        pair.map(|pair| Self::Rsa(Box::new(pair))).map_err(|_| UNKNOWN.to_owned())
    }

    /// Reads a key on whichever curve it is, of its form in PKCS #8 for that curve.
    fn elliptic(form: impl Fn(&Curve) -> Option<Vec<u8>>) -> Result<Self, String> {
        let read = |curve: &'static Curve| {
            let pair = EcdsaKeyPair::from_pkcs8(curve.signing, &form(curve)?, &SystemRandom::new()).ok()?;
            Some(Self::Elliptic(Box::new(pair), curve))
        };
        CURVES.iter().find_map(read).ok_or_else(|| UNKNOWN.to_owned())
    }

    /// Returns the name of its algorithm.
    pub(super) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Elliptic(_, curve) => curve.algorithm,
        }
    }

    /// Signs a message; `None` if the operating system gives no random bytes.
    pub(super) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).ok()?;
                Some(signature)
            }
            Self::Elliptic(pair, _) => Some(pair.sign(&random, message).ok()?.as_ref().to_vec()),
        }
    }

    /// Returns its public key.
    pub(super) fn public(&self) -> PublicKey {
        match self {
            Self::Rsa(pair) => PublicKey::new(None, pair.public_key().as_ref()),
            Self::Elliptic(pair, curve) => PublicKey::new(Some(curve), pair.public_key().as_ref()),
        }
    }
}

/// A public key that recognises tokens.
pub(super) struct PublicKey {
    /// The curve that it is on; `None` for an RSA key.
    curve: Option<&'static Curve>,
    /// The bits of the key: a point, or modulus and exponent as PKCS #1 has them.
    bits: Vec<u8>,
    id: String,
}

impl PublicKey {
    fn new(curve: Option<&'static Curve>, bits: &[u8]) -> Self {
        let parameters = match curve {
            Some(curve) => Any::encode_from(&curve.oid),
            None => Any::new(Tag::Null, []),
        };
        let oid = if curve.is_some() { ELLIPTIC } else { RSA };
        // The id is the digest of the key in the form that certificates have.
        let document = parameters.and_then(|parameters| {
            let algorithm = AlgorithmIdentifierOwned { oid, parameters: Some(parameters) };
            let subject_public_key = BitString::from_bytes(bits)?;
            SubjectPublicKeyInfoOwned { algorithm, subject_public_key }.to_der()
        });
        let id = encode_url(Sha256::digest(document.unwrap_or_default()));
        Self { curve, bits: bits.to_vec(), id }
    }

    /// Reads all keys in PEM: `PUBLIC KEY`, `RSA PUBLIC KEY`, `CERTIFICATE`, or the public ones of private keys.
    ///
    /// # Errors
    /// There is none, or one is of another kind.
    pub(super) fn all_from_pem(text: &str) -> Result<Vec<Self>, String> {
        let mut found = Vec::new();
        for (kind, bytes) in sections(text)? {
            let info = match kind {
                SectionKind::Certificate => {
                    Certificate::from_der(&bytes).map(|one| one.tbs_certificate.subject_public_key_info)
                }
                SectionKind::PublicKey => SubjectPublicKeyInfoOwned::from_der(&bytes),
                SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey | SectionKind::PrivateKey => {
                    found.push(SigningKey::from_pem(text)?.public());
                    continue;
                }
                _ => continue,
            };
            let info = info.map_err(|error| error.to_string())?;
            found.push(Self::of(&info).ok_or_else(|| UNKNOWN.to_owned())?);
        }
        if found.is_empty() { Err("it has no public key in PEM".to_owned()) } else { Ok(found) }
    }

    fn of(info: &SubjectPublicKeyInfoOwned) -> Option<Self> {
        let bits = info.subject_public_key.as_bytes()?;
        if info.algorithm.oid == RSA {
            numbers(bits).ok()?;
            return Some(Self::new(None, bits));
        }
        let on: ObjectIdentifier = info.algorithm.parameters.as_ref()?.decode_as().ok()?;
        let curve = CURVES.iter().find(|curve| info.algorithm.oid == ELLIPTIC && curve.oid == on)?;
        Some(Self::new(Some(curve), bits))
    }

    /// Returns the name by which headers of tokens refer to it.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of its algorithm.
    pub(super) fn algorithm(&self) -> &'static str {
        self.curve.map_or("RS256", |curve| curve.algorithm)
    }

    /// Reports whether its private key has signed a message.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let algorithm = self
            .curve
            .map_or(&RSA_PKCS1_2048_8192_SHA256 as &dyn VerificationAlgorithm, |curve| curve.verification);
        UnparsedPublicKey::new(algorithm, &self.bits).verify(message, signature).is_ok()
    }

    /// Returns it as a JSON Web Key.
    pub(super) fn to_jwk(&self) -> Value {
        let algorithm = self.algorithm();
        match self.curve {
            None => {
                let [modulus, exponent] = numbers(&self.bits).unwrap_or_default().map(encode_url);
                json!({ "use": "sig", "kty": "RSA", "kid": self.id.as_str(), "alg": algorithm, "n": modulus, "e": exponent })
            }
            Some(curve) => {
                // A byte that says that it is not compressed, and then both coordinates.
                let coordinates = self.bits.get(1..).unwrap_or_default();
                let (x, y) = coordinates.split_at(coordinates.len() / 2);
                json!({
                    "use": "sig", "kty": "EC", "kid": self.id.as_str(), "crv": curve.name, "alg": algorithm,
                    "x": encode_url(x), "y": encode_url(y),
                })
            }
        }
    }
}

/// Returns modulus and exponent of an RSA key.
fn numbers(bits: &[u8]) -> der::Result<[&[u8]; 2]> {
    let mut reader = SliceReader::new(bits)?;
    reader.sequence(|reader| Ok([UintRef::decode(reader)?.as_bytes(), UintRef::decode(reader)?.as_bytes()]))
}

/// Wraps a private key on a curve as RFC 5915 has it into PKCS #8.
fn wrap(curve: &Curve, key: &[u8]) -> Option<Vec<u8>> {
    let algorithm =
        AlgorithmIdentifierOwned { oid: ELLIPTIC, parameters: Some(Any::encode_from(&curve.oid).ok()?) };
    let version = Any::new(Tag::Integer, [0]).ok()?;
    let parts = [version.to_der(), algorithm.to_der(), Any::new(Tag::OctetString, key).ok()?.to_der()];
    let parts = parts.into_iter().collect::<der::Result<Vec<_>>>().ok()?;
    Any::new(Tag::Sequence, parts.concat()).ok()?.to_der().ok()
}

/// Returns the sections of a text in PEM.
fn sections(text: &str) -> Result<Vec<(SectionKind, Vec<u8>)>, String> {
    let found =
        <(SectionKind, Vec<u8>)>::pem_slice_iter(text.as_bytes()).collect::<Result<Vec<_>, pem::Error>>();
    found.map_err(|error| error.to_string())
}
