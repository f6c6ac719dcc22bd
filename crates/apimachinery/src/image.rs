//! References to images: `host/path:tag@digest`.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/#image-names>.

/// A reference to an image, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageReference<'a> {
    /// The address of the registry, if it is named.
    pub host: Option<&'a str>,
    /// The path in the registry.
    pub path: &'a str,
    /// The tag, if there is one.
    pub tag: Option<&'a str>,
    /// The digest, if there is one.
    pub digest: Option<&'a str>,
}

impl<'a> ImageReference<'a> {
    /// Reads a reference. `None` if it is not one; 64 hexadecimal digits are the identifier of an image, and not its name.
    pub fn parse(text: &'a str) -> Option<Self> {
        if text.len() == 64 && text.bytes().all(is_hexadecimal) {
            return None;
        }
        let (named, digest) = match text.split_once('@') {
            Some((named, digest)) => (named, Some(digest)),
            None => (text, None),
        };
        let last = named.rfind('/').map_or(0, |slash| slash + 1);
        let (name, tag) = match named[last..].find(':') {
            Some(colon) => (&named[..last + colon], Some(&named[last + colon + 1..])),
            None => (named, None),
        };
        let (host, path) = match name.split_once('/') {
            Some((first, path)) if is_registry(first) => (Some(first), path),
            _ => (None, name),
        };
        let is_well_formed = name.len() <= 255
            && host.is_none_or(is_domain)
            && path.split('/').all(is_path_component)
            && tag.is_none_or(is_tag)
            && digest.is_none_or(is_digest);
        is_well_formed.then_some(Self { host, path, tag, digest })
    }
}

/// Reports whether the first part of a name is a registry's address rather than a part of the path.
fn is_registry(first: &str) -> bool {
    first == "localhost" || first.contains(['.', ':']) || first.bytes().any(|c| c.is_ascii_uppercase())
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            let hex = |c: u8| c.is_ascii_hexdigit() || c == b':';
            if address.is_empty() || !address.bytes().all(hex) {
                return false;
            }
            ("ipv6", port.strip_prefix(':').or(if port.is_empty() { None } else { Some("") }))
        }
        None => domain.split_once(':').map_or((domain, None), |(host, port)| (host, Some(port))),
    };
    port.is_none_or(|port| !port.is_empty() && port.bytes().all(|c| c.is_ascii_digit()))
        && host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
        })
}

/// Reports whether a part of a path is lower-case letters and digits, joined by one `.`, one or two `_`, or any number of `-`.
fn is_path_component(component: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut rest = component;
    loop {
        let word = rest.find(|c| !is_plain(c)).unwrap_or(rest.len());
        if word == 0 {
            return false;
        }
        rest = &rest[word..];
        if rest.is_empty() {
            return true;
        }
        let joint = rest.find(is_plain).unwrap_or(rest.len());
        let well_formed = match &rest[..joint] {
            "." | "_" | "__" => true,
            joint => joint.bytes().all(|c| c == b'-'),
        };
        if !well_formed {
            return false;
        }
        rest = &rest[joint..];
    }
}

fn is_tag(tag: &str) -> bool {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|c| is_word(c) || matches!(c, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return false;
    };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(is_hexadecimal)
}

fn is_hexadecimal(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parts<'a> = (Option<&'a str>, &'a str, Option<&'a str>, Option<&'a str>);

    #[track_caller]
    fn check(text: &str, expected: Option<Parts<'_>>) {
        let found =
            ImageReference::parse(text).map(|image| (image.host, image.path, image.tag, image.digest));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn references_are_read() {
        check("nginx", Some((None, "nginx", None, None)));
        check("team/app:v1", Some((None, "team/app", Some("v1"), None)));
        check("localhost/a_b/c__d/e---f.g", Some((Some("localhost"), "a_b/c__d/e---f.g", None, None)));
        check("registry.k8s.io:443/a/b:v1", Some((Some("registry.k8s.io:443"), "a/b", Some("v1"), None)));
        check("[::1]:80/x", Some((Some("[::1]:80"), "x", None, None)));
        check("UP/low", Some((Some("UP"), "low", None, None)));
        let digest = format!("sha256:{}", "0a".repeat(32));
        check(&format!("nginx:1@{digest}"), Some((None, "nginx", Some("1"), Some(&digest))));
    }

    #[test]
    fn what_is_no_reference_is_not_read() {
        let wrong = [
            "",
            "Nginx",
            "nginx:",
            "a//b",
            "nginx:-",
            "a b",
            "nginx@sha256:x",
            "ko://a/b",
            "-a",
            "/a",
            "a_-b",
        ];
        for text in wrong {
            check(text, None);
        }
        check(&"0a".repeat(32), None);
        check(&"a".repeat(256), None);
    }
}
