//! AdmissionReviews: what a webhook is sent, and what it says.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request>.

use bytes::Bytes;
use json_tree::{Value, json};
use patch::json_patch::Patch;
use schema::Node;

use crate::dynamic_admission::policy::{Hook, Request};
use crate::resource::Resource;
use crate::webhook_client::{Review, Reviews};
use crate::webhooks::WebhookResponse;
use apimachinery::status::{Cause, Details, Status};

/// The reviews of admission.
const REVIEWS: Reviews = Reviews { group: "admission.k8s.io", kind: "AdmissionReview" };

/// Why a webhook has no verdict.
pub(super) enum Failure {
    /// It cannot be reached, or does not say what it should: its failure policy decides.
    Calling(String),
    /// The request cannot be put to it.
    Refused(Box<Status>),
}

/// The verdict of a webhook.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    allowed: bool,
    /// The Status that goes with a refusal; null if there is none.
    result: Value,
    /// The patch and its kind; `None` if there is none.
    patch: Option<(Vec<u8>, String)>,
    pub(super) annotations: Vec<(String, String)>,
    pub(super) warnings: Vec<String>,
}

/// Writes the review for a webhook in the first version that it accepts, and returns that version, too; `None` if there is none.
pub(super) fn write(
    request: &Request<'_>,
    hook: &Hook,
    row: &Resource,
    uid: &str,
) -> Option<(&'static str, Bytes)> {
    let version = Reviews::version(&hook.spec["admissionReviewVersions"])?;
    let mut asked = request.request(row);
    let mut body = json!({ "uid": uid });
    let order =
        ["kind", "resource", "subResource", "requestKind", "requestResource", "requestSubResource", "name"];
    let order = order.into_iter().chain(["namespace", "operation", "userInfo"]);
    for key in order.filter(|key| asked.get(key).is_some()).collect::<Vec<_>>() {
        body[key] = asked[key].take();
    }
    body["object"] = request.object(row);
    body["oldObject"] = request.old_object(row);
    body["dryRun"] = asked["dryRun"].take();
    body["options"] = asked["options"].take();
    let review = json!({
        "kind": REVIEWS.kind,
        "apiVersion": REVIEWS.api_version(version),
        "request": body,
    });
    Some((version, codec::json::to_vec(&review).into()))
}

/// Reads the review that a webhook has sent back.
///
/// # Errors
/// The reason why it is none.
pub(super) fn read(
    response: &WebhookResponse,
    uid: &str,
    version: &str,
    mutating: bool,
) -> Result<Verdict, String> {
    let undecodable = |why: String| ["failed to call webhook: ", &why].concat();
    let Review { tree: review, gvk } = REVIEWS.read(response, version).map_err(undecodable)?;
    let invalid = |why: String| ["received invalid webhook response: ", &why].concat();
    let response = &review["response"];
    if response.is_null() {
        return Err(invalid("webhook response was absent".to_owned()));
    }
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    // Neither was looked at in v1beta1.
    if version == "v1" {
        let own = text(response, "uid");
        if own != uid {
            let (expected, found) = (field::quote(uid), field::quote(&own));
            return Err(invalid(format!("expected response.uid={expected}, got {found}")));
        }
        let expected = REVIEWS.gvk(version);
        if gvk != expected {
            return Err(invalid(format!("expected webhook response of {expected}, got {gvk}")));
        }
    }
    let patch = patch(response, (version, mutating)).map_err(invalid)?;
    let entries = response["auditAnnotations"].as_object().into_iter().flatten();
    let annotations = entries.map(|(key, text)| (key.clone(), text.as_str().unwrap_or_default().to_owned()));
    let warnings = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(Verdict {
        allowed: response["allowed"] == true,
        result: response["status"].clone(),
        patch,
        annotations: annotations.collect(),
        warnings: warnings.map(str::to_owned).collect(),
    })
}

