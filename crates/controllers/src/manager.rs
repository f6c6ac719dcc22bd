//! The manager: it runs controllers, one step after the other.

mod poll;
mod run;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Waker};
use std::time::Duration;

use apiserver::{ApiServer, Component, RunningComponent};
use clock::Clock;
use futures::FutureExt;
use futures::future::{BoxFuture, select};
use json_tree::{Value, json};
use protocol::controllers::{self as told, Choice, Reconcile};

use crate::change::Change;
use crate::client::{Client, Told, View};
use crate::control::Control;
use crate::controller::{Context, Controller, Interest, Outcome};
use crate::events::{EventType, Numbers};
use crate::heartbeats::Heartbeats;
use crate::informer::Informers;
use crate::kubelet::{Host, Volumes};
use crate::options::Options;
use crate::resource::{Resource, SERVICE_ACCOUNTS};
use crate::selection::Selection;
use crate::{object, part};
use poll::{Woken, give_way, telling};
use run::Run;

/// The namespace of the accounts that controllers use.
const ACCOUNTS: &str = "kube-system";

/// Controllers over one API server. They share informers, and take turns in a fixed order, so that the same requests at the same
/// times make the same cluster.
///
/// ```
/// use std::sync::Arc;
/// use apiserver::{ApiServer, Config};
/// use clock::{ManualClock, SeededRandom};
/// use controllers::{Manager, Options, Selection};
///
/// let clock = Arc::new(ManualClock::default());
/// let server = ApiServer::new(Config::new(clock.clone(), Arc::new(SeededRandom::new(1))));
/// let mut manager = Manager::new(&server, clock, &Selection::parse(["*"])?, &Options::default());
/// manager.settle();
/// # Ok::<(), controllers::SelectionError>(())
/// ```
pub struct Manager {
    work: BoxFuture<'static, ()>,
    /// The time at which something is due.
    due: Arc<Mutex<Option<Duration>>>,
    control: Control,
}

impl Manager {
    /// Makes a manager of the controllers that are selected. Nothing happens before it is driven: by [`Self::run`], or by
    /// [`Self::settle`] again and again.
    pub fn new(server: &ApiServer, clock: Arc<dyn Clock>, selection: &Selection, options: &Options) -> Self {
        let due = Arc::default();
        let control = Control::default();
        let work = Work::new(server, clock, selection, options, control.clone()).run(Arc::clone(&due));
        Self { work: Box::pin(work), due, control }
    }

    /// Returns its controls.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Works until there is nothing to do before time passes or somebody else writes.
    pub fn settle(&mut self) {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            let ended = self.work.as_mut().poll(&mut task::Context::from_waker(&waker)).is_ready();
            if ended || !woken.take() {
                return;
            }
        }
    }

    /// Does one step, for a host that polls it among others. `cx` is woken when there may be more to do.
    pub fn poll(&mut self, cx: &mut task::Context<'_>) -> task::Poll<()> {
        self.work.as_mut().poll(cx)
    }

    /// Works for as long as it is polled. Where nothing is to be done, it waits for a change, or for the time at which something is
    /// due, and for nothing else.
    pub async fn run(self) {
        self.work.await;
    }

    /// Returns the time at which something is to be done though nobody writes; `None` if nothing is. While a request waits for a watch
    /// cache that lags, it goes on by itself, and this is a second from when it was last looked at, at most: look again then.
    pub fn next_due(&self) -> Option<Duration> {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The work of a manager.
struct Work {
    server: ApiServer,
    client: Client,
    /// The volumes of the pods on the nodes.
    volumes: Volumes,
    clock: Arc<dyn Clock>,
    informers: Informers,
    /// The changes that no controller has heard of yet.
    changes: VecDeque<Change>,
    runs: Vec<Run>,
    /// The controller that is first asked for work.
    turn: usize,
    heartbeats: Heartbeats,
    control: Control,
    /// The version of the controls that was looked at last, and how often switches had been set that are obeyed.
    seen: u64,
    switched: u64,
    /// The parts of a control plane of which ComponentStatuses tell that they run.
    _components: Vec<RunningComponent>,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.runs.iter().filter_map(Run::node).for_each(|node| self.server.hang_up(node));
        self.control.end();
    }
}

