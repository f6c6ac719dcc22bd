//! The identity of an API server: a Lease in `kube-system` that it renews, and the end of those that others renew no more.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/leases/#api-server-identity>.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use apiserver::ApiServer;
use clock::{Clock, Random};
use golang::time::{Layout, Time, parse};
use http::Method;
use json_tree::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::limits::GRACE;
use crate::own_client::call;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/// The label of the Leases of API servers, and its value.
const COMPONENT: (&str, &str) = ("apiserver.kubernetes.io/identity", "kube-apiserver");
/// The annotation that tells where other API servers reach one.
const ADDRESS: &str = "kubernetes.io/peer-advertise-address";

/// How often the Lease is renewed.
const RENEWAL: Duration = Duration::from_secs(10);
/// How long it is good, in seconds.
const DURATION: u64 = 3600;
/// How often those of others are looked at.
const COLLECTION: Duration = Duration::from_secs(3600);

/// The Lease of an API server.
pub(crate) struct Identity {
    api: ApiServer,
    clock: Arc<dyn Clock>,
    host: String,
    /// The address at which others reach it, if it is known.
    address: Option<SocketAddr>,
    name: String,
    holder: String,
    /// The Lease as it was last written.
    latest: Option<Value>,
    /// When those of others were last looked at.
    collected: Option<Duration>,
}

impl Identity {
    /// Makes that of an API server on a host, which listens at an address. It is not published yet.
    pub(crate) fn new(
        api: &ApiServer,
        (clock, random): (Arc<dyn Clock>, &dyn Random),
        host: &str,
        address: SocketAddr,
    ) -> Self {
        let name = name(host);
        let holder = [name.as_str(), "_", &clock::uuid(random)].concat();
        Self {
            api: api.clone(),
            clock,
            host: host.to_owned(),
            address: Some(address).filter(|address| !address.ip().is_unspecified()),
            name,
            holder,
            latest: None,
            collected: None,
        }
    }

    /// Publishes the Lease, and has it be renewed.
    pub(crate) async fn publish(mut self) -> Renewed {
        self.sync().await;
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = &mut stopped => break,
                    () = tokio::time::sleep(RENEWAL) => self.sync().await,
                }
            }
            self.end().await;
        });
        Renewed { stop, task }
    }

    /// Publishes or renews the Lease, and deletes those of other API servers that have expired, once an hour.
    async fn sync(&mut self) {
        self.renew().await;
        let now = self.clock.now();
        if self.collected.is_none_or(|last| now < last || now - last >= COLLECTION) {
            self.collected = Some(now);
            self.collect(now).await;
        }
    }

    /// Deletes the Lease.
    async fn end(&mut self) {
        self.latest = None;
        call(&self.api, Method::DELETE, &self.path(&self.name), &Value::Null).await;
    }

    async fn renew(&mut self) {
        if let Some(latest) = self.latest.take()
            && self.update(latest).await
        {
            return;
        }
        match call(&self.api, Method::GET, &self.path(&self.name), &Value::Null).await {
            (200, lease) => drop(self.update(lease).await),
            (404, _) => {
                let lease = self.renewed(json!({
                    "apiVersion": "coordination.k8s.io/v1",
                    "kind": "Lease",
                    "metadata": { "name": self.name, "namespace": "kube-system" },
                    "spec": { "holderIdentity": self.holder },
                }));
                let (code, made) = call(&self.api, Method::POST, LEASES, &lease).await;
                self.latest = Some(made).filter(|_| code == 201);
            }
            _ => {}
        }
    }

    /// Renews a Lease that is there, and reports whether that was possible.
    async fn update(&mut self, lease: Value) -> bool {
        let lease = self.renewed(lease);
        let (code, written) = call(&self.api, Method::PUT, &self.path(&self.name), &lease).await;
        self.latest = Some(written).filter(|_| code == 200);
        self.latest.is_some()
    }

    /// Returns a Lease as it is when it is renewed now.
    fn renewed(&self, mut lease: Value) -> Value {
        let now = self.clock.now();
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let time = Time { seconds, nanos: now.subsec_nanos() };
        lease["spec"]["leaseDurationSeconds"] = DURATION.into();
        lease["spec"]["renewTime"] = time.rfc3339_micro().into();
        for (label, value) in [COMPONENT, ("kubernetes.io/hostname", self.host.as_str())] {
            lease["metadata"]["labels"][label] = value.into();
        }
        if let Some(address) = self.address {
            lease["metadata"]["annotations"][ADDRESS] = address.to_string().into();
        }
        lease
    }

    /// Deletes the Leases of API servers that have expired.
    async fn collect(&self, now: Duration) {
        let (label, value) = COMPONENT;
        let query = [LEASES, "?labelSelector=", label, "%3D", value].concat();
        let (_, list) = call(&self.api, Method::GET, &query, &Value::Null).await;
        for lease in list["items"].as_array().into_iter().flatten().filter(|lease| is_expired(lease, now)) {
            let name = lease["metadata"]["name"].as_str().unwrap_or_default();
            call(&self.api, Method::DELETE, &self.path(name), &Value::Null).await;
        }
    }

    fn path(&self, name: &str) -> String {
        [LEASES, "/", name].concat()
    }
}