/// Reads the patch of a response.
fn patch(response: &Value, (version, mutating): (&str, bool)) -> Result<Option<(Vec<u8>, String)>, String> {
    let bytes = match response["patch"].as_str() {
        None => Vec::new(),
        Some(text) => {
            golang::base64::decode(text).map_err(|at| format!("illegal base64 data at input byte {at}"))?
        }
    };
    let kind = response["patchType"].as_str();
    if version != "v1" {
        let is_there = mutating && !bytes.is_empty();
        return Ok(is_there.then(|| (bytes, "JSONPatch".to_owned())));
    }
    let problem = match (mutating, bytes.is_empty(), kind) {
        (true, false, None) => "webhook returned response.patch but not response.patchType",
        (true, true, Some(_)) => "webhook returned response.patchType but not response.patch",
        (true, _, Some("")) => "webhook returned invalid response.patchType of \"\"",
        (false, false, _) => "validating webhook may not return response.patch",
        (false, _, Some(_)) => "validating webhook may not return response.patchType",
        _ => return Ok(kind.map(|kind| (bytes, kind.to_owned()))),
    };
    Err(problem.to_owned())
}

impl Verdict {
    /// Returns the refusal by a webhook of this name, if it refuses.
    pub(super) fn refusal(&self, name: &str) -> Option<Box<Status>> {
        if self.allowed {
            return None;
        }
        let text = |key: &str| self.result[key].as_str().unwrap_or_default();
        let denied = ["admission webhook ", &field::quote(name), " denied the request"].concat();
        let message = match (text("message"), text("reason")) {
            ("", "") => [&denied, " without explanation"].concat(),
            ("", why) | (why, _) => [&denied, ": ", why].concat(),
        };
        let code = self.result["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        let code = code.filter(|code| (400..1000).contains(code)).unwrap_or(400);
        Some(Status::refused_elsewhere(code, text("reason"), message, details(&self.result["details"])))
    }

    /// Returns the operations of the patch, if there is one, with the keys of each in the order of the alphabet.
    pub(super) fn operations(&self) -> Option<Value> {
        let mut operations = serde_json::from_slice(&self.patch.as_ref()?.0).ok()?;
        if let Value::Array(operations) = &mut operations {
            operations.iter_mut().filter_map(Value::as_object_mut).for_each(json_tree::Map::sort_keys);
        }
        Some(operations)
    }

    /// Returns the patch; `None` if there is nothing in it.
    ///
    /// # Errors
    /// It is no patch.
    pub(super) fn patch(&self) -> Result<Option<Patch<'_>>, Failure> {
        let Some((bytes, kind)) = &self.patch else { return Ok(None) };
        let undecodable = |why: String| {
            Failure::Calling(["received undecodable patch in webhook response: ", &why].concat())
        };
        let tree = codec::json::parse(bytes).map_err(|error| undecodable(error.to_string()))?;
        let is_empty = matches!(&tree, Node::Null) || matches!(&tree, Node::List(items) if items.is_empty());
        let patch = Patch::new(tree).map_err(|error| undecodable(error.to_string()))?;
        match kind.as_str() {
            _ if is_empty => Ok(None),
            "JSONPatch" => Ok(Some(patch)),
            kind => Err(Failure::Calling(format!("unsupported patch type {}", field::quote(kind)))),
        }
    }
}

