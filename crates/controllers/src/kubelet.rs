//! Kubelets: nodes on which pods are as if they ran. Nothing is pulled, and no program of an image runs.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/>.

mod behaviour;
mod conditions;
mod container;
mod exec;
mod host;
mod image;
mod logs;
mod needed;
mod node;
mod port;
mod probe;
mod program;
mod runtime;
mod session;
mod status;
mod takeover;
mod termination;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use apiserver::ServiceRange;
use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object::list;
use crate::options::Latencies;
use crate::resource::{CONFIG_MAPS, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, Resource, SECRETS, SERVICES};
use crate::store::Shared;
use crate::{object, pod};
use container::Work;
use exec::{Objects, links, references};
pub(crate) use host::Host;
use image::Images;
use node::{MOST_PODS, Number};
use runtime::Runtime;
pub(crate) use volumes::Volumes;

/// The source of the events of kubelets.
pub(crate) const COMPONENT: &str = "kubelet";

/// The key of the node itself; those of pods have a slash.
const NODE: &str = "node";

/// The taint of a node that has just been made.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The reason why a pod fails for which there is no room.
const OUT_OF_PODS: &str = "OutOfpods";

/// The most objects that are read for a pod.
const MOST_REFERENCES: usize = 100;

/// The kubelet of a node. Its keys are those of pods.
pub(crate) struct Kubelet {
    number: Number,
    name: String,
    latencies: Latencies,
    services: ServiceRange,
    images: Images,
    volumes: Volumes,
    pods: BTreeMap<String, Runtime>,
    /// True if it takes the taint of new nodes off its own, because nobody else does.
    takes_taint: bool,
    /// True once the pods of a kubelet that is no more are known.
    has_taken_over: bool,
}

impl Kubelet {
    /// Makes the kubelet of a node; the first one has the number 1. The cluster has a range of services, and volumes.
    pub(crate) fn new(
        number: u32,
        latencies: &Latencies,
        takes_taint: bool,
        (services, volumes): (ServiceRange, &Volumes),
    ) -> Self {
        let number = Number(number);
        Self {
            number,
            name: number.name(),
            latencies: latencies.clone(),
            services,
            images: Images::default(),
            volumes: volumes.clone(),
            pods: BTreeMap::new(),
            takes_taint,
            has_taken_over: false,
        }
    }

    /// Returns the name of the node.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Makes the node, unless it is there, and says that it is ready; takes the taint of new nodes off it, if nobody else does.
    async fn register(&self, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let client = context.client;
        let node = match client.get(&NODES, "", &self.name, View::Whole).await {
            Err(error) if error.is_not_found() => {
                client.create(&NODES, "", &self.number.object(context.now())).await
            }
            known => known,
        }?;
        if let Some(patch) = node::news(&node, context.now()) {
            client.patch_status(&NODES, ("", &self.name), &patch).await?;
        }
        if !self.takes_taint {
            return Ok(Outcome::Done);
        }
        let taints = list(&node, "/spec/taints").iter();
        let others: Vec<Value> = taints.filter(|taint| taint.text("key") != NOT_READY).cloned().collect();
        if others.len() < list(&node, "/spec/taints").len() {
            let taints = if others.is_empty() { Value::Null } else { Value::Array(others) };
            // Who has another taint put on it meanwhile makes this one fail.
            let patch = json!({
                "metadata": {"resourceVersion": object::version(&node)},
                "spec": {"taints": taints}
            });
            client.patch(&NODES, ("", &self.name), STRATEGIC_MERGE_PATCH, &patch, View::Whole).await?;
        }
        Ok(Outcome::Done)
    }

    /// Takes over the pods that had begun with another kubelet, so that their addresses and their places are known.
    ///
    /// # Errors
    /// What their commands refer to cannot be read now.
    async fn take_over(&mut self, context: &Context<'_>) -> Result<(), Error> {
        if self.has_taken_over {
            return Ok(());
        }
        let pods = context.stores.of(&PODS).iter().filter(|(_, pod)| {
            let has_begun = pod::start(pod) < Duration::MAX && !pod::is_terminal(pod);
            has_begun && pod.text_at("/spec/nodeName") == self.name
        });
        let pods: Vec<(String, Shared)> = pods.map(|(key, pod)| (key.clone(), pod.clone())).collect();
        for (key, pod) in pods {
            let objects = read_needed(&pod, self.services, context).await?;
            let runtime = self.runtime(&pod, &objects, context.now());
            self.pods.insert(key, runtime);
        }
        self.has_taken_over = true;
        Ok(())
    }

