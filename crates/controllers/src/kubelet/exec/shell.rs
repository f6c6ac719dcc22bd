//! A shell: it runs the programs that there are, with the variables, files and streams that it is told.

use std::time::Duration;

use super::Machine;
use super::environment::set;
use super::files::resolve;
use super::ran::{Piece, Ran};
use super::syntax::{Part, Pipeline, Redirection, Simple, When, Word, assignment, parse};

/// A program: it takes the words behind its name, and returns its exit code.
pub(super) type Program = fn(&mut Run<'_>, &[String]) -> u8;

/// Finds the program with a name.
pub(super) type Find = fn(&str) -> Option<Program>;

/// The most bytes of a text.
const LONGEST_TEXT: usize = 64 * 1024;

/// The most bytes that one text has programs write or read.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The bytes that a command costs beside those of its variables, as if they were written.
const COST: usize = 512;

/// The most bytes of the words of a command.
const LONGEST_WORDS: usize = 128 * 1024;

/// The most programs and shells that run within each other.
const DEEPEST: usize = 8;

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

/// Returns the text that a shell is to run, if there is one.
fn script(argv: &[String]) -> Option<&str> {
    let place = argv.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    // Nothing to run is what is run then.
    Some(argv.get(place + 1).map(String::as_str).unwrap_or_default())
}

/// Returns the last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A shell.
#[derive(Clone)]
pub(in super::super) struct Shell {
    pub(super) machine: Machine,
    find: Find,
    pub(super) directory: String,
    /// The variables that programs do not see.
    own: Vec<(String, String)>,
    /// The exit code of the last command.
    code: u8,
    depth: usize,
    /// The bytes that may still be written and read.
    pub(super) budget: usize,
    /// True once a real container might have done something else: a program or a file is missing, or something is not understood.
    pub(in super::super) guesses: bool,
}

/// The surroundings of one program.
pub(super) struct Run<'a> {
    pub(super) shell: &'a mut Shell,
    pub(super) environment: Vec<(String, String)>,
    stdin: &'a mut Stdin,
    pub(super) ran: Ran,
}

/// A standard input, and whether it was read.
#[derive(Debug, Default)]
struct Stdin {
    bytes: Vec<u8>,
    is_read: bool,
}

