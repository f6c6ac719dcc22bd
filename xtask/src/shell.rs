//! Running programs in the repository, with what the project brings first on PATH.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

/// The directory in which programs run, and the path on which they are looked for.
pub(crate) struct Shell {
    root: PathBuf,
    path: OsString,
}

/// The result of a watched program: whether it succeeded, and the lines that it printed, without colours.
pub(crate) struct Outcome {
    pub(crate) success: bool,
    pub(crate) lines: Vec<String>,
}

impl Shell {
    /// A shell at the root of the repository. `node_modules` and the directory of `cargo install` come first on PATH,
    /// so that what has just been installed is found.
    pub(crate) fn new() -> Result<Self, String> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().ok_or("the repository has no root")?.to_owned();
        let cargo = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
        let ours =
            std::iter::once(root.join("node_modules/.bin")).chain(cargo.map(|cargo| cargo.join("bin")));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(ours.chain(std::env::split_paths(&path)))
            .map_err(|error| format!("PATH cannot be extended: {error}"))?;
        Ok(Self { root, path })
    }

    /// The root of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory in which cargo builds.
    ///
    /// # Errors
    /// cargo does not tell.
    pub(crate) fn target(&self) -> Result<PathBuf, String> {
        let metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"];
        let metadata = self.output(&metadata).and_then(|text| serde_json::from_str(&text).ok());
        let directory =
            metadata.as_ref().and_then(|metadata: &json_tree::Value| metadata["target_directory"].as_str());
        directory
            .map(PathBuf::from)
            .ok_or_else(|| "cargo metadata does not tell where cargo builds".to_owned())
    }

    /// Returns the file of a program on PATH.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        std::env::split_paths(&self.path).map(|directory| directory.join(program)).find(|file| file.is_file())
    }

    fn command(&self, words: &[&str]) -> Result<Command, String> {
        let [program, args @ ..] = words else { return Err("there is nothing to run".to_owned()) };
        // The child's PATH is not where Rust looks for the program on every platform.
        let program = self.find(program).unwrap_or_else(|| PathBuf::from(program));
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root).env("PATH", &self.path);
        Ok(command)
    }

    /// Returns what a program prints, if it is there and succeeds.
    pub(crate) fn output(&self, words: &[&str]) -> Option<String> {
        let output = self.command(words).ok()?.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a program that talks to the person at the terminal.
    pub(crate) fn run(&self, words: &[&str]) -> Result<(), String> {
        self.run_with(words, &[])
    }

    /// Runs such a program with variables of the environment.
    pub(crate) fn run_with(&self, words: &[&str], env: &[(&str, String)]) -> Result<(), String> {
        println!("$ {}", words.join(" "));
        let mut command = self.command(words)?;
        command.envs(env.iter().map(|(name, value)| (name, value)));
        let status = command.status().map_err(|error| cannot_run(words, &error))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", words.join(" "))) }
    }

    /// Starts a program that goes on until it is ended, and writes its errors there.
    pub(crate) fn start(&self, words: &[&str], errors: Stdio) -> Result<Child, String> {
        let mut command = self.command(words)?;
        command.stdin(Stdio::null()).stderr(errors);
        command.spawn().map_err(|error| cannot_run(words, &error))
    }

    /// Runs a program, shows what it prints as it comes, and returns the lines.
    pub(crate) fn watch(&self, words: &[&str], env: &[(&str, String)]) -> Result<Outcome, String> {
        println!("$ {}", words.join(" "));
        let mut command = self.command(words)?;
        command.envs(env.iter().map(|(name, value)| (name, value)));
        if std::io::stdout().is_terminal() {
            command.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot_run(words, &error))?;
        let errors = child.stderr.take().map(|pipe| thread::spawn(|| tee(pipe, std::io::stderr())));
        let mut lines = child.stdout.take().map_or_else(Vec::new, |pipe| tee(pipe, std::io::stdout()));
        let status = child.wait().map_err(|error| cannot_run(words, &error))?;
        lines.extend(errors.and_then(|thread| thread.join().ok()).unwrap_or_default());
        Ok(Outcome { success: status.success(), lines })
    }
}

fn cannot_run(words: &[&str], error: &std::io::Error) -> String {
    format!("`{}` cannot be run: {error}", words.first().unwrap_or(&""))
}

/// Passes on what comes, line by line, and returns it without colours.
fn tee(from: impl Read, mut to: impl Write) -> Vec<String> {
    let mut from = BufReader::new(from);
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // Nobody may be there any more to read it; it is still counted.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        lines.push(without_colours(String::from_utf8_lossy(&line).trim_end()));
        line.clear();
    }
    lines
}

/// Leaves out the escape sequences that set colours and styles.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        plain.push_str(&part[end..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, expected: &[&str]) {
        let mut shown = Vec::new();
        assert_eq!(tee(printed.as_bytes(), &mut shown), expected);
        assert_eq!(shown, printed.as_bytes());
    }

    #[test]
    fn lines_are_passed_on() {
        check("", &[]);
        check("a\r\nb", &["a", "b"]);
        check("\u{1b}[32;1m     Summary\u{1b}[0m [1s]\n\n", &["     Summary [1s]", ""]);
    }
}
