//! Reads a line of curl.

use apimachinery::target;
use json_tree::Value;

use super::shell::{Running, Shell};
use super::{Source, print};
use crate::message::{JSON, Request};

/// A request by curl.
#[derive(Clone, Debug)]
pub struct Curl {
    /// The request; its body is not in it if that comes of a file.
    pub request: Request,
    /// The file that is its body.
    pub(super) sources: Vec<Source>,
}

/// The options with a value that says nothing of the request.
const IGNORED: &[&str] = &[
    "--cacert",
    "--capath",
    "--cert",
    "--cert-type",
    "--key",
    "--key-type",
    "--output",
    "-o",
    "--user-agent",
    "-A",
    "--user",
    "-u",
    "--max-time",
    "-m",
    "--connect-timeout",
    "--write-out",
    "-w",
    "--cookie",
    "-b",
    "--cookie-jar",
    "-c",
    "--resolve",
    "--unix-socket",
    "--retry",
    "--retry-delay",
    "--noproxy",
    "--proxy",
    "-x",
    "-E",
    "--dump-header",
    "-D",
    "--referer",
    "-e",
    "--limit-rate",
    "--oauth2-bearer",
];
/// The options with a value that is the body, or a part of it.
const DATA: &[&str] =
    &["--data", "-d", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json"];
/// The options with a value that is another part of the request.
const READ: &[&str] = &["-X", "--request", "-H", "--header", "--url", "-T", "--upload-file"];
/// The options that need the machine's files.
const FILES: &[&str] = &["-O", "--remote-name", "-F", "--form", "-K", "--config"];
/// The letters of options without a value.
const LETTERS: &str = "skSvgLNifIG#012346n";
const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Splits an option into its name and the value that is attached to it.
fn option(word: &str) -> (String, Option<String>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        };
    }
    let inside = word.trim_start_matches('-');
    let rest = inside.trim_start_matches(|c| LETTERS.contains(c));
    let mut chars = rest.chars();
    match chars.next() {
        None => (String::new(), None),
        Some(letter) => (
            ["-", letter.encode_utf8(&mut [0; 4])].concat(),
            Some(chars.as_str().to_owned()).filter(|rest| !rest.is_empty()),
        ),
    }
}

impl Curl {
    /// Reads the words behind `curl`.
    pub(super) fn read(words: &[String], stdin: Option<&Source>) -> Result<Self, String> {
        let mut line = Line::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if !word.starts_with('-') || word == "-" {
                line.url = Some(word.clone());
                continue;
            }
            let (name, attached) = option(word);
            if !word.starts_with("--") {
                line.letters(word.strip_suffix(attached.as_deref().unwrap_or_default()).unwrap_or(word));
            }
            if FILES.contains(&&*name) {
                return Err(format!("`curl {name}` reads or writes files: there are none here."));
            }
            if [READ, IGNORED, DATA].iter().any(|names| names.contains(&&*name)) {
                let value = attached
                    .or_else(|| rest.next().cloned())
                    .ok_or_else(|| format!("`curl {name}` needs a value."))?;
                line.option(&name, value, stdin)?;
            } else {
                line.switch(&name);
            }
        }
        line.finish()
    }

    /// Begins to send it; `objects` are what is in its file.
    pub(super) fn begin(&self, objects: &[Value]) -> Result<Running, String> {
        let mut request = self.request.clone();
        if !self.sources.is_empty() {
            let object = objects.first().ok_or("The file that is sent is not here.")?;
            request.body = print::json(object).into();
        }
        let mut shell = Shell::default();
        shell.send(request, |shell, reply| shell.text(&reply.text()));
        Ok(Running::new(shell))
    }
}

/// A line, as far as it has been read.
#[derive(Default)]
struct Line {
    method: Option<String>,
    url: Option<String>,
    headers: Vec<(String, String)>,
    /// True if the data is sent as the query.
    query: bool,
    /// The data that stands in the line.
    body: Option<String>,
    /// The files that are sent.
    sources: Vec<Source>,
}

impl Line {
    /// Takes options of one letter that are written as one word.
    fn letters(&mut self, letters: &str) {
        self.query |= letters.contains('G');
        if letters.contains('I') {
            self.method = Some("HEAD".to_owned());
        }
    }

    /// Takes an option without a value.
    fn switch(&mut self, name: &str) {
        match name {
            "--get" => self.query = true,
            "--head" => self.method = Some("HEAD".to_owned()),
            _ => {}
        }
    }

    /// Takes an option with a value.
    fn option(&mut self, name: &str, value: String, stdin: Option<&Source>) -> Result<(), String> {
        match name {
            "-X" | "--request" => self.method = Some(value.to_ascii_uppercase()),
            "-H" | "--header" => self.headers.extend(
                value.split_once(':').map(|(name, text)| (name.trim().to_owned(), text.trim().to_owned())),
            ),
            "--url" => self.url = Some(value),
            "-T" | "--upload-file" => {
                self.method.get_or_insert_with(|| "PUT".to_owned());
                self.sources.push(file(&value, stdin)?);
            }
            _ if DATA.contains(&name) => self.data(name, value, stdin)?,
            _ => {}
        }
        Ok(())
    }

