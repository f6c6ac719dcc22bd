//! The verdict of a webhook, from its response to a review.

use protocol::webhook::FunctionResult;
use serde_json::Value;

/// The verdict of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It lets the request pass.
    Allowed,
    /// It lets the request pass, and changes its object.
    Changed,
    /// It refuses the request; the text says why, if it is not empty.
    Denied(String),
    /// It has converted so many objects.
    Converted(usize),
    /// It could not be called, or its response is none; the text says why.
    Failed(String),
    /// Nothing stands in for it.
    Unreachable,
}

impl Verdict {
    /// Reads it. What the API server makes of it is in the response to the request.
    pub(crate) fn of(result: Option<&FunctionResult>) -> Self {
        let Some(result) = result else { return Self::Unreachable };
        if let Some(why) = &result.failed {
            return Self::Failed(why.clone());
        }
        let review: Value = match serde_json::from_str(&result.body) {
            Ok(review) if (200..300).contains(&result.status) => review,
            _ => return Self::Failed(format!("{} {}", result.status, result.body)),
        };
        let response = &review["response"];
        let why = |of: &Value| of["message"].as_str().unwrap_or_default().to_owned();
        match (response["allowed"].as_bool(), response["convertedObjects"].as_array()) {
            (Some(false), _) => Self::Denied(why(&response["status"])),
            (Some(true), _) if response["patch"].is_string() => Self::Changed,
            (Some(true), _) => Self::Allowed,
            (None, _) if response["result"]["status"] == "Failure" => Self::Failed(why(&response["result"])),
            (None, Some(objects)) => Self::Converted(objects.len()),
            (None, None) => Self::Failed(result.body.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, expected: &Verdict) {
        let result = FunctionResult { status, body: body.to_owned(), ..FunctionResult::default() };
        assert_eq!(Verdict::of(Some(&result)), *expected, "{body}");
    }

    #[test]
    fn verdicts() {
        let failed = |why: &str| Verdict::Failed(why.to_owned());
        check(200, r#"{"response":{"allowed":true}}"#, &Verdict::Allowed);
        check(200, r#"{"response":{"allowed":true,"patch":"W10="}}"#, &Verdict::Changed);
        check(200, r#"{"response":{"allowed":false}}"#, &Verdict::Denied(String::new()));
        let denied = r#"{"response":{"allowed":false,"status":{"message":"no"}}}"#;
        check(200, denied, &Verdict::Denied("no".to_owned()));
        check(200, r#"{"response":{"convertedObjects":[{},{}]}}"#, &Verdict::Converted(2));
        let failure = r#"{"response":{"result":{"status":"Failure","message":"no"}}}"#;
        check(200, failure, &failed("no"));
        check(200, "{}", &failed("{}"));
        check(200, "oops", &failed("200 oops"));
        check(500, "Error: oops", &failed("500 Error: oops"));
        assert_eq!(Verdict::of(None), Verdict::Unreachable);
        let broken = FunctionResult { failed: Some("EOF".to_owned()), ..FunctionResult::default() };
        assert_eq!(Verdict::of(Some(&broken)), failed("EOF"));
    }
}
