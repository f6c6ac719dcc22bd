//! A request as a command line.

use crate::cluster::Request;

/// Where `kubectl proxy` and `kubeglass serve` listen.
const SERVER: &str = "http://127.0.0.1:8001";

/// The request as a command of curl.
pub(crate) fn curl(request: &Request) -> String {
    let mut command = "curl".to_owned();
    if request.method != "GET" {
        command.push_str(" -X ");
        command.push_str(&request.method);
    }
    let mut word = |option: &str, text: &str| {
        command.push_str(option);
        command.push_str(" '");
        command.push_str(&text.replace('\'', r"'\''"));
        command.push('\'');
    };
    word("", &[SERVER, &request.target].concat());
    for (name, value) in &request.headers {
        word(" -H", &[name, ": ", value].concat());
    }
    if !request.body.is_empty() {
        word(" --data-binary", &request.body);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_a_shell_would_read() {
        assert_eq!(
            curl(&Request::get("/api/v1/pods?limit=1")),
            "curl 'http://127.0.0.1:8001/api/v1/pods?limit=1' -H 'Accept: application/json'"
        );
        let request = Request { headers: Vec::new(), ..Request::json("PUT", "/x", r#"{"a":"it's"}"#) };
        assert_eq!(
            curl(&request),
            r#"curl -X PUT 'http://127.0.0.1:8001/x' --data-binary '{"a":"it'\''s"}'"#
        );
    }
}
