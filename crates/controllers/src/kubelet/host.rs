//! The requests that an API server passes on to a kubelet. What there is to know of a container stands in the status of its pod.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{FindObject, Kubelet, Log, Peer, Process, ServiceRange, Streams};
use clock::Clock;
use golang::strconv::quote;
use json_tree::Value;

use super::exec::{Objects, Reference, Request, Response, references, shell};
use super::port::Server;
use super::volumes::Volumes;
use super::{logs, port, program, session};
use crate::object;
use crate::pod;

/// The kubelet of a node, as an API server reaches it.
pub(crate) struct Host {
    clock: Arc<dyn Clock>,
    services: ServiceRange,
    volumes: Volumes,
}

impl Host {
    /// Makes one that tells the time by a clock, in a cluster with a range of services, and volumes.
    pub(crate) fn new(clock: &Arc<dyn Clock>, services: ServiceRange, volumes: &Volumes) -> Self {
        Self { clock: Arc::clone(clock), services, volumes: volumes.clone() }
    }

    /// Returns those of some objects that there are.
    fn found(&self, references: BTreeSet<Reference>, find: FindObject<'_>) -> Objects {
        let mut found = Objects::new(self.services);
        for reference in references {
            if let Some(object) = find(reference.resource, &reference.name) {
                found.insert(reference, object);
            }
        }
        found
    }
}

impl Host {
    /// Returns the server that listens on a port of a pod, if it is known.
    fn server(&self, pod: &Value, port: u16) -> Option<Server> {
        let (volumes, clock) = (self.volumes.clone(), Arc::clone(&self.clock));
        let listens = |id: &&str| volumes.seen(id, clock.now()).is_some_and(|(_, seen)| seen.listens(port));
        let id = logs::statuses(pod).map(|status| status.text("containerID")).find(listens)?.to_owned();
        Some(Box::new(move |request| {
            let mut words = request.split(' ');
            let request = Request {
                method: words.next().unwrap_or_default(),
                target: words.next().unwrap_or_default(),
            };
            let gone = || Response::text(503, "the container has ended\n");
            let seen = volumes.seen(&id, clock.now());
            seen.and_then(|(program, seen)| program.response(port, &request, &seen)).unwrap_or_else(gone)
        }))
    }
}

/// Returns the id of a container that runs.
fn running<'a>(pod: &'a Value, name: &str) -> Option<&'a str> {
    let status = logs::statuses(pod).find(|status| status.text("name") == name)?;
    let runs = status.pointer("/state/running").is_some_and(|state| !state.is_null());
    runs.then(|| status.text("containerID"))
}

impl Kubelet for Host {
    fn container(&self, pod: &Value, name: &str, previous: bool) -> Result<String, String> {
        logs::container(pod, name, previous)
    }

    fn log(
        &self,
        pod: &Value,
        id: &str,
        after: Option<Duration>,
        now: Duration,
        find: FindObject<'_>,
    ) -> Option<Log> {
        let found = self.found(program::needs(pod), find);
        logs::read(pod, id, (after, now), (&found, self.volumes.program(id)))
    }

    fn exec(
        &self,
        pod: &Value,
        container: &str,
        command: Vec<String>,
        streams: Streams,
        find: FindObject<'_>,
    ) -> Result<Process, String> {
        let spec = pod::all_containers(pod).find(|own| own.text("name") == container);
        let Some(spec) = spec.filter(|_| running(pod, container).is_some()) else {
            return Err(["container not found (", &quote(container), ")"].concat());
        };
        if command.is_empty() {
            return Err("rpc error: code = InvalidArgument desc = exec command is empty".to_owned());
        }
        let mut known = self.found(references(pod, spec), find);
        known.links = self.volumes.links((object::uid(pod), container));
        let shell = shell(pod, spec, &known, self.clock.now());
        Ok(session::process((shell, self.volumes.clone()), command, streams, Arc::clone(&self.clock)))
    }

    fn attach(&self, pod: &Value, container: &str) -> Result<String, String> {
        let full_name = [object::name(pod), "_", object::namespace(pod)].concat();
        let missing = || ["container ", container, " not found in pod ", &full_name].concat();
        running(pod, container).map(str::to_owned).ok_or_else(missing)
    }

    fn dial(&self, pod: &Value, port: u16) -> Result<Peer, String> {
        port::dial(pod, port, self.server(pod, port))
    }
}