/// A Lease that is renewed. Dropped, it is deleted some time.
pub(crate) struct Renewed {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Renewed {
    /// Has the Lease be deleted, and waits for that, for a few seconds at most.
    pub(crate) async fn end(self) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(GRACE, self.task).await;
    }
}

/// Returns the name of the API server on a host, which is the same after the next start.
fn name(host: &str) -> String {
    let mut hash = Sha256::new();
    for part in [host, COMPONENT.1] {
        let length = u16::try_from(part.len()).unwrap_or(u16::MAX);
        hash.update(length.to_be_bytes());
        hash.update(part.as_bytes());
    }
    ["apiserver-", &base32(&hash.finalize()[..16])].concat()
}

/// Returns bytes in base32 in lower case, without padding.
fn base32(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bits = bytes.iter().fold(String::new(), |mut bits, byte| {
        let _ = write!(bits, "{byte:08b}");
        bits
    });
    let digits = bits.as_bytes().chunks(5).map(|digit| {
        let value = digit.iter().fold(0, |value, bit| value * 2 + usize::from(bit - b'0'));
        char::from(DIGITS[value << (5 - digit.len())])
    });
    digits.collect()
}

/// Reports whether a Lease has expired. One that does not say when counts as such.
fn is_expired(lease: &Value, now: Duration) -> bool {
    let spec = &lease["spec"];
    let renewed =
        spec["renewTime"].as_str().and_then(|text| parse(Layout::Rfc3339, text).ok()?.since_epoch());
    let seconds = spec["leaseDurationSeconds"].as_u64().map(Duration::from_secs);
    renewed.zip(seconds).is_none_or(|(renewed, seconds)| renewed + seconds < now)
}

#[cfg(test)]
mod tests {
    use apiserver::Config;
    use clock::{ManualClock, SeededRandom};
    use futures::executor::block_on;

    use super::*;

    const START: Duration = Duration::from_secs(1_767_225_600);

    fn server(clock: &ManualClock) -> ApiServer {
        ApiServer::new(Config::new(Arc::new(clock.clone()), Arc::new(SeededRandom::new(7))))
    }

    fn identity(api: &ApiServer, clock: &ManualClock, address: &str) -> Identity {
        let address = address.parse().unwrap();
        Identity::new(api, (Arc::new(clock.clone()), &SeededRandom::new(1)), "vm", address)
    }

    #[test]
    fn names_are_those_of_hosts() {
        for (bytes, expected) in
            [(&b""[..], ""), (b"f", "my"), (b"fo", "mzxq"), (b"foo", "mzxw6"), (b"foobar", "mzxw6ytboi")]
        {
            assert_eq!(base32(bytes), expected);
        }
        assert_eq!(name("vm"), "apiserver-wlv32tlttr4jl3gtroqexyxapa");
    }

