//! The engine of this tab: starting it, hearing what it says, and starting another when it has stopped.

use std::rc::Rc;

use glass::Glass;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::client::Client;
use protocol::command::{Backup, Command};
use protocol::message::{ClusterId, Error, Mode};

use super::Page;
use crate::cluster::Request;
use crate::cluster::embedded::Embedded;
use crate::cluster::host::Host;
use crate::cluster::worker::{Engine, EngineWorker, Listener, patience};
use crate::ui::{dom, messages};

/// How often the engine is asked whether it still answers, in milliseconds.
const ASKED: i32 = 5_000;

/// Makes the way to an engine that is still to be started: what is sent there waits.
pub(super) fn embedded() -> Rc<Embedded> {
    Rc::new(Embedded::new(Client::new(|| ()), dom::duration(dom::now())))
}

impl Page {
    /// Starts the engine. Its cluster goes on from `backup`, if there is one.
    pub(super) fn start_engine(self, backup: Option<Backup>) {
        self.start_engine_at(None, backup);
    }

    /// Starts an engine with an empty cluster in the place of the one that is there, whose first write has a revision.
    pub(crate) fn begin_for_document(self, first_revision: Option<u64>) {
        self.at.set(None);
        self.lab.told.set(0);
        self.update(|model| {
            model.here = Glass::default();
            model.controllers = None;
            model.watches.clear();
            model.streams.drain().for_each(|(_, stream)| stream.abort());
        });
        self.end_engine();
        self.goes_on.set(true);
        self.start_engine_at(first_revision, None);
    }

    fn start_engine_at(self, first_revision: Option<u64>, backup: Option<Backup>) {
        let listener = Listener {
            traced: Box::new(move |batches| self.happened(batches)),
            changed: Box::new(move |engine| {
                // The page may be gone by then.
                let _ = self.engine.try_set(engine);
            }),
        };
        let clock = self.embedded().clock.clone();
        let now = clock::Clock::now(&clock).as_secs_f64() * 1000.0;
        self.engine.set(Engine::Loading(0.0, 0.0));
        match EngineWorker::start(now, dom::seed(), first_revision, listener) {
            Ok(worker) => {
                let client = worker.client();
                if let Some(backup) = backup {
                    self.restore(&client, backup);
                }
                client.subscribe();
                client.call_webhooks(move |client, number, call, review| {
                    self.call_webhook(client.clone(), number, call, review);
                });
                self.embedded().renew(client);
                self.quietly(|model| model.worker = Some(worker));
                if !self.host.with_value(Host::is_shared) {
                    self.command(Command::SetRate { rate: f64::from(self.speed.get_untracked()) });
                }
            }
            Err(why) => self.engine.set(Engine::Stopped(why)),
        }
    }

    /// Has the engine's cluster go on from `backup`. Nothing was asked of it before.
    fn restore(self, client: &Client, backup: Backup) {
        let restored = client.command(ClusterId::FIRST, Command::Restore(Box::new(backup)));
        spawn_local(async move {
            if let Err(why) = restored.await {
                self.engine.set(Engine::Stopped(messages::engine::not_restored(&why.to_string())));
            }
        });
    }

    /// Returns whether enough is known of the cluster for it to go on in another engine.
    pub(crate) fn can_go_on(self) -> bool {
        !self.host.with_value(Host::is_shared) && self.model.with_value(|model| model.here.batch() > 0)
    }

    /// Starts another engine where one has stopped or is silent. With `same`, its cluster goes on from what is known of the
    /// old one's; without, it is a new one.
    pub(crate) fn restart_engine(self, same: bool) {
        let backup = self.update(|model| {
            model.watches.retain(|watch| watch.theirs.is_none());
            model.here.backup().filter(|_| same)
        });
        let Some(backup) = backup.flatten() else {
            return spawn_local(self.restart_with_new());
        };
        self.at.set(None);
        self.update(|model| model.here.restart());
        self.end_engine();
        self.keeping(|keeper| keeper.anew());
        self.start_engine(Some(backup));
    }

    /// Starts an engine with a new cluster in the place of the one that is there, and resolves once something is in it.
    pub(super) async fn restart_with_new(self) {
        self.at.set(None);
        self.update(|model| model.here = Glass::default());
        self.end_engine();
        self.keeping(|keeper| keeper.anew());
        self.start_engine(None);
        self.fill_new().await;
    }

    /// Ends the engine. Whoever still waits for it is told.
    pub(super) fn end_engine(self) {
        let ended = self.quietly(|model| model.worker.take());
        self.embedded().client().stop(&Error::Stopped(messages::engine::RESTARTED.to_owned()));
        drop(ended);
    }

    /// Finds out now and then whether the engine still answers.
    pub(super) fn ask_engine(self) {
        spawn_local(async move {
            loop {
                dom::sleep(ASKED).await;
                let Some(engine) = self.engine.try_get_untracked() else { return };
                if !matches!(engine, Engine::Ready | Engine::Silent) {
                    continue;
                }
                // Any question would do: this one leaves no trace.
                let answer = self.embedded().ask(Mode::At(u64::MAX), &Request::get("/api"));
                let silent = futures::future::select(answer, Box::pin(patience())).await;
                let now = match silent {
                    futures::future::Either::Left((Ok(_), _)) => Engine::Ready,
                    futures::future::Either::Left((Err(_), _)) => continue,
                    futures::future::Either::Right(_) => Engine::Silent,
                };
                if now != engine && self.engine.try_get_untracked() == Some(engine) {
                    self.engine.set(now);
                }
            }
        });
    }
}
