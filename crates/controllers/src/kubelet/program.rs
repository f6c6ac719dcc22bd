//! The commands of containers: what a container does if the annotation says nothing of it.
//!
//! A command that consists of programs that there are ([`exec`](super::exec)), and reads only what the pod mounts, is run: it writes lines,
//! takes time, and ends. Where it comes to something else, the container runs on, until somebody ends it.
//!
//! See <https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/>.

use std::collections::BTreeSet;
use std::time::Duration;

use json_tree::Value;

use super::behaviour::{self, Behaviour, Writing};
use super::exec::{
    Command, Objects, Piece, Reference, Request, Response, Seen, Shell, Written, command_of_image, expanded,
    references, shell, tell_addresses,
};
use crate::object::list;
use crate::pod;

/// The ConfigMap that every pod mounts. No pod is made to wait for it.
pub(super) const ROOT_CA: &str = "kube-root-ca.crt";

/// The work of a container: what is told of it, or else the program that it runs.
#[derive(Clone, Debug)]
pub(super) enum Doing {
    Told(Behaviour),
    Runs(Box<Program>),
}

/// Returns what each container of a pod does, those of `initContainers` first: what the annotation says, or else what their commands do.
/// The text says what is wrong with the annotation.
pub(super) fn doings(pod: &Value, objects: &Objects) -> (Vec<Doing>, Option<String>) {
    let (told, error) = behaviour::of_pod(pod);
    let specs = pod::all_containers(pod);
    (specs.zip(told).map(|(spec, told)| doing(told, pod, spec, objects)).collect(), error)
}

/// Returns the lines that a container with a name writes that is started at a time: at least those up to another time, and the next one.
/// The program is the one that it has run, if that is known.
pub(super) fn lines(
    pod: &Value,
    name: &str,
    (objects, program): (&Objects, Option<Program>),
    (started, until): (Duration, Duration),
) -> Vec<Writing> {
    let (told, _) = behaviour::of_pod(pod);
    let found = pod::all_containers(pod).zip(told).find(|(spec, _)| spec.text("name") == name);
    let (mut program, since) = match (found, program) {
        (None, _) => return Vec::new(),
        (Some((_, told)), Some(program)) if told == Behaviour::default() => {
            // It knows better than the status, which has whole seconds.
            let since = program.shell.now();
            (program, since)
        }
        (Some((spec, told)), _) => match doing(told, pod, spec, objects) {
            Doing::Told(told) => return told.writes,
            Doing::Runs(program) => (*program, started),
        },
    };
    program.start_at(since);
    program.behaviour(Some(since.saturating_add(until.saturating_sub(started)))).writes
}

/// Returns the objects to which those containers of a pod refer whose commands are looked at.
pub(super) fn needs(pod: &Value) -> BTreeSet<Reference> {
    let specs = pod::all_containers(pod).filter(|spec| command(spec).is_some());
    let all = specs.flat_map(|spec| references(pod, spec));
    all.filter(|reference| reference.name != ROOT_CA).collect()
}

/// Returns what is told of a container, or what its command does if nothing is.
fn doing(told: Behaviour, pod: &Value, spec: &Value, objects: &Objects) -> Doing {
    let program = (told == Behaviour::default()).then(|| Program::new(pod, spec, objects)).flatten();
    program.map_or(Doing::Told(told), |program| Doing::Runs(Box::new(program)))
}

/// Returns the words of the command of a container; `None` if it is not known what the image runs.
fn command(spec: &Value) -> Option<Vec<&str>> {
    let words = list(spec, "/command").iter().chain(list(spec, "/args")).filter_map(Value::as_str);
    let words: Vec<&str> = words.collect();
    match list(spec, "/command") {
        [] => command_of_image(spec.text("image"), &words),
        _ => Some(words),
    }
}

/// The program of a container, before it has done anything.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) shell: Shell,
    /// The words of the command, with the names of variables.
    words: Vec<String>,
    has_input: bool,
}

