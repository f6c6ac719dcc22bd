//! Files with manifests: chosen, or dropped anywhere on the page.

use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, File, FileList, HtmlInputElement};

use crate::cluster::Request;
use crate::model::manifest::plan::{self, How};
use crate::model::manifest::split;
use crate::model::messages::manifest as words;
use crate::state::Page;
use crate::ui::dom;

/// The attribute of the page's body while a file is held over it.
const HELD: &str = "data-drop";

/// The line between the manifests of several files.
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
            // The page is left when nothing is entered instead.
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
                return page.tell_over(words::no_text(&file.name()), None);
            };
            texts.push(text);
            names.push(file.name());
        }
        put(page, &names.join(", "), texts.join(BETWEEN)).await;
    });
}

/// Puts a manifest into the form: a single object as the request that applies it, all else as a body of `POST`.
async fn put(page: Page, name: &str, text: String) {
    let mut texts: Vec<String> = split::split(&text).into_iter().map(|document| document.text).collect();
    let mut request = None;
    if let [only] = &texts[..] {
        let json = page.embedded().to_json("application/yaml", only.clone().into()).await;
        let document: Value =
            json.ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let objects = split::objects(document);
        if let [object] = &objects[..] {
            let how = How { namespace: page.namespace.get_untracked(), ..How::default() };
            let served = page.served(page.cluster.get_untracked()).await;
            request = plan::request(object, text.clone(), &served, &how).ok();
        } else {
            texts = objects.iter().map(Value::to_string).collect();
        }
    }
    // Objects that no line separates, of a list or one behind the other, are documents of their own.
    let count = texts.len();
    let text = if count > 1 && !split::is_several(&text) { texts.join(BETWEEN) } else { text };
    let request =
        request.unwrap_or_else(|| Request::json("POST", &untrack(|| page.form.request()).target, &text));
    page.open_request(&request);
    // A body in YAML is told from JSON.
    page.form.gather();
    page.say(&words::opened(name, count));
}
