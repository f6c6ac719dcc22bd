//! The memory that the store takes beside the values.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use store::{Guard, KeyRange, Store};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MB: usize = 1_000_000;

/// One test: what it measures is the memory of the whole process.
#[test]
fn a_hundred_thousand_revisions_of_two_thousand_keys() {
    let keys: Vec<_> = (0..2_000).map(|n| format!("/registry/pods/default/web-{n:05}")).collect();
    let value: Arc<[u8]> = Arc::from(vec![0; 1024]);
    let before = ALLOCATOR.current_usage();
    let mut store = Store::new(1);
    for n in 0..100_000 {
        store.put(&keys[n * 7 % keys.len()], Guard::None, |_| value.clone()).expect("unconditional");
    }

    let allocated = ALLOCATOR.current_usage() - before;
    println!("{} bytes by the store's count, {allocated} by the allocator's", store.index_bytes());
    assert!(allocated <= 10 * MB, "{allocated} bytes");
    assert!(store.index_bytes().abs_diff(allocated) <= allocated / 20, "{} bytes", store.index_bytes());

    store.compact(100_000).expect("the newest revision");
    let compacted = ALLOCATOR.current_usage() - before;
    println!("{compacted} bytes once compacted to the newest revision");
    assert!(compacted <= MB, "{compacted} bytes");
    assert_eq!(store.count(&KeyRange::all()), keys.len());
    assert_eq!(Arc::strong_count(&value), 1 + keys.len());

    for key in &keys {
        store.delete(key, Guard::None).expect("unconditional");
    }
    store.compact(store.revision()).expect("the newest revision");
    assert_eq!(Arc::strong_count(&value), 1);
}
