//! Holds the page to its catalogue: what it says to people stands in the modules beside this one, so that another language is
//! another catalogue.

use std::fs;
use std::path::{Path, PathBuf};

/// The files that have sentences which are not the page's own, and whose they are.
const OTHERS: [(&str, &str); 6] = [
    ("lab/traffic.rs", "what is written into objects"),
    ("request/editor/problems.rs", "what API servers say, to be recognised"),
    ("request/form.rs", "the names of media types"),
    ("tour/act.rs", "what is written into objects"),
    ("why/failure.rs", "what API servers say, to be recognised"),
    ("why/rules.rs", "what API servers say, to be recognised"),
];

/// What a literal stands behind that only programmers read.
const FOR_PROGRAMMERS: [&str; 5] = ["expect(", "panic!(", "unreachable!(", "class=", "f.write_str("];

/// Returns the string literals of a source, each with its line and what stands before it, up to where its tests begin.
fn literals(source: &str) -> Vec<(usize, &str, &str)> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut found = Vec::new();
    let (mut at, bytes) = (0, source.as_bytes());
    while at < bytes.len() {
        if source[at..].starts_with("//") {
            at = source[at..].find('\n').map_or(bytes.len(), |end| at + end);
        } else if bytes[at] == b'\'' {
            // A character, unless it is a lifetime.
            let is_escaped = bytes.get(at + 1) == Some(&b'\\');
            let width = source[at + 1..].chars().next().map_or(0, char::len_utf8);
            let end = if is_escaped {
                source[at + 2..].find('\'').map(|end| at + 2 + end)
            } else {
                Some(at + 1 + width)
            };
            at = end.filter(|end| bytes.get(*end) == Some(&b'\'')).unwrap_or(at) + 1;
        } else if bytes[at] == b'"' {
            let hashes = source[..at].bytes().rev().take_while(|byte| *byte == b'#').count();
            let is_raw = source[..at - hashes].ends_with('r');
            let begin = at + 1;
            let mut end = begin;
            while end < bytes.len() {
                match bytes[end] {
                    b'\\' if !is_raw => end += 1,
                    b'"' if !is_raw
                        || source[end + 1..].bytes().take_while(|byte| *byte == b'#').count() >= hashes =>
                    {
                        break;
                    }
                    _ => {}
                }
                end += 1;
            }
            let line = source[..at].matches('\n').count() + 1;
            found.push((line, source[..at].trim_end(), &source[begin..end.min(bytes.len())]));
            at = end + 1;
        } else {
            at += 1;
        }
        while !source.is_char_boundary(at.min(source.len())) {
            at += 1;
        }
    }
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
        let prose = literals(&source).into_iter().filter(|(_, before, text)| {
            is_prose(text) && !FOR_PROGRAMMERS.iter().any(|call| before.ends_with(call))
        });
        let prose: Vec<String> = prose.map(|(line, _, text)| format!("src/{file}:{line}: {text}")).collect();
        if OTHERS.iter().any(|(known, _)| *known == file) {
            others.retain(|known| *known != file || prose.is_empty());
        } else {
            elsewhere.extend(prose);
        }
    }
    assert!(elsewhere.is_empty(), "not in the catalogue:\n{}", elsewhere.join("\n"));
    assert_eq!(others, [""; 0], "have no such sentences any more");
}

#[test]
fn literals_are_found_where_they_are() {
    let source = "let a = \"one\"; // \"no\"\nlet b = 'x'; let c: &'static str = r#\"two \"2\"\"#;\nd('\"', '\\'', \"th\\\"ree\")";
    let found: Vec<(usize, &str)> =
        literals(source).into_iter().map(|(line, _, text)| (line, text)).collect();
    assert_eq!(found, [(1, "one"), (2, "two \"2\""), (3, "th\\\"ree")]);
    assert!(
        is_prose("Keep the connection open")
            && !is_prose("panel scroll tried")
            && !is_prose("Strategic Merge Patch")
    );
}
