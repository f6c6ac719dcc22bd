//! Listening, and stopping.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use apiserver::{ApiServer, Config};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{
    args::Options,
    exchange, gzip,
    machine::{SystemClock, SystemRandom},
    tokens::{self, Tokens},
};

/// How long requests that are being answered may take once the server is to stop.
const GRACE: Duration = Duration::from_secs(3);

/// How long a client may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How many requests a client may have open over one HTTP/2 connection: each watch is one. kube-apiserver allows as many.
const MAX_STREAMS: u32 = 1000;

/// Why a server does not start, in one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else listens there.
    #[error("{0} is taken: stop what listens there, or choose another address with --listen")]
    Taken(String),
    /// The address cannot be listened on: it is not `host:port`, not this machine's, or not allowed.
    #[error("cannot listen on {0}: {1}")]
    Listen(String, #[source] io::Error),
    /// The token file cannot be read.
    #[error("cannot read the token file {}: {source}", path.display())]
    ReadTokens {
        /// The file.
        path: PathBuf,
        /// What reading it said.
        source: io::Error,
    },
    /// The token file is not one.
    #[error("the token file {} is wrong in {source}", path.display())]
    ParseTokens {
        /// The file.
        path: PathBuf,
        /// Where, and how.
        source: tokens::Error,
    },
    /// The operating system gives no random bytes, without which there are no uids.
    #[error("the operating system gives no random bytes: {0}")]
    Random(#[source] io::Error),
}

/// A new cluster's API server that listens.
pub struct Server {
    listener: TcpListener,
    api: ApiServer,
    address: SocketAddr,
    warnings: Vec<String>,
}

impl Server {
    /// Makes a cluster and listens. Connections are not answered before [`Server::run`].
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn bind(options: &Options) -> Result<Self, Error> {
        let tokens = options.token_file.as_ref().map(read_tokens).transpose()?;
        let (tokens, warnings) = tokens.map_or((None, Vec::new()), |t| (Some(t.users), t.warnings));
        let random = SystemRandom::new().map_err(Error::Random)?;
        let listen = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => Error::Taken(options.listen.clone()),
            _ => Error::Listen(options.listen.clone(), error),
        };
        let listener = TcpListener::bind(&options.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let api = ApiServer::new(Config {
            clock: Arc::new(SystemClock),
            random: Arc::new(random),
            first_revision: options.first_revision,
            tokens,
            formats: apiserver::Formats::ALL.with_gzip(gzip::compress),
            validation: apiserver::Validation::HERE,
            writes: apiserver::Writes::HERE,
            compaction: options.compaction,
        });
        Ok(Self { listener, api, address, warnings })
    }

    /// Where it listens; the port is a real one where the options had 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What is odd about the token file.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Answers requests until `shutdown` is ready. Then it takes no more connections, ends the open watches, lets the
    /// requests that are being answered finish, for a few seconds at most, and returns whether they did.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> bool {
        let Self { listener, api, .. } = self;
        let (stop, stopped) = watch::channel(false);
        let connections = GracefulShutdown::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => connect(stream, &api, &stopped, &connections),
                    // Out of file descriptors, most likely: others will close theirs.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
        drop(listener);
        stop.send_replace(true);
        tokio::time::timeout(GRACE, connections.shutdown()).await.is_ok()
    }
}

fn read_tokens(path: &PathBuf) -> Result<Tokens, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::ReadTokens { path: path.clone(), source })?;
    tokens::parse(&text).map_err(|source| Error::ParseTokens { path: path.clone(), source })
}

/// Answers what comes over one connection, in a task of its own.
fn connect(
    stream: TcpStream,
    api: &ApiServer,
    stopped: &watch::Receiver<bool>,
    connections: &GracefulShutdown,
) {
    // An event is small and wants to be seen at once. A socket that refuses still works.
    let _ = stream.set_nodelay(true);
    let (api, stopped) = (api.clone(), stopped.clone());
    let service =
        hyper::service::service_fn(move |request| exchange::answer(api.clone(), request, stopped.clone()));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Names of headers are spelled as Go's servers spell them over HTTP/1.1.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).title_case_headers(true);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        // An error here is the client's: it is gone, or it does not speak HTTP.
        let _ = connection.await;
    });
}
