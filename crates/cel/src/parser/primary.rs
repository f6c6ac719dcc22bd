//! Literals, names, calls, lists, maps, and what is selected of them.

use std::{borrow::Cow, sync::Arc};

use super::{FIRST, Parsed, Parser, Set, Stop};
use crate::{
    ast::{Entry, Expr, Id, Item, Literal, Member},
    lexer::{Kind, Token, unquote},
    names::RESERVED,
};

const OPTIONAL_FIRST: Set = FIRST.or(Set::of(&[Kind::Question]));
const FIELDS: Set =
    Set::of(&[Kind::CloseBrace, Kind::Comma, Kind::Question, Kind::Identifier, Kind::Escaped]);
/// The tokens that may come after an operand, whatever is around it.
const AFTER: Set = Set::of(&[
    Kind::Dot,
    Kind::OpenBracket,
    Kind::Star,
    Kind::Slash,
    Kind::Percent,
    Kind::Plus,
    Kind::Minus,
    Kind::Less,
    Kind::LessEquals,
    Kind::Greater,
    Kind::GreaterEquals,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::And,
    Kind::Or,
    Kind::Question,
]);

impl Parser<'_> {
    /// An operand, and what is selected of it.
    pub(super) fn member(&mut self) -> Parsed {
        let mut operand = self.within(Set::of(&[Kind::Dot, Kind::OpenBracket]), Self::primary)?;
        let mut length = 0;
        loop {
            length += 1;
            let token = self.token();
            match token.kind {
                Kind::Dot => match self.ahead(1).kind {
                    Kind::Identifier if self.ahead(2).kind == Kind::OpenParen => {
                        self.advance();
                        let name = self.advance();
                        let open = self.advance();
                        let Some(arguments) = self.arguments()? else {
                            return Ok(self.ast.add(open.offset, Expr::Error));
                        };
                        operand = self.call_or_macro(open.offset, name, Some(operand), arguments);
                    }
                    Kind::Identifier | Kind::Escaped | Kind::Question => {
                        self.advance();
                        let optional = self.token().kind == Kind::Question;
                        if optional {
                            self.advance();
                            if !self.sync(Set::of(&[Kind::Identifier, Kind::Escaped]))? {
                                return Ok(self.recover());
                            }
                        }
                        let name = self.advance();
                        operand = self.select(token, operand, name, optional);
                    }
                    _ => return Ok(self.no_alternative(1)),
                },
                Kind::OpenBracket => {
                    self.advance();
                    if !self.sync(OPTIONAL_FIRST)? {
                        return Ok(self.recover());
                    }
                    let optional = self.token().kind == Kind::Question;
                    if optional {
                        self.advance();
                    }
                    let close = Set::of(&[Kind::CloseBracket]);
                    let index = self.within(close, Self::expression)?;
                    if self.expect(Kind::CloseBracket, self.following().or(AFTER))?.is_none() {
                        return Ok(self.ast.add(token.offset, Expr::Error));
                    }
                    operand = self.call(
                        token.offset,
                        if optional { "_[?_]" } else { "_[_]" },
                        vec![operand, index],
                    );
                }
                _ => return Ok(operand),
            }
            self.chained(length)?;
        }
    }

    fn select(&mut self, dot: Token, operand: Id, name: Token, optional: bool) -> Id {
        if name.kind == Kind::Escaped {
            return self.report(dot.offset, "unsupported syntax: '`'");
        }
        let field = self.text_of(name).to_owned();
        if optional {
            let literal = Expr::Literal(Literal::String(Arc::from(field)));
            let field = self.ast.add(name.offset, literal);
            return self.call(dot.offset, "_?._", vec![operand, field]);
        }
        self.ast.add(dot.offset, Expr::Select { operand, field, test: false })
    }

    fn primary(&mut self) -> Parsed {
        let token = self.token();
        match token.kind {
            Kind::OpenParen => {
                self.advance();
                let inner = self.within(Set::of(&[Kind::CloseParen]), Self::expression)?;
                let closed = self.expect(Kind::CloseParen, self.following().or(AFTER))?;
                Ok(if closed.is_some() { inner } else { self.ast.add(token.offset, Expr::Error) })
            }
            Kind::OpenBracket => self.list(),
            Kind::OpenBrace => self.map(),
            Kind::Dot | Kind::Identifier => self.name(),
            Kind::Minus if matches!(self.ahead(1).kind, Kind::Int | Kind::Float) => self.literal(),
            Kind::True
            | Kind::False
            | Kind::Null
            | Kind::Float
            | Kind::Int
            | Kind::Uint
            | Kind::String
            | Kind::Bytes => self.literal(),
            _ => Ok(self.no_alternative(0)),
        }
    }

    /// A name, a call of a function, or an object of a type.
    fn name(&mut self) -> Parsed {
        let first = self.token();
        let dotted = usize::from(first.kind == Kind::Dot);
        if self.ahead(dotted).kind != Kind::Identifier {
            return Ok(self.no_alternative(1));
        }
        // The names of types are the only ones that may be followed by a brace.
        let mut length = dotted + 1;
        while self.ahead(length).kind == Kind::Dot && self.ahead(length + 1).kind == Kind::Identifier {
            length += 2;
        }
        if self.ahead(length).kind == Kind::OpenBrace {
            return self.object(length);
        }
        if dotted == 1 {
            self.advance();
        }
        let identifier = self.advance();
        let name = self.text_of(identifier).to_owned();
        let reserved = RESERVED
            .contains(&name.as_str())
            .then(|| self.report(first.offset, ["reserved identifier: ", &name].concat()));
        let open = self.token();
        if open.kind != Kind::OpenParen {
            let name = if dotted == 1 { [".", &name].concat() } else { name };
            return Ok(reserved.unwrap_or_else(|| self.ast.add(identifier.offset, Expr::Ident(name))));
        }
        self.advance();
        let Some(arguments) = self.arguments()? else { return Ok(self.ast.add(open.offset, Expr::Error)) };
        Ok(self.call_or_macro(open.offset, identifier, None, arguments))
    }

    /// Reads the arguments between the parentheses of a call. None if the rule cannot go on.
    fn arguments(&mut self) -> Result<Option<Vec<Id>>, Stop> {
        let mut arguments = Vec::new();
        let close = Set::of(&[Kind::CloseParen]);
        if !self.sync(FIRST.or(close))? {
            self.recover();
            return Ok(None);
        }
        if self.token().kind != Kind::CloseParen {
            loop {
                arguments.push(self.within(close.or(Set::of(&[Kind::Comma])), Self::expression)?);
                if self.token().kind != Kind::Comma {
                    break;
                }
                self.advance();
            }
        }
        let closed = self.expect(Kind::CloseParen, self.following().or(AFTER))?;
        Ok(closed.map(|_| arguments))
    }

    fn list(&mut self) -> Parsed {
        let open = self.advance();
        let mut items = Vec::new();
        let close = Set::of(&[Kind::CloseBracket, Kind::Comma]);
        if !self.sync(OPTIONAL_FIRST.or(close))? {
            return Ok(self.recover());
        }
        while !close.has(self.token().kind) {
            let Some((value, optional)) = self.optional(close)? else { break };
            items.push(Item { value, optional });
            if self.token().kind != Kind::Comma || !OPTIONAL_FIRST.has(self.ahead(1).kind) {
                break;
            }
            self.advance();
        }
        if !self.last_comma(close)? {
            return Ok(self.recover());
        }
        let closed = self.expect(Kind::CloseBracket, self.following().or(AFTER))?;
        Ok(self.ast.add(open.offset, if closed.is_some() { Expr::List(items) } else { Expr::Error }))
    }

    fn map(&mut self) -> Parsed {
        let open = self.advance();
        let mut entries = Vec::new();
        let close = Set::of(&[Kind::CloseBrace, Kind::Comma]);
        if !self.sync(OPTIONAL_FIRST.or(close))? {
            return Ok(self.recover());
        }
        while !close.has(self.token().kind) {
            let Some((key, optional)) = self.optional(close.or(Set::of(&[Kind::Colon])))? else { break };
            let value = match self.colon(close)? {
                Some(value) => value,
                None => break,
            };
            entries.push(Entry { key, value, optional });
            if self.token().kind != Kind::Comma || !OPTIONAL_FIRST.has(self.ahead(1).kind) {
                break;
            }
            self.advance();
        }
        if !self.last_comma(close)? {
            return Ok(self.recover());
        }
        let closed = self.expect(Kind::CloseBrace, self.following().or(AFTER))?;
        Ok(self.ast.add(open.offset, if closed.is_some() { Expr::Map(entries) } else { Expr::Error }))
    }

    /// An object of a type, whose name and the brace after it are `length` tokens and one more.
    fn object(&mut self, length: usize) -> Parsed {
        let mut name = String::new();
        for _ in 0..length {
            let part = self.advance();
            name.push_str(self.text_of(part));
        }
        let open = self.advance();
        let mut fields = Vec::new();
        let close = Set::of(&[Kind::CloseBrace, Kind::Comma]);
        if !self.sync(FIELDS)? {
            return Ok(self.recover());
        }
        while !close.has(self.token().kind) {
            let optional = self.token().kind == Kind::Question;
            if optional {
                self.advance();
                if !self.sync(Set::of(&[Kind::Identifier, Kind::Escaped]))? {
                    self.recover();
                    break;
                }
            }
            let field = self.advance();
            let (name, offset) = (self.text_of(field).to_owned(), self.token().offset);
            match self.colon(close)? {
                Some(value) => fields.push(Member { name, value, optional, offset }),
                None => break,
            }
            let next = self.ahead(1).kind;
            if self.token().kind != Kind::Comma || !FIELDS.has(next) || close.has(next) {
                break;
            }
            self.advance();
        }
        if !self.last_comma(close)? {
            return Ok(self.recover());
        }
        let closed = self.expect(Kind::CloseBrace, self.following().or(AFTER))?;
        Ok(self
            .ast
            .add(open.offset, if closed.is_some() { Expr::Struct { name, fields } } else { Expr::Error }))
    }

    /// Reads a comma after the last of a list of things. Whether the rule can go on.
    fn last_comma(&mut self, close: Set) -> Result<bool, Stop> {
        let fits = self.sync(close)?;
        if self.token().kind == Kind::Comma {
            self.advance();
        }
        Ok(fits)
    }

    /// A colon and what comes after it. None if the rule cannot go on.
    fn colon(&mut self, follow: Set) -> Result<Option<Id>, Stop> {
        self.follow.push(follow);
        let colon = self.expect(Kind::Colon, FIRST);
        self.follow.pop();
        match colon? {
            Some(_) => self.within(follow, Self::expression).map(Some),
            None => Ok(None),
        }
    }

    /// An expression with a question mark before it, perhaps. None if the rule cannot go on.
    fn optional(&mut self, follow: Set) -> Result<Option<(Id, bool)>, Stop> {
        self.follow.push(follow);
        let fits = self.sync(OPTIONAL_FIRST);
        self.follow.pop();
        if !fits? {
            self.recover();
            return Ok(None);
        }
        let optional = self.token().kind == Kind::Question;
        if optional {
            self.advance();
        }
        Ok(Some((self.within(follow, Self::expression)?, optional)))
    }

    fn literal(&mut self) -> Parsed {
        let first = self.advance();
        let negative = first.kind == Kind::Minus;
        let token = if negative { self.advance() } else { first };
        let text = self.text_of(token);
        let signed = |text: &str| if negative { ["-", text].concat() } else { text.to_owned() };
        let literal = match token.kind {
            Kind::True => Ok(Literal::Bool(true)),
            Kind::False => Ok(Literal::Bool(false)),
            Kind::Int => match text.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(&signed(digits), 16),
                None => signed(text).parse(),
            }
            .map(Literal::Int)
            .map_err(|_| "invalid int literal"),
            Kind::Uint => {
                let digits = &text[..text.len() - 1];
                match digits.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16),
                    None => digits.parse(),
                }
                .map(Literal::Uint)
                .map_err(|_| "invalid uint literal")
            }
            Kind::Float => match golang::strconv::parse_float(&signed(text)) {
                Some(number) if number.is_finite() => Ok(Literal::Double(number)),
                _ => Err("invalid double literal"),
            },
            Kind::String => unquote(text, false)
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .map(|text| Literal::String(Arc::from(text)))
                .ok_or("invalid unicode code point"),
            Kind::Bytes => unquote(text, true)
                .map(|bytes| Literal::Bytes(Arc::from(bytes)))
                .ok_or("unable to unescape string"),
            _ => Ok(Literal::Null),
        };
        Ok(match literal {
            Ok(literal) => self.ast.add(first.offset, Expr::Literal(literal)),
            Err(message) => self.report(first.offset, message),
        })
    }

    fn call_or_macro(&mut self, offset: u32, name: Token, target: Option<Id>, arguments: Vec<Id>) -> Id {
        let name = self.text_of(name).to_owned();
        match self.expand(offset, &name, target, &arguments) {
            Some(expanded) => expanded,
            None => self.ast.add(offset, Expr::Call { function: Cow::Owned(name), target, arguments }),
        }
    }
}
