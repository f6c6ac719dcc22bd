//! Presenting a document: one section at a time, in large type, by the keys of a clicker.

use std::time::Duration;

use leptos::ev;
use leptos::leptos_dom::helpers::set_interval_with_handle;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, MouseEvent};

use super::reader::Reader;
use crate::ui::dom;
use crate::ui::messages::present as words;
use crate::ui::part::{IntoPart, Part, act, flag, maybe, text};

/// The attribute of the page while something is presented, and those that hide things.
const PRESENTS: &str = "data-present";
const HIDES: &str = "data-present-hides";
const BLANK: &str = "data-present-blank";
/// The text, whose children are the parts of the document.
const ARTICLE: &str = "#learn .learn-text";

/// The parts of the page in which arrows have a meaning of their own.
const OWN_KEYS: &str = "[role=tablist], [role=tree], [role=separator], pre";
/// The button that begins a presentation.
const BUTTON: &str = "#learn .learn-presents";

/// The time between two looks at the clock.
const BEAT: Duration = Duration::from_millis(500);

/// Something that a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Next,
    Back,
    First,
    Last,
    /// Hides the response, and what came below the examples, or shows it.
    Hide,
    /// Makes the screen dark, or light again.
    Blank,
    /// Lights what the pointer is at, and nothing else.
    Light,
    Leave,
}

/// The keys: those of a keyboard, and those that clickers send. Letters are keys only where single keys are.
const KEYS: [(&str, Action); 13] = [
    ("PageDown", Action::Next),
    ("ArrowRight", Action::Next),
    ("n", Action::Next),
    ("PageUp", Action::Back),
    ("ArrowLeft", Action::Back),
    ("p", Action::Back),
    ("Home", Action::First),
    ("End", Action::Last),
    ("h", Action::Hide),
    ("b", Action::Blank),
    (".", Action::Blank),
    ("l", Action::Light),
    ("Escape", Action::Leave),
];

/// Returns what a key does.
fn action(key: &str, single_keys: bool) -> Option<Action> {
    let (_, action) = KEYS.iter().find(|(known, _)| *known == key)?;
    (key.len() > 1 || single_keys).then_some(*action)
}

/// Returns the number of the section that each part of a document belongs to: one begins at each heading of the second level or
/// deeper, unless nothing stands before it.
fn sections(is_heading: impl Iterator<Item = bool>) -> Vec<usize> {
    let mut section = 0;
    let numbers = is_heading.enumerate().map(|(place, is_heading)| {
        section += usize::from(is_heading && place > 0);
        section
    });
    numbers.collect()
}

/// A presentation.
#[derive(Clone, Copy)]
struct Presentation {
    reader: Reader,
    section: RwSignal<usize>,
    hides: RwSignal<bool>,
    blank: RwSignal<bool>,
    light: RwSignal<bool>,
}

impl Presentation {
    fn act(self, action: Action) {
        let last = self.last();
        match action {
            Action::Next => self.section.update(|section| *section = (*section + 1).min(last)),
            Action::Back => self.section.update(|section| *section = section.saturating_sub(1)),
            Action::First => self.section.set(0),
            Action::Last => self.section.set(last),
            Action::Hide => self.hides.update(|hides| *hides = !*hides),
            Action::Blank => self.blank.update(|blank| *blank = !*blank),
            Action::Light => self.light.update(|light| *light = !*light),
            Action::Leave => self.reader.presents.set(false),
        }
    }

    /// Does the action of a key, unless a field, a dialog or the focused part of the page uses the key itself.
    fn key(self, event: &KeyboardEvent) {
        let page = self.reader.page;
        let focused = dom::document().active_element();
        let types = focused.as_ref().is_some_and(dom::is_editable);
        let own = |element: &Element| element.closest(OWN_KEYS).ok().flatten().is_some();
        let has_keys = event.key().starts_with("Arrow") && focused.as_ref().is_some_and(own);
        let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        let busy = event.default_prevented() || page.dialog.with_untracked(Option::is_some);
        let found = action(&event.key(), page.single_keys.get_untracked());
        let found = found.filter(|action| !types || *action == Action::Leave);
        if let Some(action) = found.filter(|_| !modified && !busy && !has_keys) {
            event.prevent_default();
            self.act(action);
        }
    }

    /// Shows the button of an action, pressed while `on` is true.
    fn button(
        self,
        action: Action,
        name: &'static str,
        about: &'static str,
        on: Option<RwSignal<bool>>,
    ) -> Part {
        let pressed = move || on.map(|on| on.get().to_string());
        view! {
            <button
                type="button"
                title=about
                aria-pressed=maybe(pressed)
                on:click=act(move |_| self.act(action))
            >
                {name}
            </button>
        }
        .part()
    }

    /// Returns the number of the last section.
    fn last(self) -> usize {
        sections(parts().iter().map(is_heading)).last().copied().unwrap_or_default()
    }

