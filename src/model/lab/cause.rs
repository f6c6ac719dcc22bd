//! The chain of causes of a write: which request or which controller made it, and what that one had seen.

use glass::{Glass, Object, actor};
use protocol::trace::{EventType, RequestRecord};

use super::controllers::Controllers;

/// The most links of a chain.
const MOST: usize = 16;

/// A write, and who made it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link {
    /// The revision that it made.
    pub(crate) revision: u64,
    /// The object, in short.
    pub(crate) object: String,
    pub(crate) change: EventType,
    pub(crate) by: By,
}

/// Who made a write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum By {
    /// A controller that looked at an object, because of the change of a revision, as far as that is known.
    Controller { name: String, key: String, saw: Option<u64> },
    /// A request: its method and its path, who sent it, and the User-Agent.
    Request { request: String, actor: String, user_agent: String },
    /// It is known only who; that may be empty.
    Actor(String),
}

/// Returns what led to the write of a revision, the write itself first, as far as it is known.
pub(crate) fn chain(glass: &Glass, controllers: &Controllers, revision: u64) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut next = Some(revision);
    while let Some(revision) = next.take().filter(|_| links.len() < MOST) {
        let Some(link) = link(glass, controllers, revision) else { break };
        if let By::Controller { saw, .. } = &link.by {
            // What led to a write came before it.
            next = saw.filter(|saw| *saw < revision);
        }
        links.push(link);
    }
    links
}

fn link(glass: &Glass, controllers: &Controllers, revision: u64) -> Option<Link> {
    let history = glass.history();
    let write = history.write(revision)?;
    let object = history.object(write.object).map(|object: &Object| object.label.clone())?;
    let request = glass.request(write.request);
    let by = match (controllers.wrote(revision), request) {
        (Some(reconcile), _) => By::Controller {
            name: reconcile.controller.clone(),
            key: reconcile.key.clone(),
            saw: reconcile.because,
        },
        (None, Some(request)) => by_request(request),
        (None, None) => By::Actor(history.manager(write.manager).to_owned()),
    };
    Some(Link { revision, object, change: write.change, by })
}

fn by_request(request: &RequestRecord) -> By {
    By::Request {
        request: [&request.method, " ", request.path()].concat(),
        actor: actor(request).to_owned(),
        user_agent: request.user_agent.clone(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::controllers::Reconcile;
    use protocol::trace::{Batch, Change, Event, ObjectKey, State, Stored, Write};

    use super::*;

    fn write(revision: u64, resource: &str) -> Event {
        let key = ObjectKey {
            resource: resource.to_owned(),
            namespace: "default".to_owned(),
            name: "web".to_owned(),
            ..ObjectKey::default()
        };
        Event::Write(Write { revision, key, change: Change::Created, object: Some(Stored::default()) })
    }

    fn request(id: u64, wrote: u64, agent: &str) -> Event {
        Event::Request(Box::new(RequestRecord {
            id,
            method: "POST".to_owned(),
            uri: "/apis/apps/v1/namespaces/default/deployments?fieldManager=x".to_owned(),
            wrote: vec![wrote],
            user_agent: agent.to_owned(),
            manager: agent.split('/').next().unwrap_or_default().to_owned(),
            ..RequestRecord::default()
        }))
    }

    fn glass() -> Glass {
        let mut glass = Glass::default();
        let agent =
            "kube-controller-manager/v1.36.2 (linux/amd64) kubernetes/x/system:serviceaccount:kube-system:y";
        let events = vec![
            write(10, "deployments"),
            request(1, 10, "kubectl/v1.36.0 (linux/amd64) kubernetes/abc"),
            write(11, "replicasets"),
            request(2, 11, agent),
            write(12, "pods"),
            request(3, 12, agent),
        ];
        glass.take(Batch { number: 1, state: Some(State::default()), events, ..Batch::default() }).unwrap();
        glass
    }

    fn reconcile(number: u64, wrote: u64, because: Option<u64>) -> Reconcile {
        let (controller, key) = (format!("c{number}"), "default/web".to_owned());
        Reconcile { number, controller, key, because, wrote: vec![wrote], ..Reconcile::default() }
    }

    #[track_caller]
    fn check(reconciles: Vec<Reconcile>, expected: &[&str]) {
        let mut controllers = Controllers::default();
        controllers.reconciles.extend(reconciles);
        let links = chain(&glass(), &controllers, 12);
        let said = links.iter().map(|Link { revision, object, by, .. }| match by {
            By::Controller { name, saw, .. } => format!("{revision} {object} {name} {saw:?}"),
            By::Request { request, actor, .. } => format!("{revision} {object} {actor} {request}"),
            By::Actor(actor) => format!("{revision} {object} {actor}"),
        });
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_chain_leads_to_the_request_that_began_it() {
        let request = "10 deployments/web kubectl POST /apis/apps/v1/namespaces/default/deployments";
        check(
            vec![reconcile(1, 11, Some(10)), reconcile(2, 12, Some(11))],
            &["12 pods/web c2 Some(11)", "11 replicasets/web c1 Some(10)", request],
        );
        // What nobody has told of ends it.
        let unknown = "11 replicasets/web y POST /apis/apps/v1/namespaces/default/deployments";
        check(vec![reconcile(2, 12, Some(11))], &["12 pods/web c2 Some(11)", unknown]);
        check(vec![reconcile(2, 12, None)], &["12 pods/web c2 None"]);
        // Nothing can have come of what was later.
        check(vec![reconcile(2, 12, Some(12))], &["12 pods/web c2 Some(12)"]);
    }
}
