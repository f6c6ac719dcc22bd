//! Programs that change files.
//!
//! See <https://busybox.net/downloads/BusyBox.html>.

use super::files::{NO_DIRECTORY, READ_ONLY, is_within, resolve};
use super::options::options;
use super::shell::Run;

/// The reason why a file is not found.
const MISSING: &str = "No such file or directory";

/// Returns an absolute path, as seen by a program.
fn absolute(run: &Run<'_>, path: &str) -> String {
    resolve(&run.shell.directory, path)
}

/// Complains about a path, and reports that it has failed. The real program may find in an image what is not here.
fn fail(run: &mut Run<'_>, before: &str, path: &str, why: &str) -> u8 {
    if [MISSING, NO_DIRECTORY].contains(&why) {
        let absolute = absolute(run, path);
        run.guess_of(&absolute);
    }
    run.complain(&[before, "'", path, "': ", why]);
    1
}

/// Runs a program on each path, and returns 1 if one fails.
fn each(run: &mut Run<'_>, paths: &[&str], mut act: impl FnMut(&mut Run<'_>, &str) -> u8) -> u8 {
    paths.iter().fold(0, |code, path| code.max(act(run, path)))
}

/// Makes empty files of those that are not there.
pub(super) fn touch(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("touch", "cam"), words) else { return 1 };
    each(run, &paths, |run, path| {
        let absolute = absolute(run, path);
        let files = &mut run.shell.machine.files;
        if letters.contains('c') || files.is_directory(&absolute) {
            return 0;
        }
        match files.write(&absolute, b"", true) {
            Ok(()) => 0,
            Err(why) => fail(run, "touch: ", path, why),
        }
    })
}

/// Makes directories; with `-p`, those above them, too.
pub(super) fn make_directories(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("mkdir", "p"), words) else { return 1 };
    each(run, &paths, |run, path| {
        let absolute = absolute(run, path);
        let files = &mut run.shell.machine.files;
        let parent = absolute.rsplit_once('/').map_or("", |(parent, _)| parent);
        let makes_all = letters.contains('p');
        let why = match files.entry(&absolute) {
            Some(None) if makes_all => return 0,
            Some(_) => "File exists",
            None if files.is_below_file(&absolute) => "Not a directory",
            None if !files.is_writable(&absolute) => READ_ONLY,
            None if !makes_all && !files.is_directory(parent) => MISSING,
            None => {
                files.make_directory(&absolute);
                return 0;
            }
        };
        fail(run, "mkdir: can't create directory ", path, why)
    })
}

/// Removes files; with `-r`, directories and all that is in them.
pub(super) fn remove(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("rm", "rRf"), words) else { return 1 };
    each(run, &paths, |run, path| {
        let absolute = absolute(run, path);
        let files = &mut run.shell.machine.files;
        let why = match files.entry(&absolute) {
            None if letters.contains('f') => return 0,
            None => MISSING,
            Some(_) if !files.is_writable(&absolute) => READ_ONLY,
            Some(None) if !letters.contains(['r', 'R']) => "Is a directory",
            Some(_) => {
                files.remove(&absolute);
                return 0;
            }
        };
        fail(run, "rm: can't remove ", path, why)
    })
}

/// Removes directories that are empty.
pub(super) fn remove_directories(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((_, paths)) = options(run, ("rmdir", ""), words) else { return 1 };
    each(run, &paths, |run, path| {
        let absolute = absolute(run, path);
        let files = &mut run.shell.machine.files;
        let why = match files.entry(&absolute) {
            None => MISSING,
            Some(Some(_)) => "Not a directory",
            Some(None) if files.names(&absolute).next().is_some() => "Directory not empty",
            Some(None) if !files.is_writable(&absolute) => READ_ONLY,
            Some(None) => {
                files.remove(&absolute);
                return 0;
            }
        };
        fail(run, "rmdir: ", path, why)
    })
}

/// Copies files; with `-r`, directories.
pub(super) fn copy(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("cp", "rRapfv"), words) else { return 1 };
    transfer(run, "cp", &paths, letters.contains(['r', 'R', 'a']), letters.contains('v'))
}

