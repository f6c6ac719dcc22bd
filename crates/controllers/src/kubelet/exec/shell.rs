//! A shell: it runs the programs that there are, with the variables, files and streams that it is told.

use std::time::Duration;

use super::Machine;
use super::beside::Beside;
use super::files::{Files, Written, resolve};
use super::images::lack;
use super::places::Place;
use super::ran::{Piece, Ran, Target};
use super::syntax::{Stage, Word, assignment, parse};
use super::variables::{Environment, set};

/// A program: it takes the words behind its name, and returns its exit code.
pub(super) type Program = fn(&mut Run<'_>, &[String]) -> u8;

/// Finds the program with a name.
pub(super) type Find = fn(&str) -> Option<Program>;

/// The most bytes of a text.
const LONGEST_TEXT: usize = 64 * 1024;

/// The most bytes that one text has programs write or read.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The same for a log, which may go on for long, and the bytes that each command costs there.
const MOST_BYTES_OF_LOG: usize = 64 * 1024 * 1024;
const COST_OF_LOG: usize = 256;

/// The most commands of a log that are run without a pause.
const MOST_AT_ONCE: usize = 10_000;

/// The bytes that a command costs beside those of its variables, as if they were written.
const COST: usize = 512;

/// The most bytes of the words of a command.
pub(super) const LONGEST_WORDS: usize = 128 * 1024;

/// The most programs and shells that run within each other.
pub(super) const DEEPEST: usize = 8;

/// The file that has nothing, and keeps nothing.
pub(super) const NULL: &str = "/dev/null";

/// The shells that there are.
const SHELLS: [&str; 4] = ["sh", "ash", "bash", "dash"];

/// The kinds of commands that somebody has run in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Command {
    /// A shell that reads lines.
    Shell,
    /// A shell that runs a text.
    Script(String),
    Program,
    /// There is no program of this name.
    Missing(String),
}

/// Returns the text that a shell is to run, if there is one, and whether there are no options but that.
fn script(argv: &[String]) -> Option<(&str, bool)> {
    let place = argv.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    // Nothing to run is what is run then.
    let script = argv.get(place + 1).map(String::as_str).unwrap_or_default();
    Some((script, place == 1 && argv[place] == "-c"))
}

/// Returns the last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The ways in which a loop is left before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Break,
    Continue,
}

/// A shell.
#[derive(Clone, Debug)]
pub(in super::super) struct Shell {
    pub(super) machine: Machine,
    find: Find,
    pub(super) directory: String,
    /// The variables that programs do not see.
    pub(super) own: Vec<(String, String)>,
    /// The exit code of the last command.
    pub(super) code: u8,
    pub(super) depth: usize,
    /// The bytes that may still be written and read.
    pub(super) budget: usize,
    /// The time up to which output is wanted, and the first that comes after it; `None`: all output.
    pub(super) until: Option<Duration>,
    /// True once that was written, or the time is over at which it halts.
    pub(super) is_late: bool,
    /// True if it does nothing after that time, and nothing of which it is not known what it does.
    pub(super) halts: bool,
    /// True once it was said that there is no budget left.
    has_complained: bool,
    /// The commands since time has passed.
    pub(super) at_once: usize,
    /// The loops within which a command is run.
    pub(super) loops: usize,
    /// The way in which a loop is left.
    pub(super) leaving: Option<Leave>,
    /// The random numbers that were asked for.
    pub(super) randoms: u64,
    /// The changes that others make while it runs, and looks at it.
    pub(super) beside: Beside,
    /// The pieces, but for their output, of commands whose output is part of a word, and the exit code of the last of them.
    pub(super) aside: (Vec<Piece>, Option<u8>),
}

/// A standard input, and whether it was read.
#[derive(Debug, Default)]
pub(super) struct Stdin {
    pub(super) bytes: Vec<u8>,
    pub(super) is_read: bool,
}

/// The surroundings of one program.
pub(super) struct Run<'a> {
    pub(super) shell: &'a mut Shell,
    pub(super) environment: Environment,
    pub(super) stdin: &'a mut Stdin,
    pub(super) ran: Ran,
}

