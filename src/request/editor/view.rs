//! The body, as it is written: a plain text field with colours, and from the first time that somebody goes there on an
//! editor that completes, explains and marks what is wrong. Without the editor's script the text field stays.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::status;
use crate::cluster::trace::Outcome;
use crate::model::manifest::split;
use crate::model::messages::{change, policy};
use crate::model::request::subject::{How, Subject};
use crate::request::editor::check;
use crate::request::editor::complete::{Question, complete};
use crate::request::editor::explain::explain;
use crate::request::editor::problems::{self, Problem, steps};
use crate::request::json::{self, Break, Piece};
use crate::state::{Page, Shown};
use crate::ui::bridge::Editor as Script;
use crate::ui::bridge::{self, Calls, Start};
use crate::ui::memo::Memo;
use crate::ui::messages::editor as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::ui::{dom, messages};

/// How long nothing is written before the body is tried out, in milliseconds.
const PAUSE: i32 = 300;

/// An editor at work. A handle: all copies are the same.
#[derive(Clone, Copy)]
struct Body {
    page: Page,
    /// The script's editor, once it is there.
    script: StoredValue<Option<Script>, LocalStorage>,
    /// True once the script's editor is there.
    rich: RwSignal<bool>,
    folded: RwSignal<bool>,
    area: NodeRef<html::Textarea>,
    host: NodeRef<html::Div>,
    /// The place where the body stops being JSON.
    broken: Memo<Option<Break>>,
    /// The problems that the last dry run reported.
    tried: RwSignal<Vec<Problem>>,
    /// Everything that is wrong with it, in the order of the text.
    places: RwSignal<Vec<Place>>,
    /// Which of these is told.
    chosen: RwSignal<usize>,
    /// True if the user has gone to that problem.
    gone: StoredValue<bool>,
    /// How often something was written.
    turn: StoredValue<u64>,
}

/// The place of a problem, as the script reports it.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
struct Place {
    /// In UTF-16 from the start of the text.
    from: usize,
    line: usize,
    message: String,
    severity: String,
}

/// The body, with colours, and with a mark where it breaks.
#[component]
pub(crate) fn Editor() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    let is_json = move || form.content_type.with(|media| media.ends_with("json"));
    let broken = Memo::new(move |_| if is_json() { form.body.with(|text| json::check(text)) } else { None });
    let body = Body {
        page,
        script: StoredValue::new_local(None),
        rich: RwSignal::new(false),
        folded: RwSignal::new(false),
        area: NodeRef::new(),
        host: NodeRef::new(),
        broken,
        tried: RwSignal::new(Vec::new()),
        places: RwSignal::new(Vec::new()),
        chosen: RwSignal::new(0),
        gone: StoredValue::new(false),
        turn: StoredValue::new(0),
    };
    body.follow();
    let wrong = flag(move || broken.with(Option::is_some) || body.has_errors());
    let plain = move || (!body.rich.get()).then(|| plain(body));
    view! {
        <div class="editor" class:broken=wrong class:rich=flag(move || body.rich.get())>
            {live(plain)}
            <div id="body-editor" node_ref=body.host hidden=flag(move || !body.rich.get())></div>
        </div>
        <div class="line under-editor">
            <p id="body-broken" class="broken" role="status" title=text(move || body.told().unwrap_or_default())>
                {live(move || body.told())}
            </p>
            <button type="button" hidden=flag(move || body.told().is_none()) on:click=act(move |_| body.go_on())>
                {messages::BODY_GO}
            </button>
            <button
                type="button"
                hidden=flag(move || broken.with(Option::is_some) || !is_json() || form.body.with(|text| text.trim().is_empty()))
                on:click=act(move |_| body.format())
            >
                {words::FORMAT}
            </button>
            <button
                type="button"
                aria-pressed=text(move || body.folded.get().to_string())
                hidden=flag(move || !body.rich.get() || form.body.with(|text| !text.contains('\n')))
                on:click=act(move |_| body.fold())
            >
                {live(move || if body.folded.get() { words::UNFOLD } else { words::FOLD })}
            </button>
            <button
                type="button"
                class="try"
                title=policy::TRY_ABOUT
                hidden=flag(move || !page.writes_policy())
                on:click=act(move |_| page.try_policy())
            >
                {policy::TRY}
            </button>
            {page.of_more(|more| (more.open_file)())}
            <button type="button" class="try" title=change::TRY_KEYS on:click=act(move |_| page.try_it())>
                {change::TRY}
            </button>
            <p class="keys" title=words::KEYS hidden=flag(move || !body.rich.get())>{words::KEYS}</p>
        </div>
    }
    .part()
}

