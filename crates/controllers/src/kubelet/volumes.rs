//! Volumes: what programs of containers have written, and found, for as long as the kubelets are there. A container's own files go with it, those of
//! an `emptyDir` with its pod, and those of a claim, or of a directory of a node, stay.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/>.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::exec::{Environment, Place, Seen, Shell, Written, of_container, of_pod, place_of};
use super::program::Program;

/// The most bytes of all stores. More is not kept.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The most changes by others that the program of a container finds.
const MOST_CHANGES: usize = 1000;

/// The volumes of a cluster, and the programs that write to them. All clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volumes(Arc<Mutex<Known>>);

/// The last changes of the files of a store, by their paths.
type Store = BTreeMap<String, Written>;

#[derive(Debug, Default)]
struct Known {
    /// The stores by their names, and what was written to them by its path.
    stores: BTreeMap<String, Store>,
    /// The bytes in the stores.
    size: usize,
    /// The programs that were started, by the ids of their containers.
    programs: BTreeMap<String, Started>,
    /// The uids of pods in whose containers others than their programs have changed files, and who is to be told.
    changed: BTreeSet<String>,
    waker: Option<Waker>,
    /// The variables of Services that containers were started with, by the uids of pods and the names of containers.
    links: BTreeMap<(String, String), Arc<Environment>>,
}

#[derive(Debug)]
struct Started {
    uid: String,
    /// The program, with the files that it found.
    program: Program,
    runs: bool,
    /// The number of changes that others have made.
    changes: usize,
}

