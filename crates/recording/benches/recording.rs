//! Records the trace of a million writes, and reads the recording: what it weighs, and how long that takes. The variable
//! `RECORDING` names a file that keeps it, to be opened in the page.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use glass::Glass;
use protocol::trace::{Batch, Event};
use recording::{Options, Recording, Writer};

#[path = "../tests/traffic/mod.rs"]
mod traffic;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // Whoever only tests whether it runs does not say `--bench`.
    let writes = if std::env::args().any(|arg| arg == "--bench") { 1_000_000 } else { 2_000 };
    let mut sizes = Sizes::default();
    let mut writer = Writer::new(Options::default());
    let mut file = Vec::new();
    let mut spent = Duration::ZERO;
    for batch in traffic::batches(writes) {
        sizes.add(&batch);
        let now = batch.time().unwrap_or_default().now;
        let start = Instant::now();
        file.extend(writer.push(batch, now));
        spent += start.elapsed();
    }
    file.extend(writer.finish());
    println!(
        "{writes} writes, {} events: objects {}, JSON lines {}",
        sizes.events,
        mb(sizes.objects),
        mb(sizes.json)
    );
    let ratio = sizes.json as f64 / file.len() as f64;
    println!("recording {}: {ratio:.1} times smaller than JSON lines", mb(file.len()));
    println!(
        "written in {spent:.2?}: {}/s of JSON lines",
        mb((sizes.json as f64 / spent.as_secs_f64()) as usize)
    );

    if let Some(path) = std::env::var_os("RECORDING") {
        std::fs::write(path, &file).expect("the file can be written");
    }
    let bytes = Bytes::from(file);
    let start = Instant::now();
    let recording = Recording::open(bytes).expect("it was written");
    let opened = start.elapsed();
    let starts = recording.blocks().iter().filter(|block| block.is_start()).count();
    println!("opened in {opened:.2?}: {} blocks, {starts} states", recording.blocks().len());

    let (first, last) = recording.revisions();
    let mut longest = Duration::ZERO;
    for part in 0..20 {
        longest = longest.max(go_to(&recording, first + (last - first) * part / 20));
    }
    println!(
        "to the middle in {:.2?}; to any of 20 revisions in {longest:.2?} at most",
        go_to(&recording, (first + last) / 2)
    );

    let start = Instant::now();
    let events: usize =
        recording.batches().map(|batch| black_box(batch).expect("it was written").events.len()).sum();
    let spent = start.elapsed();
    println!(
        "{events} events read in {spent:.2?}: {}/s of JSON lines",
        mb((sizes.json as f64 / spent.as_secs_f64()) as usize)
    );
}

#[derive(Default)]
struct Sizes {
    json: usize,
    objects: usize,
    events: usize,
}

impl Sizes {
    fn add(&mut self, batch: &Batch) {
        self.json += serde_json::to_string(batch).expect("it can be written").len() + 1;
        self.events += batch.events.len();
        for event in &batch.events {
            if let Event::Write(write) = event {
                self.objects += write.object.as_ref().map_or(0, |object| object.json.len());
            }
        }
    }
}

/// Folds what is before a revision, from the last state before it.
fn go_to(recording: &Recording, revision: u64) -> Duration {
    let start = Instant::now();
    let mut glass = Glass::default();
    for batch in recording.at_revision(revision) {
        glass.take(batch.expect("it was written")).expect("in order");
        if glass.revision() >= revision {
            break;
        }
    }
    assert!(glass.revision() >= revision);
    start.elapsed()
}

fn mb(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
