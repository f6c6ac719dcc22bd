//! A request as a command for a shell.

use crate::cluster::Request;

/// Where `kubectl proxy` and `kubeglass serve` listen.
const SERVER: &str = "http://127.0.0.1:8001";

/// The command that sends `request`.
pub(crate) fn curl(request: &Request) -> String {
    let mut command = "curl ".to_owned();
    if request.watches() {
        command.push_str("--no-buffer ");
    }
    if request.method != "GET" {
        command.push_str("-X ");
        quote(&mut command, &request.method);
        command.push(' ');
    }
    quote(&mut command, &[SERVER, &request.target].concat());
    for (name, value) in &request.headers {
        command.push_str(" -H ");
        quote(&mut command, &[name, ": ", value].concat());
    }
    if !request.body.is_empty() {
        command.push_str(" --data-binary ");
        quote(&mut command, &request.body);
    }
    command
}

/// Between single quotes nothing means anything but the next one.
fn quote(out: &mut String, text: &str) {
    out.push('\'');
    out.push_str(&text.replace('\'', r"'\''"));
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &Request, expected: &str) {
        assert_eq!(curl(request), expected);
    }

    #[test]
    fn commands_are_safe_to_paste() {
        check(
            &Request::get("/api/v1/pods?limit=2&labelSelector=a=b"),
            "curl 'http://127.0.0.1:8001/api/v1/pods?limit=2&labelSelector=a=b' -H 'Accept: application/json'",
        );
        check(
            &Request { headers: Vec::new(), ..Request::get("/api/v1/pods?watch=1") },
            "curl --no-buffer 'http://127.0.0.1:8001/api/v1/pods?watch=1'",
        );
        let body = r#"{"data":{"it's":"$(rm -rf) `x` \\"}}"#;
        let request = Request { headers: Vec::new(), ..Request::json("PUT", "/p", body) };
        check(
            &request,
            r#"curl -X 'PUT' 'http://127.0.0.1:8001/p' --data-binary '{"data":{"it'\''s":"$(rm -rf) `x` \\"}}'"#,
        );
        let evil = Request { method: "A'; rm".to_owned(), headers: Vec::new(), ..Request::get("/'") };
        check(&evil, r"curl -X 'A'\''; rm' 'http://127.0.0.1:8001/'\'''");
    }
}
