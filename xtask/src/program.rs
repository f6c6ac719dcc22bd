//! `cargo xtask program`: the command `kubeglass`, optimised, with the page in it.

use crate::{page, shell::Shell, tools::Tools};

/// Builds the page, and the command that carries it.
///
/// # Errors
/// There is an argument, or one of them cannot be built.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("There are no arguments.".to_owned());
    }
    tools.ensure(&page::TOOLS)?;
    page::release(shell, tools)?;
    shell.run(&[
        "cargo",
        "build",
        "--locked",
        "--release",
        "--package",
        "kubeglass-serve",
        "--features",
        "ui",
    ])?;
    let program = shell.target()?.join("release/kubeglass");
    println!("The program is {}: `kubeglass serve --ui` serves the page, too.", program.display());
    Ok(())
}