/// The text field, and what shines through it.
fn plain(body: Body) -> Part {
    let (form, broken) = (body.page.form, body.broken);
    let under = move || {
        let at = broken.with(|broken| broken.as_ref().map(|broken| broken.offset));
        form.body
            .with(|text| json::shown(text, at))
            .into_iter()
            .map(|shown| {
                let class = match shown.piece {
                    Piece::Key => "j-key",
                    Piece::Text => "j-text",
                    Piece::Number => "j-number",
                    Piece::Word => "j-word",
                    Piece::Plain => "",
                };
                if shown.broken {
                    view! { <mark>{shown.text}</mark> }.part()
                } else {
                    view! { <span class=class>{shown.text}</span> }.part()
                }
            })
            .collect_view()
    };
    let numbers = move || {
        let lines = form.body.with(|text| text.matches('\n').count() + 1);
        let at = broken.with(|broken| broken.as_ref().map(|broken| broken.line));
        (1..=lines.min(5000))
            .map(|line| view! { <span class:broken=at == Some(line)>{line.to_string()}"\n"</span> })
            .collect_view()
    };
    view! {
        <pre class="numbers" aria-hidden="true">{live(numbers)}</pre>
        <div class="code">
            <pre class="under" aria-hidden="true">{live(under)}"\n"</pre>
            <textarea
                node_ref=body.area
                id="body"
                spellcheck="false"
                autocomplete="off"
                wrap="off"
                aria-label=messages::BODY
                aria-invalid=text(move || broken.with(Option::is_some).to_string())
                aria-describedby="body-broken"
                prop:value=text(move || form.body.get())
                on:focus=act(move |_| body.enrich())
                on:input=act(move |event| {
                    form.body.set(event_target_value(&event));
                    body.enrich();
                })
            ></textarea>
        </div>
    }
    .part()
}

impl Body {
    /// Keeps the editor, its marks and what the page knows in step.
    fn follow(self) {
        let form = self.page.form;
        // Who has used the editor once has it from then on.
        Effect::new(move || {
            if self.host.get().is_some() && bridge::is_loaded() {
                self.begin(false);
            }
        });
        Effect::new(move || {
            let doc = form.body.get();
            self.with_script(|script| script.set_doc(&doc));
        });
        Effect::new(move || {
            let (language, how) = form.content_type.with(|media| (language(media), How::of(media)));
            self.with_script(|script| script.set_language(language, how.name()));
        });
        Effect::new(move || self.try_out());
        let answered = self.answered();
        Effect::new(move || {
            let problems = self.problems(answered);
            let marked = self.with_script(|script| script.set_diagnostics(&problems));
            let places: Vec<Place> =
                marked.and_then(|places| serde_json::from_str(&places).ok()).unwrap_or_default();
            if self.places.with_untracked(|known| *known != places) {
                self.chosen.set(0);
                self.gone.set_value(false);
                self.places.set(places);
            }
        });
        Effect::new(move || {
            let told = self.told().unwrap_or_default();
            self.with_script(|script| script.describe(&told));
        });
        Effect::new(move || {
            let Some(field) = form.show.get() else { return };
            spawn_local(async move {
                bridge::load().await;
                request_animation_frame(move || self.show(&field));
            });
        });
        on_cleanup(move || {
            if let Some(script) = self.script.try_update_value(Option::take).flatten() {
                script.destroy();
            }
        });
    }

    /// Does something with the editor, and again once there is one.
    fn with_script<T>(self, act: impl FnOnce(&Script) -> T) -> Option<T> {
        self.rich.track();
        self.script.try_with_value(|script| script.as_ref().map(act)).flatten()
    }

