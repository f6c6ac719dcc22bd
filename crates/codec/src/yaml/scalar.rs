//! The styles in which a string is written, and their folding.

use super::analysis::{analyze, is_break, is_printable};
use super::output::Output;

/// Lines are folded at the first space beyond this column.
const WIDTH: usize = 80;

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The style that a text gets where `wanted` is asked for: the wanted one if the text allows it, or the next
/// that it allows.
pub(super) fn choose(text: &str, wanted: Style, is_key: bool) -> Style {
    let allows = analyze(text);
    match wanted {
        _ if is_key && allows.multiline => Style::Double,
        Style::Plain if allows.plain && !(is_key && text.is_empty()) => Style::Plain,
        Style::Plain | Style::Single if allows.single_quoted => Style::Single,
        Style::Literal if allows.block && !is_key => Style::Literal,
        _ => Style::Double,
    }
}

/// Writes a scalar whose later lines are indented by `indent`. Keys are never folded.
pub(super) fn write(out: &mut Output, text: &str, style: Style, indent: usize, is_key: bool) {
    match style {
        Style::Plain => plain(out, text, indent, !is_key),
        Style::Single => single(out, text, indent, !is_key),
        Style::Double => double(out, text, indent, !is_key),
        Style::Literal => literal(out, text, indent),
    }
}

fn plain(out: &mut Output, text: &str, indent: usize, folds: bool) {
    if !out.spaced {
        out.push(' ');
    }
    flowing(out, text, indent, |out, spaces, next, _| {
        folds && !spaces && out.column > WIDTH && next != Some(' ')
    });
    out.spaced = false;
    out.indented = false;
}

fn single(out: &mut Output, text: &str, indent: usize, folds: bool) {
    out.indicator("'", true, false, false);
    flowing(out, &text.replace('\'', "''"), indent, |out, spaces, next, at_start| {
        folds && !spaces && out.column > WIDTH && !at_start && next.is_some_and(|next| next != ' ')
    });
    out.indicator("'", false, false, false);
}

/// Writes text line by line, with a line break for the spaces of which `folds` says so: it is asked whether
/// a space came before, what follows, and whether this is the text's start.
fn flowing(
    out: &mut Output,
    text: &str,
    indent: usize,
    folds: impl Fn(&Output, bool, Option<char>, bool) -> bool,
) {
    let (mut spaces, mut breaks) = (false, false);
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == ' ' {
            let next = characters.peek().map(|&(_, next)| next);
            if folds(out, spaces, next, at == 0) {
                out.start_line(indent);
            } else {
                out.push(character);
            }
            spaces = true;
        } else if is_break(character) {
            if !breaks && character == '\n' {
                out.line_break();
            }
            write_break(out, character);
            breaks = true;
        } else {
            if breaks {
                out.start_line(indent);
            }
            out.push(character);
            out.indented = false;
            (spaces, breaks) = (false, false);
        }
    }
}

fn double(out: &mut Output, text: &str, indent: usize, folds: bool) {
    out.indicator("\"", true, false, false);
    // Where go-yaml looks for a byte order mark it always looks at the first character.
    let all_escaped = text.starts_with('\u{feff}');
    let mut spaces = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        if character == ' ' && !all_escaped {
            if folds && !spaces && out.column > WIDTH && at > 0 && next.is_some() {
                out.start_line(indent);
                if next == Some(' ') {
                    out.push('\\');
                }
            } else {
                out.push(character);
            }
            spaces = true;
        } else {
            if all_escaped
                || !is_printable(character)
                || is_break(character)
                || matches!(character, '"' | '\\')
            {
                escape(out, character);
            } else {
                out.push(character);
            }
            spaces = false;
        }
    }
    out.indicator("\"", false, false, false);
}

fn escape(out: &mut Output, character: char) {
    let short = match character {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' | '\\' => character,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(character);
            let escape = match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
            escape.chars().for_each(|character| out.push(character));
            return;
        }
    };
    out.push('\\');
    out.push(short);
}

fn literal(out: &mut Output, text: &str, indent: usize) {
    out.indicator("|", true, false, false);
    if text.starts_with(|first| first == ' ' || is_break(first)) {
        out.indicator("2", false, false, false);
    }
    let mut backwards = text.chars().rev();
    let last_breaks = backwards.next().is_some_and(is_break);
    match backwards.next() {
        _ if !last_breaks => out.push('-'),
        None => out.push('+'),
        Some(before) if is_break(before) => out.push('+'),
        Some(_) => {}
    }
    out.line_break();
    out.indented = true;
    out.spaced = true;
    let mut breaks = true;
    for character in text.chars() {
        if is_break(character) {
            write_break(out, character);
            breaks = true;
        } else {
            if breaks {
                out.start_line(indent);
            }
            out.push(character);
            out.indented = false;
            breaks = false;
        }
    }
}

fn write_break(out: &mut Output, character: char) {
    if character == '\n' {
        out.line_break();
    } else {
        out.push(character);
        out.column = 0;
    }
    out.indented = true;
}
