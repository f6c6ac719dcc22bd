//! The API resources that a cluster serves, as it says itself: groups, versions, kinds and their fields; and objects
//! made of schemas.

pub(crate) mod example;
pub(crate) mod fields;
pub(crate) mod rows;
pub(crate) mod served;
pub(crate) mod wrong;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use json_tree::Value;
use leptos::prelude::*;

use crate::model::explore::served::Kind;

/// The place of what is served, as a reference, among the tabs of the resources.
pub(crate) const REFERENCE: usize = 1;

/// The page's knowledge of what is served. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Explore {
    /// Every kind in every version, in the order of discovery.
    pub(crate) kinds: RwSignal<Vec<Arc<Kind>>>,
    /// The schemas of custom kinds that have been looked at, by the id of the kind's row.
    pub(crate) schemas: RwSignal<BTreeMap<String, Arc<Value>>>,
    /// The rows of the tree that are open, by their ids.
    pub(crate) open: RwSignal<BTreeSet<String>>,
    /// The row that the focus is on, or goes to.
    pub(crate) active: RwSignal<String>,
    /// The text that the rows are filtered by.
    pub(crate) filter: RwSignal<String>,
    /// Which tab of the resources is chosen.
    pub(crate) tab: RwSignal<usize>,
    /// Counts up when this page writes a definition to a remote cluster, and when another cluster takes this one's place: then the
    /// kinds are read again.
    pub(crate) written: RwSignal<u64>,
}

impl Explore {
    pub(crate) fn new() -> Self {
        Self {
            kinds: RwSignal::new(Vec::new()),
            schemas: RwSignal::new(BTreeMap::new()),
            open: RwSignal::new(BTreeSet::new()),
            active: RwSignal::new(String::new()),
            filter: RwSignal::new(String::new()),
            tab: RwSignal::new(0),
            written: RwSignal::new(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::embedded::in_process::InProcess;
    use crate::cluster::{Answer, Body, Request, Transport, status};
    use crate::model::request::presets::{Answers, PRESETS, late_steps};

    /// The status code and the body of an answer.
    fn send(cluster: &InProcess, request: Request) -> (u16, Value) {
        let Answer { status, body, .. } = futures::executor::block_on(cluster.send(request)).unwrap();
        let Body::Bytes(body) = body else { panic!("a stream") };
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn the_preset_defines_a_kind_whose_rule_refuses_what_is_wrong() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let preset = PRESETS.iter().find(|preset| preset.id == "definition").unwrap();
        let definition = late_steps(preset)[0].request(&Answers::new(), 1).unwrap();
        let (code, definition) = send(&cluster, definition);
        assert_eq!(code, 201, "{definition}");
        let (_, document) = send(&cluster, served::question("/apis"));
        let kinds = served::read(&document);
        let kind = kinds.iter().find(|kind| kind.kind == "CronTab").unwrap();
        assert_eq!(definition["metadata"]["name"], kind.definition());
        let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
        let look = fields::Look::Object(Arc::new(schema.clone()));
        let post = |body: &Value| {
            Request::json("POST", &kind.request("create", "", "default", "").target, &body.to_string())
        };
        let good = example::object(kind, &look);
        let (code, made) = send(&cluster, post(&good));
        assert_eq!(code, 201, "{made}");
        let rules = fields::messages(schema);
        let refused = wrong::candidates(&good, &look).into_iter().any(|candidate| {
            let (_, answer) = send(&cluster, post(&candidate));
            let failure = status::failure(answer.to_string().as_bytes());
            failure.is_some_and(|failure| wrong::worth(&failure, &rules) == 2)
        });
        assert!(refused);
    }
}
