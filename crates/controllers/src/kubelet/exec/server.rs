//! Servers: what listens on a port of a container, and what it responds.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/>.

use std::time::Duration;

use golang::time::{date_time, format_duration};
use golang::url::{escape_path, parse_query, path_escape, path_unescape};

use super::files::{Files, resolve};

/// The time for which the example of a liveness probe is alive.
const ALIVE: Duration = Duration::from_secs(10);

/// A server that listens on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Server {
    pub(in super::super) port: u16,
    /// The time since when it listens.
    pub(super) since: Duration,
    pub(super) kind: Kind,
}

/// The kinds of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The files below a directory; where it has no index, perhaps a list of them.
    Files { root: &'static str, lists: bool },
    /// The example of a liveness probe.
    Liveness,
    /// The name of the host.
    Hostname,
    /// Whatever tests of networks ask for.
    Network,
}

/// A request.
pub(in super::super) struct Request<'a> {
    pub(in super::super) method: &'a str,
    /// The path, with the query.
    pub(in super::super) target: &'a str,
}

impl<'a> Request<'a> {
    /// Makes one that asks for something.
    pub(in super::super) fn get(target: &'a str) -> Self {
        Self { method: "GET", target }
    }
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Response {
    pub(in super::super) code: u16,
    pub(in super::super) content_type: &'static str,
    pub(in super::super) location: Option<String>,
    pub(in super::super) body: Vec<u8>,
}

impl Server {
    /// Responds to a request at a time, on a host with a name, from some files.
    pub(in super::super) fn respond(
        &self,
        request: &Request<'_>,
        (host, files): (&str, &Files),
        now: Duration,
    ) -> Response {
        let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
        let alive = now.saturating_sub(self.since);
        match (self.kind, path) {
            (Kind::Files { root, lists }, _) => match request.method {
                "GET" | "HEAD" => file(files, root, path, lists),
                _ => Response::error(405, "Method Not Allowed"),
            },
            (Kind::Liveness, "/healthz") if alive > ALIVE => {
                Response::text(500, &["error: ", &alive.as_secs_f64().to_string()].concat())
            }
            (Kind::Liveness, "/healthz") => Response::text(200, "ok"),
            (Kind::Liveness, "/started") => Response::text(200, &shown(alive)),
            (Kind::Liveness, _) => Response::text(404, "404 page not found\n"),
            (Kind::Hostname, _) | (Kind::Network, "/hostname" | "/hostName") => Response::text(200, host),
            (Kind::Network, "/healthz" | "/readyz") => Response::text(200, ""),
            (Kind::Network, "/echo") => {
                let parameter = |name: &str| {
                    let found = parse_query(query).find(|(own, _)| own == name);
                    found.map(|(_, value)| value).unwrap_or_default()
                };
                let code = parameter("code").parse().ok().filter(|code| (200..600).contains(code));
                Response::text(code.unwrap_or(200), &parameter("msg"))
            }
            (Kind::Network, _) => {
                let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
                Response::text(200, &["NOW: ", &date_time(seconds).replace('T', " "), " +0000 UTC"].concat())
            }
        }
    }
}

impl Response {
    pub(in super::super) fn text(code: u16, text: &str) -> Self {
        let body = text.as_bytes().to_vec();
        Self { code, content_type: "text/plain; charset=utf-8", location: None, body }
    }

    fn html(code: u16, text: &str) -> Self {
        Self { content_type: "text/html", ..Self::text(code, text) }
    }