    /// Loads the editor, and puts it where the text field is.
    fn enrich(self) {
        spawn_local(async move {
            if bridge::load().await {
                self.begin(true);
            }
        });
    }

    /// Puts the editor where the text field is: as it is, with its selection, and with the focus if it has it.
    fn begin(self, asked: bool) {
        let (Some(rich), Some(host)) = (self.rich.try_get_untracked(), self.host.get_untracked()) else {
            return;
        };
        if rich {
            return;
        }
        let page = self.page;
        let form = page.form;
        let area = self.area.get_untracked();
        let focus = asked
            && area.as_ref().is_some_and(|area| {
                dom::document().active_element().is_some_and(|active| active.is_same_node(Some(area)))
            });
        let end =
            |end: Option<Result<Option<u32>, _>>| end.and_then(Result::ok).flatten().unwrap_or_default();
        let selection = (
            end(area.as_ref().map(|area| area.selection_start())),
            end(area.as_ref().map(|area| area.selection_end())),
        );
        let ask = move |question: &str| {
            let question: Question = serde_json::from_str(question).unwrap_or_default();
            let (method, path) = (form.method.get_untracked(), form.path.get_untracked());
            let path = path.split('?').next().unwrap_or_default().trim().to_owned();
            let media = form.content_type.get_untracked();
            let subject = Subject::of(&method, &path, &media, &question.api_version, &question.kind);
            (subject, question)
        };
        let calls = Calls {
            complete: Box::new(move |question| {
                let (subject, question) = ask(&question);
                serde_json::to_string(&complete(&subject, &question)).unwrap_or_default()
            }),
            hover: Box::new(move |question| {
                let (subject, question) = ask(&question);
                serde_json::to_string(&explain(&subject, &question)).unwrap_or_default()
            }),
            change: Box::new(move |doc| {
                let _ = form.body.try_set(doc);
            }),
            fold: Box::new(move |folded| {
                let _ = self.folded.try_set(folded);
            }),
        };
        let media = form.content_type.get_untracked();
        let doc = form.body.get_untracked();
        let start = Start {
            doc: &doc,
            language: language(&media),
            patch: How::of(&media).name(),
            label: messages::BODY,
            hint: words::HINT,
            selection,
            focus: false,
        };
        let Some(script) = bridge::create(&host, &start, calls) else { return };
        self.script.set_value(Some(script.clone()));
        self.rich.set(true);
        if focus {
            // What is hidden cannot have the focus, and it is hidden until now.
            let _ = host.remove_attribute("hidden");
            script.focus();
        }
    }

    /// Returns the problems that the response on display reports in the body, until another body is written.
    fn answered(self) -> Memo<Vec<Problem>> {
        let page = self.page;
        Memo::new(move |_| {
            let Shown::Exchange(id, _) = page.shown.get() else { return Vec::new() };
            let found = untrack(|| {
                page.read(|model| {
                    let exchange = model.trace.get(id)?;
                    let Outcome::Answered(reply) = &exchange.outcome else { return None };
                    Some((exchange.request.clone(), status::failure(reply.body.as_deref()?)?))
                })
            });
            let same = |body: &str, method: &str| {
                page.form.body.with(|text| text == body) && page.form.method.with(|own| own == method)
            };
            found
                .filter(|(request, _)| same(&request.body, &request.method))
                .map(|(_, status)| problems::of(&status, words::BY_ANSWER))
                .unwrap_or_default()
        })
    }