    /// Shows one section, and in the picture what came of its examples.
    fn show_section(self) {
        let parts = parts();
        let shown = self.section.get();
        let mut blocks = Vec::new();
        for (part, section) in parts.iter().zip(sections(parts.iter().map(is_heading))) {
            part.set_hidden(section != shown);
            if section == shown {
                blocks
                    .extend(part.get_attribute("data-block").and_then(|number| number.parse::<usize>().ok()));
            }
        }
        if let Some(article) = article() {
            article.set_scroll_top(0);
        }
        untrack(|| self.reader.follow(blocks.into_iter()));
    }
}

fn article() -> Option<Element> {
    dom::document().query_selector(ARTICLE).ok().flatten()
}

/// Returns the parts of the document.
fn parts() -> Vec<HtmlElement> {
    let Some(article) = article() else { return Vec::new() };
    let children = article.children();
    (0..children.length()).filter_map(|at| children.item(at)?.dyn_into().ok()).collect()
}

fn is_heading(part: &HtmlElement) -> bool {
    matches!(part.tag_name().as_str(), "H2" | "H3" | "H4")
}

/// Puts the focus on what a selector finds first.
fn focus(selector: &str) {
    let found = dom::document().query_selector(selector).ok().flatten();
    if let Some(found) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        let _ = found.focus();
    }
}

/// Sets an attribute of the page, or removes it.
fn mark(name: &str, on: bool) {
    if let Some(root) = dom::document().document_element() {
        let _ = if on { root.set_attribute(name, "") } else { root.remove_attribute(name) };
    }
}

/// Presents the document until somebody leaves, and shows the bar for that.
pub(crate) fn show(reader: Reader) -> Part {
    let presentation = Presentation {
        reader,
        section: RwSignal::new(0),
        hides: RwSignal::new(false),
        blank: RwSignal::new(false),
        light: RwSignal::new(false),
    };
    let Presentation { section, hides, blank, light, .. } = presentation;
    mark(PRESENTS, true);
    focus(ARTICLE);
    Effect::new(move |_| presentation.show_section());
    Effect::new(move |_| mark(HIDES, hides.get()));
    Effect::new(move |_| mark(BLANK, blank.get()));
    let keys = window_event_listener(ev::keydown, move |event: KeyboardEvent| presentation.key(&event));
    let place = RwSignal::new((0, 0));
    let pointer = window_event_listener(ev::mousemove, move |event: MouseEvent| {
        if light.get_untracked() {
            place.set((event.client_x(), event.client_y()));
        }
    });
    let began = dom::monotonic();
    let passed = RwSignal::new(0_u32);
    let beat = move || {
        let seconds = ((dom::monotonic() - began) / 1000.0) as u32;
        if passed.get_untracked() != seconds {
            passed.set(seconds);
        }
    };
    let clock = set_interval_with_handle(beat, BEAT);
    on_cleanup(move || {
        keys.remove();
        pointer.remove();
        clock.into_iter().for_each(|clock| clock.clear());
        [PRESENTS, HIDES, BLANK].into_iter().for_each(|name| mark(name, false));
        parts().iter().for_each(|part| part.set_hidden(false));
        focus(BUTTON);
    });
    view! {
        <div class="present" role="toolbar" aria-label=words::BAR>
            {presentation.button(Action::Back, words::BACK, words::BACK_ABOUT, None)}
            <span role="status">{text(move || words::section(section.get() + 1, presentation.last() + 1))}</span>
            {presentation.button(Action::Next, words::NEXT, words::NEXT_ABOUT, None)}
            {presentation.button(Action::Hide, words::HIDE, words::HIDE_ABOUT, Some(hides))}
            {presentation.button(Action::Light, words::LIGHT, words::LIGHT_ABOUT, Some(light))}
            {presentation.button(Action::Blank, words::BLANK, words::BLANK_ABOUT, Some(blank))}
            <span class="present-clock">{text(move || words::clock(passed.get()))}</span>
            {presentation.button(Action::Leave, words::LEAVE, words::LEAVE_ABOUT, None)}
        </div>
        <div
            class="present-light"
            aria-hidden="true"
            hidden=flag(move || !light.get())
            style=("--x", move || format!("{}px", place.get().0))
            style=("--y", move || format!("{}px", place.get().1))
        ></div>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_keyboards_and_clickers() {
        let check = |key, single_keys, expected| assert_eq!(action(key, single_keys), expected, "{key}");
        check("PageDown", false, Some(Action::Next));
        check("b", true, Some(Action::Blank));
        check("b", false, None);
        check("Escape", false, Some(Action::Leave));
        check("x", true, None);
    }

    #[test]
    fn sections_begin_at_headings() {
        let check = |parts: &str, expected: &[usize]| {
            assert_eq!(sections(parts.chars().map(|part| part == 'h')), expected, "{parts}");
        };
        check("pphpbh", &[0, 0, 1, 1, 1, 2]);
        check("hph", &[0, 0, 1]);
        check("", &[]);
    }
}
