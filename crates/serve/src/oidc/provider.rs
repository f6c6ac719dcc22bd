//! The provider: where its keys are, and which it has.
//!
//! <https://openid.net/specs/openid-connect-discovery-1_0.html>

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use json_tree::Value;
use tokio::time::{Instant, timeout};

use crate::dial::{Trust, connect};

/// The path of what a provider says of itself, below its URL.
const CONFIGURATION: &str = "/.well-known/openid-configuration";
/// The most bytes of a document that are read.
const DOCUMENT_LIMIT: usize = 1024 * 1024;
/// The longest time that a document may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long the provider is left alone after it has been asked: whoever makes up names of keys does not make this server a nuisance.
const PAUSE: Duration = Duration::from_secs(1);

/// A provider.
pub(super) struct Provider {
    issuer: String,
    /// The authorities of its certificate, in PEM.
    authorities: Vec<u8>,
    /// The keys that are known.
    keys: Mutex<Vec<Value>>,
    /// Held while it is asked: only those wait for that whose key is not known.
    asking: tokio::sync::Mutex<Asking>,
}

/// The state of asking a provider.
#[derive(Default)]
struct Asking {
    /// The URL of the keys, once it is known.
    url: Option<String>,
    /// When it was last asked.
    last: Option<Instant>,
}

impl Provider {
    pub(super) fn new(issuer: &str, authorities: Vec<u8>) -> Self {
        Self { issuer: issuer.to_owned(), authorities, keys: Mutex::default(), asking: Default::default() }
    }

    /// Returns the keys that may have signed a token which names this one: all of them, if it names none. One that is not known makes
    /// that the provider is asked again.
    pub(super) async fn keys(&self, name: Option<&str>) -> Vec<Value> {
        let known = self.known(name);
        if !known.is_empty() {
            return known;
        }
        let mut asking = self.asking.lock().await;
        let known = self.known(name);
        let is_due = asking.last.is_none_or(|last| last.elapsed() >= PAUSE);
        if !known.is_empty() || !is_due {
            return known;
        }
        let keys = self.ask(&mut asking.url).await;
        asking.last = Some(Instant::now());
        if let Some(keys) = keys {
            *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = keys;
        }
        self.known(name)
    }

    fn known(&self, name: Option<&str>) -> Vec<Value> {
        named(&self.keys.lock().unwrap_or_else(PoisonError::into_inner), name)
    }

    /// Asks for the keys; nothing is returned if that fails.
    async fn ask(&self, url: &mut Option<String>) -> Option<Vec<Value>> {
        if url.is_none() {
            let configuration =
                self.fetch(&[self.issuer.trim_end_matches('/'), CONFIGURATION].concat()).await?;
            // Another provider's keys are none of this one's.
            if configuration["issuer"] != self.issuer.as_str() {
                return None;
            }
            *url = configuration["jwks_uri"].as_str().map(str::to_owned);
        }
        match self.fetch(url.as_deref()?).await?["keys"].take() {
            Value::Array(keys) => Some(keys),
            _ => None,
        }
    }

    async fn fetch(&self, url: &str) -> Option<Value> {
        timeout(TIMEOUT, get(url, &self.authorities)).await.ok()?
    }
}

/// Returns the keys of a name. Those that are for something else than signatures are left out.
fn named(keys: &[Value], name: Option<&str>) -> Vec<Value> {
    let is_fit = |key: &&Value| {
        (key["use"].is_null() || key["use"] == "sig") && name.is_none_or(|name| key["kid"] == name)
    };
    keys.iter().filter(is_fit).cloned().collect()
}

/// Gets a document in JSON over HTTPS.
async fn get(url: &str, authorities: &[u8]) -> Option<Value> {
    let uri: Uri = url.parse().ok()?;
    let host = uri.host().filter(|_| uri.scheme_str() == Some("https"))?;
    let address = format!("{host}:{}", uri.port_u16().unwrap_or(443));
    let (mut sender, connection) = connect(&address, host, Trust::of(authorities)).await.ok()?;
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let request = Request::builder()
        .method(Method::GET)
        .uri(target)
        .header(HOST, uri.authority()?.as_str())
        .header(ACCEPT, "application/json")
        .header(USER_AGENT, "kubeglass")
        .body(Full::new(Bytes::new()))
        .ok()?;
    let response = sender.send_request(request).await.ok()?;
    let is_ok = response.status() == http::StatusCode::OK;
    let body = Limited::new(response.into_body(), DOCUMENT_LIMIT).collect().await.ok()?.to_bytes();
    connection.abort();
    if is_ok { serde_json::from_slice(&body).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn keys_are_found_by_name_and_use() {
        let keys =
            [json!({ "kid": "a" }), json!({ "kid": "b", "use": "sig" }), json!({ "kid": "c", "use": "enc" })];
        let names = |name: Option<&str>| -> Vec<String> {
            named(&keys, name).iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(None), ["a", "b"]);
        assert_eq!(names(Some("b")), ["b"]);
        assert!(names(Some("c")).is_empty() && names(Some("d")).is_empty());
    }
}
