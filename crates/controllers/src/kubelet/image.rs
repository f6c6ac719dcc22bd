//! Images: how their names are read, and which are on a node.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/>.

use std::collections::BTreeMap;
use std::time::Duration;

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
        let (name, digest) = text.split_once('@').map_or((text, None), |(name, digest)| (name, Some(digest)));
        let last = name.rfind('/').map_or(0, |slash| slash + 1);
        let (name, tag) = match name[last..].split_once(':') {
            Some((short, tag)) => (&name[..last + short.len()], Some(tag)),
            None => (name, None),
        };
        let first = name.split_once('/').filter(|(first, _)| {
            first.contains(['.', ':'])
                || *first == "localhost"
                || first.bytes().any(|byte| byte.is_ascii_uppercase())
        });
        let (host, path) = first.unwrap_or((DEFAULT_HOST, name));
        let is_tag = |tag: &str| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            (1..=128).contains(&tag.len()) && tag.bytes().all(is_part) && !tag.starts_with(['.', '-'])
        };
        let is_digest = |digest: &str| {
            let hex = digest.split_once(':').map_or("", |(_, hex)| hex);
            hex.len() >= 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_host = |host: &str| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-:".contains(&byte);
            !host.is_empty() && host.bytes().all(is_part)
        };
        let valid = is_host(host)
            && path.split('/').all(is_component)
            && tag.is_none_or(is_tag)
            && digest.is_none_or(is_digest);
        let library = if host == DEFAULT_HOST && !path.contains('/') { "library/" } else { "" };
        let suffix = match (tag, digest) {
            (_, Some(digest)) => ["@", digest].concat(),
            (tag, None) => [":", tag.unwrap_or("latest")].concat(),
        };
        valid.then(|| Self { host: host.to_owned(), path: [library, path].concat(), suffix })
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

fn is_component(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.bytes().all(is_part) && is_end(text.bytes().next()) && is_end(text.bytes().last())
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

/// The images of a node, by their whole names, and since when they are there; or from when on, for those on their way.
#[derive(Default)]
pub(super) struct Images(BTreeMap<String, Duration>);

impl Images {
    /// Returns the time since or from which an image is there.
    pub(super) fn since(&self, image: &Reference) -> Option<Duration> {
        self.0.get(&image.full()).copied()
    }

    /// Notes that an image is there.
    pub(super) fn add(&mut self, image: &Reference, since: Duration) {
        self.0.entry(image.full()).or_insert(since);
    }

    /// Pulls an image, and returns for how long, and until when: only the first time it takes long. Who comes while it is on its way
    /// waits.
    pub(super) fn pull(
        &mut self,
        image: &Reference,
        latencies: &Latencies,
        now: Duration,
    ) -> (Duration, Duration) {
        match self.since(image) {
            Some(since) => (latencies.pull_again, since.max(now).saturating_add(latencies.pull_again)),
            None => {
                let until = now.saturating_add(latencies.pull);
                self.add(image, until);
                (latencies.pull, until)
            }
        }
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
        for wrong in
            ["", "Nginx", "nginx:", "a//b", "nginx:-", "a b", "nginx@sha256:x", "ko://a/b", "-a", "/a"]
        {
            check(wrong, None);
        }
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
