//! The ConfigMaps that kube-apiserver publishes in `kube-system`.

use apiserver::ApiServer;
use clock::Clock;
use golang::time::Time;
use http::Method;
use json_tree::{Map, Value, json};

use crate::own_client::call;

const CONFIG_MAPS: &str = "/api/v1/namespaces/kube-system/configmaps";
/// The name of the ConfigMap by which aggregated API servers know requests that are passed on to them.
///
/// See <https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/>.
const AUTHENTICATION: &str = "extension-apiserver-authentication";
/// The name of the ConfigMap that says since when tokens of service accounts that are Secrets are tracked.
///
/// See <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#auto-generated-legacy-serviceaccount-token-clean-up>.
const TRACKING: &str = "kube-apiserver-legacy-service-account-token-tracking";

/// Publishes both: `authentication` is the data of the first, which is left out if there is none; the second has today's date.
pub(crate) async fn publish(api: &ApiServer, authentication: Map<String, Value>, clock: &dyn Clock) {
    if !authentication.is_empty() {
        create(api, AUTHENTICATION, authentication).await;
    }
    let now = Time::unix(i64::try_from(clock.now().as_secs()).unwrap_or(i64::MAX)).rfc3339();
    let since = now.split('T').next().unwrap_or_default();
    create(api, TRACKING, [("since".to_owned(), since.into())].into_iter().collect()).await;
}

/// Creates a ConfigMap as the API server itself.
async fn create(api: &ApiServer, name: &str, data: Map<String, Value>) {
    let object = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": "kube-system" },
        "data": Value::Object(data),
    });
    // A cluster that is there already has it.
    let _ = call(api, Method::POST, CONFIG_MAPS, &object).await;
}
