//! The links of the documents, the paths and tasks that they name, and the README of each crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::counts::Counts;
use crate::files;

/// The folders whose documents are read. Of those below the second list only the READMEs are the repository's own words:
/// others are examples.
const FOLDERS: [&str; 4] = [".github", "docs", "crates", "tests"];
const READMES_ALONE: [&str; 2] = ["crates", "tests"];
/// A word in backticks that begins so is a path.
const PATHS: [&str; 8] = ["crates/", "docs/", "fuzz/", "src/", "static/", "tests/", "web/", "xtask/"];

/// Gives the text of the file at a path from the root, an empty one for a folder, or nothing if there is neither.
type Look<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the documents of the repository at `root`, and prints what is wrong with them.
pub(super) fn check(root: &Path) -> Result<Counts, String> {
    let look = |path: &str| {
        let path = root.join(path);
        path.exists().then(|| fs::read_to_string(path).unwrap_or_default())
    };
    let mut counts = Counts::default();
    let files: Vec<_> =
        files::find(root, &files::CODE, "rs")?.iter().map(|path| files::from_root(root, path)).collect();
    for path in documents(root)? {
        let faults = look(&path).map_or_else(
            || vec!["it is missing".to_owned()],
            |text| [faults(&path, &look), missing(&text, &files)].concat(),
        );
        counts = counts + if faults.is_empty() { Counts::PASSED } else { Counts::FAILED };
        faults.iter().for_each(|fault| println!("{path}: {fault}"));
    }
    Ok(counts)
}

