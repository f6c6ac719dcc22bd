//! Addresses of RFC 5322, as Go's `net/mail` reads them.

/// Reports whether `text` is one address, `a@b.c` or `Name <a@b.c>`.
pub(super) fn is_address(text: &str) -> bool {
    let text = skip_space(text);
    if let Some(rest) = address_spec(text) {
        return is_end(rest);
    }
    let Some(rest) = phrase(text) else { return false };
    let Some(rest) = skip_space(rest).strip_prefix('<') else { return false };
    let Some(rest) = address_spec(skip_space(rest)) else { return false };
    skip_space(rest).strip_prefix('>').is_some_and(is_end)
}

/// Nothing more, but for a comment.
fn is_end(rest: &str) -> bool {
    let mut rest = skip_space(rest);
    while let Some(after) = comment(rest) {
        rest = skip_space(after);
    }
    rest.is_empty()
}

fn comment(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '\\' => {
                chars.next();
            }
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[index + c.len_utf8()..]);
        }
    }
    None
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Reads `local@domain`, and returns the text after it.
fn address_spec(text: &str) -> Option<&str> {
    let rest = match text.strip_prefix('"') {
        Some(_) => quoted(text)?,
        None => dot_atom(text)?,
    };
    let rest = skip_space(skip_space(rest).strip_prefix('@')?);
    match rest.strip_prefix('[') {
        Some(literal) => {
            let (address, rest) = literal.split_once(']')?;
            let address = address.strip_prefix("IPv6:").unwrap_or(address);
            address.parse::<std::net::IpAddr>().ok().map(|_| rest)
        }
        None => dot_atom(rest),
    }
}

/// Reads a display name, which is words, quoted or not, and returns the text after it.
fn phrase(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let here = skip_space(rest);
        if here.starts_with('<') {
            return Some(here);
        }
        rest = match here.strip_prefix('"') {
            Some(_) => quoted(here)?,
            None => {
                let after = here.trim_start_matches(|c| is_atom(c) || c == '.');
                if after.len() == here.len() {
                    return None;
                }
                after
            }
        };
    }
}

fn quoted(text: &str) -> Option<&str> {
    let mut chars = text.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return (index > 1).then(|| &text[index + 1..]),
            '\\' => {
                chars.next().filter(|(_, c)| !c.is_control())?;
            }
            _ if c.is_control() && c != '\t' => return None,
            _ => {}
        }
    }
    None
}

fn dot_atom(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c| is_atom(c) || c == '.');
    let atom = &text[..text.len() - rest.len()];
    let valid = !atom.is_empty() && !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..");
    valid.then_some(rest)
}

fn is_atom(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || (!c.is_ascii() && !c.is_control())
}
