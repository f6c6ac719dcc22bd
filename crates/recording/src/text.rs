//! A trace as text for people: a line for each thing that has happened, and a summary.

mod line;
mod request;
mod summary;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use protocol::trace::{Batch, Change, Event, Lost, ObjectKey, ServerInfo, State, WatchEnd, WatchInfo, Write};

use line::{Line, collection, label};
use summary::Summary;

/// Prints the batches of a trace, in their order.
///
/// The columns are the time, the revision, who (the manager, and the user in whose name), the verb, the object, the code and a
/// note. Writes that no request has made, such as those at the beginning of a cluster, have nobody.
#[derive(Debug, Default)]
pub struct Text {
    /// The words that a line has to have, in small letters.
    words: Vec<String>,
    begun: bool,
    /// The clock as it was told last, and its rate.
    time: Duration,
    rate: f64,
    /// The writes whose requests have not come yet, by revision, and whether they came with the last batch.
    waiting: BTreeMap<u64, (bool, ObjectKey, Change)>,
    /// The last writer of each object, and the revision that it wrote.
    writers: HashMap<ObjectKey, (u64, String)>,
    watches: BTreeMap<u64, Watch>,
    /// Why who has no watch of a collection any more, and may have to list it again.
    broken: HashMap<(String, String), String>,
    servers: Vec<ServerInfo>,
    summary: Summary,
    out: String,
}

/// A watch that is open.
#[derive(Debug, Default)]
struct Watch {
    /// The user who opened it; empty if that is not known.
    user: String,
    collection: String,
    sent: u64,
}

impl Text {
    /// Makes a text of the lines that have all of these words, in any case. The summary is of everything.
    pub fn new(words: &[String]) -> Self {
        Self { words: words.iter().map(|word| word.to_lowercase()).collect(), rate: 1.0, ..Self::default() }
    }

    /// Takes the next batch; returns the lines that can be told now.
    pub fn take(&mut self, batch: &Batch) -> String {
        if !self.begun {
            self.begun = true;
            self.out.push_str(&Line::heading());
        }
        self.waiting.values_mut().for_each(|(new, _, _)| *new = false);
        if let Some(state) = &batch.state {
            (self.time, self.rate) = (state.time.now, state.time.rate);
        }
        self.lose(batch.lost);
        if let Some(state) = &batch.state {
            self.begin(state);
        }
        batch.events.iter().for_each(|event| self.happen(event));
        self.tell_unclaimed(|new| !new);
        std::mem::take(&mut self.out)
    }

    /// Returns what is still to be told, and the summary.
    pub fn finish(mut self) -> String {
        self.tell_unclaimed(|_| true);
        self.summary.write(&mut self.out);
        self.out
    }

    fn line(&mut self, line: &Line) {
        let text = line.to_text(self.time);
        let small = text.to_lowercase();
        if self.words.iter().all(|word| small.contains(word.as_str())) {
            self.out.push_str(&text);
        }
    }

    /// Tells what has happened by itself.
    fn note(&mut self, verb: &str, object: impl Into<String>, note: impl Into<String>) {
        self.line(&Line {
            verb: verb.to_owned(),
            object: object.into(),
            note: note.into(),
            ..Line::default()
        });
    }

    fn lose(&mut self, lost: Lost) {
        if lost == Lost::default() {
            return;
        }
        self.summary.lost = true;
        let writes = if lost.writes { "writes, " } else { "" };
        let note =
            format!("{writes}{} requests and {} deliveries are missing here", lost.requests, lost.deliveries);
        self.note("lost", "", note);
    }