/// Reads the details of a refusal; `None` if there are none.
fn details(details: &Value) -> Option<Details> {
    details.as_object()?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let causes = details["causes"].as_array().into_iter().flatten().map(|cause| Cause {
        reason: text(cause, "reason"),
        message: text(cause, "message"),
        field: text(cause, "field"),
    });
    Some(Details {
        name: text(details, "name"),
        group: text(details, "group"),
        kind: text(details, "kind"),
        uid: text(details, "uid"),
        causes: causes.collect(),
        retry_after_seconds: details["retryAfterSeconds"]
            .as_u64()
            .and_then(|seconds| u32::try_from(seconds).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: the error, or what the verdict is.
    #[track_caller]
    fn check(body: &str, (version, mutating): (&str, bool), expected: &str) {
        let response = WebhookResponse {
            code: 200,
            content_type: "application/json".to_owned(),
            body: body.to_owned().into(),
        };
        let found = match read(&response, "u1", version, mutating) {
            Err(why) => why,
            Ok(verdict) => match (verdict.refusal("a.b.c"), verdict.patch()) {
                (Some(status), _) => status.to_value().to_string(),
                (None, Ok(patch)) => {
                    format!("allowed, {}", if patch.is_some() { "changed" } else { "as it is" })
                }
                (None, Err(Failure::Calling(why))) => why,
                (None, Err(Failure::Refused(status))) => status.message,
            },
        };
        assert_eq!(found, expected, "{body}");
    }

    fn v1(response: &str) -> String {
        let head = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u1""#;
        format!("{head}{}{response}}}}}", if response.is_empty() { "" } else { "," })
    }

    #[test]
    fn verdicts() {
        let (mutating, validating) = (("v1", true), ("v1", false));
        check(&v1(r#""allowed":true"#), validating, "allowed, as it is");
        // "[{...}]", "[]", "{}" and "[1]" in Base64.
        let with = |patch: &str, more: &str| v1(&format!(r#""allowed":true,"patch":"{patch}"{more}"#));
        let kind = r#","patchType":"JSONPatch""#;
        check(&with("W3sib3AiOiJhZGQifV0=", kind), mutating, "allowed, changed");
        check(&with("W10=", kind), mutating, "allowed, as it is");
        check(&with("W10=", r#","patchType":"Other""#), mutating, "allowed, as it is");
        check(
            &with("W3sib3AiOiJhZGQifV0=", r#","patchType":"Other""#),
            mutating,
            "unsupported patch type \"Other\"",
        );
        let invalid = "received invalid webhook response: ";
        for (body, how, why) in [
            (with("W10=", ""), mutating, "webhook returned response.patch but not response.patchType"),
            (
                v1(r#""patchType":"JSONPatch""#),
                mutating,
                "webhook returned response.patchType but not response.patch",
            ),
            (with("W10=", kind), validating, "validating webhook may not return response.patch"),
            (
                v1(r#""patchType":"JSONPatch""#),
                validating,
                "validating webhook may not return response.patchType",
            ),
            (r#"{"response":null}"#.to_owned(), mutating, "webhook response was absent"),
            (r#"{"response":{"uid":"u2"}}"#.to_owned(), mutating, "expected response.uid=\"u1\", got \"u2\""),
            (
                r#"{"response":{"uid":"u1"}}"#.to_owned(),
                mutating,
                "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
            ),
        ] {
            check(&body, how, &[invalid, why].concat());
        }
        // Little is checked of a review in v1beta1.
        check(
            r#"{"response":{"allowed":true,"patch":"W3sib3AiOiJhZGQifV0="}}"#,
            ("v1beta1", true),
            "allowed, changed",
        );
        check(r#"{"response":{"allowed":true,"patch":"W10="}}"#, ("v1beta1", false), "allowed, as it is");
        let failed =
            |body: &str, why: &str| check(body, mutating, &["failed to call webhook: ", why].concat());
        failed("", "0-length response with status code: 200 and content type: application/json");
        failed(
            r#"{"kind":"Foo","apiVersion":"admission.k8s.io/v1"}"#,
            r#"no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71""#,
        );
        failed(
            "hello",
            r#"couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#,
        );
    }

    #[test]
    fn refusals() {
        let check = |response: &str, expected: &str| {
            let head = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"admission webhook \"a.b.c\" denied the request"#;
            check(&v1(response), ("v1", false), &[head, expected].concat());
        };
        check("", r#" without explanation","code":400}"#);
        check(r#""status":{"message":"no","code":200,"status":"Success"}"#, r#": no","code":400}"#);
        check(
            r#""status":{"reason":"Forbidden","code":403}"#,
            r#": Forbidden","reason":"Forbidden","code":403}"#,
        );
        check(
            r#""status":{"message":"no","reason":"Mine","code":418,"details":{"name":"n","causes":[{"field":"f"}]}}"#,
            r#": no","reason":"Mine","details":{"name":"n","causes":[{"field":"f"}]},"code":418}"#,
        );
    }
}
