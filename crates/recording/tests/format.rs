//! The bytes of a recording. Whoever changes them changes the version too, and `docs/recording.md`.

use std::time::Duration;

use bytes::Bytes;
use protocol::trace::{
    Batch, Change, Delivery, Event, EventType, Lost, ObjectKey, RequestRecord, ServerInfo, State, Stored,
    Time, VERSION as TRACE_VERSION, WatchEnd, WatchInfo, Write,
};
use recording::{Ending, Error, Kind, Options, Recording, VERSION, Writer};

fn text(text: &str) -> String {
    text.to_owned()
}

fn key(name: &str) -> ObjectKey {
    ObjectKey { resource: text("pods"), namespace: text("default"), name: text(name), ..ObjectKey::default() }
}

fn pod(name: &str, phase: &str) -> Stored {
    let json = format!(r#"{{"metadata":{{"name":"{name}"}},"status":{{"phase":"{phase}"}}}}"#);
    Stored {
        json: json.into(),
        labels: vec![(text("app"), text("web"))],
        fields: vec![(text("status.phase"), text(phase))],
    }
}

fn write(revision: u64, change: Change, name: &str, object: Option<Stored>) -> Event {
    Event::Write(Write { revision, change, key: key(name), object })
}

fn request(id: u64, wrote: u64) -> Event {
    let at = Duration::from_millis(id * 1_000);
    let method = text("PUT");
    Event::Request(Box::new(RequestRecord {
        id,
        at,
        method,
        code: 200,
        wrote: vec![wrote],
        ..RequestRecord::default()
    }))
}

fn state() -> State {
    let watch = WatchInfo { id: 4, uri: text("/api/v1/pods?watch=1"), revision: 10, ..WatchInfo::default() };
    State {
        revision: 10,
        compact_revision: 5,
        objects: vec![(key("a"), 7, pod("a", "Pending")), (key("b"), 9, pod("b", "Pending"))],
        watches: vec![watch],
        servers: vec![ServerInfo { number: 1, ..ServerInfo::default() }],
        snapshots: Vec::new(),
        time: Time { now: Duration::from_secs(1), rate: 1.0 },
    }
}

/// Batches with something of everything.
fn batches() -> [Batch; 3] {
    let delivery = |revision| Delivery { revision, sent: Some(EventType::Modified) };
    let first = vec![
        write(11, Change::Updated, "a", Some(pod("a", "Running"))),
        request(2, 11),
        write(12, Change::Created, "c", Some(pod("c", "Pending"))),
        request(3, 12),
        Event::Delivered { watch: 4, revision: 12, deliveries: vec![delivery(11), delivery(12)] },
    ];
    let second = vec![
        Event::Revision(12),
        write(13, Change::Deleted, "b", None),
        write(14, Change::Created, "b", Some(pod("b", "Running"))),
        Event::WatchEnded { watch: 4, end: WatchEnd::Timeout },
        Event::WatchOpened(WatchInfo { id: 5, revision: 14, ..WatchInfo::default() }),
        Event::Compacted(11),
        Event::Revision(16),
        Event::Delivered { watch: 5, revision: 16, deliveries: vec![delivery(16)] },
        write(17, Change::Updated, "b", Some(pod("b", "Failed"))),
        request(4, 17),
        Event::Time(Time { now: Duration::from_secs(9), rate: 0.5 }),
    ];
    let lost = Lost { writes: false, requests: 3, deliveries: 1 };
    [
        Batch { number: 1, state: Some(state()), lost: Lost::default(), events: Vec::new() },
        Batch { number: 2, state: None, lost: Lost::default(), events: first },
        Batch { number: 3, state: None, lost, events: second },
    ]
}

fn record(options: Options, batches: impl IntoIterator<Item = Batch>) -> Vec<u8> {
    let mut writer = Writer::new(options);
    let mut file: Vec<u8> =
        batches.into_iter().flat_map(|batch| writer.push(batch, Duration::ZERO)).collect();
    file.extend(writer.finish());
    assert_eq!(writer.length(), file.len() as u64);
    file
}

fn open(file: &[u8]) -> Recording {
    Recording::open(Bytes::copy_from_slice(file)).unwrap()
}

fn read(recording: &Recording) -> Vec<Batch> {
    recording.batches().map(Result::unwrap).collect()
}

/// The length of bytes, and their FNV-1a hash.
fn digest(bytes: &[u8]) -> (usize, u64) {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    (bytes.len(), bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn the_bytes_are_those_of_this_version() {
    let file = record(Options::default(), batches());
    assert_eq!(file[..16], *b"KGREC\r\n\x1a\x01\0\0\0\x03\0\0\0");
    assert_eq!((VERSION, TRACE_VERSION, digest(&file)), (1, 3, DIGEST));
    assert_eq!(read(&open(&file)), batches());
    // One of the version before has no event that this one does not have.
    let mut before = file;
    before[12] = 2;
    assert_eq!(read(&open(&before)), batches());
}

/// The digest of the example. Compressed bytes may change with the compressor, which needs no other version.
const DIGEST: (usize, u64) = (557, 6_069_865_187_297_954_660);

#[test]
fn the_index_says_what_is_in_it() {
    let recording = open(&record(Options::default(), batches()));
    let shown: Vec<_> = recording
        .blocks()
        .iter()
        .map(|block| (block.kind, block.batches, block.events, block.revisions, block.times.1.as_secs()))
        .collect();
    let state = Kind::State { first: true, last: true, checkpoint: false };
    assert_eq!(shown, [(state, 1, 2, (10, 10), 1), (Kind::Events, 2, 16, (10, 17), 9)]);
    assert_eq!((recording.revisions(), recording.ending()), ((10, 17), Ending::Finished));
    assert_eq!(recording.times(), (Duration::from_secs(1), Duration::from_secs(9)));
}

#[test]
fn a_reader_begins_at_any_checkpoint() {
    let [first, _, mut last] = batches();
    let phase = |revision| if revision % 2 == 0 { "Running" } else { "Pending" };
    let mut events: Vec<Event> = (11..50)
        .map(|revision| write(revision, Change::Updated, "a", Some(pod("a", phase(revision)))))
        .collect();
    events.push(write(50, Change::Created, "c", Some(pod("c", "Pending"))));
    events.push(request(5, 50));
    let deliveries = vec![Delivery { revision: 49, sent: Some(EventType::Modified) }];
    events.push(Event::Delivered { watch: 4, revision: 50, deliveries });
    let second = Batch { number: 2, events, ..Batch::default() };
    last.events = vec![write(51, Change::Deleted, "b", None), request(7, 51)];
    let all = [first, second, last];
    let recording = open(&record(Options { checkpoint: 0, ..Options::default() }, all.clone()));
    assert_eq!(read(&recording), all, "whoever begins at the beginning is told of no checkpoint");
    let mut later = recording.at_revision(51);
    let state = later.next().unwrap().unwrap().state.unwrap();
    let objects: Vec<_> =
        state.objects.iter().map(|(key, revision, _)| (key.name.as_str(), *revision)).collect();
    assert_eq!((state.revision, objects.as_slice()), (50, [("a", 49), ("b", 9), ("c", 50)].as_slice()));
    assert_eq!((state.watches[0].sent, state.watches[0].revision), (1, 50));
    assert_eq!((&state.objects[0].2, state.time.now.as_secs()), (&pod("a", "Pending"), 5));
    assert_eq!(later.next().unwrap().unwrap(), Batch { number: 2, ..all[2].clone() });
    assert!(later.next().is_none());
    let first = |mut batches: recording::Batches| batches.next().unwrap().unwrap().state.unwrap().revision;
    assert_eq!([12, 50, 51, 99].map(|revision| first(recording.at_revision(revision))), [10, 10, 50, 50]);
    assert_eq!(
        [0, 5, 6, 99].map(|time| first(recording.at_time(Duration::from_secs(time)))),
        [10, 10, 50, 50]
    );
}

#[test]
fn a_full_recording_says_so_and_another_goes_on() {
    let whole = record(Options::default(), batches());
    let mut writer = Writer::new(Options { limit: whole.len() as u64 - 1, ..Options::default() });
    let mut file: Vec<u8> =
        batches().into_iter().flat_map(|batch| writer.push(batch, Duration::ZERO)).collect();
    file.extend(writer.flush());
    assert_eq!(writer.ending(), Some(Ending::Full));
    assert!(file.len() < whole.len());
    assert_eq!((open(&file).ending(), read(&open(&file)).len()), (Ending::Full, 1));
    assert!(writer.finish().is_empty());
    let another = writer.begin_another();
    let first = &read(&open(&another))[0];
    assert_eq!((first.lost.writes, first.state.as_ref().map(|state| state.revision)), (true, Some(17)));
}

#[test]
fn what_waits_is_written_in_time() {
    let mut writer = Writer::new(Options::default());
    let [first, second, _] = batches();
    let mut at = |batch, millis| writer.push(batch, Duration::from_millis(millis)).is_empty();
    assert_eq!([at(first, 0), at(second, 100)], [false, true]);
    let mut at = |millis| writer.tick(Duration::from_millis(millis)).is_empty();
    assert_eq!([at(1_099), at(1_100), at(5_000)], [true, false, true]);
}

#[test]
fn other_bytes_are_refused() {
    #[track_caller]
    fn check(change: impl FnOnce(&mut Vec<u8>), expected: Error) {
        let mut file = record(Options::default(), batches());
        change(&mut file);
        let read = Recording::open(file.into())
            .and_then(|recording| recording.batches().collect::<Result<Vec<_>, _>>());
        assert_eq!(read, Err(expected));
    }
    check(|file| file.truncate(0), Error::Empty);
    check(|file| file.truncate(5), Error::Empty);
    check(|file| file.truncate(83), Error::Empty);
    check(|file| file[0] = b'{', Error::NotARecording);
    check(|file| file[8] = 2, Error::Version(2));
    check(|file| file[12] = 9, Error::TraceVersion(9));
    check(|file| file[90] ^= 1, Error::Checksum(16));
}

#[test]
fn what_is_wrong_is_told_in_a_sentence() {
    assert_eq!(Error::NotARecording.to_string(), "this is no recording of Kubeglass");
    assert_eq!(
        Error::Version(2).to_string(),
        "the recording has version 2 of the format, and only version 1 can be read"
    );
    assert_eq!(Ending::Finished.sentence(), None);
    assert_eq!(
        Ending::Cut.sentence().as_deref(),
        Some("The recording has no end: up to a second of what came last is missing.")
    );
}

#[test]
fn secrets_are_recorded_only_if_asked_for() {
    #[track_caller]
    fn check(secrets: bool, expected: &str) {
        let key = ObjectKey { resource: text("secrets"), ..key("s") };
        let object = Some(Stored { json: r#"{"data":{"a":"eA=="}}"#.into(), ..Stored::default() });
        let events = vec![Event::Write(Write { revision: 1, change: Change::Created, key, object })];
        let file = record(
            Options { secrets, ..Options::default() },
            [Batch { number: 1, events, ..Batch::default() }],
        );
        let told = read(&open(&file));
        let Event::Write(write) = &told[1].events[0] else { panic!("a write") };
        assert_eq!(write.object.as_ref().unwrap().json, expected);
    }
    check(false, r#"{"data":{"a":"REDACTED"}}"#);
    check(true, r#"{"data":{"a":"eA=="}}"#);
}
