//! The editor's script, `web/editor.js`: imported when somebody first goes to a body.

use std::cell::{Cell, OnceCell, RefCell};

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::HtmlElement;

use crate::ui::dom;

/// The address of the script. A page asks for the one that it was built with, so that a browser's cache cannot give it
/// another.
const SCRIPT: &str = concat!("../kubeglass-editor.js?v=", env!("KUBEGLASS_EDITOR"));

#[wasm_bindgen]
extern "C" {
    type Module;

    #[wasm_bindgen(method, catch)]
    fn create(this: &Module, parent: &HtmlElement, options: &JsValue) -> Result<Editor, JsValue>;

    /// Returns a promise of the description of a field, and of its values.
    #[wasm_bindgen(method, catch)]
    fn explain(this: &Module, ty: &str, field: &str, names: &str) -> Result<Promise, JsValue>;

    /// An editor, as `create` in `web/editor.js` describes it.
    #[derive(Clone)]
    pub(crate) type Editor;

    #[wasm_bindgen(method, js_name = setDoc)]
    pub(crate) fn set_doc(this: &Editor, doc: &str);

    #[wasm_bindgen(method, js_name = setLanguage)]
    pub(crate) fn set_language(this: &Editor, language: &str, patch: &str);

    /// Marks what is wrong; gives where that is. Both are JSON.
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    pub(crate) fn set_diagnostics(this: &Editor, problems: &str) -> String;

    #[wasm_bindgen(method)]
    pub(crate) fn describe(this: &Editor, text: &str);

    #[wasm_bindgen(method)]
    pub(crate) fn go(this: &Editor, problem: &str);

    #[wasm_bindgen(method)]
    pub(crate) fn format(this: &Editor);

    #[wasm_bindgen(method)]
    pub(crate) fn fold(this: &Editor, all: bool);

    #[wasm_bindgen(method)]
    pub(crate) fn focus(this: &Editor);

    #[wasm_bindgen(method)]
    pub(crate) fn destroy(this: &Editor);
}

thread_local! {
    static MODULE: OnceCell<Module> = const { OnceCell::new() };
    /// The attempt to load it that is on its way.
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
    /// The number of attempts that have failed.
    static FAILURES: Cell<usize> = const { Cell::new(0) };
}

/// Reports whether the script is loaded.
pub(crate) fn is_loaded() -> bool {
    MODULE.with(|module| module.get().is_some())
}

/// Loads the script, once. Returns whether it is there; if not, the body is written without it, and the next call tries again.
pub(crate) async fn load() -> bool {
    let joins = LOADING.with_borrow(Option::is_some);
    // An attempt that began earlier may have failed already: whoever joins it gets one that begins later.
    attempt().await || (joins && attempt().await)
}

/// Joins the attempt that is on its way, or begins one.
async fn attempt() -> bool {
    if is_loaded() {
        return true;
    }
    let loading =
        LOADING.with_borrow_mut(|loading| loading.get_or_insert_with(|| future_to_promise(fetch())).clone());
    JsFuture::from(loading).await.is_ok()
}

async fn fetch() -> Result<JsValue, JsValue> {
    // A browser may remember of an address that it could not be imported.
    let again = "&again".repeat(FAILURES.get());
    let script = JsFuture::from(dom::import(&[SCRIPT, &again].concat())).await;
    // Before anybody who waits for it goes on: whoever tries again begins another attempt.
    LOADING.set(None);
    match script {
        Ok(script) => MODULE.with(|module| drop(module.set(script.unchecked_into()))),
        Err(why) => {
            FAILURES.set(FAILURES.get() + 1);
            return Err(why);
        }
    }
    Ok(JsValue::NULL)
}

/// Returns Kubernetes' description of a field of a type: a text, and after a paragraph separator the values that go by
/// one of these names. `None` if the script cannot be loaded.
pub(crate) async fn explain(ty: &str, field: &str, names: &[String]) -> Option<String> {
    if !load().await {
        return None;
    }
    let told = MODULE.with(|module| module.get()?.explain(ty, field, &names.join(",")).ok())?;
    JsFuture::from(told).await.ok()?.as_string()
}

/// The options that an editor begins with.
pub(crate) struct Start<'a> {
    pub(crate) doc: &'a str,
    pub(crate) language: &'a str,
    pub(crate) patch: &'a str,
    pub(crate) label: &'a str,
    pub(crate) hint: &'a str,
    /// Both ends of the selection, in UTF-16.
    pub(crate) selection: (u32, u32),
    pub(crate) focus: bool,
}

/// Answers a question, both in JSON.
pub(crate) type Ask = Box<dyn Fn(String) -> String>;

/// The callbacks of an editor.
pub(crate) struct Calls {
    pub(crate) complete: Ask,
    pub(crate) hover: Ask,
    pub(crate) change: Box<dyn Fn(String)>,
    pub(crate) fold: Box<dyn Fn(bool)>,
}

/// Puts an editor into `parent`. `None` if the script is not there, or does not do it.
pub(crate) fn create(parent: &HtmlElement, start: &Start<'_>, calls: Calls) -> Option<Editor> {
    let options = Object::new();
    let all: [(&str, JsValue); 12] = [
        ("doc", start.doc.into()),
        ("language", start.language.into()),
        ("patch", start.patch.into()),
        ("label", start.label.into()),
        ("hint", start.hint.into()),
        ("anchor", start.selection.0.into()),
        ("head", start.selection.1.into()),
        ("focus", start.focus.into()),
        ("complete", Closure::<dyn Fn(String) -> String>::wrap(calls.complete).into_js_value()),
        ("hover", Closure::<dyn Fn(String) -> String>::wrap(calls.hover).into_js_value()),
        ("onChange", Closure::<dyn Fn(String)>::wrap(calls.change).into_js_value()),
        ("onFold", Closure::<dyn Fn(bool)>::wrap(calls.fold).into_js_value()),
    ];
    for (name, value) in all {
        let _ = Reflect::set(&options, &name.into(), &value);
    }
    MODULE.with(|module| module.get()?.create(parent, &options).ok())
}
