//! `eviction` of a pod: its deletion, if the PodDisruptionBudgets allow that.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/>

mod budget;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use json_tree::{Value, json};

use super::Question;
use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::document::Document;
use apimachinery::object::{Object, metadata_text};
use apimachinery::query::Query;
use apimachinery::status::Status;
use kinds::core::pod::strategy::{Condition, set_condition};

/// Evicts the pod.
pub(super) async fn evict(context: &RequestContext<'_>) -> Outcome {
    let Question { object, options: _, mut warnings } = context.question().await?;
    match attempt(context, object, &mut warnings).await {
        Ok(()) => {
            let done = Document::untyped(&Status::done(201));
            Ok(Answer::document(201, done, context.output)?.warn(warnings))
        }
        Err(status) => Err(status.warned(warnings)),
    }
}

async fn attempt(
    context: &RequestContext<'_>,
    mut eviction: Object,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    let name = context.target.name.as_str();
    if metadata_text(&eviction, "name") != name {
        return Err(Status::bad_request("name in URL does not match name in Eviction object"));
    }
    let nothing = Object::new();
    let sent = eviction.get("deleteOptions").and_then(Value::as_object).unwrap_or(&nothing);
    let dry_run = is_dry_run(context.query, sent)?;
    context.review_question(&eviction, dry_run, warnings).await?;
    let mut options = match eviction.shift_remove("deleteOptions") {
        Some(Value::Object(options)) => options,
        _ => Object::new(),
    };
    let target = context.pod(name)?;
    let pods = RequestContext { target: &target, ..*context };
    let pod = pods.read_parent()?.tree();
    let guarded = !counts_no_more(&pod);
    // What the budget loses is lost, even if the pod cannot be deleted then.
    if guarded {
        budget::spend(&pods, &pod, dry_run)?;
    }
    // Whether the deletion would succeed, before the pod says why it goes.
    let mut trial = options.clone();
    trial.insert("dryRun".to_owned(), json!(["All"]));
    delete(&pods, &trial).await?;
    if dry_run {
        return Ok(());
    }
    announce(&pods)?;
    if let Some(Value::Object(preconditions)) = options.get_mut("preconditions") {
        preconditions.shift_remove("resourceVersion");
    }
    delete(&pods, &options).await
}

/// Reports whether it is a dry run: the query and the options in the body may both say so, in the same words.
fn is_dry_run(query: &Query, options: &Object) -> Result<bool, Box<Status>> {
    let asked: Vec<&str> = query.all("dryRun").collect();
    let sent = options.get("dryRun").and_then(Value::as_array).into_iter().flatten();
    let sent: Vec<&str> = sent.map(|value| value.as_str().unwrap_or_default()).collect();
    if !asked.is_empty() && !sent.is_empty() && asked != sent {
        return Err(Status::unclassified(format!(
            "Non-matching dry-run options in request and content: [{}] and [{}]",
            asked.join(" "),
            sent.join(" ")
        )));
    }
    Ok(!asked.is_empty() || !sent.is_empty())
}

/// Reports whether no budget counts on the pod: it has ended, is about to, or has not begun.
fn counts_no_more(pod: &Object) -> bool {
    let phase = pod.get("status").and_then(|status| status.get("phase")).and_then(Value::as_str);
    matches!(phase, Some("Succeeded" | "Failed" | "Pending"))
        || !metadata_text(pod, "deletionTimestamp").is_empty()
}

/// Deletes the pod, as a DELETE with these options does.
async fn delete(pods: &RequestContext<'_>, options: &Object) -> Result<(), Box<Status>> {
    let body = Bytes::from(codec::json::to_vec(&Value::Object(options.clone())));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    RequestContext { body: &body, headers: &headers, ..*pods }.delete().await.map(|_| ())
}

/// Lets the pod's status say why it goes.
///
/// <https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions>
fn announce(pods: &RequestContext<'_>) -> Result<(), Box<Status>> {
    let target = Condition {
        ty: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
    };
    pods.change(|current| {
        let mut pod = current.tree();
        set_condition(&mut pod, &target, pods.shared.config.clock.now());
        Ok(Some(pod))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, options: &Value, expected: Result<bool, &str>) {
        let options = options.as_object().expect("an object");
        let dry_run = is_dry_run(&Query::parse(query), options).map_err(|status| status.message);
        assert_eq!(dry_run, expected.map_err(str::to_owned));
    }

    #[test]
    fn a_dry_run_can_be_asked_for_twice() {
        check("", &json!({}), Ok(false));
        check("dryRun=All", &json!({}), Ok(true));
        check("", &json!({"dryRun": ["All"]}), Ok(true));
        check("dryRun=All", &json!({"dryRun": ["All"]}), Ok(true));
        check(
            "dryRun=All",
            &json!({"dryRun": ["All", "All"]}),
            Err("Non-matching dry-run options in request and content: [All] and [All All]"),
        );
    }

    #[test]
    fn pods_that_no_budget_counts_on() {
        let check = |pod: Value, expected: bool| {
            assert_eq!(counts_no_more(pod.as_object().expect("an object")), expected, "{pod}");
        };
        check(json!({"status": {"phase": "Running"}}), false);
        check(json!({"status": {"phase": "Pending"}}), true);
        check(json!({"metadata": {"deletionTimestamp": "t"}, "status": {"phase": "Running"}}), true);
    }
}
