//! URIs as Go's `net/url` takes them in a request: absolute, or a path.

/// Whether `text` is an absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) || text.is_empty() {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = scheme(text) else { return false };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) if !scheme.is_empty() => {
            let end = rest.find('/').unwrap_or(rest.len());
            if !is_authority(&rest[..end]) {
                return false;
            }
            &rest[end..]
        }
        _ => rest,
    };
    escapes(path).is_some()
}

/// The scheme, which may be empty, and what comes after its colon. None if the colon stands first.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' => return (index > 0).then(|| (&text[..index], &text[index + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

/// The bytes that are escaped with `%`; None if an escape is wrong.
fn escapes(text: &str) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    for (index, _) in text.match_indices('%') {
        let digits = text.get(index + 1..index + 3)?;
        if !super::is_hex(digits) {
            return None;
        }
        found.push(u8::from_str_radix(digits, 16).ok()?);
    }
    Some(found)
}

fn is_authority(text: &str) -> bool {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", text),
    };
    let user_valid =
        user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte));
    user_valid && escapes(user).is_some() && is_host(host)
}

fn is_host(text: &str) -> bool {
    let (host, port) = if text.starts_with('[') {
        match text.rfind(']') {
            Some(end) => text.split_at(end + 1),
            None => return false,
        }
    } else {
        text.rfind(':').map_or((text, ""), |colon| text.split_at(colon))
    };
    let port_valid = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let zone = host.find("%25").filter(|_| host.starts_with('['));
    let named = zone.map_or(host, |zone| &host[..zone]);
    port_valid
        && escapes(named).is_some_and(|bytes| bytes.iter().all(|byte| *byte >= 0x80))
        && escapes(host).is_some()
        && named.bytes().all(|byte| {
            byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte)
        })
}
