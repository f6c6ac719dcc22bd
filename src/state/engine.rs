//! The engine of this tab: starting it, hearing what it says, and starting another when it has stopped.

use std::rc::Rc;

use glass::Glass;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::client::Client;
use protocol::command::Command;
use protocol::message::Error;

use super::Page;
use crate::cluster::embedded::Embedded;
use crate::cluster::worker::{Engine, EngineWorker, Listener, patience};
use crate::ui::{dom, messages};

/// How often the engine is asked whether it still answers, in milliseconds.
const ASKED: i32 = 5_000;

/// Makes the way to an engine that is still to be started: what is sent there waits.
pub(super) fn embedded() -> Rc<Embedded> {
    Rc::new(Embedded::new(Client::new(|| ()), dom::duration(dom::now())))
}

impl Page {
    /// Starts the engine.
    pub(super) fn start_engine(self) {
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
        match EngineWorker::start(now, dom::seed(), listener) {
            Ok(worker) => {
                let client = worker.client();
                client.subscribe();
                self.embedded().renew(client);
                self.quietly(|model| model.worker = Some(worker));
                self.command(Command::SetRate { rate: f64::from(self.speed.get_untracked()) });
            }
            Err(why) => self.engine.set(Engine::Stopped(why)),
        }
    }

    /// Starts another engine, with a new cluster, where one has stopped or is silent.
    pub(crate) fn restart_engine(self) {
        self.at.set(None);
        let ended = self.update(|model| {
            model.here = Glass::default();
            model.worker.take()
        });
        // Whoever still waits for the old one is told.
        self.embedded().client().stop(&Error::Stopped(messages::engine::RESTARTED.to_owned()));
        drop(ended);
        self.open_cluster();
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
                // Any command would do: this one changes nothing, for the rate is what the page has set before.
                let rate = f64::from(self.speed.get_untracked());
                let answer = self.embedded().command(Command::SetRate { rate });
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