/// Returns a sentence for each Rust file that a text names in backticks, by the end of its path, and that is none of these.
fn missing(text: &str, files: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in prose(text) {
        let named = without_code(line).1.into_iter().filter(|code| {
            code.ends_with(".rs")
                && code.chars().all(|next| next.is_ascii_alphanumeric() || "/._-".contains(next))
        });
        let is_there = |code: &&str| {
            files.iter().any(|file| {
                let before = file.strip_suffix(*code);
                before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
        };
        let unknown = named.filter(|code| !is_there(code));
        faults.extend(unknown.map(|code| format!("line {number}: there is no `{code}`")));
    }
    faults
}

/// The paths of all documents from the root, among them the README of each crate, be it there or not.
fn documents(root: &Path) -> Result<Vec<String>, String> {
    let of_root = files::entries(root)?.into_iter().filter(|path| is_markdown(path));
    let below = files::find(root, &FOLDERS, "md")?.into_iter().filter(|path| {
        let readmes_alone = READMES_ALONE.iter().any(|name| path.starts_with(root.join(name)));
        !readmes_alone || path.ends_with("README.md")
    });
    let crates = files::entries(&root.join("crates"))?;
    let crates = crates.iter().filter(|path| path.join("Cargo.toml").exists());
    let readmes = crates.map(|path| path.join("README.md"));
    let found = of_root.chain(below).chain(readmes);
    let found: BTreeSet<String> = found.map(|path| files::from_root(root, &path)).collect();
    Ok(found.into_iter().collect())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

/// Returns what is wrong with a document, one sentence for each link and path that leads nowhere.
fn faults(path: &str, look: Look<'_>) -> Vec<String> {
    let text = look(path).unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut faults = Vec::new();
    for (number, line) in prose(&text) {
        let (plain, codes) = without_code(line);
        let links = targets(&plain).into_iter().filter_map(|target| fault_of_link(path, target, look));
        // A row of a table may be about a folder: its other paths can be inside of that.
        let place =
            codes.first().filter(|_| line.starts_with('|')).map_or("", |first| first.trim_end_matches('/'));
        let paths = codes.iter().filter(|code| is_path(code)).filter(|code| {
            let places = ["", folder, place];
            !places.iter().any(|place| join(place, code).is_some_and(|path| look(&path).is_some()))
        });
        let paths = paths.map(|code| format!("there is no `{code}`"));
        faults.extend(links.chain(paths).map(|fault| format!("line {number}: {fault}")));
    }
    // Tasks are named in fenced code, too.
    let names =
        text.split("cargo xtask ").skip(1).filter_map(|rest| rest.split(|c| !char::is_alphabetic(c)).next());
    let unknown = names.filter(|name| !name.is_empty() && crate::TASKS.iter().all(|task| task.name != *name));
    faults.extend(unknown.map(|name| format!("there is no `cargo xtask {name}`")));
    faults
}

/// Returns why a link leads nowhere, if it does.
fn fault_of_link(path: &str, target: &str, look: Look<'_>) -> Option<String> {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    if ["http", "https", "mailto"].contains(&scheme) {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let file = if file.is_empty() { Some(path.to_owned()) } else { join(folder, file) };
    let Some(file) = file else { return Some(format!("{target} leads out of the repository")) };
    let Some(text) = look(&file) else { return Some(format!("{target} leads to no file")) };
    let anchor = anchor?;
    (!anchors(&text).iter().any(|known| known == anchor)).then(|| format!("{target} leads to no heading"))
}

/// Joins a path to a folder, both from the root. Nothing is above the root, and nothing begins at another one.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The lines outside of fenced code, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence = None;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let begin = line.trim_start();
        let mark = begin.chars().next().filter(|mark| "`~".contains(*mark)).unwrap_or(' ');
        let marks = begin.chars().take_while(|next| *next == mark).count();
        let only_marks = begin.trim_end().chars().all(|next| next == mark);
        match fence {
            Some((open, least)) if mark == open && marks >= least && only_marks => fence = None,
            Some(_) => {}
            None if mark != ' ' && marks >= 3 => fence = Some((mark, marks)),
            None => lines.push((number, line)),
        }
    }
    lines
}

/// Splits a line into the text outside of backticks, and what stands in them.
fn without_code(line: &str) -> (String, Vec<&str>) {
    let (mut plain, mut codes, mut rest) = (String::new(), Vec::new(), line);
    while let Some(begin) = rest.find('`') {
        let after = &rest[begin..];
        let marks = after.len() - after.trim_start_matches('`').len();
        let Some(end) = after[marks..].find(&after[..marks]) else { break };
        plain.push_str(&rest[..begin]);
        codes.push(after[marks..][..end].trim());
        rest = &after[marks..][end + marks..];
    }
    plain.push_str(rest);
    (plain, codes)
}

/// The targets of the links in a line: `[text](target "title")`, `[name]: target`, and attributes of HTML.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (begin, end) in [("](", ')'), ("href=\"", '"'), ("src=\"", '"')] {
        targets.extend(line.split(begin).skip(1).filter_map(|rest| rest.split(end).next()));
    }
    let named = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    targets.extend(named.map(|(_, target)| target));
    let first_word = |target: &'_ str| target.split_whitespace().next().map(str::len);
    targets
        .into_iter()
        .filter_map(|target| first_word(target.trim_start()).map(|length| &target.trim_start()[..length]))
        .map(|target| target.trim_start_matches('<').trim_end_matches('>'))
        .collect()
}

/// Reports whether what stands in backticks is a path, and not a pattern or a command.
fn is_path(code: &str) -> bool {
    PATHS.iter().any(|begin| code.starts_with(begin))
        && code.chars().all(|next| next.is_ascii_alphanumeric() || "/._-".contains(next))
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if (1..=6).contains(&(line.len() - heading.len())) && heading.starts_with(' ') {
            let anchor = anchor(heading.trim());
            let same = |known: &&String| known.strip_prefix(anchor.as_str()).is_some_and(is_repetition);
            let earlier = anchors.iter().filter(same).count();
            anchors.push(if earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
        }
    }
    anchors
}

/// Reports whether nothing, or a number, stands behind the anchor of an earlier heading.
fn is_repetition(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<usize>().is_ok())
}

