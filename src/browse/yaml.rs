//! An object as YAML, as API servers write it.

use std::ops::Range;
use std::sync::Arc;

use json_tree::Value;
use leptos::prelude::*;
use protocol::document::Question;

use crate::state::Page;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, flag, live};
use crate::ui::{dom, messages};
use crate::widgets::check::check;
use crate::widgets::version::Version;

/// More lines than this are not shown at once.
const LINES: usize = 1_000;

/// The object as YAML.
pub(super) fn show(page: Page, object: Memo<Option<Arc<Value>>>) -> Part {
    let whole = RwSignal::new(false);
    let lines = RwSignal::new(LINES);
    let yaml = RwSignal::new(Arc::<str>::from(""));
    let latest = Latest::new();
    Effect::new(move || {
        let Some(object) = object.get() else { return };
        let object = if whole.get() { object } else { Arc::new(without_managers(&object)) };
        latest.begin(encoded(page, object), move |text| yaml.set(text.into()));
    });
    let content = move || {
        let text = yaml.get();
        text.lines().take(lines.get()).map(show_line).collect_view()
    };
    let rest = move || yaml.with(|text| text.lines().count()).saturating_sub(lines.get());
    view! {
        <div class="browse-tools">
            {check(words::WITH_MANAGERS, "", whole)}
            <button
                type="button"
                class="small"
                on:click=act(move |_| {
                    dom::copy(&yaml.get_untracked());
                    page.say(messages::COPIED);
                })
            >
                {messages::COPY}
            </button>
        </div>
        <pre class="browse-yaml mono">{live(content)}</pre>
        <button type="button" class="more" hidden=flag(move || rest() == 0) on:click=act(move |_| lines.update(|lines| *lines += LINES))>
            {live(move || messages::show_more(rest()))}
        </button>
    }
    .part()
}

fn without_managers(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    object
}

/// Writes an object as YAML, or says why not.
async fn encoded(page: Page, object: Arc<Value>) -> String {
    let json = serde_json::to_vec(&*object).unwrap_or_default();
    let question = Question::Encode { content_type: "application/yaml".to_owned() };
    match page.embedded().question(question, json.into()).await {
        Ok((_, yaml)) => String::from_utf8_lossy(&yaml).into_owned(),
        Err(error) => error.to_string(),
    }
}

/// The parts of a line: where its key is, if it has one, and its value.
#[derive(Debug, PartialEq)]
struct Parts {
    key: Range<usize>,
    value: Range<usize>,
}

/// Finds the key and the value in a line.
fn parts(line: &str) -> Parts {
    let from = line.find(|c: char| c != ' ' && c != '-').unwrap_or(line.len());
    // What is a list's own item begins with a dash and a blank; a negative number does not.
    let from = if line[..from].ends_with('-') { from - 1 } else { from };
    let rest = &line[from..];
    let quoted = rest.starts_with(['"', '\'']);
    let end = if quoted { rest[1..].find(&rest[..1]).map(|at| at + 2) } else { rest.find(':') };
    let is_key = end.filter(|end| {
        let after = &rest[*end..];
        after.starts_with(": ") || after == ":"
    });
    match is_key {
        Some(end) => {
            let value = (from + end + 1).min(line.len());
            let value = value + usize::from(line[value..].starts_with(' '));
            Parts { key: from..from + end, value: value..line.len() }
        }
        None => Parts { key: from..from, value: from..line.len() },
    }
}

fn show_line(line: &str) -> Part {
    let Parts { key, value } = parts(line);
    let (name, told) = (&line[key.clone()], &line[value.clone()]);
    let version = told.trim_matches('"');
    let shown = if name == "resourceVersion"
        && version.bytes().all(|byte| byte.is_ascii_digit())
        && !version.is_empty()
    {
        view! { "\""<Version version=version.to_owned() />"\"" }.part()
    } else {
        view! { <span class=class_of(told)>{told.to_owned()}</span> }.part()
    };
    let (before, between) = (line[..key.start].to_owned(), line[key.end..value.start].to_owned());
    view! { {before}<span class="j-key">{name.to_owned()}</span>{between}{shown}"\n" }.part()
}

fn class_of(value: &str) -> &'static str {
    match value {
        "true" | "false" | "null" | "{}" | "[]" | "|" | "|-" | ">" => "j-word",
        number if number.parse::<f64>().is_ok() => "j-number",
        _ => "j-text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, key: &str, value: &str) {
        let parts = parts(line);
        assert_eq!((&line[parts.key], &line[parts.value]), (key, value), "{line}");
    }

    #[test]
    fn a_line_has_a_key_and_a_value() {
        check("kind: Pod", "kind", "Pod");
        check("metadata:", "metadata", "");
        check("  - name: web", "name", "web");
        check("  - a:b", "", "a:b");
        check("- -5", "", "-5");
        check("", "", "");
        check("  'f:x': {}", "'f:x'", "{}");
        check("  \"a: b\": c", "\"a: b\"", "c");
        check("  image: registry.k8s.io/pause:3.10", "image", "registry.k8s.io/pause:3.10");
        check("    some text", "", "some text");
    }

    #[test]
    fn values_have_looks() {
        for (value, class) in [("1.5", "j-number"), ("true", "j-word"), ("\"1\"", "j-text"), ("[]", "j-word")]
        {
            assert_eq!(class_of(value), class);
        }
    }
}
