//! `cargo xtask attack`: what strangers do to a server of their own (`tests/attack`), for some minutes.

use crate::{
    counts::Counts,
    minutes,
    shell::Shell,
    tools::{Tool, Tools},
};

/// How many minutes it takes if nobody says.
const MINUTES: u64 = 4;

/// Attacks an optimised server, for as many minutes as the argument says.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let minutes = minutes(args, MINUTES)?;
    tools.ensure(&[Tool::Crates])?;
    attack(shell, ("release", &["--release"]), &[], minutes.saturating_mul(60))
}

/// Attacks a server that was built for tests, each time for a moment, and allows more.
pub(crate) fn briefly(shell: &Shell) -> Result<Counts, String> {
    attack(shell, ("debug", &[]), &["--loose"], 26).map(|()| Counts::PASSED)
}

/// Builds a server and what attacks it, and attacks for so many seconds in all.
fn attack(
    shell: &Shell,
    (folder, profile): (&str, &[&str]),
    options: &[&str],
    seconds: u64,
) -> Result<(), String> {
    let build =
        ["cargo", "build", "--locked", "--package", "kubeglass-serve", "--package", "kubeglass-attack"];
    shell.run(&[&build, profile].concat())?;
    let folder = shell.target()?.join(folder);
    let [attack, server] =
        ["kubeglass-attack", "kubeglass"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let outcome =
        shell.watch(&[&[attack.as_str()], options, &[&server, &seconds.to_string()]].concat(), &[])?;
    let too_much =
        outcome.lines.into_iter().filter(|line| line.contains("TOO") || line.contains("instead of"));
    if outcome.success { Ok(()) } else { Err(too_much.collect::<Vec<_>>().join("\n")) }
}
