//! Commands and URLs that are pasted where a path is typed: a line of curl or kubectl becomes the request that it sends.

use apimachinery::target;
use leptos::prelude::*;
use schema::Resource;

use crate::cluster::{Request, catalog, decided};
use crate::model::messages;
use crate::model::request::form::{METHODS, TABLE};
use crate::state::Page;

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";

/// Puts the line that stands where the path is typed into the form, as the request that it is. With `send` it is sent, unless it
/// changes something.
pub(crate) fn take(page: Page, send: bool) {
    let form = page.form;
    let line = form.path.get_untracked();
    let custom = untrack(|| page.custom_rows());
    let request = read(&line, &page.namespace.get_untracked(), catalog::with(&custom));
    let filled = request.is_some();
    match request {
        Some(request) => {
            if request.header(decided::USER).is_some() {
                page.act_as(&request);
            }
            form.fill(&request);
            page.say(&messages::explore::filled(&request.method, &request.target));
        }
        None => form.gather(),
    }
    if send && !(filled && form.method.with_untracked(|method| method != "GET")) {
        page.send_composed();
    }
}

/// Returns the request that a line sends; `None` if it is no such line, or if it does something that a request alone does not.
/// `namespace` is that of a command which names none.
pub(crate) fn read<'r>(
    line: &str,
    namespace: &str,
    resources: impl Iterator<Item = &'r Resource> + Clone,
) -> Option<Request> {
    let line = line.trim().trim_start_matches("$ ").trim_start();
    if let Some(rest) = line.strip_prefix("http://").or_else(|| line.strip_prefix("https://")) {
        return Some(Request::get(rest.find('/').map_or("/", |at| &rest[at..])));
    }
    let words = words(line);
    let (command, arguments) = words.split_first()?;
    match command.as_str() {
        "curl" => curl(arguments),
        "kubectl" => kubectl(arguments, namespace, resources),
        _ => None,
    }
}

/// Splits a line into words, as a shell does. What is pasted into a field has lost its line breaks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let escaped = c == '\\' && chars.peek().is_some_and(|next| "\"\\$`".contains(*next));
                    word.push(if escaped { chars.next().unwrap_or(c) } else { c });
                }
            }
            // The line went on after it.
            '\\' if chars.peek().is_none_or(|next| next.is_whitespace()) => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Takes the value of an option out of `--name=value`, `--name value` or `-nvalue`.
fn value<'w>(word: &'w str, names: &[&str], rest: &mut std::slice::Iter<'w, String>) -> Option<&'w str> {
    names.iter().find_map(|name| {
        let after = word.strip_prefix(name)?;
        match (after.strip_prefix('='), name.starts_with("--")) {
            (Some(value), true) => Some(value),
            _ if after.is_empty() => rest.next().map(String::as_str),
            (_, false) => Some(after),
            (None, true) => None,
        }
    })
}

fn curl(arguments: &[String]) -> Option<Request> {
    let (mut method, mut url, mut headers, mut body) = (None, None, Vec::new(), None::<String>);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if let Some(name) = value(word, &["--request", "-X"], &mut rest) {
            method = Some(name.to_ascii_uppercase());
        } else if let Some(header) = value(word, &["--header", "-H"], &mut rest) {
            headers.extend(
                header.split_once(':').map(|(name, text)| (name.trim().to_owned(), text.trim().to_owned())),
            );
        } else if let Some(json) = value(word, &["--json"], &mut rest) {
            body = Some(json.to_owned());
            headers.push(("Content-Type".to_owned(), JSON.to_owned()));
        } else if let Some(data) =
            value(word, &["--data-raw", "--data-binary", "--data-ascii", "--data", "-d"], &mut rest)
        {
            // A file is not here.
            body = Some(if data.starts_with('@') { String::new() } else { data.to_owned() });
        } else if let Some(text) = value(word, &["--url"], &mut rest) {
            url = Some(text.to_owned());
        } else if value(word, &CURL_TAKES, &mut rest).is_some() {
        } else if !word.starts_with('-') {
            url = Some(word.clone());
        }
    }
    let url = url?;
    let after = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let target = if url.starts_with('/') { &url } else { after.find('/').map_or("/", |at| &after[at..]) };
    let method = method.unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    if !METHODS.contains(&method.as_str()) {
        return None;
    }
    // Whose credentials they are, another server knows.
    headers.retain(|(name, _)| {
        ["Accept", "Content-Type", decided::USER, decided::GROUP]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    });
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Accept")) {
        headers.push(("Accept".to_owned(), JSON.to_owned()));
    }
    Some(Request { method, headers, body: body.unwrap_or_default(), ..Request::get(target) })
}

