//! Targets: what an autoscaler scales, by the subresource `scale` of anything that has one.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/autoscaling/scale-v1/>.

use std::collections::BTreeMap;

use apimachinery::selector::LabelSelector;
use golang::strconv::quote;
use json_tree::Value;

use super::selectors;
use crate::client::Client;
use crate::discovery::Discovery;
use crate::error::Error;
use crate::object;
use crate::resource::Resource;

/// The number of times that an update is tried which others get ahead of.
const TRIES: usize = 5;

/// The resources of kinds, by their groups and kinds, as far as they were asked for.
#[derive(Default)]
pub(super) struct Kinds(BTreeMap<(String, String), Resource>);

/// The object that is to be scaled, as it is.
pub(super) struct Target {
    resource: Resource,
    scale: Value,
    /// The selector of its pods; `None` if it tells none.
    pub(super) selector: Option<LabelSelector>,
}

impl Kinds {
    /// Reads the scale of what an autoscaler names.
    pub(super) async fn target(&mut self, autoscaler: &Value, client: &Client) -> Result<Target, String> {
        let reference = |field: &str| autoscaler.text_at(&["/spec/scaleTargetRef/", field].concat());
        let (group, kind) = (group_of(reference("apiVersion"))?, reference("kind"));
        let mut resource = self.resource(group, kind, client).await?;
        // Nobody scales what is outside of its namespace.
        resource.namespaced = true;
        let (namespace, name) = (object::namespace(autoscaler), reference("name"));
        let scale = client.get_scale(&resource, namespace, name).await.map_err(|error| {
            if error.is_not_found() {
                // It may be served elsewhere by now.
                self.0.remove(&(group.to_owned(), kind.to_owned()));
            }
            error.to_string()
        })?;
        let text = scale.text_at("/status/selector");
        let selector = if text.is_empty() { Ok(None) } else { selectors::parse(text).map(Some) };
        let selector = selector.map_err(|why| {
            let no_scale =
                "received an object from a /scale endpoint which was not convertible to autoscaling Scale";
            format!("{no_scale}: failed to parse target selector: {why}")
        })?;
        Ok(Target { resource, scale, selector })
    }

    /// Returns the resource of a kind. What was not known before is asked for.
    async fn resource(&mut self, group: &str, kind: &str, client: &Client) -> Result<Resource, String> {
        let key = (group.to_owned(), kind.to_owned());
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let discovery = Discovery::ask(client).await.map_err(|error| error.to_string())?;
        let served = discovery.preferred.iter().map(|served| &served.resource);
        let found = served.into_iter().find(|served| served.group == group && served.kind == kind);
        let found = found.cloned().ok_or_else(|| {
            let (kind, group) = (quote(kind), quote(group));
            format!("no matches for kind {kind} in group {group}")
        })?;
        self.0.insert(key, found.clone());
        Ok(found)
    }
}

/// Returns the group of an API version.
fn group_of(api_version: &str) -> Result<&str, String> {
    match api_version.split_once('/') {
        Some((_, version)) if version.contains('/') => {
            Err(["unexpected GroupVersion string: ", api_version].concat())
        }
        Some((group, _)) => Ok(group),
        None => Ok(""),
    }
}

impl Target {
    /// Returns the number of replicas that there are to be.
    pub(super) fn replicas(&self) -> i64 {
        object::replicas(&self.scale)
    }

    /// Returns the number of replicas that there are.
    pub(super) fn observed(&self) -> i64 {
        object::int(&self.scale, "/status/replicas")
    }

    /// Sets the number of replicas, also if somebody else has changed the target meanwhile.
    pub(super) async fn set_replicas(&mut self, replicas: i64, client: &Client) -> Result<(), Error> {
        let (namespace, name) =
            (object::namespace(&self.scale).to_owned(), object::name(&self.scale).to_owned());
        let mut outcome = Ok(());
        for _ in 0..TRIES {
            object::set(object::child(&mut self.scale, "spec"), "replicas", replicas.into());
            outcome = client.update(&self.resource, &self.scale, "scale").await.map(drop);
            if !outcome.as_ref().is_err_and(Error::is_conflict) {
                break;
            }
            if let Ok(scale) = client.get_scale(&self.resource, &namespace, &name).await {
                self.scale = scale;
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read() {
        let check = |api_version: &str, expected: Result<&str, &str>| {
            assert_eq!(group_of(api_version), expected.map_err(str::to_owned), "{api_version}");
        };
        check("apps/v1", Ok("apps"));
        check("v1", Ok(""));
        check("", Ok(""));
        check("a/b/c", Err("unexpected GroupVersion string: a/b/c"));
    }
}
