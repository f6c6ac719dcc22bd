//! Volumes: what programs of containers have written, and found, for as long as the kubelets are there. A container's own files go with it, those of
//! an `emptyDir` with its pod, and those of a claim, or of a directory of a node, stay.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/>.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::exec::{Environment, Files, Place, Shell, Written, of_container, of_pod, place_of};
use super::program::Program;

/// The most bytes of all stores. More is not kept.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The volumes of a cluster, and the programs that write to them. All clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volumes(Arc<Mutex<Known>>);

/// The files of a store.
type Store = BTreeMap<String, Written>;

#[derive(Debug, Default)]
struct Known {
    /// The stores by their names, and what was written to them by its path.
    stores: BTreeMap<String, Store>,
    /// The bytes in the stores.
    size: usize,
    /// The programs that were started, by the ids of their containers.
    programs: BTreeMap<String, Started>,
    /// The variables of Services that containers were started with, by the uids of pods and the names of containers.
    links: BTreeMap<(String, String), Arc<Environment>>,
}

#[derive(Debug)]
struct Started {
    uid: String,
    /// The program, with the files that it found.
    program: Program,
    runs: bool,
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
                known.put(&place.store, (place.part.clone(), Some(None)));
            }
        }
        let now = program.shell.now();
        let found = known.found(program.shell.places(), now);
        program.shell.put(found);
        let started = Started { uid: uid.to_owned(), program: program.clone(), runs: true };
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

    /// Has the commands of a session find all that is there at a time.
    pub(super) fn look(&self, shell: &mut Shell, now: Duration) {
        let found = self.known().found(shell.places(), now);
        shell.put(found);
    }

    /// Keeps what a session has written since its files were as before.
    pub(super) fn keep(&self, shell: &Shell, before: &Files) {
        let written = shell.files().written_since(before);
        if !written.is_empty() {
            self.known().keep(shell.places(), written);
        }
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
                let placed = started.program.written(now).into_iter().filter_map(|(path, entry)| {
                    let (store, path) = place_of(own, &path)?;
                    Some((store.to_owned(), (path, entry)))
                });
                live.extend(placed);
            }
        }
        let mut found = Vec::new();
        for place in places {
            let kept = self.stores.get(&place.store).into_iter().flat_map(BTreeMap::values);
            let live = live.iter().filter(|(store, _)| *store == place.store).map(|(_, written)| written);
            let placed =
                kept.chain(live).filter_map(|(path, entry)| Some((place.in_container(path)?, entry.clone())));
            found.extend(placed);
        }
        found
    }

    /// Keeps what was written at some places.
    fn keep(&mut self, places: &[Place], written: Vec<Written>) {
        for (path, entry) in written {
            if let Some((store, path)) = place_of(places, &path) {
                self.put(store, (path, entry));
            }
        }
    }

    /// Reports whether it is known what is at a path in a store.
    fn has(&self, store: &str, path: &str) -> bool {
        self.stores.get(store).is_some_and(|store| store.contains_key(path))
    }

    /// Puts an entry into a store, if there is room. To remove one there always is.
    fn put(&mut self, store: &str, written: Written) {
        let replaced = self.stores.get(store).and_then(|store| store.get(&written.0)).map_or(0, bytes);
        let size = self.size - replaced + bytes(&written);
        if size <= MOST_BYTES || written.1.is_none() {
            self.size = size;
            self.stores.entry(store.to_owned()).or_default().insert(written.0.clone(), written);
        }
    }

    fn drop_store(&mut self, name: &str) {
        if let Some(store) = self.stores.remove(name) {
            self.size -= store.values().map(bytes).sum::<usize>();
        }
    }
}

/// Returns the bytes that an entry takes.
fn bytes((path, entry): &Written) -> usize {
    path.len() + entry.iter().flatten().map(|bytes| bytes.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn there_is_no_more_than_there_is_room_for() {
        let mut known = Known::default();
        let file = |size: usize| ("/f".to_owned(), Some(Some(Arc::new(vec![0; size]))));
        known.put("a", ("/d".to_owned(), Some(None)));
        known.put("a", file(MOST_BYTES - 4));
        assert_eq!(known.size, MOST_BYTES);
        known.put("b", file(1));
        assert!(!known.has("b", "/f"));
        known.put("a", ("/f".to_owned(), None));
        assert_eq!(known.size, "/d/f".len());
        known.drop_store("a");
        known.drop_store("b");
        assert_eq!(known.size, 0);
        known.put("b", file(1));
        assert!(known.has("b", "/f"));
    }
}
