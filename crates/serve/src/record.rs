//! Recording the trace of a run into a file, for `--record FILE`.
//!
//! The recorder reads the trace as any subscriber does, so that nobody waits for the disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine::{SharedCluster, Tracer};
use recording::{Ending, Options, Writer};

/// How often it is looked for what is new.
const EVERY: Duration = Duration::from_millis(100);

/// A recording that goes on. Dropped, it is finished.
pub(crate) struct Recorder {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Begins to record. A file of that name is written anew.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn start(path: &Path, secrets: bool, cluster: SharedCluster) -> io::Result<Self> {
        let file = File::create(path)?;
        let (stop, stopped) = channel();
        let mut tape = Tape {
            file,
            path: path.to_owned(),
            writer: Writer::new(Options { secrets, ..Options::default() }),
            tracer: Tracer::default(),
            begin: Instant::now(),
        };
        // Watches that have ended before the first look are not told of.
        tape.take(&cluster)?;
        let record = move || {
            loop {
                let goes_on = stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout);
                if let Err(error) =
                    tape.take(&cluster).and_then(|()| if goes_on { Ok(()) } else { tape.finish() })
                {
                    eprintln!(
                        "kubeglass: {} cannot be written: {error}; nothing more is recorded",
                        tape.path.display()
                    );
                    return;
                }
                if !goes_on {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("recorder".to_owned()).spawn(record)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What it could not write it has told.
            let _ = thread.join();
        }
    }
}

/// A file that is being recorded, and how far.
struct Tape {
    file: File,
    path: PathBuf,
    writer: Writer,
    tracer: Tracer,
    begin: Instant,
}

impl Tape {
    /// Records what is new.
    fn take(&mut self, cluster: &SharedCluster) -> io::Result<()> {
        while let Some(batch) = cluster.trace(&mut self.tracer) {
            self.tracer.taken(batch.number);
            let bytes = self.writer.push(batch, self.begin.elapsed());
            self.append(&bytes)?;
        }
        let bytes = self.writer.tick(self.begin.elapsed());
        self.append(&bytes)
    }

    /// Writes bytes, and begins another file where they were the last of one: the last two are kept.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        if self.writer.ending().is_some_and(|ending| ending != Ending::Finished) {
            fs::rename(&self.path, before(&self.path))?;
            self.file = File::create(&self.path)?;
            self.file.write_all(&self.writer.begin_another())?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let bytes = self.writer.finish();
        self.file.write_all(&bytes)
    }
}

/// Returns the name of the file before the one that is being recorded.
fn before(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use apiserver::{ApiServer, Config};
    use bytes::Bytes;
    use clock::machine::{SystemClock, SystemRandom};
    use http::Request;
    use protocol::trace::Event;
    use recording::Recording;

    use super::*;

    #[tokio::test]
    async fn what_happens_is_in_the_file_before_and_after_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.kgrec");
        let clock = Arc::new(SystemClock);
        let server =
            ApiServer::new(Config::new(Arc::clone(&clock) as _, Arc::new(SystemRandom::new().unwrap())));
        let recorder = Recorder::start(&path, false, SharedCluster::new(server.clone(), clock)).unwrap();
        let body = r#"{"metadata":{"name":"a"},"stringData":{"password":"x"}}"#;
        let request =
            Request::post("/api/v1/namespaces/default/secrets").header("content-type", "application/json");
        let response = server.call(request.body(Bytes::from(body)).unwrap()).await;
        assert_eq!(response.status(), 201);
        drop(recorder);
        let recording = Recording::open(fs::read(&path).unwrap().into()).unwrap();
        assert_eq!(recording.ending(), Ending::Finished);
        let written =
            recording.batches().flat_map(|batch| batch.unwrap().events).find_map(|event| match event {
                Event::Write(write) if write.key.name == "a" => write.object,
                _ => None,
            });
        let json = String::from_utf8(written.unwrap().json.to_vec()).unwrap();
        assert!(json.contains(r#""password":"REDACTED""#), "{json}");
    }

    #[test]
    fn names_of_files() {
        assert_eq!(before(Path::new("a/run.kgrec")), Path::new("a/run.kgrec.1"));
    }
}
