#![doc = include_str!("../README.md")]

use std::sync::OnceLock;

/// All descriptions, as a text:
///
/// ```text
/// @k8s.io/api/core/v1
/// Container A single application container that you want to run within a pod.
///  imagePullPolicy Image pull policy. ...
///   Always⇥means that kubelet always attempts to pull the latest image. ...
/// ```
///
/// Packages, types, fields, and for fields of an enumeration's type the values, with a tab before what is said of each. Packages, types and fields
/// are in the order of their names, values in that of OpenAPI documents. U+2029 stands for an empty line, U+2028 for the end of a line. What
/// is said of something may be nothing.
pub const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/descriptions.txt"));

/// What is said of a type.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Its lines in [`TEXT`], the first of which begins behind its name.
    lines: &'static str,
}

/// What is said of a field.
#[derive(Clone, Copy, Debug)]
pub struct DescribedField {
    about: &'static str,
    values: &'static str,
}

/// A value that a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value.
    pub name: &'static str,
    /// What is said of it, in one line.
    pub about: &'static str,
}

/// Returns what is said of the type of a Go package, such as `k8s.io/api/core/v1`.
pub fn of(package: &str, name: &str) -> Option<Described> {
    static TYPES: OnceLock<Vec<(&str, &str, &str)>> = OnceLock::new();
    let types = TYPES.get_or_init(types);
    let found = types.binary_search_by_key(&(package, name), |(package, name, _)| (package, name));
    found.ok().map(|index| Described { lines: types[index].2 })
}

/// Finds the types in the text, in order: package, name, and the lines of each.
fn types() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut types: Vec<(&str, &str, &str)> = Vec::new();
    let mut package = "";
    let (mut start, mut at) = (0, 0);
    for line in TEXT.split_inclusive('\n') {
        let is_type = !line.starts_with(['@', ' ']);
        if is_type {
            let name = line.split([' ', '\n']).next().unwrap_or_default();
            start = at + name.len();
            types.push((package, name, ""));
        }
        at += line.len();
        match types.last_mut() {
            _ if line.starts_with('@') => package = line[1..].trim_end(),
            Some(last) => last.2 = &TEXT[start..at],
            None => {}
        }
    }
    types
}

impl Described {
    /// Returns what is said of the type itself; nothing is an empty text.
    pub fn about(self) -> String {
        with_lines(self.lines.lines().next().unwrap_or_default().trim_start_matches(' '))
    }

    /// Returns what is said of a field.
    pub fn field(self, name: &str) -> Option<DescribedField> {
        let start = ["\n ", name, " "].concat();
        let behind = &self.lines[self.lines.find(&start)? + start.len()..];
        let (about, rest) = behind.split_once('\n').unwrap_or((behind, ""));
        let values = if rest.starts_with("  ") { &rest[..values_end(rest)] } else { "" };
        Some(DescribedField { about, values })
    }
}

fn values_end(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n').take_while(|line| line.starts_with("  ")) {
        end += line.len();
    }
    end
}

impl DescribedField {
    /// Returns what is said of the field; nothing is an empty text.
    pub fn about(self) -> String {
        with_lines(self.about)
    }

    /// Returns the values that the field may have, if its type is an enumeration.
    pub fn values(self) -> impl Iterator<Item = Value> {
        let value = |line: &'static str| line.trim_start_matches(' ').split_once('\t');
        self.values.lines().filter_map(value).map(|(name, about)| Value { name, about })
    }
}

fn with_lines(text: &str) -> String {
    text.replace('\u{2029}', "\n\n").replace('\u{2028}', "\n")
}
