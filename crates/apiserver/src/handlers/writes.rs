//! The handlers that only writes need, as a table of functions: a host that loads code later loads them together.

use futures::future::BoxFuture;

use super::Outcome;
use super::subresource::Post;
use crate::code;
use crate::server::Exchange;
use crate::status::Status;

/// How a server handles writes.
#[derive(Clone, Copy)]
pub struct Writes {
    /// Handles the verbs that write an object.
    pub(crate) write: fn(&Exchange<'_>, &str) -> Outcome,
    /// Handles `deletecollection`.
    pub(crate) delete_collection: for<'a> fn(&'a Exchange<'_>) -> BoxFuture<'a, Outcome>,
    /// Handles the kinds that are acted on and not stored.
    pub(crate) post: fn(&Exchange<'_>, Post) -> Outcome,
}

impl Writes {
    /// By itself.
    pub const HERE: Self =
        Self { write, delete_collection: |exchange| Box::pin(exchange.delete_collection()), post };

    /// By code that is looked for where it was put: see [`code`]. Without that, nothing is written.
    pub const LATE: Self = Self {
        write: |exchange, verb| (late()?.write)(exchange, verb),
        delete_collection: |exchange| match late() {
            Ok(writes) => (writes.delete_collection)(exchange),
            Err(status) => Box::pin(std::future::ready(Err(status))),
        },
        post: |exchange, kind| (late()?.post)(exchange, kind),
    };

    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { write, delete_collection, post } = Self::HERE;
        Self {
            write: code::address(write),
            delete_collection: code::address(delete_collection),
            post: code::address(post),
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

fn write(exchange: &Exchange<'_>, verb: &str) -> Outcome {
    match verb {
        "create" => exchange.create(),
        "update" => exchange.update(),
        "patch" => exchange.patch(),
        "delete" => exchange.delete(),
        _ => Err(Status::method_not_allowed()),
    }
}

fn post(exchange: &Exchange<'_>, kind: Post) -> Outcome {
    kind.answer(exchange)
}