impl Program {
    /// Prepares the command of a container; `None` if it is not known what it is, or an object is missing.
    fn new(pod: &Value, spec: &Value, objects: &Objects) -> Option<Self> {
        let is_known = |reference: &Reference| {
            reference.name == ROOT_CA || reference.is_claim() || objects.get(reference).is_some()
        };
        let words = command(spec)?;
        if !references(pod, spec).iter().all(is_known) {
            return None;
        }
        let mut shell = shell(pod, spec, objects, Duration::ZERO);
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        shell.go_to(spec.text("workingDir"));
        let has_input =
            ["/stdin", "/tty"].iter().any(|field| spec.pointer(field) == Some(&Value::Bool(true)));
        let is_known = match shell.kind(&argv(&shell, &words)) {
            // Without an input it has nothing to do.
            Command::Shell => !has_input,
            Command::Missing(_) => false,
            Command::Script(_) | Command::Program => true,
        };
        is_known.then_some(Self { shell, words, has_input })
    }

    /// Has it be started at a time.
    pub(super) fn start_at(&mut self, now: Duration) {
        self.shell.set_now(now);
    }

    /// Has it be started at a time, anew: nobody has done anything beside it.
    pub(super) fn begin_at(&mut self, now: Duration) {
        self.shell.leave_alone();
        self.start_at(now);
    }

    /// Tells it the addresses of its pod, which that has in its status.
    pub(super) fn tell_addresses(&mut self, pod: &Value, spec: &Value) {
        tell_addresses(&mut self.shell, pod, spec);
    }

    /// Runs it, perhaps no further than to what is written after a time. As far as it is known what it does, it writes; it ends only if
    /// all of that is known.
    pub(super) fn behaviour(&self, until: Option<Duration>) -> Behaviour {
        let mut shell = self.shell.clone();
        if let Some(until) = until {
            shell.run_until(until);
        }
        let ran = shell.run_program(&argv(&shell, &self.words), b"");
        if ran.reads_stdin && self.has_input {
            return Behaviour::default();
        }
        let is_known = !ran.pieces.contains(&Piece::Unknown);
        let mut writes = Writes::default();
        ran.pieces
            .into_iter()
            .take_while(|piece| *piece != Piece::Unknown)
            .for_each(|piece| writes.add(piece));
        if is_known {
            writes.end_line();
        }
        let exit = is_known.then(|| (ran.code.into(), writes.time));
        Behaviour { exit, writes: writes.lines, ..Behaviour::default() }
    }

    /// Returns the state of its container at some times, which are in order.
    pub(super) fn seen_at(&self, times: &[Duration]) -> Vec<Seen> {
        let mut shell = self.shell.clone();
        shell.look_at(times);
        let untouched = shell.clone();
        let ran = shell.run_program(&argv(&shell, &self.words), b"");
        if ran.reads_stdin && self.has_input {
            return untouched.into_seen(false);
        }
        shell.into_seen(!ran.pieces.contains(&Piece::Unknown))
    }

    /// Returns what was written to its files up to a time, by others, too, as far as it is known what it does.
    pub(super) fn written(&self, until: Duration) -> Vec<Written> {
        self.seen_at(&[until]).pop().map(|seen| seen.files.written()).unwrap_or_default()
    }

    /// Runs a command beside it, in its container as that was seen.
    pub(super) fn run_beside(&self, words: &[String], seen: &Seen) -> CommandOutcome {
        let mut shell = self.shell.clone();
        shell.visit(seen);
        let ran = shell.run_program(words, b"");
        let time = ran
            .pieces
            .iter()
            .map(|piece| if let Piece::Sleep(time) = piece { *time } else { Duration::ZERO });
        CommandOutcome {
            written: shell.files().written(),
            code: ran.code,
            time: time.sum(),
            is_known: !ran.pieces.contains(&Piece::Unknown),
            output: ran.pieces.into_iter().filter_map(Piece::into_output).flatten().collect(),
        }
    }