    /// Takes a pod over.
    fn runtime(&mut self, pod: &Value, objects: &Objects, now: Duration) -> Runtime {
        Runtime::new(pod, objects, now, (&mut self.images, &self.volumes))
    }

    /// Lets the time of a pod pass, and writes its status.
    async fn sync_pod(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        self.take_over(context).await?;
        let known = context.stores.of(&PODS).get(key).cloned();
        let known = known.filter(|pod| pod.text_at("/spec/nodeName") == self.name);
        let uid = known.as_deref().map(object::uid);
        if self.pods.get(key).is_some_and(|runtime| Some(&*runtime.uid) != uid)
            && let Some(gone) = self.pods.remove(key)
        {
            self.volumes.forget(&gone.uid);
        }
        let Some(pod) = known else { return Ok(Outcome::Done) };
        if !self.pods.contains_key(key) {
            if pod::is_terminal(&pod) {
                return self.finish(&pod, context).await;
            }
            let objects = read_needed(&pod, self.services, context).await?;
            let mut runtime = self.runtime(&pod, &objects, context.now());
            if pod::start(&pod) == Duration::MAX {
                self.admit(&mut runtime, &pod, context);
            }
            self.pods.insert(key.to_owned(), runtime);
            // First it says that the pod is here.
            self.write(key, &pod, context).await?;
        } else if self.pods.get(key).is_some_and(|runtime| runtime.looks_again(context.now())) {
            let objects = read_needed(&pod, self.services, context).await?;
            if let Some(runtime) = self.pods.get_mut(key) {
                runtime.look(&pod, &objects, context.now());
            }
        }
        let is_terminated = self.advance(key, &pod, context);
        self.write(key, &pod, context).await?;
        if is_terminated { self.finish(&pod, context).await } else { Ok(Outcome::Done) }
    }

    /// Lets the time of a pod pass, and has it be looked at again when something is due. Reports whether it has ended.
    fn advance(&mut self, key: &str, pod: &Shared, context: &mut Context<'_>) -> bool {
        let now = context.now();
        let address = self.pods.get(key).and_then(|runtime| runtime.address.clone());
        let address = address.or_else(|| self.free_address(pod));
        let Some(runtime) = self.pods.get_mut(key) else { return false };
        runtime.advance(&mut Work {
            pod,
            now,
            address: address.as_deref().unwrap_or_default(),
            host: &self.number.address(),
            latencies: &self.latencies,
            images: &mut self.images,
            volumes: &self.volumes,
            recorder: context.recorder,
        });
        if runtime.is_under_way() {
            runtime.address = address;
        }
        let (is_terminated, due) = (runtime.is_terminated(), runtime.next_due(pod, now));
        if let Some(due) = due.filter(|_| !is_terminated) {
            context.queue.add_at(key, due);
        }
        if let Some(arrival) = self.images.take_arrival() {
            for (key, _) in self.pods.iter().filter(|(_, runtime)| runtime.waits_for_image()) {
                context.queue.add_at(key.as_str(), arrival);
            }
        }
        is_terminated
    }

    /// Refuses a pod for which there is no room.
    fn admit(&self, runtime: &mut Runtime, pod: &Value, context: &mut Context<'_>) {
        let used = self.pods.values().filter(|pod| !pod.is_terminated()).count();
        if used >= MOST_PODS {
            let why = format!(
                "Node didn't have enough resource: pods, requested: 1, used: {used}, capacity: {MOST_PODS}"
            );
            runtime.reject(OUT_OF_PODS, &why);
            context.recorder.report(&PODS, pod, EventType::Warning, OUT_OF_PODS, why);
        }
    }

