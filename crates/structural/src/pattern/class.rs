//! Characters and classes of them in patterns.

use super::check::class_character;

/// The inside of a class.
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) text: &'static str,
    pub(super) negated: bool,
}

/// A class, if it is known here, and what follows.
type Found<'a> = (Option<Class>, &'a str);

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

/// A class in brackets, with which `rest` begins, and what follows. `None` if it has what is not known here.
pub(super) fn bracketed(whole: &str) -> Option<(String, &str)> {
    let mut text = String::from("[");
    let mut rest = &whole[1..];
    if let Some(after) = rest.strip_prefix('^') {
        rest = after;
        text.push('^');
    }
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        if let Some((class, after)) = posix(rest).or_else(|| escaped(rest)) {
            push_class(class?, &mut text);
            rest = after;
            continue;
        }
        let (low, after) = class_character(rest, whole).ok()?;
        rest = after;
        push_char(low, &mut text);
        if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
            let (high, after) = class_character(&rest[1..], whole).ok()?;
            rest = after;
            text.push('-');
            push_char(high, &mut text);
        }
    }
    text.push(']');
    Some((text, &rest[1..]))
}

/// Puts one class into another.
fn push_class(class: Class, out: &mut String) {
    if !class.negated {
        out.push_str(class.text);
        return;
    }
    // There are no classes within classes, so what the other leaves out is spelled out.
    let mut next = 0;
    for (low, high) in ranges(class.text) {
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
    schema::sort(&mut found);
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
fn posix(here: &str) -> Option<Found<'_>> {
    let (name, after) = here.strip_prefix("[:")?.split_once(":]")?;
    Some((find(&POSIX, name, false), after))
}

/// `\d`, `\p{L}` and their like.
pub(super) fn escaped(here: &str) -> Option<Found<'_>> {
    let inner = here.strip_prefix('\\')?;
    let c = inner.chars().next()?;
    let (negated, after) = (c.is_ascii_uppercase(), &inner[c.len_utf8()..]);
    let text = match c.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACES,
        'w' => WORD,
        'p' => {
            let (name, after) = match after.strip_prefix('{') {
                Some(name) => name.split_once('}')?,
                None => after.split_at(after.chars().next()?.len_utf8()),
            };
            return Some((find(&UNICODE, name, negated), after));
        }
        _ => return None,
    };
    Some((Some(Class { text, negated }), after))
}

/// A class of a table. `^` before its name means all else.
fn find(table: &[(&str, &'static str)], name: &str, negated: bool) -> Option<Class> {
    let (name, negated) = match name.strip_prefix('^') {
        Some(name) => (name, !negated),
        None => (name, negated),
    };
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| Class { text, negated })
}
