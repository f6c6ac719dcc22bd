//! The API servers of the embedded cluster: how far each has come, and what can be done to it.

pub(crate) mod view;

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::command::Command;
use protocol::trace::ServerInfo;

use crate::cluster::{Which, catalog};
use crate::state::Page;

/// Caches that have reached the same revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// The revision that they have reached.
    pub(crate) revision: u64,
    /// The first of their resources.
    pub(crate) named: Vec<String>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// How many resources are named.
const NAMED: usize = 4;

/// The caches that have not reached the newest revision, by the revisions that they have reached, the oldest first;
/// resources that `first` names are named first.
pub(crate) fn behind(info: &ServerInfo, first: &str) -> Vec<Behind> {
    let mut groups: Vec<Behind> = Vec::new();
    let (asked, others): (Vec<_>, Vec<_>) = info.behind.iter().partition(|(resource, _)| resource == first);
    for (resource, revision) in asked.into_iter().chain(others) {
        let at = groups.partition_point(|known| known.revision < *revision);
        if groups.get(at).is_none_or(|known| known.revision != *revision) {
            groups.insert(at, Behind { revision: *revision, named: Vec::new(), more: 0 });
        }
        let group = &mut groups[at];
        if group.named.len() < NAMED {
            group.named.push(resource.clone());
        } else {
            group.more += 1;
        }
    }
    groups
}

impl Page {
    /// The API servers, by their numbers.
    pub(crate) fn server_infos(self) -> Vec<ServerInfo> {
        self.lab.slow.track();
        untrack(|| self.read(|model| model.glass(Which::ThisTab).servers().to_vec()))
    }

    /// Starts another API server.
    pub(crate) fn add_server(self) {
        let cluster = self.embedded();
        if let Some(joined) = cluster.join() {
            spawn_local(async move {
                let _ = joined.await;
                self.changed();
            });
        }
        self.lab.servers.set(cluster.servers());
    }

    /// Sets which API server requests go to; `None` lets each have its turn.
    pub(crate) fn choose_server(self, number: Option<usize>) {
        self.embedded().choose(number);
        self.lab.server.set(number);
    }

    /// Sets how long a resource's cache, or each cache, of an API server takes until it hears of a write.
    pub(crate) fn set_lag(self, server: usize, resource: Option<&str>, seconds: u64) {
        let (resource, lag) = (resource.map(str::to_owned), Duration::from_secs(seconds));
        self.command(Command::SetLag { server, resource, lag });
        self.changed();
    }

    /// Cuts an API server off from the store, or mends that.
    pub(crate) fn set_stopped(self, server: usize, stopped: bool) {
        self.command(Command::SetStopped { server, resource: None, stopped });
        self.changed();
    }

    /// Ends the watches of an API server, as one does that goes down.
    pub(crate) fn drop_watches(self, server: usize) {
        self.command(Command::DropWatches { server });
        self.changed();
    }

    /// The resource that the form's path leads into, as caches are called; the ConfigMaps if it leads into none.
    pub(crate) fn cached(self) -> String {
        let path = self.form.path.get();
        let stored = catalog::collection(&path).and_then(|path| catalog::stored(&path));
        stored.map_or_else(|| "configmaps".to_owned(), |(resource, _)| resource)
    }

    fn changed(self) {
        self.touch();
        self.lab.slow.update(|slow| *slow += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_that_lag_are_grouped_by_revision() {
        let at = |resource: &str, revision| (resource.to_owned(), revision);
        let mut caches = vec![at("pods", 9), at("configmaps", 7)];
        caches.extend((0..6).map(|n| at(&format!("r{n}"), 9)));
        caches.push(at("secrets", 9));
        let groups = behind(&ServerInfo { behind: caches, ..ServerInfo::default() }, "secrets");
        let told: Vec<_> =
            groups.iter().map(|group| (group.revision, group.named.join(" "), group.more)).collect();
        assert_eq!(told, [(7, "configmaps".to_owned(), 0), (9, "secrets pods r0 r1".to_owned(), 4)]);
    }
}
