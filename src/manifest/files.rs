//! Files with manifests: chosen, or dropped anywhere on the page.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, File, FileList, HtmlInputElement};

use super::plan::{self, How};
use super::split;
use crate::cluster::Request;
use crate::request::form::CONTENT_TYPES;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::manifest as words;
use crate::ui::panes::Pane;

/// What the page's element has while a file is held over the page.
const HELD: &str = "data-drop";

/// What stands between the manifests of several files.
const BETWEEN: &str = "\n---\n";

/// Opens the files that somebody has just chosen.
pub(crate) fn chosen(page: Page, event: &web_sys::Event) {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input else { return };
    open(page, input.files());
    // The same file may be chosen again.
    input.set_value("");
}

/// Opens the files that are dropped on the page, for as long as it lives. The editor must not take them for itself.
pub(crate) fn listen(page: Page) {
    let has_files = |event: &DragEvent| {
        event.data_transfer().is_some_and(|held| held.types().includes(&JsValue::from_str("Files"), 0))
    };
    for name in ["dragover", "dragleave", "drop"] {
        let held = move |event: DragEvent| {
            if !has_files(&event) {
                return;
            }
            event.prevent_default();
            event.stop_propagation();
            let body = dom::document().body();
            // What is left is the page when nothing is entered instead.
            let leaves = name == "dragleave" && event.related_target().is_none();
            if name == "dragover" {
                body.map(|body| body.set_attribute(HELD, words::DROP));
            } else if leaves || name == "drop" {
                body.map(|body| body.remove_attribute(HELD));
            }
            if name == "drop" {
                open(page, event.data_transfer().and_then(|dropped| dropped.files()));
            }
        };
        let held = Closure::<dyn FnMut(DragEvent)>::new(held).into_js_value();
        let _ = dom::window().add_event_listener_with_callback_and_bool(name, held.unchecked_ref(), true);
    }
}

/// Opens files one behind the other, in the order of their names.
fn open(page: Page, files: Option<FileList>) {
    let Some(files) = files else { return };
    let mut files: Vec<File> = (0..files.length()).filter_map(|at| files.get(at)).collect();
    files.sort_by_key(File::name);
    if files.is_empty() {
        return;
    }
    spawn_local(async move {
        let (mut texts, mut names) = (Vec::new(), Vec::new());
        for file in files {
            let bytes = dom::read_file(&file).await.unwrap_or_default();
            let text = String::from_utf8(bytes.to_vec()).ok().filter(|text| !text.contains('\0'));
            let Some(text) = text else {
                page.notice
                    .set(Some(crate::state::Notice { text: words::no_text(&file.name()), action: None }));
                return;
            };
            texts.push(text);
            names.push(file.name());
        }
        put(page, &names.join(", "), texts.join(BETWEEN)).await;
    });
}

/// Puts a manifest into the form: a single object as the request that applies it.
async fn put(page: Page, name: &str, text: String) {
    let documents = split::split(&text);
    let count = documents.len();
    let mut request = Request::json("POST", &untrack(|| page.form.request()).target, &text);
    if let [only] = &documents[..] {
        let json = page.embedded().to_json("application/yaml", only.text.clone().into()).await;
        let object = json.ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let how = How { namespace: page.namespace.get_untracked(), ..How::default() };
        let served = page.served(page.cluster.get_untracked()).await;
        if let Ok(applies) = plan::request(&object, text.clone(), &served, &how) {
            request = applies;
        }
    }
    page.open_request(&request);
    if request.method == "POST" && !text.trim_start().starts_with('{') {
        page.form.content_type.set(CONTENT_TYPES[1].1.to_owned());
    }
    page.pane.set(Pane::Request);
    page.say(&words::opened(name, count));
}
