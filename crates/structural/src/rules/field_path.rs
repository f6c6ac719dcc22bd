//! `fieldPath` of a rule: `.a.b['c']`.

use field::Path;

use crate::Structural;

/// The path as errors have it, if it is one and leads to a field of `schema`.
pub fn field_path(text: &str, schema: &Structural) -> Option<String> {
    let mut path = Path::default();
    let mut schema = schema;
    let mut rest = text;
    while !rest.is_empty() {
        let name = if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[', ']']).unwrap_or(after.len());
            // A name that begins with a quote reaches up to the next one, dots and all.
            let end = match after.strip_prefix('\'').and_then(|quoted| quoted.find('\'')) {
                Some(closing) if after.starts_with('\'') => closing + 2,
                _ => end.max(usize::from(end == 0 && !after.is_empty())),
            };
            rest = &after[end..];
            after[..end].to_owned()
        } else {
            let (name, after) = quoted(rest.strip_prefix("['")?)?;
            rest = after.strip_prefix(']')?;
            name
        };
        if name.is_empty() {
            return None;
        }
        if schema.properties.is_empty() {
            schema = schema.additional()?;
            path = path.key(&name);
        } else {
            schema = schema.property(&name)?;
            path = path.named(&name);
        }
    }
    let path = path.to_string();
    (path != Path::default().to_string()).then_some(path)
}

/// Returns the text before the closing quote, without its escapes, and the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '\'' => return Some((name, &text[index + 1..])),
            '\\' => name.push(match chars.next()?.1 {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                c @ ('\'' | '\\') => c,
                _ => return None,
            }),
            c => name.push(c),
        }
    }
    None
}
