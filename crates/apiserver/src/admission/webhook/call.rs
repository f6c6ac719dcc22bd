//! Calls of webhooks: where to, and how they fail.

use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;
use schema::Resource;

use super::Webhooks;
use super::review::{self, Failure, Verdict};
use crate::admission::policy::{Hook, Request};
use crate::context::Shared;
use crate::services;
use crate::status::Status;
use crate::webhooks::{WebhookCall, WebhookService};

/// The time that a webhook has where its configuration says nothing.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The port of a service where its reference says nothing.
const PORT: u64 = 443;

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
        let (url, service) = target(shared, &hook.spec["clientConfig"]);
        let call = WebhookCall {
            url: format!("{url}?timeout={}s", timeout.as_secs()),
            service,
            ca_bundle: ca_bundle(&hook.spec["clientConfig"]),
            body,
            timeout,
        };
        let failed = |why: String| Failure::Calling(["failed to call webhook: ", &why].concat());
        let response = self.caller.call(call).await.map_err(failed)?;
        if !(200..300).contains(&response.code) {
            return Err(failed(review::server_error(response.code, &response.body)));
        }
        review::read(&response, &uid, version, mutating).map_err(Failure::Calling)
    }
}

/// Returns the certificates of a client configuration: the text behind its Base64.
fn ca_bundle(config: &Value) -> Vec<u8> {
    config["caBundle"].as_str().and_then(|text| golang::base64::decode(text).ok()).unwrap_or_default()
}

/// Returns the URL of a client configuration, and its service if it names one.
fn target(shared: &Shared, config: &Value) -> (String, Option<WebhookService>) {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let reference = &config["service"];
    if reference.is_null() {
        return (text(config, "url"), None);
    }
    let (namespace, name) = (text(reference, "namespace"), text(reference, "name"));
    let port = reference["port"].as_u64().unwrap_or(PORT);
    let path = text(reference, "path");
    let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
    let url = format!("https://{name}.{namespace}.svc:{port}{slash}{path}");
    let address = services::address_of(shared, &namespace, &name, port);
    let port = u16::try_from(port).unwrap_or_default();
    (url, Some(WebhookService { namespace, name, port, address }))
}
