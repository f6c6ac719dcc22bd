//! The story that the page tells in twenty seconds: list, watch, change, bookmark, cut, resume.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Page;
use crate::cluster::trace::Origin;
use crate::cluster::{Request, Which};
use crate::request::target;
use crate::ui::{dom, messages};

const COLLECTION: &str = "/api/v1/namespaces/default/configmaps";
const NAME: &str = "story";

/// How long each step stays, in milliseconds.
const STEP: i32 = 2600;

impl Page {
    /// Plays it, in this tab's cluster. Ends early where the cluster does not play along, or when it is stopped.
    pub(crate) fn tell(self) {
        if !self.story.with_untracked(String::is_empty) {
            self.story.set(String::new());
            return;
        }
        self.cluster.set(Which::ThisTab);
        self.story.set(messages::STORY_LIST.to_owned());
        spawn_local(async move {
            let speed = self.speed.get_untracked();
            let _ = self.chapters().await;
            self.speed.set(speed);
            self.story.set(String::new());
        });
    }

    /// Goes on to the next chapter, unless the story has been stopped.
    async fn chapter(self, words: &str) -> Option<()> {
        dom::sleep(STEP).await;
        if self.story.with_untracked(String::is_empty) {
            return None;
        }
        self.story.set(words.to_owned());
        self.say(words);
        Some(())
    }

    async fn chapters(self) -> Option<()> {
        let object = format!("{COLLECTION}/{NAME}");
        let body = |text: &str| {
            json_tree::json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": NAME, "labels": {"app": NAME}}, "data": {"text": text},
            })
            .to_string()
        };
        // One that an earlier telling has left behind.
        self.exchange(delete(&object), Origin::Opening, false).await?;
        let list = self.step(Request::get(COLLECTION)).await?;
        let version = list.pointer("/metadata/resourceVersion")?.as_str()?.to_owned();
        self.chapter(messages::STORY_WATCH).await?;
        let target = target::with(
            COLLECTION,
            &[
                ("watch", Some("true")),
                ("allowWatchBookmarks", Some("true")),
                ("resourceVersion", Some(&version)),
            ],
        );
        self.step(Request::get(&target)).await?;
        let watch = self.model.with_value(|model| model.watches.last().map(|watch| watch.id))?;
        self.chapter(messages::STORY_CHANGE).await?;
        self.step(Request::json("POST", COLLECTION, &body("once upon a time"))).await?;
        self.chapter(messages::STORY_AGAIN).await?;
        self.step(Request::json("PUT", &object, &body("something changed"))).await?;
        self.chapter(messages::STORY_BOOKMARK).await?;
        self.speed.set(60);
        self.chapter(messages::STORY_CUT).await?;
        self.speed.set(1);
        self.cut(watch);
        self.chapter(messages::STORY_MISSED).await?;
        self.step(delete(&object)).await?;
        self.chapter(messages::STORY_RESUME).await?;
        self.resume(watch, true);
        dom::sleep(STEP).await;
        Some(())
    }

    /// Sends a request as if somebody had composed it, and gives its answer.
    async fn step(self, request: Request) -> Option<json_tree::Value> {
        self.form.fill(&request);
        let id = self.exchange(request, Origin::User, true).await?;
        self.settled(id).map(|(_, body)| body)
    }
}

fn delete(target: &str) -> Request {
    Request { method: "DELETE".to_owned(), ..Request::get(target) }
}
