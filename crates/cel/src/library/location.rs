//! URLs, read as Go's `net/url` reads them.

use schema::go::quote;

use super::address::literal_complaint;

/// The parts of a URL, as they are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Location {
    /// In lower case, without the colon.
    pub(super) scheme: String,
    /// What follows the scheme, if it has no slash.
    opaque: String,
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// The name and the port.
    pub(super) host: String,
    /// With `%` before what must be escaped.
    pub(super) path: String,
    empty_query: bool,
    query: String,
    fragment: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    User,
    Host,
    Zone,
    Query,
    Fragment,
}

/// A whole URL or a path from the root, as the `uri` format of schemas has it: a fragment is not known.
pub(super) fn check(text: &str) -> Result<(), String> {
    parse(text, true).map(|_| ()).map_err(|why| format!("parse {}: {why}", quote(text)))
}

impl Location {
    /// Reads what [`check`] says is a URL, with its fragment.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        check(text)?;
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut location = parse(rest, false).map_err(|why| format!("parse {}: {why}", quote(rest)))?;
        location.fragment =
            unescape(fragment, Part::Fragment).map_err(|why| format!("parse {}: {why}", quote(text)))?;
        Ok(location)
    }

    /// The host without its port, and without the brackets of an address of IPv6.
    pub(super) fn hostname(&self) -> &str {
        let (name, _) = self.split_host();
        name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
    }

    /// The port of the host.
    pub(super) fn port(&self) -> &str {
        self.split_host().1
    }

    fn split_host(&self) -> (&str, &str) {
        match self.host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
            _ => (&self.host, ""),
        }
    }

    /// The parameters, with all values that each has.
    pub(super) fn parameters(&self) -> Vec<(String, Vec<String>)> {
        let mut parameters: Vec<(String, Vec<String>)> = Vec::new();
        for parameter in
            self.query.split('&').filter(|parameter| !parameter.is_empty() && !parameter.contains(';'))
        {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let (Ok(key), Ok(value)) = (unescape(key, Part::Query), unescape(value, Part::Query)) else {
                continue;
            };
            let (key, value) = (to_text(&key), to_text(&value));
            match parameters.iter_mut().find(|(own, _)| *own == key) {
                Some((_, values)) => values.push(value),
                None => parameters.push((key, vec![value])),
            }
        }
        parameters
    }
}

fn to_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn parse(text: &str, from_root: bool) -> Result<Location, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && from_root {
        return Err("empty url".to_owned());
    }
    let mut location = Location::default();
    if text == "*" {
        location.path = "*".to_owned();
        return Ok(location);
    }
    let (scheme, rest) = split_scheme(text)?;
    location.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    location.empty_query = query == Some("");
    location.query = query.unwrap_or_default().to_owned();
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            location.opaque = rest.to_owned();
            return Ok(location);
        }
        if from_root {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let may_have_host = !scheme.is_empty() || (!from_root && !rest.starts_with("///"));
    if may_have_host && let Some(after) = rest.strip_prefix("//") {
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        parse_authority(authority, &mut location)?;
        rest = path;
    }
    let path = unescape(rest, Part::Path)?;
    // What was escaped without need stays so, if all that need be is.
    location.path = if is_escaped(rest) { rest.to_owned() } else { escape_path(&path) };
    Ok(location)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn parse_authority(authority: &str, location: &mut Location) -> Result<(), String> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    location.host = parse_host(&location.scheme, host)?;
    let Some(user) = user else { return Ok(()) };
    if !user.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) =
        user.split_once(':').map_or((user, None), |(name, password)| (name, Some(password)));
    let name = unescape(name, Part::User)?;
    location.user = Some((name, password.map(|password| unescape(password, Part::User)).transpose()?));
    Ok(())
}

fn check_port(port: &str) -> Result<(), String> {
    let valid = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    if valid { Ok(()) } else { Err(format!("invalid port {} after host", quote(port))) }
}

fn parse_host(scheme: &str, host: &str) -> Result<String, String> {
    match host.rfind('[') {
        Some(0) => {}
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {
            // A list of hosts is known of other schemes only.
            let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
            check_port(colon.map_or("", |at| &host[at..]))?;
            return unescape(host, Part::Host).map(|host| to_text(&host));
        }
    }
    let Some(end) = host.rfind(']') else { return Err("missing ']' in host".to_owned()) };
    let (address, port) = (&host[1..end], &host[end + 1..]);
    check_port(port)?;
    let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let mut bytes = unescape(address, Part::Host)?;
    bytes.extend(unescape(zone, Part::Zone)?);
    let address = to_text(&bytes);
    match literal_complaint(&address) {
        Some(why) => Err(why),
        None => Ok(format!("[{address}]{port}")),
    }
}

/// Whether a byte cannot stand for itself.
fn must_escape(byte: u8, part: Part) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        _ if matches!(part, Part::Host | Part::Zone) => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@' => {
            !matches!(part, Part::Path | Part::Fragment)
        }
        b'?' => part != Part::Fragment,
        b'!' | b'(' | b')' | b'*' => part != Part::Fragment,
        _ => true,
    }
}