/// Moves files and directories.
pub(super) fn rename(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("mv", "fv"), words) else { return 1 };
    transfer(run, "mv", &paths, true, letters.contains('v'))
}

/// Copies or moves all but the last path to the last one.
fn transfer(run: &mut Run<'_>, name: &str, paths: &[&str], takes_directories: bool, tells: bool) -> u8 {
    let Some((to, from)) = paths.split_last().filter(|(_, from)| !from.is_empty()) else {
        run.complain(&[name, ": missing operand"]);
        return 1;
    };
    let into_directory = {
        let to = absolute(run, to);
        run.shell.machine.files.is_directory(&to)
    };
    if from.len() > 1 && !into_directory {
        return fail(run, &[name, ": target "].concat(), to, "Not a directory");
    }
    each(run, from, |run, path| {
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let shown =
            if into_directory { [to.trim_end_matches('/'), "/", last].concat() } else { (*to).to_owned() };
        match transfer_one(run, path, &shown, (takes_directories, name == "mv")) {
            Ok(()) if tells => {
                run.print(["'", path, "' -> '", &shown, "'\n"].concat().as_bytes());
                0
            }
            Ok(()) => 0,
            Err((path, why)) => fail(run, &[name, ": can't write "].concat(), &path, why),
        }
    })
}

/// Copies or moves what is at one path to another.
///
/// # Errors
/// The path that is in the way, and why.
fn transfer_one(
    run: &mut Run<'_>,
    from: &str,
    to: &str,
    (takes_directories, moves): (bool, bool),
) -> Result<(), (String, &'static str)> {
    let (source, target) = (absolute(run, from), absolute(run, to));
    let files = &mut run.shell.machine.files;
    let entry = files.entry(&source).cloned().ok_or_else(|| (from.to_owned(), MISSING))?;
    if entry.is_none() && !takes_directories {
        return Err((from.to_owned(), "omitting directory"));
    }
    if source == target || (entry.is_none() && is_within(&target, &source)) {
        return Err((to.to_owned(), "it is the same"));
    }
    if moves && !files.is_writable(&source) {
        return Err((from.to_owned(), READ_ONLY));
    }
    for path in files.below(&source) {
        let target = [&target, &path[source.len()..]].concat();
        match files.entry(&path).cloned().flatten() {
            Some(bytes) => files.write(&target, &bytes, false).map_err(|why| (to.to_owned(), why))?,
            None if !files.is_writable(&target) => return Err((to.to_owned(), READ_ONLY)),
            None => files.make_directory(&target),
        }
    }
    if moves {
        files.remove(&source);
    }
    Ok(())
}

/// Writes its input to files and to its output.
pub(super) fn tee(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("tee", "a"), words) else { return 1 };
    let bytes = run.read();
    run.print(&bytes);
    each(run, &paths, |run, path| {
        let absolute = absolute(run, path);
        match run.shell.machine.files.write(&absolute, &bytes, letters.contains('a')) {
            Ok(()) => 0,
            Err(why) => fail(run, "tee: ", path, why),
        }
    })
}

/// Writes the last part of a path, without an ending, or the directory that it is in.
pub(super) fn part_of_path(run: &mut Run<'_>, words: &[String], is_last: bool) -> u8 {
    let Some(path) = words.first() else {
        run.complain(&[if is_last { "basename" } else { "dirname" }, ": missing operand"]);
        return 1;
    };
    let trimmed = path.trim_end_matches('/');
    let (directory, last) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
    let part = match (is_last, trimmed.is_empty()) {
        (_, true) => "/",
        (false, false) if directory.is_empty() => "/",
        (false, false) => directory,
        (true, false) => {
            let ending = words.get(1).and_then(|ending| last.strip_suffix(ending.as_str()));
            ending.filter(|rest| !rest.is_empty()).unwrap_or(last)
        }
    };
    run.print([part, "\n"].concat().as_bytes());
    0
}
