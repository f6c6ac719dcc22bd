//! A request as a command for a shell.

use apimachinery::target;

use crate::cluster::place::Place;
use crate::cluster::{Request, decided};

/// The address at which `kubectl proxy` and `kubeglass serve` listen.
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

/// How kubectl sends a patch of a media type.
const PATCHES: [(&str, &str); 3] = [
    ("application/merge-patch+json", "merge"),
    ("application/strategic-merge-patch+json", "strategic"),
    ("application/json-patch+json", "json"),
];

/// Returns the command of kubectl that sends `request`; `None` if it has none for it.
pub(crate) fn kubectl(request: &Request) -> Option<String> {
    let (path, params) = target::split(&request.target);
    let media = request.header("Content-Type").unwrap_or_default();
    let mut command = "kubectl ".to_owned();
    let mut word = |words: &[&str]| {
        words.iter().for_each(|word| command.push_str(word));
        command.push(' ');
    };
    let mut text = true;
    match request.method.as_str() {
        "GET" | "DELETE" => {
            // A body says how an object is deleted, and there is no way to give one.
            if request.method == "DELETE" && !request.body.is_empty() {
                return None;
            }
            word(&[&request.method.to_ascii_lowercase(), " --raw"]);
            text = false;
        }
        "POST" => word(&["create --raw"]),
        "PUT" => word(&["replace --raw"]),
        "PATCH" => {
            let place = Place::of(&path).filter(|place| !place.name.is_empty())?;
            let applies = media.starts_with("application/apply-patch");
            if applies {
                word(&["apply --server-side -f -"]);
            } else {
                let (_, kind) = PATCHES.iter().find(|(known, _)| media.starts_with(known))?;
                let dot = if place.group().is_empty() { "" } else { "." };
                let resource = [place.resource, dot, place.group()].concat();
                word(&["patch ", &quoted(&resource), " ", &quoted(place.name), " --type ", kind]);
                word(&["-p ", &quoted(&request.body)]);
            }
            if !place.namespace.is_empty() {
                word(&["-n ", &quoted(place.namespace)]);
            }
            if !place.subresource.is_empty() {
                word(&["--subresource ", &quoted(place.subresource)]);
            }
            for (name, value) in &params {
                match name.as_str() {
                    "fieldManager" => word(&["--field-manager=", &quoted(value)]),
                    "dryRun" => word(&["--dry-run=server"]),
                    "force" if applies && value == "true" => word(&["--force-conflicts"]),
                    _ => return None,
                }
            }
            text = applies;
        }
        _ => return None,
    }
    if request.method != "PATCH" {
        word(&[&quoted(&request.target)]);
        if text {
            word(&["-f -"]);
        }
    }
    for (name, value) in &request.headers {
        if name.eq_ignore_ascii_case(decided::USER) {
            word(&["--as=", &quoted(value)]);
        } else if name.eq_ignore_ascii_case(decided::GROUP) {
            word(&["--as-group=", &quoted(value)]);
        }
    }
    let command = command.trim_end().to_owned();
    // The text may hold any line but the one that ends it.
    let end = ["EOF", "END_OF_BODY"].into_iter().find(|end| request.body.lines().all(|line| line != *end))?;
    Some(if text {
        [&command, " <<'", end, "'\n", request.body.trim_end(), "\n", end, "\n"].concat()
    } else {
        command
    })
}

/// A word as a shell takes it: quoted, unless nothing in it means anything.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    let mut out = String::new();
    quote(&mut out, text);
    out
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

    #[track_caller]
    fn check_kubectl(request: &Request, expected: Option<&str>) {
        assert_eq!(kubectl(request).as_deref(), expected);
    }

    #[test]
    fn kubectl_sends_the_same() {
        let patch = |media: &str, target: &str, body: &str| {
            let headers = vec![("Content-Type".to_owned(), media.to_owned())];
            Request { method: "PATCH".to_owned(), headers, body: body.to_owned(), ..Request::get(target) }
        };
        let as_alice = vec![("Impersonate-User".to_owned(), "alice".to_owned())];
        let delete =
            Request { method: "DELETE".to_owned(), headers: as_alice, ..Request::get("/api/v1/nodes/a") };
        let web = "/apis/apps/v1/namespaces/default/deployments/web";
        for (request, expected) in [
            (
                Request::get("/api/v1/pods?limit=2&labelSelector=a%3Db"),
                Some("kubectl get --raw '/api/v1/pods?limit=2&labelSelector=a%3Db'"),
            ),
            (delete.clone(), Some("kubectl delete --raw /api/v1/nodes/a --as=alice")),
            (Request { body: "{}".to_owned(), ..delete }, None),
            (
                Request::json("POST", "/api/v1/nodes", "{\"it's\": 1}\n"),
                Some("kubectl create --raw /api/v1/nodes -f - <<'EOF'\n{\"it's\": 1}\nEOF\n"),
            ),
            (
                Request::json("PUT", "/api/v1/nodes/a", "a\nEOF\nb"),
                Some("kubectl replace --raw /api/v1/nodes/a -f - <<'END_OF_BODY'\na\nEOF\nb\nEND_OF_BODY\n"),
            ),
            (
                patch("application/merge-patch+json", &format!("{web}/scale?fieldManager=me"), "{\"a\":'1'}"),
                Some(
                    r#"kubectl patch deployments.apps web --type merge -p '{"a":'\''1'\''}' -n default --subresource scale --field-manager=me"#,
                ),
            ),
            (
                patch("application/apply-patch+yaml", &format!("{web}?fieldManager=me&force=true"), "a: 1"),
                Some(
                    "kubectl apply --server-side -f - -n default --field-manager=me --force-conflicts <<'EOF'\na: 1\nEOF\n",
                ),
            ),
            (patch("application/merge-patch+json", "/api/v1/nodes/a?fieldValidation=Strict", "{}"), None),
            (patch("text/plain", web, "{}"), None),
        ] {
            check_kubectl(&request, expected);
        }
    }
}
