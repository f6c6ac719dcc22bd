//! Calls of webhooks: where to, and how they fail.

use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;
use schema::Resource;

use super::Webhooks;
use super::review::{self, Failure, Verdict};
use crate::admission::policy::{Hook, Request};
use crate::context::Shared;
use crate::status::Status;
use crate::stored::{collection_key, object_key};
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
    let address = address_of(shared, &namespace, &name, port);
    let port = u16::try_from(port).unwrap_or_default();
    (url, Some(WebhookService { namespace, name, port, address }))
}

/// Returns the address behind a port of a service: that of its first endpoint that is ready.
///
/// # Errors
/// The reason why there is none, in kube-apiserver's words.
fn address_of(shared: &Shared, namespace: &str, name: &str, port: u64) -> Result<String, String> {
    let row = |group: &str, plural: &str| schema::resource(group, plural).ok_or_else(String::new);
    let found = shared.find(&object_key(row("", "services")?, namespace, name));
    let service = found.ok_or_else(|| format!("service {} not found", field::quote(name)))?.tree();
    let spec = service.get("spec").unwrap_or(&Value::Null);
    if spec["type"] == "ExternalName" {
        return Ok(format!("{}:{port}", spec["externalName"].as_str().unwrap_or_default()));
    }
    let ports = || spec["ports"].as_array().into_iter().flatten();
    let Some(own) = ports().find(|one| one["port"] == port) else {
        return Err(format!("no service port {port} found for service {}", field::quote(name)));
    };
    let slices = shared.all(&collection_key(row("discovery.k8s.io", "endpointslices")?, namespace));
    let mut slices = slices
        .iter()
        .filter(|slice| slice.label("kubernetes.io/service-name") == Some(name))
        .map(|slice| slice.tree());
    let port_name = own["name"].as_str().unwrap_or_default();
    let found = slices.find_map(|slice| {
        let mut ports = slice.get("ports")?.as_array()?.iter();
        let port =
            ports.find(|port| port["name"].as_str().unwrap_or_default() == port_name)?["port"].as_u64()?;
        let mut endpoints = slice.get("endpoints")?.as_array()?.iter();
        let ready = endpoints.find(|endpoint| endpoint["conditions"]["ready"] != false)?;
        let address = ready["addresses"].get(0)?.as_str()?;
        Some(if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") })
    });
    found.ok_or_else(|| format!("no endpoints available for service {}", field::quote(name)))
}