    /// Returns the response of a server in its container to a request to a port, as that was seen; `None` if none listens there.
    pub(super) fn response(&self, port: u16, request: &Request<'_>, seen: &Seen) -> Option<Response> {
        let server = seen.servers.iter().find(|server| server.port == port)?;
        Some(server.respond(request, (self.shell.hostname(), &seen.files), seen.at))
    }
}

/// The outcome of a command that somebody has run beside the program of a container.
pub(super) struct CommandOutcome {
    pub(super) written: Vec<Written>,
    pub(super) code: u8,
    /// The time that it took.
    pub(super) time: Duration,
    /// False if it is not known what it does.
    pub(super) is_known: bool,
    output: Vec<u8>,
}

impl CommandOutcome {
    /// Returns what it has written to its output.
    pub(super) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// Reports whether it has failed. One of which it is not known what it does succeeds.
    pub(super) fn has_failed(&self) -> bool {
        self.code != 0 && self.is_known
    }
}

/// Returns the words of a command with the values of variables.
fn argv(shell: &Shell, words: &[String]) -> Vec<String> {
    words.iter().map(|word| expanded(shell, word)).collect()
}

/// The lines that a command writes as time passes.
#[derive(Default)]
struct Writes {
    lines: Vec<Writing>,
    /// The begin of a line.
    line: Vec<u8>,
    /// The time since the start.
    time: Duration,
}

