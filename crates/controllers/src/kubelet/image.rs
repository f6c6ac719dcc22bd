//! Images: how their names are read, and which are on a node.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/>.

use std::collections::BTreeMap;
use std::time::Duration;

use apimachinery::ImageReference;
use golang::strconv::quote;

use crate::options::Latencies;

/// The ends of host names that exist nowhere: <https://www.rfc-editor.org/rfc/rfc2606>.
const NOWHERE: [&str; 3] = ["invalid", "example", "test"];

/// The host of images that name none.
const DEFAULT_HOST: &str = "docker.io";

/// A reference to an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    host: String,
    path: String,
    /// The tag with a colon before it, or the digest with an `@`.
    suffix: String,
}

impl Reference {
    /// Reads the name of an image. `None` if it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let ImageReference { host, path, tag, digest } = ImageReference::parse(text)?;
        let host = host.unwrap_or(DEFAULT_HOST);
        let library = if host == DEFAULT_HOST && !path.contains('/') { "library/" } else { "" };
        let suffix = match digest {
            Some(digest) => ["@", digest].concat(),
            None => [":", tag.unwrap_or("latest")].concat(),
        };
        Some(Self { host: host.to_owned(), path: [library, path].concat(), suffix })
    }

    /// Returns the whole name, as container runtimes have it.
    pub(super) fn full(&self) -> String {
        [&self.host, "/", &self.path, &self.suffix].concat()
    }

    /// Returns the identifier of the image: there is one for each name.
    pub(super) fn id(&self) -> String {
        let digest = match self.suffix.strip_prefix('@') {
            Some(digest) => digest.to_owned(),
            None => ["sha256:", &hexadecimal(&self.full())].concat(),
        };
        [&self.host, "/", &self.path, "@", &digest].concat()
    }

    /// Returns the size in bytes: between 20 and 220 million.
    pub(super) fn size(&self) -> u64 {
        20_000_000 + mix(&self.full(), 0) % 200_000_000
    }

    /// Returns the error of a container runtime that cannot reach the host; `None` if it can.
    pub(super) fn unreachable(&self) -> Option<String> {
        let (name, port) = self.host.split_once(':').unwrap_or((&self.host, ""));
        let end = name.rsplit('.').next().unwrap_or_default();
        if !NOWHERE.contains(&end) {
            return None;
        }
        let image = quote(&self.full());
        let tag = self.suffix.trim_start_matches([':', '@']);
        let colon = if port.is_empty() { "" } else { ":" };
        Some(format!(
            "failed to pull and unpack image {image}: failed to resolve reference {image}: failed to do request: \
             Head \"https://{name}{colon}{port}/v2/{}/manifests/{tag}\": dial tcp: lookup {name}: no such host",
            self.path
        ))
    }
}

/// Makes 64 hexadecimal digits of a text: the same ones each time.
pub(super) fn hexadecimal(text: &str) -> String {
    (0..4).map(|part| format!("{:016x}", mix(text, part))).collect()
}

/// Makes a number of a text and another number.
fn mix(text: &str, seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// The images of a node.
#[derive(Default)]
pub(super) struct Images {
    /// The times since when images are there, by their whole names; or from when on, for those on their way.
    times: BTreeMap<String, Duration>,
    /// The time at which an image comes that nobody was told of yet.
    arrival: Option<Duration>,
}

impl Images {
    /// Reports whether an image is there.
    pub(super) fn has(&self, image: &Reference, now: Duration) -> bool {
        self.times.get(&image.full()).is_some_and(|since| *since <= now)
    }

    /// Notes that an image is there.
    pub(super) fn add(&mut self, image: &Reference, since: Duration) {
        self.times.entry(image.full()).or_insert(since);
    }

    /// Takes the time at which another image is there, if one is on its way since the last call.
    pub(super) fn take_arrival(&mut self) -> Option<Duration> {
        self.arrival.take()
    }

    /// Pulls an image, and returns for how long, and until when: only the first time it takes long. Who comes while it is on its way
    /// waits.
    pub(super) fn pull(
        &mut self,
        image: &Reference,
        latencies: &Latencies,
        now: Duration,
    ) -> (Duration, Duration) {
        if let Some(since) = self.times.get(&image.full()) {
            return (latencies.pull_again, now.max(*since).saturating_add(latencies.pull_again));
        }
        let until = now.saturating_add(latencies.pull);
        self.add(image, until);
        self.arrival = Some(until);
        (latencies.pull, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(Reference::parse(text).map(|image| image.full()).as_deref(), expected, "{text}");
    }

    #[test]
    fn names_of_images_are_read() {
        check("nginx", Some("docker.io/library/nginx:latest"));
        check("nginx:1.29", Some("docker.io/library/nginx:1.29"));
        check("team/app", Some("docker.io/team/app:latest"));
        check("localhost/app:v1", Some("localhost/app:v1"));
        check("registry.k8s.io:443/a/b_c:v1", Some("registry.k8s.io:443/a/b_c:v1"));
        let digest = format!("nginx@sha256:{}", "ab".repeat(32));
        check(&digest, Some(&format!("docker.io/library/{digest}")));
        check("Nginx", None);
    }

    #[test]
    fn some_hosts_are_nowhere() {
        let error = |text: &str| Reference::parse(text).unwrap().unreachable();
        let image = "\"registry.example:5000/app:v2\"";
        let expected = format!(
            "failed to pull and unpack image {image}: failed to resolve reference {image}: failed to do request: \
             Head \"https://registry.example:5000/v2/app/manifests/v2\": dial tcp: lookup registry.example: no such host"
        );
        assert_eq!(error("registry.example:5000/app:v2"), Some(expected));
        assert!(error("a.b.invalid/app").is_some() && error("x.test/app").is_some());
        assert!(error("nginx").is_none() && error("example.com/app").is_none());
    }

    #[test]
    fn an_image_has_one_identifier_and_one_size() {
        let [a, b] = ["nginx", "nginx:1.29"].map(|text| Reference::parse(text).unwrap());
        assert!(a.id() != b.id() && a.id().starts_with("docker.io/library/nginx@sha256:"), "{}", a.id());
        assert_eq!(a.id().len(), "docker.io/library/nginx@sha256:".len() + 64);
        assert!((20_000_000..220_000_000).contains(&a.size()));
    }
}
