//! Writes YAML as kubectl prints it: keys in order, lists at the depth of their key, text quoted only where it has to be.

use json_tree::Value;

/// How wide a line gets before text in it is folded.
const WIDTH: usize = 80;

/// Writes a value as a document, with a line break at its end.
pub(in crate::command) fn write(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    let mut out = String::new();
    block(&value, 0, &mut out);
    out
}

/// Writes a value whose first line goes on in the line that has been begun; `depth` is that of its further lines.
fn block(value: &Value, depth: usize, out: &mut String) {
    let indent = " ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (place, (key, value)) in map.iter().enumerate() {
                out.push_str(if place > 0 { &indent } else { "" });
                scalar(&Value::from(key.as_str()), None, out);
                out.push(':');
                match value {
                    Value::Object(map) if !map.is_empty() => {
                        out.push('\n');
                        out.push_str(&" ".repeat(depth + 2));
                        block(value, depth + 2, out);
                    }
                    Value::Array(items) if !items.is_empty() => {
                        out.push('\n');
                        out.push_str(&indent);
                        block(value, depth, out);
                    }
                    _ => {
                        out.push(' ');
                        block(value, depth + 2, out);
                    }
                }
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { &indent } else { "" });
                out.push_str("- ");
                block(item, depth + 2, out);
            }
        }
        _ => {
            scalar(value, Some(depth.max(2)), out);
            out.push('\n');
        }
    }
}

/// Writes what has nothing inside. Text of a value may be folded and have lines, at a depth; that of a key may not.
fn scalar(value: &Value, depth: Option<usize>, out: &mut String) {
    match (value, depth) {
        (Value::String(text), Some(depth)) if text.contains('\n') && is_literal(text) => {
            literal(text, depth, out)
        }
        (Value::String(text), _) => {
            let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
            let quoted = if !is_text(text) || text.contains('\n') || !is_printable(text) {
                escaped(text)
            } else if is_plain(text) {
                text.clone()
            } else {
                ["'", &text.replace('\'', "''"), "'"].concat()
            };
            match depth {
                Some(depth) => fold(&quoted, column, depth, out),
                None => out.push_str(&quoted),
            }
        }
        (Value::Object(_), _) => out.push_str("{}"),
        (Value::Array(_), _) => out.push_str("[]"),
        (other, _) => out.push_str(&other.to_string()),
    }
}

/// Writes text that has no line breaks, in several lines where it is wide.
fn fold(text: &str, mut column: usize, depth: usize, out: &mut String) {
    let mut chars = text.chars().peekable();
    let (mut before, mut is_first) = ('x', true);
    while let Some(c) = chars.next() {
        let is_alone = c == ' ' && before != ' ' && chars.peek().is_some_and(|next| *next != ' ');
        if is_alone && column > WIDTH && !is_first {
            out.push('\n');
            out.push_str(&" ".repeat(depth));
            column = depth;
        } else {
            out.push(c);
            column += 1;
        }
        (before, is_first) = (c, false);
    }
}

/// Writes text of several lines as it is.
fn literal(text: &str, depth: usize, out: &mut String) {
    out.push('|');
    out.push_str(if text.starts_with([' ', '\n']) { "2" } else { "" });
    out.push_str(match text.strip_suffix('\n') {
        None => "-",
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => "+",
        Some(_) => "",
    });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(depth));
            out.push_str(line);
        }
    }
}

fn is_literal(text: &str) -> bool {
    is_printable(&text.replace('\n', "")) && !text.ends_with(' ') && !text.contains(" \n")
}

fn is_printable(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() && !matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'))
}

/// Returns whether the text would still be text without quotation marks.
fn is_text(text: &str) -> bool {
    const WORDS: &str = " ~ null true false y yes on n no off .inf +.inf -.inf .nan << ";
    let lower = text.to_ascii_lowercase();
    let is_cased = text == lower || text == text.to_ascii_uppercase() || {
        let rest = text.get(1..).unwrap_or_default();
        text.starts_with(|c: char| c.is_ascii_uppercase()) && rest == rest.to_ascii_lowercase()
    };
    let is_word = is_cased && !text.contains(' ') && WORDS.contains(&[" ", &lower, " "].concat());
    !(text.is_empty() || is_word || is_number(text) || is_time(text))
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    if text.len() > digits.len() + 1 || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return false;
    }
    let plain = digits.replace('_', "");
    let radix = [("0x", 16), ("0b", 2), ("0o", 8)];
    let is_of_radix = |(prefix, radix)| {
        plain.strip_prefix(prefix).is_some_and(|rest| i64::from_str_radix(rest, radix).is_ok())
    };
    let is_base_60 = || {
        digits.contains(':')
            && digits
                .split(':')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    };
    radix.into_iter().any(is_of_radix) || is_base_60() || plain.parse::<f64>().is_ok()
}

