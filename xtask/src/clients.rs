//! `cargo xtask clients`: real clients against `kubeglass serve`. It needs the network, for it installs them, and is no
//! part of `cargo xtask test`.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use crate::{
    counts::Counts,
    page,
    shell::Shell,
    tools::{Tool, Tools},
};

/// The folder for everything that is installed.
const HOME: &str = "target/clients";
const SCRIPTS: &str = "tests/clients";
/// Those that run beside the packages of Node which they use.
const NODE_SCRIPTS: [&str; 3] = ["informers.mjs", "package.mjs", "generated.mjs"];

/// A dependency that has to be there before a client runs.
struct Needed {
    what: &'static str,
    /// The file that says so.
    there: &'static str,
    install: &'static str,
}

const NEEDED: [Needed; 5] = [
    Needed {
        what: "the Python client, in an environment of its own",
        there: "venv/.kubernetes-37.0.2",
        install: "python3 -m venv venv && venv/bin/pip install -q kubernetes==37.0.2 && touch venv/.kubernetes-37.0.2",
    },
    Needed {
        what: "the JavaScript client",
        there: "node/.client-node-1.3.0",
        install: "mkdir -p node && npm install --prefix node --no-audit --no-fund @kubernetes/client-node@1.3.0 && touch node/.client-node-1.3.0",
    },
    Needed {
        what: "a generator of clients in TypeScript",
        there: "node/.openapi-ts-0.82.0",
        install: "npm install --prefix node --no-audit --no-fund @hey-api/openapi-ts@0.82.0 typescript@5 esbuild@0.25 && touch node/.openapi-ts-0.82.0",
    },
    Needed {
        what: "Debian's kubectl, unpacked beside the others",
        there: "debian/usr/bin/kubectl",
        install: "mkdir -p debian && cd debian && apt-get download -q kubernetes-client && dpkg -x kubernetes-client_*.deb .",
    },
    Needed {
        what: "kube and its crates, built apart from the workspace",
        there: "rust/debug/kubeglass-clients",
        install: "true",
    },
];

/// Sets up what is missing, runs every client against a new cluster, and counts. Words choose scripts by their names.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    tools.ensure(&[Tool::Crates, Tool::Node])?;
    let home = shell.root().join(HOME);
    std::fs::create_dir_all(&home).map_err(|error| format!("{HOME} cannot be made: {error}"))?;
    for needed in NEEDED.iter().filter(|needed| !home.join(needed.there).exists()) {
        println!("Clients need {}.", needed.what);
        if let Err(error) = shell.run(&["sh", "-c", &format!("cd {HOME} && {}", needed.install)]) {
            println!("{error}: what needs it fails, or is left out.");
        }
    }
    let manifest = format!("{SCRIPTS}/rust/Cargo.toml");
    shell.run(&[
        "cargo",
        "build",
        "-q",
        "--manifest-path",
        &manifest,
        "--target-dir",
        &format!("{HOME}/rust"),
    ])?;
    shell.run(&["cargo", "build", "-q", "--locked", "-p", "kubeglass-serve"])?;
    for script in NODE_SCRIPTS {
        shell.run(&["cp", &format!("{SCRIPTS}/{script}"), &format!("{HOME}/node/")])?;
    }
    page::package::run(shell, tools, &[])?;
    shell.run(&[
        "npm",
        "install",
        "--prefix",
        &format!("{HOME}/node"),
        "--no-audit",
        "--no-fund",
        "./target/engine",
    ])?;

    let mut all = Counts::default();
    for words in commands(shell) {
        if !args.is_empty() && !args.iter().any(|arg| words.join(" ").contains(arg)) {
            continue;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let program = words.first().copied().unwrap_or_default();
        let outcome = if is_there(shell, program) {
            against_new_cluster(shell, &words)
        } else {
            Err(format!("{program} is not there"))
        };
        all = all
            + outcome.unwrap_or_else(|why| {
                println!("{}: {why}", words.join(" "));
                Counts::FAILED
            });
    }
    println!("\n{all}");
    if all.failed == 0 && all.passed > 0 { Ok(()) } else { Err(String::new()) }
}

/// Returns the commands to run.
fn commands(shell: &Shell) -> Vec<Vec<String>> {
    let script = |name: &str| format!("{SCRIPTS}/{name}");
    let python = format!("{HOME}/venv/bin/python");
    let mut commands = ["wire.py", "lifecycles.py", "conformance.py", "python_client.py"]
        .map(|name| vec![python.clone(), script(name)])
        .to_vec();
    for script in NODE_SCRIPTS {
        commands.push(vec!["node".to_owned(), format!("{HOME}/node/{script}")]);
    }
    commands.push(vec![format!("{HOME}/rust/debug/kubeglass-clients")]);
    let debian = shell.root().join(HOME).join("debian/usr/bin/kubectl");
    let kubectls = [shell.find("kubectl"), Some(debian).filter(|file| file.is_file())];
    for kubectl in kubectls.into_iter().flatten() {
        commands.push(vec![python.clone(), script("kubectl.py"), kubectl.display().to_string()]);
    }
    commands
}

/// Reports whether a program can be run: one on PATH, or a file below the root.
fn is_there(shell: &Shell, program: &str) -> bool {
    if program.contains('/') { shell.root().join(program).is_file() } else { shell.find(program).is_some() }
}

/// Runs a client against a cluster that nobody has touched, and returns how many of its checks passed and failed.
fn against_new_cluster(shell: &Shell, words: &[&str]) -> Result<Counts, String> {
    let mut server = shell.start(
        &[
            "cargo",
            "run",
            "-q",
            "--locked",
            "-p",
            "kubeglass-serve",
            "--bin",
            "kubeglass",
            "--",
            "serve",
            "--listen",
            "127.0.0.1:0",
        ],
        Stdio::piped(),
    )?;
    let outcome = match address(&mut server) {
        Some(address) => {
            let quiet = ("PYTHONDONTWRITEBYTECODE", "1".to_owned());
            shell.watch(words, &[("KUBEGLASS_SERVER", address), quiet])
        }
        None => Err("The server did not start.".to_owned()),
    };
    // It may have ended by itself.
    let _ = server.kill();
    let _ = server.wait();
    let outcome = outcome?;
    Ok(of_client(&outcome.lines, outcome.success))
}

/// Returns the address on which the server says that it listens.
fn address(server: &mut Child) -> Option<String> {
    let output = server.stderr.take()?;
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    lines.find_map(|line| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned))
}

/// Returns the counts of the last line that has some. A client that counts nothing, or fails without a failed check, has one
/// failure more.
fn of_client(lines: &[String], success: bool) -> Counts {
    match lines.iter().rev().find_map(|line| Counts::read(line.trim())) {
        Some(counts) if success || counts.failed > 0 => counts,
        counts => counts.unwrap_or_default() + Counts::FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, success: bool, expected: &str) {
        let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        assert_eq!(of_client(&lines, success).to_string(), expected);
    }

    #[test]
    fn scripts_end_with_their_counts() {
        check("1 passed, 0 failed\n 12 passed, 3 failed\n", false, "12 passed, 3 failed");
        check("12 passed, 0 failed\nbye", true, "12 passed, 0 failed");
    }

    #[test]
    fn a_script_that_breaks_off_fails() {
        check("12 passed, 0 failed", false, "12 passed, 1 failed");
        check("FAILED x: 1 passed, y", true, "0 passed, 1 failed");
        check("", false, "0 passed, 1 failed");
    }
}
