//! The languages of the page: for each a script, which translates what is shown (`static/language.js`) and has the texts that the
//! first load shows, and a file with those of the chunks.
//!
//! Of a text without holes a dictionary has the hash: the text itself would be as long as its translation, and whoever shows it has it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value};

use crate::files::{entries, text, write_hashed, written_anew};

/// The folder of the dictionaries: in it one for each language, of which each file is a part.
const FOLDER: &str = "static/languages";
/// The module, and the lines of it that are filled in.
const MODULE: &str = "static/language.js";
const CODE: &str = r#"const CODE = "";"#;
const FIRST_TEXTS: &str = "const FIRST = {};";
const LATER: &str = r#"const LATER = "";"#;

/// A dictionary: texts of the page, and their translations.
type Dictionary = BTreeMap<String, String>;

/// Writes the scripts into a folder, and the files that they load later. Returns the names of the scripts by the codes of their
/// languages, and those of the files. The script has the texts that are in `shell`, what is loaded of the page at first.
///
/// # Errors
/// A dictionary cannot be read, has two translations of a text or one with other holes than the text has, or the module lacks a line
/// that is to be filled in; or a file cannot be written.
pub(crate) fn write(folder: &Path, shell: &str) -> Result<(BTreeMap<String, String>, Vec<OsString>), String> {
    let mut scripts = BTreeMap::new();
    let mut files = Vec::new();
    for language in entries(Path::new(FOLDER))? {
        let code = language.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dictionary = dictionary(&language)?;
        let (first, later) = dictionary.into_iter().partition(|(text, _)| is_in(text, shell));
        let file = write_hashed(&format!("language-{code}.json"), &json(&later)?, folder)?;
        let lines = [
            (CODE, CODE.replace("\"\"", &format!("{code:?}"))),
            (FIRST_TEXTS, FIRST_TEXTS.replace("{}", &json(&first)?)),
            (LATER, LATER.replace("\"\"", &format!("{file:?}"))),
        ];
        let module = written_anew(Path::new(MODULE), &lines)?;
        scripts.insert(code.clone(), write_hashed(&format!("language-{code}.js"), &module, folder)?);
        files.push(file.into());
    }
    files.extend(scripts.values().map(OsString::from));
    Ok((scripts, files))
}

/// Writes a dictionary as `static/language.js` reads it: an object. Like translations stand beside one another, which makes it smaller.
fn json(dictionary: &Dictionary) -> Result<String, String> {
    let mut entries: Vec<_> = dictionary.iter().collect();
    entries.sort_unstable_by_key(|(_, translation)| *translation);
    let mut known = BTreeMap::new();
    let mut object = Vec::new();
    for (text, translation) in entries {
        let key = if holes(text).is_empty() { format!("{:x}", hash(text)) } else { text.clone() };
        if let Some(other) = known.insert(key.clone(), text) {
            return Err(format!("{other:?} and {text:?} have the same hash: let one say it otherwise"));
        }
        let quoted = |text: &str| serde_json::to_string(text).map_err(|error| error.to_string());
        object.push([quoted(&key)?, quoted(translation)?].join(":"));
    }
    Ok(["{", &object.join(","), "}"].concat())
}

/// Returns the hash of a text (FNV-1a of its UTF-16).
fn hash(text: &str) -> u32 {
    text.encode_utf16().fold(0x811c_9dc5, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193))
}

/// Joins the files of a language.
fn dictionary(folder: &Path) -> Result<Dictionary, String> {
    let mut dictionary = Dictionary::new();
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

/// Reports whether what a text has beside its holes is in others, part by part.
fn is_in(text: &str, others: &str) -> bool {
    let mut parts = text.split('{').flat_map(|part| {
        match part.split_once('}') {
            Some((name, after)) if is_name(name.trim_end_matches(":number")) => after,
            _ => part,
        }
        .lines()
    });
    parts.all(|part| others.contains(part))
}

/// Returns the names of the holes (`{name}`, `{name:number}`) of a text, sorted.
fn holes(text: &str) -> Vec<&str> {
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    let names = parts.map(|(name, _)| name.trim_end_matches(":number"));
    let mut holes: Vec<&str> = names.filter(|name| is_name(name)).collect();
    holes.sort_unstable();
    holes
}

/// Reports whether something in braces is the name of a hole.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
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

    #[test]
    fn a_dictionary_has_texts_with_holes_and_hashes_of_others() {
        let texts = [("Send", "发送"), ("Wait {seconds:number} s", "等待 {seconds} 秒"), ("Cancel", "取消")];
        let dictionary = texts.map(|(text, translation)| (text.to_owned(), translation.to_owned())).into();
        let expected =
            r#"{"f28e14cf":"发送","35afca3b":"取消","Wait {seconds:number} s":"等待 {seconds} 秒"}"#;
        assert_eq!(json(&dictionary).as_deref(), Ok(expected));
        assert_eq!([hash(""), hash("a")], [0x811c_9dc5, 0xe40c_292c]);
    }

    #[test]
    fn texts_of_the_shell() {
        let shell = "Send\0Wait \0 s for \0An empty object is {}";
        for (text, expected) in [
            ("Send", true),
            ("Wait {seconds:number} s for {name}", true),
            ("Wait {seconds:number} s", true),
            ("Wait for {name}", false),
            ("An empty object is {}", true),
            ("{name}", true),
            ("Receive", false),
        ] {
            assert_eq!(is_in(text, shell), expected, "{text}");
        }
    }
}
