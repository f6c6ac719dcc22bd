//! From text to tokens.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax>. The longest token counts; what begins
//! none is an error, and is skipped.

use crate::source::Issue;

/// The kinds of tokens, in the order in which error texts list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    End,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    Escaped,
}

/// Every kind with its name in error texts.
pub(crate) const KINDS: &[(Kind, &str)] = &[
    (Kind::End, "<EOF>"),
    (Kind::Equals, "'=='"),
    (Kind::NotEquals, "'!='"),
    (Kind::In, "'in'"),
    (Kind::Less, "'<'"),
    (Kind::LessEquals, "'<='"),
    (Kind::GreaterEquals, "'>='"),
    (Kind::Greater, "'>'"),
    (Kind::And, "'&&'"),
    (Kind::Or, "'||'"),
    (Kind::OpenBracket, "'['"),
    (Kind::CloseBracket, "']'"),
    (Kind::OpenBrace, "'{'"),
    (Kind::CloseBrace, "'}'"),
    (Kind::OpenParen, "'('"),
    (Kind::CloseParen, "')'"),
    (Kind::Dot, "'.'"),
    (Kind::Comma, "','"),
    (Kind::Minus, "'-'"),
    (Kind::Not, "'!'"),
    (Kind::Question, "'?'"),
    (Kind::Colon, "':'"),
    (Kind::Plus, "'+'"),
    (Kind::Star, "'*'"),
    (Kind::Slash, "'/'"),
    (Kind::Percent, "'%'"),
    (Kind::True, "'true'"),
    (Kind::False, "'false'"),
    (Kind::Null, "'null'"),
    (Kind::Float, "NUM_FLOAT"),
    (Kind::Int, "NUM_INT"),
    (Kind::Uint, "NUM_UINT"),
    (Kind::String, "STRING"),
    (Kind::Bytes, "BYTES"),
    (Kind::Identifier, "IDENTIFIER"),
    (Kind::Escaped, "ESC_IDENTIFIER"),
];

/// The range of the marks in [`KINDS`].
const MARKS: std::ops::Range<usize> = 1..26;
/// The places of the words in [`KINDS`].
const WORDS: [usize; 4] = [3, 26, 27, 28];

/// A token: its kind and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The offsets of its first byte, and of the one after its last.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The place of its first character, counted from 0 on.
    pub(crate) offset: u32,
}

/// The tokens of `text`, the last of which is its end, and what could not be read.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<Issue>) {
    let (mut tokens, mut issues) = (Vec::new(), Vec::new());
    let (mut at, mut offset) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = match next(rest) {
            Next::Token(kind, length) => {
                tokens.push(Token { kind, start: at, end: at + length, offset });
                length
            }
            Next::Blank(length) => length,
            Next::Wrong(length) => {
                let shown = rest.get(..length).unwrap_or(rest);
                let message = ["Syntax error: token recognition error at: '", shown, "'"].concat();
                issues.push(Issue { offset: Some(offset), message });
                length
            }
        };
        let read = rest.get(..length).unwrap_or(rest);
        offset += read.chars().count() as u32;
        at += read.len();
    }
    tokens.push(Token { kind: Kind::End, start: at, end: at, offset });
    (tokens, issues)
}

/// The next thing in the text, with its length in bytes.
enum Next {
    Token(Kind, usize),
    Blank(usize),
    /// No token. The last of these bytes are the character that does not fit.
    Wrong(usize),
}

fn next(rest: &str) -> Next {
    let bytes = rest.as_bytes();
    let blank = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0c)).count();
    if blank > 0 {
        return Next::Blank(blank);
    }
    if rest.starts_with("//") {
        return Next::Blank(rest.find('\n').unwrap_or(rest.len()));
    }
    if let Some((kind, length)) = number(bytes) {
        return Next::Token(kind, length);
    }
    let prefix = match bytes {
        [b'b' | b'B', b'r' | b'R', b'"' | b'\'', ..] => Some((2, true, Kind::Bytes)),
        [b'b' | b'B', b'"' | b'\'', ..] => Some((1, false, Kind::Bytes)),
        [b'r' | b'R', b'"' | b'\'', ..] => Some((1, true, Kind::String)),
        [b'"' | b'\'', ..] => Some((0, false, Kind::String)),
        _ => None,
    };
    if let Some((prefix, raw, kind)) = prefix {
        match quoted(&rest[prefix..], raw) {
            Ok(length) => return Next::Token(kind, prefix + length),
            // With a prefix, the letters before the quotation mark are an identifier.
            Err(length) if prefix == 0 => return Next::Wrong(length),
            Err(_) => {}
        }
    }
    let word = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if word > 0 {
        let quoted = ["'", &rest[..word], "'"].concat();
        let reserved = WORDS.iter().filter_map(|index| KINDS.get(*index)).find(|(_, name)| *name == quoted);
        return Next::Token(reserved.map_or(Kind::Identifier, |(kind, _)| *kind), word);
    }
    if bytes[0] == b'`' {
        let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-/ ".contains(byte);
        let length = bytes[1..].iter().take_while(inside).count();
        return if length > 0 && bytes.get(length + 1) == Some(&b'`') {
            Next::Token(Kind::Escaped, length + 2)
        } else {
            Next::Wrong(length + 1 + width(rest, length + 1))
        };
    }
    let marks = KINDS.get(MARKS).unwrap_or_default().iter();
    let mark = marks
        .filter(|(_, name)| rest.starts_with(&name[1..name.len() - 1]))
        .max_by_key(|(_, name)| name.len());
    match mark {
        Some((kind, name)) => Next::Token(*kind, name.len() - 2),
        None if matches!(bytes[0], b'=' | b'&' | b'|') => Next::Wrong(1 + width(rest, 1)),
        None => Next::Wrong(width(rest, 0)),
    }
}

