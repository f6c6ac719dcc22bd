//! The garbage collector: it deletes objects whose owners are gone, before their owners or after them, or lets them live without.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/garbage-collection/>.

mod absent;
mod delete;
mod graph;
mod node;
mod orphan;
mod requests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use futures::FutureExt;
use json_tree::json;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Interest, Looking, Outcome};
use crate::discovery::{Discovery, Served};
use crate::error::Error;
use crate::events::EventType;
use crate::resource::{DEFINITIONS, Resource};
use graph::{Graph, Task};
use node::Identity;

/// The keys of the queue: to find out what is served, and two kinds of work with a uid, for which the graph has to be complete.
const DISCOVER: &str = "discover";
const DELETE: &str = "delete ";
const ORPHANS: &str = "orphan ";

/// The controller.
#[derive(Default)]
pub(crate) struct GarbageCollector {
    graph: Graph,
    discovery: Discovery,
    /// The resources whose objects are in the graph.
    monitored: BTreeSet<Resource>,
}

impl Controller for GarbageCollector {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(DEFINITIONS, View::Metadata)]
    }

    fn first(&self) -> Option<&'static str> {
        Some(DISCOVER)
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == DEFINITIONS {
            context.queue.add(DISCOVER);
        }
        if self.monitored.contains(&change.resource) {
            self.graph.observe(change);
            self.take_tasks(context);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            let outcome = if let Some(uid) = key.strip_prefix(DELETE) {
                self.attempt_to_delete(uid, context).await
            } else if let Some(uid) = key.strip_prefix(ORPHANS) {
                self.attempt_to_orphan(uid, context).await
            } else {
                self.discover(context).await
            };
            self.take_tasks(context);
            outcome
        }
        .boxed()
    }
}

impl GarbageCollector {
    /// Finds out what is served, and has the objects of all of it that can be deleted in the graph. Events are never owned.
    async fn discover(&mut self, context: &mut Context<'_>) -> Result<Outcome, Error> {
        self.discovery = Discovery::ask(context.client).await?;
        let collected =
            |served: &&Served| served.has_verbs(&["delete", "list", "watch"]) && !is_event(&served.resource);
        let served = self.discovery.preferred.iter().filter(collected);
        let wanted: BTreeSet<Resource> = served.map(|served| served.resource.clone()).collect();
        for resource in wanted.difference(&self.monitored) {
            context.interests.push(Interest::Begin(resource.clone(), View::Metadata));
            if *resource == DEFINITIONS {
                // It has been heard of before.
                for (_, object) in context.stores.of(resource).iter() {
                    let new = Some(std::sync::Arc::clone(object));
                    self.graph.observe(&Change { resource: resource.clone(), old: None, new });
                }
            }
        }
        for resource in self.monitored.difference(&wanted) {
            context.interests.push(Interest::End(resource.clone()));
        }
        self.monitored = wanted;
        Ok(Outcome::Done)
    }

    /// Queues what the graph gives cause for.
    fn take_tasks(&mut self, context: &mut Context<'_>) {
        for task in self.graph.take_tasks() {
            match task {
                Task::AttemptToDelete(uid) => context.queue.add([DELETE, &uid].concat()),
                Task::AttemptAgain(uid) => {
                    let now = context.now();
                    context.queue.add_rate_limited(&[DELETE, &uid].concat(), now);
                }
                Task::AttemptToOrphan(uid) => context.queue.add([ORPHANS, &uid].concat()),
                Task::ReportInvalidNamespace(invalid) => report(&invalid.dependent, &invalid.owner, context),
            }
        }
    }
}

/// Reports whether a resource is that of events, in one of their groups.
fn is_event(resource: &Resource) -> bool {
    resource.plural == "events" && ["", "events.k8s.io"].contains(&&*resource.group)
}

/// Reports that an object names an owner that is not in its namespace.
fn report(dependent: &Identity, owner: &Identity, context: &mut Context<'_>) {
    let namespace = &dependent.namespace;
    let message =
        format!("ownerRef {owner} does not exist in namespace {}", golang::strconv::quote(namespace));
    let (group, version) = dependent.api_version.split_once('/').unwrap_or(("", &dependent.api_version));
    let resource = Resource {
        group: Cow::Owned(group.to_owned()),
        version: Cow::Owned(version.to_owned()),
        plural: Cow::Borrowed(""),
        kind: Cow::Owned(dependent.kind.clone()),
        namespaced: !namespace.is_empty(),
    };
    let metadata = json!({"namespace": namespace.as_str(), "name": dependent.name.as_str(), "uid": dependent.uid.as_str()});
    let about = json!({"metadata": metadata});
    context.recorder.report(&resource, &about, EventType::Warning, "OwnerRefInvalidNamespace", message);
}
