//! The syntax of the shell: words, and how commands are joined. Loops, conditions, functions, and what is replaced by the output of a
//! command are not there.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html>.

use std::iter::Peekable;
use std::str::Chars;

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The value of a variable. Outside of quotes, the blanks in it separate words.
    Variable(String, bool),
}

/// A word. One with quotes is there even if it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) is_quoted: bool,
}

impl Word {
    /// Returns its text, if it has no quotes and no variables.
    pub(super) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text)] if !self.is_quoted => Some(text),
            _ => None,
        }
    }
}

/// The place that a stream goes to, or comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirection {
    Input(Word),
    /// The number of the stream, the file, and whether it is written to at its end.
    Output(u8, Word, bool),
    /// The number of the stream, and that of the one whose place it takes.
    Copy(u8, u8),
}

/// A command with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
}

/// The condition on which a command is run: how the one before it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// After `&&`.
    Succeeded,
    /// After `||`.
    Failed,
}

/// Commands whose output is the input of the next.
pub(super) type Pipeline = Vec<Simple>;

/// The words that begin something that is not there.
const RESERVED: [&str; 14] =
    ["if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "{", "!"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(Word),
    /// The end of a command, and when the next one is run.
    End(When),
    Pipe,
    /// A redirection whose file is the next word.
    To(u8, bool),
    From,
    Copy(u8, u8),
}

/// Returns the name and the value of an assignment.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(text)) = word.parts.first() else { return None };
    let (name, value) = text.split_once('=')?;
    let is_name = !name.is_empty()
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if !is_name {
        return None;
    }
    let mut parts = vec![Part::Text(value.to_owned())];
    // The blanks in what is assigned separate nothing.
    parts.extend(word.parts[1..].iter().map(|part| match part {
        Part::Variable(name, _) => Part::Variable(name.clone(), true),
        part => part.clone(),
    }));
    Some((name.to_owned(), Word { parts, is_quoted: true }))
}

/// Parses a text.
///
/// # Errors
/// The reason why it cannot be understood.
pub(super) fn parse(text: &str) -> Result<Vec<(When, Pipeline)>, String> {
    let mut list = Vec::new();
    let (mut when, mut pipeline, mut simple) = (When::Always, Pipeline::new(), Simple::default());
    let mut tokens = tokens(text)?.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) => {
                if simple.words.is_empty()
                    && let Some(reserved) = word.plain().filter(|word| RESERVED.contains(word))
                {
                    return Err(unsupported(reserved));
                }
                simple.words.push(word);
            }
            Token::To(stream, appends) => match tokens.next() {
                Some(Token::Word(file)) => {
                    simple.redirections.push(Redirection::Output(stream, file, appends));
                }
                _ => return Err(unexpected("redirection")),
            },
            Token::From => match tokens.next() {
                Some(Token::Word(file)) => simple.redirections.push(Redirection::Input(file)),
                _ => return Err(unexpected("redirection")),
            },
            Token::Copy(stream, to) => simple.redirections.push(Redirection::Copy(stream, to)),
            Token::Pipe => {
                if simple == Simple::default()
                    || matches!(tokens.peek(), None | Some(Token::Pipe | Token::End(_)))
                {
                    return Err(unexpected("|"));
                }
                pipeline.push(std::mem::take(&mut simple));
            }
            Token::End(next) => {
                let is_empty = simple == Simple::default();
                if is_empty && next != When::Always {
                    return Err(unexpected(if next == When::Failed { "||" } else { "&&" }));
                }
                if !is_empty {
                    pipeline.push(std::mem::take(&mut simple));
                    list.push((when, std::mem::take(&mut pipeline)));
                    when = next;
                }
            }
        }
    }
    if simple != Simple::default() {
        pipeline.push(simple);
        list.push((when, pipeline));
    } else if when != When::Always {
        return Err("syntax error: unexpected end of file".to_owned());
    }
    Ok(list)
}

fn unexpected(what: &str) -> String {
    ["syntax error: unexpected \"", what, "\""].concat()
}

