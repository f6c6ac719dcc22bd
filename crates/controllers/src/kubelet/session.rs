//! Sessions: commands that somebody has run in a container, with what goes in and comes out.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/>.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{Chunks, Output, Process, Streams};
use bytes::Bytes;
use clock::Clock;
use futures::channel::mpsc::{Sender, channel};
use futures::future::{Either, ready, select};
use futures::stream::{PollNext, once, select_with_strategy};
use futures::{SinkExt, Stream, StreamExt};
use golang::strconv::quote;

use super::exec::{Command, Event, Piece, Ran, Shell, Terminal, to_terminal};
use super::volumes::Volumes;

/// The most bytes that a command reads at once.
const LONGEST_INPUT: usize = 4 * 1024 * 1024;

/// The most bytes of a line that are kept.
const LONGEST_LINE: usize = 128 * 1024;

/// The exit code of a command that was interrupted.
const INTERRUPTED: u8 = 130;

/// Prepares to run a command in a shell, which finds and writes the files of volumes.
pub(super) fn process(
    (shell, volumes): (Shell, Volumes),
    argv: Vec<String>,
    streams: Streams,
    clock: Arc<dyn Clock>,
) -> Process {
    Box::new(move |stdin| {
        let (sender, receiver) = channel(0);
        let terminal = streams.tty.then(Terminal::default);
        let session = Session {
            shell,
            volumes,
            clock,
            stdin,
            sender,
            terminal,
            events: VecDeque::new(),
            line: Vec::new(),
            has_input: streams.stdin,
        };
        // Nobody is there any more to be told of what fails here.
        let work = once(async move { session.run(argv).await.unwrap_or_default() });
        let nothing = work.filter_map(|()| ready(None::<Output>));
        // First it works, and then it is seen what has come of that.
        let first = |_: &mut ()| PollNext::Left;
        Box::pin(select_with_strategy(nothing, receiver, first)) as Pin<Box<dyn Stream<Item = Output> + Send>>
    })
}

/// A command that is run. `None` everywhere: whoever looked at its output is gone.
struct Session {
    shell: Shell,
    volumes: Volumes,
    clock: Arc<dyn Clock>,
    stdin: Chunks,
    sender: Sender<Output>,
    terminal: Option<Terminal>,
    /// The events of the terminal, or the lines of the input, that nobody has looked at.
    events: VecDeque<Event>,
    /// The begin of a line.
    line: Vec<u8>,
    /// True for as long as more may come.
    has_input: bool,
}

impl Session {
    /// Has the shell see the time, and the files as they are now.
    fn look(&mut self) {
        let now = self.clock.now();
        self.shell.set_now(now);
        self.volumes.look(&mut self.shell, now);
    }

    async fn run(mut self, argv: Vec<String>) -> Option<()> {
        self.look();
        let end = match self.shell.kind(&argv) {
            Command::Shell => Ok(self.interact().await?),
            Command::Script(script) => Ok(self.once(|shell, stdin| shell.run(&script, stdin)).await?),
            Command::Program => Ok(self.once(|shell, stdin| shell.run_program(&argv, stdin)).await?),
            // The text of a container runtime.
            Command::Missing(name) => Err([
                "failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: ",
                &quote(&name),
                ": executable file not found in $PATH",
            ]
            .concat()),
        };
        self.sender.send(Output::End(end)).await.ok()
    }

    /// Runs what ends by itself. Its input is waited for only if it reads any.
    async fn once(&mut self, run: impl Fn(&mut Shell, &[u8]) -> Ran) -> Option<u8> {
        let mut shell = self.shell.clone();
        let mut ran = run(&mut shell, b"");
        if ran.reads_stdin && self.has_input {
            let Some(input) = self.read().await? else { return Some(INTERRUPTED) };
            shell = self.shell.clone();
            ran = run(&mut shell, &input);
        }
        self.volumes.keep(&shell);
        self.play(ran.pieces).await.map(|is_whole| if is_whole { ran.code } else { INTERRUPTED })
    }

