//! From tokens to a tree.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax>. What is wrong is told in the words of
//! cel-go, whose parser is made by ANTLR: so this one recovers from errors in the same way. It skips a token that is
//! too much or makes one up that is missing, and else leaves the rule that it is in and skips what no rule around it
//! could go on with.

mod logic;
mod macros;
mod primary;

use std::borrow::Cow;

use crate::{
    ast::{Ast, Expr, Id},
    lexer::{KINDS, Kind, Token, tokens},
    source::Issue,
};

/// The most characters of an expression.
const LENGTH: usize = 100_000;
/// How deep one rule may be nested.
const DEPTH: u32 = 250;
/// How deep expressions may be nested, so that no stack overflows. Each of them is several rules.
const NESTED: u32 = 100;
/// How high the tree may be.
const HEIGHT: u16 = 350;
/// After so many errors of syntax the parser gives up.
const REPORTED: u32 = 100;
/// After so many attempts to recover it gives up.
const RECOVERIES: u32 = 30;

/// A set of kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Set(u64);

impl Set {
    const NONE: Self = Self(0);

    pub(super) const fn of(kinds: &[Kind]) -> Self {
        let (mut bits, mut index) = (0, 0);
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u8;
            index += 1;
        }
        Self(bits)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    fn to_text(self) -> String {
        let names: Vec<&str> =
            KINDS.iter().filter(|(kind, _)| self.has(*kind)).map(|(_, name)| *name).collect();
        if names.len() == 1 { names.concat() } else { ["{", &names.join(", "), "}"].concat() }
    }
}

/// The tokens that an expression can begin with.
pub(super) const FIRST: Set = Set::of(&[
    Kind::OpenBracket,
    Kind::OpenBrace,
    Kind::OpenParen,
    Kind::Dot,
    Kind::Minus,
    Kind::Not,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
]);

/// Operators between two expressions: their precedence, from the weakest on, and their names.
const BINARY: [(Kind, u8, &str); 12] = [
    (Kind::Less, 1, "_<_"),
    (Kind::LessEquals, 1, "_<=_"),
    (Kind::GreaterEquals, 1, "_>=_"),
    (Kind::Greater, 1, "_>_"),
    (Kind::Equals, 1, "_==_"),
    (Kind::NotEquals, 1, "_!=_"),
    (Kind::In, 1, "@in"),
    (Kind::Plus, 2, "_+_"),
    (Kind::Minus, 2, "_-_"),
    (Kind::Star, 3, "_*_"),
    (Kind::Slash, 3, "_/_"),
    (Kind::Percent, 3, "_%_"),
];
const RELATIONS: Set = Set::of(&[
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
]);
const CALCULATIONS: Set = Set::of(&[Kind::Plus, Kind::Minus, Kind::Star, Kind::Slash, Kind::Percent]);

/// The parser gives up: the rest is not looked at.
pub(super) struct Stop;

/// The result of a rule, or [`Stop`] if the parser gives up.
pub(super) type Parsed = Result<Id, Stop>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    pub(super) ast: Ast,
    issues: Vec<Issue>,
    /// The tokens that may follow each of the rules that are being read.
    follow: Vec<Set>,
    /// True if an error has been reported and nothing has fitted since.
    recovering: bool,
    /// The place of the token at which the parser last recovered from an error.
    last_error: Option<usize>,
    reported: u32,
    recoveries: u32,
    depth: u32,
}

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<Ast, Vec<Issue>> {
    let length = text.chars().count();
    if length > LENGTH {
        let (size, limit) = (length.to_string(), LENGTH.to_string());
        let message =
            ["expression code point size exceeds limit: size: ", &size, ", limit ", &limit].concat();
        return Err(vec![Issue { offset: None, message }]);
    }
    let (tokens, issues) = tokens(text);
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        ast: Ast::default(),
        issues,
        follow: Vec::new(),
        recovering: false,
        last_error: None,
        reported: 0,
        recoveries: 0,
        depth: 0,
    };
    if let Ok(root) = parser.start() {
        parser.ast.root = root;
        if parser.ast.height > HEIGHT {
            parser.too_deep();
        }
    }
    if parser.issues.is_empty() { Ok(parser.ast) } else { Err(parser.issues) }
}