/// The options of curl with a value that says nothing of the request.
const CURL_TAKES: [&str; 18] = [
    "--cacert",
    "--cert",
    "--key",
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
    "--resolve",
    "--unix-socket",
];

/// The options of kubectl with a value that says nothing of the request.
const KUBECTL_TAKES: [&str; 8] =
    ["--context", "--kubeconfig", "--server", "-s", "--token", "--sort-by", "--request-timeout", "--cluster"];

fn kubectl<'r>(
    arguments: &[String],
    namespace: &str,
    resources: impl Iterator<Item = &'r Resource> + Clone,
) -> Option<Request> {
    let mut namespace = namespace.to_owned();
    let (mut names, mut params, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut accept, mut raw) = (TABLE, None);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word == "-A" || word == "--all-namespaces" {
            namespace.clear();
        } else if word == "-w" || word == "--watch" {
            params.push(("watch".to_owned(), "true".to_owned()));
        } else if let Some(name) = value(word, &["--namespace", "-n"], &mut rest) {
            name.clone_into(&mut namespace);
        } else if let Some(path) = value(word, &["--raw"], &mut rest) {
            raw = Some(path.to_owned());
        } else if let Some(selector) = value(word, &["--selector", "-l"], &mut rest) {
            params.push(("labelSelector".to_owned(), selector.to_owned()));
        } else if let Some(selector) = value(word, &["--field-selector"], &mut rest) {
            params.push(("fieldSelector".to_owned(), selector.to_owned()));
        } else if let Some(user) = value(word, &["--as"], &mut rest) {
            headers.push((decided::USER.to_owned(), user.to_owned()));
        } else if let Some(group) = value(word, &["--as-group"], &mut rest) {
            headers.push((decided::GROUP.to_owned(), group.to_owned()));
        } else if let Some(output) = value(word, &["--output", "-o"], &mut rest) {
            accept = match output {
                "json" => JSON,
                "yaml" => YAML,
                _ => TABLE,
            };
        } else if value(word, &KUBECTL_TAKES, &mut rest).is_some() {
        } else if !word.starts_with('-') {
            names.push(word.as_str());
        }
    }
    let (verb, names) = names.split_first()?;
    let method = match *verb {
        "get" => "GET",
        "delete" => "DELETE",
        "create" if raw.is_some() => "POST",
        "replace" if raw.is_some() => "PUT",
        _ => return None,
    };
    let target = match raw {
        Some(path) => {
            accept = JSON;
            path
        }
        None => {
            let (kind, name) = match names {
                [both] => both.split_once('/').map_or((*both, None), |(kind, name)| (kind, Some(name))),
                [kind, name] => (*kind, Some(*name)),
                _ => return None,
            };
            let resource = named(kind, resources)?;
            let collection = catalog::path(resource, &namespace);
            // A collection is not deleted by naming it alone, and an object is watched by its name.
            let path = match (method, name) {
                ("DELETE", None) if params.iter().all(|(name, _)| !name.ends_with("Selector")) => {
                    return None;
                }
                ("GET", Some(name)) if params.iter().any(|(name, _)| name == "watch") => {
                    params.push(("fieldSelector".to_owned(), ["metadata.name=", name].concat()));
                    collection
                }
                (_, Some(name)) => [&collection, "/", name].concat(),
                _ => collection,
            };
            target::join(&path, &params)
        }
    };
    headers.push(("Accept".to_owned(), if method == "GET" { accept } else { JSON }.to_owned()));
    Some(Request { method: method.to_owned(), headers, ..Request::get(&target) })
}

