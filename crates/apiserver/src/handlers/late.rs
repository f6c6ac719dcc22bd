//! The handlers that only writes need, as a table of functions: a host that loads code later loads them together.

use super::subresource::act;
use super::write::write;
use crate::context::Writes;
use crate::{auth, chunk, convert, definitions, restore};

impl Writes {
    /// By itself.
    pub const HERE: Self = Self {
        write: |context, verb| Box::pin(write(context, verb)),
        delete_collection: |context| Box::pin(context.delete_collection()),
        act: |context, action| Box::pin(act(context, action)),
        get_view: |context| Box::pin(context.get_view()),
        impersonate: auth::impersonate,
        define: definitions::define,
        prepare: convert::provide,
        restore: restore::restore,
    };

    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { write, delete_collection, act, get_view, impersonate, define, prepare, restore } =
            Self::HERE;
        Self {
            write: chunk::address(write),
            delete_collection: chunk::address(delete_collection),
            act: chunk::address(act),
            get_view: chunk::address(get_view),
            impersonate: chunk::address(impersonate),
            define: chunk::address(define),
            prepare: chunk::address(prepare),
            restore: chunk::address(restore),
        }
    }
}
