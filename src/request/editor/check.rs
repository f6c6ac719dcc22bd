//! Trying a body out while it is being written: a dry run against the server in this page that leaves no trace.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>

use apimachinery::target;
use protocol::message::Mode;

use crate::cluster::embedded::Embedded;
use crate::cluster::place::Place;
use crate::cluster::status::{self, Status};
use crate::cluster::{Body, Request, Which};
use crate::model::request::subject::{How, resource};
use crate::request::editor::problems::{self, Problem};
use crate::ui::messages::editor as words;

/// A larger body is not tried out while it is being written, in bytes.
const LARGEST: usize = 1 << 18;

/// Returns the problems that the body of `request` would have, as far as they can be known without sending it. `None`
/// where nothing can be known.
pub(crate) async fn problems(cluster: &Embedded, which: Which, request: &Request) -> Option<Vec<Problem>> {
    let tried = to_try(which, request)?;
    let strict = answer(cluster, &with(&tried, "Strict")).await;
    let lenient = target::split(&request.target)
        .1
        .iter()
        .all(|param| *param != ("fieldValidation".into(), "Strict".into()));
    let mut found = told(strict.as_ref(), which);
    if strict.as_ref().is_some_and(problems::is_strict) {
        // Strictness comes first: what else is wrong is told only without it.
        if lenient {
            found.iter_mut().for_each(|problem| problem.severity = "warning");
        }
        found.extend(told(answer(cluster, &with(&tried, "Ignore")).await.as_ref(), which));
    }
    Some(found)
}

/// The problems of an answer. Of another cluster, only what does not depend on what is in it.
fn told(status: Option<&Status>, which: Which) -> Vec<Problem> {
    let counts = |status: &&Status| which == Which::ThisTab || status.code == 400;
    status.filter(counts).map(|status| problems::of(status, words::BY_TRIAL)).unwrap_or_default()
}

/// The request to try. Of what goes to another cluster only the body counts, as if it were a new object here.
fn to_try(which: Which, request: &Request) -> Option<Request> {
    let method = request.method.as_str();
    let path = target::split(&request.target).0;
    let place = Place::of(&path)?;
    if !["POST", "PUT", "PATCH"].contains(&method)
        || request.body.trim().is_empty()
        || request.body.len() > LARGEST
    {
        return None;
    }
    let mut tried = request.clone();
    tried.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Accept"));
    if which == Which::ThisTab {
        return Some(tried);
    }
    let known = resource(place)?;
    let part = known.subresource(place.subresource);
    if !place.subresource.is_empty() && part.is_none_or(|part| part.ty() != known.ty())
        || !known.allows("create")
    {
        return None;
    }
    let media = tried.headers.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case("Content-Type"))?;
    media.1 = match How::of(&media.1) {
        How::Whole => media.1.clone(),
        How::Apply => "application/yaml".to_owned(),
        How::Merge => "application/json".to_owned(),
        // What these say besides fields would be taken for fields.
        How::Operations | How::Strategic => return None,
    };
    tried.method = "POST".to_owned();
    tried.target = place.collection();
    Some(tried)
}

/// The request with this validation of fields, and nothing but.
fn with(request: &Request, validation: &str) -> Request {
    let changes = [("dryRun", Some("All")), ("fieldValidation", Some(validation))];
    Request { target: target::with(&request.target, &changes), ..request.clone() }
}

/// The failure that it is answered with.
async fn answer(cluster: &Embedded, request: &Request) -> Option<Status> {
    match cluster.ask(Mode::DryRun, request).await.ok()?.body {
        Body::Bytes(body) => status::failure(&body),
        Body::Stream(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::embedded::in_process::InProcess;

    /// The paths and severities of what is wrong.
    #[track_caller]
    fn check(which: Which, line: &str, body: &str, expected: Option<&[(&str, &str)]>) {
        let (method, target) = line.split_once(' ').unwrap();
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let inspect = cluster.server.inspect();
        let before = (inspect.overview(), inspect.served(0, usize::MAX));
        let mut request = Request::json(method, target, body);
        if method == "PATCH" {
            request.headers[1].1 = "application/merge-patch+json".to_owned();
        }
        let found = futures::executor::block_on(problems(&cluster, which, &request));
        let found = found.map(|problems| {
            problems.iter().map(|problem| (problem.path.join("/"), problem.severity)).collect::<Vec<_>>()
        });
        let expected = expected.map(|all| {
            all.iter().map(|(path, severity)| ((*path).to_owned(), *severity)).collect::<Vec<_>>()
        });
        assert_eq!(found, expected, "{line} {body}");
        assert_eq!((inspect.overview(), inspect.served(0, usize::MAX)), before, "it leaves no trace");
    }

    const CONFIGMAPS: &str = "POST /api/v1/namespaces/default/configmaps";

    #[test]
    fn tells_what_is_wrong_and_leaves_no_trace() {
        let here = Which::ThisTab;
        check(here, CONFIGMAPS, r#"{"metadata":{"name":"a"}}"#, Some(&[]));
        check(
            here,
            CONFIGMAPS,
            r#"{"metadata":{"name":"A_"},"dat":{}}"#,
            Some(&[("dat", "warning"), ("metadata/name", "error")]),
        );
        check(
            here,
            &[CONFIGMAPS, "?fieldValidation=Strict"].concat(),
            r#"{"metadata":{"name":"a"},"dat":{}}"#,
            Some(&[("dat", "error")]),
        );
        check(here, CONFIGMAPS, r#"{"metadata":{"name":"a"},"data":{"x":1}}"#, Some(&[("data", "error")]));
        check(
            here,
            "PATCH /api/v1/namespaces/default",
            r#"{"metadata":{"labels":{"a":"-"}}}"#,
            Some(&[("metadata/labels", "error")]),
        );
        check(here, CONFIGMAPS, "", None);
        check(here, "DELETE /api/v1/namespaces/default", "{}", None);
        check(here, "POST /version", "{}", None);
    }

    #[test]
    fn of_another_cluster_only_the_form_is_checked() {
        let there = Which::Remote;
        let absent = "POST /api/v1/namespaces/absent/configmaps";
        check(there, absent, r#"{"metadata":{"name":"A_"}}"#, Some(&[]));
        check(there, absent, r#"{"metadata":{"name":"A_"},"dat":{}}"#, Some(&[("dat", "warning")]));
        check(
            there,
            "PATCH /api/v1/namespaces/absent/pods/a",
            r#"{"spec":{"x":1}}"#,
            Some(&[("spec/x", "warning")]),
        );
        check(there, "PUT /apis/apps/v1/namespaces/a/deployments/b/scale", "{}", None);
        check(there, "POST /apis/example.com/v1/widgets", "{}", None);
    }
}
