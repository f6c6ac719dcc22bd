//! The tools that building and testing need: whether they are there, and how they get there.

mod chromium;

use crate::shell::Shell;

/// A tool that a task may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Crates,
    Components,
    WasmTarget,
    Deny,
    Node,
    NodePackages,
    Chromium,
}

/// The facts about a tool.
struct Facts {
    tool: Tool,
    /// The name of the tool, as it reads in "needs ...".
    what: &'static str,
    /// Reports whether the tool is there, in the right version.
    there: fn(&Shell) -> bool,
    /// The commands that install it, one after the other; none where it is not ours to install.
    install: fn(&Shell) -> Result<Vec<Vec<String>>, String>,
    /// Advice for the person at the terminal, if those commands do not help.
    otherwise: &'static str,
}

const DENY: &str = "0.18.9";
/// How tools are built: they do little, so that it counts more how soon they are there than how fast they are.
const LIGHT: &str = "--config profile.release.opt-level=1 --config profile.release.lto=false --config profile.release.codegen-units=16 --config profile.release.debug=false";
/// The file that remembers `npm ci`: the lock file that it followed.
const INSTALLED_LOCK: &str = "node_modules/.installed-package-lock.json";
const OLDEST_NODE: u32 = 20;

const TOOLS: [Facts; 7] = [
    Facts {
        tool: Tool::Crates,
        what: "the crates that Cargo.lock names",
        there: |shell| shell.output(&["cargo", "fetch", "--locked", "--offline"]).is_some(),
        install: |_| Ok(vec![words("cargo fetch --locked")]),
        otherwise: "See that the network reaches crates.io, and that Cargo.lock fits Cargo.toml (`cargo update --workspace`).",
    },
    Facts {
        tool: Tool::Components,
        what: "rustfmt and clippy",
        there: |shell| {
            [["cargo", "fmt", "--version"], ["cargo", "clippy", "--version"]]
                .iter()
                .all(|words| shell.output(words).is_some())
        },
        install: |_| Ok(vec![words("rustup component add rustfmt clippy")]),
        otherwise: "Install rustup from https://rustup.rs, or your distribution's packages of rustfmt and clippy.",
    },
    Facts {
        tool: Tool::WasmTarget,
        what: "Rust's target wasm32-unknown-unknown",
        there: |shell| {
            let print = ["rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown"];
            shell.output(&print).is_some_and(|directory| {
                std::fs::read_dir(directory.trim()).is_ok_and(|mut files| files.next().is_some())
            })
        },
        install: |_| Ok(vec![words("rustup target add wasm32-unknown-unknown")]),
        otherwise: "Install rustup from https://rustup.rs, or your distribution's package of that target.",
    },
    Facts {
        tool: Tool::Deny,
        what: "cargo-deny",
        there: |shell| shell.output(&["cargo", "deny", "--version"]).is_some(),
        install: |_| Ok(vec![install(&format!("--locked cargo-deny@{DENY} --no-default-features"))]),
        otherwise: "Install it with `cargo install --locked cargo-deny`.",
    },
    Facts {
        tool: Tool::Node,
        what: "Node 20 or newer with npm",
        there: |shell| {
            shell.output(&["npm", "--version"]).is_some()
                && shell.output(&["node", "--version"]).and_then(|is| major(&is)) >= Some(OLDEST_NODE)
        },
        install: |_| Ok(vec![]),
        otherwise: "Install Node 20 or newer from https://nodejs.org or your distribution.",
    },
    Facts {
        tool: Tool::NodePackages,
        what: "the Node packages that package-lock.json names",
        there: |shell| {
            let read = |name: &str| std::fs::read(shell.root().join(name)).ok();
            read(INSTALLED_LOCK).is_some_and(|lock| Some(lock) == read("package-lock.json"))
        },
        install: |_| {
            let copy = ["cp", "package-lock.json", INSTALLED_LOCK].map(str::to_owned).to_vec();
            Ok(vec![words("npm ci --ignore-scripts --no-audit --no-fund"), copy])
        },
        otherwise: "See that the network reaches registry.npmjs.org.",
    },
    Facts {
        tool: Tool::Chromium,
        what: "Chromium or Google Chrome",
        there: |shell| chromium::find(shell).is_some(),
        install: chromium::install,
        otherwise: "Install Chromium or Google Chrome, or set CHROMIUM to the program's path.",
    },
];

/// Which tools are there, as far as has been asked.
pub(crate) struct Tools<'a> {
    shell: &'a Shell,
    known: Vec<(Tool, Result<(), String>)>,
}

impl<'a> Tools<'a> {
    pub(crate) fn new(shell: &'a Shell) -> Self {
        Self { shell, known: Vec::new() }
    }

    /// Sees that the tools are there, installs those that are not, and says in one sentence what to do where it cannot.
    /// Nothing is tried twice.
    pub(crate) fn ensure(&mut self, tools: &[Tool]) -> Result<(), String> {
        for facts in TOOLS.iter().filter(|facts| tools.contains(&facts.tool)) {
            let known = self.known.iter().find(|(tool, _)| *tool == facts.tool);
            let outcome = known.map_or_else(|| provide(self.shell, facts), |(_, outcome)| outcome.clone());
            if known.is_none() {
                self.known.push((facts.tool, outcome.clone()));
            }
            outcome?;
        }
        Ok(())
    }

    /// The browser to test in, once it has been [ensured](Self::ensure).
    pub(crate) fn chromium(&self) -> Option<String> {
        chromium::find(self.shell)
    }
}

fn provide(shell: &Shell, facts: &Facts) -> Result<(), String> {
    if (facts.there)(shell) {
        return Ok(());
    }
    let missing = |why: String| format!("Missing: {}{why}. {}", facts.what, facts.otherwise);
    let commands = (facts.install)(shell).map_err(|error| missing(format!("; {error}")))?;
    if !commands.is_empty() {
        println!("Setting up {}", facts.what);
    }
    for command in &commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        shell.run(&words).map_err(|error| missing(format!("; {error}")))?;
    }
    if (facts.there)(shell) { Ok(()) } else { Err(missing(String::new())) }
}

/// The command that installs a crate's programs.
fn install(what: &str) -> Vec<String> {
    words(&["cargo install ", LIGHT, " ", what].concat())
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// The first number of a version such as `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_told_once() {
        for (at, facts) in TOOLS.iter().enumerate() {
            assert!(TOOLS[..at].iter().all(|other| other.tool != facts.tool), "{}", facts.what);
            assert!(facts.otherwise.ends_with('.'), "{}", facts.what);
        }
    }

    #[track_caller]
    fn check_major(version: &str, expected: Option<u32>) {
        assert_eq!(major(version), expected);
    }

    #[test]
    fn majors() {
        check_major("v20.20.2\n", Some(20));
        check_major("22.0", Some(22));
        check_major("", None);
        check_major("nightly", None);
    }
}
