//! The local copies of collections that the page keeps.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use clock::{Clock, ManualClock, SeededRandom};
use futures::future::{AbortHandle, abortable};
use glass::Glass;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::line::Line;
use crate::cluster::reflector::decision::Decision;
use crate::cluster::reflector::run::run;
use crate::cluster::reflector::{Mode, Options, Reflector, objects};
use crate::cluster::trace::Origin;
use crate::cluster::{Which, catalog};
use crate::model::messages::reflector as words;
use crate::model::watch::short;
use crate::state::Page;
use crate::state::traced::Traced;
use crate::ui::{dom, messages};

/// A local copy of a collection.
pub(crate) struct LocalCopy {
    /// The copy's number in this page.
    pub(crate) id: u64,
    /// The cluster that it comes from.
    pub(crate) cluster: Which,
    /// The options: what it is a copy of, and how it is transferred.
    pub(crate) options: Options,
    /// The reflector that keeps it.
    reflector: Rc<RefCell<Reflector>>,
    /// The line that it comes over.
    pub(crate) line: Rc<Line>,
    /// The time that it goes by: the cluster's.
    clock: ManualClock,
    /// Stops it; nothing once that has been done.
    task: Option<AbortHandle>,
    /// How many decisions were made before it was last started anew.
    before: u64,
    /// How often something has come of it.
    steps: u64,
    /// The cluster's revision and the steps at which it was last compared, and what came of that.
    compared: Cell<(u64, u64, Option<usize>)>,
    /// The number of the first decision that who does not see the page has not been told of.
    untold: u64,
}

impl LocalCopy {
    /// Returns whether the copy is kept up to date.
    pub(crate) fn runs(&self) -> bool {
        self.task.is_some()
    }

    /// Returns the copy's version; `None` until the copy has been whole.
    pub(crate) fn version(&self) -> Option<u64> {
        let reflector = self.reflector.borrow();
        reflector.version().parse().ok().filter(|_| reflector.synced())
    }

    /// How many objects it has.
    pub(crate) fn objects(&self) -> usize {
        self.reflector.borrow().objects().len()
    }

    /// The numbers of its decisions since it was last started, the newest first.
    pub(crate) fn decisions(&self) -> Vec<u64> {
        self.reflector.borrow().log().iter().rev().map(|(number, ..)| self.before + number).collect()
    }

    /// When a decision was made, in seconds since the Unix epoch, and what it was.
    pub(crate) fn decision(&self, number: u64) -> Option<(u64, String)> {
        let reflector = self.reflector.borrow();
        let (at, decision) = reflector.log().get(number.checked_sub(self.before)?)?;
        Some((at.as_secs(), words::decision(decision)))
    }

    fn behind(&self, glass: &Glass) -> Option<usize> {
        let reflector = self.reflector.borrow();
        if self.cluster == Which::Remote || !reflector.synced() {
            return None;
        }
        let (resource, namespace) = catalog::stored(&self.options.target)?;
        let state = state(glass, &resource);
        Some(objects::behind(reflector.objects(), &state, &namespace))
    }

    /// Returns the copy's objects beside those of the server; nothing where the page cannot know.
    pub(crate) fn pairs(&self, glass: &Glass) -> Vec<objects::Pair> {
        let stored = catalog::stored(&self.options.target).filter(|_| self.cluster == Which::ThisTab);
        let Some((resource, namespace)) = stored else { return Vec::new() };
        let state = state(glass, &resource);
        objects::pairs(self.reflector.borrow().objects(), &state, &namespace)
    }

    fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Page {
    /// The path of the collection that a copy would be of: the one that the form's path leads into, or else the
    /// ConfigMaps.
    pub(crate) fn collection(self) -> String {
        let asked = self.form.path.with(|path| catalog::collection(path));
        asked.unwrap_or_else(|| {
            let namespace = self.namespace.get();
            let inside = if namespace.is_empty() { namespace } else { format!("namespaces/{namespace}/") };
            format!("/api/v1/{inside}configmaps")
        })
    }

    /// The copies of the cluster, oldest first.
    pub(crate) fn copies(self) -> Vec<u64> {
        let which = self.cluster.get();
        self.read(|model| {
            model.copies.iter().filter(|copy| copy.cluster == which).map(|copy| copy.id).collect()
        })
    }

    /// Looks at a copy, and again whenever something has changed.
    pub(crate) fn copy<T>(self, id: u64, look: impl FnOnce(&LocalCopy) -> T) -> Option<T> {
        self.read(|model| model.copies.iter().find(|copy| copy.id == id).map(look))
    }

    /// How many objects of a copy are not as the server has them; `None` where the page cannot know. It is counted only
    /// where either has changed since it last was.
    pub(crate) fn behind(self, id: u64) -> Option<usize> {
        let head = self.overview.with_untracked(|overview| overview.revision);
        self.read(|model| {
            let copy = model.copies.iter().find(|copy| copy.id == id)?;
            let (revision, steps, known) = copy.compared.get();
            if (revision, steps) == (head, copy.steps) {
                return known;
            }
            let behind = copy.behind(&model.here);
            copy.compared.set((head, copy.steps, behind));
            behind
        })
    }

    /// Starts a copy of the [collection](Self::collection).
    pub(crate) fn keep_copy(self) {
        let cluster = self.cluster.get_untracked();
        let options = Options { target: untrack(|| self.collection()), ..Options::default() };
        let line = Rc::new(Line::new(self.transport(cluster)));
        let id = self.update(|model| {
            model.count += 1;
            let clock = match cluster {
                Which::ThisTab => model.embedded.clock.clone(),
                Which::Remote => model.wall.clone(),
            };
            let reflector = reflector(&options, &clock);
            let (id, task, before, untold) = (model.count, None, 0, 0);
            model.copies.push(LocalCopy {
                id,
                cluster,
                options,
                reflector,
                line,
                clock,
                task,
                before,
                steps: 1,
                compared: Cell::default(),
                untold,
            });
            id
        });
        if let Some(id) = id {
            self.follow_copy(id);
        }
    }

    /// Starts a copy anew, with nothing; in another way, if one is given.
    pub(crate) fn renew_copy(self, id: u64, mode: Option<Mode>) {
        self.change_copy(id, |copy| {
            copy.stop();
            copy.options.mode = mode.unwrap_or(copy.options.mode);
            copy.steps += 1;
            copy.before = copy.decisions().first().map_or(copy.before, |newest| newest + 1);
            copy.untold = copy.before;
            copy.reflector = reflector(&copy.options, &copy.clock);
        });
        self.follow_copy(id);
    }

    fn follow_copy(self, id: u64) {
        let started = self.update(|model| {
            let copy = model.copies.iter_mut().find(|copy| copy.id == id)?;
            let (reflector, clock) = (copy.reflector.clone(), copy.clock.clone());
            let traced =
                Traced { page: self, which: copy.cluster, origin: Origin::Copy, to: copy.line.clone() };
            let (task, handle) =
                abortable(async move { run(&reflector, &traced, &clock, &|| self.copied(id)).await });
            copy.task = Some(handle);
            Some(task)
        });
        if let Some(task) = started.flatten() {
            spawn_local(async move {
                let _ = task.await;
            });
        }
    }

    /// Says what has come of a copy to who does not see the page: that it is whole, or that something went wrong.
    fn copied(self, id: u64) {
        let said = self.update(|model| {
            let copy = model.copies.iter_mut().find(|copy| copy.id == id)?;
            copy.steps += 1;
            let reflector = copy.reflector.borrow();
            let untold = copy.untold - copy.before;
            let mut news = reflector.log().iter().rev().take_while(|(number, ..)| *number >= untold);
            let (number, _, decision) = news.find(|(.., decision)| {
                matches!(decision, Decision::Synced { .. } | Decision::Wait { .. } | Decision::FallBack(_))
            })?;
            copy.untold = copy.before + number + 1;
            // Once a second is enough for who listens.
            let now = dom::monotonic();
            (now - model.said_at > 1000.0).then(|| {
                model.said_at = now;
                messages::copy_said(&short(&copy.options.target), &words::decision(decision))
            })
        });
        if let Some(said) = said.flatten() {
            self.say(&said);
        }
    }

    /// Cuts the connection of a copy, or mends it.
    pub(crate) fn cut_copy(self, id: u64) {
        self.change_copy(id, |copy| copy.line.set_cut(!copy.line.is_cut()));
    }

    /// No longer keeps a copy up to date.
    pub(crate) fn stop_copy(self, id: u64) {
        self.change_copy(id, LocalCopy::stop);
    }

    /// Takes a copy out of the list.
    pub(crate) fn dismiss_copy(self, id: u64) {
        self.stop_copy(id);
        self.update(|model| model.copies.retain(|copy| copy.id != id));
    }

    fn change_copy(self, id: u64, change: impl FnOnce(&mut LocalCopy)) {
        self.update(|model| model.copies.iter_mut().find(|copy| copy.id == id).map(change));
    }
}

/// The objects of a resource as they are now.
fn state(glass: &Glass, resource: &str) -> Vec<bytes::Bytes> {
    let state = glass.versions().state_at(resource, glass.revision());
    state.map(|(_, object)| object.json.clone()).collect()
}

fn reflector(options: &Options, clock: &ManualClock) -> Rc<RefCell<Reflector>> {
    let random = Arc::new(SeededRandom::new(dom::seed()));
    Rc::new(RefCell::new(Reflector::new(options.clone(), random, clock.now())))
}
