//! Listening, and stopping.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use apiserver::{ApiServer, Config, Host};
use clock::machine::{SystemClock, SystemRandom};
use engine::SharedCluster;
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    task::JoinHandle,
};

use crate::{
    accept,
    aggregation::{FrontProxy, Transport},
    args::Options,
    audit,
    controllers::Controllers,
    exchange::{OpenTo, Site},
    glass::Glass,
    gzip,
    identity::{Identity, Renewed},
    issuer::{self, KeyIssuer},
    kubeconfig,
    limits::{BACKLOG, GRACE},
    oidc::{self, OpenIdConnect},
    origin::origin,
    pool, process, published,
    record::Recorder,
    tls::{self, Certificates, Tls},
    tokens::{self, Tokens},
    ui,
    webhooks::Webhooks,
    workshop::{self, Invitation, Workshop},
};

/// How often a cluster without requests is given what it lacks.
const MAINTENANCE: Duration = Duration::from_secs(10);

/// The reason why a server does not start, in one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else listens there.
    #[error("{0} is taken: stop what listens there, or choose another address with --listen")]
    Taken(String),
    /// The address cannot be listened on: it is not `host:port`, not this machine's, or not allowed.
    #[error("cannot listen on {0}: {1}")]
    Listen(String, #[source] io::Error),
    /// The recording cannot be written.
    #[error("{} cannot be written: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The error from writing it.
        source: io::Error,
    },
    /// It has no page.
    #[error("this program was built without the page: `cargo xtask program` builds one that has it")]
    NoPage,
    /// It would be open to everybody.
    #[error(
        "listening on {0} without tokens or certificates makes everybody admin who reaches it: use --token-file, or --tls with \
         --write-kubeconfig, listen on 127.0.0.1, or say --insecure-anyone-is-admin"
    )]
    Open(String),
    /// The token file cannot be read.
    #[error("cannot read the token file {}: {source}", path.display())]
    ReadTokens {
        /// The file.
        path: PathBuf,
        /// The error from reading it.
        source: io::Error,
    },
    /// The token file is not one.
    #[error("the token file {} is wrong in {source}", path.display())]
    ParseTokens {
        /// The file.
        path: PathBuf,
        /// The line, and the error in it.
        source: tokens::Error,
    },
    /// It cannot speak TLS.
    #[error(transparent)]
    Tls(#[from] tls::Error),
    /// There is no OpenID Connect provider.
    #[error(transparent)]
    Oidc(#[from] oidc::Error),
    /// There is no audit log.
    #[error(transparent)]
    Audit(#[from] audit::Error),
    /// Tokens of service accounts cannot be signed.
    #[error(transparent)]
    Issuer(#[from] issuer::Error),
    /// The kubeconfig cannot be written.
    #[error(transparent)]
    Kubeconfig(#[from] kubeconfig::Error),
    /// There is no workshop.
    #[error(transparent)]
    Workshop(#[from] workshop::Error),
    /// The operating system gives no random bytes, without which there are no uids.
    #[error("the operating system gives no random bytes: {0}")]
    Random(#[source] io::Error),
    /// The operating system gives no threads.
    #[error("the operating system gives no threads: {0}")]
    Threads(#[source] io::Error),
}

/// An API server that listens: of a new cluster, or of one that is there already.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
    warnings: Vec<String>,
    invitations: Vec<Invitation>,
    /// Until it is gone, what happens is recorded.
    _recorder: Option<Recorder>,
    /// Until they are gone, controllers work.
    _controllers: Option<Controllers>,
    /// Until it is gone, aggregated API servers are looked after.
    _aggregator: Option<Task>,
    /// Until it is gone, the identity of the API server is renewed.
    identity: Option<Renewed>,
}

/// A task that ends when nobody needs it any more.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Server {
    /// Makes a cluster and listens. Connections are not answered before [`Server::run`].
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn bind(options: &Options) -> Result<Self, Error> {
        let tokens = options.token_file.as_ref().map(read_tokens).transpose()?;
        let (mut tokens, mut warnings) = tokens.map_or((None, Vec::new()), |t| {
            let warnings = t.warnings.iter().map(|warning| ["token file, ", warning].concat());
            (Some(t.users), warnings.collect())
        });
        let random = Arc::new(SystemRandom::new().map_err(Error::Random)?);
        let mut options = options.clone();
        let workshop = options.workshop.as_ref();
        let workshop = workshop
            .map(|path| Workshop::read(path, tokens.as_deref().unwrap_or_default(), &*random))
            .transpose()?;
        if let Some(workshop) = &workshop {
            tokens.get_or_insert_default().extend(workshop.users());
            workshop::choose_controllers(&mut options.controllers);
        }
        if options.authenticates() {
            tokens.get_or_insert_default();
        }
        let clock = Arc::new(SystemClock);
        let config = Config {
            first_revision: options.first_revision,
            tokens,
            formats: apiserver::Formats::ALL.with_gzip(gzip::compress),
            always_allows: options.always_allows,
            min_request_timeout: options.min_request_timeout,
            feature_gates: options.feature_gates,
            plugins: options.plugins,
            compaction: options.compaction,
            ..Config::new(Arc::clone(&clock) as _, Arc::clone(&random) as _)
        };
        let api = ApiServer::with_service_range(config, options.service_range);
        if options.allow_privileged {
            apiserver::allow_privileged();
        }
        let cluster = SharedCluster::new(api.clone(), Arc::clone(&clock) as _);
        if let Some(workshop) = &workshop {
            workshop.prepare(&api).await?;
        }
        warnings.extend(audit::begin(&api, &options.audit)?);
        if options.oidc.are_set() {
            let provider = OpenIdConnect::new(&options.oidc, Arc::clone(&clock) as _)?;
            api.set_token_authenticator(Arc::new(provider));
        }
        let certificates = Certificates::of(&options)?;
        let served = Self::listen(cluster.clone(), api.clone(), &options, certificates.as_ref()).await?;
        let issuer = KeyIssuer::new(&options.issuer, &origin(&options, served.address))?;
        api.set_issuer(Arc::new(issuer));
        api.set_webhooks(Arc::new(Webhooks::new(&options.service_addresses)));
        api.set_instruments(Host {
            limits: options.limits,
            wait: |turn| Box::pin(pool::outside(turn)),
            ..Host::new(process::observe)
        });
        let proxy = FrontProxy::of(&options, certificates.as_ref())?;
        let mut identity = None;
        if options.speaks_tls() {
            published::publish(&api, proxy.published(), clock.as_ref()).await;
            let host = hostname::get().unwrap_or_default();
            let own = Identity::new(
                &api,
                (Arc::clone(&clock) as _, &*random),
                &host.to_string_lossy(),
                served.address,
            );
            identity = Some(own.publish().await);
        }
        let transport = Transport::new(&proxy, &options.service_addresses);
        let aggregator = Task(tokio::spawn(api.set_proxy_transport(Arc::new(transport))));
        let invitations = workshop.map(|workshop| {
            let origin = options.ui.then(|| workshop::base(&options, served.address));
            workshop.invitations(origin.as_deref())
        });
        let controllers =
            Controllers::start(&cluster, &options, certificates.as_ref()).map_err(Error::Threads)?;
        let invitations = invitations.unwrap_or_default();
        Ok(Self {
            warnings,
            invitations,
            _controllers: controllers,
            _aggregator: Some(aggregator),
            identity,
            ..served
        })
    }

    /// Listens for an API server of a cluster that is there already. Connections are not answered before [`Server::run`]. Of the
    /// options, those that say how a new cluster begins do not matter.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn share(cluster: SharedCluster, api: ApiServer, options: &Options) -> Result<Self, Error> {
        let certificates = Certificates::of(options)?;
        Self::listen(cluster, api, options, certificates.as_ref()).await
    }

    /// Listens with these certificates: see [`Server::share`].
    async fn listen(
        cluster: SharedCluster,
        api: ApiServer,
        options: &Options,
        certificates: Option<&Certificates>,
    ) -> Result<Self, Error> {
        if options.ui && !ui::is_there() {
            return Err(Error::NoPage);
        }
        let open_to = OpenTo::of(api.asks_for_tokens(), options);
        let tls = certificates.map(Tls::new).transpose()?;
        let listener = listen(options, open_to).await?;
        let failed = |error| Error::Listen(options.listen.clone(), error);
        let address = listener.local_addr().map_err(failed)?;
        if let Some(path) = &options.kubeconfig {
            kubeconfig::write(path, &origin(options, address), certificates)?;
        }
        let (stop, stopped) = watch::channel(false);
        let recorder = options.record.as_ref().map(|path| {
            let failed = |source| Error::Record { path: path.clone(), source };
            Recorder::start(path, options.record_secrets, cluster.clone()).map_err(failed)
        });
        let recorder = recorder.transpose()?;
        let glass = options.glass.then(|| Glass::new(cluster));
        let site = Site::new(api, (open_to, tls), glass, options.clone(), stopped).map_err(Error::Threads)?;
        let site = Arc::new(site);
        Ok(Self {
            listener,
            site,
            stop,
            address,
            warnings: Vec::new(),
            invitations: Vec::new(),
            _recorder: recorder,
            _controllers: None,
            _aggregator: None,
            identity: None,
        })
    }

    /// Returns the address that it listens on; the port is a real one where the options had 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the warnings about the token file and the audit policy.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the invitations to a workshop, the leader's first; none, if there is no workshop.
    pub fn invitations(&self) -> &[Invitation] {
        &self.invitations
    }

    /// Answers requests until `shutdown` is ready. Then it takes no more connections, ends the open watches, lets the
    /// requests that are being answered finish, for a few seconds at most, and returns whether they did.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> bool {
        let Self { listener, site, stop, identity, _recorder, _controllers, _aggregator, .. } = self;
        let connections = Arc::clone(&site.connections);
        let mut shutdown = std::pin::pin!(shutdown);
        let mut maintenance = tokio::time::interval(MAINTENANCE);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                _ = maintenance.tick() => site.api.maintain(),
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        // Where all are in use, a new one is closed.
                        if let Some(place) = connections.enter() {
                            accept::serve(stream, &site, place);
                        }
                    }
                    // Out of file descriptors, most likely: others will close theirs.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
        drop(listener);
        if let Some(identity) = identity {
            identity.end().await;
        }
        stop.send_replace(true);
        tokio::time::timeout(GRACE, connections.all_closed()).await.is_ok()
    }
}

/// Listens where the options say, for whom that is allowed.
async fn listen(options: &Options, open_to: OpenTo) -> Result<TcpListener, Error> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AddrInUse => Error::Taken(options.listen.clone()),
        _ => Error::Listen(options.listen.clone(), error),
    };
    let addresses: Vec<_> = tokio::net::lookup_host(&options.listen).await.map_err(failed)?.collect();
    if open_to == OpenTo::ThisMachine && addresses.iter().any(|address| !address.ip().is_loopback()) {
        return Err(Error::Open(options.listen.clone()));
    }
    listen_on(&addresses).map_err(failed)
}

/// Listens on the first of these addresses that can be listened on.
fn listen_on(addresses: &[SocketAddr]) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "it has no address");
    for address in addresses {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let listener = socket.and_then(|socket| {
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(*address)?;
            socket.listen(BACKLOG)
        });
        match listener {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn read_tokens(path: &PathBuf) -> Result<Tokens, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::ReadTokens { path: path.clone(), source })?;
    tokens::parse(&text).map_err(|source| Error::ParseTokens { path: path.clone(), source })
}