/// The place that a stream goes to.
#[derive(Clone, Debug)]
enum Target {
    Stdout,
    Stderr,
    File(String),
    Nowhere,
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
            guesses: false,
        }
    }

    /// Returns the kind of a command.
    pub(in super::super) fn kind(&self, argv: &[String]) -> Command {
        let name = argv.first().map(String::as_str).unwrap_or_default();
        if SHELLS.contains(&base(name)) {
            return script(argv).map_or(Command::Shell, |script| Command::Script(script.to_owned()));
        }
        if (self.find)(base(name)).is_some() { Command::Program } else { Command::Missing(name.to_owned()) }
    }

    /// Has it begin in a directory, if that is one.
    pub(in super::super) fn go_to(&mut self, directory: &str) {
        self.directory = resolve("", directory);
    }

    /// Tells it the time.
    pub(in super::super) fn set_now(&mut self, now: Duration) {
        self.machine.now = now;
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

    /// Runs a text.
    pub(in super::super) fn run(&mut self, text: &str, stdin: &[u8]) -> Ran {
        self.budget = MOST_BYTES;
        self.run_within(text, &mut Stdin { bytes: stdin.to_vec(), is_read: false })
    }

    /// Runs a program.
    pub(in super::super) fn run_program(&mut self, argv: &[String], stdin: &[u8]) -> Ran {
        self.budget = MOST_BYTES;
        let environment = self.machine.environment.clone();
        let mut stdin = Stdin { bytes: stdin.to_vec(), is_read: false };
        let mut ran = self.start(argv, environment, &mut stdin);
        ran.reads_stdin = stdin.is_read;
        ran
    }

    fn run_within(&mut self, text: &str, stdin: &mut Stdin) -> Ran {
        let list =
            if text.len() > LONGEST_TEXT { Err("the text is too long".to_owned()) } else { parse(text) };
        let list = match list {
            Ok(list) => list,
            Err(why) => {
                self.guesses = true;
                self.code = 2;
                return Ran::failed(&["sh: ", &why], 2);
            }
        };
        let mut all = Ran { code: self.code, ..Ran::default() };
        for (when, pipeline) in list {
            let is_due = match when {
                When::Always => true,
                When::Succeeded => self.code == 0,
                When::Failed => self.code != 0,
            };
            if !is_due {
                continue;
            }
            if self.budget == 0 {
                all.complain(&["sh: too much output"]);
                self.guesses = true;
                self.code = 1;
                break;
            }
            let ran = self.run_pipeline(&pipeline, stdin);
            self.code = ran.code;
            all.pieces.extend(ran.pieces);
            all.has_exited = ran.has_exited;
            if ran.has_exited {
                break;
            }
        }
        all.code = self.code;
        all.reads_stdin = stdin.is_read;
        all
    }

    fn run_pipeline(&mut self, pipeline: &Pipeline, stdin: &mut Stdin) -> Ran {
        let Some((last, others)) = pipeline.split_last() else { return Ran::default() };
        let mut seen = Vec::new();
        let mut piped: Option<Stdin> = None;
        for simple in others {
            let input = piped.as_mut().unwrap_or(stdin);
            // What a command changes in a pipeline is gone with it.
            let mut shell = self.clone();
            let ran = if self.budget == 0 { Ran::default() } else { shell.run_simple(simple, input) };
            self.take_back(shell);
            let mut bytes = Vec::new();
            for piece in ran.pieces {
                match piece {
                    Piece::Stdout(more) => bytes.extend(more),
                    piece => seen.push(piece),
                }
            }
            piped = Some(Stdin { bytes, is_read: false });
        }
        let mut ran = self.run_simple(last, piped.as_mut().unwrap_or(stdin));
        seen.append(&mut ran.pieces);
        Ran { pieces: seen, ..ran }
    }

    fn run_simple(&mut self, simple: &Simple, stdin: &mut Stdin) -> Ran {
        // Commands take time, also those that write nothing.
        let variables = self.machine.environment.iter().chain(&self.own);
        let cost: usize = variables.map(|(name, value)| name.len() + value.len()).sum();
        self.budget = self.budget.saturating_sub(COST + cost + self.machine.files.count());
        let mut words = simple.words.as_slice();
        let mut assigned = Vec::new();
        while let Some((name, value)) = words.first().and_then(assignment) {
            let value = self.expand(&value).join(" ");
            if value.len() > LONGEST_WORDS {
                return Ran::failed(&["sh: the value is too long"], 1);
            }
            assigned.push((name, value));
            words = &words[1..];
        }
        let (mut argv, mut length) = (Vec::new(), 0);
        for word in words.iter().flat_map(|word| self.expand(word)) {
            length += word.len() + 1;
            argv.push(word);
            if length > LONGEST_WORDS {
                return Ran::failed(&["sh: argument list too long"], 126);
            }
        }
        let (mut out, mut err, mut input) = (Target::Stdout, Target::Stderr, None);
        for redirection in &simple.redirections {
            if let Err(why) = self.redirect(redirection, (&mut out, &mut err), &mut input) {
                return Ran::failed(&["sh: ", &why], 1);
            }
        }
        let Some(name) = argv.first() else {
            for (name, value) in assigned {
                self.assign(&name, value);
            }
            return Ran::default();
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
            "set" => {
                self.guesses = true;
                Ran::default()
            }
            _ => {
                let mut environment = self.machine.environment.clone();
                assigned.into_iter().for_each(|(name, value)| set(&mut environment, &name, value));
                self.start(&argv, environment, stdin)
            }
        };
        self.route(ran, &out, &err)
    }

    /// Runs a program, or another shell.
    fn start(&mut self, argv: &[String], environment: Vec<(String, String)>, stdin: &mut Stdin) -> Ran {
        let Some(name) = argv.first() else { return Ran::default() };
        if SHELLS.contains(&base(name)) {
            return self.run_shell(argv, environment, stdin);
        }
        let Some(program) = (self.find)(base(name)) else {
            self.guesses = true;
            return Ran::failed(&["sh: ", name, ": not found"], 127);
        };
        let mut run = Run { shell: self, environment, stdin, ran: Ran::default() };
        let code = program(&mut run, &argv[1..]);
        Ran { code, ..run.ran }
    }

    fn run_shell(&mut self, argv: &[String], environment: Vec<(String, String)>, stdin: &mut Stdin) -> Ran {
        if self.depth == DEEPEST {
            return Ran::failed(&["sh: too many shells within each other"], 126);
        }
        let mut shell = self.clone();
        shell.machine.environment = environment;
        shell.own.clear();
        shell.depth += 1;
        let ran = match script(argv) {
            Some(script) => shell.run_within(script, stdin),
            None => {
                stdin.is_read = true;
                let text = String::from_utf8_lossy(&std::mem::take(&mut stdin.bytes)).into_owned();
                shell.run_within(&text, stdin)
            }
        };
        self.take_back(shell);
        Ran { has_exited: false, ..ran }
    }

    /// Takes over what remains of a shell within this one.
    fn take_back(&mut self, shell: Self) {
        self.budget = shell.budget;
        self.machine.files = shell.machine.files;
        self.machine.now = shell.machine.now;
        self.guesses |= shell.guesses;
    }

    /// Sends output where it is to go.
    fn route(&mut self, mut ran: Ran, out: &Target, err: &Target) -> Ran {
        let pieces = std::mem::take(&mut ran.pieces);
        for piece in pieces {
            let (target, bytes) = match piece {
                Piece::Stdout(bytes) => (out, bytes),
                Piece::Stderr(bytes) => (err, bytes),
                Piece::Sleep(_) => {
                    ran.pieces.push(piece);
                    continue;
                }
            };
            match target {
                Target::Stdout => ran.pieces.push(Piece::Stdout(bytes)),
                Target::Stderr => ran.pieces.push(Piece::Stderr(bytes)),
                Target::Nowhere => {}
                Target::File(path) => {
                    if let Err(why) = self.machine.files.write(path, &bytes, true) {
                        ran.complain(&["sh: write error: ", why]);
                        ran.code = 1;
                    }
                }
            }
        }
        ran
    }

    fn redirect(
        &mut self,
        redirection: &Redirection,
        (out, err): (&mut Target, &mut Target),
        input: &mut Option<Stdin>,
    ) -> Result<(), String> {
        match redirection {
            Redirection::Input(file) => {
                let name = self.expand(file).join(" ");
                let path = resolve(&self.directory, &name);
                let bytes = if path == NULL { Some(&b""[..]) } else { self.machine.files.read(&path) };
                self.guesses |= bytes.is_none();
                let bytes = bytes.ok_or_else(|| ["can't open ", &name, ": no such file"].concat())?;
                *input = Some(Stdin { bytes: bytes.to_vec(), is_read: false });
            }
            Redirection::Output(stream, file, appends) => {
                let name = self.expand(file).join(" ");
                let path = resolve(&self.directory, &name);
                let target = if *stream == 1 { out } else { err };
                if path == NULL {
                    *target = Target::Nowhere;
                } else {
                    let opened = self.machine.files.write(&path, b"", *appends);
                    opened.map_err(|why| ["can't create ", &name, ": ", why].concat())?;
                    *target = Target::File(path);
                }
            }
            Redirection::Copy(1, _) => *out = err.clone(),
            Redirection::Copy(..) => *err = out.clone(),
        }
        Ok(())
    }

    fn change_directory(&mut self, to: Option<&String>) -> Ran {
        let to = to.cloned().unwrap_or_else(|| self.variable("HOME"));
        let path = resolve(&self.directory, &to);
        if !self.machine.files.is_directory(&path) {
            self.guesses = true;
            return Ran::failed(&["sh: cd: can't cd to ", &to, ": No such file or directory"], 1);
        }
        self.directory = path;
        Ran::default()
    }

    fn export(&mut self, words: &[String]) -> Ran {
        for word in words {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None => (word.as_str(), self.variable(word)),
            };
            self.own.retain(|(own, _)| own != name);
            set(&mut self.machine.environment, name, value);
        }
        Ran::default()
    }

    fn assign(&mut self, name: &str, value: String) {
        let is_exported = self.machine.environment.iter().any(|(own, _)| own == name);
        set(if is_exported { &mut self.machine.environment } else { &mut self.own }, name, value);
    }

    /// Returns the value of a variable; empty if there is none.
    fn variable(&self, name: &str) -> String {
        match name {
            "?" => self.code.to_string(),
            "$" => "1".to_owned(),
            "#" => "0".to_owned(),
            "PWD" if self.directory.is_empty() => "/".to_owned(),
            "PWD" => self.directory.clone(),
            _ => {
                let mut all = self.own.iter().chain(&self.machine.environment);
                all.find(|(own, _)| own == name).map(|(_, value)| value.clone()).unwrap_or_default()
            }
        }
    }

    /// Returns the words that a word becomes.
    fn expand(&self, word: &Word) -> Vec<String> {
        let (mut words, mut length) = (vec![String::new()], 0);
        for part in &word.parts {
            // Whoever wants the words finds that they are too long.
            if length > LONGEST_WORDS {
                break;
            }
            let value = match part {
                Part::Text(text) => text.clone(),
                Part::Variable(name, _) => self.variable(name),
            };
            length += value.len();
            let splits = matches!(part, Part::Variable(_, false));
            let mut pieces = value.split(|char: char| splits && char.is_ascii_whitespace());
            if let (Some(first), Some(last)) = (pieces.next(), words.last_mut()) {
                last.push_str(first);
            }
            words.extend(pieces.map(str::to_owned));
        }
        if !word.is_quoted {
            words.retain(|word| !word.is_empty());
        }
        words
    }
}
