//! Holds the dictionaries of other languages to the catalogue: what it says, they have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::catalogue::texts;

/// The catalogue's files with texts that stay as they are, and why.
const OTHERS: [(&str, &str); 4] = [
    ("catalogue.rs", "a test"),
    ("dictionaries.rs", "a test"),
    ("lesson.rs", "it has them in both languages"),
    ("manifest.rs", "what kubectl says"),
];

/// The beginnings of other texts that stay as they are, and what they are.
const KEPT: [(&str, &str); 3] = [
    ("changed again", "a value of first bodies"),
    ("kubeglass serve", "a command"),
    ("const pods", "a script"),
];

/// Lists the files of a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("the folder can be read");
    entries.map(|entry| entry.expect("the folder can be read").path()).collect()
}

/// Returns all keys of the dictionary of a language.
fn keys(code: &str) -> BTreeSet<String> {
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("the file can be read");
        let part: Map<String, Value> = serde_json::from_str(&text).expect("it is an object");
        part.into_iter().map(|(key, _)| key)
    };
    files(&["static/languages/", code].concat()).into_iter().flat_map(read).collect()
}

/// Returns the parts of a text that are phrases: what stands between its holes, if it is two words at least.
fn phrases(literal: &str) -> Vec<String> {
    let mut literal = literal.replace("\\\"", "\"").replace("\\n", "\n").replace("{{", "").replace("}}", "");
    // A line that goes on: its end is not there, nor is what the next one is indented by.
    while let Some((before, after)) = literal.split_once("\\\n") {
        literal = [before, after.trim_start()].concat();
    }
    let plain = |word: &&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    literal
        .split(['{', '}'])
        .step_by(2)
        .map(str::trim)
        .filter(|text| text.split_whitespace().filter(plain).count() >= 2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_the_catalogue_says_is_in_every_dictionary() {
    let keys = keys("zh");
    let mut sources = ["src/ui/messages", "src/model/messages"].map(files).concat();
    sources.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui/messages.rs"));
    let mut missing = Vec::new();
    for file in sources {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !OTHERS.iter().any(|(other, _)| *other == name) {
            let source = fs::read_to_string(&file).expect("the file can be read");
            let phrases = texts(&source).into_iter().flat_map(|text| phrases(&text));
            let is_known = |phrase: &str| keys.iter().any(|key| key.contains(phrase));
            let is_kept = |phrase: &str| KEPT.iter().any(|(kept, _)| phrase.starts_with(kept));
            let unknown = phrases.filter(|phrase| !is_known(phrase) && !is_kept(phrase));
            missing.extend(unknown.map(|phrase| format!("{name}: {phrase}")));
        }
    }
    assert!(missing.is_empty(), "not in static/languages/zh:\n{}", missing.join("\n"));
}

#[test]
fn phrases_stand_between_holes() {
    let check = |literal: &str, expected: &[&str]| assert_eq!(phrases(literal), expected, "{literal}");
    check("wait {} s before trying again", &["s before trying again"]);
    check("resourceVersion", &[]);
    check("say \\\"all of it\\\"", &["say \"all of it\""]);
    check("{kind}/{name} failed", &[]);
}
