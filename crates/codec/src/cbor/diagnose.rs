//! Data items as text.

use std::fmt::Write as _;

use super::item::{FALSE, Item, NULL, TRUE};
use super::untyped;

/// Appends the diagnostic notation of an item, byte strings as text where they are.
pub(super) fn write(item: &Item<'_>, out: &mut String) {
    // Writing to a String does not fail.
    let _ = match item {
        Item::Positive(value) => write!(out, "{value}"),
        Item::Negative(value) => write!(out, "{}", -1 - i128::from(*value)),
        Item::Float(float) => out.write_str(&untyped::literal(*float)),
        Item::Simple(FALSE) => out.write_str("false"),
        Item::Simple(TRUE) => out.write_str("true"),
        Item::Simple(NULL) => out.write_str("null"),
        Item::Simple(23) => out.write_str("undefined"),
        Item::Simple(simple) => write!(out, "simple({simple})"),
        Item::Bytes(bytes) => {
            match std::str::from_utf8(bytes) {
                Ok(text) => quoted(text, '\'', out),
                Err(_) => {
                    out.push_str("h'");
                    bytes.iter().for_each(|byte| _ = write!(out, "{byte:02x}"));
                    out.push('\'');
                }
            }
            Ok(())
        }
        Item::Text(text) => {
            quoted(text.as_deref().unwrap_or_default(), '"', out);
            Ok(())
        }
        Item::Tag(tag, inner) => {
            let _ = write!(out, "{tag}(");
            write(inner, out);
            out.write_char(')')
        }
        Item::Array(items) => {
            out.push('[');
            separated(items, out, |item, out| write(item, out));
            out.write_char(']')
        }
        Item::Map(entries) => {
            out.push('{');
            separated(entries, out, |(key, value), out| {
                write(key, out);
                out.push_str(": ");
                write(value, out);
            });
            out.write_char('}')
        }
    };
}

fn separated<T>(items: &[T], out: &mut String, each: impl Fn(&T, &mut String)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        each(item, out);
    }
}

fn quoted(text: &str, quote: char, out: &mut String) {
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            letter if letter == quote => out.extend(['\\', letter]),
            ' '..='~' => out.push(letter),
            letter => {
                let mut units = [0; 2];
                letter.encode_utf16(&mut units).iter().for_each(|unit| _ = write!(out, "\\u{unit:04x}"));
            }
        }
    }
    out.push(quote);
}
