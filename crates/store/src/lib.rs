//! Revisions of keyed values, held as etcd holds them: every write makes a new revision of the whole [`Store`],
//! old revisions stay readable until they are compacted, and a log of all writes feeds any number of watches.
//!
//! The crate knows nothing of Kubernetes and does nothing by itself: no threads, no clock, no input or output.
//! The terms are etcd's, see the [API guarantees of etcd](https://etcd.io/docs/v3.6/learning/api/).
#![deny(missing_docs)]

mod entry;
mod error;
mod index;
mod log;
mod range;
mod store;
mod txn;
mod watch;

pub use entry::{Deleted, Entry, Event, Guard, Key, Revision};
pub use error::{CompactError, Conflict, ReadError, RestoreError, TxnError};
pub use range::KeyRange;
pub use store::Store;
pub use txn::{Op, Txn};
pub use watch::Cursor;
