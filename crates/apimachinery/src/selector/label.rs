//! Label selectors.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors>.

mod lexer;
mod of_object;

use std::fmt;

use field::name;
use field::{AddError, Error, Path, aggregate};
use lexer::{Item, Token, scan};

/// How a requirement relates a label to its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `key`
    Exists,
    /// `!key`
    DoesNotExist,
    /// `key=value`
    Equals,
    /// `key==value`
    DoubleEquals,
    /// `key!=value`
    NotEquals,
    /// `key in (a,b)`
    In,
    /// `key notin (a,b)`
    NotIn,
    /// `key>1`
    GreaterThan,
    /// `key<1`
    LessThan,
}

/// One of the conditions of a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The key of the label.
    pub key: String,
    /// The relation.
    pub operator: Operator,
    /// In order, without duplicates. One for `=`, `==`, `!=`, `<` and `>`, none for existence.
    pub values: Vec<String>,
}

/// A label selector: conditions that must all hold, sorted by key. An empty one selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

impl LabelSelector {
    /// Reads the query parameter `labelSelector`. The error is the message of the Status: 400, reason `BadRequest`.
    pub fn parse(text: &str) -> Result<Self, String> {
        Parser { items: scan(text), position: 0 }.selector().map(Self::new)
    }

    fn new(mut requirements: Vec<Requirement>) -> Self {
        schema::sort_by(&mut requirements, |a, b| a.key.cmp(&b.key));
        Self { requirements }
    }

