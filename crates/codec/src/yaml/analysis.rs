//! In which ways a string can be written, as libyaml's emitter finds it out.

/// The ways in which a string may be written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Analysis {
    /// It has line breaks, so it is no simple key.
    pub(super) multiline: bool,
    /// Without quotes, outside of `{}` and `[]`.
    pub(super) plain: bool,
    /// In single quotes.
    pub(super) single_quoted: bool,
    /// As a block after `|`.
    pub(super) block: bool,
}

/// Looks at every character of a string.
pub(super) fn analyze(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis { plain: true, single_quoted: true, ..Analysis::default() };
    }
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let mut unprintable = false;
    let mut multiline = false;
    let (mut break_then_space, mut space_then_break) = (false, false);
    let mut before: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let blank_follows = matches!(characters.peek(), None | Some(' ' | '\t'));
        indicators |= match (before, character) {
            (
                None,
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`',
            ) => true,
            (None, '?' | ':' | '-') => blank_follows,
            (Some(_), ':') => blank_follows,
            (Some(before), '#') => is_blank(before) || is_break(before),
            _ => false,
        };
        unprintable |= !is_printable(character);
        multiline |= is_break(character);
        break_then_space |= character == ' ' && before.is_some_and(is_break);
        space_then_break |= is_break(character) && before == Some(' ');
        before = Some(character);
    }
    let at_the_edge = |edge: char| edge == ' ' || is_break(edge);
    let spaced = text.starts_with(at_the_edge) || text.ends_with(at_the_edge);
    let escapes = space_then_break || unprintable;
    Analysis {
        multiline,
        plain: !(indicators || spaced || multiline || break_then_space || escapes),
        single_quoted: !(break_then_space || escapes),
        block: !(text.ends_with(' ') || escapes),
    }
}

/// Reports whether libyaml writes a character as it is: neither tabs nor characters beyond U+FFFF are.
pub(super) fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && character != '\u{feff}'
}

/// Reports whether YAML 1.1 ends a line here.
pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}
