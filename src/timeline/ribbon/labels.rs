//! The labels of the lanes, beside the canvas: elements that are touched only where something has changed.

use glass::{History, Object};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::model::watch::hue_class;
use crate::timeline::ribbon::facts::{Facts, Pin, Server, WatchLine};
use crate::timeline::ribbon::rows::{LANE, Lower, Rows};
use crate::ui::dom;
use crate::ui::messages::ribbon as words;

/// The attribute that has the number of an object.
pub(crate) const NUMBER: &str = "data-number";

/// A label, as it should be.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    /// The lane that the label is for: `object`, `server`, `watch` or `pin`, and its number among those.
    lane: (&'static str, u64),
    /// The middle of the lane; `None` where the lane is out of sight.
    middle: Option<f64>,
    text: String,
    title: String,
    class: &'static str,
    /// For those who look without eyes, and for tests.
    said: Vec<(&'static str, String)>,
}

/// The labels.
pub(crate) struct Labels {
    host: HtmlElement,
    known: Vec<(Label, HtmlElement)>,
}

impl Labels {
    /// Labels in `host`.
    pub(crate) fn new(host: HtmlElement) -> Self {
        Self { host, known: Vec::new() }
    }

    /// Makes them what they should be.
    pub(crate) fn show(&mut self, history: &History, facts: &Facts, rows: &Rows) {
        let mut known = std::mem::take(&mut self.known);
        let mut moved = false;
        for (place, label) in labels(history, facts, rows).into_iter().enumerate() {
            let at = known.iter().position(|(known, _)| known.lane == label.lane);
            let (before, element) = match at {
                Some(at) => {
                    moved |= at != 0;
                    let (before, element) = known.remove(at);
                    (Some(before), element)
                }
                None => {
                    moved = true;
                    let Some(element) = create(&label) else { continue };
                    (None, element)
                }
            };
            if before.as_ref() != Some(&label) {
                update(&element, before.as_ref(), &label);
            }
            if moved {
                let there = self.host.children().item(place as u32);
                if there.as_ref() != Some(element.unchecked_ref::<Element>()) {
                    let _ = self.host.insert_before(&element, there.as_deref());
                }
            }
            self.known.push((label, element));
        }
        known.into_iter().for_each(|(_, element)| element.remove());
    }
}

fn create(label: &Label) -> Option<HtmlElement> {
    let tag = if label.lane.0 == "object" { "button" } else { "span" };
    let element: HtmlElement = dom::document().create_element(tag).ok()?.dyn_into().ok()?;
    let _ = element.set_attribute("data-lane", label.lane.0);
    if tag == "button" {
        let _ = element.set_attribute("type", "button");
        let _ = element.set_attribute(NUMBER, &label.lane.1.to_string());
    }
    Some(element)
}

fn update(element: &HtmlElement, before: Option<&Label>, label: &Label) {
    let differs = |get: fn(&Label) -> &str| before.is_none_or(|before| get(before) != get(label));
    if before.is_none_or(|before| before.middle != label.middle) {
        element.set_hidden(label.middle.is_none());
        let top = label.middle.unwrap_or_default() - LANE / 2.0;
        let _ = element.style().set_property("top", &[&top.to_string(), "px"].concat());
    }
    if differs(|label| &label.text) {
        element.set_text_content(Some(&label.text));
    }
    if differs(|label| &label.title) {
        element.set_title(&label.title);
    }
    if differs(|label| label.class) {
        element.set_class_name(label.class);
    }
    for (at, (name, value)) in label.said.iter().enumerate() {
        let same = before.and_then(|before| before.said.get(at)).is_some_and(|(_, before)| before == value);
        if !same {
            let _ = element.set_attribute(name, value);
        }
    }
}

fn labels(history: &History, facts: &Facts, rows: &Rows) -> Vec<Label> {
    let mut labels = Vec::new();
    let upper = rows.upper_stretch;
    for lane in upper.first..upper.first + upper.seen {
        let Some(number) = rows.objects.get(lane) else { continue };
        let pinned = rows.pinned.contains(number);
        if let Some(known) = history.object(*number) {
            labels.push(object(*number, known, pinned, upper.middle(lane)));
        }
    }
    for (lane, row) in rows.lower.iter().enumerate() {
        let middle = rows.lower_stretch.middle(lane);
        let label = match *row {
            Lower::Server(at) => facts.servers.get(at).map(|known| server(known, middle)),
            Lower::Watch(at) => facts.watches.get(at).map(|known| watch(known, middle)),
            Lower::Pin(at) => facts.pins.get(at).map(|known| pin(at, known, middle)),
        };
        labels.extend(label);
    }
    labels
}

fn flag(flag: bool) -> String {
    if flag { "true" } else { "false" }.to_owned()
}

fn object(number: u32, object: &Object, pinned: bool, middle: Option<f64>) -> Label {
    Label {
        lane: ("object", u64::from(number)),
        middle,
        text: object.label.clone(),
        title: [&object.label, ". ", words::PIN].concat(),
        class: "",
        said: vec![
            ("aria-pressed", flag(pinned)),
            ("data-label", object.label.clone()),
            ("data-generations", object.generations.len().to_string()),
            ("data-writes", object.writes.len().to_string()),
            ("data-lives", flag(object.lives)),
        ],
    }
}

fn server(server: &Server, middle: Option<f64>) -> Label {
    let text = server.label();
    Label {
        lane: ("server", server.number as u64),
        middle,
        title: text.clone(),
        text,
        class: "",
        said: vec![
            ("data-server", server.number.to_string()),
            ("data-revision", server.revision.to_string()),
            ("data-behind", server.behind.to_string()),
            ("data-back", server.back.map(|back| back.to_string()).unwrap_or_default()),
        ],
    }
}

fn watch(watch: &WatchLine, middle: Option<f64>) -> Label {
    let text = [&*watch.letter, " ", &watch.about].concat();
    let number = |number: u64| number.to_string();
    Label {
        lane: ("watch", watch.id),
        middle,
        title: words::watch_title(
            watch.resume,
            watch.looked,
            watch.lag == Some(0),
            (watch.sent, watch.filtered),
        ),
        text,
        class: if watch.open { hue_class(watch.id) } else { "closed" },
        said: vec![
            ("data-letter", watch.letter.to_string()),
            ("data-start", number(watch.start)),
            ("data-looked", number(watch.looked)),
            ("data-resume", number(watch.resume)),
            ("data-sent", number(watch.sent)),
            ("data-filtered", number(watch.filtered)),
            ("data-lag", watch.lag.map(number).unwrap_or_default()),
            ("data-open", flag(watch.open)),
            ("data-gone", flag(watch.gone)),
        ],
    }
}

fn pin(place: usize, pin: &Pin, middle: Option<f64>) -> Label {
    let text = words::pinned(&pin.collection);
    Label {
        lane: ("pin", place as u64),
        middle,
        title: [&text, ". ", words::PINNED].concat(),
        text,
        class: if pin.expired { "closed" } else { "" },
        said: vec![
            ("data-revision", pin.revision.to_string()),
            ("data-remaining", pin.remaining.map(|left| left.to_string()).unwrap_or_default()),
            ("data-expired", flag(pin.expired)),
        ],
    }
}
