//! The handlers that only writes need, as a table of functions: a host that loads code later loads them together.

use crate::answer::Outcome;
use crate::context::{RequestContext, Writes};
use crate::status::Status;
use crate::{chunk, definitions, restore};

impl Writes {
    /// By itself.
    pub const HERE: Self = Self {
        write: |context, verb| Box::pin(write(context, verb)),
        delete_collection: |context| Box::pin(context.delete_collection()),
        act: |context, action| Box::pin(action.answer(context)),
        get_view: |context| Box::pin(context.get_view()),
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
pub(super) const ATTEMPTS: usize = 100;

async fn write(context: &RequestContext<'_>, verb: &str) -> Outcome {
    let mut outcome = attempt(context, verb).await;
    for _ in 1..ATTEMPTS {
        if !context.notes.begin_again() {
            break;
        }
        outcome = attempt(context, verb).await;
    }
    outcome
}

async fn attempt(context: &RequestContext<'_>, verb: &str) -> Outcome {
    match verb {
        "create" => context.create().await,
        "update" => context.update().await,
        "patch" => context.patch().await,
        "delete" => context.delete().await,
        _ => Err(Status::method_not_allowed()),
    }
}
