//! A log in a file: when it becomes too large, another one begins, and those from before are kept for a while.
//!
//! Former files have the time in their names, as kube-apiserver names them: `audit-2026-11-20T13-22-00.000.log`.
//! See <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#log-backend>.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use apiserver::AuditLog;
use golang::time::{Layout, Time, parse};

use crate::gzip;

/// The ending of the name of a compressed file.
const COMPRESSED: &str = ".gz";
const DAY: u64 = 24 * 60 * 60;

/// How long a file grows, and which former ones are kept. 0 is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rotation {
    pub(super) most_bytes: u64,
    pub(super) most_files: usize,
    pub(super) most_days: u64,
    pub(super) compress: bool,
}

/// A log in a file.
pub(super) struct LogFile {
    path: PathBuf,
    rotation: Rotation,
    /// The file, and how large it is; none, if the last one could not be opened.
    open: Mutex<Option<(File, u64)>>,
}

impl LogFile {
    /// Opens a file, which is continued if it is there, and made with its folder if it is not.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(path: &Path, rotation: Rotation) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = private().append(true).open(path)?;
        let size = file.metadata()?.len();
        let open = Mutex::new(Some((file, size)));
        let own = Self { path: path.to_owned(), rotation, open };
        own.tidy_up(SystemTime::now())?;
        Ok(own)
    }

    /// Writes a line at a time, to another file if this one is full.
    fn write_at(&self, line: &[u8], now: SystemTime) -> io::Result<()> {
        let (length, most) = (line.len() as u64, self.rotation.most_bytes);
        if most > 0 && length > most {
            return Err(io::Error::other(format!("write length {length} exceeds maximum file size {most}")));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = open.as_ref().is_none_or(|(_, size)| most > 0 && size + length > most);
        if is_full {
            *open = None;
            if self.path.exists() {
                fs::rename(&self.path, self.former(now))?;
            }
            *open = Some((private().write(true).truncate(true).open(&self.path)?, 0));
        }
        let Some((file, size)) = open.as_mut() else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_all(line)?;
        *size += length;
        drop(open);
        if is_full {
            // To compress a file takes a while: others write meanwhile. What cannot be tidied up now is the next time.
            let _ = self.tidy_up(now);
        }
        Ok(())
    }

    /// Returns the beginning and the ending of the names of former files.
    fn affixes(&self) -> (String, String) {
        let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let name = text(self.path.file_name());
        match name.rsplit_once('.') {
            Some((stem, extension)) => ([stem, "-"].concat(), [".", extension].concat()),
            None => (name + "-", String::new()),
        }
    }

    /// Returns the name of the file once another one begins.
    fn former(&self, now: SystemTime) -> PathBuf {
        let (prefix, suffix) = self.affixes();
        self.path.with_file_name([prefix, timestamp(now), suffix].concat())
    }

    /// Returns the former files, the newest first, and when each has ended.
    fn former_files(&self) -> io::Result<Vec<(PathBuf, Time)>> {
        let (prefix, suffix) = self.affixes();
        let mut files = Vec::new();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = name.strip_suffix(COMPRESSED).unwrap_or(&name);
            let text = text.strip_prefix(&prefix).and_then(|text| text.strip_suffix(&suffix));
            if let Some(at) = text.and_then(time_of) {
                files.push((entry.path(), at));
            }
        }
        files.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        Ok(files)
    }

    /// Removes the files that are too many or too old, and compresses the others, if they are to be.
    fn tidy_up(&self, now: SystemTime) -> io::Result<()> {
        let Rotation { most_files, most_days, compress, .. } = self.rotation;
        if most_files == 0 && most_days == 0 && !compress {
            return Ok(());
        }
        let oldest = since_epoch(now).as_secs().saturating_sub(most_days.saturating_mul(DAY));
        for (index, (path, at)) in self.former_files()?.into_iter().enumerate() {
            let is_old = most_days > 0 && at.since_epoch().is_none_or(|at| at.as_secs() < oldest);
            if is_old || most_files > 0 && index >= most_files {
                fs::remove_file(path)?;
            } else if compress && path.extension().is_none_or(|extension| extension != "gz") {
                compress_file(&path)?;
            }
        }
        Ok(())
    }
}

