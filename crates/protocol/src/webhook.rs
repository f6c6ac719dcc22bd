//! Calls of webhooks, which an engine has its client make.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A call of a webhook: a POST of a review in JSON, which is the payload of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookCall {
    /// The URL.
    pub url: String,
    /// The source of a function that stands in for the webhook, as the annotation `kubeglass.dev/function` of its configuration has it.
    pub function: Option<String>,
    /// The longest time that it may take. Who calls it has it fail then, by `context deadline exceeded`; a second later the engine
    /// takes no outcome any more.
    pub timeout: Duration,
}

/// The outcome of a call of a webhook. The body of a response is the payload of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WebhookOutcome {
    /// A response.
    Response {
        /// The status code.
        status: u16,
        /// The media type; may be empty.
        content_type: String,
    },
    /// Nothing listens there.
    Unreachable,
    /// It could not be made, or broke; the text says why, without its end.
    Failed(String),
}

/// The result of a function that stands in for a webhook, as `static/webhooks.js` has it in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FunctionResult {
    /// The status code of the response.
    pub status: u16,
    /// The media type of the response; may be empty.
    #[serde(rename = "type")]
    pub content_type: String,
    /// The body of the response.
    pub body: String,
    /// The lines that the function has logged.
    pub lines: Vec<String>,
    /// The reason why there is no response, if there is none.
    pub failed: Option<String>,
}

impl FunctionResult {
    /// Reads it. What cannot be read is a failure.
    pub fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_else(|error| Self::failure(error.to_string()))
    }

    /// Returns that of a function that gives no response, for a reason.
    pub fn failure(why: String) -> Self {
        Self { failed: Some(why), ..Self::default() }
    }

    /// Returns the outcome of the call, and the body of the response, of the function that stands in for a webhook, if one does.
    pub fn outcome(result: Option<&Self>) -> (WebhookOutcome, Bytes) {
        let Some(result) = result else { return (WebhookOutcome::Unreachable, Bytes::new()) };
        match &result.failed {
            Some(why) => (WebhookOutcome::Failed(why.clone()), Bytes::new()),
            None => {
                let (status, content_type) = (result.status, result.content_type.clone());
                let body = Bytes::copy_from_slice(result.body.as_bytes());
                (WebhookOutcome::Response { status, content_type }, body)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: Option<&FunctionResult>, expected: Result<(u16, &str, &str), &str>) {
        let (outcome, body) = FunctionResult::outcome(result);
        let outcome = match &outcome {
            WebhookOutcome::Response { status, content_type } => {
                Ok((*status, content_type.as_str(), std::str::from_utf8(&body).unwrap()))
            }
            WebhookOutcome::Failed(why) => Err(why.as_str()),
            WebhookOutcome::Unreachable => Err("unreachable"),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn the_outcome_of_a_function() {
        let read = |json: &str, expected| check(Some(&FunctionResult::read(json)), expected);
        read(r#"{"status":200,"type":"text/plain","body":"x","lines":["a"]}"#, Ok((200, "text/plain", "x")));
        read(r#"{"failed":"EOF"}"#, Err("EOF"));
        read("garbage", Err("expected value at line 1 column 1"));
        check(None, Err("unreachable"));
    }
}
