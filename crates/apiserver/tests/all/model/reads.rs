//! Lists, pages and gets, which may take a while.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use apiserver::Body;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use json_tree::Value;

use super::history::{Object, State};
use super::query::{Query, name_of, namespace_of};
use super::step::{Match, Step, Version};
use super::world::{Checked, World, ensure};
use crate::common::Flag;

/// How long a read waits for what is still to come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// How many calls wait, and how many tokens are kept.
const KEPT: usize = 8;

/// Which state a read is to be of.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// The newest one there is when it is asked.
    Newest(u64),
    /// The cache's, once that is not older.
    NotOlderThan(u64),
    /// That one, once the cache has reached it.
    Exact(u64),
    /// That one, now.
    ExactNow(u64),
    /// The store's newest one.
    Stored,
}

/// The kinds of read requests.
#[derive(Clone, Debug)]
enum Asked {
    /// A page: what is behind a key, and whether it goes on where another page ended.
    Page {
        query: Query,
        after: String,
        limit: usize,
        continues: bool,
    },
    Object {
        key: String,
    },
}

/// A request that has no answer yet.
pub(crate) struct Call {
    future: BoxFuture<'static, Response<Body>>,
    flag: Arc<Flag>,
    path: String,
    server: usize,
    at: Duration,
    wanted: Wanted,
    asked: Asked,
}

/// A list that was read in part, and that can be continued.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    query: Query,
    token: String,
    /// The version of the pages before; `None` if that has expired.
    revision: Option<u64>,
    after: String,
}

impl World {
    /// Does a step that reads.
    pub(crate) fn read(&mut self, step: &Step) -> Checked {
        match step {
            Step::List { server, query, version, matching, limit } => {
                self.list(*server, *query, *version, *matching, *limit)
            }
            Step::Continue { server, number, limit } => {
                let Some(chain) = self.chains.get(number % self.chains.len().max(1)).cloned() else {
                    return Ok(());
                };
                let parameters = chain.query.parameters();
                let path =
                    format!("{}?{parameters}limit={limit}&continue={}", chain.query.path(""), chain.token);
                let wanted = chain.revision.map_or(Wanted::Newest(self.history.head), Wanted::Exact);
                let (query, after) = (chain.query, chain.after);
                self.call(*server, path, wanted, Asked::Page { query, after, limit: *limit, continues: true })
            }
            Step::Get { server, namespace, name, version } => {
                let (namespace, name) = (namespace_of(*namespace), name_of(*name));
                let parameter = self.version(*version).map(|version| format!("?resourceVersion={version}"));
                let wanted = self.version(*version).map_or(Wanted::Stored, Wanted::NotOlderThan);
                let path = format!(
                    "/api/v1/namespaces/{namespace}/configmaps/{name}{}",
                    parameter.unwrap_or_default()
                );
                self.call(*server, path, wanted, Asked::Object { key: format!("{namespace}/{name}") })
            }
            Step::Look { number } if !self.calls.is_empty() => {
                let call = self.calls.remove(number % self.calls.len());
                self.look(call)
            }
            _ => Ok(()),
        }
    }

    /// The number that a version stands for; `None` if it is unset.
    pub(crate) fn version(&self, version: Version) -> Option<u64> {
        match version {
            Version::Unset => None,
            Version::Zero => Some(0),
            Version::Back(back) => Some(self.history.head.saturating_sub(back).max(1)),
            Version::Ahead(ahead) => Some(self.history.head + ahead),
        }
    }

    fn list(
        &mut self,
        server: usize,
        query: Query,
        version: Version,
        matching: Match,
        limit: usize,
    ) -> Checked {
        let mut path = format!("{}?{}limit={limit}", query.path(""), query.parameters());
        let version = self.version(version);
        if let Some(version) = version {
            path.push_str(&format!("&resourceVersion={version}"));
        }
        if matching != Match::Unset {
            path.push_str(&format!("&resourceVersionMatch={matching:?}"));
        }
        let single = query.single().is_some();
        let wanted = match (version, matching) {
            (None, _) => Wanted::Newest(self.history.head),
            (Some(version), Match::Exact) if single => Wanted::ExactNow(version),
            (Some(version), Match::Exact) => Wanted::Exact(version),
            (Some(version), Match::Unset) if version > 0 && limit > 0 && !single => Wanted::Exact(version),
            (Some(version), _) => Wanted::NotOlderThan(version),
        };
        let limit = if version == Some(0) { 0 } else { limit };
        self.call(server, path, wanted, Asked::Page { query, after: String::new(), limit, continues: false })
    }

    fn call(&mut self, server: usize, path: String, wanted: Wanted, asked: Asked) -> Checked {
        if self.calls.len() == KEPT {
            // Whoever asked has gone away.
            self.calls.remove(0);
        }
        let server = self.server(server);
        let api = self.servers[server].api.clone();
        let request = Request::get(path.as_str()).body(Bytes::new()).map_err(|why| why.to_string())?;
        let future = async move { api.call(request).await }.boxed();
        let at = self.now();
        self.look(Call { future, flag: Flag::new(), path, server, at, wanted, asked })
    }

    /// Asks a call for its answer.
    fn look(&mut self, mut call: Call) -> Checked {
        let (floor, woken) = (self.floor, call.flag.take());
        let answer = call.future.as_mut().poll(&mut Context::from_waker(&call.flag.waker()));
        self.observe()?;
        let Poll::Ready(response) = answer else {
            let checked = self.check_pending(&call);
            self.calls.push(call);
            return checked;
        };
        let (code, body) = crate::common::read(&response);
        let checked = if woken {
            self.check_answer(&call, code, &body, floor)
        } else {
            Err("it was answered, but nobody was woken".to_owned())
        };
        checked.map_err(|why| format!("GET {} of server {}: {why}; {code} {body}", call.path, call.server))
    }

