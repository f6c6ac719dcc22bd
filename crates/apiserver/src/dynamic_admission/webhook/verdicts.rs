//! The calls of the webhooks that a request concerns, and what comes of their verdicts.

use std::sync::Arc;

use futures::future::join_all;
use json_tree::Value;

use super::review::{Failure, Verdict};
use super::{Reinvocation, Webhooks, audit, configuration};
use crate::context::RequestContext;
use crate::dynamic_admission::policy::{Attributes, Form, Hook, Request, changed_by};
use crate::measure::{Part, WebhookOutcome};
use crate::resource::Resource;
use apimachinery::object::Object;
use apimachinery::status::Status;

impl Webhooks {
    /// Calls the webhooks one after the other, each with the object as the one before has left it; the second time only those that are
    /// due. Returns whether the object has changed.
    pub(super) async fn mutate(
        &self,
        context: &RequestContext<'_>,
        object: &mut Object,
        (attributes, sent): (&Attributes<'_>, Form),
        (reinvocation, again): (&mut Reinvocation, bool),
        warnings: &mut Vec<String>,
    ) -> Result<bool, Box<Status>> {
        if again && reinvocation.last.as_ref() != Some(object) {
            reinvocation.changed();
        }
        let mut has_changed = false;
        for (index, hook) in self.snapshot.hooks.iter().enumerate() {
            if again && !reinvocation.due.contains(&index) {
                continue;
            }
            context.give_way().await?;
            let now = object.clone();
            let next = Attributes { object: Some(sent(&now)), ..*attributes };
            let request = Request::new(context, &self.snapshot, &next);
            let Some(row) = matched(&request, hook)? else { continue };
            // As kube-apiserver, which wraps the error twice here.
            let unconvertible =
                |why: String| Status::internal_error(["Internal error occurred: ", &why].concat());
            request.convert(&row).await.map_err(unconvertible)?;
            let call = audit::Call { audit: context.notes.audit(), hook, round: usize::from(again), index };
            let changed = self.changed(&request, &row, &call, warnings).await;
            call.note(matches!(&changed, Ok(Some(next)) if *next != now));
            if let Some(next) = changed? {
                *object = next;
            }
            if *object != now {
                has_changed = true;
                reinvocation.changed();
                context.note(&hook.name, configuration(hook), "Mutate", "");
            }
            if hook.spec["reinvocationPolicy"] == "IfNeeded" {
                reinvocation.called.insert(index);
            }
        }
        reinvocation.last = Some(object.clone());
        Ok(has_changed)
    }

    /// Returns the object as a webhook wants it to be, if it has a patch.
    async fn changed(
        &self,
        request: &Request<'_>,
        row: &Arc<Resource>,
        call: &audit::Call<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Object>, Box<Status>> {
        let (context, hook) = (request.context, call.hook);
        let verdict = self.ask(request, hook, row, true).await?;
        let Some(verdict) = verdict else {
            call.note_failed_open();
            return Ok(None);
        };
        heed(context, hook, &verdict, warnings)?;
        let patch = match verdict.patch() {
            Ok(None) => return Ok(None),
            Ok(Some(patch)) => patch,
            Err(failure) => {
                failure.of::<()>(hook)?;
                call.note_failed_open();
                return Ok(None);
            }
        };
        let changed = changed_by(request, row, patch).map_err(Status::internal_error)?;
        let changed = context.in_own_version(changed).await.map_err(Status::internal_error)?;
        call.note_patch(&verdict);
        Ok(Some(changed))
    }

    /// Calls the webhooks that change objects with a request that has none to change.
    pub(super) async fn show(
        &self,
        context: &RequestContext<'_>,
        attributes: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        let request = Request::new(context, &self.snapshot, attributes);
        for (index, hook) in self.snapshot.hooks.iter().enumerate() {
            context.give_way().await?;
            let Some(row) = matched(&request, hook)? else { continue };
            request.convert(&row).await.map_err(Status::internal_error)?;
            let call = audit::Call { audit: context.notes.audit(), hook, round: 0, index };
            let asked = self.ask(&request, hook, &row, true).await;
            call.note(false);
            let Some(verdict) = asked? else {
                call.note_failed_open();
                continue;
            };
            heed(context, hook, &verdict, warnings)?;
            let patch = verdict.patch().or_else(|failure| failure.of(hook))?;
            if patch.is_some() && attributes.object.is_none() {
                return Err(Status::internal_error(format!(
                    "admission webhook {} attempted to modify the object, which is not supported for this operation",
                    field::quote(&hook.name)
                )));
            }
        }
        Ok(())
    }

    /// Calls all webhooks that the request concerns at once.
    ///
    /// # Errors
    /// The refusal by the first of them that refuses, in the order of the configurations.
    pub(super) async fn validate(
        &self,
        context: &RequestContext<'_>,
        attributes: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        let request = Request::new(context, &self.snapshot, attributes);
        let mut concerned = Vec::new();
        for hook in &self.snapshot.hooks {
            context.give_way().await?;
            if let Some(row) = matched(&request, hook)? {
                request.convert(&row).await.map_err(Status::internal_error)?;
                concerned.push((hook, row));
            }
        }
        let calls = concerned.iter().map(|(hook, row)| self.ask(&request, hook, row, false));
        let mut outcome = Ok(());
        for (index, ((hook, _), verdict)) in concerned.iter().zip(join_all(calls).await).enumerate() {
            let heeded = verdict.and_then(|verdict| match verdict {
                Some(verdict) => heed(context, hook, &verdict, warnings),
                None => {
                    audit::note_failed_open(context.notes.audit(), "validating", hook, (0, index));
                    Ok(())
                }
            });
            outcome = outcome.and(heeded);
        }
        outcome
    }

    /// Asks a webhook; `None` if it cannot be called, and that is to be ignored.
    async fn ask(
        &self,
        request: &Request<'_>,
        hook: &Hook,
        row: &Arc<Resource>,
        mutating: bool,
    ) -> Result<Option<Verdict>, Box<Status>> {
        let begin = request.context.measured();
        let asked = self.call(request, hook, row, mutating).await;
        let outcome = match &asked {
            Ok(verdict) => verdict
                .refusal(&hook.name)
                .map_or(WebhookOutcome::Allowed, |refusal| WebhookOutcome::Denied(refusal.code)),
            Err(Failure::Calling(_)) => WebhookOutcome::Failed,
            Err(Failure::Refused(_)) => WebhookOutcome::Unasked,
        };
        let answer = asked.map(Some).or_else(|failure| failure.of(hook));
        let rejected = answer.is_err() || matches!(outcome, WebhookOutcome::Denied(_));
        let part = Part::Webhook { name: hook.name.clone(), mutating, outcome };
        request.context.measure(begin, part, request.attributes.operation, rejected);
        request.context.check_time()?;
        answer
    }
}

/// Does what a verdict says, but for its patch.
///
/// # Errors
/// The refusal by the webhook.
fn heed(
    context: &RequestContext<'_>,
    hook: &Hook,
    verdict: &Verdict,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    for (key, text) in &verdict.annotations {
        audit::annotate(context.notes.audit(), hook, key, text);
        let message = [&hook.name, "/", key, ": ", text].concat();
        context.note(&hook.name, configuration(hook), "Audit", &message);
    }
    warnings.extend(verdict.warnings.iter().cloned());
    let Some(refusal) = verdict.refusal(&hook.name) else { return Ok(()) };
    context.note(&hook.name, configuration(hook), "Deny", &refusal.message);
    Err(refusal)
}

impl Failure {
    /// Returns what comes of the failure to ask a webhook: nothing, if its policy is to ignore that.
    ///
    /// # Errors
    /// The refusal of the request.
    fn of<T>(self, hook: &Hook) -> Result<Option<T>, Box<Status>> {
        match self {
            Self::Calling(_) if hook.spec["failurePolicy"] == "Ignore" => Ok(None),
            Self::Calling(why) => {
                let name = field::quote(&hook.name);
                Err(Status::internal_error(format!("failed calling webhook {name}: {why}")))
            }
            Self::Refused(status) => Err(status),
        }
    }
}

/// Returns the form of the resource by which a webhook's rules have matched a request, if it is for this request.
///
/// # Errors
/// It could not be found out.
fn matched(request: &Request<'_>, hook: &Hook) -> Result<Option<Arc<Resource>>, Box<Status>> {
    let Some(row) = request.matches(&hook.spec).map_err(Status::internal_error)? else { return Ok(None) };
    if hook.spec["matchConditions"].as_array().is_none_or(Vec::is_empty) {
        return Ok(Some(row));
    }
    let answer = request.ask(request.question(&hook.spec, &row, &Value::Null)?);
    if answer["unmatched"] == true {
        return Ok(None);
    }
    match answer["error"].as_str() {
        None => Ok(Some(row)),
        Some(why) => {
            let name = request.attributes.object_name();
            Err(Status::forbidden(request.context.subject(&name), why))
        }
    }
}
