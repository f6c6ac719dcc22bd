//! The texts on webhooks.

use crate::model::webhook::Verdict;

pub(crate) const TITLE: &str = "Webhooks that were called";
pub(crate) const SENT: &str = "The review that was sent";
pub(crate) const RECEIVED: &str = "The response of the webhook";
pub(crate) const LOGGED: &str = "What the function has logged";

/// The response with its status code.
pub(crate) fn received(status: u16) -> String {
    format!("The response of the webhook: {status}")
}

/// The calls that are not shown.
pub(crate) fn more(count: usize) -> String {
    format!("{count} more calls are not shown.")
}

/// A verdict: its kind, a word for it, and the reason.
pub(crate) fn verdict(verdict: &Verdict) -> (&'static str, String, String) {
    let none = String::new;
    match verdict {
        Verdict::Allowed => ("allowed", "Webhook: allowed".to_owned(), none()),
        Verdict::Changed => ("changed", "Webhook: allowed, and changed the object".to_owned(), none()),
        Verdict::Denied(why) => ("denied", "Webhook: denied".to_owned(), why.clone()),
        Verdict::Converted(count) => ("converted", format!("Webhook: converted {count}"), none()),
        Verdict::Failed(why) => ("failed", "Webhook: failed".to_owned(), why.clone()),
        Verdict::Unreachable => {
            let why = "No function stands in for it: see the annotation kubeglass.dev/function.";
            ("failed", "Webhook: nothing listens there".to_owned(), why.to_owned())
        }
    }
}
