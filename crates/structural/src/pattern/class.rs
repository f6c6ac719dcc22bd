//! Characters and classes of them in patterns.

use super::{Parsed, wrong};

/// A class, or the inside of one, and how much of the pattern it took.
pub(super) struct Class {
    pub(super) text: String,
    pub(super) negated: bool,
    pub(super) length: usize,
}

const DIGITS: &str = "0-9";
const SPACES: &str = r"\x{9}\x{A}\x{C}\x{D}\x{20}";
const WORD: &str = "0-9A-Za-z_";

/// The classes of POSIX.
const POSIX: [(&str, &str); 14] = [
    ("alnum", "0-9A-Za-z"),
    ("alpha", "A-Za-z"),
    ("ascii", r"\x{0}-\x{7F}"),
    ("blank", r"\x{9}\x{20}"),
    ("cntrl", r"\x{0}-\x{1F}\x{7F}"),
    ("digit", DIGITS),
    ("graph", r"\x{21}-\x{7E}"),
    ("lower", "a-z"),
    ("print", r"\x{20}-\x{7E}"),
    ("punct", r"\x{21}-\x{2F}\x{3A}-\x{40}\x{5B}-\x{60}\x{7B}-\x{7E}"),
    ("space", r"\x{9}-\x{D}\x{20}"),
    ("upper", "A-Z"),
    ("word", WORD),
    ("xdigit", "0-9A-Fa-f"),
];

const UPPER: &str = r"A-Z\x{C0}-\x{D6}\x{D8}-\x{DE}\x{391}-\x{3A9}\x{400}-\x{42F}\x{531}-\x{556}";
const LOWER: &str = r"a-z\x{B5}\x{DF}-\x{F6}\x{F8}-\x{FF}\x{3AC}-\x{3CE}\x{430}-\x{45F}\x{561}-\x{587}";
const LETTERS: &str = concat!(
    r"A-Za-z\x{AA}\x{B5}\x{BA}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2C1}\x{370}-\x{373}\x{376}-\x{377}",
    r"\x{37B}-\x{37D}\x{386}\x{388}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{561}-\x{587}\x{5D0}-\x{5EA}",
    r"\x{620}-\x{64A}\x{671}-\x{6D3}\x{904}-\x{939}\x{985}-\x{9B9}\x{E01}-\x{E30}\x{10A0}-\x{10FA}",
    r"\x{1100}-\x{1248}\x{1E00}-\x{1FBC}\x{3041}-\x{3096}\x{30A1}-\x{30FA}\x{3105}-\x{312F}",
    r"\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}\x{AC00}-\x{D7A3}\x{20000}-\x{323AF}"
);
const DECIMALS: &str = r"0-9\x{660}-\x{669}\x{6F0}-\x{6F9}\x{966}-\x{96F}\x{9E6}-\x{9EF}\x{FF10}-\x{FF19}";
const NUMBERS: &str = concat!(
    r"0-9\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}\x{660}-\x{669}\x{6F0}-\x{6F9}\x{966}-\x{96F}\x{9E6}-\x{9EF}",
    r"\x{2070}\x{2074}-\x{2079}\x{2080}-\x{2089}\x{2150}-\x{2189}\x{2460}-\x{249B}\x{FF10}-\x{FF19}"
);
const PUNCTUATION: &str = concat!(
    r"\x{21}-\x{23}\x{25}-\x{2A}\x{2C}-\x{2F}\x{3A}\x{3B}\x{3F}\x{40}\x{5B}-\x{5D}_\x{7B}\x{7D}",
    r"\x{A1}\x{A7}\x{AB}\x{B6}\x{B7}\x{BB}\x{BF}\x{2010}-\x{2027}\x{2030}-\x{205E}\x{3001}-\x{3003}",
    r"\x{3008}-\x{3011}"
);
const SYMBOLS: &str = concat!(
    r"\x{24}\x{2B}\x{3C}-\x{3E}\x{5E}\x{60}\x{7C}\x{7E}\x{A2}-\x{A6}\x{A8}\x{A9}\x{AC}\x{AE}-\x{B1}",
    r"\x{B4}\x{B8}\x{D7}\x{F7}\x{20A0}-\x{20C0}\x{2100}-\x{214F}\x{2190}-\x{23FF}\x{2500}-\x{2767}",
    r"\x{2794}-\x{27BF}\x{1F300}-\x{1FAFF}"
);
const SEPARATORS: &str = r"\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}";