impl AuditLog for LogFile {
    fn write(&self, event: &[u8]) -> io::Result<()> {
        self.write_at(event, SystemTime::now())
    }
}

/// Returns how a file is opened that nobody else may read, if it is new.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts a compressed file in the place of another one.
fn compress_file(path: &Path) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(COMPRESSED);
    private().write(true).truncate(true).open(&name)?.write_all(&gzip::compress(&fs::read(path)?))?;
    fs::remove_file(path)
}

fn since_epoch(now: SystemTime) -> Duration {
    now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Returns a time as it stands in the name of a file, in UTC: `2026-11-20T13-22-00.000`.
fn timestamp(now: SystemTime) -> String {
    let now = since_epoch(now);
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let text = Time::unix(seconds).rfc3339();
    format!("{}.{:03}", text.trim_end_matches('Z').replace(':', "-"), now.subsec_millis())
}

/// Reads a time in the name of a file.
fn time_of(text: &str) -> Option<Time> {
    let (date, time) = text.split_once('T')?;
    if time.len() != "13-22-00.000".len() || !time.is_ascii() || time.contains(':') {
        return None;
    }
    parse(Layout::Rfc3339, &format!("{date}T{}Z", time.replace('-', ":"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: Duration = Duration::from_millis(1_795_180_920_250);

    /// Writes lines of these numbers of bytes, a second after the other, and returns the names of the files that are then there, with
    /// their sizes.
    fn written(rotation: Rotation, lines: &[usize]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::open(&folder.path().join("logs/audit.log"), rotation).unwrap();
        for (second, length) in (0..).zip(lines) {
            let now = SystemTime::UNIX_EPOCH + BEGIN + Duration::from_secs(second);
            // One that is too long is not written.
            let _ = log.write_at(&vec![b'a'; *length], now);
        }
        let shown = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.ends_with(COMPRESSED) {
                name
            } else {
                format!("{name} {}", entry.metadata().unwrap().len())
            }
        };
        let mut names: Vec<String> = fs::read_dir(folder.path().join("logs")).unwrap().map(shown).collect();
        names.sort();
        names
    }

    #[test]
    fn another_file_begins_when_one_is_full() {
        let of =
            |most_bytes, most_files, compress| Rotation { most_bytes, most_files, most_days: 0, compress };
        assert_eq!(written(of(0, 0, false), &[5, 5, 5]), ["audit.log 15"]);
        let first = "audit-2026-11-20T13-22-01.250.log";
        assert_eq!(written(of(6, 0, false), &[5, 4, 2]), [&format!("{first} 5"), "audit.log 6"]);
        assert_eq!(written(of(6, 0, true), &[5, 4]), [&format!("{first}.gz"), "audit.log 4"]);
        let second = "audit-2026-11-20T13-22-02.250.log 4";
        assert_eq!(written(of(6, 1, false), &[5, 4, 3]), [second, "audit.log 3"]);
        assert_eq!(written(of(6, 0, false), &[7, 1]), ["audit.log 1"]);
    }

    #[test]
    fn a_file_is_continued_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        fs::write(&path, "a\n").unwrap();
        for name in ["audit-2020-01-01T00-00-00.000", "audit-2020-01-01T00-00-00.000.gz", "audit-2020"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let log = LogFile::open(&path, Rotation { most_days: 1, ..Rotation::default() }).unwrap();
        log.write(b"b\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["audit", "audit-2020"]);
    }

    #[test]
    fn times_in_names() {
        let at = SystemTime::UNIX_EPOCH + BEGIN;
        assert_eq!(timestamp(at), "2026-11-20T13-22-00.250");
        assert_eq!(time_of(&timestamp(at)).and_then(Time::since_epoch), Some(BEGIN));
        for text in ["", "2026", "2026-11-20T13:22:00.250", "2026-11-20T13-22-00", "2026-11-20T13-22-61.000"]
        {
            assert_eq!(time_of(text), None, "{text}");
        }
    }
}
