//! Holds the page to its catalogue: what it says to people stands in the modules beside this one, so that another language is
//! another catalogue.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// The files with sentences that are not the page's own, and whose they are.
const OTHERS: [(&str, &str); 6] = [
    ("model/lab/traffic.rs", "what is written into objects"),
    ("request/editor/problems.rs", "what API servers say, to be recognised"),
    ("model/request/form.rs", "the names of media types"),
    ("tour/act.rs", "what is written into objects"),
    ("model/why/failure.rs", "what API servers say, to be recognised"),
    ("model/why/rules.rs", "what API servers say, to be recognised"),
];

/// The names before literals that are not for people: of functions and macros, and of attributes.
const FOR_PROGRAMMERS: [&str; 6] = ["class", "doc", "expect", "panic", "unreachable", "write_str"];

/// Adds the string literals of a source. `name` is the last name before it.
fn literals(source: TokenStream, mut name: String, found: &mut Vec<String>) {
    for token in source {
        match token {
            TokenTree::Ident(ident) => name = ident.to_string(),
            TokenTree::Group(group) => literals(group.stream(), std::mem::take(&mut name), found),
            TokenTree::Punct(mark) if !['=', '!'].contains(&mark.as_char()) => name.clear(),
            TokenTree::Literal(literal) if !FOR_PROGRAMMERS.contains(&name.as_str()) => {
                let text = literal.to_string();
                let text = text.trim_start_matches(['r', '#']).trim_end_matches('#');
                found.extend(
                    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map(str::to_owned),
                );
            }
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// Returns the string literals of a source that may be for people, up to where its tests begin.
pub(super) fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut found = Vec::new();
    literals(source.parse().expect("it compiles"), String::new(), &mut found);
    found
}

/// Returns those that are sentences.
fn prose(source: &str) -> Vec<String> {
    let mut found = texts(source);
    found.retain(|text| is_prose(text));
    found
}

/// Returns whether a text is one for people: at least four words, three of which are no names.
fn is_prose(text: &str) -> bool {
    let words = || text.split_whitespace();
    let is_plain = |word: &&str| {
        let word = word.trim_end_matches([',', ';', ':', '.']);
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    words().count() >= 4 && words().filter(is_plain).count() >= 3
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "messages" && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "messages.rs" && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn whatever_the_page_says_stands_in_the_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut elsewhere = Vec::new();
    let mut others: Vec<&str> = OTHERS.iter().map(|(file, _)| *file).collect();
    for path in files {
        let file = path.strip_prefix(&root).expect("it is below").display().to_string();
        let source = fs::read_to_string(&path).expect("the file can be read");
        let prose = prose(&source);
        if OTHERS.iter().any(|(known, _)| *known == file) {
            others.retain(|known| *known != file || prose.is_empty());
        } else {
            elsewhere.extend(prose.into_iter().map(|text| format!("src/{file}: {text}")));
        }
    }
    assert!(elsewhere.is_empty(), "not in the catalogue:\n{}", elsewhere.join("\n"));
    assert_eq!(others, [""; 0], "have no such sentences any more");
}

#[test]
fn sentences_are_told_from_names() {
    let source = r##"
        //! A comment for programmers to read
        let class = "panel scroll tried out";
        let a: &'static str = r#"Keep the "connection" open and send"#;
        let b = ("Strategic Merge Patch", f.expect("there is a first one"), '"', "wait for the next one");
        #[cfg(test)]
mod tests { let c = "said by a test alone"; }"##;
    assert_eq!(prose(source), ["Keep the \"connection\" open and send", "wait for the next one"]);
}
