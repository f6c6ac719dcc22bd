//! The log, in the two forms of Kubernetes' components.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/system-logs/>

use std::time::{Duration, SystemTime};

use golang::strconv::quote;
use golang::time::Time;
use serde_json::Value;

/// The form of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As klog writes it: `I1129 10:13:24.809537   14539 exchange.rs:12] "HTTP" verb="GET" resp=200`.
    #[default]
    Text,
    /// An object in JSON.
    Json,
}

/// How much is logged, and in which form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logging {
    /// How much: from 3 on each request has a line.
    pub verbosity: u8,
    /// The form of a line.
    pub format: Format,
}

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It is well.
    Info,
    /// Somebody should know.
    Warning,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line<'a> {
    pub(crate) severity: Severity,
    /// The verbosity from which on it is written.
    pub(crate) verbosity: u8,
    /// The place in the source, as `file.rs:12`.
    pub(crate) place: &'a str,
    pub(crate) message: &'a str,
    /// Names and values.
    pub(crate) values: &'a [(&'a str, Value)],
}

impl Logging {
    /// Writes a line to standard error, if so much is logged.
    pub(crate) fn write(self, line: &Line<'_>) {
        if line.verbosity <= self.verbosity {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            eprintln!("{}", line.text(self.format, now, std::process::id()));
        }
    }

    /// Tells people something: as a sentence of this program, or as a line where these are objects.
    pub fn say(self, severity: Severity, message: &str) {
        match (self.format, severity) {
            (Format::Text, Severity::Info) => eprintln!("kubeglass: {message}"),
            (Format::Text, Severity::Warning) => eprintln!("kubeglass: warning: {message}"),
            (Format::Json, _) => {
                self.write(&Line { severity, verbosity: 0, place: "main.rs", message, values: &[] });
            }
        }
    }
}

impl Line<'_> {
    /// Returns it as text.
    fn text(&self, format: Format, now: Duration, process: u32) -> String {
        match format {
            Format::Text => self.klog(now, process),
            Format::Json => self.json(now),
        }
    }

    fn klog(&self, now: Duration, process: u32) -> String {
        let severity = if self.severity == Severity::Info { "I" } else { "W" };
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let time = Time { seconds, nanos: now.subsec_nanos() }.rfc3339_micro();
        let [month, day, clock] = [5..7, 8..10, 11..26].map(|part| time.get(part).unwrap_or_default());
        let mut line =
            format!("{severity}{month}{day} {clock} {process:7} {}] {}", self.place, quote(self.message));
        for (name, value) in self.values {
            let value = value.as_str().map_or_else(|| value.to_string(), quote);
            line += &[" ", name, "=", &value].concat();
        }
        line
    }

    fn json(&self, now: Duration) -> String {
        // Milliseconds, as exactly as a double has them.
        #[allow(clippy::cast_precision_loss)]
        let time = now.as_nanos() as f64 / 1e6;
        let verbosity = (self.severity == Severity::Info).then(|| ("v", self.verbosity.into()));
        let own = [("ts", time.into()), ("caller", self.place.into()), ("msg", self.message.into())];
        let all = own.into_iter().chain(verbosity).chain(self.values.iter().cloned());
        let pairs: Vec<String> = all
            .map(|(name, value)| [&Value::from(name).to_string(), ":", &value.to_string()].concat())
            .collect();
        ["{", &pairs.join(","), "}"].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_two_forms() {
        let values = [("verb", Value::from("GET")), ("URI", "/a\"b".into()), ("resp", 200.into())];
        let line = |severity, verbosity| Line {
            severity,
            verbosity,
            place: "exchange.rs:12",
            message: "HTTP",
            values: &values,
        };
        let now = Duration::new(1_795_947_204, 809_537_000);
        let check = |severity, verbosity, format, expected: &str| {
            assert_eq!(line(severity, verbosity).text(format, now, 14_539), expected);
        };
        check(
            Severity::Info,
            3,
            Format::Text,
            r#"I1129 10:13:24.809537   14539 exchange.rs:12] "HTTP" verb="GET" URI="/a\"b" resp=200"#,
        );
        check(
            Severity::Info,
            3,
            Format::Json,
            r#"{"ts":1795947204809.537,"caller":"exchange.rs:12","msg":"HTTP","v":3,"verb":"GET","URI":"/a\"b","resp":200}"#,
        );
        check(
            Severity::Warning,
            0,
            Format::Json,
            r#"{"ts":1795947204809.537,"caller":"exchange.rs:12","msg":"HTTP","verb":"GET","URI":"/a\"b","resp":200}"#,
        );
    }
}
