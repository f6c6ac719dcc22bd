//! Exchanges as documentation writes them: a request line, headers, perhaps a body, perhaps `---` and the response.

/// The methods that a request line begins with.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// The pseudo header by which older documents write a body.
const DATA: &str = "Data";

/// An exchange as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body as it is written; may be prose. Empty where there is none.
    pub body: String,
    /// The response, if it is documented.
    pub documented: Option<Documented>,
}

/// A response as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documented {
    /// The status code; `None` where only a body is written.
    pub status: Option<u16>,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body as it is written, with ellipses and comments; may be prose. Empty where there is none.
    pub body: String,
}

/// Reads a block; `None` if it does not begin with a request line.
pub fn read(text: &str) -> Option<Vec<Exchange>> {
    let mut lines = Lines::of(text);
    lines.skip_blank();
    let mut exchanges = Vec::new();
    while let Some((method, target)) = lines.peek().and_then(request_line) {
        let (method, target) = (method.to_owned(), target.to_owned());
        lines.next();
        let (mut headers, mut body) = (lines.headers(), Vec::new());
        if let Some(at) = headers.iter().position(|(name, _)| name == DATA) {
            body.push(headers.remove(at).1);
        }
        lines.skip_blank();
        // Some write it behind an empty line.
        let data = lines.peek().and_then(header).filter(|(name, _)| *name == DATA);
        if let Some((_, value)) = data {
            body.push(value.to_owned());
            lines.next();
        }
        while let Some(line) = lines.peek() {
            let ends = request_line(line).is_some()
                || is_separator(line) && lines.status_follows()
                || body.is_empty() && status_line(line).is_some();
            if ends {
                break;
            }
            body.push(line.to_owned());
            lines.next();
        }
        if lines.peek().is_some_and(is_separator) {
            lines.next();
            lines.skip_blank();
        }
        let documented = lines.documented();
        let body = body.join("\n").trim_end().to_owned();
        exchanges.push(Exchange { method, target, headers, body, documented });
        lines.skip_blank();
    }
    (!exchanges.is_empty()).then_some(exchanges)
}

/// Reads a block that is a response alone; `None` if it does not begin with a status line.
pub fn response(text: &str) -> Option<Documented> {
    let mut lines = Lines::of(text);
    lines.skip_blank();
    lines.documented()
}

/// Reads what `curl -v` prints: the response behind `<`, and then the body.
pub fn verbose(output: &str) -> Option<Documented> {
    let told = |line: &&str| line.starts_with('<') || !line.starts_with(['>', '*', '<']);
    let lines = output.lines().map(str::trim_end).skip_while(|line| !line.starts_with('<')).filter(told);
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix('<').map_or(line, str::trim_start)).collect();
    response(&lines.join("\n"))
}

/// Returns method and target of a request line.
pub fn request_line(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    let version = words.next().is_none_or(|word| word.starts_with("HTTP/"));
    let known = METHODS.contains(&method) && version && words.next().is_none();
    let target = match target.split_once("://") {
        Some(("http" | "https", rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        _ => target,
    };
    (known && target.starts_with('/')).then_some((method, target))
}

/// Returns the code of a status line: `200 OK`, `HTTP/1.1 404 Not Found`.
pub fn status_line(line: &str) -> Option<u16> {
    let line = line.trim();
    let rest = match line.strip_prefix("HTTP/") {
        Some(rest) => rest.split_once(' ')?.1.trim_start(),
        None => line,
    };
    let (code, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_reason = words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || "-'".contains(c));
    let code: u16 = code.parse().ok().filter(|code| (100..600).contains(code))?;
    (is_reason && (!words.is_empty() || line.starts_with("HTTP/"))).then_some(code)
}

/// Returns name and value of a header, if a line is one.
fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    // `apiVersion: v1` begins a body.
    let is_header = is_name && (name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('-'));
    is_header.then_some((name, value.trim()))
}

fn is_separator(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The lines of a block, without the indent that all of them have.
struct Lines<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        Self { lines: dedent(text), at: 0 }
    }

    fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) {
        self.at += 1;
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.next();
        }
    }

    fn headers(&mut self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        while let Some((name, value)) = self.peek().and_then(header) {
            headers.push((name.to_owned(), value.to_owned()));
            self.next();
        }
        headers
    }

    /// Returns whether the next line that says something is a status line.
    fn status_follows(&self) -> bool {
        let mut rest = self.lines.iter().skip(self.at + 1).filter(|line| !line.trim().is_empty());
        rest.next().is_some_and(|line| status_line(line).is_some())
    }

    fn documented(&mut self) -> Option<Documented> {
        let status = self.peek().and_then(status_line)?;
        self.next();
        let headers = self.headers();
        let begin = self.at;
        while self.peek().is_some_and(|line| request_line(line).is_none()) {
            self.next();
        }
        let body = self.lines.get(begin..self.at).unwrap_or_default().join("\n");
        Some(Documented {
            status: Some(status),
            headers,
            body: body.trim_matches('\n').trim_end().to_owned(),
        })
    }
}

