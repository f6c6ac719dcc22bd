//! The exchanges and writes since a step began, and the variables of expressions that are made of them.

use bytes::Bytes;
use json_tree::{Map, Value, json};

use crate::message::{JSON, Request, Response, YAML};
use crate::run::Sent;
use crate::server::Server;

/// The values of the variables of expressions, by their names.
pub(super) type Variables = Map<String, Value>;

/// The most exchanges and the most writes that an expression is told of: the newest ones.
const MOST: usize = 200;

/// The exchanges and writes in a cluster since a step began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The exchanges of the reader, oldest first.
    pub exchanges: Vec<Exchange>,
    /// The writes of the cluster, oldest first, whoever made them.
    pub writes: Vec<Write>,
}

/// A request of the reader, and what came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// The response. Its body is not looked at.
    pub response: Response,
    /// The body of the response; of a watch the events so far, one each.
    pub body: Vec<Bytes>,
}

/// A write of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The revision that it made.
    pub revision: u64,
    /// The change.
    pub change: Change,
    /// The API group of the object; empty for the core group.
    pub group: String,
    /// The plural name of the object's resource.
    pub resource: String,
    /// The namespace of the object; empty for cluster-scoped ones.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
}

/// A change of an object, by the type of the event that watches are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The object is new.
    Added,
    /// The object is another one than before.
    Modified,
    /// The object is no longer there.
    Deleted,
}

impl Change {
    /// Returns the type of the event.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl From<&Sent> for Exchange {
    fn from(sent: &Sent) -> Self {
        Self { request: sent.request.clone(), response: sent.response.clone(), body: sent.body.clone() }
    }
}

impl Seen {
    /// Returns the variables of expressions, but for `objects`.
    pub(super) async fn variables(&self, server: &impl Server) -> Variables {
        let mut exchanges = Vec::new();
        for exchange in newest(&self.exchanges) {
            exchanges.push(exchange.value(server).await);
        }
        let last = match exchanges.last() {
            Some(last) => last.clone(),
            None => Exchange::default().value(server).await,
        };
        let writes = newest(&self.writes).iter().map(Write::value).collect();
        let variables =
            [("exchange", last), ("exchanges", Value::Array(exchanges)), ("writes", Value::Array(writes))];
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn newest<T>(all: &[T]) -> &[T] {
    all.get(all.len().saturating_sub(MOST)..).unwrap_or_default()
}

impl Exchange {
    /// Returns the exchange as expressions see it.
    async fn value(&self, server: &impl Server) -> Value {
        let Self { request, response, body } = self;
        let (path, params) = apimachinery::target::split(&request.target);
        let mut query = Map::new();
        for (name, value) in params {
            // The first one counts, as it does for the server.
            query.entry(name).or_insert_with(|| value.into());
        }
        let sent = document(server, request.header("Content-Type"), &request.body).await;
        let sort = response.header("Content-Type").unwrap_or(JSON);
        let mut parts = Vec::new();
        for part in body {
            parts.push(document(server, Some(sort), part).await);
        }
        let (events, whole) = match (request.watches() && response.status < 300, parts.len()) {
            (true, _) => (parts, Value::Null),
            (false, _) => (Vec::new(), parts.into_iter().next().unwrap_or_default()),
        };
        json!({
            "method": request.method.as_str(),
            "path": path,
            "query": query,
            "headers": headers(&request.headers),
            "body": sent,
            "status": response.status,
            "responseHeaders": headers(&response.headers),
            "response": whole,
            "events": events,
        })
    }
}

impl Write {
    /// Returns the write as expressions see it.
    fn value(&self) -> Value {
        json!({
            "revision": self.revision,
            "type": self.change.name(),
            "group": self.group.as_str(),
            "resource": self.resource.as_str(),
            "namespace": self.namespace.as_str(),
            "name": self.name.as_str(),
        })
    }
}

/// Returns headers by their names in lower case.
fn headers(all: &[(String, String)]) -> Value {
    let mut headers: Map<String, Value> = Map::new();
    for (name, value) in all {
        let name = name.to_ascii_lowercase();
        let value = match headers.get(&name).and_then(Value::as_str) {
            Some(before) => [before, ", ", value].concat(),
            None => value.clone(),
        };
        headers.insert(name, value.into());
    }
    Value::Object(headers)
}

/// Returns a body: its value if it is JSON or can be read as JSON, its text else, null if there is none.
async fn document(server: &impl Server, content_type: Option<&str>, body: &Bytes) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let text = || Value::from(String::from_utf8_lossy(body).as_ref());
    let read_as = match media_type {
        plain if plain.starts_with("text/") => return text(),
        yaml if yaml.ends_with("yaml") => YAML,
        json if json.is_empty() || json.ends_with("json") => {
            return serde_json::from_slice(body).unwrap_or_else(|_| text());
        }
        other => other,
    };
    let json = server.to_json(read_as, body.clone()).await;
    json.ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_else(text)
}
