//! The functions that find matches of regular expressions.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library>.

use regex_lite::Regex;

use super::{member, prices::SEARCH, strings::list};
use crate::{
    error::Error,
    function::Function,
    types::Sig::{Int, List, String},
    value::Value,
};

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "find",
        overloads: &[member!("string_find_string", [String, String] => String, SEARCH,
        |Value::String(text), Value::String(pattern)| {
            let found = compile(pattern)?.find(text).map(|found| found.as_str()).unwrap_or_default();
            Ok(Value::string(found))
        })],
    },
    Function {
        name: "findAll",
        overloads: &[
            member!("string_find_all_string", [String, String] => List(&String), SEARCH,
                |Value::String(text), Value::String(pattern)| find_all(text, pattern, -1)),
            member!("string_find_all_string_int", [String, String, Int] => List(&String), SEARCH,
                |Value::String(text), Value::String(pattern), Value::Int(limit)| find_all(text, pattern, *limit)),
        ],
    },
];

fn compile(pattern: &str) -> Result<Regex, Error> {
    Regex::new(pattern).map_err(|error| Error::new(["Illegal regex: ", &error.to_string()].concat()))
}

fn find_all<'a>(text: &str, pattern: &str, limit: i64) -> Result<Value<'a>, Error> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let pattern = compile(pattern)?;
    let found: Vec<&str> = pattern.find_iter(text).take(limit).map(|found| found.as_str()).collect();
    Ok(list(&found))
}
