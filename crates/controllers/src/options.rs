//! Options of controllers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::certificates::Signer;
use apiserver::Issuer;

/// A certificate for which nobody has a key.
const ROOT_CA: &str = include_str!("root_ca.crt");

/// The number of nodes with pretended kubelets that there can be at most: of more the addresses of pods would be the same.
pub const MOST_NODES: u32 = 1000;

/// The options that controllers are made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The certificate authority that is published in each namespace, in PEM. There is one by default for which nobody has a key.
    pub root_ca: String,
    /// True if a scheduler finds nodes for pods. If nothing is said, there is one where there are nodes.
    pub scheduler: Option<bool>,
    /// The number of nodes with pretended kubelets, `node-1` and so on; by default there are none. There are [`MOST_NODES`] at most.
    pub nodes: u32,
    /// The times that kubelets take.
    pub latencies: Latencies,
    /// The signer of approved CertificateSigningRequests; by default there is none, and they stay as they are.
    pub signer: Option<Arc<dyn Signer>>,
    /// The issuer of the tokens in Secrets of service accounts; by default there is none, and these Secrets stay as they are.
    pub issuer: Option<TokenIssuer>,
}

/// The issuer of the tokens in Secrets of service accounts: that of the API server, whose key kube-controller-manager has, too.
#[derive(Clone)]
pub struct TokenIssuer(pub Arc<dyn Issuer>);

impl fmt::Debug for TokenIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenIssuer").field(&self.0.name()).finish()
    }
}

/// The times that pretended kubelets take, of the cluster's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// The time until an image is on a node on which it has not been: 400 ms.
    pub pull: Duration,
    /// The time to find out that an image is still the same: 50 ms.
    pub pull_again: Duration,
    /// The time until a container runs: 100 ms.
    pub start: Duration,
    /// The time until a container has ended that is to stop: 200 ms.
    pub stop: Duration,
}

impl Options {
    /// Returns the options for so many nodes, of which there are [`MOST_NODES`] at most.
    pub fn with_nodes(nodes: u32) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Reports whether there is a scheduler.
    pub fn has_scheduler(&self) -> bool {
        self.scheduler.unwrap_or(self.nodes > 0)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root_ca: ROOT_CA.to_owned(),
            scheduler: None,
            nodes: 0,
            latencies: Latencies::default(),
            signer: None,
            issuer: None,
        }
    }
}

impl Default for Latencies {
    fn default() -> Self {
        let [pull, pull_again, start, stop] = [400, 50, 100, 200].map(Duration::from_millis);
        Self { pull, pull_again, start, stop }
    }
}
