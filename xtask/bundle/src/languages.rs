//! The languages of the page: a script for each, which translates what is shown (`static/language.js`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::files::{entries, text, written_anew};

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
    let module = |folder: PathBuf| {
        let code = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let json = serde_json::to_string(&dictionary(&folder)?).map_err(|error| error.to_string())?;
        let lines = [
            (CODE, CODE.replace("\"\"", &format!("{code:?}"))),
            (DICTIONARY, DICTIONARY.replace("{}", &json)),
        ];
        Ok((code, written_anew(Path::new(MODULE), &lines)?))
    };
    entries(Path::new(FOLDER))?.into_iter().map(module).collect()
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
    let is_name = |name: &&str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    let mut holes: Vec<&str> =
        parts.map(|(name, _)| name.trim_end_matches(":number")).filter(is_name).collect();
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
