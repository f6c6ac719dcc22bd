//! URLs, read as Go's package `net/url` reads them.
//!
//! See <https://pkg.go.dev/net/url>.

mod escape;

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;

use self::escape::{Part, escape, escaped_path, to_text, unescape};
pub use self::escape::{escape_path, path_escape, path_unescape, query_escape, query_unescape};
use crate::netip::{Addr, parse_addr};
use crate::strconv::quote;

/// The parts of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case, without the colon.
    pub scheme: String,
    /// The text after the scheme, if it has no slash at the front.
    pub opaque: String,
    /// The user before the host.
    pub user: Option<Userinfo>,
    /// The name and the port.
    pub host: String,
    /// The path with `%` before what must be escaped: Go's `URL.EscapedPath`.
    pub path: String,
    /// Is true if a question mark has nothing behind it.
    pub force_query: bool,
    /// The query as it was sent: Go's `URL.RawQuery`.
    pub query: String,
    /// The fragment.
    pub fragment: String,
}

/// A name and perhaps a password, as Go's `url.Userinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Userinfo {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

impl Display for Userinfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.name, Part::User))?;
        match &self.password {
            Some(password) => write!(f, ":{}", escape(password, Part::User)),
            None => Ok(()),
        }
    }
}

impl Url {
    /// Reads a URL, absolute or relative, as Go's `url.Parse` does.
    ///
    /// # Errors
    /// The text of Go's `url.Error`.
    ///
    /// ```
    /// use golang::url::Url;
    ///
    /// let why = Url::parse("https://[::1]x/").unwrap_err();
    /// assert_eq!(why, "parse \"https://[::1]x/\": invalid port \"x\" after host");
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = parse(rest, false).map_err(|why| error(rest, &why))?;
        url.fragment = unescape(fragment, Part::Fragment).map(to_text).map_err(|why| error(text, &why))?;
        Ok(url)
    }

    /// Reads an absolute URL or a path from the root, without a fragment, as Go's `url.ParseRequestURI` does.
    ///
    /// # Errors
    /// The text of Go's `url.Error`.
    pub fn parse_request_uri(text: &str) -> Result<Self, String> {
        parse(text, true).map_err(|why| error(text, &why))
    }

    /// Returns the host without its port, and without the brackets of an IPv6 address, as Go's `URL.Hostname` does.
    pub fn hostname(&self) -> &str {
        let (name, _) = self.split_host();
        name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
    }

    /// Returns the port of the host, as Go's `URL.Port` does.
    pub fn port(&self) -> &str {
        self.split_host().1
    }

    fn split_host(&self) -> (&str, &str) {
        match self.host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
            _ => (&self.host, ""),
        }
    }
}

/// Reads the parameters of a query in their order, as Go's `url.ParseQuery` does. What cannot be read is left out: parts
/// with `;` and wrong escapes.
pub fn parse_query(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter(|part| !part.is_empty() && !part.contains(';')).filter_map(|part| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        Some((query_unescape(key).ok()?, query_unescape(value).ok()?))
    })
}

fn error(text: &str, why: &str) -> String {
    ["parse ", &quote(text), ": ", why].concat()
}

fn parse(text: &str, from_root: bool) -> Result<Url, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && from_root {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        url.path = "*".to_owned();
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    url.force_query = query == Some("");
    url.query = query.unwrap_or_default().to_owned();
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
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
        parse_authority(authority, &mut url)?;
        rest = path;
    }
    let path = unescape(rest, Part::Path)?;
    url.path = escaped_path(rest, &path);
    Ok(url)
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

fn parse_authority(authority: &str, url: &mut Url) -> Result<(), String> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    url.host = parse_host(&url.scheme, host)?;
    let Some(user) = user else { return Ok(()) };
    if !user.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) =
        user.split_once(':').map_or((user, None), |(name, password)| (name, Some(password)));
    let name = unescape(name, Part::User)?;
    let password = password.map(|password| unescape(password, Part::User)).transpose()?;
    url.user = Some(Userinfo { name, password });
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
            return unescape(host, Part::Host).map(to_text);
        }
    }
    let Some(end) = host.rfind(']') else { return Err("missing ']' in host".to_owned()) };
    let (address, port) = (&host[1..end], &host[end + 1..]);
    check_port(port)?;
    let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let mut bytes = unescape(address, Part::Host)?;
    bytes.extend(unescape(zone, Part::Zone)?);
    let address = to_text(bytes);
    match parse_addr(&address) {
        Err(why) => Err(["invalid host: ", &why].concat()),
        Ok(Addr { address: IpAddr::V4(_), .. }) => Err("invalid IP-literal".to_owned()),
        Ok(_) => Ok(format!("[{address}]{port}")),
    }
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
            let url = Url::parse(text).expect(text);
            assert_eq!([&url.scheme, &url.host, url.hostname(), url.port(), &url.path], expected, "{text}");
        }
    }

    #[test]
    fn parameters_are_unescaped() {
        for (query, expected) in [
            ("k1=a&k2=b&k2=c", "k1:a k2:b k2:c"),
            ("key with spaces=value+with%20spaces", "key with spaces:value with spaces"),
            ("", ""),
            ("a;b=1&c&=d&%zz=1", "c: :d"),
            ("a+b=%2B+", "a b:+ "),
        ] {
            let shown: Vec<String> =
                parse_query(query).map(|(key, value)| format!("{key}:{value}")).collect();
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
            assert_eq!(
                Url::parse_request_uri(text).map(|_| ()),
                Err(format!("parse {}: {expected}", quote(text))),
                "{text}"
            );
        }
        assert_eq!(
            Url::parse("http://a/#%zz"),
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
            assert_eq!(Url::parse(a) == Url::parse(b), equal, "{a} {b}");
        }
    }

    #[test]
    fn users_are_printed_as_go_prints_them() {
        for (text, expected) in [
            ("http://a/", None),
            ("http://u@a/", Some("u")),
            ("http://u:@a/", Some("u:")),
            ("http://u%40x:p%3a%2f;@a/", Some("u%40x:p%3A%2F;")),
        ] {
            let url = Url::parse(text).expect(text);
            assert_eq!(url.user.map(|user| user.to_string()).as_deref(), expected, "{text}");
        }
    }
}
