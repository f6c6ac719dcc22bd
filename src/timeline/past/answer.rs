//! What a request would have been answered at a revision.

use apiserver::inspect::Inspect;
use bytes::Bytes;

use crate::cluster::trace::{Exchange, Outcome, Reply};
use crate::cluster::{Request, Which};

/// How an answer stands to the revision that the page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is what would have been answered then.
    Then,
    /// It is shown as it came, for it cannot be asked of the past.
    AsItCame,
    /// It is of a cluster that does not tell of its past.
    Untold,
}

/// The exchange as it would have gone at revision `at`, as far as that can be known.
pub(crate) fn then(inspect: &Inspect, exchange: &mut Exchange, at: u64) -> Standing {
    if exchange.cluster == Which::Remote {
        return Standing::Untold;
    }
    let request = &exchange.request;
    let took = match &exchange.outcome {
        Outcome::Answered(reply) if request.method == "GET" && !request.watches() => reply.took,
        _ => return Standing::AsItCame,
    };
    match read(inspect, request, at) {
        // What is passed on to others has no past.
        Some(reply) if reply.status != 405 => {
            exchange.outcome = Outcome::Answered(Reply { took, ..reply });
            Standing::Then
        }
        _ => Standing::AsItCame,
    }
}

fn read(inspect: &Inspect, request: &Request, at: u64) -> Option<Reply> {
    let mut builder = http::Request::builder().method("GET").uri(request.target.as_str());
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let at = at.min(inspect.overview().revision);
    let (parts, body) = inspect.read_at(&builder.body(Bytes::new()).ok()?, at).into_parts();
    let apiserver::Body::Bytes(body) = body else { return None };
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Some(Reply {
        status: parts.status.as_u16(),
        headers: parts.headers.iter().map(header).collect(),
        size: body.len(),
        body: Some(body),
        took: 0.0,
        watch: None,
        served: None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::Transport;
    use crate::cluster::embedded::Embedded;
    use crate::cluster::trace::Origin;

    const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";

    fn exchange(request: Request) -> Exchange {
        let reply = Reply {
            status: 200,
            headers: Vec::new(),
            body: None,
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
        }
    }

    #[test]
    fn reads_the_past() {
        let cluster = Embedded::new(Duration::from_secs(1_800_000_000), 1);
        let inspect = cluster.server.inspect();
        let before = inspect.overview().revision;
        let put = Request::json("POST", CONFIGMAPS, r#"{"metadata":{"name":"a"},"data":{"n":"1"}}"#);
        futures::executor::block_on(cluster.send(put)).unwrap();
        let object = format!("{CONFIGMAPS}/a");
        let check = |request: Request, at: u64, standing: Standing, code: u16, text: &str| {
            let mut exchange = exchange(request);
            assert_eq!(then(&inspect, &mut exchange, at), standing);
            let Outcome::Answered(reply) = exchange.outcome else { panic!() };
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
        let mut remote = Exchange { cluster: Which::Remote, ..exchange(Request::get(&object)) };
        assert_eq!(then(&inspect, &mut remote, before), Standing::Untold);
    }
}
