//! Carries out a command: requests one after the other, and what each response leads to.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};

use json_tree::Value;

use super::print::Failure;
use super::{Printed, Step, print};
use crate::kinds::Kinds;
use crate::message::Request;

/// The function that takes the response to a request.
pub(super) type Then = Box<dyn FnOnce(&mut Shell, Reply) + Send>;

/// The function that is called at the end.
pub(super) type Finish = Box<dyn FnOnce(&mut Shell) + Send>;

/// A command that is being carried out.
pub struct Running {
    shell: Shell,
    jobs: VecDeque<(Request, Then)>,
    waiting: Option<Then>,
}

/// The text that is printed, and the requests that will be sent.
#[derive(Default)]
pub(super) struct Shell {
    sent: VecDeque<(Request, Then)>,
    printed: Printed,
    /// The values that have been gathered for the end.
    pub(super) gathered: Vec<Value>,
    /// The function that is called when nothing is left to send.
    pub(super) finish: Option<Finish>,
}

/// A response.
pub(super) struct Reply {
    /// The HTTP status code.
    pub(super) status: u16,
    /// The body.
    pub(super) body: Vec<u8>,
}

impl Shell {
    /// Sends a request, before all that is waiting.
    pub(super) fn send(&mut self, request: Request, then: impl FnOnce(&mut Self, Reply) + Send + 'static) {
        self.sent.push_back((request, Box::new(then)));
    }

    /// Prints a line.
    pub(super) fn line(&mut self, text: &str) {
        self.text(text);
        self.text("\n");
    }

    /// Prints text as it is.
    pub(super) fn text(&mut self, text: &str) {
        self.printed.text.push_str(text);
    }

    /// Prints an error in a line.
    pub(super) fn fail(&mut self, text: &str) {
        self.printed.failed = true;
        self.line(text);
    }

    /// Prints an error of a server; `doing` is what it came of: `creating`.
    pub(super) fn refused(&mut self, failure: &Failure, doing: &str) {
        self.fail(&print::error(failure, doing));
    }

    /// Returns whether anything has been printed.
    pub(super) fn is_silent(&self) -> bool {
        self.printed.text.is_empty()
    }
}

impl Reply {
    /// Returns the object in it.
    pub(super) fn object(self) -> Result<Value, Failure> {
        let object = serde_json::from_slice(&self.body);
        match object {
            Ok(object) if self.status < 300 => Ok(object),
            Ok(status) => Err(Failure { code: self.status, status }),
            Err(_) => Err(Failure { code: self.status, status: Value::from(self.text()) }),
        }
    }

    /// Returns the body as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Running {
    /// Makes a command of what it sends first, and of what it has printed already.
    pub(super) fn new(shell: Shell) -> Self {
        Self { shell, jobs: VecDeque::new(), waiting: None }
    }

    /// Goes on with the response to the request that it sent last: its status code and the whole body; there is none at first.
    /// Of a watch the body is the events so far, as lines of JSON.
    pub fn next(&mut self, kinds: &Kinds, response: Option<(u16, &[u8])>) -> Step {
        // Kinds are those of the time at which the command began, as those of kubectl are.
        let _ = kinds;
        if let (Some(then), Some((status, body))) = (self.waiting.take(), response) {
            then(&mut self.shell, Reply { status, body: body.to_vec() });
        }
        loop {
            while let Some(job) = self.shell.sent.pop_back() {
                self.jobs.push_front(job);
            }
            if let Some((request, then)) = self.jobs.pop_front() {
                self.waiting = Some(then);
                return Step::Send(request);
            }
            match self.shell.finish.take() {
                Some(finish) => finish(&mut self.shell),
                None => return Step::Done(std::mem::take(&mut self.shell.printed)),
            }
        }
    }
}

impl Debug for Running {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("printed", &self.shell.printed)
            .field("waiting", &self.waiting.is_some())
            .finish()
    }
}