impl Work {
    fn new(
        server: &ApiServer,
        clock: Arc<dyn Clock>,
        selection: &Selection,
        options: &Options,
        control: Control,
    ) -> Self {
        let numbers = Numbers::default();
        let volumes = Volumes::default();
        let parts = part::parts(server, selection, options, &volumes).into_iter();
        let runs: Vec<_> = parts.map(|part| Run::new(part, &numbers)).collect();
        let choice = Choice {
            controllers: selection.names().map(str::to_owned).collect(),
            scheduler: options.has_scheduler(),
            nodes: options.nodes,
            ..Choice::default()
        };
        let components = [
            (!choice.controllers.is_empty()).then_some(Component::ControllerManager),
            choice.scheduler.then_some(Component::Scheduler),
        ];
        let components = components.into_iter().flatten();
        control.begin(choice, runs.iter().map(Run::told).collect());
        Self {
            server: server.clone(),
            client: Client::of_manager(server, "controller-discovery"),
            volumes,
            clock,
            informers: Informers::new(Client::of_manager(server, "shared-informers")),
            changes: VecDeque::new(),
            runs,
            turn: 0,
            heartbeats: Heartbeats::default(),
            control,
            seen: 0,
            switched: 0,
            _components: components.map(|component| server.run_component(component)).collect(),
        }
    }

    /// Does all that is to be done, and waits for more. `due` tells for how long it waits.
    async fn run(mut self, due: Arc<Mutex<Option<Duration>>>) {
        let clock = Arc::clone(&self.clock);
        let set = |next| *due.lock().unwrap_or_else(PoisonError::into_inner) = next;
        telling(self.begin(), &*clock, set).await;
        loop {
            while telling(self.step(), &*clock, set).await {
                self.tell_state();
                give_way().await;
            }
            self.tell_state();
            let next = self.next_due();
            set(next);
            let informed = std::pin::pin!(self.informers.changed());
            let controlled = std::pin::pin!(self.control.changed(self.seen));
            let written = std::pin::pin!(self.volumes.changed());
            let changed = std::pin::pin!(select(select(informed, controlled), written).map(|_| ()));
            match next {
                None => changed.await,
                Some(at) => {
                    let sleep = self.clock.sleep(at.saturating_sub(self.clock.now()));
                    select(changed, sleep).await;
                }
            }
        }
    }

    /// Tells those who look at the controllers.
    fn tell_state(&self) {
        self.control.tell(|| self.runs.iter().map(Run::told).collect());
    }

    /// Brings the copies up to date, and has one controller look at one object. Returns false if there was nothing to do.
    async fn step(&mut self) -> bool {
        self.seen = self.control.version();
        self.obey();
        self.listen().await;
        self.listen_for_files();
        let (now, count, permit) = (self.clock.now(), self.runs.len(), self.control.permit());
        for place in 0..2 * count {
            // Those that are quick come first.
            let index = if place < count { place } else { (self.turn + place) % count };
            let run = &mut self.runs[index];
            if place < count && !run.controller.is_quick() {
                continue;
            }
            if permit.allows(&run.name)
                && let Some(key) = run.next(&self.informers, now, permit.insists())
            {
                if !run.controller.is_quick() {
                    self.turn = (index + 1) % count;
                }
                self.sync(index, &key).await;
                return true;
            }
        }
        self.control.found_nothing(&permit)
    }

    /// Has the controllers do what was set since it was last looked at.
    fn obey(&mut self) {
        let Some(switches) = self.control.switches(&mut self.switched) else { return };
        for index in 0..self.runs.len() {
            let run = &mut self.runs[index];
            let own = switches.iter().find(|(name, _)| *name == run.name);
            for change in run.switch(own.map(|(_, own)| *own).unwrap_or_default()) {
                self.tell(index, &change);
            }
        }
        self.listen_for_heartbeats();
    }

