//! The options of the audit log.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#log-backend>.

use std::path::PathBuf;

use lexopt::{Parser, ValueExt as _};

use super::UsageError;
use super::values::{switch, value};
use crate::audit;

/// The modes in which events are written. Those that are written later are written at once here, too.
const MODES: [&str; 3] = ["batch", "blocking", "blocking-strict"];
/// The formats of events.
const FORMATS: [&str; 2] = ["legacy", "json"];
/// The version of events.
const VERSION: &str = "audit.k8s.io/v1";

/// Options as they are read, until they are complete.
pub(super) struct Reading {
    options: audit::Options,
    truncates: bool,
    most_of_event: i64,
    most_of_batch: i64,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            options: audit::Options::default(),
            truncates: false,
            most_of_event: 100 * 1024,
            most_of_batch: 10 * 1024 * 1024,
        }
    }
}

impl Reading {
    /// Takes an option, by its name without `--`, and its value. Returns false if there is no such option.
    pub(super) fn take(&mut self, name: &str, parser: &mut Parser) -> Result<bool, UsageError> {
        let options = &mut self.options;
        let shown = ["--", name].concat();
        match name {
            "audit-policy-file" => options.policy = Some(PathBuf::from(value(parser, &shown)?)),
            "audit-log-path" => options.path = Some(PathBuf::from(value(parser, &shown)?)),
            "audit-log-format" => {
                let format = one_of(parser, "format", &FORMATS, "formats")?;
                options.format.legacy = format == "legacy";
            }
            "audit-log-mode" => {
                let mode = one_of(parser, "mode", &MODES, "modes")?;
                options.format.strict = mode == "blocking-strict";
            }
            "audit-log-version" => {
                let version = value(parser, &shown)?.string()?;
                if version != VERSION {
                    let known = "invalid group version, allowed versions are [\"audit.k8s.io/v1\"]";
                    return Err(UsageError(known.to_owned()));
                }
            }
            "audit-log-maxsize" => options.most_megabytes = natural(parser, &shown)?,
            "audit-log-maxbackup" => {
                options.most_files = usize::try_from(natural(parser, &shown)?).unwrap_or(usize::MAX);
            }
            "audit-log-maxage" => options.most_days = natural(parser, &shown)?,
            "audit-log-compress" => options.compress = switch(parser, &shown)?,
            "audit-log-truncate-enabled" => self.truncates = switch(parser, &shown)?,
            "audit-log-truncate-max-event-size" => self.most_of_event = whole(parser, &shown)?,
            "audit-log-truncate-max-batch-size" => self.most_of_batch = whole(parser, &shown)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the options.
    ///
    /// # Errors
    /// They do not go together, or mean nothing.
    pub(super) fn finish(self) -> Result<audit::Options, UsageError> {
        let Self { mut options, truncates, most_of_event, most_of_batch } = self;
        if options.path.is_none() {
            return Ok(options);
        }
        if most_of_event <= 0 {
            let why = "must be a positive number";
            return Err(UsageError(format!(
                "invalid audit truncate log max event size {most_of_event}, {why}"
            )));
        }
        if most_of_batch < most_of_event {
            return Err(UsageError(format!(
                "invalid audit truncate log max batch size {most_of_batch}, must be greater than max event size ({most_of_event})"
            )));
        }
        options.format.most_bytes = usize::try_from(most_of_event).ok().filter(|_| truncates);
        Ok(options)
    }
}

/// Reads one of some words.
fn one_of(parser: &mut Parser, what: &str, known: &[&str], all: &str) -> Result<String, UsageError> {
    let word = value(parser, &["--audit-log-", what].concat())?.string()?;
    if known.contains(&word.as_str()) {
        return Ok(word);
    }
    Err(UsageError(format!("invalid audit log {what} {word}, allowed {all} are \"{}\"", known.join(","))))
}

/// Reads a whole number.
fn whole(parser: &mut Parser, name: &str) -> Result<i64, UsageError> {
    let value = value(parser, name)?;
    value.parse().map_err(|_| UsageError(format!("{name} is a whole number, not {value:?}")))
}

/// Reads a whole number that is not negative.
fn natural(parser: &mut Parser, name: &str) -> Result<u64, UsageError> {
    let number = whole(parser, name)?;
    u64::try_from(number).map_err(|_| UsageError(format!("{name} {number} can't be a negative number")))
}

#[cfg(test)]
mod tests {
    use apiserver::AuditFormat;

    use super::*;
    use crate::args::Command;

    #[track_caller]
    fn check(line: &str, expected: Result<audit::Options, &str>) {
        let found = match crate::args::parse(["serve"].into_iter().chain(line.split_whitespace())) {
            Ok(Command::Serve(options)) => Ok(options.audit),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.0),
        };
        assert_eq!(found, expected.map_err(str::to_owned), "{line}");
    }

    #[test]
    fn options() {
        let default = audit::Options::default;
        check("", Ok(default()));
        let (policy, path) = (Some("p".into()), Some("-".into()));
        let given = audit::Options { policy, path: path.clone(), ..default() };
        check("--audit-policy-file p --audit-log-path=-", Ok(given));
        let rotated =
            audit::Options { most_megabytes: 0, most_files: 2, most_days: 3, compress: true, ..default() };
        let line = "--audit-log-maxsize 0 --audit-log-maxbackup=2 --audit-log-maxage 3 --audit-log-compress";
        check(line, Ok(rotated));
        let format = AuditFormat { legacy: true, most_bytes: Some(9), strict: true };
        let line = "--audit-log-format legacy --audit-log-mode blocking-strict --audit-log-truncate-enabled";
        let size =
            "--audit-log-truncate-max-event-size 9 --audit-log-path - --audit-log-version audit.k8s.io/v1";
        check(&format!("{line} {size}"), Ok(audit::Options { path, format, ..default() }));
        for (line, expected) in [
            ("--audit-log-format xml", "invalid audit log format xml, allowed formats are \"legacy,json\""),
            (
                "--audit-log-mode fast",
                "invalid audit log mode fast, allowed modes are \"batch,blocking,blocking-strict\"",
            ),
            (
                "--audit-log-version audit.k8s.io/v1beta1",
                "invalid group version, allowed versions are [\"audit.k8s.io/v1\"]",
            ),
            ("--audit-log-maxage -1", "--audit-log-maxage -1 can't be a negative number"),
            ("--audit-log-maxsize x", "--audit-log-maxsize is a whole number, not \"x\""),
            (
                "--audit-log-path - --audit-log-truncate-max-event-size 0",
                "invalid audit truncate log max event size 0, must be a positive number",
            ),
            (
                "--audit-log-path - --audit-log-truncate-max-batch-size 1",
                "invalid audit truncate log max batch size 1, must be greater than max event size (102400)",
            ),
        ] {
            check(line, Err(expected));
        }
    }
}
