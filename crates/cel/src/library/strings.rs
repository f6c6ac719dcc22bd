//! Functions on strings.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#Strings>, of which Kubernetes has version 2: without `reverse`.

use super::{
    characters as text,
    format::format,
    global, member,
    prices::{CHARACTER, ONE, READ, READ_AND_SHORTEN, TRAVERSE, actual_size, size},
};
use crate::{
    error::Error,
    function::{Function, Operand, Price, Size, scale},
    types::Sig::{self, Dyn, Int, List, String},
    value::{List as Items, Value},
};

const STRINGS: Sig = List(&String);

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "charAt",
        overloads: &[
            member!("string_char_at_int", [String, Int] => String, ONE, |Value::String(s), Value::Int(at)| {
                made(text::char_at(s, *at))
            }),
        ],
    },
    Function {
        name: "indexOf",
        overloads: &[
            member!("string_index_of_string", [String, String] => Int, TRAVERSE, |Value::String(s), Value::String(part)| {
                found(text::index_of(s, part, 0))
            }),
            member!("string_index_of_string_int", [String, String, Int] => Int, TRAVERSE,
                |Value::String(s), Value::String(part), Value::Int(from)| found(text::index_of(s, part, *from))),
        ],
    },
    Function {
        name: "lastIndexOf",
        overloads: &[
            member!("string_last_index_of_string", [String, String] => Int, TRAVERSE,
                |Value::String(s), Value::String(part)| found(text::last_index_of(s, part))),
            member!("string_last_index_of_string_int", [String, String, Int] => Int, TRAVERSE,
                |Value::String(s), Value::String(part), Value::Int(from)| found(text::last_index_of_from(s, part, *from))),
        ],
    },
    Function {
        name: "lowerAscii",
        overloads: &[
            member!("string_lower_ascii", [String] => String, READ_AND_SHORTEN, |Value::String(s)| {
                Ok(Value::string(s.to_ascii_lowercase()))
            }),
        ],
    },
    Function {
        name: "upperAscii",
        overloads: &[
            member!("string_upper_ascii", [String] => String, READ_AND_SHORTEN, |Value::String(s)| {
                Ok(Value::string(s.to_ascii_uppercase()))
            }),
        ],
    },
    Function {
        name: "trim",
        overloads: &[member!("string_trim", [String] => String, READ_AND_SHORTEN, |Value::String(s)| {
            Ok(Value::string(s.trim()))
        })],
    },
    Function {
        name: "replace",
        overloads: &[
            member!("string_replace_string_string", [String, String, String] => String, REPLACE,
                |Value::String(s), Value::String(old), Value::String(new)| made(text::replace(s, old, new, -1))),
            member!("string_replace_string_string_int", [String, String, String, Int] => String, REPLACE,
            |Value::String(s), Value::String(old), Value::String(new), Value::Int(limit)| {
                made(text::replace(s, old, new, *limit))
            }),
        ],
    },
    Function {
        name: "split",
        overloads: &[
            member!("string_split_string", [String, String] => STRINGS, SPLIT, |Value::String(s), Value::String(by)| {
                Ok(list(&text::split(s, by, -1)))
            }),
            member!("string_split_string_int", [String, String, Int] => STRINGS, SPLIT,
                |Value::String(s), Value::String(by), Value::Int(limit)| Ok(list(&text::split(s, by, *limit)))),
        ],
    },
    Function {
        name: "substring",
        overloads: &[
            member!("string_substring_int", [String, Int] => String, READ_AND_SHORTEN, |Value::String(s), Value::Int(from)| {
                made(text::substring_from(s, *from))
            }),
            member!("string_substring_int_int", [String, Int, Int] => String, READ_AND_SHORTEN,
                |Value::String(s), Value::Int(from), Value::Int(to)| made(text::substring(s, *from, *to))),
        ],
    },
    Function {
        name: "join",
        overloads: &[
            member!("list_join", [STRINGS] => String, JOIN, |Value::List(items)| join(items, "")),
            member!("list_join_string", [STRINGS, String] => String, JOIN, |Value::List(items), Value::String(separator)| {
                join(items, separator)
            }),
        ],
    },
    Function {
        name: "format",
        overloads: &[
            member!("string_format", [String, List(&Dyn)] => String, READ, |Value::String(s), Value::List(items)| {
                format(s, items)
            }),
        ],
    },
    Function {
        name: "strings.quote",
        overloads: &[global!("strings_quote", [String] => String, READ_AND_SHORTEN, |Value::String(s)| {
            Ok(Value::string(text::quote(s)))
        })],
    },
];