    /// Checks that a call may still wait: only for a version that its server's cache has not reached, and not for long.
    fn check_pending(&self, call: &Call) -> Checked {
        let reached = self.servers[call.server].reached;
        let late = self.now() >= call.at + PATIENCE;
        let waits = match call.wanted {
            Wanted::Newest(version) | Wanted::NotOlderThan(version) | Wanted::Exact(version) => {
                reached < version
            }
            Wanted::ExactNow(_) | Wanted::Stored => false,
        };
        ensure!(waits && !late, "GET {} of server {} waits at {reached}", call.path, call.server);
        Ok(())
    }

    fn check_answer(&mut self, call: &Call, code: u16, body: &Value, floor: u64) -> Checked {
        let (reached, head) = (self.servers[call.server].reached, self.history.head);
        let late = self.now() >= call.at + PATIENCE;
        // Which state it must be of; `None`: it must be 504.
        let mut expected = match call.wanted {
            Wanted::Newest(version) if reached >= version => Some(reached),
            Wanted::Newest(_) if late => Some(head),
            Wanted::NotOlderThan(version) if reached >= version => Some(reached),
            Wanted::Exact(version) if reached >= version => Some(version),
            Wanted::ExactNow(version) if head >= version => Some(version),
            Wanted::Stored => Some(head),
            Wanted::ExactNow(_) => None,
            _ => {
                ensure!(late, "it did not wait long enough");
                None
            }
        };
        if let (Wanted::Exact(version) | Wanted::ExactNow(version), Some(_), 410) =
            (call.wanted, expected, code)
        {
            ensure!(version < self.floor, "410, but {version} is kept: compacted was up to {}", self.floor);
            self.seen.expired += 1;
            return self.check_expired(call, body);
        }
        // What was compacted before the call cannot have been read.
        if let Wanted::Exact(version) | Wanted::ExactNow(version) = call.wanted
            && version < floor
        {
            expected = None;
        }
        let Some(version) = expected else {
            ensure!(code == 504, "it must be 504: the cache is at {reached}, the store at {head}");
            self.seen.too_new += 1;
            return Ok(());
        };
        match &call.asked {
            Asked::Object { key } => {
                self.seen.gets += 1;
                let known = self.history.at(version).get(key);
                ensure!(code == if known.is_some() { 200 } else { 404 }, "at {version} it is {known:?}");
                let same = known.is_none_or(|known| known.value == Object::new(body.clone()).value);
                ensure!(same, "at {version} it is {known:?}");
                Ok(())
            }
            Asked::Page { query, after, limit, .. } => {
                ensure!(code == 200, "it must be the state at {version}");
                let own = crate::common::version(body);
                ensure!(own == version, "it is of {own}, and must be of {version}");
                self.seen.lists += 1;
                self.seen.pages += usize::from(!after.is_empty());
                let state = self.history.at(version).clone();
                let next = check_page(&state, (query, after, *limit), body)?;
                if let Some((token, after)) = next {
                    let chain = Chain { query: *query, token, revision: Some(version), after };
                    self.keep(chain);
                }
                Ok(())
            }
        }
    }

    /// A token that has expired comes with one for the present state.
    fn check_expired(&mut self, call: &Call, body: &Value) -> Checked {
        let Asked::Page { query, after, continues, .. } = &call.asked else {
            return Err("an object cannot expire".to_owned());
        };
        let token = body["metadata"]["continue"].as_str();
        ensure!(token.is_some() == *continues, "410 with the token {token:?}");
        if let Some(token) = token {
            self.keep(Chain { query: *query, token: token.to_owned(), revision: None, after: after.clone() });
        }
        Ok(())
    }

    fn keep(&mut self, chain: Chain) {
        // A selector of one namespace narrows the first page only, so that its token leads elsewhere.
        if matches!(chain.query.field, super::query::Field::Namespace(_)) && chain.query.namespace.is_none() {
            return;
        }
        if self.chains.len() == KEPT {
            self.chains.remove(0);
        }
        self.chains.push(chain);
    }
}

/// Compares a page with the state that it must be of. Gives the token and the key behind which it goes on.
fn check_page(
    state: &State,
    (query, after, limit): (&Query, &str, usize),
    body: &Value,
) -> Checked<Option<(String, String)>> {
    let (expected, left) = query.page(state, after, limit);
    let found: Vec<Object> =
        body["items"].as_array().into_iter().flatten().cloned().map(Object::new).collect();
    let show = |objects: &[&Object]| -> Vec<String> {
        objects.iter().map(|object| format!("{}@{}", object.key(), object.version())).collect()
    };
    let same = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, known)| found.value == known.value);
    ensure!(same, "expected {:?}, found {:?}", show(&expected), show(&found.iter().collect::<Vec<_>>()));
    let metadata = &body["metadata"];
    let ends = limit == 0 || expected.len() < limit || left == 0;
    let remaining = metadata["remainingItemCount"].as_u64();
    let counted = (!ends && !query.selects()).then_some(left as u64);
    ensure!(remaining == counted, "{remaining:?} are said to remain, but it is {counted:?}");
    let token = metadata["continue"].as_str().filter(|token| !token.is_empty());
    ensure!(token.is_some() != ends, "{left} keys are left, and the token is {token:?}");
    Ok(token.zip(expected.last()).map(|(token, last)| (token.to_owned(), last.key())))
}
