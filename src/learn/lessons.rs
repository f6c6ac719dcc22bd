//! The lessons that the page has, which of them are done, and their language.

use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::file;
use crate::ui::dom;
use crate::ui::messages::lesson::Language;

/// The list of lessons, in the order in which they are to be read. The build makes it of the lessons (`xtask/bundle`).
const LIST: &str = "./lessons/lessons.json";
/// The beginning of the names of lessons as the page's own documents.
const FOLDER: &str = "lessons/";
/// The name under which is remembered what is done.
const DONE: &str = "kubeglass.lessons";
/// The name under which is remembered which language was chosen. `static/boot.js` reads it, too, and writes it.
const LANGUAGE: &str = "kubeglass.language";
/// The event of the window that tells that another language is preferred.
const CHANGED: &str = "languagechange";

/// A part of the list, as the build writes it.
#[derive(Clone, Debug)]
pub(crate) struct Section(Value);

/// A lesson in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'l>(&'l Value);

/// Returns a text of a part of the list in a language.
fn text(part: &Value, name: &str, language: Language) -> String {
    part[name][language.code()].as_str().unwrap_or_default().to_owned()
}

impl Section {
    /// Returns its name.
    pub(crate) fn title(&self, language: Language) -> String {
        text(&self.0, "title", language)
    }

    /// Returns its lessons.
    pub(crate) fn lessons(&self) -> impl Iterator<Item = Listed<'_>> {
        self.0["lessons"].as_array().into_iter().flatten().map(Listed)
    }
}

impl Listed<'_> {
    /// Returns the name of its file.
    pub(crate) fn name(&self) -> &str {
        self.0["name"].as_str().unwrap_or_default()
    }

    /// Returns its title, and what it is about.
    pub(crate) fn words(&self, language: Language) -> (String, String) {
        (text(self.0, "title", language), text(self.0, "about", language))
    }

    /// Returns the source of its document.
    pub(crate) fn source(&self, language: Language) -> String {
        file::own(&[FOLDER, language.code(), "/", self.name()].concat())
    }
}

/// The list; `None` while it is loaded, and within it if it cannot be.
pub(crate) type List = RwSignal<Option<Option<Vec<Section>>>>;

/// Begins to load the list.
pub(crate) fn load() -> List {
    let loaded = RwSignal::new(None);
    spawn_local(async move {
        let _ = loaded.try_set(Some(list().await));
    });
    loaded
}

/// Loads the list; `None` if it cannot be had.
async fn list() -> Option<Vec<Section>> {
    let list: Value = serde_json::from_str(&file::near(LIST).await.ok()?).ok()?;
    Some(list.as_array()?.iter().cloned().map(Section).collect())
}

/// Returns the language and the name of the lesson that a document of the page's own is.
pub(crate) fn named(source: &str) -> Option<(Language, &str)> {
    let (code, name) = source.strip_prefix(&file::own(FOLDER))?.split_once('/')?;
    Some((Language::ALL.into_iter().find(|language| language.code() == code)?, name))
}

/// Returns whether a lesson is done.
pub(crate) fn is_done(name: &str) -> bool {
    dom::remembered(DONE).is_some_and(|done| done.split(' ').any(|known| known == name))
}

/// Returns how many lessons are done.
pub(crate) fn count_done() -> usize {
    dom::remembered(DONE).map_or(0, |done| done.split_whitespace().count())
}

/// Remembers that a lesson is done.
pub(crate) fn finish(name: &str) {
    if !is_done(name) {
        let done = dom::remembered(DONE).unwrap_or_default();
        dom::remember(DONE, [done.trim(), " ", name].concat().trim());
    }
}

/// Returns the language that was chosen, or that of the browser.
pub(crate) fn language() -> Language {
    let chosen = dom::remembered(LANGUAGE).or_else(|| dom::window().navigator().language());
    chosen.and_then(|code| Language::of(&code)).unwrap_or_default()
}

/// Follows the language, for as long as the owner lives.
pub(crate) fn languages() -> RwSignal<Language> {
    let followed = RwSignal::new(language());
    let listener = window_event_listener_untyped(CHANGED, move |_| followed.set(language()));
    on_cleanup(move || listener.remove());
    followed
}

/// Remembers the language that was chosen, and has the page shown in it.
pub(crate) fn choose(language: Language) {
    dom::remember(LANGUAGE, language.code());
    if let Ok(changed) = web_sys::Event::new(CHANGED) {
        let _ = dom::window().dispatch_event(&changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_by_their_sources() {
        let check = |source: &str, expected| assert_eq!(named(source), expected, "{source}");
        check("kubeglass:lessons/zh/watch", Some((Language::Chinese, "watch")));
        check("kubeglass:lessons/fr/watch", None);
        check("kubeglass:watches", None);
        check("https://example.com/lessons/en/watch", None);
    }
}
