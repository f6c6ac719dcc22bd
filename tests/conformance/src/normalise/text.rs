//! Names for what differs within texts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Compiles a pattern. If one below is wrong, nothing matches it: the tests of this file would tell.
fn expression(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

type Pattern = LazyLock<Option<Regex>>;

static WHOLE_TIME: Pattern = LazyLock::new(|| expression(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\n?$"));
static TIME: Pattern = LazyLock::new(|| expression(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"));
static UUID: Pattern =
    LazyLock::new(|| expression("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
static SERVICE_IP: Pattern = LazyLock::new(|| expression(r"^10\.96\.\d+\.\d+\n?$"));
static VERSION: Pattern =
    LazyLock::new(|| expression(r"(?i)((?:resource version|resourceVersion|revision)[^0-9<]{0,28})(\d+)"));
static CURRENT: Pattern = LazyLock::new(|| expression(r"(current: )(\d+)"));
static VERSION_AGAIN: Pattern = LazyLock::new(|| expression(r"(resource version: <n> )\(\d+\)"));

/// The names given so far within a scenario.
pub(super) struct Texts {
    ns: String,
    generated: Vec<(Option<Regex>, String)>,
    uids: HashMap<String, usize>,
}

impl Texts {
    /// `ns` is the run's own name; `generated` are the prefixes of names that the server ends itself.
    pub(super) fn new(ns: &str, generated: &[String]) -> Self {
        let generated = generated.iter().map(|prefix| {
            (expression(&format!(r"{}[a-z0-9]{{5}}\b", regex::escape(prefix))), format!("{prefix}<rand>"))
        });
        Self { ns: ns.to_owned(), generated: generated.collect(), uids: HashMap::new() }
    }

    /// `text` with names for whatever in it differs from run to run.
    pub(super) fn normalise(&mut self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        if text.contains(&self.ns) {
            text = Cow::Owned(text.replace(&self.ns, "${ns}"));
        }
        for (generated, name) in &self.generated {
            replace(generated, &mut text, |_| name.clone());
        }
        // All that follows has a digit in it, and most texts have none.
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return text.into_owned();
        }
        if matches(&WHOLE_TIME, &text) {
            return "<time>".to_owned();
        }
        if text.starts_with("10.96.") && matches(&SERVICE_IP, &text) {
            return "<service ip>".to_owned();
        }
        replace(&TIME, &mut text, |_| "<time>".to_owned());
        replace(&UUID, &mut text, |found| {
            let next = self.uids.len() + 1;
            format!("<uid:{}>", self.uids.entry(found[0].to_owned()).or_insert(next))
        });
        replace(&VERSION, &mut text, |found| format!("{}<n>", &found[1]));
        replace(&CURRENT, &mut text, |found| format!("{}<n>", &found[1]));
        replace(&VERSION_AGAIN, &mut text, |found| format!("{}(<n>)", &found[1]));
        text.into_owned()
    }
}

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn replace(pattern: &Option<Regex>, text: &mut Cow<'_, str>, by: impl FnMut(&Captures<'_>) -> String) {
    let Some(pattern) = pattern else { return };
    if let Cow::Owned(replaced) = pattern.replace_all(text, by) {
        *text = Cow::Owned(replaced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let mut texts = Texts::new("cf-abc", &["web-".to_owned(), "${ns}.x-".to_owned()]);
        assert_eq!(texts.normalise(text), want);
    }

    #[test]
    fn texts() {
        check("plain", "plain");
        check("namespaces \"cf-abc\" and cf-abc.example.com", "namespaces \"${ns}\" and ${ns}.example.com");
        check("web-x7k2p", "web-<rand>");
        check("pods \"web-abcde\" not found", "pods \"web-<rand>\" not found");
        check("web-abc", "web-abc");
        check("web-abcdefg", "web-abcdefg");
        check("cf-abc.x-abcde", "${ns}.x-<rand>");
        check("2026-01-02T03:04:05Z", "<time>");
        check("2026-01-02T03:04:05.678901Z", "<time>");
        check("since 2026-01-02T03:04:05Z, until 2026-01-02T03:04:06Z", "since <time>, until <time>");
        check("2026-01-02", "2026-01-02");
        check("10.96.3.4", "<service ip>");
        check("10.97.3.4", "10.97.3.4");
        check("at 10.96.3.4", "at 10.96.3.4");
        check(
            "00000000-0000-4000-8000-000000000000/00000000-0000-4000-8000-000000000001 \
             00000000-0000-4000-8000-000000000000",
            "<uid:1>/<uid:2> <uid:1>",
        );
        check("too old resource version: 1 (12)", "too old resource version: <n> (<n>)");
        check("Too large resource version: 99, current: 12", "Too large resource version: <n>, current: <n>");
        check(
            "The resourceVersion for the provided watch 5",
            "The resourceVersion for the provided watch <n>",
        );
        check(
            "required revision has been compacted, current is x 5",
            "required revision has been compacted, current is x 5",
        );
        check("replicas: 3", "replicas: 3");
    }
}
