//! The audit log of a server: its policy, and the file that events are written to.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/>.

mod log_file;

use std::io::{self, Write};
use std::path::PathBuf;

use apiserver::{ApiServer, AuditFormat, AuditLog, AuditPolicy};
use log_file::{LogFile, Rotation};

/// The options of an audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The file with the policy. Without one nothing is logged.
    pub policy: Option<PathBuf>,
    /// The file to write events to; `-` is standard output. Without one nothing is logged.
    pub path: Option<PathBuf>,
    /// How events are written.
    pub format: AuditFormat,
    /// The size in megabytes at which another file begins; 0: never.
    pub most_megabytes: u64,
    /// How many former files are kept; 0: all of them.
    pub most_files: usize,
    /// How many days former files are kept; 0: for ever.
    pub most_days: u64,
    /// True if former files are compressed.
    pub compress: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: None,
            path: None,
            format: AuditFormat::default(),
            most_megabytes: 100,
            most_files: 100,
            most_days: 366,
            compress: false,
        }
    }
}

/// The reason why there is no audit log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy cannot be read.
    #[error("loading audit policy file: failed to read file path {:?}: {source}", path.display().to_string())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from reading it.
        source: io::Error,
    },
    /// The policy is wrong.
    #[error("loading audit policy file: {why}: from file {}", path.display())]
    Policy {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// The log cannot be written.
    #[error("the audit log {} cannot be written: {source}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// The error from writing it.
        source: io::Error,
    },
}

/// Has a server log what its options say. Returns the warnings about the policy.
///
/// # Errors
/// See [`Error`]. A policy is read even if nothing is logged.
pub(crate) fn begin(api: &ApiServer, options: &Options) -> Result<Option<String>, Error> {
    let Some(path) = &options.policy else { return open(options).map(|_| None) };
    let text = std::fs::read(path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let wrong = |why| Error::Policy { path: path.clone(), why };
    let (policy, warning) = AuditPolicy::parse(&text).map_err(wrong)?;
    if let Some(log) = open(options)? {
        api.set_audit(policy, options.format, log);
    }
    Ok(warning)
}

/// Opens the log, if there is to be one.
fn open(options: &Options) -> Result<Option<Box<dyn AuditLog>>, Error> {
    let Some(path) = &options.path else { return Ok(None) };
    if path.as_os_str() == "-" {
        return Ok(Some(Box::new(StandardOutput)));
    }
    let rotation = Rotation {
        most_bytes: options.most_megabytes * 1024 * 1024,
        most_files: options.most_files,
        most_days: options.most_days,
        compress: options.compress,
    };
    let file = LogFile::open(path, rotation).map_err(|source| Error::Log { path: path.clone(), source })?;
    Ok(Some(Box::new(file)))
}

/// A log on standard output.
struct StandardOutput;

impl AuditLog for StandardOutput {
    fn write(&self, event: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(event)?;
        out.flush()
    }
}