/// The classes of Unicode that are known, with their larger ranges.
const UNICODE: [(&str, &str); 18] = [
    ("Any", r"\x{0}-\x{10FFFF}"),
    ("L", LETTERS),
    ("Lu", UPPER),
    ("Ll", LOWER),
    ("N", NUMBERS),
    ("Nd", DECIMALS),
    ("P", PUNCTUATION),
    ("S", SYMBOLS),
    ("Z", SEPARATORS),
    ("Zs", SEPARATORS),
    ("M", r"\x{300}-\x{36F}\x{483}-\x{489}\x{591}-\x{5BD}\x{20D0}-\x{20F0}\x{FE00}-\x{FE0F}"),
    (
        "C",
        r"\x{0}-\x{1F}\x{7F}-\x{9F}\x{AD}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{E000}-\x{F8FF}",
    ),
    ("Cc", r"\x{0}-\x{1F}\x{7F}-\x{9F}"),
    ("Latin", r"A-Za-z\x{AA}\x{BA}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2B8}\x{1E00}-\x{1EFF}"),
    ("Greek", r"\x{370}-\x{373}\x{375}-\x{377}\x{37A}-\x{37D}\x{384}\x{386}\x{388}-\x{3E1}\x{1F00}-\x{1FFE}"),
    ("Cyrillic", r"\x{400}-\x{484}\x{487}-\x{52F}"),
    ("Han", r"\x{2E80}-\x{2FD5}\x{3005}\x{3007}\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}\x{20000}-\x{323AF}"),
    ("Hiragana", r"\x{3041}-\x{3096}\x{309D}-\x{309F}"),
];

/// Writes a character that means itself, wherever it stands.
pub(super) fn push_char(c: char, out: &mut String) {
    if c.is_ascii_alphanumeric() {
        out.push(c);
    } else {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(c)));
    }
}

/// A class in brackets, with which `rest` begins.
pub(super) fn bracketed(rest: &str) -> Parsed<'_, Class> {
    let mut text = String::from("[");
    let mut at = 1;
    if rest[at..].starts_with('^') {
        at += 1;
        text.push('^');
    }
    let mut first = true;
    loop {
        let here = &rest[at..];
        if here.is_empty() {
            return wrong("missing closing ]", rest);
        }
        if here.starts_with(']') && !first {
            break;
        }
        first = false;
        if let Some(class) = posix(here)? {
            push_class(&class, &mut text);
            at += class.length;
            continue;
        }
        if let Some(class) = escaped(here)? {
            push_class(&class, &mut text);
            at += class.length;
            continue;
        }
        let (low, length) = class_char(here, rest)?;
        at += length;
        push_char(low, &mut text);
        let after = &rest[at..];
        if after.len() >= 2 && after.starts_with('-') && !after.starts_with("-]") {
            let (high, length) = class_char(&after[1..], rest)?;
            at += 1 + length;
            if high < low {
                return wrong("invalid character class range", &here[..here.len() - rest[at..].len()]);
            }
            text.push('-');
            push_char(high, &mut text);
        }
    }
    text.push(']');
    Ok(Class { text, negated: false, length: at + 1 })
}

/// One character of a class.
fn class_char<'a>(here: &'a str, whole: &'a str) -> Parsed<'a, (char, usize)> {
    match here.chars().next() {
        None => wrong("missing closing ]", whole),
        Some('\\') => escaped_char(here),
        Some(c) => Ok((c, c.len_utf8())),
    }
}

/// Puts one class into another.
fn push_class(class: &Class, out: &mut String) {
    if !class.negated {
        out.push_str(&class.text);
        return;
    }
    // There are no classes within classes, so what the other leaves out is spelled out.
    let mut next = 0;
    for (low, high) in ranges(&class.text) {
        if low > next {
            push_range(next, low - 1, out);
        }
        next = next.max(high + 1);
    }
    if next <= u32::from(char::MAX) {
        push_range(next, u32::from(char::MAX), out);
    }
}

fn push_range(low: u32, high: u32, out: &mut String) {
    // Surrogates are no characters, so a range neither begins nor ends there.
    let low = char::from_u32(low).unwrap_or('\u{E000}');
    let high = char::from_u32(high).unwrap_or('\u{D7FF}');
    if low <= high {
        push_char(low, out);
        out.push('-');
        push_char(high, out);
    }
}