    /// Reads the whole input, unless somebody interrupts it.
    async fn read(&mut self) -> Option<Option<Vec<u8>>> {
        let mut input = Vec::new();
        while input.len() < LONGEST_INPUT {
            if self.terminal.is_none() {
                let Some(bytes) = self.stdin.next().await else { break };
                input.extend_from_slice(&bytes);
                continue;
            }
            match self.next().await? {
                Event::Line(line) => input.extend_from_slice(&[line.as_bytes(), b"\n"].concat()),
                Event::EndOfInput => break,
                Event::Interrupt => return Some(None),
            }
        }
        Some(Some(input))
    }

    /// Runs lines until there are no more.
    async fn interact(&mut self) -> Option<u8> {
        let mut code = 0;
        loop {
            if self.terminal.is_some() {
                let prompt = self.shell.prompt();
                self.write(prompt.into_bytes()).await?;
            }
            let line = match self.next().await? {
                Event::Line(line) => line,
                Event::Interrupt => continue,
                Event::EndOfInput => break,
            };
            self.look();
            let ran = self.shell.run(&line, b"");
            self.volumes.keep(&self.shell);
            code = ran.code;
            if !self.play(ran.pieces).await? {
                code = INTERRUPTED;
                self.shell.set_code(code);
            } else if ran.has_exited {
                return Some(code);
            }
        }
        if self.terminal.is_some() {
            self.write(b"\n".to_vec()).await?;
        }
        Some(code)
    }

    /// Returns what comes next. What is typed is seen.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if !self.has_input {
                return Some(Event::EndOfInput);
            }
            match self.stdin.next().await {
                Some(bytes) => self.take_in(&bytes).await?,
                None => self.close(),
            }
        }
    }

    async fn take_in(&mut self, bytes: &[u8]) -> Option<()> {
        if let Some(terminal) = &mut self.terminal {
            let (echo, events) = terminal.feed(bytes);
            self.events.extend(events);
            return if echo.is_empty() { Some(()) } else { self.send(Output::Stdout(echo.into())).await };
        }
        for byte in bytes {
            match byte {
                b'\n' => self.end_line(),
                // The shell says of a line that is longer that it is too long.
                _ if self.line.len() > LONGEST_LINE => {}
                _ => self.line.push(*byte),
            }
        }
        Some(())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.events.push_back(Event::Line(String::from_utf8_lossy(&line).into_owned()));
    }

    /// Takes note that nothing more comes.
    fn close(&mut self) {
        self.has_input = false;
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    /// Writes what a command has written, and waits where it has. Reports whether all of it was, and nobody has interrupted it.
    async fn play(&mut self, pieces: Vec<Piece>) -> Option<bool> {
        for piece in pieces {
            match piece {
                Piece::Stdout(bytes) => self.write(bytes).await?,
                Piece::Stderr(bytes) if self.terminal.is_some() => self.write(bytes).await?,
                Piece::Stderr(bytes) => self.send(Output::Stderr(bytes.into())).await?,
                Piece::Unknown => {}
                Piece::Sleep(time) => {
                    if !self.sleep(time).await? {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    }

    /// Waits. Reports whether nobody has interrupted it.
    async fn sleep(&mut self, time: Duration) -> Option<bool> {
        let mut sleep = self.clock.sleep(time);
        while self.has_input && self.terminal.is_some() {
            match select(sleep, self.stdin.next()).await {
                Either::Left(_) => return Some(true),
                Either::Right((Some(bytes), rest)) => {
                    sleep = rest;
                    self.take_in(&bytes).await?;
                }
                Either::Right((None, rest)) => {
                    sleep = rest;
                    self.close();
                }
            }
            if self.events.contains(&Event::Interrupt) {
                self.events.clear();
                return Some(false);
            }
        }
        sleep.await;
        Some(true)
    }

    /// Writes to the standard output.
    async fn write(&mut self, bytes: Vec<u8>) -> Option<()> {
        let bytes = if self.terminal.is_some() { to_terminal(&bytes) } else { bytes };
        self.send(Output::Stdout(Bytes::from(bytes))).await
    }

    async fn send(&mut self, output: Output) -> Option<()> {
        self.sender.send(output).await.ok()
    }
}
