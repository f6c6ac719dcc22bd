//! The handlers that only writes need, as a table of functions: a host that loads code later loads them together.

use futures::future::BoxFuture;
use protocol::command::Backup;

use super::Outcome;
use super::subresource::Action;
use crate::server::{self, Exchange};
use crate::status::Status;
use crate::storage::Storage;
use crate::{ApiServer, Clock, code, custom};

/// How a server handles writes.
#[derive(Clone, Copy)]
pub struct Writes {
    /// Handles the verbs that write an object.
    pub(crate) write: for<'a> fn(&'a Exchange<'_>, &'a str) -> BoxFuture<'a, Outcome>,
    /// Handles `deletecollection`.
    pub(crate) delete_collection: for<'a> fn(&'a Exchange<'_>) -> BoxFuture<'a, Outcome>,
    /// Handles what is asked of other things than stored objects.
    pub(crate) act: fn(&Exchange<'_>, Action) -> Outcome,
    /// Handles a GET of an object as another kind.
    pub(crate) get_view: for<'a> fn(&'a Exchange<'_>) -> BoxFuture<'a, Outcome>,
    /// Serves what is defined, and does about definitions what is to be done.
    pub(crate) define: fn(&mut Storage, &dyn Clock, Option<&[String]>),
    /// Makes a cluster that has been before.
    pub(crate) restore: fn(&ApiServer, Backup) -> Result<ApiServer, String>,
}

impl Writes {
    /// By itself.
    pub const HERE: Self = Self {
        write: |exchange, verb| Box::pin(write(exchange, verb)),
        delete_collection: |exchange| Box::pin(exchange.delete_collection()),
        act: |exchange, action| action.answer(exchange),
        get_view: |exchange| Box::pin(exchange.get_view()),
        define: custom::define,
        restore: server::restore,
    };

    /// By code that is looked for where it was put: see [`code`]. Without that, nothing is written.
    pub const LATE: Self = Self {
        write: |exchange, verb| match late() {
            Ok(writes) => (writes.write)(exchange, verb),
            Err(status) => Box::pin(std::future::ready(Err(status))),
        },
        delete_collection: |exchange| match late() {
            Ok(writes) => (writes.delete_collection)(exchange),
            Err(status) => Box::pin(std::future::ready(Err(status))),
        },
        act: |exchange, action| (late()?.act)(exchange, action),
        get_view: |exchange| match late() {
            Ok(writes) => (writes.get_view)(exchange),
            Err(status) => Box::pin(std::future::ready(Err(status))),
        },
        // Without that code nothing can have been defined.
        define: |storage, clock, groups| {
            if let Ok(code) = code::writes() {
                (code.writes.define)(storage, clock, groups);
            }
        },
        restore: |server, backup| (code::writes()?.writes.restore)(server, backup),
    };

    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { write, delete_collection, act, get_view, define, restore } = Self::HERE;
        Self {
            write: code::address(write),
            delete_collection: code::address(delete_collection),
            act: code::address(act),
            get_view: code::address(get_view),
            define: code::address(define),
            restore: code::address(restore),
        }
    }
}

impl std::fmt::Debug for Writes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Writes")
    }
}

fn late() -> Result<&'static Writes, Box<Status>> {
    code::writes().map(|code| &code.writes).map_err(Status::internal_error)
}

/// How often a write is computed at most: each time, somebody else has written the same object.
const ATTEMPTS: usize = 100;

async fn write(exchange: &Exchange<'_>, verb: &str) -> Outcome {
    let mut outcome = attempt(exchange, verb).await;
    for _ in 1..ATTEMPTS {
        if !exchange.notes.begin_again() {
            break;
        }
        outcome = attempt(exchange, verb).await;
    }
    outcome
}

async fn attempt(exchange: &Exchange<'_>, verb: &str) -> Outcome {
    match verb {
        "create" => exchange.create().await,
        "update" => exchange.update().await,
        "patch" => exchange.patch().await,
        "delete" => exchange.delete(),
        _ => Err(Status::method_not_allowed()),
    }
}
