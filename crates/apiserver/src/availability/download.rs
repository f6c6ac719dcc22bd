//! The documents by which aggregated API servers tell of themselves: the resources that they serve, and where their OpenAPI documents
//! are.

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::Value;

use super::{ask, masters};
use crate::aggregator::{self, Aggregate, Aggregator, Location};
use crate::api_services::ApiService;
use crate::context::Shared;
use apimachinery::User;

/// The longest time that the resources may take, and the documents.
const RESOURCES: Duration = Duration::from_secs(5);
const DOCUMENTS: Duration = Duration::from_secs(60);

/// Asks a server, and notes what it tells; what it does not tell now stays as it was.
pub(super) async fn download(shared: &Shared, aggregator: &Aggregator, service: &ApiService) {
    let mut known = aggregator.downloaded(service);
    let location = Location::of(service, shared);
    match resources(shared, aggregator, service, &location).await {
        Some(resources) => (known.resources, known.current) = (resources, true),
        None => known.current = false,
    }
    if let Ok(location) = &location
        && let Some(documents) = documents(shared, aggregator, location).await
    {
        known.documents = documents;
    }
    aggregator.learn(service, known);
}

/// Returns the resources of a version; `None` if the server does not tell.
async fn resources(
    shared: &Shared,
    aggregator: &Aggregator,
    service: &ApiService,
    location: &Result<Location, String>,
) -> Option<Vec<Value>> {
    let location = location.as_ref().ok()?;
    let groups = ("/apis", RESOURCES);
    let (code, media_type, body) =
        ask(shared, aggregator, location, groups, &masters(), aggregator::ACCEPT).await.ok()?;
    let parameters: Vec<&str> = media_type.split(';').map(str::trim).collect();
    let is_aggregated = ["g=apidiscovery.k8s.io", "as=APIGroupDiscoveryList"]
        .iter()
        .all(|parameter| parameters.contains(parameter));
    match code {
        503 => None,
        200 if is_aggregated => {
            let document: Value = serde_json::from_slice(&body).ok()?;
            Some(aggregator::of_groups(&document, &service.group, &service.version))
        }
        _ => {
            let path = match service.group.as_str() {
                "" => ["/api/", &service.version].concat(),
                _ => service.root(),
            };
            let nobody = User { name: masters().name, ..User::default() };
            let asked = ask(shared, aggregator, location, (&path, RESOURCES), &nobody, "application/json");
            let (200, _, body) = asked.await.ok()? else { return None };
            let document: Value = serde_json::from_slice(&body).ok()?;
            Some(aggregator::of_group_version(&document))
        }
    }
}

/// Returns where the documents of a server are; none if it has no index of them; `None` if it does not tell.
async fn documents(
    shared: &Shared,
    aggregator: &Aggregator,
    location: &Location,
) -> Option<BTreeMap<String, String>> {
    let user = User { name: "system:aggregator".to_owned(), ..User::default() };
    let asked = ask(shared, aggregator, location, ("/openapi/v3", DOCUMENTS), &user, "").await.ok()?;
    match asked {
        (404, ..) => Some(BTreeMap::new()),
        (200, _, body) => {
            let index: Value = serde_json::from_slice(&body).ok()?;
            let paths = index["paths"].as_object()?;
            let url = |value: &Value| value["serverRelativeURL"].as_str().map(str::to_owned);
            Some(paths.iter().filter_map(|(name, value)| Some((name.clone(), url(value)?))).collect())
        }
        _ => None,
    }
}
