//! The handlers that only writes need, as a table of functions: a host that loads code later loads them together.

use crate::answer::Outcome;
use crate::chunk;
use crate::context::Exchange;
use crate::context::Writes;
use crate::definitions;
use crate::restore;
use crate::status::Status;

impl Writes {
    /// By itself.
    pub const HERE: Self = Self {
        write: |exchange, verb| Box::pin(write(exchange, verb)),
        delete_collection: |exchange| Box::pin(exchange.delete_collection()),
        act: |exchange, action| action.answer(exchange),
        get_view: |exchange| Box::pin(exchange.get_view()),
        define: definitions::define,
        restore: restore::restore,
    };

    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { write, delete_collection, act, get_view, define, restore } = Self::HERE;
        Self {
            write: chunk::address(write),
            delete_collection: chunk::address(delete_collection),
            act: chunk::address(act),
            get_view: chunk::address(get_view),
            define: chunk::address(define),
            restore: chunk::address(restore),
        }
    }
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
