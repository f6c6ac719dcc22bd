//! Processes at the other end of a connection: commands in containers, and the containers themselves.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/>.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use json_tree::{Value, json};

use super::Protocol;
use super::channels::{Input, Received};
use crate::kubelet::{Chunks, Output, Peer, Process, Streams};
use apimachinery::status::Status;

/// The channels of a process.
pub(super) const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;

/// The kinds of connections to processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemoteCommand {
    /// To a command, of these words.
    Exec(Vec<String>),
    /// To the process of a container.
    Attach,
}

/// Makes the server's end of a connection to a process, or to a kubelet that says why there is none.
pub(crate) fn peer(
    protocol: &'static Protocol,
    streams: Streams,
    command: RemoteCommand,
    process: Result<Process, String>,
) -> Peer {
    Box::new(move |messages| {
        let mut session = Session {
            protocol,
            streams,
            command,
            messages,
            stdin: Input::default(),
            output: None,
            last: None,
        };
        match process {
            Ok(process) => {
                let (input, receiver) = Input::new();
                if streams.stdin {
                    session.stdin = input;
                }
                session.output = Some(process(Box::pin(receiver)));
            }
            Err(why) => {
                session.last = Some(session.write(ERROR, &internal_error(&why)));
            }
        }
        // An empty message says that the connection is there.
        let lowest = match streams {
            Streams { stdout: true, .. } => STDOUT,
            Streams { stderr: true, .. } => STDERR,
            _ => ERROR,
        };
        let first = protocol.write(lowest, b"");
        Box::pin(futures::stream::iter([first]).chain(session))
    })
}

/// A connection to a process.
struct Session {
    protocol: &'static Protocol,
    streams: Streams,
    command: RemoteCommand,
    messages: Chunks,
    stdin: Input,
    /// The output of the process, until it ends.
    output: Option<Pin<Box<dyn Stream<Item = Output> + Send>>>,
    /// The last message, if there is one.
    last: Option<Bytes>,
}

impl Session {
    fn write(&self, channel: u8, data: &[u8]) -> Bytes {
        self.protocol.write(channel, data)
    }

    /// Takes what the client sends, as far as there is room for it. Reports whether the client is still there.
    fn take_in(&mut self, cx: &mut Context<'_>) -> bool {
        while self.stdin.poll_ready(cx).is_ready() {
            let Poll::Ready(message) = self.messages.poll_next_unpin(cx) else { break };
            match message.map(|message| self.protocol.read(&message)) {
                Some(Received::Data(STDIN, data)) => self.stdin.send(data),
                Some(Received::Closed(STDIN)) => self.stdin.close(),
                // The size of a terminal comes over a channel of its own; nothing here has a width.
                Some(Received::Data(..) | Received::Nothing) => {}
                Some(Received::Closed(channel)) if channel <= ERROR + 1 => {}
                Some(Received::Closed(_) | Received::Broken) | None => return false,
            }
        }
        true
    }

    /// Returns the text that tells of the end of the process, if there is one.
    fn end(&self, end: &Result<u8, String>) -> Option<Vec<u8>> {
        let Protocol { is_translated, tells_status, .. } = *self.protocol;
        match end {
            Ok(0) => tells_status.then(|| status(is_translated, "Success", json!({}))),
            Ok(code) => {
                let seen = match &self.command {
                    RemoteCommand::Exec(words) if !is_translated => {
                        format!("error executing command [{}], exit code {code}", words.join(" "))
                    }
                    _ => format!("command terminated with exit code {code}"),
                };
                let message = ["command terminated with non-zero exit code: ", &seen].concat();
                if !tells_status {
                    return Some(message.into_bytes());
                }
                let details = json!({"causes": [{"reason": "ExitCode", "message": code.to_string()}]});
                let more = json!({"message": message, "reason": "NonZeroExitCode", "details": details});
                Some(status(is_translated, "Failure", more))
            }
            Err(why) => {
                let doing = match self.command {
                    RemoteCommand::Exec(_) => "error executing command in container: ",
                    RemoteCommand::Attach => "error attaching to container: ",
                };
                let message = ["Internal error occurred: ", doing, why].concat();
                Some(match (is_translated, tells_status) {
                    // kube-apiserver passes on what a kubelet says as an error of its own.
                    (true, _) => internal_error(&message),
                    (false, true) => {
                        let more = json!({"message": message, "reason": "InternalError", "code": 500});
                        status(false, "Failure", more)
                    }
                    (false, false) => message.into_bytes(),
                })
            }
        }
    }
}

/// Writes a Status without a kind, as Go does that of kube-apiserver; that of a kubelet has no metadata either.
fn status(has_metadata: bool, status: &str, more: Value) -> Vec<u8> {
    let mut object =
        if has_metadata { json!({"metadata": {}, "status": status}) } else { json!({"status": status}) };
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    codec::json::to_vec(&object)
}

/// Writes the Status of an error of kube-apiserver.
fn internal_error(why: &str) -> Vec<u8> {
    let mut status = Status::internal_error(why).to_value();
    if let Value::Object(status) = &mut status {
        status.retain(|key, _| key != "kind" && key != "apiVersion");
    }
    codec::json::to_vec(&status)
}