/// Returns the lines of a text without the indent that all of them have.
pub(crate) fn dedent(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| line.get(least..).unwrap_or_default().trim_end_matches('\r')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Method, target, headers and body of a request; status, headers and body of its response.
    type Told<'t> = (&'t str, &'t str, usize, &'t str, Option<(u16, usize, &'t str)>);

    #[track_caller]
    fn check(text: &str, expected: &[Told<'_>]) {
        let read = read(text).unwrap_or_default();
        let told = |exchange: &Exchange| {
            let documented = exchange.documented.clone().map(|documented| {
                (documented.status.unwrap_or_default(), documented.headers.len(), documented.body)
            });
            let Exchange { method, target, headers, body, .. } = exchange.clone();
            (method, target, headers.len(), body, documented)
        };
        let expected: Vec<_> = expected
            .iter()
            .map(|(method, target, headers, body, documented)| {
                let documented = documented.map(|(status, headers, body)| (status, headers, body.to_owned()));
                ((*method).to_owned(), (*target).to_owned(), *headers, (*body).to_owned(), documented)
            })
            .collect();
        assert_eq!(read.iter().map(told).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn requests_with_and_without_responses() {
        check("GET /api/v1/pods\n", &[("GET", "/api/v1/pods", 0, "", None)]);
        check(
            "   GET /api/v1/pods?limit=500\n   ---\n   200 OK\n   Content-Type: application/json\n\n   {\n     \"a\": 1\n   }\n",
            &[("GET", "/api/v1/pods?limit=500", 0, "", Some((200, 1, "{\n  \"a\": 1\n}")))],
        );
        check(
            "GET /a\nAccept: application/json\n---\n200 OK\nContent-Type: application/json\n{\"a\": 1}",
            &[("GET", "/a", 1, "", Some((200, 1, "{\"a\": 1}")))],
        );
        check("GET /a HTTP/1.1\n\nHTTP/1.1 404 Not Found\n", &[("GET", "/a", 0, "", Some((404, 0, "")))]);
    }

    #[test]
    fn bodies() {
        check(
            "POST /p\nContent-Type: application/json\n… JSON encoded Pod object",
            &[("POST", "/p", 1, "… JSON encoded Pod object", None)],
        );
        check(
            "POST /p\nAccept: application/json\n\napiVersion: v1\nkind: Pod\n---\nkind: X\n---\n201 Created",
            &[("POST", "/p", 1, "apiVersion: v1\nkind: Pod\n---\nkind: X", Some((201, 0, "")))],
        );
        check("PUT /p\napiVersion: v1\nkind: Pod", &[("PUT", "/p", 0, "apiVersion: v1\nkind: Pod", None)]);
    }

    #[test]
    fn several_in_one_block() {
        check(
            "PATCH /a\nContent-Type: application/merge-patch+json\nData: {\"a\": 1}\nPATCH /b\nData: [1]\n",
            &[("PATCH", "/a", 1, "{\"a\": 1}", None), ("PATCH", "/b", 0, "[1]", None)],
        );
        check(
            "GET /a\n---\n200 OK\n\n{}\n\nGET /b\n",
            &[("GET", "/a", 0, "", Some((200, 0, "{}"))), ("GET", "/b", 0, "", None)],
        );
    }

    #[test]
    fn what_is_none() {
        for text in ["", "GET", "GET Foo", "GET /a - return the collection", "get /a", "hello", "200 OK"] {
            check(text, &[]);
        }
        assert_eq!(status_line("200 OK"), Some(200));
        assert_eq!(status_line("HTTP/2 406"), Some(406));
        for line in ["200", "1 pod", "200 pods: a", "700 X", "404:"] {
            assert_eq!(status_line(line), None, "{line}");
        }
        assert_eq!(response("200 OK\nA: b\n\nx").map(|told| told.body), Some("x".to_owned()));
    }

    #[test]
    fn verbose_output_of_curl() {
        let output = "> GET /a HTTP/1.1\n> Host: x\n>\n\n< HTTP/1.1 404 Not Found\n< Content-Type: application/json\n<\n{\n  \"a\": 1\n}";
        let told = verbose(output).unwrap_or_default();
        assert_eq!((told.status, told.headers.len(), &*told.body), (Some(404), 1, "{\n  \"a\": 1\n}"));
    }
}
