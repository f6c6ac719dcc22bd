//! The tokens of a label selector.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    GreaterThan,
    Identifier,
    In,
    LessThan,
    NotEquals,
    NotIn,
    Open,
}

/// A token and the text it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) token: Token,
    pub(super) text: String,
}

impl Item {
    pub(super) fn end() -> Self {
        Self { token: Token::End, text: String::new() }
    }
}

fn keyword(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::GreaterThan,
        "in" => Token::In,
        "<" => Token::LessThan,
        "!=" => Token::NotEquals,
        "notin" => Token::NotIn,
        "(" => Token::Open,
        _ => return None,
    })
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// The tokens of `text`, the last of which is the end. A NUL where a token would begin is the end, too; one right
/// after a token only ends that token.
pub(super) fn scan(text: &str) -> Vec<Item> {
    let mut rest = text;
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(first) = rest.chars().next().filter(|first| *first != '\0') else { break };
        let length = if is_symbol(first) {
            longest_symbol(rest)
        } else {
            rest.find(|c| is_symbol(c) || is_space(c) || c == '\0').unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(length);
        items.push(Item { token: keyword(word).unwrap_or(Token::Identifier), text: word.to_owned() });
        rest = after.strip_prefix('\0').unwrap_or(after);
    }
    items.push(Item::end());
    items
}

/// How long the symbol is that `text` starts with: `==` and `!=` before their first characters.
fn longest_symbol(text: &str) -> usize {
    if text.starts_with("==") || text.starts_with("!=") { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let words: Vec<String> = scan(text).into_iter().map(|item| item.text).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn scans() {
        check("", &[""]);
        check(" x in\t(a,b) ", &["x", "in", "(", "a", ",", "b", ")", ""]);
        check("x===1", &["x", "==", "=", "1", ""]);
        check("!x!=y", &["!", "x", "!=", "y", ""]);
        check("a\0b\0\0c", &["a", "b", ""]);
    }
}