/// The text is read, and another is made.
const REPLACE: Price = Price::By {
    estimate: |operands| {
        let text = size(operands, 0);
        (text.scaled(2.0 * CHARACTER), Some(replaced(text, size(operands, 1), size(operands, 2))))
    },
    actual: |values, _| scale(actual_size(values, 0), 2.0 * CHARACTER),
};

/// The text is read, and its parts are written. With nothing between them there are as many as characters.
const SPLIT: Price = Price::By {
    estimate: |operands| {
        let text = size(operands, 0);
        let most = operands.get(2).and_then(|limit| limit.literal).unwrap_or(text.max);
        (text.scaled(2.0 * CHARACTER), Some(Size::new(0, most)))
    },
    actual: |values, _| scale(actual_size(values, 0), 2.0 * CHARACTER),
};

const JOIN: Price = Price::By {
    estimate: |operands| {
        let count = size(operands, 0);
        let mut length = count.times(operands.first().map_or(Size::UNKNOWN, Operand::items));
        if operands.len() > 1 {
            let gaps = Size::new(count.min.saturating_sub(1), count.max.saturating_sub(1));
            length = length.plus(size(operands, 1).times(gaps));
        }
        (length.scaled(CHARACTER), Some(length))
    },
    actual: |_, result| scale(result.size(), 2.0 * CHARACTER),
};

/// How long a text may be once parts of it are replaced.
fn replaced(text: Size, old: Size, new: Size) -> Size {
    let times = |length: u64, of: u64| (length as f64 / of as f64).ceil() as u64;
    let (most, kept) = match old.min {
        0 => (text.max.saturating_add(1), text.max),
        least if new.max <= least => (0, text.max),
        least => (times(text.max, least), 0),
    };
    let (fewest, kept_at_least) = match old.max {
        0 => (text.min.saturating_add(1), text.min),
        longest if longest <= new.min => (0, text.min),
        longest => (times(text.min, longest), 0),
    };
    Size::new(fewest, most).times(new).plus(Size::new(kept_at_least, kept))
}

fn made<'a>(result: Result<std::string::String, std::string::String>) -> Result<Value<'a>, Error> {
    result
        .map(Value::string)
        .map_err(|why| if why == text::TOO_LONG { Error::Budget } else { Error::Message(why) })
}

fn found<'a>(result: Result<i64, std::string::String>) -> Result<Value<'a>, Error> {
    result.map(Value::Int).map_err(Error::Message)
}

/// A list of strings.
pub(super) fn list<'a, T: AsRef<str>>(texts: &[T]) -> Value<'a> {
    Value::list(texts.iter().map(|text| Value::string(text.as_ref())).collect())
}

fn join<'a>(items: &Items<'a>, separator: &str) -> Result<Value<'a>, Error> {
    let items = items.to_vec()?;
    let mut texts: Vec<&str> = Vec::with_capacity(items.len());
    for item in &items {
        match item {
            Value::String(text) => texts.push(text),
            _ => return Err(Error::no_such_overload()),
        }
    }
    made(text::join(&texts, separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_has_limits() {
        let any = Size::new(0, 100);
        for (text, old, new, expected) in [
            (any, Size::exactly(0), Size::exactly(2), Size::new(2, 302)),
            (any, Size::exactly(3), Size::exactly(2), Size::new(0, 100)),
            (any, Size::exactly(2), Size::exactly(3), Size::new(0, 150)),
            (Size::exactly(10), Size::exactly(3), Size::exactly(1), Size::new(4, 10)),
            (Size::UNKNOWN, Size::exactly(0), Size::exactly(2), Size::new(2, u64::MAX)),
        ] {
            assert_eq!(replaced(text, old, new), expected, "{text:?} {old:?} {new:?}");
        }
    }
}