/// Returns the resource that kubectl means: by its plural or singular name or a short one, perhaps with its group.
fn named<'r>(word: &str, mut resources: impl Iterator<Item = &'r Resource>) -> Option<&'r Resource> {
    let word = word.to_ascii_lowercase();
    resources.find(|resource| {
        let own = |name: &str| {
            name == word || !resource.group.is_empty() && word == [name, ".", &resource.group].concat()
        };
        own(&resource.name)
            || own(&resource.kind.to_ascii_lowercase())
            || resource.short_names.iter().any(|name| own(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line, the method, the target, `Accept`, and the body.
    #[track_caller]
    fn check(line: &str, expected: Option<(&str, &str, &str, &str)>) {
        let request = read(line, "default", catalog::listed());
        let accept = |request: &Request| request.header("Accept").unwrap_or_default().to_owned();
        let got = request.map(|request| (accept(&request), request));
        let got = got.as_ref().map(|(accept, request)| {
            (request.method.as_str(), request.target.as_str(), accept.as_str(), request.body.as_str())
        });
        assert_eq!(got, expected, "{line}");
    }

    #[test]
    fn lines_of_kubectl() {
        let pods = "/api/v1/namespaces/default/pods";
        for (line, method, target, accept) in [
            ("kubectl get pods", "GET", pods, TABLE),
            ("$ kubectl get po -o yaml", "GET", pods, YAML),
            ("kubectl get pod/web-0 -ojson", "GET", "/api/v1/namespaces/default/pods/web-0", JSON),
            (
                "kubectl -n kube-system get cm settings -o=wide",
                "GET",
                "/api/v1/namespaces/kube-system/configmaps/settings",
                TABLE,
            ),
            (
                "kubectl get deployments.apps -A -l 'app in (a, b)'",
                "GET",
                "/apis/apps/v1/deployments?labelSelector=app%20in%20(a,%20b)",
                TABLE,
            ),
            ("kubectl get nodes --watch", "GET", "/api/v1/nodes?watch=true", TABLE),
            (
                "kubectl get cm a -w",
                "GET",
                "/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name=a",
                TABLE,
            ),
            (
                "kubectl delete Secret token --context=kind",
                "DELETE",
                "/api/v1/namespaces/default/secrets/token",
                JSON,
            ),
            (
                "kubectl delete pods -l app=web",
                "DELETE",
                "/api/v1/namespaces/default/pods?labelSelector=app=web",
                JSON,
            ),
            ("kubectl get --raw '/api/v1/pods?limit=2'", "GET", "/api/v1/pods?limit=2", JSON),
        ] {
            check(line, Some((method, target, accept, "")));
        }
        for line in [
            "kubectl",
            "kubectl get",
            "kubectl get nonsense",
            "kubectl delete pods",
            "kubectl apply -f x",
            "kubectl get po a b c",
        ] {
            check(line, None);
        }
        let request = read("kubectl get po --as alice --as-group=dev", "default", catalog::listed());
        let named = |name: &str| request.as_ref().and_then(|request| request.header(name).map(str::to_owned));
        assert_eq!(
            (named(decided::USER).as_deref(), named(decided::GROUP).as_deref()),
            (Some("alice"), Some("dev"))
        );
    }

    #[test]
    fn lines_of_curl_and_urls() {
        check("curl localhost:8001/api/v1/pods?limit=2", Some(("GET", "/api/v1/pods?limit=2", JSON, "")));
        check(
            "curl -sk https://a.b:6443/api -H 'Accept: application/yaml' -H 'Authorization: Bearer x'",
            Some(("GET", "/api", YAML, "")),
        );
        check(
            r#"curl -XPUT http://a/api/v1/nodes/n \  --data '{"it": "\"b\""}'"#,
            Some(("PUT", "/api/v1/nodes/n", JSON, r#"{"it": "\"b\""}"#)),
        );
        check(r#"curl http://a/p --json "{\"a\": 1}""#, Some(("POST", "/p", JSON, r#"{"a": 1}"#)));
        check("curl -I http://a/p -X HEAD", None);
        check("curl", None);
        check("https://example.org:6443/apis/apps/v1?x=y", Some(("GET", "/apis/apps/v1?x=y", JSON, "")));
        check("http://example.org", Some(("GET", "/", JSON, "")));
        for line in ["", "/api/v1/pods", "wget http://a/b", "kubectlget"] {
            check(line, None);
        }
    }

    #[test]
    fn what_is_copied_can_be_pasted() {
        let body = r#"{"data":{"it's":"$(x) `y` \\"}}"#;
        for request in [
            Request::get("/api/v1/pods?limit=2&labelSelector=a=b"),
            Request::json("PUT", "/api/v1/nodes/a", body),
        ] {
            let read = read(&crate::model::request::command::curl(&request), "default", catalog::listed());
            let read = read.map(|read| (read.method, read.target, read.body));
            assert_eq!(read, Some((request.method, request.target, request.body)));
        }
    }
}