    fn begin(&mut self, state: &State) {
        self.tell_unclaimed(|_| true);
        self.servers.clone_from(&state.servers);
        let known = std::mem::take(&mut self.watches);
        for info in &state.watches {
            let user = known.get(&info.id).map(|watch| watch.user.clone()).unwrap_or_default();
            self.watches.insert(info.id, Watch { user, sent: info.sent, ..watch_of(info) });
        }
        let note = format!("{} objects, {} open watches", state.objects.len(), state.watches.len());
        let revision = Some(state.revision);
        self.line(&Line { revision, verb: "state".to_owned(), note, ..Line::default() });
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Write(Write { revision, change, key, .. }) => {
                self.waiting.insert(*revision, (true, key.clone(), *change));
            }
            Event::Request(request) => self.request(request),
            Event::WatchOpened(info) => {
                // The request that opened it comes before, and has told of it.
                let told = self.watches.remove(&info.id);
                let watch = Watch {
                    user: told.as_ref().map(|told| told.user.clone()).unwrap_or_default(),
                    ..watch_of(info)
                };
                if told.is_none() {
                    self.note("watch", watch.collection.clone(), format!("watch {} opened", info.id));
                }
                self.watches.insert(info.id, watch);
            }
            Event::Delivered { watch, deliveries, .. } => {
                if let Some(watch) = self.watches.get_mut(watch) {
                    watch.sent += deliveries.iter().filter(|delivery| delivery.sent.is_some()).count() as u64;
                }
            }
            Event::WatchEnded { watch, end } => self.end(*watch, *end),
            Event::Servers(servers) => self.change_servers(servers),
            Event::Snapshots(_) | Event::Revision(_) => {}
            Event::Compacted(revision) => {
                let note = "older versions are 410 Gone".to_owned();
                self.line(&Line {
                    revision: Some(*revision),
                    verb: "compact".to_owned(),
                    note,
                    ..Line::default()
                });
            }
            Event::Time(time) => {
                let back = time.now < self.time;
                self.time = time.now;
                if back {
                    self.note("clock", "", "was set back");
                }
                if time.rate != self.rate {
                    self.rate = time.rate;
                    let note = if time.rate == 0.0 {
                        "stands".to_owned()
                    } else {
                        format!("goes at rate {}", time.rate)
                    };
                    self.note("clock", "", note);
                }
            }
        }
    }

    fn end(&mut self, id: u64, end: WatchEnd) {
        let watch = self.watches.remove(&id).unwrap_or_default();
        let why = match end {
            WatchEnd::Client => "closed by its client",
            WatchEnd::Timeout => "its time had passed",
            WatchEnd::Error => "it was told an ERROR",
            WatchEnd::Server => "ended by the server",
        };
        self.summary.ends.add([why.to_owned()]);
        self.line(&Line {
            who: watch.user.clone(),
            verb: "end".to_owned(),
            object: watch.collection.clone(),
            note: format!("watch {id}: {why}, after {} events", watch.sent),
            ..Line::default()
        });
        if !watch.user.is_empty() {
            self.broken.insert((watch.user, watch.collection), format!("watch {id} ended, {why}"));
        }
    }

    fn change_servers(&mut self, servers: &[ServerInfo]) {
        let before = std::mem::replace(&mut self.servers, servers.to_vec());
        for server in servers {
            let name = format!("server {}", server.number);
            let Some(known) = before.iter().find(|known| known.number == server.number) else {
                self.note("server", name, "is there");
                continue;
            };
            if known.stopped != server.stopped {
                let note = if server.stopped { "hears of no writes" } else { "hears of writes again" };
                self.note("lag", name.clone(), note);
            }
            if known.lag != server.lag {
                let note = match server.lag {
                    Duration::ZERO => "hears of writes at once".to_owned(),
                    lag => format!("hears of writes after {lag:?}"),
                };
                self.note("lag", name, note);
            }
        }
        for gone in before.iter().filter(|known| servers.iter().all(|server| server.number != known.number)) {
            self.note("server", format!("server {}", gone.number), "is gone");
        }
    }

    /// Tells of the writes whose requests do not come any more.
    fn tell_unclaimed(&mut self, which: impl Fn(bool) -> bool) {
        let own: Vec<u64> = self
            .waiting
            .iter()
            .filter(|(_, (new, _, _))| which(*new))
            .map(|(revision, _)| *revision)
            .collect();
        for revision in own {
            let Some((_, key, change)) = self.waiting.remove(&revision) else { continue };
            self.wrote(revision, key.clone(), "");
            let (object, note) = (label(&key, ""), change_of(change).to_owned());
            self.line(&Line { revision: Some(revision), object, note, ..Line::default() });
        }
    }

    /// Takes note of who has written.
    fn wrote(&mut self, revision: u64, key: ObjectKey, who: &str) {
        self.summary.writes.add([
            who.to_owned(),
            label(
                &ObjectKey {
                    group: key.group.clone(),
                    resource: key.resource.clone(),
                    ..ObjectKey::default()
                },
                "",
            ),
        ]);
        self.writers.insert(key, (revision, who.to_owned()));
    }
}

fn watch_of(info: &WatchInfo) -> Watch {
    let scope = &info.scope;
    Watch {
        user: String::new(),
        collection: collection(&scope.group, &scope.resource, &scope.namespace),
        sent: 0,
    }
}

fn change_of(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Deleted => "deleted",
    }
}
