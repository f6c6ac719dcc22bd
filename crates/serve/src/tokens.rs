//! The static token file: who a bearer token belongs to.
//!
//! One record per line, `token,user,uid,"group1,group2"`, where the groups may be left out: comma-separated values as
//! RFC 4180 has them. See
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file>.

use std::{collections::BTreeMap, iter::Peekable, str::Chars};

use apiserver::User;

/// The content of a token file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens and their users, in the order of the tokens.
    pub users: Vec<(String, User)>,
    /// Warnings about the file, which can be used nevertheless: one sentence each.
    pub warnings: Vec<String>,
}

/// The reason why a token file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Error {
    /// The line where the record in question begins, counted from 1.
    pub line: usize,
    /// The error in that record.
    pub problem: Problem,
}

/// An error in a record of a token file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A record of one or two fields, such as `token,user`.
    #[error("at least three fields are needed (token, user name, user uid), found {0}")]
    TooFewFields(usize),
    /// A quote inside a field that does not begin with one, such as `to"ken`.
    #[error("a quote stands in a field that does not begin with one")]
    BareQuote,
    /// Something other than a comma after a closing quote, such as `"a"b`.
    #[error("a closing quote is followed by something other than a comma")]
    AfterQuote,
    /// A quoted field that never ends.
    #[error("a quoted field is not closed")]
    OpenQuote,
}

/// Reads the text of a token file. An empty token is left out, and the last of equal tokens wins, with a warning each.
///
/// # Errors
/// When the text is not comma-separated values, or a record has fewer than three fields.
pub fn parse(text: &str) -> Result<Tokens, Error> {
    let mut users = BTreeMap::new();
    let mut warnings = Vec::new();
    for record in Records::new(text) {
        let (line, fields) = record?;
        let found = fields.len();
        let mut fields = fields.into_iter();
        let (Some(token), Some(name), Some(uid)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(Error { line, problem: Problem::TooFewFields(found) });
        };
        if token.is_empty() {
            warnings.push(format!("line {line}: the token is empty; the line is left out"));
            continue;
        }
        let groups = fields.next().map_or_else(Vec::new, |groups| {
            groups.split(',').filter(|group| !group.is_empty()).map(str::to_owned).collect()
        });
        if users.insert(token, User { name, uid, groups, ..User::default() }).is_some() {
            warnings.push(format!("line {line}: the token stands in an earlier line too; this line wins"));
        }
    }
    Ok(Tokens { users: users.into_iter().collect(), warnings })
}

/// The records of comma-separated values, each with the line where it begins. Empty lines are none.
struct Records<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl<'a> Records<'a> {
    fn new(text: &'a str) -> Self {
        Self { chars: text.chars().peekable(), line: 1 }
    }

    /// The next character, with a line's end as `\n` alone.
    fn bump(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        let c = if c == '\r' && self.chars.next_if_eq(&'\n').is_some() { '\n' } else { c };
        self.line += usize::from(c == '\n');
        Some(c)
    }

    /// One field and what ended it: a comma, a line's end, or the end of the text.
    fn field(&mut self) -> Result<(String, Option<char>), Problem> {
        let mut field = String::new();
        if self.chars.next_if_eq(&'"').is_none() {
            return loop {
                match self.bump() {
                    Some('"') => break Err(Problem::BareQuote),
                    end @ (Some(',' | '\n') | None) => break Ok((field, end)),
                    Some(c) => field.push(c),
                }
            };
        }
        loop {
            match self.bump() {
                None => return Err(Problem::OpenQuote),
                Some('"') if self.chars.next_if_eq(&'"').is_some() => field.push('"'),
                Some('"') => break,
                Some(c) => field.push(c),
            }
        }
        match self.bump() {
            end @ (Some(',' | '\n') | None) => Ok((field, end)),
            Some(_) => Err(Problem::AfterQuote),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(usize, Vec<String>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some('\r' | '\n') = self.chars.peek() {
            self.bump();
        }
        self.chars.peek()?;
        let line = self.line;
        let mut fields = Vec::new();
        loop {
            match self.field() {
                Err(problem) => return Some(Err(Error { line, problem })),
                Ok((field, end)) => {
                    fields.push(field);
                    if end != Some(',') {
                        return Some(Ok((line, fields)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: one line per token, `token=name/uid[groups]`, then one per warning or the error.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let lines = match parse(text) {
            Ok(tokens) => {
                let users = tokens.users.iter().map(|(token, user)| {
                    format!("{token}={}/{}[{}]", user.name, user.uid, user.groups.join("|"))
                });
                users.chain(tokens.warnings.iter().cloned()).collect()
            }
            Err(error) => vec![error.to_string()],
        };
        assert_eq!(lines, expected);
    }

    #[test]
    fn users_and_groups() {
        check("", &[]);
        check("t,u,1", &["t=u/1[]"]);
        check("t,u,1\n", &["t=u/1[]"]);
        check("t,u,\r\nt2,u2,2,g\r\n", &["t=u/[]", "t2=u2/2[g]"]);
        check("t,u,1,\"g1,g2\"\n", &["t=u/1[g1|g2]"]);
        check("t,u,1,", &["t=u/1[]"]);
        check("t,u,1,g,left,out", &["t=u/1[g]"]);
        check("\n\nt,u,1\n\n", &["t=u/1[]"]);
        check("t,\"a \"\"b\"\"\nc\",1", &["t=a \"b\"\nc/1[]"]);
        check(" t,u , 1", &[" t=u / 1[]"]);
    }

    #[test]
    fn oddities_are_told() {
        check(",u,1\nt,u,1", &["t=u/1[]", "line 1: the token is empty; the line is left out"]);
        check(
            "t,u,1\nt,v,2",
            &["t=v/2[]", "line 2: the token stands in an earlier line too; this line wins"],
        );
    }

    #[test]
    fn errors_name_the_line() {
        let few = "at least three fields are needed (token, user name, user uid), found";
        check("t,u", &[&format!("line 1: {few} 2")]);
        check("t,u,1\n\nx\n", &[&format!("line 3: {few} 1")]);
        check("t,\"u\nv\",1\nx", &[&format!("line 3: {few} 1")]);
        check("t\"x,u,1", &["line 1: a quote stands in a field that does not begin with one"]);
        check("t,u,1\n\"t\"x,u,1", &["line 2: a closing quote is followed by something other than a comma"]);
        check("t,u,1\nt,\"u,1\nv", &["line 2: a quoted field is not closed"]);
    }
}
