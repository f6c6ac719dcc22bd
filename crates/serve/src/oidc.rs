//! Users that an OpenID Connect provider knows: their bearer tokens say who they are, and the provider's keys that it is true.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens>

mod claims;
mod provider;
mod token;

use std::path::PathBuf;
use std::sync::Arc;

use apiserver::{Clock, TokenAuthenticator, User};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;

use crate::pool::outside;
use claims::Claims;
use provider::Provider;
use token::{Algorithm, Token};

/// The places of the authorities that a system trusts.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The provider, and what its tokens say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The URL of the provider; it is `iss` of its tokens.
    pub issuer: String,
    /// The client that tokens are for: it is among `aud`.
    pub client: String,
    /// The file with the authorities of the provider's certificate, if they are not those of the system.
    pub ca_file: Option<PathBuf>,
    /// The claim that is the user's name: `sub`, if nothing else is said.
    pub username_claim: Option<String>,
    /// The beginning of all names; without it the issuer and `#`, but for addresses of e-mail; `-` is none.
    pub username_prefix: Option<String>,
    /// The claim that has the user's groups.
    pub groups_claim: String,
    /// The beginning of the names of all groups.
    pub groups_prefix: String,
    /// The claims that a token has to have, with their values.
    pub required: Vec<(String, String)>,
    /// The algorithms that tokens may be signed with: `RS256`, if nothing else is said.
    pub algorithms: Vec<String>,
}

/// The reason why the provider cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The authorities cannot be read.
    #[error("cannot read the authorities of the OpenID Connect provider, {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from reading it.
        source: std::io::Error,
    },
    /// The system has none.
    #[error(
        "this system has no list of authorities: name those of the OpenID Connect provider with --oidc-ca-file"
    )]
    NoAuthorities,
}

impl Options {
    /// Returns why they cannot be used, if they cannot. Without any of them there is no provider.
    pub(crate) fn unfit(&self) -> Option<&'static str> {
        if *self == Self::default() {
            return None;
        }
        if self.issuer.is_empty() || self.client.is_empty() {
            return Some(
                "--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* options are set",
            );
        }
        if !self.issuer.starts_with("https://") {
            return Some("--oidc-issuer-url must begin with https://");
        }
        if self.algorithms.iter().any(|name| Algorithm::of(name).is_none()) {
            return Some("--oidc-signing-algs are RS256, RS384, RS512, ES256, ES384, PS256, PS384 and PS512");
        }
        None
    }

    /// Reports whether there is a provider.
    pub(crate) fn are_set(&self) -> bool {
        !self.issuer.is_empty()
    }
}

/// Recognises the tokens of a provider.
pub(crate) struct OpenIdConnect {
    runtime: Handle,
    state: Arc<State>,
}

struct State {
    claims: Claims,
    algorithms: Vec<Algorithm>,
    provider: Provider,
    clock: Arc<dyn Clock>,
}

impl OpenIdConnect {
    /// Makes it, for a provider that is asked for its keys when they are first needed.
    ///
    /// # Errors
    /// The authorities of the provider cannot be read.
    pub(crate) fn new(options: &Options, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let authorities = match &options.ca_file {
            Some(path) => std::fs::read(path).map_err(|source| Error::Read { path: path.clone(), source })?,
            None => SYSTEM.iter().find_map(|path| std::fs::read(path).ok()).ok_or(Error::NoAuthorities)?,
        };
        let mut algorithms: Vec<_> =
            options.algorithms.iter().filter_map(|name| Algorithm::of(name)).collect();
        if algorithms.is_empty() {
            algorithms.extend(Algorithm::of("RS256"));
        }
        let provider = Provider::new(&options.issuer, authorities);
        let state = State { claims: Claims::new(options), algorithms, provider, clock };
        Ok(Self { runtime: Handle::current(), state: Arc::new(state) })
    }
}

impl TokenAuthenticator for OpenIdConnect {
    fn authenticate(&self, token: &str) -> BoxFuture<'static, Option<User>> {
        let Some(token) = Token::read(token).filter(|token| self.state.claims.is_issuer_of(token)) else {
            return async { None }.boxed();
        };
        let state = Arc::clone(&self.state);
        // Those who handle requests have no sockets.
        let asked = self.runtime.spawn(async move { state.user(&token).await });
        async move { outside(asked).await.ok().flatten() }.boxed()
    }
}

impl State {
    /// Returns whose a token is, if it is good.
    async fn user(&self, token: &Token) -> Option<User> {
        let algorithm = self.algorithms.iter().find(|known| known.name == token.algorithm)?;
        let keys = self.provider.keys(token.key.as_deref()).await;
        let is_signed = keys.iter().any(|key| algorithm.verifies(key, token));
        if is_signed { self.claims.user(token, self.clock.now().as_secs()) } else { None }
    }
}