    /// Everything that is wrong, as the script wants to know it.
    fn problems(self, answered: Memo<Vec<Problem>>) -> String {
        let broken = self.broken.with(|broken| {
            let broken = broken.as_ref()?;
            let message = messages::broken_at(broken.line, broken.column, &broken.why);
            let offset = Some(self.utf16(broken.offset));
            Some(Problem { offset, message, severity: "error", ..Problem::default() })
        });
        // What is no JSON is nothing else.
        let all: Vec<Problem> = match broken {
            Some(broken) => vec![broken],
            None => {
                let mut all = answered.get();
                let tried = self.tried.get();
                let new = |problem: &Problem, all: &[Problem]| {
                    all.iter().all(|known| known.path != problem.path || known.message != problem.message)
                };
                for problem in tried {
                    if new(&problem, &all) {
                        all.push(problem);
                    }
                }
                all
            }
        };
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// Tries the body out once nothing has been written for a while.
    fn try_out(self) {
        let page = self.page;
        let form = page.form;
        form.body.track();
        form.path.track();
        form.method.track();
        form.content_type.track();
        form.params.with(|params| params.iter().for_each(|param| param.value.track()));
        let which = page.cluster.get();
        if !self.rich.get() {
            return;
        }
        let turn = self.turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        spawn_local(async move {
            dom::sleep(PAUSE).await;
            // By now there may be another text, or another request altogether.
            let current = move || self.turn.try_get_value() == turn && turn.is_some();
            let several = form.body.with_untracked(|body| split::is_several(body));
            if !current() || several || self.broken.with_untracked(Option::is_some) {
                return;
            }
            let found = check::problems(&page.embedded(), which, &form.request()).await.unwrap_or_default();
            // The same may be wrong, and stand on another line by now.
            if current() {
                self.tried.set(found);
            }
        });
    }

    fn has_errors(self) -> bool {
        self.places.with(|places| places.iter().any(|place| place.severity == "error"))
    }

    /// Returns what is wrong, in words: the first problem, or the one that was gone to last.
    fn told(self) -> Option<String> {
        let broken = self.broken.with(|broken| {
            broken.as_ref().map(|broken| messages::broken_at(broken.line, broken.column, &broken.why))
        });
        broken.or_else(|| {
            self.places.with(|places| {
                let chosen = self.chosen.get().min(places.len().saturating_sub(1));
                let place = places.get(chosen)?;
                Some(words::problem(chosen + 1, places.len(), place.line, &place.message))
            })
        })
    }

    /// Goes to what is told; and where one is there already, to the next.
    fn go_on(self) {
        let broken =
            self.broken.with_untracked(|broken| broken.as_ref().map(|broken| self.utf16(broken.offset)));
        let places = self.places.get_untracked();
        let mut chosen = self.chosen.get_untracked();
        if self.gone.try_update_value(|gone| std::mem::replace(gone, true)) == Some(true)
            && broken.is_none()
            && places.len() > 1
        {
            chosen = (chosen + 1) % places.len();
            self.chosen.set(chosen);
        }
        let Some(offset) = broken.or_else(|| places.get(chosen).map(|place| place.from)) else { return };
        let target = Problem { offset: Some(offset), ..Problem::default() };
        self.go(&target, offset as u32);
    }

    /// Goes to a problem: in the editor to what it is about, in the text field to `offset`.
    fn go(self, problem: &Problem, offset: u32) {
        let problem = serde_json::to_string(problem).unwrap_or_default();
        let gone = self.script.try_with_value(|script| script.as_ref().map(|script| script.go(&problem)));
        if gone.flatten().is_none()
            && let Some(area) = self.area.get_untracked()
        {
            let _ = area.focus();
            let _ = area.set_selection_range(offset, offset + 1);
        }
    }

    /// Shows a field of the object in the body.
    fn show(self, field: &str) {
        if self.page.form.show.try_update(Option::take).flatten().is_none() {
            return;
        }
        self.begin(false);
        let problem = Problem { path: steps(field), on: "value", ..Problem::default() };
        self.go(&problem, 0);
    }

    fn format(self) {
        let form = self.page.form;
        if self.script.try_with_value(|script| script.as_ref().map(Script::format)).flatten().is_some() {
            return;
        }
        let text = form.body.with_untracked(|text| serde_json::from_str::<json_tree::Value>(text).ok());
        if let Some(text) = text.and_then(|value| serde_json::to_string_pretty(&value).ok()) {
            form.body.set(text);
        }
    }

    fn fold(self) {
        let all = !self.folded.get_untracked();
        self.script.try_with_value(|script| script.as_ref().map(|script| script.fold(all)));
    }

    /// A text field and a script count in UTF-16.
    fn utf16(self, offset: usize) -> usize {
        self.page.form.body.with_untracked(|text| text[..offset.min(text.len())].encode_utf16().count())
    }
}

/// The language that a body of this media type is in.
fn language(media: &str) -> &'static str {
    if media.contains("yaml") { "yaml" } else { "json" }
}