impl Parser<'_> {
    fn start(&mut self) -> Parsed {
        let root = self.within(Set::of(&[Kind::End]), Self::expression)?;
        self.expect(Kind::End, Set::NONE)?;
        Ok(root)
    }

    /// `or`, or `or ? or : expression`.
    pub(super) fn expression(&mut self) -> Parsed {
        self.nested(|parser| {
            let condition = parser.within(Set::of(&[Kind::Question]), Self::or)?;
            let token = parser.token();
            if token.kind != Kind::Question {
                return Ok(condition);
            }
            parser.advance();
            let yes = parser.within(Set::of(&[Kind::Colon]), Self::or)?;
            if parser.expect(Kind::Colon, FIRST)?.is_none() {
                return Ok(parser.ast.add(token.offset, Expr::Error));
            }
            let no = parser.within(Set::NONE, Self::expression)?;
            Ok(parser.call(token.offset, "_?_:_", vec![condition, yes, no]))
        })
    }

    /// Operands between operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Parsed {
        let follow = if weakest <= 1 { RELATIONS.or(CALCULATIONS) } else { CALCULATIONS };
        let mut left = self.within(follow, Self::unary)?;
        let mut length = 0;
        loop {
            let token = self.token();
            let found = BINARY.iter().find(|(kind, strength, _)| *kind == token.kind && *strength >= weakest);
            let Some((_, strength, name)) = found else { return Ok(left) };
            self.advance();
            length += 1;
            if length > DEPTH {
                return Err(self.too_deep());
            }
            let right = self.binary(*strength + 1)?;
            left = self.call(token.offset, name, vec![left, right]);
        }
    }

    /// An operand, with `!` or `-` before it.
    fn unary(&mut self) -> Parsed {
        if !self.sync(FIRST)? {
            return Ok(self.recover());
        }
        let first = self.token();
        let (operator, name) = match first.kind {
            Kind::Not => (Kind::Not, "!_"),
            Kind::Minus => (Kind::Minus, "-_"),
            _ => return self.within(Set::NONE, Self::member),
        };
        let mut count = 0u32;
        while self.token().kind == operator {
            let next = self.ahead(1).kind;
            if operator == Kind::Minus {
                // A minus before a number is part of the number.
                if count == 0 && matches!(next, Kind::Int | Kind::Float) {
                    return self.within(Set::NONE, Self::member);
                }
                if next == Kind::Not || !FIRST.has(next) {
                    return Ok(self.no_alternative(1));
                }
            }
            self.advance();
            count += 1;
            if operator == Kind::Not && !FIRST.has(self.token().kind) {
                self.report_unwanted(FIRST);
            }
        }
        let operand = self.within(Set::NONE, Self::member)?;
        Ok(if count.is_multiple_of(2) { operand } else { self.call(first.offset, name, vec![operand]) })
    }

    pub(super) fn call(&mut self, offset: u32, function: &'static str, arguments: Vec<Id>) -> Id {
        self.ast.add(offset, Expr::Call { function: Cow::Borrowed(function), target: None, arguments })
    }

    pub(super) fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The token that comes so many tokens later.
    pub(super) fn ahead(&self, count: usize) -> Token {
        let index = (self.at + count).min(self.tokens.len().saturating_sub(1));
        self.tokens.get(index).copied().unwrap_or(Token { kind: Kind::End, start: 0, end: 0, offset: 0 })
    }

    pub(super) fn text_of(&self, token: Token) -> &str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// Goes on after a token that fits.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.token();
        self.recovering = false;
        self.consume();
        token
    }

    fn consume(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Reads a rule, after which the one that is being read goes on with one of `follow`.
    pub(super) fn within(&mut self, follow: Set, rule: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.follow.push(follow);
        let parsed = rule(self);
        self.follow.pop();
        parsed
    }

    /// Reads a rule that can contain itself.
    fn nested(&mut self, rule: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        let parsed = if self.depth > NESTED { Err(self.too_deep()) } else { rule(self) };
        self.depth -= 1;
        parsed
    }

    /// Fails if a chain of `length` in a row is too long, which the tree would have to be as deep as.
    pub(super) fn chained(&mut self, length: u32) -> Result<(), Stop> {
        if length > DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&mut self) -> Stop {
        let limit = DEPTH.to_string();
        let message = ["expression recursion limit exceeded: ", &limit].concat();
        self.issues.push(Issue { offset: None, message });
        Stop
    }

    pub(super) fn report(&mut self, offset: u32, message: impl Into<String>) -> Id {
        self.issues.push(Issue { offset: Some(offset), message: message.into() });
        self.ast.add(offset, Expr::Error)
    }

    /// Returns whether one of `expected` comes next, perhaps after a token that is too much.
    pub(super) fn sync(&mut self, expected: Set) -> Result<bool, Stop> {
        if self.recovering || expected.has(self.token().kind) {
            return Ok(expected.has(self.token().kind));
        }
        if expected.has(self.ahead(1).kind) && self.token().kind != Kind::End {
            self.report_unwanted(expected);
            self.consume();
            self.recovering = false;
            return self.gave_up().map(|()| true);
        }
        self.report_mismatched(expected);
        self.gave_up().map(|()| false)
    }

    /// Reads a token of this kind, after which one of `next` comes. None if the rule cannot go on.
    pub(super) fn expect(&mut self, kind: Kind, next: Set) -> Result<Option<Token>, Stop> {
        if self.token().kind == kind {
            return Ok(Some(self.advance()));
        }
        self.attempt()?;
        let expected = Set::of(&[kind]);
        if self.ahead(1).kind == kind && self.token().kind != Kind::End {
            self.report_unwanted(expected);
            self.consume();
            self.gave_up()?;
            return Ok(Some(self.advance()));
        }
        let found = self.token();
        if next.has(found.kind) {
            let message = ["missing ", &expected.to_text(), " at ", &self.shown(found)].concat();
            self.syntax(found, &message);
            self.gave_up()?;
            return Ok(Some(found));
        }
        self.report_mismatched(expected);
        self.gave_up()?;
        self.recover();
        Ok(None)
    }

    /// Nothing fits, and it took `count` more tokens to find that out.
    pub(super) fn no_alternative(&mut self, count: usize) -> Id {
        let (first, last) = (self.token(), self.ahead(count));
        let end = if last.kind == Kind::End { self.ahead(count.saturating_sub(1)).end } else { last.end };
        let text = if first.kind == Kind::End {
            "<EOF>"
        } else {
            self.text.get(first.start..end).unwrap_or_default()
        };
        let message = match text {
            ".true" | ".false" | ".null" => {
                ["mismatched input '", &text[1..], "' expecting IDENTIFIER"].concat()
            }
            _ => ["no viable alternative at input ", &quoted(text)].concat(),
        };
        self.syntax(last, &message);
        self.recover()
    }

    /// Returns the tokens that may follow the rules that are being read.
    pub(super) fn following(&self) -> Set {
        // A rule whose follower is nothing ends the one around it too.
        self.follow.iter().fold(Set::NONE, |all, set| all.or(*set))
    }

    /// Skips what none of the rules that are being read can go on with.
    pub(super) fn recover(&mut self) -> Id {
        let offset = self.token().offset;
        if self.last_error == Some(self.at) {
            self.consume();
        }
        self.last_error = Some(self.at);
        let following = self.following();
        while self.token().kind != Kind::End && !following.has(self.token().kind) {
            self.consume();
        }
        self.ast.add(offset, Expr::Error)
    }

    fn report_unwanted(&mut self, expected: Set) {
        let token = self.token();
        let message = ["extraneous input ", &self.shown(token), " expecting ", &expected.to_text()].concat();
        self.syntax(token, &message);
    }

    fn report_mismatched(&mut self, expected: Set) {
        let token = self.token();
        let message = ["mismatched input ", &self.shown(token), " expecting ", &expected.to_text()].concat();
        self.syntax(token, &message);
    }

    fn shown(&self, token: Token) -> String {
        if token.kind == Kind::End { "'<EOF>'".to_owned() } else { quoted(self.text_of(token)) }
    }

    /// Tells of an error of syntax, unless one has been told and nothing has fitted since.
    fn syntax(&mut self, token: Token, message: &str) {
        if self.recovering {
            return;
        }
        self.recovering = true;
        self.reported += 1;
        self.recoveries += 1;
        let message = ["Syntax error: ", message].concat();
        self.issues.push(Issue { offset: Some(token.offset), message });
    }

    fn attempt(&mut self) -> Result<(), Stop> {
        self.recoveries += u32::from(self.recovering);
        self.gave_up()
    }

    fn gave_up(&mut self) -> Result<(), Stop> {
        let offset = Some(self.token().offset);
        let message = if self.reported > REPORTED {
            "More than 100 syntax errors"
        } else if self.recoveries > RECOVERIES {
            "Syntax error: error recovery attempt limit exceeded: 30"
        } else {
            return Ok(());
        };
        self.issues.push(Issue { offset, message: message.to_owned() });
        Err(Stop)
    }
}

/// A token in an error text.
fn quoted(text: &str) -> String {
    let text = text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
    ["'", &text, "'"].concat()
}
