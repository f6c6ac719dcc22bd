//! Playing a scene: controllers at work, a namespace of its own, and the requests of each step.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::controllers::Command;

use super::CONFLICT;
use crate::cluster::Request;
use crate::cluster::trace::Origin;
use crate::model::lab::controllers::{Controllers, all};
use crate::model::lab::scenes::{self, Played, Step};
use crate::model::owners;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::controllers as words;

/// How often to look whether controllers have done what they were told, and how long between two looks in milliseconds.
const LOOKS: usize = 300;
const PAUSE: i32 = 100;
/// The most namespaces of a scene that are tried.
const MOST_NAMESPACES: usize = 50;

impl Page {
    /// Begins a scene in a namespace of its own, and takes its first step. The namespace of the scene before is deleted.
    pub(super) fn begin_scene(self, scene: usize) {
        if self.is_playing() {
            return;
        }
        let before = untrack(|| self.controllers(|known| known.played.clone()));
        self.change_played(|played| *played = Played { scene, is_busy: true, ..Played::default() });
        spawn_local(async move {
            let trouble = self.set_scene(scene, before).await.err();
            self.has_played(trouble);
        });
    }

    /// Takes the next step of the scene that was begun.
    pub(super) fn next_step(self) {
        if self.is_playing() {
            return;
        }
        self.change_played(|played| played.is_busy = true);
        spawn_local(async move {
            let trouble = self.take_next_step().await.err();
            self.has_played(trouble);
        });
    }

    /// Reports whether a step is being taken.
    fn is_playing(self) -> bool {
        untrack(|| self.controllers(|known| known.played.as_ref().is_some_and(|played| played.is_busy)))
    }

    fn change_played(self, change: impl FnOnce(&mut Played)) {
        self.change_controllers(|known| change(known.played.get_or_insert_default()));
    }

    fn has_played(self, trouble: Option<String>) {
        self.change_played(|played| {
            played.is_busy = false;
            played.trouble = trouble.unwrap_or_default();
        });
    }

    async fn set_scene(self, number: usize, before: Option<Played>) -> Result<(), String> {
        if !untrack(|| self.controllers(|known| known.work())) {
            self.start_controllers(all());
        }
        if let Some(before) = before.filter(|before| !before.namespace.is_empty()) {
            let target = ["/api/v1/namespaces/", &before.namespace].concat();
            let delete = Request { method: "DELETE".to_owned(), ..Request::get(&target) };
            self.exchange(delete, Origin::Lab, false).await;
        }
        let name = scenes::all("").get(number).map(|scene| scene.name.clone()).unwrap_or_default();
        let namespace = self.namespace_for(&name).await?;
        self.namespace.set(namespace.clone());
        self.detail.set(owners::TAB);
        self.change_played(|played| played.namespace = namespace);
        self.wait_until(|known| known.work() && !known.is_starting).await?;
        self.take_next_step().await
    }

    /// Makes a namespace of this name, or of this name and a number, and returns how it is called.
    async fn namespace_for(self, name: &str) -> Result<String, String> {
        for number in 1..=MOST_NAMESPACES {
            let namespace = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let body = ["{\"metadata\": {\"name\": \"", &namespace, "\"}}"].concat();
            let (code, message) =
                self.sent(Request::json("POST", "/api/v1/namespaces", &body), false).await?;
            match code {
                CONFLICT => {}
                400.. => return Err(message),
                _ => return Ok(namespace),
            }
        }
        Err(words::too_many(MOST_NAMESPACES))
    }

    /// Waits until the controllers have told that something is so.
    async fn wait_until(self, is_so: impl Fn(&Controllers) -> bool) -> Result<(), String> {
        for _ in 0..LOOKS {
            if untrack(|| self.controllers(&is_so)) {
                return Ok(());
            }
            dom::sleep(PAUSE).await;
        }
        Err(words::NO_CONTROLLERS.to_owned())
    }

    async fn take_next_step(self) -> Result<(), String> {
        let played = untrack(|| self.controllers(|known| known.played.clone())).unwrap_or_default();
        let scenes = scenes::all(&played.namespace);
        let Some(step) = scenes.get(played.scene).and_then(|scene| scene.steps.get(played.done)) else {
            return Ok(());
        };
        self.take(step).await?;
        self.change_played(|played| played.done += 1);
        Ok(())
    }

    async fn take(self, step: &Step) -> Result<(), String> {
        for request in &step.requests {
            let (code, message) = self.sent(request.request(), true).await?;
            if code >= 400 {
                return Err(message);
            }
        }
        for (name, switches) in &step.switches {
            self.ask_controllers(Some(Command::Switch { name: name.clone(), switches: *switches }));
            self.wait_until(|known| known.switches(name) == *switches).await?;
        }
        if step.passes > 0 {
            self.step_time(step.passes);
        }
        Ok(())
    }

    /// Sends a request, and returns the status of the response, and the message of one that is a failure.
    async fn sent(self, request: Request, show: bool) -> Result<(u16, String), String> {
        let exchange = self.exchange(request, Origin::Lab, show).await;
        let response = exchange.and_then(|number| self.settled(number));
        let (code, body) = response.ok_or_else(|| words::NO_RESPONSE.to_owned())?;
        Ok((code, body.text("message").to_owned()))
    }
}
