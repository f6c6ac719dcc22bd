//! A value to YAML, byte for byte as go-yaml v2's emitter has it.

use json_tree::{Map, Value};

use super::output::Output;
use super::resolve::{Resolved, is_base60, resolve};
use super::scalar::Style;
use super::{Error, number, order, reader, scalar};

/// Writes a value as `sigs.k8s.io/yaml` does: maps in natural order of their keys, lists not indented below
/// their key, quotes only where they are needed.
///
/// Go first makes JSON of the value and reads that as YAML, which a few characters do not survive: U+0085 in
/// a string is taken for the end of a line, and folded.
///
/// # Errors
/// Strings with characters that YAML does not allow: U+007F, U+0080 to U+009F but U+0085, U+FFFE and U+FFFF.
pub fn write(value: &Value) -> Result<Vec<u8>, Error> {
    Emitter { out: Output::new(), indent: None, sorts: true }.write(value)
}

/// Writes a value as [`write`] does, but maps in their own order, as go-yaml writes nodes that it has read.
///
/// # Errors
/// Those of [`write`].
pub(crate) fn write_in_order(value: &Value) -> Result<Vec<u8>, Error> {
    Emitter { out: Output::new(), indent: None, sorts: false }.write(value)
}

/// How far a level is indented from the one around it.
const STEP: usize = 2;

/// Longer keys are written after a `?`, on lines of their own.
const LONGEST_SIMPLE_KEY: usize = 128;

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Item,
    Entry,
}

struct Emitter {
    out: Output,
    /// Of the collection that is being written; none at the root.
    indent: Option<usize>,
    /// True if the keys of maps are written in their natural order.
    sorts: bool,
}

impl Emitter {
    fn write(mut self, value: &Value) -> Result<Vec<u8>, Error> {
        self.node(value, Place::Root)?;
        self.out.start_line(0);
        Ok(self.out.text.into_bytes())
    }

    fn node(&mut self, value: &Value, place: Place) -> Result<(), Error> {
        match value {
            Value::Object(entries) if !entries.is_empty() => return self.map(entries),
            Value::Array(items) if !items.is_empty() => return self.list(items, place),
            Value::String(text) => return self.text(text, false),
            Value::Object(_) => self.empty("{", "}"),
            Value::Array(_) => self.empty("[", "]"),
            Value::Number(literal) => self.plain(&number_text(literal)),
            Value::Bool(bool) => self.plain(if *bool { "true" } else { "false" }),
            Value::Null => self.plain("null"),
        }
        Ok(())
    }

    fn map(&mut self, entries: &Map<String, Value>) -> Result<(), Error> {
        let around = self.indent;
        let indent = around.map_or(0, |indent| indent + STEP);
        self.indent = Some(indent);
        let mut sorted: Vec<(&str, &Value)> =
            entries.iter().map(|(key, value)| (key.as_str(), value)).collect();
        if self.sorts {
            order::sort(&mut sorted);
        }
        for (key, value) in sorted {
            self.out.start_line(indent);
            if key.len() <= LONGEST_SIMPLE_KEY && !key.contains(super::analysis::is_break) {
                self.text(key, true)?;
                self.out.indicator(":", false, false, false);
            } else {
                self.out.indicator("?", true, false, true);
                self.text(key, false)?;
                self.out.start_line(indent);
                self.out.indicator(":", true, false, true);
            }
            self.node(value, Place::Entry)?;
        }
        self.indent = around;
        Ok(())
    }

    fn list(&mut self, items: &[Value], place: Place) -> Result<(), Error> {
        let around = self.indent;
        let flush = place == Place::Entry && !self.out.indented;
        let indent = around.map_or(0, |indent| if flush { indent } else { indent + STEP });
        self.indent = Some(indent);
        for item in items {
            self.out.start_line(indent);
            self.out.indicator("-", true, false, true);
            self.node(item, Place::Item)?;
        }
        self.indent = around;
        Ok(())
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.out.indicator(open, true, true, false);
        self.out.indicator(close, false, false, false);
    }

    fn plain(&mut self, text: &str) {
        let indent = self.continuation();
        scalar::write(&mut self.out, text, Style::Plain, indent, false);
    }

    /// How far the later lines of a scalar are indented.
    fn continuation(&self) -> usize {
        self.indent.unwrap_or(0) + STEP
    }

    fn text(&mut self, text: &str, is_key: bool) -> Result<(), Error> {
        if !text.chars().all(|character| character < ' ' || reader::is_allowed(character)) {
            return Err(Error::control_character());
        }
        let folded = text.contains('\u{85}').then(|| fold_next_lines(text));
        let text = folded.as_deref().unwrap_or(text);
        let wanted = if text.contains('\n') {
            Style::Literal
        } else if resolve(text) == Resolved::Text && !is_base60(text) {
            Style::Plain
        } else {
            Style::Double
        };
        let style = scalar::choose(text, wanted, is_key);
        let indent = self.continuation();
        scalar::write(&mut self.out, text, style, indent, is_key);
        Ok(())
    }
}

/// A number as it comes out of JSON and go-yaml: floats without a fraction are integers as long as 64 bits
/// hold them.
fn number_text(literal: &json_tree::Number) -> String {
    let mut json = Vec::new();
    crate::json::write(&Value::Number(literal.clone()), &mut json);
    let json = String::from_utf8_lossy(&json);
    match resolve(&json) {
        Resolved::Int(integer) => integer.to_string(),
        Resolved::Uint(integer) => integer.to_string(),
        Resolved::Float(float) => number::format_f64(float),
        _ => json.into_owned(),
    }
}

/// Folds the U+0085 of a string in double quotes: one is a space, of several all but the first stay,
/// as line feeds, and blanks around them vanish.
fn fold_next_lines(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut parts = text.split('\u{85}');
    folded.push_str(parts.next().unwrap_or_default());
    let mut breaks = 0;
    for part in parts {
        breaks += 1;
        let blank = part.trim_start_matches(' ');
        if breaks == 1 {
            folded.truncate(folded.trim_end_matches(' ').len());
        }
        if blank.is_empty() {
            continue;
        }
        folded.push_str(&fold(breaks));
        folded.push_str(blank);
        breaks = 0;
    }
    if breaks > 0 {
        folded.push_str(&fold(breaks));
    }
    folded
}

fn fold(breaks: usize) -> String {
    if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) }
}