    /// Notes which kubelets are silent, and tells controllers of those that were not, or are not any more.
    fn listen_for_heartbeats(&mut self) {
        let now = self.clock.now();
        for index in 0..self.runs.len() {
            let run = &self.runs[index];
            let Some(node) = run.node().map(str::to_owned) else { continue };
            // Nobody reaches one that is cut off.
            if run.is_cut_off() {
                self.server.hang_up(&node);
            } else {
                let host = Host::new(&self.clock, self.server.service_range(), &self.volumes);
                self.server.listen(&node, Arc::new(host));
            }
            if !self.heartbeats.set(&node, run.is_silent(), now) {
                continue;
            }
            self.each(|controller, context| controller.kubelet_changed(&node, context));
        }
    }

    /// Tells controllers in whose containers somebody has changed files.
    fn listen_for_files(&mut self) {
        let uids = self.volumes.take_changed();
        if !uids.is_empty() {
            self.each(|controller, context| controller.files_changed(&uids, context));
        }
    }

    /// Has each controller hear of something that is no change of an object.
    fn each(&mut self, tell: impl Fn(&mut dyn Controller, &mut Context<'_>)) {
        for run in &mut self.runs {
            let mut interests = Vec::new();
            let stores = (&self.informers.stores, &self.heartbeats);
            let (controller, mut context) = run.with_context(stores, &*self.clock, &mut interests);
            tell(controller, &mut context);
        }
    }

    fn next_due(&mut self) -> Option<Duration> {
        let now = self.clock.now();
        let runs = if self.control.waits() { &mut [] } else { self.runs.as_mut_slice() };
        let queues = runs.iter_mut().filter_map(|run| run.next_due(now));
        queues.chain(self.informers.next_due()).min()
    }

    /// Makes the accounts of the controllers, and starts the informers that they want.
    async fn begin(&mut self) {
        self.listen_for_heartbeats();
        for index in 0..self.runs.len() {
            if let Some(account) = self.runs[index].account {
                self.make_account(account).await;
            }
            let run = &mut self.runs[index];
            run.resources = run.controller.resources().into_iter().map(|(resource, _)| resource).collect();
            if let Some(key) = run.controller.first() {
                run.queue.add(key);
            }
        }
        // Whole objects are wanted by some: who wants metadata alone gets them, too.
        let mut wanted: HashMap<Resource, View> = HashMap::new();
        for run in &self.runs {
            for (resource, view) in run.controller.resources() {
                let known = wanted.entry(resource).or_insert(view);
                if view == View::Whole {
                    *known = view;
                }
            }
        }
        let mut wanted: Vec<_> = wanted.into_iter().collect();
        wanted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (resource, view) in wanted {
            self.informers.start(&resource, view);
        }
    }

    /// Makes the account of a controller, unless it is there.
    async fn make_account(&mut self, account: &str) {
        let known = self.client.get(&SERVICE_ACCOUNTS, ACCOUNTS, account, View::Whole).await;
        if known.is_err_and(|error| error.is_not_found()) {
            let object = json!({"metadata": {"name": account, "namespace": ACCOUNTS}});
            // Nobody asks for it: the controller is authenticated without it.
            let _ = self.client.create(&SERVICE_ACCOUNTS, ACCOUNTS, &object).await;
        }
    }

    /// Notes what a controller wants to hear of.
    fn express(&mut self, index: usize, interests: impl IntoIterator<Item = Interest>) {
        for interest in interests {
            match interest {
                Interest::Begin(resource, view) => {
                    let known = self.runs[index].resources.contains(&resource);
                    if !known {
                        self.runs[index].resources.push(resource.clone());
                        self.informers.start(&resource, view);
                        self.tell_all(index, &resource);
                    }
                }
                Interest::End(resource) => {
                    self.runs[index].resources.retain(|own| *own != resource);
                    if !self.runs.iter().any(|run| run.resources.contains(&resource)) {
                        self.informers.stop(&resource);
                    }
                }
            }
        }
    }

    /// Tells a controller of all objects that are known already of a resource.
    fn tell_all(&mut self, index: usize, resource: &Resource) {
        let known: Vec<_> =
            self.informers.stores.of(resource).iter().map(|(_, object)| Arc::clone(object)).collect();
        for object in known {
            let change = Change { resource: resource.clone(), old: None, new: Some(object) };
            self.tell(index, &change);
        }
    }

    /// Tells controllers of all changes.
    async fn listen(&mut self) {
        loop {
            self.informers.advance(self.clock.now(), &mut self.changes).await;
            let Some(change) = self.changes.pop_front() else { return };
            self.tell_everybody(&change);
            while let Some(change) = self.changes.pop_front() {
                self.tell_everybody(&change);
            }
        }
    }

    fn tell_everybody(&mut self, change: &Change) {
        for index in 0..self.runs.len() {
            let run = &mut self.runs[index];
            if !run.resources.contains(&change.resource) {
                continue;
            }
            if run.is_cut_off() {
                run.miss(change);
            } else {
                self.tell(index, change);
            }
        }
    }

    fn tell(&mut self, index: usize, change: &Change) {
        let mut interests = Vec::new();
        let (controller, mut context) = self.runs[index].with_context(
            (&self.informers.stores, &self.heartbeats),
            &*self.clock,
            &mut interests,
        );
        context.queue.set_cause(change.object().and_then(|object| object::version(object).parse().ok()));
        controller.observe(change, &mut context);
        context.queue.set_cause(None);
        self.express(index, interests);
    }

    /// Has a controller look at an object.
    async fn sync(&mut self, index: usize, key: &str) {
        let mut interests = Vec::new();
        let run = &mut self.runs[index];
        let (before, begun) = (run.client.writes(), self.clock.now());
        let because = run.queue.take_cause(key);
        let (controller, mut context) =
            run.with_context((&self.informers.stores, &self.heartbeats), &*self.clock, &mut interests);
        let outcome = controller.sync(key, &mut context).await;
        let now = self.clock.now();
        let told = match outcome {
            Ok(Outcome::Done) => {
                run.queue.forget(key);
                told::Outcome::Done
            }
            Ok(Outcome::After(pause)) => {
                let at = now.saturating_add(pause);
                run.queue.add_at(key, at);
                told::Outcome::Again(at)
            }
            failed @ (Ok(Outcome::Retry) | Err(_)) => {
                // What led to it leads to the next one, too.
                run.queue.set_cause(because);
                let retry = run.queue.add_rate_limited(key, now);
                run.queue.set_cause(None);
                let why = failed.err().map(|error| error.to_string()).unwrap_or_default();
                told::Outcome::Failed { why, retry }
            }
        };
        run.count(matches!(told, told::Outcome::Failed { .. }), now);
        let writes = u32::try_from(run.client.writes() - before).unwrap_or(u32::MAX);
        if writes > 0
            && let Some(pause) = run.budget.spend(key, writes, now)
        {
            run.queue.hold(key, now.saturating_add(pause));
            if let Some((resource, about)) = find(&run.resources, &self.informers, key) {
                let message = format!("Back-off of {pause:?}: written too much without coming to rest");
                run.recorder.report(resource, &about, EventType::Warning, "BackOff", message);
            }
        }
        run.recorder.flush(&run.client, now).await;
        let Told { wrote, refused } = run.client.take_told();
        self.control.keep(Reconcile {
            number: 0,
            controller: run.name.clone(),
            key: key.to_owned(),
            at: begun,
            because,
            wrote,
            refused,
            outcome: told,
        });
        self.express(index, interests);
    }
}

/// Finds the object of a key among those that a controller hears of.
fn find<'a>(
    resources: &'a [Resource],
    informers: &Informers,
    key: &str,
) -> Option<(&'a Resource, Arc<Value>)> {
    resources.iter().find_map(|resource| {
        let stored =
            informers.stores.of(resource).get(key).filter(|object| !object::name(object).is_empty())?;
        Some((resource, Arc::clone(stored)))
    })
}
