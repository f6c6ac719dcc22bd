//! Hosts and addresses.

use golang::net::{parse_cidr_sloppy, parse_ip, parse_ip_sloppy};

/// Reports whether `text` is a host name: one label, or several of which the last has letters only.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    match text.rsplit_once('.') {
        None => is_single_label(text),
        Some((labels, last)) => {
            let letters = last.chars().count();
            (2..=63).contains(&letters) && last.chars().all(is_letter) && labels.split('.').all(is_label)
        }
    }
}

/// A label that stands alone has a hyphen only after its first character.
fn is_single_label(text: &str) -> bool {
    let mut chars = text.chars();
    if !chars.next().is_some_and(is_label_char) {
        return false;
    }
    let rest = chars.as_str();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.chars().count() <= 62 && rest.chars().all(is_label_char)
}

fn is_label(label: &str) -> bool {
    label.starts_with(is_label_char)
        && label.ends_with(is_label_char)
        && label.chars().count() <= 63
        && label.chars().all(|c| c == '-' || is_label_char(c))
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// A letter, an ASCII digit or a symbol.
fn is_label_char(c: char) -> bool {
    match c {
        '\0'..='\x7f' => {
            c.is_ascii_alphanumeric() || matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
        }
        '\u{2010}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' => false,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' => false,
        _ => !(c.is_numeric() || c.is_whitespace() || c.is_control()),
    }
}

/// Reports whether a text is an IPv4 address, or an IPv6 address with one in it. Zeros may stand before its numbers.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.') && parse_ip_sloppy(text).is_some()
}

/// Reports whether a text is an IPv6 address, which has no zeros before the numbers of an IPv4 address in it.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && parse_ip(text).is_some()
}

/// Reports whether a text is an address and the length of a prefix.
pub(super) fn is_cidr(text: &str) -> bool {
    parse_cidr_sloppy(text).is_some()
}

/// 6, 8 or 20 bytes in hex.
pub(super) fn is_mac(text: &str) -> bool {
    let groups = |separator: char, size: usize, counts: [usize; 3]| {
        let groups: Vec<&str> = text.split(separator).collect();
        counts.contains(&groups.len())
            && groups.iter().all(|group| group.len() == size && super::is_hex(group))
    };
    groups(':', 2, [6, 8, 20]) || groups('-', 2, [6, 8, 20]) || groups('.', 4, [3, 4, 10])
}