impl Writes {
    fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Sleep(time) => self.time = self.time.saturating_add(time),
            Piece::Unknown => {}
            Piece::Stdout(bytes) | Piece::Stderr(bytes) => {
                let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
                while let Some(line) = lines.next() {
                    self.line.extend_from_slice(line);
                    if lines.peek().is_some() {
                        self.write(false);
                    }
                }
            }
        }
    }

    /// Writes a line that has no end.
    fn end_line(&mut self) {
        if !self.line.is_empty() {
            self.write(true);
        }
    }

    fn write(&mut self, is_open: bool) {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line).into_owned();
        self.lines.push(Writing { text, after: self.time, every: None, is_open });
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::object;

    /// Returns what the first container of a pod does that is started at a time.
    fn behaviour(pod: &Value, objects: &Objects, now: Duration) -> Behaviour {
        match doings(pod, objects).0.remove(0) {
            Doing::Told(told) => told,
            Doing::Runs(mut program) => {
                program.start_at(now);
                program.behaviour(None)
            }
        }
    }

    /// Checks what the one container of a pod does: lines with the seconds after which they are written, and the exit code with those
    /// after which it ends; `runs` if it does not.
    #[track_caller]
    fn check(spec: Value, expected: &str) {
        let mut spec = spec;
        object::set(&mut spec, "name", "app".into());
        let pod = json!({
            "metadata": {"name": "p", "namespace": "n"},
            "spec": {
                "containers": [spec],
                "volumes": [{"name": "c", "configMap": {"name": "c"}}, {"name": "no", "configMap": {"name": "no"}}],
            },
        });
        let objects = Objects::from([(Reference::config_map("c"), json!({"data": {"greeting": "hello\n"}}))]);
        let found = behaviour(&pod, &objects, Duration::from_secs(1_795_180_920));
        let line = |line: &Writing| format!("{}: {}", line.after.as_secs(), line.text);
        let mut shown: Vec<String> = found.writes.iter().map(line).collect();
        let end = found.exit.map(|(code, after)| format!("exit {code} after {}", after.as_secs()));
        shown.push(end.unwrap_or_else(|| "runs".to_owned()));
        assert_eq!(shown.join("; "), expected);
    }

    fn script(text: &str) -> Value {
        json!({"image": "busybox", "command": ["sh", "-c", text]})
    }

    #[test]
    fn commands_do_what_they_say() {
        check(script("echo one; sleep 5; echo two >&2; exit 3"), "0: one; 5: two; exit 3 after 5");
        check(script("sleep 2 && date"), "2: Fri Nov 20 13:22:02 UTC 2026; exit 0 after 2");
        check(script("false"), "exit 1 after 0");
        check(script("echo -n half; sleep 1; echo done"), "1: halfdone; exit 0 after 1");
        check(json!({"command": ["sleep", "60"]}), "exit 0 after 60");
        check(
            json!({"image": "docker.io/library/busybox:1.36", "args": ["echo", "hi"]}),
            "0: hi; exit 0 after 0",
        );
        check(json!({"command": ["/bin/sh"]}), "exit 0 after 0");
        check(json!({"image": "registry.example/library/busybox:1.37"}), "exit 0 after 0");
        check(
            json!({"command": ["echo"], "args": ["$(GREETING)", "$$(GREETING)"], "env": [{"name": "GREETING", "value": "hey"}]}),
            "0: hey $(GREETING); exit 0 after 0",
        );
    }

    #[test]
    fn files_are_those_that_are_mounted() {
        let mounts = json!([{"name": "c", "mountPath": "/c"}]);
        check(json!({"command": ["cat", "/c/greeting"], "volumeMounts": mounts}), "0: hello; exit 0 after 0");
        check(
            json!({"command": ["cat", "greeting"], "workingDir": "/c", "volumeMounts": mounts}),
            "0: hello; exit 0 after 0",
        );
        check(json!({"command": ["true"], "volumeMounts": [{"name": "no", "mountPath": "/no"}]}), "runs");
    }

    #[test]
    fn loops_run_as_long_as_they_do() {
        check(script("for i in 3 2 1; do echo $i; sleep 1; done"), "0: 3; 1: 2; 2: 1; exit 0 after 3");
        let counts = "i=0; while true; do echo \"$i: $(date)\"; i=$((i+1)); sleep 60; done";
        let pod = json!({"spec": {"containers": [{"name": "app", "command": ["sh", "-c", counts]}]}});
        let lines = |until: u64| {
            let times = (Duration::from_secs(1_795_180_920), Duration::from_secs(1_795_180_920 + until));
            lines(&pod, "app", (&Objects::default(), None), times)
        };
        let found = lines(119);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].text, "1: Fri Nov 20 13:23:00 UTC 2026");
        assert_eq!(found[2].after, Duration::from_secs(120));
        assert_eq!(lines(86_400).len(), 1442);
        assert_eq!(behaviour(&pod, &Objects::default(), Duration::ZERO).exit, None);
        // Time has to pass in a loop.
        let pod = json!({"spec": {"containers": [{"name": "app", "command": ["sh", "-c", "while true; do echo a; done"]}]}});
        let times = (Duration::ZERO, Duration::from_secs(1));
        assert!(super::lines(&pod, "app", (&Objects::default(), None), times).len() < 10_000);
    }

    #[test]
    fn what_is_known_before_the_rest_is_written() {
        check(script("echo starting; exec java -jar app.jar"), "0: starting; runs");
        check(script("echo one; sleep 2; echo -n two; nslookup x; echo three"), "0: one; runs");
    }

    #[test]
    fn nobody_knows_what_others_do() {
        check(json!({"image": "nginx"}), "runs");
        check(json!({"image": "busybox", "stdin": true}), "runs");
        check(json!({"image": "redis", "args": ["echo", "hi"]}), "runs");
        check(json!({"command": ["sh"], "stdin": true}), "runs");
        check(json!({"command": ["cat"], "stdin": true}), "runs");
        check(json!({"command": ["sh", "-ec", "false; true"]}), "runs");
        check(json!({"command": ["env", "bash", "-x", "-c", "true"]}), "runs");
        for text in [
            "while true; do sleep 1; done",
            "wget -O - example.com || exit 1",
            "set -e; false; true",
            "while sleep 1; do date; done | cat",
            "cat /etc/os-release",
            "tail -f /dev/null",
            "sleep infinity",
            "test -f /data/ready || exit 1",
            "touch /app/ready && exit 3",
            "date +%s",
        ] {
            check(script(text), "runs");
        }
    }
}
