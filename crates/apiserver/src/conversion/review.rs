//! ConversionReviews: what a webhook is sent, and what it says.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response>.

use bytes::Bytes;
use json_tree::{Value, json};

use crate::webhook_client::{Review, Reviews};
use crate::webhooks::WebhookResponse;
use apimachinery::object::Object;

/// The reviews of conversions.
const REVIEWS: Reviews = Reviews { group: "apiextensions.k8s.io", kind: "ConversionReview" };

/// Writes the review that asks for an object in another version, in the first version that a webhook accepts, and returns that version,
/// too.
///
/// # Errors
/// It accepts none that is known.
pub(super) fn write(
    webhook: &Value,
    object: &Object,
    to: &str,
    uid: &str,
) -> Result<(&'static str, Bytes), String> {
    let version = Reviews::version(&webhook["conversionReviewVersions"]);
    let version = version.ok_or("no supported conversion review versions")?;
    let review = json!({
        "kind": REVIEWS.kind,
        "apiVersion": REVIEWS.api_version(version),
        "request": { "uid": uid, "desiredAPIVersion": to, "objects": [object.clone()] },
        "response": { "uid": "", "convertedObjects": null, "result": { "metadata": {} } },
    });
    Ok((version, codec::json::to_vec(&review).into()))
}

/// Reads the converted objects out of the review that a webhook has sent back.
///
/// # Errors
/// The reason why there are none: it is no such review, or what it says of the failure.
pub(super) fn read(response: &WebhookResponse, uid: &str, version: &str) -> Result<Vec<Value>, String> {
    let Review { tree, gvk } = REVIEWS.read(response, version)?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    // Neither type nor uid was looked at in v1beta1.
    let expected = REVIEWS.gvk(version);
    if version == "v1" && gvk != expected {
        return Err(format!("expected webhook response of {expected}, got {gvk}"));
    }
    check_types(&tree["response"], version)?;
    let response = &tree["response"];
    if response.is_null() {
        return Err("no response provided".to_owned());
    }
    let own = text(response, "uid");
    if version == "v1" && own != uid {
        let (expected, found) = (field::quote(uid), field::quote(&own));
        return Err(format!("expected response.uid={expected}, got {found}"));
    }
    let result = &response["result"];
    match (text(result, "status"), text(result, "message")) {
        (status, _) if status == "Success" => {
            Ok(response["convertedObjects"].as_array().cloned().unwrap_or_default())
        }
        (status, message) if message.is_empty() => {
            Err(format!("response.result.status was '{status}', not 'Success'"))
        }
        (_, message) => Err(message),
    }
}

/// Checks the types of what is read of a response.
///
/// # Errors
/// The first that is wrong, in the words of Go's decoder.
fn check_types(response: &Value, version: &str) -> Result<(), String> {
    let fields = [
        (
            response,
            response.is_object(),
            "ConversionReview.response",
            [version, ".ConversionResponse"].concat(),
        ),
        (
            &response["convertedObjects"],
            response["convertedObjects"].is_array(),
            "ConversionResponse.response.convertedObjects",
            "[]runtime.RawExtension".to_owned(),
        ),
        (
            &response["result"],
            response["result"].is_object(),
            "ConversionResponse.response.result",
            "v1.Status".to_owned(),
        ),
    ];
    match fields.into_iter().find(|(value, fits, ..)| !fits && !value.is_null()) {
        Some((value, _, field, of)) => {
            let found = kind_of(value);
            Err(format!("json: cannot unmarshal {found} into Go struct field {field} of type {of}"))
        }
        None => Ok(()),
    }
}

/// Returns the word of Go's decoder for a sort of values.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, version: &str, expected: Result<&str, &str>) {
        let response = WebhookResponse {
            code: 200,
            content_type: "application/json".to_owned(),
            body: body.to_owned().into(),
        };
        let found = read(&response, "u1", version).map(|objects| Value::Array(objects).to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{body}");
    }

    fn v1(response: &str) -> String {
        let head = r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":"#;
        [head, response, "}"].concat()
    }

    #[test]
    fn responses() {
        let ok = r#"{"uid":"u1","result":{"status":"Success"},"convertedObjects":[{"kind":"A"}]}"#;
        check(&v1(ok), "v1", Ok(r#"[{"kind":"A"}]"#));
        check(&v1(r#"{"uid":"u1","result":{"status":"Success"}}"#), "v1", Ok("[]"));
        check(&v1("null"), "v1", Err("no response provided"));
        check(&v1(r#"{"uid":"u2"}"#), "v1", Err(r#"expected response.uid="u1", got "u2""#));
        check(&v1(r#"{"uid":"u1"}"#), "v1", Err("response.result.status was '', not 'Success'"));
        check(&v1(r#"{"uid":"u1","result":{"status":"Failure","message":"no way"}}"#), "v1", Err("no way"));
        // An older webhook need not say whom it answers, nor in which version.
        check(r#"{"response":{"result":{"status":"Success"}}}"#, "v1beta1", Ok("[]"));
        check(
            r#"{"response":{"result":{"status":"no"}}}"#,
            "v1beta1",
            Err("response.result.status was 'no', not 'Success'"),
        );
        check(
            r#"{"response":{}}"#,
            "v1",
            Err("expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="),
        );
        check(
            &v1(r#"{"uid":"u1","convertedObjects":"x"}"#),
            "v1",
            Err(
                "json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension",
            ),
        );
        check(
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1"}"#,
            "v1",
            Err("converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"),
        );
        check("", "v1", Err("0-length response with status code: 200 and content type: application/json"));
    }

    #[test]
    fn versions() {
        let check = |accepted: Value, expected: Result<&str, &str>| {
            let webhook = json!({ "conversionReviewVersions": accepted });
            let found = write(&webhook, &Object::new(), "a/v2", "u1").map(|(version, _)| version);
            assert_eq!(found, expected.map_err(str::to_owned));
        };
        check(json!(["v2", "v1beta1", "v1"]), Ok("v1beta1"));
        check(json!(["v1"]), Ok("v1"));
        check(json!(["v2"]), Err("no supported conversion review versions"));
    }
}
