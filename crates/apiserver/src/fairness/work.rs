//! The seats that a request takes: more than one for a list that is long.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#seats-occupied-by-a-request>

use apimachinery::Attributes;
use apimachinery::query::Query;
use store::KeyRange;

use crate::storage::Storage;
use crate::stored;

/// The bytes of objects that one seat is for.
const BYTES: usize = 100_000;
/// The most bytes of a list that are in memory at once where it comes from a cache.
const CACHED: usize = 1_000_000;
/// The most seats that a list takes.
const MOST: u64 = 100;

/// Reports whether a request may take more seats than one: it is a list, or a watch that may begin with one.
pub(super) fn varies(attributes: &Attributes) -> bool {
    attributes.is_resource && ["list", "watch"].contains(&attributes.verb.as_str())
}

/// Returns the seats of a list or a watch of a level in which a request may take so many.
pub(super) fn seats(storage: &Storage, attributes: &Attributes, query: &Query, widest: Option<u64>) -> u64 {
    let is_watch = attributes.verb == "watch";
    let most = widest.unwrap_or(MOST).clamp(1, MOST);
    let Ok(limit) = query.integer("limit") else { return most };
    let version = query.text("resourceVersion");
    let from_any = version.is_empty() || version == "0";
    if is_watch && query.boolean("sendInitialEvents") != Some(true) && !from_any {
        return 1;
    }
    let mut rows = storage.resources.iter();
    let row = rows.find(|row| row.name == attributes.resource && row.group == attributes.group);
    let Some(row) = row else { return 1 };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0);
    let is_one = !attributes.name.is_empty();
    let is_cached = is_watch
        || query.text("continue").is_empty()
            && query.text("resourceVersionMatch") != "Exact"
            && (from_any || limit.is_none());
    let bytes = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(BYTES);
    let bytes = if is_cached { bytes.min(CACHED) } else { bytes };
    let mut size = 0;
    let range = KeyRange::prefix(&stored::collection_key(row, ""));
    for entry in storage.store.range(&range).take(if is_one { 1 } else { limit.unwrap_or(usize::MAX) }) {
        size += entry.value.json.len();
        if size >= bytes {
            break;
        }
    }
    (size.min(bytes).div_ceil(BYTES) as u64).clamp(1, most)
}
