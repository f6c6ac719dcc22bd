//! The languages of the page: a script for each, which translates what is shown (`static/language.js`).

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::files::{entries, text};

/// The folder of the dictionaries: in it one for each language, of which each file is a part.
const FOLDER: &str = "static/languages";
/// The module, and the lines of it that are filled in.
const MODULE: &str = "static/language.js";
const CODE: &str = r#"const CODE = "";"#;
const DICTIONARY: &str = "const DICTIONARY = {};";

/// Returns the modules, by the codes of their languages.
///
/// # Errors
/// A dictionary cannot be read, has two translations of a text or one with other holes than the text has, or the module lacks a line
/// that is to be filled in.
pub(crate) fn modules() -> Result<BTreeMap<String, String>, String> {
    let module = text(Path::new(MODULE))?;
    let mut modules = BTreeMap::new();
    for folder in entries(Path::new(FOLDER))? {
        let code = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dictionary = dictionary(&folder)?;
        let json = serde_json::to_string(&dictionary).map_err(|error| error.to_string())?;
        let filled = module
            .replace(CODE, &CODE.replace("\"\"", &format!("{code:?}")))
            .replace(DICTIONARY, &DICTIONARY.replace("{}", &json));
        if filled.contains(CODE) || filled.contains(DICTIONARY) {
            return Err(format!("{MODULE} has no lines `{CODE}` and `{DICTIONARY}` to be filled in"));
        }
        modules.insert(code, filled);
    }
    Ok(modules)
}

/// Joins the files of a language.
fn dictionary(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut dictionary = BTreeMap::new();
    for file in entries(folder)? {
        let name = file.display();
        let part: Map<String, Value> =
            serde_json::from_str(&text(&file)?).map_err(|error| format!("{name} cannot be read: {error}"))?;
        for (key, translation) in part {
            let Value::String(translation) = translation else {
                return Err(format!("{name} has no text for {key:?}"));
            };
            if holes(&key) != holes(&translation) {
                return Err(format!("{name} has other holes in {translation:?} than in {key:?}"));
            }
            let other = dictionary.insert(key.clone(), translation.clone());
            if let Some(other) = other.filter(|other| *other != translation) {
                return Err(format!("{name} has {translation:?} for {key:?}, another file has {other:?}"));
            }
        }
    }
    Ok(dictionary)
}

/// Returns the names of the holes (`{name}`, `{name:number}`) of a text, sorted.
fn holes(text: &str) -> Vec<&str> {
    let hole = |part: &'_ str| -> Option<usize> {
        let name = part.split_once('}')?.0;
        (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte)))
            .then_some(name.len())
    };
    let mut holes: Vec<&str> = text
        .split('{')
        .skip(1)
        .filter_map(|part| part.get(..hole(part)?))
        .map(|name| name.trim_end_matches(":number"))
        .collect();
    holes.sort_unstable();
    holes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_of_texts() {
        let check = |text: &str, expected: &[&str]| assert_eq!(holes(text), expected, "{text}");
        check("Wait {seconds:number} s for {name}", &["name", "seconds"]);
        check("等待 {name} {seconds} 秒", &["name", "seconds"]);
        check("An empty object is {}, and {\"a\": 1} is none", &[]);
        check("no hole", &[]);
    }
}
