//! Modules made smaller or faster by Binaryen (`web/optimise.js`), as many at once as there are processors.

use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{fs, thread};

use crate::order;

/// The script that runs it.
pub(crate) const SCRIPT: &str = "web/optimise.js";

/// How a module is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Optimise {
    /// Not at all.
    Not,
    /// For its size.
    Size,
    /// For its speed.
    Speed,
}

/// Optimises modules in their files.
///
/// # Errors
/// Node or Binaryen cannot be run, or fails for one of them; or a file cannot be written.
pub(crate) fn optimise(files: Vec<PathBuf>, how: Optimise) -> Result<(), String> {
    let word = match how {
        Optimise::Not => return Ok(()),
        Optimise::Size => "size",
        Optimise::Speed => "speed",
    };
    each(
        files,
        || Optimiser::start(word),
        |optimiser, file| {
            optimiser.optimise(file)?;
            if how == Optimise::Size { order_functions(file) } else { Ok(()) }
        },
    )
}

/// Binaryen, which takes one module after the other.
struct Optimiser {
    process: Child,
    files: ChildStdin,
    done: BufReader<ChildStdout>,
}

impl Optimiser {
    fn start(how: &str) -> Result<Self, String> {
        let failed = |why: &str| format!("{SCRIPT} cannot be run: {why}");
        let mut command = Command::new("node");
        command.args([SCRIPT, how]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| failed(&error.to_string()))?;
        let (Some(files), Some(done)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed("it has no input or no output"));
        };
        Ok(Self { process, files, done: BufReader::new(done) })
    }

    /// Optimises a module, and waits for that. What Binaryen writes beside the file's path is passed over.
    fn optimise(&mut self, file: &Path) -> Result<(), String> {
        let failed = |why: &str| format!("{} cannot be optimised: {why}", file.display());
        let name = file.display().to_string();
        writeln!(self.files, "{name}").map_err(|error| failed(&error.to_string()))?;
        let mut line = String::new();
        while line.trim_end() != name {
            line.clear();
            match self.done.read_line(&mut line) {
                Ok(0) => return Err(failed(&format!("{SCRIPT} has ended"))),
                Ok(_) => {}
                Err(error) => return Err(failed(&error.to_string())),
            }
        }
        Ok(())
    }
}

impl Drop for Optimiser {
    fn drop(&mut self) {
        // There is nothing that it could still do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Does something with each file, in order, by as many workers as there are processors.
///
/// # Errors
/// The first error that there was. What has begun goes on to its end, and nothing else begins.
fn each<W>(
    files: Vec<PathBuf>,
    start: impl Fn() -> Result<W, String> + Sync,
    act: impl Fn(&mut W, &Path) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = processors.min(files.len());
    let (files, failure) = (Mutex::new(files.into_iter()), Mutex::new(None));
    let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut worker = start()?;
        while let Some(file) = next() {
            act(&mut worker, &file)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                if let Err(error) = work() {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    while next().is_some() {}
                }
            });
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Gives the functions of a module the order in which they compress best.
fn order_functions(file: &Path) -> Result<(), String> {
    let failed = |error: String| format!("{} cannot be made smaller: {error}", file.display());
    let module = fs::read(file).map_err(|error| failed(error.to_string()))?;
    let module = order::reorder(&module).map_err(failed)?;
    fs::write(file, module).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does something with files of these names, of which some fail; returns those that were looked at, and the error.
    fn look(names: &[&str], fails: &str) -> (Vec<String>, Result<(), String>) {
        let seen = Mutex::new(Vec::new());
        let files = names.iter().map(PathBuf::from).collect();
        let done = each(
            files,
            || Ok(()),
            |(), file| {
                let name = file.display().to_string();
                let failed = name == fails;
                seen.lock().unwrap().push(name.clone());
                if failed { Err(name) } else { Ok(()) }
            },
        );
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        (seen, done)
    }

    #[test]
    fn each_is_done_once() {
        let names = ["a", "b", "c", "d", "e"];
        assert_eq!(look(&names, ""), (names.map(str::to_owned).to_vec(), Ok(())));
        assert_eq!(look(&[], ""), (Vec::new(), Ok(())));
    }

    #[test]
    fn an_error_is_told() {
        let (seen, done) = look(&["a", "b", "c"], "a");
        assert_eq!(done, Err("a".to_owned()));
        assert!(seen.contains(&"a".to_owned()));
        let nobody = each(vec![PathBuf::from("a")], || Err::<(), _>("nobody".to_owned()), |(), _| Ok(()));
        assert_eq!(nobody, Err("nobody".to_owned()));
    }
}
