//! Image references, as far as their tag decides whether an image is pulled each time.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting>.

/// The pull policy of an image whose policy is not set: `Always` for the tag `latest` and for a
/// reference without tag and digest, else `IfNotPresent`, also for what is no reference.
pub(super) fn pull_policy(image: &str) -> &'static str {
    if tag(image) == Some("latest") { "Always" } else { "IfNotPresent" }
}

/// The tag of a reference: `latest` if it has neither tag nor digest, `None` if it has only a digest or
/// is malformed.
fn tag(image: &str) -> Option<&str> {
    if image.len() == 64 && image.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let (named, digest) = match image.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (image, None),
    };
    let last = named.rfind('/').map_or(0, |slash| slash + 1);
    let (name, tag) = match named[last..].find(':') {
        Some(colon) => (&named[..last + colon], Some(&named[last + colon + 1..])),
        None => (named, None),
    };
    let well_formed = is_name(name) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest);
    match (well_formed, tag, digest) {
        (false, ..) => None,
        (true, Some(tag), _) => Some(tag),
        (true, None, Some(_)) => None,
        (true, None, None) => Some("latest"),
    }
}

fn is_name(name: &str) -> bool {
    let path = match name.split_once('/') {
        Some((first, path)) if is_registry(first) => {
            if !is_domain(first) {
                return false;
            }
            path
        }
        _ => name,
    };
    name.len() <= 255 && path.split('/').all(is_path_component)
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

/// Lower-case letters and digits, joined by one `.`, one or two `_`, or any number of `-`.
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
    hex.len() == length && hex.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}
