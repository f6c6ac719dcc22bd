//! How large an object may be: what etcd takes in one request.
//!
//! <https://etcd.io/docs/v3.6/dev-guide/limit/>

use std::time::Duration;

use store::Revision;

use crate::context::RequestContext;
use crate::negotiate::View;
use crate::present::Presenter;
use crate::stored::Stored;
use apimachinery::status::Status;

/// The largest request that etcd takes: 1.5 MiB.
const REQUEST_LIMIT: usize = 3 << 19;

/// The largest message that etcd's client sends.
const MESSAGE_LIMIT: usize = 2 << 20;

/// The error of etcd's client for a message that is larger than that.
const UNSENT: &str = "rpc error: code = ResourceExhausted desc = trying to send message larger than max";

/// The error of etcd for a request that is too large.
const REFUSED: &str = "etcdserver: request is too large";

/// The size of what stands around the request where etcd measures it: a header with a number of ten bytes.
const HEADER: usize = 14;

/// Smaller than this nothing is too large, whatever is added to it.
const MAY_EXCEED: usize = 1 << 20;

/// The bytes of a Protobuf field of a low number that holds `length` bytes.
fn field(length: usize) -> usize {
    1 + varint(length as u64) + length
}

fn varint(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// The size of the transaction that puts `value` bytes at a key which `revision` wrote, or nobody if that is 0. One that
/// replaces something asks for what is there instead, should it be too late.
fn transaction(key: &str, value: usize, revision: Revision) -> usize {
    let key = field(key.len());
    let compare = field(key + 3 + varint(revision));
    let put = field(field(key + field(value)));
    let get = if revision == 0 { 0 } else { field(field(key)) };
    compare + put + get
}

/// Checks that a value of so many bytes is not too large.
fn check(key: &str, value: usize, revision: Revision) -> Result<(), Box<Status>> {
    match transaction(key, value, revision) {
        size if size > MESSAGE_LIMIT => {
            Err(Status::unclassified(format!("{UNSENT} ({size} vs. {MESSAGE_LIMIT})")))
        }
        size if HEADER + field(size) > REQUEST_LIMIT => Err(Status::unclassified(REFUSED)),
        _ => Ok(()),
    }
}

/// Reports whether an error says that something is too large for etcd.
pub(super) fn is_too_large(status: &Status) -> bool {
    status.message == REFUSED || status.message.starts_with(UNSENT)
}

impl RequestContext<'_> {
    /// Checks that etcd would take what is to be stored over what `revision` left, or as something new if that is 0.
    pub(super) fn check_size(&self, key: &str, next: &Stored, revision: Revision) -> Result<(), Box<Status>> {
        if next.json.len() < MAY_EXCEED {
            return Ok(());
        }
        check(key, self.stored_size(next)?, revision)
    }

    /// The size of the object in the media type in which it is stored, where it has no version.
    fn stored_size(&self, next: &Stored) -> Result<usize, Box<Status>> {
        let resource = &self.target.resource;
        let (media_type, version) = match resource.is_custom() {
            true => ("application/cbor", "resourceVersion".len() + 2),
            false => ("application/vnd.kubernetes.protobuf", 0),
        };
        let presenter = Presenter::new(resource, View::Whole, self.query, self.formats())?;
        let document = presenter.object(&next.json, Duration::ZERO)?;
        let size = match self.formats().find(media_type).map(|format| format.write(&document)) {
            Some(Ok(bytes)) => bytes.len(),
            // Who has not that media type goes by the JSON, which is about as long.
            _ => document.json.len(),
        };
        Ok(size.saturating_sub(next.revision().to_string().len() + version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_sizes() {
        for (number, size) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 10)] {
            assert_eq!(varint(number), size, "{number}");
        }
    }

    #[test]
    fn what_is_too_large() {
        let told = |value, revision| {
            check("/registry/configmaps/default/a", value, revision).err().map(|status| status.message)
        };
        let large = Some("etcdserver: request is too large".to_owned());
        assert_eq!(told(1_572_700, 0), None);
        assert_eq!(told(1_572_864, 0), large);
        assert_eq!(told(2_097_000, 7), large);
        let message = "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2100121 vs. \
                       2097152)";
        assert_eq!(told(2_100_000, 7).as_deref(), Some(message));
    }
}