    /// The conditions.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Reports whether the selector selects everything.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Reports whether an object is selected; `get` looks up its labels.
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(get(&requirement.key)))
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            write!(f, "{}{requirement}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl Requirement {
    /// A requirement whose key and values are checked. The error is the API server's text.
    fn new(key: String, operator: Operator, values: Vec<String>) -> Result<Self, String> {
        let mut errors: Vec<Error> = label_key(&key, &Path::new("key")).into_iter().collect();
        let at = Path::new("values");
        if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
            for (index, value) in values.iter().enumerate().filter(|(_, value)| integer(value).is_none()) {
                let why = "for 'Gt', 'Lt' operators, the value must be an integer";
                errors.invalid(at.index(index), value.as_str(), why);
            }
        }
        for (index, value) in values.iter().enumerate() {
            let complaints = name::label_value(value);
            if !complaints.is_empty() {
                errors.invalid(at.index(index).key(&key), value.as_str(), complaints.join("; "));
            }
        }
        if errors.is_empty() { Ok(Self { key, operator, values }) } else { Err(aggregate(&errors)) }
    }

    /// Reports whether a label with this value, or none, meets the condition.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let listed = |value: &str| self.values.iter().any(|one| one == value);
        match self.operator {
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Equals | Operator::DoubleEquals | Operator::In => value.is_some_and(listed),
            Operator::NotEquals | Operator::NotIn => !value.is_some_and(listed),
            Operator::GreaterThan => self.compares(value, |label, limit| label > limit),
            Operator::LessThan => self.compares(value, |label, limit| label < limit),
        }
    }

    fn compares(&self, value: Option<&str>, holds: fn(i64, i64) -> bool) -> bool {
        match (value.and_then(integer), self.values.first().map(String::as_str).and_then(integer)) {
            (Some(label), Some(limit)) => holds(label, limit),
            _ => false,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Exists => f.write_str(key),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::DoubleEquals => write!(f, "{key}=={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

fn label_key(key: &str, at: &Path) -> Option<Error> {
    let complaints = name::qualified_name(key);
    (!complaints.is_empty()).then(|| Error::invalid(at, key, complaints.join("; ")))
}

/// A decimal 64-bit integer with an optional sign.
fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A recursive descent parser over the tokens, the last of which is [`Token::End`].
struct Parser {
    items: Vec<Item>,
    position: usize,
}

impl Parser {
    fn selector(mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Item { token: Token::Identifier | Token::Not, .. } => {
                    let requirement =
                        self.requirement().map_err(|why| format!("unable to parse requirement: {why}"))?;
                    requirements.push(requirement);
                }
                Item { token: Token::End, .. } => return Ok(requirements),
                Item { text, .. } => {
                    return Err(format!("found '{text}', expected: !, identifier, or 'end of string'"));
                }
            }
            match self.next() {
                Item { token: Token::End, .. } => return Ok(requirements),
                Item { token: Token::Comma, .. } => {
                    let Item { token, text } = self.peek();
                    if !matches!(token, Token::Identifier | Token::Not) {
                        return Err(format!("found '{text}', expected: identifier after ','"));
                    }
                }
                Item { text, .. } => return Err(format!("found '{text}', expected: ',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut item = self.next();
        let negated = item.token == Token::Not;
        if negated {
            item = self.next();
        }
        if item.token != Token::Identifier {
            return Err(format!("found '{}', expected: identifier", item.text));
        }
        let key = item.text;
        if let Some(error) = label_key(&key, &Path::default()) {
            return Err(error.to_string());
        }
        if negated {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek().token, Token::End | Token::Comma) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let mut values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => self.value()?,
        };
        schema::sort_once(&mut values);
        Requirement::new(key, operator, values)
    }

    fn operator(&mut self) -> Result<Operator, String> {
        let item = self.next_operator();
        Ok(match item.token {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals => Operator::Equals,
            Token::DoubleEquals => Operator::DoubleEquals,
            Token::NotEquals => Operator::NotEquals,
            Token::GreaterThan => Operator::GreaterThan,
            Token::LessThan => Operator::LessThan,
            _ => return Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", item.text)),
        })
    }

    fn value(&mut self) -> Result<Vec<String>, String> {
        if matches!(self.peek().token, Token::End | Token::Comma) {
            return Ok(vec![String::new()]);
        }
        match self.next() {
            Item { token: Token::Identifier, text } => Ok(vec![text]),
            Item { text, .. } => Err(format!("found '{text}', expected: identifier")),
        }
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        let Item { token, text } = self.next();
        if token != Token::Open {
            return Err(format!("found '{text}' expected: '('"));
        }
        match self.peek() {
            Item { token: Token::Identifier | Token::Comma, .. } => {
                let values = self.list()?;
                self.next();
                Ok(values)
            }
            Item { token: Token::Close, .. } => {
                self.next();
                Ok(vec![String::new()])
            }
            Item { text, .. } => Err(format!("found '{text}', expected: ',', ')' or identifier")),
        }
    }

    /// The values up to the closing parenthesis, which stays. Where a value is missing, it is the empty one.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        loop {
            match self.next() {
                Item { token: Token::Identifier, text } => {
                    values.push(text);
                    match self.peek() {
                        Item { token: Token::Comma, .. } => {}
                        Item { token: Token::Close, .. } => return Ok(values),
                        Item { text, .. } => return Err(format!("found '{text}', expected: ',' or ')'")),
                    }
                }
                Item { token: Token::Comma, .. } => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek().token {
                        Token::Close => {
                            values.push(String::new());
                            return Ok(values);
                        }
                        Token::Comma => {
                            values.push(String::new());
                        }
                        _ => {}
                    }
                }
                Item { text, .. } => return Err(format!("found '{text}', expected: ',', or identifier")),
            }
        }
    }

    /// The next token, where `in` and `notin` are words like others.
    fn peek(&self) -> Item {
        let Item { token, text } = self.items.get(self.position).cloned().unwrap_or_else(Item::end);
        Item {
            token: if matches!(token, Token::In | Token::NotIn) { Token::Identifier } else { token },
            text,
        }
    }

    fn next(&mut self) -> Item {
        let item = self.peek();
        self.position += 1;
        item
    }

    /// The next token, where `in` and `notin` are operators.
    fn next_operator(&mut self) -> Item {
        let item = self.items.get(self.position).cloned().unwrap_or_else(Item::end);
        self.position += 1;
        item
    }
}

#[cfg(test)]
mod tests;