    fn error(code: u16, reason: &str) -> Self {
        Self::html(code, &format!("<h1>{code} {reason}</h1>\n"))
    }
}

/// Returns a time as Go prints it.
fn shown(time: Duration) -> String {
    format_duration(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

/// Returns the file of a path below a directory, or the index or the list of a directory.
fn file(files: &Files, root: &str, path: &str, lists: bool) -> Response {
    let Ok(path) = path_unescape(path) else { return Response::error(400, "Bad Request") };
    let place = [root, &resolve("", &path)].concat();
    if let Some(bytes) = files.read(&place) {
        return Response {
            content_type: content_type(&place),
            body: bytes.to_vec(),
            ..Response::text(200, "")
        };
    }
    if !files.is_directory(&place) {
        return Response::error(404, "Not Found");
    }
    if !path.ends_with('/') {
        return Response {
            location: Some([&escape_path(&path), "/"].concat()),
            ..Response::error(301, "Moved Permanently")
        };
    }
    match files.read(&[&place, "/index.html"].concat()) {
        Some(bytes) => Response { body: bytes.to_vec(), ..Response::html(200, "") },
        None if lists => {
            let link = |name: &str| {
                let shown = name.replace('&', "&amp;").replace('<', "&lt;");
                ["<li><a href=\"", &path_escape(name), "\">", &shown, "</a></li>\n"].concat()
            };
            let names = files.names(&place).map(link);
            Response::html(200, &["<ul>\n", &names.collect::<String>(), "</ul>\n"].concat())
        }
        None => Response::error(403, "Forbidden"),
    }
}

/// Returns the type of a file, by the end of its name.
fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" | "htm" => "text/html",
        "txt" => "text/plain",
        "json" => "application/json",
        "css" => "text/css",
        "js" => "application/javascript",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the response to a request five seconds, or more, after a server was started: its code, and its text or where it leads to.
    #[track_caller]
    fn check(kind: Kind, request: &str, expected: &str) {
        let mut files = Files::default();
        files.add("/www/index.html", b"home".to_vec());
        files.add("/www/a b.txt", b"text".to_vec());
        files.add("/www/deep/er.json", b"{}".to_vec());
        files.add("/secret", b"secret".to_vec());
        files.add("/www/odd\r\n/<b>&", Vec::new());
        let server = Server { port: 80, since: Duration::from_secs(100), kind };
        let mut words = request.split(' ');
        let request = Request { method: words.next().unwrap(), target: words.next().unwrap() };
        let now = Duration::from_secs(100 + words.next().map_or(5, |seconds| seconds.parse().unwrap()));
        let found = server.respond(&request, ("web-0", &files), now);
        let text = found
            .location
            .clone()
            .unwrap_or_else(|| String::from_utf8_lossy(&found.body).trim_end().to_owned());
        assert_eq!(format!("{} {text}", found.code), expected, "{} {}", request.method, request.target);
    }

    #[test]
    fn files_are_served() {
        let files = |lists| Kind::Files { root: "/www", lists };
        check(files(false), "GET /", "200 home");
        check(files(false), "HEAD /index.html?a=b", "200 home");
        check(files(false), "GET /a%20b.txt", "200 text");
        check(files(false), "GET /../secret", "404 <h1>404 Not Found</h1>");
        check(files(false), "GET /none", "404 <h1>404 Not Found</h1>");
        check(files(false), "GET /%zz", "400 <h1>400 Bad Request</h1>");
        check(files(false), "GET /deep", "301 /deep/");
        check(files(false), "GET /deep/", "403 <h1>403 Forbidden</h1>");
        check(files(true), "GET /deep/", "200 <ul>\n<li><a href=\"er.json\">er.json</a></li>\n</ul>");
        check(files(true), "GET /odd%0d%0a", "301 /odd%0D%0A/");
        check(
            files(true),
            "GET /odd%0d%0a/",
            "200 <ul>\n<li><a href=\"%3Cb%3E&\">&lt;b>&amp;</a></li>\n</ul>",
        );
        check(files(true), "POST /", "405 <h1>405 Method Not Allowed</h1>");
    }

    #[test]
    fn servers_of_tests() {
        check(Kind::Liveness, "GET /healthz", "200 ok");
        check(Kind::Liveness, "GET /healthz 10", "200 ok");
        check(Kind::Liveness, "GET /healthz 12", "500 error: 12");
        check(Kind::Liveness, "GET /started 65", "200 1m5s");
        check(Kind::Liveness, "GET /", "404 404 page not found");
        check(Kind::Hostname, "GET /any", "200 web-0");
        check(Kind::Network, "GET /hostname", "200 web-0");
        check(Kind::Network, "GET /echo?msg=a%20b&code=418", "418 a b");
        check(Kind::Network, "GET /echo?msg=a&code=1000", "200 a");
        check(Kind::Network, "GET /healthz", "200 ");
        check(Kind::Network, "GET /", "200 NOW: 1970-01-01 00:01:45 +0000 UTC");
    }
}
