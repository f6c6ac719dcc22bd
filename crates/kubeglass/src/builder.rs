//! Building a cluster.

use std::sync::Arc;
use std::time::Duration;

use ::controllers::Control;
use apiserver::{Compaction, Config, FIRST_REVISION, User};
use bytes::Bytes;
use clock::machine::{SystemRandom, TokioClock};
use clock::{Clock, ManualClock};
use engine::SharedCluster;
use http::{Request, Response};

use crate::client::bearer;
use crate::cluster::{Cluster, Randomness};
use crate::error::Error;
use crate::webhooks::Webhooks;

/// The configuration of a cluster. Whatever is not set is as in a new cluster of Kubernetes.
///
/// ```
/// use std::time::Duration;
/// use kubeglass::{Cluster, ManualClock};
///
/// let cluster = Cluster::builder()
///     .clock(ManualClock::new(Duration::from_secs(1_800_000_000)))
///     .seed(7)
///     .api_servers(2)
///     .build()?;
/// assert_eq!(cluster.api_servers().len(), 2);
/// cluster.advance(Duration::from_secs(60))?;
/// assert_eq!(cluster.now(), Duration::from_secs(1_800_000_060));
/// # Ok::<(), kubeglass::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    clock: Option<ManualClock>,
    seed: Option<u64>,
    api_servers: usize,
    first_revision: u64,
    tokens: Vec<(String, User)>,
    compaction: Compaction,
    bookmark_interval: Option<Duration>,
    webhooks: Webhooks,
}

impl Cluster {
    /// Returns the configuration of a cluster with one API server, which everybody may use, by the machine's clock.
    pub fn builder() -> Builder {
        Builder {
            clock: None,
            seed: None,
            api_servers: 1,
            first_revision: FIRST_REVISION,
            tokens: Vec::new(),
            compaction: Compaction::default(),
            bookmark_interval: None,
            webhooks: Webhooks::default(),
        }
    }
}

impl Builder {
    /// Has the cluster go by a clock that stands until [`Cluster::advance`] moves it on.
    ///
    /// Without this, its clock begins at the machine's time and goes on as tokio's does. So in a test with
    /// `#[tokio::test(start_paused = true)]` it stands, too, and jumps to the next timer of anybody when all tasks wait: no
    /// backoff and no timeout is ever waited for.
    pub fn clock(mut self, clock: ManualClock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Has uids and generated names made of a seed: the same requests make the same cluster. Without it, the operating system's
    /// randomness seeds them.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the number of API servers, each with watch caches of its own; 1 unless it is set, and at least.
    pub fn api_servers(mut self, count: usize) -> Self {
        self.api_servers = count;
        self
    }

    /// Sets the revision of the first write, which is the resource version of the first object; 300 unless it is set, which leaves a
    /// revision of its own to each object that is in a cluster before.
    pub fn first_revision(mut self, revision: u64) -> Self {
        self.first_revision = revision;
        self
    }

    /// Lets a user in who shows a bearer token. Once there is a token, a request without one is made by `system:anonymous`, and users
    /// may do what roles and bindings allow; only the clients that [`Cluster::client`] gives, and the [kubeconfig](Cluster::serve), are
    /// still those of `admin`.
    pub fn token(mut self, token: &str, user: User) -> Self {
        self.tokens.push((token.to_owned(), user));
        self
    }

    /// Sets how long history is kept: unless it is set, it is compacted every five minutes of the cluster's time.
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = compaction;
        self
    }

    /// Sets how often a watch that wants bookmarks gets one; every minute unless it is set.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.bookmark_interval = Some(interval);
        self
    }

    /// Has a function stand in for all webhooks of admission, and for those that convert custom objects, whatever their URL. It gets the
    /// POST of the API server, whose body is the review. A webhook that takes longer than it may, by the cluster's clock, has failed.
    ///
    /// Unless it is set, nothing listens at any URL, and a webhook fails as its `failurePolicy` says.
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use http::{Request, Response};
    /// use kubeglass::Cluster;
    /// use serde_json::{Value, json};
    ///
    /// async fn validate(request: Request<Bytes>) -> Response<Bytes> {
    ///     let review: Value = serde_json::from_slice(request.body()).expect("a review");
    ///     let response = json!({"uid": review["request"]["uid"], "allowed": review["request"]["name"] != "no"});
    ///     let review = json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response});
    ///     Response::new(review.to_string().into())
    /// }
    ///
    /// let cluster = Cluster::builder().webhooks(validate).build()?;
    /// # Ok::<(), kubeglass::Error>(())
    /// ```
    pub fn webhooks<F, R>(mut self, respond: F) -> Self
    where
        F: Fn(Request<Bytes>) -> R + Send + Sync + 'static,
        R: Future<Output = Response<Bytes>> + Send + 'static,
    {
        self.webhooks = Webhooks::of(respond);
        self
    }

    /// Makes the cluster, with the namespaces `default`, `kube-system`, `kube-public` and `kube-node-lease`, and the roles of
    /// every cluster.
    ///
    /// # Errors
    /// [`Error::Random`], unless there is a seed.
    pub fn build(self) -> Result<Cluster, Error> {
        let randomness = match self.seed {
            Some(seed) => Randomness::Seeded(seed),
            None => Randomness::System(Arc::new(SystemRandom::new().map_err(Error::Random)?)),
        };
        let random = randomness.source();
        let mut tokens = self.tokens;
        let admin = match tokens.is_empty() {
            true => None,
            false => {
                let mut bytes = [0; 16];
                random.fill(&mut bytes);
                let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let header = bearer(&token)?;
                tokens.push((token, admin()));
                Some(header)
            }
        };
        let host: Arc<dyn Clock> = Arc::new(TokioClock::start());
        let clock = self.clock.clone().map_or_else(|| Arc::clone(&host), |clock| Arc::new(clock));
        let api = apiserver::ApiServer::new(Config {
            first_revision: self.first_revision,
            tokens: admin.is_some().then_some(tokens),
            compaction: self.compaction,
            ..Config::new(clock, random)
        });
        let shared = match self.clock {
            Some(clock) => SharedCluster::with_manual_clock(api, clock),
            None => SharedCluster::new(api, host),
        };
        // A test chooses them, and no page that looks at it.
        shared.set_controllers(Box::new(Control::default()));
        for _ in 1..self.api_servers {
            shared.add_server();
        }
        self.webhooks.install(shared.first(), shared.clock());
        let cluster = Cluster { shared, admin, randomness, webhooks: self.webhooks };
        if let Some(interval) = self.bookmark_interval {
            cluster.set_bookmark_interval(interval);
        }
        Ok(cluster)
    }
}

/// Returns who may do everything.
fn admin() -> User {
    User { name: "admin".to_owned(), groups: vec!["system:masters".to_owned()], ..User::default() }
}