fn unsupported(what: &str) -> String {
    ["syntax error: \"", what, "\" is not supported here"].concat()
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
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
            '(' | ')' | '`' => return Err(unsupported(char.encode_utf8(&mut [0; 4]))),
            _ => {
                let word = word(&mut rest)?;
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
fn word(rest: &mut Peekable<Chars<'_>>) -> Result<Word, String> {
    const UNTERMINATED: &str = "syntax error: unterminated quoted string";
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
            '`' => return Err(unsupported("`")),
            '$' => variable(&mut word, is_within, rest)?,
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
fn variable(word: &mut Word, is_within: bool, rest: &mut Peekable<Chars<'_>>) -> Result<(), String> {
    let is_of_name = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
    let mut name = String::new();
    match rest.peek() {
        Some('(') => return Err(unsupported("$(")),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes words, with variables in braces, and those outside of quotes in two.
    fn show(word: &Word) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Variable(name, true) => format!("{{{name}}}"),
            Part::Variable(name, false) => format!("{{{{{name}}}}}"),
        };
        word.parts.iter().map(part).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match parse(text) {
            Err(why) => why,
            Ok(list) => {
                let simple = |simple: &Simple| {
                    let mut words: Vec<String> = simple.words.iter().map(show).collect();
                    words.extend(simple.redirections.iter().map(|own| match own {
                        Redirection::Input(file) => format!("<{}", show(file)),
                        Redirection::Output(stream, file, appends) => {
                            format!("{stream}{}{}", if *appends { ">>" } else { ">" }, show(file))
                        }
                        Redirection::Copy(stream, to) => format!("{stream}>&{to}"),
                    }));
                    words.join("_")
                };
                let pipeline = |(when, pipeline): &(When, Pipeline)| {
                    let all: Vec<String> = pipeline.iter().map(simple).collect();
                    format!("{when:?}: {}", all.join(" | "))
                };
                list.iter().map(pipeline).collect::<Vec<_>>().join("; ")
            }
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn commands() {
        check("", "");
        check(" ;\n; # nothing", "");
        check("ls -l /etc", "Always: ls_-l_/etc");
        check("a; b && c || d\ne", "Always: a; Always: b; Succeeded: c; Failed: d; Always: e");
        check("env | grep X|wc -l", "Always: env | grep_X | wc_-l");
        check("a >b 2>>c <d 2>&1 e", "Always: a_e_1>b_2>>c_<d_2>&1");
        check("echo 2 > f; echo a2>f", "Always: echo_2_1>f; Always: echo_a2_1>f");
        check("a&&\nb", "Always: a; Succeeded: b");
    }

    #[test]
    fn words() {
        check(r#"echo 'a $b'"c $d"\ e"#, "Always: echo_a $bc {d} e");
        check(r#"echo "" '\' "\"\x" #"#, r#"Always: echo__\_"\x"#);
        check("echo $A${B}c$ $? $1", "Always: echo_{{A}}{{B}}c$_{{?}}_{{1}}");
        check("echo a#b üñ", "Always: echo_a#b_üñ");
    }

    #[test]
    fn mistakes() {
        for text in ["echo 'a", "echo \"a", "echo 'a\" b"] {
            check(text, "syntax error: unterminated quoted string");
        }
        check("a &&", "syntax error: unexpected end of file");
        check("&& a", "syntax error: unexpected \"&&\"");
        check("a || || b", "syntax error: unexpected \"||\"");
        for text in ["| a", "a |", "a | | b", "a | ; b"] {
            check(text, "syntax error: unexpected \"|\"");
        }
        check("a >", "syntax error: unexpected \"redirection\"");
        check("a 2>&x", "syntax error: unexpected \">&\"");
        for (text, what) in [
            ("if true; then ls; fi", "if"),
            ("for a in b", "for"),
            ("! true", "!"),
            ("echo $(ls)", "$("),
            ("echo `ls`", "`"),
            ("echo ${A:-b}", "${"),
            ("echo ${", "${"),
            ("(ls)", "("),
            ("sleep 1 &", "&"),
            ("cat <<E", "<<"),
        ] {
            check(text, &format!("syntax error: \"{what}\" is not supported here"));
        }
        check("echo if", "Always: echo_if");
    }
}