impl Run<'_> {
    /// Takes the standard input.
    pub(super) fn read(&mut self) -> Vec<u8> {
        self.stdin.is_read = true;
        std::mem::take(&mut self.stdin.bytes)
    }

    /// Writes to the standard output.
    pub(super) fn print(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.shell.budget);
        self.shell.budget -= count;
        self.shell.note_output();
        self.ran.write(&bytes[..count]);
    }

    /// Runs another program in the same surroundings.
    pub(super) fn start(&mut self, argv: &[String]) -> u8 {
        if self.shell.depth == DEEPEST {
            self.complain(&["sh: too many programs within each other"]);
            return 126;
        }
        self.shell.depth += 1;
        let ran = self.shell.start(argv, self.environment.clone(), self.stdin);
        self.shell.depth -= 1;
        self.ran.pieces.extend(ran.pieces);
        ran.code
    }

    /// Writes a line to the standard error.
    pub(super) fn complain(&mut self, words: &[&str]) {
        self.ran.complain(words);
    }

    /// Notes that the real program might do something else from here on.
    pub(super) fn guess(&mut self) {
        self.ran.pieces.push(Piece::Unknown);
    }

    /// Notes the same, unless it is known that there is nothing at a path that was not found.
    pub(super) fn guess_of(&mut self, path: &str) {
        if !self.shell.machine.files.is_known(path) {
            self.guess();
        }
    }
}

impl Shell {
    /// Makes a shell that knows some programs.
    pub(super) fn new(machine: Machine, find: Find) -> Self {
        Self {
            machine,
            find,
            directory: String::new(),
            own: Vec::new(),
            code: 0,
            depth: 0,
            budget: MOST_BYTES,
            until: None,
            is_late: false,
            halts: false,
            has_complained: false,
            at_once: 0,
            loops: 0,
            leaving: None,
            randoms: 0,
            beside: Beside::default(),
            aside: (Vec::new(), None),
        }
    }

    /// Returns the kind of a command.
    pub(in super::super) fn kind(&self, argv: &[String]) -> Command {
        let name = argv.first().map(String::as_str).unwrap_or_default();
        if SHELLS.contains(&base(name)) {
            return script(argv).map_or(Command::Shell, |(script, _)| Command::Script(script.to_owned()));
        }
        if self.program(name).is_some() { Command::Program } else { Command::Missing(name.to_owned()) }
    }

    /// Returns the program with a name, or at a path, if the image has it.
    fn program(&self, name: &str) -> Option<Program> {
        (self.find)(base(name)).filter(|_| !lack(&self.machine.files, base(name)))
    }

    /// Has it begin in a directory, if that is one.
    pub(in super::super) fn go_to(&mut self, directory: &str) {
        self.directory = resolve("", directory);
    }

    /// Tells it the time.
    pub(in super::super) fn set_now(&mut self, now: Duration) {
        self.machine.now = now;
        self.machine.files.set_now(now);
    }

    /// Returns the files that its programs find.
    pub(in super::super) fn files(&self) -> &Files {
        &self.machine.files
    }

    /// Takes all that there is as what was there before.
    pub(in super::super) fn settle(&mut self) {
        self.machine.files.settle();
    }

    /// Returns the places of what its programs write.
    pub(in super::super) fn places(&self) -> &[Place] {
        &self.machine.places
    }

    /// Makes changes to its files that were made elsewhere.
    pub(in super::super) fn put(&mut self, written: impl IntoIterator<Item = Written>) {
        written.into_iter().for_each(|written| self.machine.files.put(written));
    }

    /// Tells it the exit code of the last command.
    pub(in super::super) fn set_code(&mut self, code: u8) {
        self.code = code;
    }

    /// Returns the words before a line that somebody types.
    pub(in super::super) fn prompt(&self) -> String {
        let directory = if self.directory.is_empty() { "/" } else { &self.directory };
        [directory, " # "].concat()
    }

    /// Has it stop once it has written something after a time; until then it may run for long.
    pub(in super::super) fn run_until(&mut self, until: Duration) {
        self.until = Some(until);
    }

