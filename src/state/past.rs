//! The response that a request would have had at a revision.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::message::Mode;

use crate::cluster::embedded::Embedded;
use crate::cluster::trace::{Exchange, Outcome, Reply};
use crate::cluster::{Body, Request, Which};
use crate::model::past::Standing;
use crate::state::Page;

/// Returns the exchange as it would have gone at revision `at`, if that is known by now, and how it stands to that; if
/// not, it is found out, and whoever asks is told.
pub(crate) fn known(page: Page, exchange: &Exchange, at: u64) -> (Exchange, Option<Standing>) {
    let mut exchange = exchange.clone();
    if matches!(exchange.outcome, Outcome::Pending) {
        return (exchange, None);
    }
    let found = page.change.then.with(|then| {
        let (id, revision, standing, outcome) = then.as_ref()?;
        ((*id, *revision) == (exchange.id, at)).then(|| (*standing, outcome.clone()))
    });
    if let Some((standing, outcome)) = found {
        exchange.outcome = outcome;
        return (exchange, Some(standing));
    }
    let (embedded, asked) = (page.embedded(), exchange.clone());
    spawn_local(async move {
        let (standing, outcome) = then(&embedded, &asked, at).await;
        // The page may be gone by then.
        let _ = page.change.then.try_set(Some((asked.id, at, standing, outcome)));
    });
    (exchange, None)
}

/// Finds out how an exchange would have gone at revision `at`, as far as that can be known.
async fn then(cluster: &Embedded, exchange: &Exchange, at: u64) -> (Standing, Outcome) {
    let request = &exchange.request;
    let took = match &exchange.outcome {
        _ if exchange.cluster == Which::Remote => return (Standing::Untold, exchange.outcome.clone()),
        Outcome::Answered(reply) if request.method == "GET" && !request.watches() => reply.took,
        _ => return (Standing::AsItCame, exchange.outcome.clone()),
    };
    match read(cluster, request, at).await {
        // What is passed on to others has no past.
        Some(reply) if reply.status != 405 => (Standing::Then, Outcome::Answered(Reply { took, ..reply })),
        _ => (Standing::AsItCame, exchange.outcome.clone()),
    }
}

async fn read(cluster: &Embedded, request: &Request, at: u64) -> Option<Reply> {
    let answer = cluster.ask(Mode::At(at), request).await.ok()?;
    let content_type = answer.header("Content-Type").unwrap_or_default().to_owned();
    let Body::Bytes(body) = answer.body else { return None };
    let decoded = cluster.decoded(&content_type, &body).await;
    let (status, headers, size) = (answer.status, answer.headers, body.len());
    Some(Reply { status, headers, size, body: Some(body), decoded, took: 0.0, watch: None, served: None })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::Transport;
    use crate::cluster::embedded::in_process::InProcess;
    use crate::cluster::trace::Origin;
    use crate::cluster::webhooks::Calls;

    const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";

    fn exchange(request: Request) -> Exchange {
        let reply = Reply {
            status: 200,
            headers: Vec::new(),
            body: None,
            decoded: None,
            size: 0,
            took: 1.0,
            watch: None,
            served: None,
        };
        Exchange {
            id: 0,
            cluster: Which::ThisTab,
            origin: Origin::User,
            request,
            sent_at: 0.0,
            outcome: Outcome::Answered(reply),
            head: None,
            stream: None,
            access: None,
            webhooks: Calls::default(),
        }
    }

    #[test]
    fn reads_the_past() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let before = cluster.server.inspect().revision();
        let put = Request::json("POST", CONFIGMAPS, r#"{"metadata":{"name":"a"},"data":{"n":"1"}}"#);
        futures::executor::block_on(cluster.send(put)).unwrap();
        let object = format!("{CONFIGMAPS}/a");
        let check = |request: Request, at: u64, standing: Standing, code: u16, text: &str| {
            let (found, outcome) = futures::executor::block_on(then(&cluster, &exchange(request), at));
            assert_eq!(found, standing);
            let Outcome::Answered(reply) = outcome else { panic!() };
            assert_eq!((reply.status, reply.took), (code, 1.0));
            let body = String::from_utf8(reply.body.unwrap_or_default().to_vec()).unwrap();
            assert!(body.contains(text), "{body}");
        };
        check(Request::get(&object), before, Standing::Then, 404, "not found");
        check(Request::get(&object), before + 1, Standing::Then, 200, r#""n":"1""#);
        check(Request::get(&object), before + 9, Standing::Then, 200, r#""n":"1""#);
        check(
            Request::get(CONFIGMAPS),
            before,
            Standing::Then,
            200,
            &format!(r#""resourceVersion":"{before}""#),
        );
        check(Request::get(&format!("{CONFIGMAPS}?watch=1")), before, Standing::AsItCame, 200, "");
        check(Request::json("PUT", &object, "{}"), before, Standing::AsItCame, 200, "");
        let remote = Exchange { cluster: Which::Remote, ..exchange(Request::get(&object)) };
        let (found, _) = futures::executor::block_on(then(&cluster, &remote, before));
        assert_eq!(found, Standing::Untold);
    }
}
