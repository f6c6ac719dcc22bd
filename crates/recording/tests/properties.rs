//! Properties of any bytes, and of any trace.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use glass::Glass;
use proptest::prelude::*;
use protocol::trace::Batch;
use recording::{Ending, Options, Recording, Writer};

mod traffic;

/// A recording with several states, and how long it was after each batch.
fn recorded(writes: u64, level: u8) -> (Vec<u8>, Vec<usize>) {
    let mut writer = Writer::new(Options { checkpoint: 200_000, level, ..Options::default() });
    let mut file = Vec::new();
    let mut lengths = Vec::new();
    for batch in traffic::batches(writes) {
        file.extend(writer.push(batch, Duration::ZERO));
        file.extend(writer.flush());
        lengths.push(file.len());
    }
    file.extend(writer.finish());
    (file, lengths)
}

fn told(batches: impl IntoIterator<Item = Batch>) -> Vec<Batch> {
    batches.into_iter().map(|batch| Batch { number: 0, ..batch }).collect()
}

fn glass(batches: impl IntoIterator<Item = Batch>) -> Glass {
    let mut glass = Glass::default();
    batches.into_iter().for_each(|batch| glass.take(batch).expect("in order"));
    glass
}

#[test]
fn what_was_recorded_comes_back() {
    let (file, _) = recorded(3_500, 6);
    let recording = Recording::open(file.into()).unwrap();
    let read: Vec<Batch> = recording.batches().map(Result::unwrap).collect();
    assert!(told(read) == told(traffic::batches(3_500)));
}

#[test]
fn the_state_is_the_same_from_wherever_one_begins() {
    let (file, _) = recorded(5_000, 6);
    let recording = Recording::open(file.into()).unwrap();
    let starts = recording.blocks().iter().filter(|block| block.is_start()).count();
    assert!(starts > 3, "{starts}");
    let objects = |glass: &Glass| {
        let (_, objects, writes) =
            glass.backup().map(|known| (known.revision, known.objects, known.writes)).unwrap();
        let mut newest: std::collections::BTreeMap<_, _> =
            objects.into_iter().map(|(key, revision, object)| (key, (revision, Some(object)))).collect();
        newest.extend(writes.into_iter().map(|write| (write.key, (write.revision, write.object))));
        newest
    };
    let expected = objects(&glass(traffic::batches(5_000)));
    for block in (0..recording.blocks().len()).step_by(17) {
        let from_here = glass(recording.from_block(block).map(Result::unwrap));
        assert!(objects(&from_here) == expected, "from block {block}");
    }
}

/// Gives the blocks the checksums that they should have, so that what is in them is looked at.
fn correct_checksums(file: &mut [u8]) {
    let mut at = 16;
    while let Some(header) = file.get(at..at + 68) {
        let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
        let end = (at + 68).saturating_add(length).min(file.len());
        let checksum = crc32fast::hash(&file[at + 68..end]);
        file[at + 28..at + 32].copy_from_slice(&checksum.to_le_bytes());
        let checksum = crc32fast::hash(&file[at..at + 64]);
        file[at + 64..at + 68].copy_from_slice(&checksum.to_le_bytes());
        at = end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_cut_recording_has_the_whole_blocks_before_it(at in 0.0..1.0_f64) {
        static RECORDED: LazyLock<(Vec<u8>, Vec<usize>)> = LazyLock::new(|| recorded(1_000, 6));
        let (file, lengths) = &*RECORDED;
        let at = (file.len() as f64 * at) as usize;
        let whole = lengths.iter().filter(|length| **length <= at).count();
        match Recording::open(Bytes::copy_from_slice(&file[..at])) {
            Ok(recording) => {
                prop_assert_eq!(recording.ending(), Ending::Cut);
                let read: Vec<Batch> = recording.batches().map(Result::unwrap).collect();
                let all: Vec<Batch> = traffic::batches(1_000).take(whole).collect();
                prop_assert!(told(read) == told(all));
            }
            Err(error) => prop_assert!(whole == 0, "{}", error),
        }
    }

    #[test]
    fn a_changed_recording_is_read_or_refused(at in 0.0..1.0_f64, to: u8, checked: bool) {
        static RECORDED: LazyLock<Vec<u8>> = LazyLock::new(|| recorded(600, 0).0);
        let mut file = RECORDED.clone();
        let at = (file.len() as f64 * at) as usize;
        file[at] = to;
        if !checked {
            correct_checksums(&mut file);
        }
        if let Ok(recording) = Recording::open(file.into()) {
            for batch in recording.batches() {
                if batch.is_err() {
                    break;
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), known: bool) {
        let file = if known { [&b"KGREC\r\n\x1a\x01\0\0\0\x01\0\0\0"[..], &bytes].concat() } else { bytes };
        if let Ok(recording) = Recording::open(file.into()) {
            recording.batches().for_each(drop);
        }
    }
}
