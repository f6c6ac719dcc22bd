//! Calls of webhooks, and how they fail.

use std::sync::Arc;
use std::time::Duration;

use super::review::{self, Failure, Verdict};
use super::{Webhooks, function};
use crate::dynamic_admission::policy::{Hook, Request};
use crate::resource::Resource;
use crate::webhook_client::{Client, post};
use apimachinery::status::Status;

/// The time that a webhook has where its configuration says nothing.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Webhooks {
    /// Calls a webhook whose rules have matched `row`.
    pub(super) async fn call(
        &self,
        request: &Request<'_>,
        hook: &Hook,
        row: &Arc<Resource>,
        mutating: bool,
    ) -> Result<Verdict, Failure> {
        let effects = hook.spec["sideEffects"].as_str().unwrap_or_default();
        if request.attributes.dry_run && !["None", "NoneOnDryRun"].contains(&effects) {
            let name = field::quote(&hook.name);
            let why = format!("admission webhook {name} does not support dry run");
            return Err(Failure::Refused(Status::bad_request(why)));
        }
        let shared = request.context.shared;
        let uid = shared.uid();
        let Some((version, body)) = review::write(request, hook, row, &uid) else {
            let why = "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";
            return Err(Failure::Calling(why.to_owned()));
        };
        let seconds = hook.spec["timeoutSeconds"].as_u64();
        let timeout = seconds.map_or(TIMEOUT, Duration::from_secs);
        let failed = |why: String| Failure::Calling(["failed to call webhook: ", &why].concat());
        let client = Client { config: &hook.spec["clientConfig"], function: function(hook) };
        let response = post(shared, &*self.caller, client, timeout, body).await;
        let response = response.map_err(failed)?;
        review::read(&response, &uid, version, mutating).map_err(Failure::Calling)
    }
}