    #[test]
    fn leases_are_published_and_renewed_and_made_again() {
        let clock = ManualClock::new(START);
        let api = server(&clock);
        let mut own = identity(&api, &clock, "127.0.0.1:6443");
        let path = own.path(&own.name);
        let get = || block_on(call(&api, Method::GET, &path, &Value::Null)).1;
        block_on(own.sync());
        let made = get();
        let holder = made["spec"]["holderIdentity"].as_str().unwrap_or_default();
        assert_eq!(
            holder.split_once('_').map(|(name, uuid)| (name, uuid.len())),
            Some((own.name.as_str(), 36))
        );
        let labels =
            json!({"apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "vm"});
        assert_eq!(made["metadata"]["labels"], labels);
        assert_eq!(made["metadata"]["annotations"], json!({ ADDRESS: "127.0.0.1:6443" }));
        assert_eq!(made["spec"]["leaseDurationSeconds"], 3600);
        let check = |lease: &Value, time: &str, uid: &Value, is_same: bool| {
            assert_eq!(lease["spec"]["renewTime"], time);
            assert_eq!(lease["metadata"]["uid"] == *uid, is_same, "{time}");
            assert_eq!(lease["metadata"]["managedFields"].as_array().map(Vec::len), Some(1), "{time}");
            assert_eq!(lease["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
        };
        let uid = &made["metadata"]["uid"];
        check(&made, "2026-01-01T00:00:00.000000Z", uid, true);
        clock.advance(Duration::from_millis(10_500));
        block_on(own.sync());
        check(&get(), "2026-01-01T00:00:10.500000Z", uid, true);
        // Somebody else has written it.
        let mut other = get();
        other["metadata"]["labels"]["kubernetes.io/hostname"] = "x".into();
        let put = |lease: &Value| block_on(call(&api, Method::PUT, &path, lease)).0;
        assert_eq!(put(&other), 200);
        clock.advance(RENEWAL);
        block_on(own.sync());
        check(&get(), "2026-01-01T00:00:20.500000Z", uid, true);
        assert_eq!(get()["metadata"]["labels"], labels);
        block_on(own.end());
        assert_eq!(get()["code"], 404);
        block_on(own.sync());
        check(&get(), "2026-01-01T00:00:20.500000Z", uid, false);
        // Nobody knows which of all addresses others reach.
        let everywhere = identity(&api, &clock, "[::]:6443").renewed(json!({}));
        assert_eq!(everywhere["metadata"]["annotations"], Value::Null);
    }

    #[test]
    fn leases_of_others_end_when_they_have_expired() {
        let clock = ManualClock::new(START);
        let api = server(&clock);
        let mut own = identity(&api, &clock, "127.0.0.1:6443");
        let labels = json!({ COMPONENT.0: COMPONENT.1 });
        for (name, labels, spec) in [
            (
                "good",
                &labels,
                json!({"renewTime": "2026-01-01T00:00:00.000000Z", "leaseDurationSeconds": 3600}),
            ),
            (
                "over",
                &labels,
                json!({"renewTime": "2025-12-31T22:59:59.999999Z", "leaseDurationSeconds": 3600}),
            ),
            ("vague", &labels, json!({"leaseDurationSeconds": 3600})),
            ("other", &json!({}), json!({"leaseDurationSeconds": 3600})),
        ] {
            let lease = json!({"metadata": {"name": name, "labels": labels}, "spec": spec});
            assert_eq!(block_on(call(&api, Method::POST, LEASES, &lease)).0, 201);
        }
        let mut check = |expected: &[&str]| {
            block_on(own.sync());
            let list = block_on(call(&api, Method::GET, LEASES, &Value::Null)).1;
            let names = list["items"].as_array().into_iter().flatten();
            let names: Vec<_> = names.filter_map(|lease| lease["metadata"]["name"].as_str()).collect();
            let others: Vec<_> = names.into_iter().filter(|name| !name.starts_with("apiserver-")).collect();
            assert_eq!(others, expected);
        };
        check(&["good", "other"]);
        clock.advance(Duration::from_secs(3599));
        check(&["good", "other"]);
        clock.advance(Duration::from_secs(2));
        check(&["other"]);
    }
}
