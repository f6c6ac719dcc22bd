//! `cargo xtask`: what there is to do in this repository, with all the set-up that it needs.

mod attack;
mod bench;
mod clients;
mod counts;
mod docs;
mod files;
mod modules;
mod nextest;
mod page;
mod program;
mod schema;
mod shell;
mod soak;
mod test;
mod tools;
mod web;

use std::process::ExitCode;

use shell::Shell;
use tools::Tools;

/// Something to do. It gets what follows its name on the command line. An empty error has been told already.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&Shell, &mut Tools<'_>, &[&str]) -> Result<(), String>,
}

const TASKS: [Task; 14] = [
    Task {
        name: "serve",
        about: "build the page and serve it on http://127.0.0.1:8080, anew whenever a file changes",
        run: page::serve,
    },
    Task {
        name: "build",
        about: "build the page for release into dist/, and tell its size",
        run: page::build,
    },
    Task {
        name: "test",
        about: "run every check there is; words after it choose those whose names hold one of them",
        run: test::run,
    },
    Task {
        name: "bench",
        about: "run the benchmarks; words after it go to criterion (peers: the npm package beside webernetes)",
        run: bench::run,
    },
    Task {
        name: "web",
        about: "make the files of the page's editor in target/web, where they are not up to date",
        run: |shell, tools, _| web::run(shell, tools),
    },
    Task {
        name: "engine",
        about: "make the npm package @kubeglass/engine in target/engine",
        run: page::package::run,
    },
    Task { name: "page", about: "fill the folder that trunk serves; trunk calls this", run: page::of_trunk },
    Task {
        name: "schema",
        about: "derive the table of the built-in kinds anew (--check: only compare)",
        run: |_, _, args| schema::run(flag(args, "--check")?),
    },
    Task {
        name: "conformance",
        about: "replay the recordings and write the scoreboard (--check: it must not fall; --area AREA: what differs)",
        run: test::conformance,
    },
    Task {
        name: "modules",
        about: "check that crates and modules form no circle (--write: draw them in ARCHITECTURE.md)",
        run: |shell, _, args| modules::run(shell, flag(args, "--write")?),
    },
    Task {
        name: "soak",
        about: "run the properties with other random numbers each time, for MINUTES",
        run: soak::run,
    },
    Task {
        name: "attack",
        about: "do to a server what strangers may do, for MINUTES, and measure what others feel of it",
        run: attack::run,
    },
    Task {
        name: "program",
        about: "build the command kubeglass with the page in it, for `kubeglass serve --ui`",
        run: program::run,
    },
    Task {
        name: "clients",
        about: "run kubectl and clients in Python, JavaScript and Rust against the server; needs the network",
        run: clients::run,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_empty() {
                eprintln!("{error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[&str]) -> Result<(), String> {
    let [name, args @ ..] = args else {
        print!("{}", help());
        return Ok(());
    };
    if matches!(*name, "help" | "--help" | "-h") {
        print!("{}", help());
        return Ok(());
    }
    let task = TASKS.iter().find(|task| task.name == *name);
    let task = task.ok_or_else(|| format!("There is no task {name:?}.\n\n{}", help()))?;
    let shell = Shell::new()?;
    (task.run)(&shell, &mut Tools::new(&shell), args)
}

fn help() -> String {
    let tasks = TASKS.iter().map(|task| format!("  {:<12} {}\n", task.name, task.about));
    format!("Usage: cargo xtask <task>\n\n{}", tasks.collect::<String>())
}

/// Reads how many minutes something is to take: the only argument, or `unless` there is none.
///
/// # Errors
/// An argument that is no number, or several.
fn minutes(args: &[&str], unless: u64) -> Result<u64, String> {
    match args {
        [] => Ok(unless),
        [minutes] => minutes.parse().map_err(|_| "MINUTES is a whole number.".to_owned()),
        _ => Err("MINUTES is the only argument there is.".to_owned()),
    }
}

/// Reports whether the only argument is that flag.
fn flag(args: &[&str], name: &str) -> Result<bool, String> {
    match args {
        [] => Ok(false),
        [arg] if *arg == name => Ok(true),
        _ => Err(format!("{name} is the only argument there is.")),
    }
}
