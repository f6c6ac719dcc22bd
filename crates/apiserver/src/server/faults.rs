//! Requests that are to fail: by how somebody wants to see clients deal with that.

use bytes::Bytes;
use http::{Method, Request};

use crate::answer::Answer;
use crate::context::ApiServer;
use crate::resources::Resources;
use crate::route::{Route, Target};
use crate::storage::Storage;
use crate::{negotiate, stored};
use apimachinery::query::Query;
use apimachinery::status;
use apimachinery::status::{Status, Subject};
use protocol::trace::Fault;

impl ApiServer {
    /// Takes the next fault that concerns a request, if there is one.
    pub(super) fn next_fault(&self, storage: &mut Storage, request: &Request<Bytes>) -> Option<Fault> {
        let faults = &storage.servers.get(self.number)?.faults;
        let contested = faults.contains(&Fault::Conflict)
            && object_to_write(request, &storage.resources).is_some_and(|target| {
                let key = stored::object_key(&target.resource, &target.namespace, &target.name);
                storage.store.get(&key).is_some()
            });
        let next = faults.iter().position(|fault| contested || *fault != Fault::Conflict)?;
        storage.servers.get_mut(self.number)?.faults.remove(next)
    }

    /// Returns the response to a request that is to fail.
    pub(super) fn fail(&self, fault: Fault, request: &Request<Bytes>) -> Answer {
        let query = Query::parse(request.uri().query().unwrap_or_default());
        let failure = |status: Box<Status>| {
            let output =
                negotiate::failure(self.shared.config.formats.media_types, request.headers(), &query, true);
            Answer::failure(&status, output)
        };
        match fault {
            Fault::TooManyRequests => Answer::too_many_requests(1),
            Fault::InternalError => failure(Status::unclassified("etcdserver: request timed out")),
            Fault::Unavailable => failure(Status::service_unavailable("apiserver is shutting down")),
            Fault::Conflict => match object_to_write(request, &self.shared.resources()) {
                Some(Target { resource, name, .. }) => {
                    let subject = Subject { group: &resource.group, resource: &resource.name, name: &name };
                    failure(Status::conflict(subject, status::MODIFIED))
                }
                None => Answer::cut(),
            },
            Fault::Cut => Answer::cut(),
        }
    }
}

/// The object, or the part of one, that a request changes or deletes by its name.
fn object_to_write(request: &Request<Bytes>, resources: &Resources) -> Option<Target> {
    if ![Method::PUT, Method::PATCH, Method::DELETE].contains(request.method()) {
        return None;
    }
    match Route::of(request.uri().path(), resources) {
        Route::Resource(target) if !target.name.is_empty() => Some(target),
        _ => None,
    }
}