impl Stream for Session {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !self.take_in(cx) {
            self.output = None;
            return Poll::Ready(None);
        }
        loop {
            let Some(output) = &mut self.output else { return Poll::Ready(self.last.take()) };
            let (channel, data) = match output.poll_next_unpin(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Output::Stdout(data))) if self.streams.stdout => (STDOUT, data),
                Poll::Ready(Some(Output::Stderr(data))) if self.streams.stderr => (STDERR, data),
                Poll::Ready(Some(Output::Stdout(_) | Output::Stderr(_))) => continue,
                Poll::Ready(Some(Output::End(end))) => {
                    self.output = None;
                    self.last = self.end(&end).map(|text| self.write(ERROR, &text));
                    continue;
                }
                Poll::Ready(None) => {
                    self.output = None;
                    continue;
                }
            };
            return Poll::Ready(Some(self.write(channel, &data)));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream::{iter, pending};

    use super::super::REMOTE_COMMAND;
    use super::*;

    const ALL: Streams = Streams { stdin: true, stdout: true, stderr: true, tty: false };

    /// Returns a process that writes its standard input to its standard output, and ends.
    fn cat(end: Result<u8, &'static str>) -> Result<Process, String> {
        Ok(Box::new(move |stdin| {
            let end = Output::End(end.map_err(str::to_owned));
            let warning = Output::Stderr(Bytes::from_static(b"!"));
            Box::pin(stdin.map(Output::Stdout).chain(iter([warning, end])))
        }))
    }

    #[track_caller]
    fn check(
        protocol: &str,
        streams: Streams,
        process: Result<Process, String>,
        sent: &[&'static [u8]],
        expected: &[&str],
    ) {
        let protocol = REMOTE_COMMAND.web_socket.iter().find(|own| own.name == protocol).expect("a protocol");
        let command = RemoteCommand::Exec(vec!["sh".to_owned(), "-c".to_owned()]);
        let sent: Vec<Bytes> = sent.iter().map(|message| Bytes::from_static(message)).collect();
        let peer = peer(protocol, streams, command, process);
        let received: Vec<Bytes> = block_on(peer(Box::pin(iter(sent).chain(pending()))).collect());
        let received: Vec<_> = received.iter().map(|message| String::from_utf8_lossy(message)).collect();
        assert_eq!(received, expected);
    }

    #[test]
    fn commands() {
        let close = b"\xff\0";
        let v5 = "v5.channel.k8s.io";
        check(
            v5,
            ALL,
            cat(Ok(0)),
            &[b"\0a", b"\x04{}", b"", b"\0b", close, b"\0late"],
            &["\x01", "\x01a", "\x01b", "\x02!", "\x03{\"metadata\":{},\"status\":\"Success\"}"],
        );
        let only = |stdout, stderr| Streams { stdout, stderr, ..Streams::default() };
        let failed = "\x03{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: \
                      command terminated with exit code 3\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":\
                      [{\"reason\":\"ExitCode\",\"message\":\"3\"}]}}";
        check(v5, only(false, true), cat(Ok(3)), &[b"\0a"], &["\x02", "\x02!", failed]);
        let failed = "\x03{\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: error executing \
                      command [sh -c], exit code 3\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\
                      \"ExitCode\",\"message\":\"3\"}]}}";
        check("v4.channel.k8s.io", only(false, false), cat(Ok(3)), &[], &["\x03", failed]);
        check(
            "v4.channel.k8s.io",
            only(false, false),
            cat(Ok(0)),
            &[],
            &["\x03", "\x03{\"status\":\"Success\"}"],
        );
        check("channel.k8s.io", only(false, false), cat(Ok(0)), &[], &["\x03"]);
        check(
            "",
            only(true, false),
            cat(Ok(1)),
            &[],
            &[
                "\x01",
                "\x03command terminated with non-zero exit code: error executing command [sh -c], exit code 1",
            ],
        );
        check("base64.channel.k8s.io", only(false, true), cat(Ok(0)), &[], &["2", "2IQ=="]);
    }

    #[test]
    fn commands_that_cannot_be_started() {
        let only = Streams { stdout: true, ..Streams::default() };
        let inner = "Internal error occurred: error executing command in container: no";
        check(
            "v5.channel.k8s.io",
            only,
            cat(Err("no")),
            &[],
            &[
                "\x01",
                &[
                    "\x03{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Internal error occurred: ",
                    inner,
                    "\",\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":\"",
                    inner,
                    "\"}]},\"code\":500}",
                ]
                .concat(),
            ],
        );
        check(
            "v4.channel.k8s.io",
            only,
            cat(Err("no")),
            &[],
            &[
                "\x01",
                &[
                    "\x03{\"status\":\"Failure\",\"message\":\"",
                    inner,
                    "\",\"reason\":\"InternalError\",\"code\":500}",
                ]
                .concat(),
            ],
        );
        check("channel.k8s.io", only, cat(Err("no")), &[], &["\x01", &["\x03", inner].concat()]);
        let why = "unable to upgrade connection: container not found (\\\"c\\\")";
        check(
            "v5.channel.k8s.io",
            only,
            Err("unable to upgrade connection: container not found (\"c\")".to_owned()),
            &[],
            &[
                "\x01",
                &[
                    "\x03{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Internal error occurred: ",
                    why,
                    "\",\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":\"",
                    why,
                    "\"}]},\"code\":500}",
                ]
                .concat(),
            ],
        );
    }

    #[test]
    fn a_client_that_goes_away_ends_it() {
        let protocol = &REMOTE_COMMAND.web_socket[0];
        for (last, expected) in [(&b"\xff\x09"[..], 1), (b"\xff", 1), (b"\x01", 1)] {
            let peer = peer(protocol, ALL, RemoteCommand::Attach, cat(Ok(0)));
            let messages = iter([Bytes::from_static(last)]);
            assert_eq!(block_on(peer(Box::pin(messages)).count()), expected);
        }
    }
}
