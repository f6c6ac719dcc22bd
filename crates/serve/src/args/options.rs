//! The options of a server.

use std::path::PathBuf;

use apiserver::{Compaction, FIRST_REVISION, FeatureGates, Plugins, RequestLimits, ServiceRange};
use controllers::Selection;

use crate::dial::ServiceAddress;
use crate::log::Logging;
use crate::{audit, issuer, oidc};

/// How to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Host and port to listen on.
    pub listen: String,
    /// The static token file, see [`crate::tokens`].
    pub token_file: Option<PathBuf>,
    /// The revision of the new cluster's first write.
    pub first_revision: u64,
    /// How long history is kept.
    pub compaction: Compaction,
    /// The OpenID Connect provider whose tokens are taken, if there is one.
    pub oidc: oidc::Options,
    /// How much is logged, and in which form.
    pub logging: Logging,
    /// How many requests are handled at once.
    pub limits: RequestLimits,
    /// The features that are on.
    pub feature_gates: FeatureGates,
    /// True if all is allowed that no rule allows.
    pub always_allows: bool,
    /// The least number of seconds that a watch lives for which nothing else is said.
    pub min_request_timeout: u32,
    /// The admission plugins that run.
    pub plugins: Plugins,
    /// The range in which Services have addresses in the new cluster.
    pub service_range: ServiceRange,
    /// True if it may be reached from other machines without tokens.
    pub anyone_is_admin: bool,
    /// The origins whose pages may use the server.
    pub cors_origins: Vec<String>,
    /// The file that the trace is recorded in, if it is.
    pub record: Option<PathBuf>,
    /// True if the contents of Secrets are recorded.
    pub record_secrets: bool,
    /// True if the page is served.
    pub ui: bool,
    /// True if `/kubeglass/v1/` is served.
    pub glass: bool,
    /// The controllers that work on the cluster.
    pub controllers: Selection,
    /// The number of nodes with pretended kubelets.
    pub nodes: u32,
    /// True if a scheduler works on the cluster. If nothing is said, there is one where there are nodes.
    pub scheduler: Option<bool>,
    /// The list of a workshop, see [`crate::workshop`].
    pub workshop: Option<PathBuf>,
    /// The origin in the links of a workshop.
    pub workshop_url: Option<String>,
    /// True if it speaks TLS with certificates that it makes.
    pub tls: bool,
    /// The files with the certificate and the key that it speaks TLS with.
    pub tls_files: Option<(PathBuf, PathBuf)>,
    /// The files that a certificate and its key are kept in that it makes to speak TLS with, if they are kept.
    pub tls_made_files: Option<(PathBuf, PathBuf)>,
    /// More names and addresses for the certificate that it makes.
    pub tls_names: Vec<String>,
    /// The file with the authorities of clients' certificates.
    pub client_ca_file: Option<PathBuf>,
    /// The file to write a kubeconfig to.
    pub kubeconfig: Option<PathBuf>,
    /// True if clients have to say who they are though nothing above lets them: then all of them are anonymous.
    pub asks_everybody: bool,
    /// True if containers may be privileged, in all clusters of the process.
    pub allow_privileged: bool,
    /// Where services are that webhooks and aggregated API servers are reached by.
    pub service_addresses: Vec<ServiceAddress>,
    /// The files with the certificate and the key that aggregated API servers are shown.
    pub proxy_files: Option<(PathBuf, PathBuf)>,
    /// The file with the authority of that certificate.
    pub request_header_ca_file: Option<PathBuf>,
    /// Who issues the tokens of service accounts.
    pub issuer: issuer::Options,
    /// The audit log of requests.
    pub audit: audit::Options,
}

impl Options {
    /// Reports whether it speaks TLS.
    pub fn speaks_tls(&self) -> bool {
        self.tls || self.tls_files.is_some()
    }

    /// Reports whether clients have to say who they are.
    pub fn authenticates(&self) -> bool {
        let by_certificate = self.client_ca_file.is_some() || self.kubeconfig.is_some() && self.speaks_tls();
        self.asks_everybody
            || self.oidc.are_set()
            || self.token_file.is_some()
            || self.workshop.is_some()
            || by_certificate
    }

    /// Returns how URLs of it begin.
    pub fn scheme(&self) -> &'static str {
        if self.speaks_tls() { "https" } else { "http" }
    }
}

impl Default for Options {
    fn default() -> Self {
        let compaction = Compaction::default();
        Self {
            listen: "127.0.0.1:8001".to_owned(),
            token_file: None,
            first_revision: FIRST_REVISION,
            compaction,
            oidc: oidc::Options::default(),
            logging: Logging::default(),
            limits: RequestLimits::default(),
            feature_gates: FeatureGates::default(),
            always_allows: false,
            min_request_timeout: apiserver::MIN_REQUEST_TIMEOUT,
            plugins: Plugins::default(),
            service_range: ServiceRange::default(),
            anyone_is_admin: false,
            cors_origins: Vec::new(),
            record: None,
            record_secrets: false,
            ui: false,
            glass: true,
            controllers: Selection::default(),
            nodes: 0,
            scheduler: None,
            workshop: None,
            workshop_url: None,
            tls: false,
            tls_files: None,
            tls_made_files: None,
            tls_names: Vec::new(),
            client_ca_file: None,
            kubeconfig: None,
            asks_everybody: false,
            allow_privileged: false,
            service_addresses: Vec::new(),
            proxy_files: None,
            request_header_ca_file: None,
            issuer: issuer::Options::default(),
            audit: audit::Options::default(),
        }
    }
}
