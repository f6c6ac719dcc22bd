//! The tokens of the shell.

use std::iter::Peekable;
use std::str::Chars;

use super::{Part, When, Word, parse_within};

const UNTERMINATED: &str = "syntax error: unterminated quoted string";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// The end of a command, and when the next one is run.
    End(When),
    Pipe,
    /// A redirection whose file is the next word.
    To(u8, bool),
    From,
    Copy(u8, u8),
}

pub(super) fn unexpected(what: &str) -> String {
    ["syntax error: unexpected \"", what, "\""].concat()
}

pub(super) fn unsupported(what: &str) -> String {
    ["syntax error: \"", what, "\" is not supported here"].concat()
}

/// Separates a text that is so deep within others into tokens.
pub(super) fn tokens(text: &str, depth: usize) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(&char) = rest.peek() {
        match char {
            ' ' | '\t' | '\r' => drop(rest.next()),
            '#' => while rest.next_if(|char| *char != '\n').is_some() {},
            '\n' | ';' => {
                rest.next();
                tokens.push(Token::End(When::Always));
            }
            '&' | '|' => {
                rest.next();
                let is_double = rest.next_if_eq(&char).is_some();
                tokens.push(match (char, is_double) {
                    ('&', true) => Token::End(When::Succeeded),
                    ('|', true) => Token::End(When::Failed),
                    ('|', false) => Token::Pipe,
                    _ => return Err(unsupported("&")),
                });
            }
            '<' => {
                rest.next();
                if rest.peek() == Some(&'<') {
                    return Err(unsupported("<<"));
                }
                tokens.push(Token::From);
            }
            '>' => tokens.push(output(1, &mut rest)?),
            '(' | ')' => return Err(unsupported(char.encode_utf8(&mut [0; 4]))),
            _ => {
                let word = word(&mut rest, depth)?;
                // A number directly before an arrow is that of a stream.
                let stream =
                    word.plain().and_then(|word| word.parse().ok()).filter(|_| rest.peek() == Some(&'>'));
                tokens.push(match stream {
                    Some(stream @ 1..=2) => output(stream, &mut rest)?,
                    _ => Token::Word(word),
                });
            }
        }
    }
    Ok(tokens)
}

fn output(stream: u8, rest: &mut Peekable<Chars<'_>>) -> Result<Token, String> {
    rest.next();
    if rest.next_if_eq(&'&').is_some() {
        return match rest.next() {
            Some('1') => Ok(Token::Copy(stream, 1)),
            Some('2') => Ok(Token::Copy(stream, 2)),
            _ => Err(unexpected(">&")),
        };
    }
    Ok(Token::To(stream, rest.next_if_eq(&'>').is_some()))
}

/// Reads a word.
fn word(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Result<Word, String> {
    let mut word = Word::default();
    let mut is_within = false;
    loop {
        match rest.peek() {
            None if is_within => return Err(UNTERMINATED.to_owned()),
            Some(' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') | None if !is_within => {
                return Ok(word);
            }
            _ => {}
        }
        match rest.next().unwrap_or_default() {
            '"' => (is_within, word.is_quoted) = (!is_within, true),
            '\'' if !is_within => {
                word.is_quoted = true;
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(char) => push(&mut word, char),
                        None => return Err(UNTERMINATED.to_owned()),
                    }
                }
            }
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(char) if is_within && !matches!(char, '"' | '\\' | '$' | '`') => {
                    push(&mut word, '\\');
                    push(&mut word, char);
                }
                Some(char) => {
                    word.is_quoted = true;
                    push(&mut word, char);
                }
            },
            '`' => {
                let text = until_backquote(rest)?;
                word.parts.push(Part::Output(parse_within(&text, depth + 1)?, is_within));
            }
            '$' => variable(&mut word, is_within, rest, depth)?,
            char => push(&mut word, char),
        }
    }
}

fn push(word: &mut Word, char: char) {
    match word.parts.last_mut() {
        Some(Part::Text(text)) => text.push(char),
        _ => word.parts.push(Part::Text(char.into())),
    }
}

/// Reads what is behind a dollar sign.
fn variable(
    word: &mut Word,
    is_within: bool,
    rest: &mut Peekable<Chars<'_>>,
    depth: usize,
) -> Result<(), String> {
    let is_of_name = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
    let mut name = String::new();
    match rest.peek() {
        Some('(') => {
            rest.next();
            let text = until_parenthesis(rest)?;
            let sum = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
            word.parts.push(match sum {
                Some(sum) => Part::Arithmetic(sum.to_owned()),
                None => Part::Output(parse_within(&text, depth + 1)?, is_within),
            });
            return Ok(());
        }
        Some('{') => {
            rest.next();
            loop {
                match rest.next() {
                    Some('}') if !name.is_empty() => break,
                    Some(char) if is_of_name(&char) || (char == '?' && name.is_empty()) => name.push(char),
                    _ => return Err(unsupported("${")),
                }
            }
        }
        Some('?' | '$' | '!' | '#' | '@' | '*' | '0'..='9') => name.extend(rest.next()),
        _ => {
            while let Some(char) = rest.next_if(is_of_name) {
                name.push(char);
            }
        }
    }
    if name.is_empty() {
        push(word, '$');
    } else {
        word.parts.push(Part::Variable(name, is_within));
    }
    Ok(())
}

/// Reads up to the parenthesis that closes one that was read. Those in quotes do not count.
fn until_parenthesis(rest: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    let (mut text, mut open, mut quote) = (String::new(), 1, None);
    for char in rest.by_ref() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (char, Some(own)) if char == own => quote = None,
            ('(', None) => open += 1,
            (')', None) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Ok(text);
        }
        text.push(char);
    }
    Err(UNTERMINATED.to_owned())
}

/// Reads up to the next backquote. One behind a backslash does not count.
fn until_backquote(rest: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    let mut text = String::new();
    while let Some(char) = rest.next() {
        match char {
            '`' => return Ok(text),
            '\\' if matches!(rest.peek(), Some('`' | '\\' | '$')) => text.extend(rest.next()),
            char => text.push(char),
        }
    }
    Err(UNTERMINATED.to_owned())
}