    /// Returns the time.
    pub(in super::super) fn now(&self) -> Duration {
        self.machine.now
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Duration) {
        let now = self.machine.now.saturating_add(time);
        self.look_until(now, false);
        self.set_now(now);
        if !time.is_zero() {
            self.at_once = 0;
        }
        self.is_late |= self.halts && self.until.is_some_and(|until| self.machine.now > until);
    }

    /// Runs a text.
    pub(in super::super) fn run(&mut self, text: &str, stdin: &[u8]) -> Ran {
        self.refill();
        self.run_text(text, &mut Stdin { bytes: stdin.to_vec(), is_read: false })
    }

    /// Runs a program.
    pub(in super::super) fn run_program(&mut self, argv: &[String], stdin: &[u8]) -> Ran {
        self.refill();
        let environment = self.machine.environment.clone();
        let mut stdin = Stdin { bytes: stdin.to_vec(), is_read: false };
        let mut ran = self.start(argv, environment, &mut stdin);
        ran.reads_stdin = stdin.is_read;
        ran
    }

    /// Says once that there is no budget left, if there is none; reports whether that is so.
    pub(super) fn complains_of_budget(&mut self, ran: &mut Ran) -> bool {
        let is_spent = self.budget == 0;
        if is_spent && !std::mem::replace(&mut self.has_complained, true) {
            ran.pieces.extend(Ran::unknown(&["sh: too much output"], 1).pieces);
        }
        is_spent
    }

    /// Charges a command: also those that write nothing take time.
    pub(super) fn charge(&mut self) {
        self.at_once += 1;
        let cost = if self.until.is_some() {
            if self.at_once > MOST_AT_ONCE { usize::MAX } else { COST_OF_LOG }
        } else {
            let variables = self.machine.environment.iter().chain(&self.own);
            let bytes: usize = variables.map(|(name, value)| name.len() + value.len()).sum();
            COST + bytes + self.machine.files.count()
        };
        self.budget = self.budget.saturating_sub(cost);
    }

    fn refill(&mut self) {
        self.has_complained = false;
        self.budget = if self.until.is_some() { MOST_BYTES_OF_LOG } else { MOST_BYTES };
    }

    /// Takes note that something is written.
    pub(super) fn note_output(&mut self) {
        self.is_late |= self.until.is_some_and(|until| self.machine.now > until);
    }

    /// Reports whether nothing more is to be run.
    pub(super) fn is_over(&self) -> bool {
        self.budget == 0 || self.is_late
    }

    fn run_text(&mut self, text: &str, stdin: &mut Stdin) -> Ran {
        let list =
            if text.len() > LONGEST_TEXT { Err("the text is too long".to_owned()) } else { parse(text) };
        match list {
            Ok(list) => {
                let ran = self.run_list(&list, stdin);
                Ran { reads_stdin: stdin.is_read, ..ran }
            }
            Err(why) => {
                self.code = 2;
                Ran::unknown(&["sh: ", &why], 2)
            }
        }
    }

    /// Makes a shell that is as this one, and whose variables and loops are its own.
    pub(super) fn within(&self) -> Self {
        let beside = self.beside.within();
        Self { loops: 0, leaving: None, aside: (Vec::new(), None), beside, ..self.clone() }
    }

    /// Takes over what remains of a shell within this one.
    pub(super) fn take_back(&mut self, shell: Self) {
        self.budget = shell.budget;
        self.machine.files = shell.machine.files;
        self.machine.now = shell.machine.now;
        self.at_once = shell.at_once;
        self.randoms = shell.randoms;
        self.has_complained |= shell.has_complained;
        self.is_late |= shell.is_late;
        self.aside.0.extend(shell.aside.0);
        self.beside.take_back(shell.beside);
    }

    /// Runs a command with its words.
    pub(super) fn run_simple(&mut self, stage: &Stage, words: &[Word], stdin: &mut Stdin) -> Ran {
        self.charge();
        let ran = self.run_words(stage, words, stdin);
        // What commands within words have done beside their output comes first.
        let mut pieces = std::mem::take(&mut self.aside.0);
        pieces.extend(ran.pieces);
        Ran { pieces, ..ran }
    }

