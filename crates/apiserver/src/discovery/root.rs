//! `/`: every path that there is.

use json_tree::json;

use super::health;
use crate::answer::Answer;
use crate::groups;
use crate::resources::Resources;
use crate::route::{ISSUER_CONFIGURATION, ISSUER_KEYS};

/// The paths, as JSON that is always printed for people.
pub(super) fn paths(resources: &Resources) -> Answer {
    let mut paths: Vec<String> =
        ["/api", "/apis", "/apis/", "/metrics", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"]
            .map(str::to_owned)
            .to_vec();
    paths.extend([ISSUER_CONFIGURATION.to_owned(), ISSUER_KEYS.to_owned()]);
    for group in groups::local(resources).into_iter().chain(groups::registered(&resources.services)) {
        let own = if group.name.is_empty() { "/api".to_owned() } else { ["/apis/", group.name].concat() };
        paths.extend(group.versions.iter().map(|version| [&own, "/", version].concat()));
        paths.push(own);
    }
    paths.extend(health::paths());
    schema::sort_by(&mut paths, Ord::cmp);
    paths.dedup();
    raw(&json!({ "paths": paths }))
}

/// Returns a response that is no object, as JSON that is always printed for people.
pub(super) fn raw(value: &json_tree::Value) -> Answer {
    Answer::bytes("application/json", codec::json::pretty(&codec::json::to_vec(value)))
}
