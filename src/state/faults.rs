//! Lets the next request of whoever sits in front of the page fail.

use leptos::prelude::*;
use protocol::command::{Command, Done};
use protocol::trace::Fault as How;

use crate::cluster::{Request, Which};
use crate::model::messages::lab as say;
use crate::state::Page;

/// The ways to fail, and what they are called.
pub(crate) const FAULTS: &[(How, &str)] = &[
    (How::TooManyRequests, "429 Too Many Requests"),
    (How::InternalError, "500 Internal Server Error"),
    (How::Unavailable, "503 Service Unavailable"),
    (How::Conflict, "409 Conflict"),
    (How::Cut, say::FAULT_CUT),
];

/// Reports whether a request can fail in that way.
fn concerns(how: How, request: &Request) -> bool {
    how != How::Conflict || matches!(request.method.as_str(), "PUT" | "PATCH" | "DELETE")
}

impl Page {
    /// Lets `request`, which is about to be sent, fail as has been asked for. Nothing else can come in between: it is
    /// sent before anybody else has a turn.
    ///
    /// Returns the number of the API server.
    pub(super) fn arm(self, which: Which, request: &Request) -> Option<usize> {
        let (how, _) = FAULTS.get(self.lab.fault.get_untracked()?)?;
        if which != Which::ThisTab || !concerns(*how, request) {
            return None;
        }
        let server = self.embedded().next();
        self.command(Command::Fail { server, count: 1, fault: *how });
        Some(server)
    }

    /// Notes that the request has been answered: it was the last to fail, or it could not fail in that way.
    pub(super) async fn disarm(self, server: usize) {
        let left = self.embedded().command(Command::ClearFaults { server }).await;
        if left == Ok(Done::Cleared(0)) {
            self.lab.fault.set(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_of_an_object_conflict() {
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let concerned = |how| {
            methods.map(|method| concerns(how, &Request { method: method.to_owned(), ..Request::default() }))
        };
        assert_eq!(concerned(How::Conflict), [false, false, true, true, true]);
        assert_eq!(concerned(How::Cut), [true; 5]);
    }
}
