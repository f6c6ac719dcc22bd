//! Commands: what is done to a cluster on purpose.

use std::sync::Arc;

use clock::SeededRandom;
use protocol::command::{Command, Done};
use protocol::message::{ClusterId, Error};

use crate::Engine;
use crate::cluster::Cluster;

/// The most forks that there are at a time.
const MOST_FORKS: usize = 16;

impl Engine {
    /// Runs a command.
    ///
    /// # Errors
    /// There is no such cluster, API server or revision, or too many of them.
    pub(crate) fn run(&mut self, id: ClusterId, command: Command) -> Result<Done, Error> {
        let clusters = self.clusters.len();
        let cluster = self.clusters.get_mut(&id).ok_or(Error::UnknownCluster)?;
        let server = |cluster: &Cluster, number| match cluster.find(number) {
            Some(server) => Ok(server.inspect()),
            None => Err(Error::Refused("there is no such API server".to_owned())),
        };
        match command {
            Command::AddServer => return Ok(Done::Server(cluster.add().inspect().server())),
            Command::SetLag { server: number, resource, lag } => {
                server(cluster, number)?.set_lag(resource.as_deref(), lag);
            }
            Command::SetStopped { server: number, resource, stopped } => {
                server(cluster, number)?.set_stopped(resource.as_deref(), stopped);
            }
            Command::DropWatches { server: number } => {
                let inspect = server(cluster, number)?;
                let watches = inspect.overview().watches;
                let own = watches.iter().filter(|watch| watch.server == number);
                own.for_each(|watch| inspect.drop_watch(watch.id));
            }
            Command::DropWatch { watch } => cluster.first().inspect().drop_watch(watch),
            Command::Fail { server: number, count, fault } => {
                server(cluster, number)?.fail_next(count, fault)
            }
            Command::ClearFaults { server: number } => {
                let inspect = server(cluster, number)?;
                let left = inspect.faults();
                inspect.clear_faults();
                return Ok(Done::Cleared(left));
            }
            Command::Compact { revision } => cluster.first().inspect().compact(revision),
            Command::Forget { server: number, revision } => server(cluster, number)?.forget(revision),
            Command::SetBookmarkInterval { interval } => {
                cluster.first().inspect().set_bookmark_interval(interval);
            }
            Command::SetRate { rate } => self.clock.settable()?.set_rate(rate),
            Command::Advance { by } => self.clock.settable()?.advance(by),
            Command::Fork { revision, seed } => {
                if clusters > MOST_FORKS {
                    return Err(Error::Refused(format!("there are {MOST_FORKS} forks already")));
                }
                let newest = cluster.first().inspect().revision();
                let fork = cluster.first().fork(revision.min(newest), Arc::new(SeededRandom::new(seed)));
                let fork = fork.ok_or(Error::UnknownRevision(revision))?;
                let webhooks = cluster.webhooks().cloned();
                let number = ClusterId(self.next_cluster);
                self.next_cluster += 1;
                let fork = Cluster::new(fork).with_webhooks(webhooks.as_ref());
                self.clusters.insert(number, fork);
                return Ok(Done::Cluster(number));
            }
            Command::Restore(_) if id != ClusterId::FIRST || self.used => {
                return Err(Error::Refused(
                    "only the first cluster can be restored, and only before anything is asked of it"
                        .to_owned(),
                ));
            }
            Command::Restore(backup) => {
                let restored = cluster.first().restore(*backup).map_err(Error::Refused)?;
                *cluster = Cluster::new(restored).with_webhooks(cluster.webhooks());
            }
            Command::Drop if id == ClusterId::FIRST => {
                return Err(Error::Refused("the first cluster cannot be dropped".to_owned()));
            }
            Command::Drop => drop(self.clusters.remove(&id)),
        }
        Ok(Done::Ok)
    }
}
