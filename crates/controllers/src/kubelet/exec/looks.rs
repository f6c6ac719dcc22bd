//! Looks at a program while it runs, and changes of its files that others make meanwhile.

use std::sync::Arc;
use std::time::Duration;

use super::beside::{Beside, Seen};
use super::files::Written;
use super::server::Server;
use super::shell::Shell;

impl Shell {
    /// Has others make changes while it runs, those of one time after those that are known.
    pub(in super::super) fn add_changes(&mut self, changes: impl IntoIterator<Item = Written>) {
        let known = Arc::make_mut(&mut self.beside.changes);
        known.extend(changes);
        known.sort_by_key(|change| change.at);
    }

    /// Returns the times at which others make changes.
    pub(in super::super) fn times_of_changes(&self) -> impl Iterator<Item = Duration> {
        self.beside.changes.iter().map(|change| change.at)
    }

    /// Has somebody look at some times, which are in order. After the last one it halts, and where it is not known what it does.
    pub(in super::super) fn look_at(&mut self, times: &[Duration]) {
        self.until = times.last().copied();
        self.halts = true;
        self.beside.looks = times.into();
    }

    /// Has it be in a container as that was seen, where nothing is done beside it.
    pub(in super::super) fn visit(&mut self, seen: &Seen) {
        self.machine.files = seen.files.clone();
        self.machine.files.settle();
        self.leave_alone();
        self.set_now(seen.at);
    }

    /// Has nothing be done beside it.
    pub(in super::super) fn leave_alone(&mut self) {
        self.beside = Beside::default();
    }

    /// Returns the name of the host.
    pub(in super::super) fn hostname(&self) -> &str {
        &self.machine.hostname
    }

    /// Notes that a server listens.
    pub(super) fn listen(&mut self, server: Server) {
        self.beside.servers.push(server);
    }

    /// Does what is done beside it before a time; at that, too, if it does nothing more itself.
    pub(super) fn look_until(&mut self, until: Duration, is_last: bool) {
        let is_due = |at: Duration| at < until || is_last && at == until;
        loop {
            let change = self.beside.changes.get(self.beside.made).map(|change| change.at);
            let look = self.beside.looks.get(self.beside.looked).copied();
            match (change.filter(|at| is_due(*at)), look.filter(|at| is_due(*at))) {
                (Some(change), look) if look.is_none_or(|look| change <= look) => {
                    let written = self.beside.changes[self.beside.made].clone();
                    self.beside.made += 1;
                    self.machine.files.put(written);
                }
                (_, Some(at)) => {
                    self.beside.looked += 1;
                    let seen = Seen {
                        at,
                        files: self.machine.files.clone(),
                        servers: self.beside.servers.clone(),
                        is_known: true,
                    };
                    self.beside.seen.push(seen);
                }
                _ => return,
            }
        }
    }

    /// Returns what was seen of it, and of what it does not do any more.
    pub(in super::super) fn into_seen(mut self, is_known: bool) -> Vec<Seen> {
        if let Some(until) = self.until {
            let own = self.beside.seen.len();
            self.look_until(until, true);
            self.beside.seen[own..].iter_mut().for_each(|seen| seen.is_known = is_known);
        }
        self.beside.seen
    }
}
