//! The texts about policies that are tried before they are stored.

use protocol::trace::Mismatch;

use crate::cluster::status;
use crate::model::policy::outcome::Verdict;
use crate::model::policy::steps::Mark;
use crate::model::policy::{MADE_UP, STORED, WRITTEN};

pub(crate) const TRY: &str = "Try it on a request";
pub(crate) const TRY_ABOUT: &str =
    "Ask this policy about a request, in a copy of the cluster that is thrown away";
pub(crate) const TRIAL: &str = "Policy on trial";
pub(crate) const AGAINST: &str = " met the cluster at ";
pub(crate) const WAIT: &str = "The policy is being tried.";
pub(crate) const WITH: &str = "What it is tried with";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const BY_HAND: &str = "one that it is for";
pub(crate) const EDIT: &str = "Edit the request";
pub(crate) const BODY: &str = "Its first line, and its body in JSON or YAML";
pub(crate) const BINDING: &str = "Binding";
pub(crate) const BINDING_BODY: &str = "The binding, in JSON or YAML";
pub(crate) const PARAMS: &str = "Parameters";
pub(crate) const NO_PARAMS: &str = "none";
pub(crate) const STEPS: &str = "What each expression gave";
/// The columns of that table.
pub(crate) const COLUMNS: [&str; 4] = ["Result", "Where", "Expression", "Told"];
pub(crate) const NOT_BOUND: &str =
    "The binding names parameters that are not there, and allows that: the policy is not asked.";
pub(crate) const UNUSABLE: &str = "It cannot be used:";
pub(crate) const DIFFERENCE: &str = "What it changes";

/// The choices of bindings.
pub(crate) const BOUND: [(&str, &str); 3] =
    [(MADE_UP, "made up: it binds everything"), (STORED, "as stored"), (WRITTEN, "written by hand")];

/// Describes the verdict: a sign, a name, and a sentence.
pub(crate) fn verdict(verdict: Verdict, code: u16) -> (&'static str, &'static str, String) {
    let (sign, name, before, after) = match verdict {
        Verdict::Refused => ("✕", "refused", "The policy itself is refused: ", "."),
        Verdict::Unbound => ("✕", "unbound", "The binding is refused", "."),
        Verdict::Nothing => {
            ("?", "nothing", "Its constraints name nothing that this cluster serves. Choose a request", ".")
        }
        Verdict::Failed => ("!", "failed", "The request fails without the policy, too: ", "."),
        Verdict::Unasked => ("–", "unasked", "No policy is asked about such requests. Answered ", "."),
        Verdict::Unmatched => {
            ("–", "unmatched", "The policy is not for this request. Answered ", " without it.")
        }
        Verdict::Denied => ("✕", "denied", "The policy denies this request: ", "."),
        Verdict::Noted => {
            ("!", "noted", "The request passes all the same, with ", ": the policy finds fault.")
        }
        Verdict::Changed => ("~", "changed", "The policy changes what is stored. Answered ", "."),
        Verdict::Passed => ("✓", "passed", "The policy lets this request pass: ", "."),
    };
    let told = match verdict {
        Verdict::Unbound | Verdict::Nothing => String::new(),
        _ => answered(code),
    };
    (sign, name, [before, &told, after].concat())
}

/// A status code in numbers and words.
fn answered(code: u16) -> String {
    [&code.to_string(), " ", status::words(code)].concat()
}

/// A result: a sign, and a word.
pub(crate) fn mark(mark: Mark, mutates: bool) -> (&'static str, &'static str) {
    match mark {
        Mark::Good if mutates => ("✓", "done"),
        Mark::Good => ("✓", "true"),
        Mark::Bad => ("✕", "false"),
        Mark::Error => ("!", "error"),
        Mark::Value => ("=", "value"),
    }
}

/// By which binding, and with which parameters, a policy was asked, about which object if there are several.
pub(crate) fn by(binding: &str, params: &str, object: Option<&str>) -> String {
    let mut text = match binding {
        "" => "The policy".to_owned(),
        binding => ["By the binding ", binding].concat(),
    };
    if !params.is_empty() {
        text.push_str(&[", with ", params].concat());
    }
    object.into_iter().for_each(|object| text.push_str(&[", about ", object].concat()));
    text
}

/// Why constraints do not match.
pub(crate) fn mismatch(mismatch: &Mismatch) -> Vec<String> {
    let rest = match mismatch.field.as_str() {
        "namespaceSelector" => " does not select the namespace of the request.",
        "objectSelector" => " selects neither the object nor what it was.",
        "excludeResourceRules" => " match the request.",
        _ => {
            let told = mismatch.rules.iter().enumerate().map(|(index, (field, value))| {
                let rule = ["resourceRules[", &index.to_string(), "].", field].concat();
                [&rule, " does not name what the request has: \"", value, "\"."].concat()
            });
            return told.collect();
        }
    };
    vec![[mismatch.field.as_str(), rest].concat()]
}