fn anchor(heading: &str) -> String {
    // Of a link its text is the heading's.
    let text = heading
        .split("](")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once(')').map_or("", |(_, after)| after) });
    let kept = |next: &char| next.is_alphanumeric() || " -_".contains(*next);
    text.collect::<String>()
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_the_end_of_their_paths() {
        let files = ["src/app.rs".to_owned(), "crates/a/src/policy/evaluate.rs".to_owned()];
        let check = |text: &str, expected: &[&str]| assert_eq!(missing(text, &files), expected);
        check("`app.rs`, `policy/evaluate.rs` and `evaluate.rs`", &[]);
        check("`uate.rs`", &["line 1: there is no `uate.rs`"]);
        check("`policy/expression.rs`", &["line 1: there is no `policy/expression.rs`"]);
    }

    const OTHER: &str =
        "# Title\n\n## A `code`, and more\n\n## Again\n\n## Again\n\n```\n## No heading\n```\n";

    /// A document `docs/page.md`, beside other files; `expected` is what is wrong with it.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let files =
            ["README.md", "docs", "docs/other.md", "crates/a", "crates/a/src/lib.rs", "docs/src/b.rs"];
        let look = |path: &str| match path {
            "docs/page.md" => Some(text.to_owned()),
            "docs/other.md" => Some(OTHER.to_owned()),
            _ => files.contains(&path).then(String::new),
        };
        assert_eq!(faults("docs/page.md", &look), expected);
    }

    #[test]
    fn links_lead_to_files() {
        check("[a](other.md) ![b](../README.md \"title\") [c](../docs/) [d](<other.md>)", &[]);
        check("[a](https://example.com/x) <mailto:a@example.com> [b](mailto:a@example.com)", &[]);
        check("a\n\n[a](none.md)", &["line 3: none.md leads to no file"]);
        check("[a](other.md), [b](x.md)", &["line 1: x.md leads to no file"]);
        check("[name]: x.md", &["line 1: x.md leads to no file"]);
        check("<img src=\"x.png\">", &["line 1: x.png leads to no file"]);
        check("[a](/README.md)", &["line 1: /README.md leads out of the repository"]);
        check("[a](../../x)", &["line 1: ../../x leads out of the repository"]);
    }

    #[test]
    fn anchors_lead_to_headings() {
        check("## Here\n[a](#here) [b](other.md#again) [c](other.md#again-1)", &[]);
        check("[a](other.md#a-code-and-more)", &[]);
        check("[a](#there)", &["line 1: #there leads to no heading"]);
        check("[a](other.md#no-heading)", &["line 1: other.md#no-heading leads to no heading"]);
        check("[a](other.md#again-2)", &["line 1: other.md#again-2 leads to no heading"]);
        check("## [Linked](other.md) text\n[a](#linked-text)", &[]);
    }

    #[test]
    fn code_has_no_links() {
        check("```md\n[a](x.md) `crates/x`\n```\n~~~\n```\n[a](x.md)\n~~~", &[]);
        check("````\n```\n[a](x.md)\n````\n[a](y.md)", &["line 5: y.md leads to no file"]);
        check("`[a](x.md)` and ``a ` [b](y.md)``", &[]);
    }

    #[test]
    fn tasks_are_there() {
        check("`cargo xtask serve`, `cargo xtask` and `cargo xtask <task>`", &[]);
        check("```sh\ncargo xtask dance 1\n```", &["there is no `cargo xtask dance`"]);
    }

    #[test]
    fn paths_are_there() {
        check("`crates/a/src/lib.rs`, `docs/`, `src/b.rs`", &[]);
        check("| `crates/a` | `src/lib.rs`, `src/c.rs` |", &["line 1: there is no `src/c.rs`"]);
        check("`crates/b` `other/c`", &["line 1: there is no `crates/b`"]);
        check("`crates/*/README.md`, `crates/NAME x`, `target/b`", &[]);
    }
}