    fn run_words(&mut self, stage: &Stage, words: &[Word], stdin: &mut Stdin) -> Ran {
        let mut words = words;
        let mut assigned = Vec::new();
        self.aside.1 = None;
        while let Some((name, value)) = words.first().and_then(assignment) {
            let value = self.expand(&value).join(" ");
            if value.len() > LONGEST_WORDS {
                return Ran::unknown(&["sh: the value is too long"], 1);
            }
            assigned.push((name, value));
            words = &words[1..];
        }
        let (mut argv, mut length) = (Vec::new(), 0);
        for word in words {
            for word in self.expand(word) {
                length += word.len() + 1;
                argv.push(word);
            }
            if length > LONGEST_WORDS {
                return Ran::unknown(&["sh: argument list too long"], 126);
            }
        }
        let (mut out, mut err, mut input) = (Target::Stdout, Target::Stderr, None);
        for redirection in &stage.redirections {
            if let Err(why) = self.redirect(redirection, (&mut out, &mut err), &mut input) {
                return Ran::unknown(&["sh: ", &why], 1);
            }
        }
        let Some(name) = argv.first() else {
            for (name, value) in assigned {
                self.assign(&name, value);
            }
            return Ran { code: self.aside.1.unwrap_or_default(), ..Ran::default() };
        };
        let stdin = input.as_mut().unwrap_or(stdin);
        let ran = match name.as_str() {
            "cd" => self.change_directory(argv.get(1)),
            "exit" => {
                let code = argv.get(1).map_or(Ok(self.code), |code| code.parse());
                return Ran { code: code.unwrap_or(2), has_exited: true, ..Ran::default() };
            }
            "export" => self.export(&argv[1..]),
            "unset" => {
                self.own.retain(|(own, _)| !argv[1..].contains(own));
                self.machine.environment.retain(|(own, _)| !argv[1..].contains(own));
                Ran::default()
            }
            ":" => Ran::default(),
            "exec" if argv.len() > 1 => {
                let ran = self.start(&argv[1..], self.machine.environment.clone(), stdin);
                Ran { has_exited: true, ..ran }
            }
            "break" if argv.len() == 1 && self.loops > 0 => self.leave(Leave::Break),
            "continue" if argv.len() == 1 && self.loops > 0 => self.leave(Leave::Continue),
            // Options of the shell are not looked at.
            "set" => Ran { pieces: vec![Piece::Unknown], ..Ran::default() },
            _ => {
                let mut environment = self.machine.environment.clone();
                assigned.into_iter().for_each(|(name, value)| set(&mut environment, &name, value));
                self.start(&argv, environment, stdin)
            }
        };
        self.route(ran, &out, &err)
    }

    /// Runs a program, or another shell.
    pub(super) fn start(
        &mut self,
        argv: &[String],
        environment: Vec<(String, String)>,
        stdin: &mut Stdin,
    ) -> Ran {
        let Some(name) = argv.first() else { return Ran::default() };
        if SHELLS.contains(&base(name)) {
            return self.run_shell(argv, environment, stdin);
        }
        let Some(program) = self.program(name) else {
            self.note_output();
            return Ran::unknown(&["sh: ", name, ": not found"], 127);
        };
        let mut run = Run { shell: self, environment, stdin, ran: Ran::default() };
        let code = program(&mut run, &argv[1..]);
        Ran { code, ..run.ran }
    }

    fn run_shell(&mut self, argv: &[String], environment: Vec<(String, String)>, stdin: &mut Stdin) -> Ran {
        if self.depth == DEEPEST {
            return Ran::failed(&["sh: too many shells within each other"], 126);
        }
        let mut shell = self.within();
        shell.machine.environment = environment;
        shell.own.clear();
        shell.depth += 1;
        let ran = match script(argv) {
            Some((script, is_plain)) => {
                let mut ran = shell.run_text(script, stdin);
                if !is_plain {
                    // Options of the shell are not looked at.
                    ran.pieces.insert(0, Piece::Unknown);
                }
                ran
            }
            None => {
                stdin.is_read = true;
                let text = String::from_utf8_lossy(&std::mem::take(&mut stdin.bytes)).into_owned();
                shell.run_text(&text, stdin)
            }
        };
        self.take_back(shell);
        Ran { has_exited: false, ..ran }
    }
}
