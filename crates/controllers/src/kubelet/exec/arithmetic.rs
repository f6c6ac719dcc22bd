//! Arithmetic: the values of expressions with whole numbers and variables.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_06_04>.

use super::shell::Shell;

/// The operators between two values, those first that bind least; the longer ones before their begins.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

/// The operators that assign a value, and what they do before.
const ASSIGNING: [(&str, &str); 6] =
    [("=", ""), ("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/"), ("%=", "%")];

/// The most expressions that stand within each other.
const DEEPEST: usize = 32;

/// Returns the value of an expression, whose variables are those of a shell.
///
/// # Errors
/// The reason why it has none.
pub(super) fn evaluate(shell: &mut Shell, text: &str) -> Result<i64, &'static str> {
    let mut expression = Expression { shell, rest: text, depth: 0 };
    let value = expression.value(0)?;
    if expression.rest.trim_start().is_empty() { Ok(value) } else { Err("syntax error") }
}

struct Expression<'a> {
    shell: &'a mut Shell,
    rest: &'a str,
    depth: usize,
}

impl<'a> Expression<'a> {
    /// Takes an operator, if it comes.
    fn take(&mut self, operator: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(operator) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes a name, if one comes, with or without a dollar sign.
    fn name(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start();
        let text = self.rest.strip_prefix('$').unwrap_or(self.rest);
        let text = text.strip_prefix('{').unwrap_or(text);
        let end =
            text.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit()) {
            return None;
        }
        self.rest = rest.strip_prefix('}').unwrap_or(rest);
        Some(name)
    }

    /// Reads values with the operators of a level and of those that bind more.
    fn value(&mut self, level: usize) -> Result<i64, &'static str> {
        let Some(operators) = LEVELS.get(level) else { return self.single() };
        let mut value = self.value(level + 1)?;
        'next: loop {
            for operator in *operators {
                if self.take(operator) {
                    let other = self.value(level + 1)?;
                    value = apply(operator, value, other)?;
                    continue 'next;
                }
            }
            return Ok(value);
        }
    }

    fn single(&mut self) -> Result<i64, &'static str> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("too many expressions within each other");
        }
        let value = self.one();
        self.depth -= 1;
        value
    }

    fn one(&mut self) -> Result<i64, &'static str> {
        for (operator, by) in [("++", 1), ("--", -1)] {
            let before = self.rest;
            if self.take(operator) {
                let Some(name) = self.name() else {
                    self.rest = before;
                    break;
                };
                let value = self.read(name)?.wrapping_add(by);
                return Ok(self.write(name, value));
            }
        }
        if self.take("-") {
            return Ok(self.single()?.wrapping_neg());
        }
        if self.take("+") {
            return self.single();
        }
        if self.take("!") {
            return Ok(i64::from(self.single()? == 0));
        }
        if self.take("(") {
            let value = self.value(0)?;
            return if self.take(")") { Ok(value) } else { Err("syntax error") };
        }
        if let Some(name) = self.name() {
            return self.variable(name);
        }
        let end = self.rest.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        number(digits).ok_or("syntax error")
    }

    /// Returns the value of a variable, which may get another one.
    fn variable(&mut self, name: &str) -> Result<i64, &'static str> {
        let value = self.read(name)?;
        for (operator, by) in [("++", 1), ("--", -1)] {
            if self.take(operator) {
                self.write(name, value.wrapping_add(by));
                return Ok(value);
            }
        }
        if self.rest.trim_start().starts_with("==") {
            return Ok(value);
        }
        for (operator, before) in ASSIGNING {
            if self.take(operator) {
                let other = self.value(0)?;
                let new = if before.is_empty() { other } else { apply(before, value, other)? };
                return Ok(self.write(name, new));
            }
        }
        Ok(value)
    }

    /// Returns the number that a variable has; 0 for one that is not there.
    fn read(&mut self, name: &str) -> Result<i64, &'static str> {
        let text = self.shell.variable(name);
        if text.is_empty() { Ok(0) } else { number(&text).ok_or("a variable is no number") }
    }

    fn write(&mut self, name: &str, value: i64) -> i64 {
        self.shell.assign(name, value.to_string());
        value
    }
}

/// Reads a number, perhaps with a sign: decimal, octal or hexadecimal.
fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    number.ok().map(|number| sign * number)
}

fn apply(operator: &str, a: i64, b: i64) -> Result<i64, &'static str> {
    Ok(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b).ok_or("divide by zero")?,
        _ => a.checked_rem(b).ok_or("divide by zero")?,
    })
}
