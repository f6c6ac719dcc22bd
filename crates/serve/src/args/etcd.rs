//! The flags of `etcd`, as suites that use envtest pass them.

use std::ffi::OsString;

use super::{Command, UsageError};

/// The flag that says where clients reach it, and where that is if nobody says.
const CLIENTS: (&str, &str) = ("listen-client-urls", "http://localhost:2379");

/// The output of `etcd --help`.
const FLAGS: &str = "\
Kubeglass in place of etcd: its kube-apiserver keeps the cluster in its own memory, so all that this program does is to be healthy.

Flags:
  --listen-client-urls URLS   where it listens, separated by commas [http://localhost:2379]
  All others of etcd are taken, and change nothing.
";

/// Reads flags as Go's do: with one dash or two, and the value behind `=` or as the next word, unless it is another flag.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut urls = CLIENTS.1.to_owned();
    let mut args = args.map(|word| word.to_string_lossy().into_owned()).peekable();
    while let Some(word) = args.next() {
        let flag = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        let Some(flag) = flag.filter(|flag| !flag.is_empty()) else {
            return Err(UsageError(format!("{word:?} is no flag of etcd")));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, args.next_if(|next| !next.starts_with('-'))),
        };
        match (name, value) {
            ("help" | "h", _) => return Ok(Command::Flags(FLAGS.to_owned())),
            ("version", _) => return Ok(Command::Version),
            (name, Some(value)) if name == CLIENTS.0 => urls = value,
            (name, None) if name == CLIENTS.0 => return Err(UsageError(format!("--{name} needs a value"))),
            _ => {}
        }
    }
    let address = |url: &str| match url.strip_prefix("http://") {
        Some(address) if !address.is_empty() => Ok(address.trim_end_matches('/').to_owned()),
        _ => Err(UsageError(format!("--{} has http:// URLs, not {url:?}", CLIENTS.0))),
    };
    urls.split(',').map(address).collect::<Result<_, _>>().map(Command::Etcd)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: the addresses, separated by spaces, or how the error begins.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = match parse(line.split_whitespace().map(OsString::from)) {
            Ok(Command::Etcd(addresses)) => addresses.join(" "),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expected), "{line}: {found}");
    }

    #[test]
    fn flags() {
        check("", "localhost:2379");
        check("--listen-client-urls=http://127.0.0.1:1,http://[::1]:2/", "127.0.0.1:1 [::1]:2");
        check("-data-dir d -listen-client-urls http://a:1 --unsafe-no-fsync --name x", "a:1");
        check("--help", "Flags(");
        check("--version", "Version");
        check("--listen-client-urls", "--listen-client-urls needs a value");
        check(
            "--listen-client-urls https://a:1",
            "--listen-client-urls has http:// URLs, not \"https://a:1\"",
        );
        check("now", "\"now\" is no flag of etcd");
    }
}