/// Returns whether the text is a date, perhaps with a time.
fn is_time(text: &str) -> bool {
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00:00"));
    let is_of = |text: &str, lengths: &[usize], by: char| {
        let parts: Vec<&str> = text.split(by).collect();
        parts.len() == lengths.len()
            && parts.iter().zip(lengths).all(|(part, most)| {
                (1..=*most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
            })
    };
    let clock = time.split(['.', 'Z', '+', '-', ' ']).next().unwrap_or_default();
    is_of(date, &[4, 2, 2], '-') && date.find('-') == Some(4) && is_of(clock, &[2, 2, 2], ':')
}

/// Returns whether the text may stand without quotation marks.
fn is_plain(text: &str) -> bool {
    let begins = |c: char| "#,[]{}&*!|>'\"%@`".contains(c);
    let mut chars = text.chars();
    let (first, second) = (chars.next().unwrap_or(' '), chars.next());
    let is_alone = second.is_none_or(|c| c == ' ');
    let bad = begins(first)
        || "-?:".contains(first) && is_alone
        || text.starts_with("---")
        || text.starts_with("...")
        || text.starts_with(' ')
        || text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #");
    !bad
}

fn escaped(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            '\u{1b}' => out.push_str("\\e"),
            c if is_printable(c.encode_utf8(&mut [0; 4])) => out.push(c),
            c if u32::from(c) < 256 => out.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(value: Value, expected: &str) {
        assert_eq!(write(&value), expected);
    }

    #[test]
    fn trees_are_written_in_order() {
        check(
            json!({"b": [{"z": 1, "x": [1, "a"]}, [2]], "a": {"c": null, "d": {}, "e": []}}),
            "a:\n  c: null\n  d: {}\n  e: []\nb:\n- x:\n  - 1\n  - a\n  z: 1\n- - 2\n",
        );
        check(json!({}), "{}\n");
    }

    #[test]
    fn text_is_quoted_where_it_has_to_be() {
        for (text, expected) in [
            ("a b", "a b"),
            ("", "\"\""),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("nO", "nO"),
            ("1", "\"1\""),
            ("0x1f", "\"0x1f\""),
            ("1.5e3", "\"1.5e3\""),
            ("1.2.3", "1.2.3"),
            ("12:30", "\"12:30\""),
            ("100m", "100m"),
            ("2024-01-02T03:04:05Z", "\"2024-01-02T03:04:05Z\""),
            ("2024-01-02", "\"2024-01-02\""),
            ("a: b", "'a: b'"),
            ("it's: b", "'it''s: b'"),
            ("*", "'*'"),
            ("-", "'-'"),
            ("-a", "-a"),
            ("a:b", "a:b"),
            ("a\tb", "\"a\\tb\""),
            ("infinity", "infinity"),
            ("k8s.io/x", "k8s.io/x"),
            ("{}", "'{}'"),
        ] {
            check(json!({"a": text}), &format!("a: {expected}\n"));
        }
    }

    #[test]
    fn text_of_lines_is_written_in_lines() {
        check(json!({"a": "x\ny\n"}), "a: |\n  x\n  y\n");
        check(json!({"a": {"b": "x\n\ny"}}), "a:\n  b: |-\n    x\n\n    y\n");
        check(json!({"a": "x \ny"}), "a: \"x \\ny\"\n");
        check(json!(["x\n\n"]), "- |+\n  x\n\n");
        check(
            json!({"a": "word ".repeat(20).trim()}),
            &format!("a: {}\n  {}\n", "word ".repeat(16).trim(), "word ".repeat(4).trim()),
        );
    }
}