    /// Takes the body, or another part of it.
    fn data(&mut self, name: &str, value: String, stdin: Option<&Source>) -> Result<(), String> {
        if name == "--json" {
            add(&mut self.headers, "Content-Type", JSON);
        }
        let of_file = value.strip_prefix('@').filter(|_| name != "--data-raw" && name != "--data-urlencode");
        let value = match of_file.map(|path| file(path, stdin)).transpose()? {
            Some(Source::Inline(text)) => text,
            Some(source) => {
                self.sources.push(source);
                self.body.get_or_insert_default();
                return Ok(());
            }
            None if name == "--data-urlencode" => encoded(&value),
            None => value,
        };
        self.body = Some(match self.body.take() {
            Some(before) if !before.is_empty() => {
                [before.as_str(), if name == "--json" { "" } else { "&" }, &value].concat()
            }
            _ => value,
        });
        Ok(())
    }

    /// Makes the request.
    fn finish(self) -> Result<Curl, String> {
        let Self { method, url, mut headers, query, mut body, sources } = self;
        let url = url.ok_or("`curl` needs a URL.")?;
        let has_body = body.is_some() || !sources.is_empty();
        let mut target = path(&url);
        if let (true, Some(data)) = (query, body.take_if(|_| query)) {
            target = [target.as_str(), if target.contains('?') { "&" } else { "?" }, &data].concat();
        }
        let method = method.unwrap_or_else(|| if has_body && !query { "POST" } else { "GET" }.to_owned());
        if !METHODS.contains(&&*method) {
            return Err(format!("`{method}` is no method of HTTP."));
        }
        // Whose credentials they are, another server knows.
        headers.retain(|(name, text)| {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            !(is("Authorization") || is("Accept") && text == "*/*")
        });
        add(&mut headers, "Accept", JSON);
        if has_body && !query {
            add(&mut headers, "Content-Type", "application/x-www-form-urlencoded");
        }
        let request = Request { method, target, headers, body: body.unwrap_or_default().into() };
        Ok(Curl { request, sources })
    }
}

/// Adds a header unless it is there.
fn add(headers: &mut Vec<(String, String)>, name: &str, value: &str) {
    if !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
        headers.push((name.to_owned(), value.to_owned()));
    }
}

fn file(path: &str, stdin: Option<&Source>) -> Result<Source, String> {
    match path {
        "-" => stdin.cloned().ok_or_else(|| "It reads what is typed: nothing is typed here.".to_owned()),
        path => Ok(Source::File(path.to_owned())),
    }
}

/// Encodes the value of `name=value`, as `--data-urlencode` does.
fn encoded(value: &str) -> String {
    match value.split_once('=') {
        Some((name, value)) => {
            let pair = [(name.to_owned(), value.to_owned())];
            target::join("", &pair).trim_start_matches(['?', '=']).to_owned()
        }
        None => target::segment(value),
    }
}

/// Returns path and query of a URL, whose host may be missing or stand in a variable.
fn path(url: &str) -> String {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest);
    let at = after.find(['/', '?']);
    let path = if url.starts_with('/') { url } else { at.and_then(|at| after.get(at..)).unwrap_or("/") };
    let path = path.split('#').next().unwrap_or_default().replace(' ', "%20").replace('"', "%22");
    if path.starts_with('?') { ["/", &path].concat() } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, method: &str, target: &str, accept: &str, body: &str) {
        let words: Vec<String> =
            super::super::words::pipelines(line).unwrap().remove(0).parts.remove(0).words;
        let request = Curl::read(&words[1..], None).unwrap().request;
        let got = (
            &*request.method,
            &*request.target,
            request.header("Accept").unwrap_or_default(),
            &*request.body,
        );
        assert_eq!(got, (method, target, accept, body.as_bytes()), "{line}");
    }

    #[test]
    fn lines_are_read() {
        check("curl localhost:8001/api/v1/pods?limit=2", "GET", "/api/v1/pods?limit=2", JSON, "");
        check(
            "curl -sk https://a.b:6443/api -H 'Accept: application/yaml' -H 'Authorization: Bearer x'",
            "GET",
            "/api",
            "application/yaml",
            "",
        );
        check("curl -XPUT http://a/b --data '{\"it\": 1}'", "PUT", "/b", JSON, "{\"it\": 1}");
        check("curl http://a/p --json \"{\\\"a\\\": 1}\"", "POST", "/p", JSON, "{\"a\": 1}");
        check(
            "curl $APISERVER/api --header \"Authorization: Bearer $TOKEN\" --insecure",
            "GET",
            "/api",
            JSON,
            "",
        );
        check(
            "curl -G http://a/p --data-urlencode 'labelSelector=a in (b)' -d limit=1",
            "GET",
            "/p?labelSelector=a%20in%20(b)&limit=1",
            JSON,
            "",
        );
        check("curl -X DELETE /api/v1/nodes/x -v -H 'Accept: */*'", "DELETE", "/api/v1/nodes/x", JSON, "");
        check("curl http://a", "GET", "/", JSON, "");
        check("curl -sSL -o /dev/null 'http://a/b c'", "GET", "/b%20c", JSON, "");
        check("curl -kvX POST http://a/b -d x", "POST", "/b", JSON, "x");
    }

    #[test]
    fn files_are_sources() {
        let words = ["-d".to_owned(), "@a.yaml".to_owned(), "http://a/b".to_owned()];
        let curl = Curl::read(&words, None).unwrap();
        assert_eq!((curl.sources, &*curl.request.method), (vec![Source::File("a.yaml".to_owned())], "POST"));
        for words in [&["-O", "http://a"][..], &["-X"], &[], &["-X", "BREW", "a"], &["-d", "@-", "a"]] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert!(Curl::read(&words, None).is_err(), "{words:?}");
        }
    }
}