    /// Writes the status of a pod, if it is another one than the last that was written.
    async fn write(&mut self, key: &str, pod: &Shared, context: &Context<'_>) -> Result<(), Error> {
        let Some(runtime) = self.pods.get_mut(key) else { return Ok(()) };
        let status = status::calculate(runtime, pod, &self.number.address(), context.now());
        if status == runtime.written {
            return Ok(());
        }
        let changed = status::difference(&status, &runtime.written);
        let patch = json!({"metadata": {"uid": runtime.uid.as_str()}, "status": changed});
        let at = (object::namespace(pod), object::name(pod));
        match context.client.patch_status(&PODS, at, &patch).await {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        runtime.written = status;
        Ok(())
    }

    /// Deletes a pod that has ended, if it is to be deleted.
    async fn finish(&self, pod: &Shared, context: &Context<'_>) -> Result<Outcome, Error> {
        if object::is_being_deleted(pod) {
            let options = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": object::uid(pod)}});
            let (namespace, name) = (object::namespace(pod), object::name(pod));
            match context.client.delete(&PODS, namespace, name, &options).await {
                // It is gone, or another one of its name.
                Err(error) if !error.is_not_found() && !error.is_conflict() => return Err(error),
                _ => {}
            }
        }
        Ok(Outcome::Done)
    }

    /// Returns an address that no pod has; that of the node for a pod in its network.
    fn free_address(&self, pod: &Value) -> Option<String> {
        if pod.pointer("/spec/hostNetwork") == Some(&Value::Bool(true)) {
            return Some(self.number.address());
        }
        let active = self.pods.values().filter(|pod| !pod.is_terminated());
        let taken: BTreeSet<&str> = active.filter_map(|pod| pod.address.as_deref()).collect();
        (2..=254).map(|number| self.number.pod_address(number)).find(|address| !taken.contains(&**address))
    }
}

impl Controller for Kubelet {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(PODS, View::Whole), (SERVICES, View::Whole)]
    }

    fn first(&self) -> Option<&'static str> {
        Some(NODE)
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource != PODS {
            return;
        }
        let own = change.object().filter(|pod| pod.text_at("/spec/nodeName") == self.name);
        if let Some(pod) = own
            && change.old.as_ref().is_none_or(|old| change.new.is_none() || concerns_kubelet(old, pod))
        {
            context.queue.add(object::key(pod));
        }
    }

    fn kubelet_changed(&mut self, node: &str, context: &mut Context<'_>) {
        if node == self.name && context.heartbeats.is_alive(node) {
            context.queue.add(NODE);
            // Others may have said of them that they are not ready.
            for (key, runtime) in &mut self.pods {
                if let Some(pod) = context.stores.of(&PODS).get(key) {
                    object::set(
                        &mut runtime.written,
                        "conditions",
                        list(pod, "/status/conditions").to_vec().into(),
                    );
                }
                context.queue.add(key.as_str());
            }
        }
    }

    fn files_changed(&mut self, uids: &BTreeSet<String>, context: &mut Context<'_>) {
        for (key, runtime) in self.pods.iter_mut().filter(|(_, runtime)| uids.contains(&runtime.uid)) {
            if let Some(pod) = context.stores.of(&PODS).get(key) {
                runtime.containers.iter_mut().for_each(|container| container.look(pod, &self.volumes));
                context.queue.add(key.as_str());
            }
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        if key == NODE { self.register(context).boxed() } else { self.sync_pod(key, context).boxed() }
    }
}

/// Reads the objects to which a pod's containers refer, as far as they are there, and the Services of its namespace.
///
/// # Errors
/// One of them can be read later, perhaps.
async fn read_needed(pod: &Value, services: ServiceRange, context: &Context<'_>) -> Result<Objects, Error> {
    let mut objects = Objects::new(services);
    let own = context.stores.of(&SERVICES).in_namespace(object::namespace(pod)).map(|service| &**service);
    objects.links = links(pod, own).into();
    let references: BTreeSet<_> = pod::all_containers(pod).flat_map(|spec| references(pod, spec)).collect();
    let references = references.into_iter().filter(|reference| reference.name != program::ROOT_CA);
    for reference in references.take(MOST_REFERENCES) {
        let resource = match reference.resource {
            "secrets" => &SECRETS,
            "configmaps" => &CONFIG_MAPS,
            _ => &PERSISTENT_VOLUME_CLAIMS,
        };
        match context.client.get(resource, object::namespace(pod), &reference.name, View::Whole).await {
            Ok(object) => objects.insert(reference, object),
            Err(error) if error.is_not_found() => objects.insert_absent(reference),
            Err(error) => return Err(error),
        }
    }
    Ok(objects)
}

/// Reports whether a change of a pod is more than that of its status, which the kubelet has written itself: except for the conditions that
/// readiness gates ask for.
fn concerns_kubelet(old: &Value, new: &Value) -> bool {
    let fields = ["uid", "generation", "deletionTimestamp", "deletionGracePeriodSeconds"];
    fields.iter().any(|field| object::meta(old, field) != object::meta(new, field))
        || old.text_at("/spec/nodeName") != new.text_at("/spec/nodeName")
        || !list(new, "/spec/readinessGates").is_empty()
}