impl Volumes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a program find what was written to its volumes before, and notes that it runs in a container with an id, anew. What the
    /// container had of its own is gone, and so is what it ran before the last time.
    pub(super) fn start(
        &self,
        (uid, name): (&str, &str),
        (id, before_last): (&str, &str),
        program: &mut Program,
    ) {
        let mut known = self.known();
        known.drop_store(&of_container(uid, name));
        known.programs.remove(before_last);
        for place in program.shell.places().iter().filter(|place| !place.part.is_empty()) {
            // A part of a volume that is not there is made.
            if !known.has(&place.store, &place.part) {
                let made = Written { path: place.part.clone(), entry: Some(None), at: program.shell.now() };
                known.put(&place.store, made);
            }
        }
        let now = program.shell.now();
        let found = known.found(program.shell.places(), now);
        program.shell.put(found);
        program.shell.settle();
        let started = Started { uid: uid.to_owned(), program: program.clone(), runs: true, changes: 0 };
        known.programs.insert(id.to_owned(), started);
    }

    /// Keeps what the program of a container has written that ends at a time, and returns it.
    pub(super) fn end(&self, id: &str, at: Duration) -> Vec<Written> {
        let mut known = self.known();
        let Some(started) = known.programs.get_mut(id).filter(|started| started.runs) else {
            return Vec::new();
        };
        started.runs = false;
        let program = started.program.clone();
        let written = program.written(at);
        known.keep(program.shell.places(), written.clone());
        written
    }

    /// Notes the variables of Services that a container is started with.
    pub(super) fn link(&self, (uid, name): (&str, &str), links: &Arc<Environment>) {
        self.known().links.insert((uid.to_owned(), name.to_owned()), Arc::clone(links));
    }

    /// Returns the variables of Services that a container was started with.
    pub(super) fn links(&self, (uid, name): (&str, &str)) -> Arc<Environment> {
        self.known().links.get(&(uid.to_owned(), name.to_owned())).cloned().unwrap_or_default()
    }

    /// Returns the program that a container has run, with the files that it found.
    pub(super) fn program(&self, id: &str) -> Option<Program> {
        self.known().programs.get(id).map(|started| started.program.clone())
    }

    /// Returns the program that a container runs, and the state of the container as it is now; `None` if it runs none.
    pub(super) fn seen(&self, id: &str, now: Duration) -> Option<(Program, Seen)> {
        let known = self.known();
        let program = &known.programs.get(id).filter(|started| started.runs)?.program;
        let mut seen = program.seen_at(&[now]).pop()?;
        seen.put(known.found(program.shell.places(), now));
        Some((program.clone(), seen))
    }

    /// Has the commands of a session find all that is there at a time.
    pub(super) fn look(&self, shell: &mut Shell, now: Duration) {
        let found = self.known().found(shell.places(), now);
        shell.put(found);
        shell.settle();
    }

    /// Keeps what a session has written, and has the programs find it that run in the same container, or have the same volumes.
    pub(super) fn keep(&self, shell: &Shell) {
        self.add(shell.places(), shell.files().written());
    }

    /// Keeps what was written at the places of a container, and has the programs find it.
    pub(super) fn add(&self, places: &[Place], written: Vec<Written>) {
        if !written.is_empty() {
            let mut known = self.known();
            known.tell(places, &written);
            known.keep(places, written);
        }
    }

    /// Waits until somebody has changed files of a container that runs.
    pub(crate) async fn changed(&self) {
        poll_fn(|context| {
            let mut known = self.known();
            if !known.changed.is_empty() {
                return Poll::Ready(());
            }
            known.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Takes the uids of the pods in whose containers somebody has changed files.
    pub(crate) fn take_changed(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.known().changed)
    }

    /// Forgets a pod that is gone, with all that goes with it.
    pub(super) fn forget(&self, uid: &str) {
        let mut known = self.known();
        let prefix = of_pod(uid);
        let names: Vec<String> =
            known.stores.keys().filter(|name| name.starts_with(&prefix)).cloned().collect();
        names.iter().for_each(|name| known.drop_store(name));
        known.programs.retain(|_, started| started.uid != uid);
        known.links.retain(|(own, _), _| own != uid);
    }
}

impl Known {
    /// Returns what a container finds at its places: what was written before, and what programs that run have written up to a time.
    fn found(&self, places: &[Place], now: Duration) -> Vec<Written> {
        let is_wanted = |place: &Place| places.iter().any(|own| own.store == place.store);
        let mut live = Vec::new();
        for started in self.programs.values().filter(|started| started.runs) {
            let own = started.program.shell.places();
            if own.iter().any(is_wanted) {
                live.extend(placed(own, started.program.written(now)));
            }
        }
        let mut found = Vec::new();
        for place in places {
            let kept = self.stores.get(&place.store).into_iter().flat_map(BTreeMap::values);
            let live = live.iter().filter(|(store, _)| *store == place.store).map(|(_, written)| written);
            found.extend(kept.chain(live).filter_map(|written| place.written_in_container(written)));
        }
        found.sort_by_key(|written| written.at);
        found
    }

    /// Has the programs that run find what somebody has written at some places.
    fn tell(&mut self, places: &[Place], written: &[Written]) {
        let all: Vec<(String, Written)> = placed(places, written.iter().cloned()).collect();
        for started in self.programs.values_mut().filter(|started| started.runs) {
            let own = started.program.shell.places().to_vec();
            let of_store = |store: &str| own.iter().find(|place| place.store == store);
            let changes =
                all.iter().filter_map(|(store, written)| of_store(store)?.written_in_container(written));
            let changes: Vec<Written> = changes.collect();
            if !changes.is_empty() && started.changes + changes.len() <= MOST_CHANGES {
                started.changes += changes.len();
                started.program.shell.add_changes(changes);
                self.changed.insert(started.uid.clone());
            }
        }
        if !self.changed.is_empty()
            && let Some(waker) = self.waker.take()
        {
            waker.wake();
        }
    }

    /// Keeps what was written at some places.
    fn keep(&mut self, places: &[Place], written: Vec<Written>) {
        for (store, written) in placed(places, written) {
            self.put(&store, written);
        }
    }

    /// Reports whether it is known what is at a path in a store.
    fn has(&self, store: &str, path: &str) -> bool {
        self.stores.get(store).is_some_and(|store| store.contains_key(path))
    }

    /// Puts a change into a store, if there is room, and no later one of its path. To remove something there always is room.
    fn put(&mut self, store: &str, written: Written) {
        let known = self.stores.get(store).and_then(|store| store.get(&written.path));
        if known.is_some_and(|known| known.at > written.at) {
            return;
        }
        let size = self.size - known.map_or(0, bytes) + bytes(&written);
        if size <= MOST_BYTES || written.entry.is_none() {
            self.size = size;
            self.stores.entry(store.to_owned()).or_default().insert(written.path.clone(), written);
        }
    }

    fn drop_store(&mut self, name: &str) {
        if let Some(store) = self.stores.remove(name) {
            self.size -= store.values().map(bytes).sum::<usize>();
        }
    }
}

/// Returns changes at some places of a container as those of stores, with their names.
fn placed(
    places: &[Place],
    written: impl IntoIterator<Item = Written>,
) -> impl Iterator<Item = (String, Written)> {
    written.into_iter().filter_map(|written| {
        let (store, path) = place_of(places, &written.path)?;
        Some((store.to_owned(), Written { path, ..written }))
    })
}

/// Returns the bytes that a change takes.
fn bytes(written: &Written) -> usize {
    written.path.len() + written.entry.iter().flatten().map(|bytes| bytes.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn there_is_no_more_than_there_is_room_for() {
        let mut known = Known::default();
        let written = |path: &str, entry| Written { path: path.to_owned(), entry, at: Duration::ZERO };
        let file = |size: usize| written("/f", Some(Some(Arc::new(vec![0; size]))));
        known.put("a", written("/d", Some(None)));
        known.put("a", file(MOST_BYTES - 4));
        assert_eq!(known.size, MOST_BYTES);
        known.put("b", file(1));
        assert!(!known.has("b", "/f"));
        known.put("a", written("/f", None));
        assert_eq!(known.size, "/d/f".len());
        known.drop_store("a");
        known.drop_store("b");
        assert_eq!(known.size, 0);
        known.put("b", file(1));
        assert!(known.has("b", "/f"));
    }
}
