//! Checks: what has to be so when a step is done.

use std::fmt;

use json_tree::Value;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::{Problem, Seen};
use crate::arrange::USER_AGENT;
use crate::block::Block;
use crate::message::{JSON, Request};
use crate::server::{Evaluation, Server};
use crate::words;

/// The most objects that a check reads, and the most expectations that it has.
const MOST: usize = 50;

/// The check of a step.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Check {
    /// The paths that are read before the evaluation: of objects, or of collections.
    #[serde(default)]
    pub objects: Vec<String>,
    /// The expectations, all of which have to be fulfilled. In YAML a single expression may stand for a list of one.
    #[serde(deserialize_with = "expectations")]
    pub expect: Vec<Expectation>,
}

/// Something that has to be so when a step is done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// The expression of CEL that is true then.
    pub expect: String,
    /// The sentence for a reader while it is not.
    pub tell: Option<String>,
}

/// The verdict of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The step is done.
    Fulfilled,
    /// The step is not done.
    Open {
        /// The expression that is not true: the first one.
        expression: String,
        /// The sentence for the reader, if the check has one.
        tell: Option<String>,
        /// The reason why the evaluation failed, if it did. It is for the author: a reader has not done anything wrong if there is no
        /// such key.
        failed: Option<String>,
    },
}

impl Check {
    /// Reads the check in a block.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(block: &Block) -> Result<Self, Problem> {
        let problem = |text: String| Problem { line: block.line, text };
        let check: Self = serde_yaml::from_str(&block.text).map_err(|error| {
            let line = error.location().map_or(0, |place| place.line());
            let why = error.to_string();
            // It tells the line in the block.
            let why = why.split(" at line ").next().unwrap_or_default();
            Problem { line: block.line + line, text: words::no_check(why) }
        })?;
        if check.expect.is_empty() {
            return Err(problem(words::no_check("it expects nothing")));
        }
        if check.expect.len().max(check.objects.len()) > MOST {
            return Err(problem(words::no_check(&format!("it has more than {MOST} parts"))));
        }
        match check.objects.iter().find(|path| !path.starts_with('/')) {
            Some(path) => Err(problem(words::no_check(&format!("{path:?} is no path")))),
            None => Ok(check),
        }
    }

    /// Tells whether the step is done, after the objects were read.
    ///
    /// # Errors
    /// An expression is not valid, or there is no response: the reason.
    pub async fn check(&self, server: &impl Server, seen: &Seen) -> Result<Verdict, String> {
        let mut variables = seen.variables(server).await;
        variables.insert("objects".to_owned(), self.read_objects(server).await?);
        let variables = bytes::Bytes::from(Value::Object(variables).to_string());
        let mut verdict = Verdict::Fulfilled;
        for Expectation { expect, tell } in &self.expect {
            let failed = match server.evaluate(expect, variables.clone()).await {
                Ok(true) => continue,
                Ok(false) => None,
                Err(Evaluation::Failed(why)) => Some(why),
                Err(Evaluation::NotValid(why)) => return Err(words::not_valid(expect, &why)),
                Err(Evaluation::NotEvaluated(why)) => return Err(why),
            };
            // The others are looked at all the same: they may not be valid.
            if verdict == Verdict::Fulfilled {
                verdict = Verdict::Open { expression: expect.clone(), tell: tell.clone(), failed };
            }
        }
        Ok(verdict)
    }

    /// Returns what is at each path; null where nothing is.
    async fn read_objects(&self, server: &impl Server) -> Result<Value, String> {
        let get =
            |path: &String| Request::new("GET", path).with("Accept", JSON).with("User-Agent", USER_AGENT);
        if self.objects.is_empty() {
            return Ok(Value::Array(Vec::new()));
        }
        let responses = server.arrange(self.objects.iter().map(get).collect()).await?;
        let object = |(status, body): &(u16, bytes::Bytes)| match status {
            200 => serde_json::from_slice(body).unwrap_or_default(),
            _ => Value::Null,
        };
        Ok(Value::Array(responses.iter().map(object).collect()))
    }
}

/// Reads an expression, or a list of expectations.
fn expectations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Expectation>, D::Error> {
    struct Expectations;

    impl<'de> Visitor<'de> for Expectations {
        type Value = Vec<Expectation>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an expression, or a list of `expect` and `tell`")
        }

        fn visit_str<E>(self, expression: &str) -> Result<Self::Value, E> {
            Ok(vec![Expectation { expect: expression.to_owned(), tell: None }])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(SeqAccessDeserializer::new(items))
        }
    }

    deserializer.deserialize_any(Expectations)
}

impl Verdict {
    /// Returns whether the step is done.
    pub fn is_fulfilled(&self) -> bool {
        *self == Self::Fulfilled
    }
}
