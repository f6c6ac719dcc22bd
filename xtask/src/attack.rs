//! `cargo xtask attack`: what strangers do to a server of their own (`tests/attack`), for some minutes.

use crate::{
    shell::Shell,
    test::Counts,
    tools::{Tool, Tools},
};

/// How many minutes it takes if nobody says.
const MINUTES: f64 = 4.0;
/// How many attacks there are, about.
const ATTACKS: f64 = 26.0;

/// Attacks an optimised server, for as many minutes as the argument says.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let minutes = match args {
        [] => MINUTES,
        [minutes] => minutes.parse().ok().filter(|minutes| *minutes > 0.0).ok_or("MINUTES is a number.")?,
        _ => return Err("MINUTES is the only argument there is.".to_owned()),
    };
    tools.ensure(&[Tool::Crates])?;
    let packages = ["--package", "kubeglass-serve", "--package", "kubeglass-attack"];
    shell.run(&[&["cargo", "build", "--locked", "--release"][..], &packages].concat())?;
    let folder = shell.target()?.join("release");
    let [attack, server] =
        ["kubeglass-attack", "kubeglass"].map(|name| folder.join(name).to_string_lossy().into_owned());
    shell.run(&[&attack, &server, &format!("{:.1}", minutes * 60.0 / ATTACKS)])
}

/// Attacks a server that was built for tests, each time for a moment, and allows more.
pub(crate) fn briefly(shell: &Shell) -> Result<Counts, String> {
    let build =
        ["cargo", "build", "--locked", "--package", "kubeglass-serve", "--package", "kubeglass-attack"];
    shell.run(&build)?;
    let folder = shell.target()?.join("debug");
    let [attack, server] =
        ["kubeglass-attack", "kubeglass"].map(|name| folder.join(name).to_string_lossy().into_owned());
    shell.run(&[&attack, "--loose", &server, "1"]).map(|()| Counts::PASSED)
}