/// The ranges of a class of the tables above, in order.
fn ranges(text: &str) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((low, after)) = table_char(rest) {
        rest = after;
        let mut high = low;
        if let Some((end, after)) = rest.strip_prefix('-').and_then(table_char) {
            rest = after;
            high = end;
        }
        found.push((low, high));
    }
    found.sort_unstable();
    found
}

fn table_char(text: &str) -> Option<(u32, &str)> {
    if let Some(digits) = text.strip_prefix("\\x{") {
        let (digits, rest) = digits.split_once('}')?;
        return Some((u32::from_str_radix(digits, 16).ok()?, rest));
    }
    let c = text.chars().next()?;
    Some((u32::from(c), &text[c.len_utf8()..]))
}

/// `[:alpha:]` or `[:^alpha:]`.
fn posix(here: &str) -> Parsed<'_, Option<Class>> {
    let Some(inner) = here.strip_prefix("[:") else { return Ok(None) };
    let Some(end) = inner.find(":]") else { return Ok(None) };
    let (negated, name) = match inner[..end].strip_prefix('^') {
        Some(name) => (true, name),
        None => (false, &inner[..end]),
    };
    let length = end + 4;
    match POSIX.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(Some(Class { text: (*text).to_owned(), negated, length })),
        None => wrong("invalid character class range", &here[..length]),
    }
}

/// `\d`, `\p{L}` and their like.
pub(super) fn escaped(here: &str) -> Parsed<'_, Option<Class>> {
    let Some(inner) = here.strip_prefix('\\') else { return Ok(None) };
    let Some(c) = inner.chars().next() else { return Ok(None) };
    let text = match c.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACES,
        'w' => WORD,
        'p' => return unicode(here, c == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some(Class { text: text.to_owned(), negated: c.is_ascii_uppercase(), length: 2 }))
}

fn unicode(here: &str, negated: bool) -> Parsed<'_, Class> {
    let name = &here[2..];
    let (name, length) = match name.strip_prefix('{') {
        Some(name) => match name.find('}') {
            Some(end) => (&name[..end], end + 4),
            None => return wrong("invalid character class range", here),
        },
        None => {
            let length = name.chars().next().map_or(0, char::len_utf8);
            (&name[..length], length + 2)
        }
    };
    let (negated, name) = match name.strip_prefix('^') {
        Some(name) => (!negated, name),
        None => (negated, name),
    };
    match UNICODE.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(Class { text: (*text).to_owned(), negated, length }),
        None => wrong("invalid character class range", &here[..length]),
    }
}

/// A character that an escape stands for, and the length of the escape.
pub(super) fn escaped_char(here: &str) -> Parsed<'_, (char, usize)> {
    let Some(c) = here[1..].chars().next() else {
        return wrong("trailing backslash at end of expression", "");
    };
    let length = 1 + c.len_utf8();
    let bad = |length: usize| wrong("invalid escape sequence", &here[..length]);
    let digits = |from: usize, radix: u32, most: usize| -> &str {
        let length = here[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
        &here[from..from + length]
    };
    let found = match c {
        '0' => {
            let octal = digits(2, 8, 2);
            (u32::from_str_radix(octal, 8).unwrap_or(0), 2 + octal.len())
        }
        '1'..='7' => {
            let octal = digits(1, 8, 3);
            if octal.len() < 2 {
                return bad(length);
            }
            (u32::from_str_radix(octal, 8).unwrap_or(0), 1 + octal.len())
        }
        'x' if here[2..].starts_with('{') => {
            let hex = digits(3, 16, 8);
            let length = 3 + hex.len();
            if hex.is_empty() || !here[length..].starts_with('}') {
                let next = here[length..].chars().next().map_or(0, char::len_utf8);
                return bad(length + next);
            }
            (u32::from_str_radix(hex, 16).unwrap_or(u32::MAX), length + 1)
        }
        'x' => {
            let hex = digits(2, 16, 2);
            if hex.len() < 2 {
                let next = here[2 + hex.len()..].chars().next().map_or(0, char::len_utf8);
                return bad(2 + hex.len() + next);
            }
            (u32::from_str_radix(hex, 16).unwrap_or(0), 4)
        }
        'a' => (7, 2),
        'f' => (12, 2),
        'n' => (10, 2),
        'r' => (13, 2),
        't' => (9, 2),
        'v' => (11, 2),
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => (u32::from(c), 2),
        _ => return bad(length),
    };
    match char::from_u32(found.0) {
        Some(c) => Ok((c, found.1)),
        None => bad(found.1),
    }
}