fn hex(digit: Option<&u8>) -> Option<u8> {
    char::from(*digit?).to_digit(16).map(|digit| digit as u8)
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let host = matches!(part, Part::Host | Part::Zone);
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let piece = &bytes[at..bytes.len().min(at + 3)];
        match byte {
            b'%' => {
                let invalid = || format!("invalid URL escape {}", quote(&to_text(piece)));
                let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) else {
                    return Err(invalid());
                };
                let value = high << 4 | low;
                let allowed = match part {
                    _ if piece == b"%25" => true,
                    Part::Host => high >= 8,
                    Part::Zone => value == b' ' || !must_escape(value, Part::Host),
                    _ => true,
                };
                if !allowed {
                    return Err(invalid());
                }
                plain.push(value);
                at += 3;
                continue;
            }
            b'+' if part == Part::Query => plain.push(b' '),
            _ if host && byte < 0x80 && must_escape(byte, part) => {
                return Err(format!("invalid character {} in host name", quote(&to_text(&[byte]))));
            }
            _ => plain.push(byte),
        }
        at += 1;
    }
    Ok(plain)
}

fn is_escaped(path: &str) -> bool {
    path.bytes().all(|b| b"!$&'()*+,;=:@[]%".contains(&b) || !must_escape(b, Part::Path))
}

fn escape_path(path: &[u8]) -> String {
    if path == b"*" {
        return "*".to_owned();
    }
    let mut escaped = String::with_capacity(path.len());
    for byte in path {
        if must_escape(*byte, Part::Path) {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        } else {
            escaped.push(char::from(*byte));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_parts() {
        // scheme, host, hostname, port, path
        for (text, expected) in [
            (
                "https://user:pass@example.com:80/path?query=val#fragment",
                ["https", "example.com:80", "example.com", "80", "/path"],
            ),
            ("/absolute-path", ["", "", "", "", "/absolute-path"]),
            ("HTTP://[::1]:80/", ["http", "[::1]:80", "::1", "80", "/"]),
            ("https://[::1]/", ["https", "[::1]", "::1", "", "/"]),
            ("https://[fe80::1%25en0]:8/", ["https", "[fe80::1%en0]:8", "fe80::1%en0", "8", "/"]),
            (
                "https://example.com/path with spaces/",
                ["https", "example.com", "example.com", "", "/path%20with%20spaces/"],
            ),
            ("https://example.com/a%2fb!", ["https", "example.com", "example.com", "", "/a%2fb!"]),
            ("https://example.com/é", ["https", "example.com", "example.com", "", "/%C3%A9"]),
            ("https://example.com", ["https", "example.com", "example.com", "", ""]),
            ("https://example.com:/", ["https", "example.com:", "example.com", "", "/"]),
            ("mailto:a@b.c", ["mailto", "", "", "", ""]),
            ("postgres://a:1,b:2/", ["postgres", "a:1,b:2", "a:1,b", "2", "/"]),
            ("https:://kubernetes.io/", ["https", "", "", "", ""]),
            ("*", ["", "", "", "", "*"]),
        ] {
            let url = Location::parse(text).expect(text);
            assert_eq!([&url.scheme, &url.host, url.hostname(), url.port(), &url.path], expected, "{text}");
        }
    }

    #[test]
    fn parameters_are_unescaped() {
        for (query, expected) in [
            ("k1=a&k2=b&k2=c", "k1:a k2:b,c"),
            ("key with spaces=value+with%20spaces", "key with spaces:value with spaces"),
            ("", ""),
            ("a;b=1&c&=d&%zz=1", "c: :d"),
        ] {
            let url = Location::parse(&format!("https://example.com/path?{query}")).expect(query);
            let shown: Vec<String> = url
                .parameters()
                .into_iter()
                .map(|(key, values)| format!("{key}:{}", values.join(",")))
                .collect();
            assert_eq!(shown.join(" "), expected, "{query}");
        }
    }

    #[test]
    fn what_is_no_url_is_explained_as_go_does() {
        for (text, expected) in [
            ("", "empty url"),
            ("../relative-path", "invalid URI for request"),
            ("a b", "invalid URI for request"),
            (":foo", "missing protocol scheme"),
            ("http://a\nb", "net/url: invalid control character in URL"),
            ("https://a:b:c/", "invalid port \":b:c\" after host"),
            ("ftp://a:b:c/", "invalid port \":c\" after host"),
            ("http://::1/", "invalid port \"::1\" after host"),
            ("http://[::1", "missing ']' in host"),
            ("http://[::1]x/", "invalid port \"x\" after host"),
            ("http://a[::1]/", "invalid IP-literal"),
            ("http://[1.2.3.4]/", "invalid IP-literal"),
            ("http://[foo]/", "invalid host: ParseAddr(\"foo\"): unable to parse IP"),
            ("http://a b/", "invalid character \" \" in host name"),
            ("http://a%41/", "invalid URL escape \"%41\""),
            ("http://a/%zz", "invalid URL escape \"%zz\""),
            ("http://a/%a", "invalid URL escape \"%a\""),
            ("http://é é@a/", "net/url: invalid userinfo"),
        ] {
            assert_eq!(check(text), Err(format!("parse {}: {expected}", quote(text))), "{text}");
            assert!(Location::parse(text).is_err());
        }
        assert_eq!(
            Location::parse("http://a/#%zz"),
            Err("parse \"http://a/#%zz\": invalid URL escape \"%zz\"".to_owned())
        );
    }

    #[test]
    fn urls_are_equal_if_they_print_alike() {
        for (a, b, equal) in [
            ("HTTP://a/", "http://a/", true),
            ("http://a/b", "http://a/b?", false),
            ("http://a/b c", "http://a/b%20c", true),
            ("http://a/b?c", "http://a/b?c", true),
            ("http://a/b#c", "http://a/b", false),
            ("http://u@a/b", "http://u:@a/b", false),
        ] {
            assert_eq!(Location::parse(a) == Location::parse(b), equal, "{a} {b}");
        }
    }
}
