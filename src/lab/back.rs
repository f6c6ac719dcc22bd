//! How a read with `resourceVersion=0` goes back in time: shown with two API servers, of which one hears of nothing.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::trace::Origin;
use crate::cluster::{Request, Which};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::part::{IntoPart, act, flag, live};
use crate::widgets::version::Version;

const COLLECTION: &str = "/api/v1/namespaces/default/configmaps";
const ANY: &str = "/api/v1/namespaces/default/configmaps?resourceVersion=0";

/// How long each step stays, in milliseconds.
const STEP: i32 = 1200;

impl Page {
    /// Shows it; ends early where the cluster does not play along.
    pub(crate) fn go_back(self) {
        let (lab, chosen) = (self.lab, self.lab.server.get_untracked());
        lab.back.set(Vec::new());
        lab.going_back.set(true);
        spawn_local(async move {
            if self.steps_back().await.is_none() {
                self.tell_back(say::BACK_FAILED.to_owned(), Vec::new());
            }
            self.set_stopped(1, false);
            self.choose_server(chosen);
            lab.going_back.set(false);
        });
    }

    async fn steps_back(self) -> Option<()> {
        if self.lab.servers.get_untracked() < 2 {
            self.add_server();
        }
        self.tell_back(say::BACK_CUT.to_owned(), Vec::new());
        self.set_stopped(1, true);
        dom::sleep(STEP).await;
        let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"newer-"},"data":{"text":"written through API server 0"}}"#;
        let (_, written) = self.ask(0, Request::json("POST", COLLECTION, body)).await?;
        self.tell_back(say::BACK_WRITE.to_owned(), vec![version(&written)?]);
        dom::sleep(STEP).await;
        let (_, newer) = self.ask(0, Request::get(ANY)).await?;
        self.tell_back(say::back_read(0, count(&newer)), vec![version(&newer)?]);
        dom::sleep(STEP).await;
        let (_, older) = self.ask(1, Request::get(ANY)).await?;
        self.tell_back(say::back_read(1, count(&older)), vec![version(&older)?]);
        self.tell_back(say::BACK_WHY.to_owned(), vec![version(&newer)?, version(&older)?]);
        dom::sleep(STEP).await;
        self.set_stopped(1, false);
        let not_older = [COLLECTION, "?resourceVersion=", &version(&newer)?].concat();
        let (_, again) = self.ask(1, Request::get(&not_older)).await?;
        self.tell_back(say::BACK_MENDED.to_owned(), vec![version(&again)?]);
        Some(())
    }

    async fn ask(self, server: usize, request: Request) -> Option<(u16, json_tree::Value)> {
        if self.cluster.get_untracked() == Which::Remote {
            return None;
        }
        self.choose_server(Some(server));
        let id = self.exchange(request, Origin::Lab, true).await?;
        self.settled(id).filter(|(code, _)| *code < 300)
    }

    fn tell_back(self, words: String, versions: Vec<String>) {
        self.say(&words);
        self.lab.back.update(|lines| lines.push((words, versions)));
    }
}

fn version(object: &json_tree::Value) -> Option<String> {
    object.pointer("/metadata/resourceVersion")?.as_str().map(str::to_owned)
}

fn count(list: &json_tree::Value) -> usize {
    list.get("items").and_then(|items| items.as_array()).map_or(0, Vec::len)
}

/// The button that shows it, and what has been told.
#[component]
pub(crate) fn Back() -> impl IntoView {
    let page = expect_context::<Page>();
    let told = page.lab.back;
    view! {
        <section class="lab-part" aria-labelledby="back-title">
            <div class="watch-head">
                <h3 id="back-title">{say::BACK}</h3>
                <button type="button" disabled=flag(move || page.lab.going_back.get()) on:click=act(move |_| page.go_back())>{say::BACK_SHOW}</button>
            </div>
            <p class="about">{say::BACK_ABOUT}</p>
            <ol class="told">
                {live(move || {
                    told.get()
                        .into_iter()
                        .map(|(words, versions)| {
                            let versions = versions.into_iter().map(|version| view! { " "<Version version=version /> });
                            view! { <li>{words}{versions.collect_view()}</li> }.part()
                        })
                        .collect_view()
                })}
            </ol>
        </section>
    }
    .part()
}
