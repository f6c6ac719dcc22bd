//! Quoted texts.

use std::fmt::Write;

/// Returns the text in double quotes, with what is not printable escaped, as Go's `strconv.Quote` and `%q` do.
pub fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// As [`quote`], of a text that need not be UTF-8.
pub(crate) fn quote_bytes(text: &[u8]) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| quote_char(&mut quoted, c));
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}

fn quote_char(quoted: &mut String, c: char) {
    match c {
        '"' | '\\' => {
            quoted.push('\\');
            quoted.push(c);
        }
        '\u{7}' => quoted.push_str("\\a"),
        '\u{8}' => quoted.push_str("\\b"),
        '\u{c}' => quoted.push_str("\\f"),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        '\u{b}' => quoted.push_str("\\v"),
        _ if is_print(c) => quoted.push(c),
        _ => escape(quoted, u32::from(c)),
    }
}

/// Returns a list of quoted texts, as Go's `%q` prints a `[]string`.
pub fn quote_all<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quote(text.as_ref())).collect();
    ["[", &texts.join(" "), "]"].concat()
}

fn escape(to: &mut String, code: u32) {
    // Writing to a string does not fail.
    let _ = match code {
        0..0x20 | 0x7f => write!(to, "\\x{code:02x}"),
        0..0x1_0000 => write!(to, "\\u{code:04x}"),
        _ => write!(to, "\\U{code:08x}"),
    };
}

/// Reports whether a character is printable, as Go's `strconv.IsPrint` does: neither control, format, separator (but the space)
/// nor private. Code points that Unicode has not assigned count as printable here, for telling them takes large tables.
pub fn is_print(c: char) -> bool {
    c == ' '
        || !(c.is_control()
            || c.is_whitespace()
            || matches!(c,
                '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
                | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}'
                | '\u{f0000}'..='\u{10ffff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(quote(text), expected);
    }

    #[test]
    fn quotes_as_go_does() {
        check("", r#""""#);
        check("a\"b\\c", r#""a\"b\\c""#);
        check("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#);
        check("\0\u{1f}\u{7f}", r#""\x00\x1f\x7f""#);
        check("ä€🙂 ", r#""ä€🙂 ""#);
        check("\u{80}\u{a0}\u{200b}\u{feff}", r#""\u0080\u00a0\u200b\ufeff""#);
        check("\u{f0000}", r#""\U000f0000""#);
    }

    #[test]
    fn bytes_that_are_no_text_are_escaped() {
        assert_eq!(quote_bytes(b"a\xc3\xffb\xc3\xa9"), r#""a\xc3\xffbé""#);
    }

    #[test]
    fn lists_are_quoted_as_go_does() {
        assert_eq!(quote_all(&["a", "b\""]), r#"["a" "b\""]"#);
        assert_eq!(quote_all::<&str>(&[]), "[]");
    }
}