/// How many bytes the character at `at` has; none at the end.
fn width(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

fn number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = |length: usize| match bytes.get(length) {
        Some(b'u' | b'U') => (Kind::Uint, length + 1),
        _ => (Kind::Int, length),
    };
    let whole = digits(0);
    if whole == 1 && bytes.starts_with(b"0x") {
        let hex = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if hex > 0 {
            return Some(unsigned(2 + hex));
        }
    }
    let mut length = whole;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if length == 0 {
        return None;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            return Some((Kind::Float, length + 1 + sign + exponent));
        }
    }
    Some(if length > whole { (Kind::Float, length) } else { unsigned(length) })
}

/// The length of the string that `text` begins with, or how far it is none.
fn quoted(text: &str, raw: bool) -> Result<usize, usize> {
    let quote = &text[..1];
    let triple = [quote, quote, quote].concat();
    if text.starts_with(&triple)
        && let Ok(length) = closed(text, &triple, raw)
    {
        return Ok(length);
    }
    closed(text, quote, raw)
}

fn closed(text: &str, quote: &str, raw: bool) -> Result<usize, usize> {
    let mut at = quote.len();
    loop {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(quote) {
            return Ok(at + quote.len());
        }
        let Some(letter) = rest.chars().next() else { return Err(text.len()) };
        at += match letter {
            '\n' | '\r' if quote.len() == 1 => return Err(at + 1),
            '\\' if !raw => match escape(rest) {
                Ok(length) => length,
                Err(length) => return Err((at + length).min(text.len())),
            },
            letter => letter.len_utf8(),
        };
    }
}

/// The length of the escape that `rest` begins with, or how far it is none.
fn escape(rest: &str) -> Result<usize, usize> {
    let Some(letter) = rest.chars().nth(1) else { return Err(1) };
    let (digits, radix) = match letter {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => return Ok(2),
        'x' | 'X' => (2, 16),
        'u' => (4, 16),
        'U' => (8, 16),
        '0'..='3' => (2, 8),
        other => return Err(1 + other.len_utf8()),
    };
    for index in 0..digits {
        let fits = rest.get(2 + index..3 + index).and_then(|digit| digit.chars().next());
        if !fits.is_some_and(|digit| digit.is_digit(radix)) {
            return Err(2 + index + width(rest, 2 + index));
        }
    }
    Ok(2 + digits)
}

/// Returns the bytes that a string or bytes literal stands for. None for a character that does not exist.
pub(crate) fn unquote(literal: &str, bytes: bool) -> Option<Vec<u8>> {
    let start = literal.find(['"', '\''])?;
    let raw = literal[..start].contains(['r', 'R']);
    let body = &literal[start..];
    let quote = &body[..1];
    let width = if body.len() >= 6 && body.starts_with(&[quote, quote, quote].concat()) { 3 } else { 1 };
    let mut rest = body.get(width..body.len() - width)?;
    if raw {
        return Some(rest.as_bytes().to_vec());
    }
    let mut meaning = Vec::with_capacity(rest.len());
    while let Some(letter) = rest.chars().next() {
        if letter != '\\' {
            // A carriage return before a line's end is no part of a string.
            let length = letter.len_utf8();
            meaning.extend_from_slice(&rest.as_bytes()[..length]);
            rest = &rest[length..];
            continue;
        }
        let length = escape(rest).ok()?;
        let (name, digits) = (rest.as_bytes()[1], rest.get(2..length)?);
        let code = match name {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'v' => 11,
            b'x' | b'X' => u32::from_str_radix(digits, 16).ok()?,
            b'u' | b'U' if bytes => return None,
            b'u' | b'U' => u32::from_str_radix(digits, 16).ok()?,
            b'0'..=b'3' => u32::from_str_radix(rest.get(1..length)?, 8).ok()?,
            other => u32::from(other),
        };
        if bytes {
            meaning.push(code as u8);
        } else {
            let mut buffer = [0; 4];
            meaning.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut buffer).as_bytes());
        }
        rest = &rest[length..];
    }
    Some(meaning)
}
