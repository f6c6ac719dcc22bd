//! The sources of documents: the page itself, a URL, a file, a paste.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use super::file::{self, NOT_FOUND, OWN, near};
use super::lessons;
use crate::ui::dom;
use crate::ui::messages::learn as words;
use crate::ui::messages::lesson::Language;

/// The beginning of the source of one that was a file or was pasted: it is kept for as long as the tab lives.
const KEPT: &str = "tab:";
/// The key of a kept document, before its number.
const KEY: &str = "kubeglass.document.";
/// The beginning of the source of one that the address itself carries: its text, packed, then its name.
const CARRIED: &str = "link:";
/// The script that fetches, packs and unpacks.
const SCRIPT: &str = "./fetch.js";

/// The documents of the page's own, in the order in which they are to be read: each is the file of this name beside the page, and for
/// another language than English in a folder of its code.
pub(crate) const OWNS: [&str; 4] = ["first-requests", "watches", "server-side-apply", "webhooks"];

/// Returns the source of one of the page's own documents in a language.
pub(crate) fn own(name: &str, language: Language) -> String {
    match language {
        Language::English => file::own(name),
        other => file::own(&[other.code(), "/", name].concat()),
    }
}

/// Returns the language of the page's own document at a source, a lesson or not.
pub(crate) fn language(source: &str) -> Option<Language> {
    let is_own = |language: &Language| OWNS.iter().any(|name| own(name, *language) == source);
    let lesson = || lessons::named(source).filter(|(_, name)| is_name(name)).map(|(language, _)| language);
    Language::ALL.into_iter().find(is_own).or_else(lesson)
}

/// Returns whether a document was a file, was pasted or was written here.
pub(crate) fn is_kept(source: &str) -> bool {
    source.starts_with(KEPT)
}

/// Keeps another text of a document that is kept already, and returns its source; keeps others under another source.
///
/// # Errors
/// The browser does not keep it: what to tell.
pub(crate) fn keep_again(source: &str, text: &str) -> Result<String, String> {
    if !is_kept(source) {
        return keep(name(source), text);
    }
    let session = dom::session().ok_or(words::NOT_KEPT)?;
    session.set_item(&[KEY, source].concat(), text).map_err(|_| words::NOT_KEPT.to_owned())?;
    Ok(source.to_owned())
}

/// Returns the source of a document that its address carries.
///
/// # Errors
/// The browser cannot pack it: what to tell.
pub(crate) async fn carried(name: &str, text: &str) -> Result<String, String> {
    let packed = worked("pack", text).await.map_err(|why| words::not_packed(&why))?;
    Ok([CARRIED, &packed, "/", name].concat())
}

/// Keeps a document for as long as the tab lives, and returns its source.
///
/// # Errors
/// The browser does not keep it: what to tell.
pub(crate) fn keep(name: &str, text: &str) -> Result<String, String> {
    let session = dom::session().ok_or(words::NOT_KEPT)?;
    let number = session.length().unwrap_or_default();
    let source = format!("{KEPT}{number}/{name}");
    session.set_item(&[KEY, &source].concat(), text).map_err(|_| words::NOT_KEPT.to_owned())?;
    Ok(source)
}

/// Returns the name of a document's file.
pub(crate) fn name(source: &str) -> &str {
    source.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default()
}

/// Returns the text of a document.
///
/// # Errors
/// It cannot be had: what to tell.
pub(crate) async fn text(source: &str) -> Result<String, String> {
    if let Some(name) = source.strip_prefix(OWN) {
        if language(source).is_none() {
            return Err(words::NO_SUCH.to_owned());
        }
        let file = ["./", name, ".md"].concat();
        return near(&file).await.map_err(|why| match &*why {
            NOT_FOUND => words::NO_SUCH.to_owned(),
            why => words::not_fetched(&file, why),
        });
    }
    if source.starts_with(KEPT) {
        let kept =
            dom::session().and_then(|session| session.get_item(&[KEY, source].concat()).ok().flatten());
        return kept.ok_or_else(|| words::GONE.to_owned());
    }
    if let Some(packed) = source.strip_prefix(CARRIED).and_then(|rest| rest.split('/').next()) {
        return worked("unpack", packed).await.map_err(|_| words::CUT.to_owned());
    }
    let url = raw(source);
    let base = dom::document().base_uri().ok().flatten().unwrap_or_default();
    let here = Url::new(&base).map(|base| base.origin()).unwrap_or_default();
    let is_near = Url::new_with_base(&url, &base).is_ok_and(|url| url.origin() == here);
    let text = match Url::new_with_base(&url, &base) {
        Ok(url) if !is_near => worked("url", &url.href()).await,
        _ => near(&url).await,
    };
    text.map_err(|why| words::not_fetched(source, &why))
}

/// Returns whether a text is the name of a lesson's file.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Returns the address of the text of a page that shows a file.
fn raw(url: &str) -> String {
    match url.strip_prefix("https://github.com/").and_then(|rest| rest.split_once("/blob/")) {
        Some((repository, file)) => ["https://raw.githubusercontent.com/", repository, "/", file].concat(),
        None => url.to_owned(),
    }
}

/// Has a worker make a text of another one: what is at a URL (the page itself may talk to nobody but its own server), what
/// is packed, what is unpacked.
async fn worked(way: &str, of: &str) -> Result<String, String> {
    let answer = message(way, of).await.map_err(|error| {
        Reflect::get(&error, &"message".into()).ok().and_then(|text| text.as_string()).unwrap_or_default()
    })?;
    let field = |name: &str| Reflect::get(&answer, &name.into()).ok().and_then(|value| value.as_string());
    field("text").ok_or_else(|| field("error").unwrap_or_default())
}

async fn message(way: &str, of: &str) -> Result<JsValue, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    let own = worker.clone();
    let answer = js_sys::Promise::new(&mut |resolve, reject| {
        let told =
            Closure::once_into_js(move |event: MessageEvent| resolve.call1(&JsValue::NULL, &event.data()));
        own.set_onmessage(Some(told.unchecked_ref()));
        let failed = Closure::once_into_js(move |event: JsValue| reject.call1(&JsValue::NULL, &event));
        own.set_onerror(Some(failed.unchecked_ref()));
    });
    let ask = Object::new();
    let largest = (document::markdown::LARGEST as f64).into();
    for (name, value) in [("way", way.into()), ("of", of.into()), ("largest", largest)] {
        Reflect::set(&ask, &name.into(), &value)?;
    }
    worker.post_message(&ask)?;
    let answer = JsFuture::from(answer).await;
    worker.terminate();
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_raw_files() {
        assert_eq!(name("https://a.b/c/d.md?x=/y#z"), "d.md");
        assert_eq!(name("tab:3/notes.txt"), "notes.txt");
        assert_eq!(name("link:q1a-_/notes.txt"), "notes.txt");
        assert_eq!(
            raw("https://github.com/a/b/blob/main/c/d.md"),
            "https://raw.githubusercontent.com/a/b/main/c/d.md"
        );
        assert_eq!(raw("https://example.com/blob/x.md"), "https://example.com/blob/x.md");
    }
}
