//! The command line.

mod audit;
mod etcd;
mod feature_gates;
mod kube_apiserver;
mod oidc;
mod options;
mod serve;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Arg::{Long, Short, Value};
use lexopt::{Parser, ValueExt as _};

use crate::doc;
use values::value;

pub use options::Options;

/// The environment variable with more flags for `kube-apiserver`, separated by spaces, for suites that pass it what they want.
pub const MORE: &str = "KUBEGLASS_FLAGS";

/// The output of `kubeglass --help`.
pub const HELP: &str = "\
Kubeglass: a Kubernetes API server in memory.

Usage: kubeglass serve [--listen ADDRESS] [--token-file FILE] [--first-revision N]
                       [--compaction-interval SECONDS] [--keep-revisions N]
                       [--insecure-anyone-is-admin] [--glass=false] [--cors-origin ORIGIN]
                       [--ui] [--record FILE [--record-secrets]] [--controllers LIST]
                       [--nodes N] [--scheduler] [--workshop FILE [--workshop-url ORIGIN]]
                       [--tls] [--tls-cert-file FILE --tls-private-key-file FILE] [--tls-san NAME]
                       [--client-ca-file FILE] [--write-kubeconfig FILE]
                       [--audit-policy-file FILE --audit-log-path FILE]
       kubeglass trace FILE [WORD...]
       kubeglass doc FILE... [--scene FILE] [--json]
       kubeglass envtest install DIR

  --listen ADDRESS     where to listen, as host:port [127.0.0.1:8001]
  --token-file FILE    who bearer tokens belong to, one `token,user,uid,\"group1,group2\"` per line;
                       without it no token is needed and everybody on this machine is admin
  --tls                speaks HTTPS, with certificates that are made at the start; without it, clients such as kubectl send
                       no tokens and no certificates
  --tls-cert-file FILE, --tls-private-key-file FILE
                       speaks HTTPS with this certificate, and those that lead to its root, and this key, in PEM
  --tls-san NAME       another name or address for the certificate that is made; may be given more than once
  --client-ca-file FILE
                       the authorities (in PEM) whose certificates say who a client is: CN is the user, each O a group
  --write-kubeconfig FILE
                       writes how clients get in; over HTTPS with a certificate of the group system:masters, which is then needed
  --oidc-issuer-url URL, --oidc-client-id NAME, --oidc-ca-file FILE
                       takes the tokens of an OpenID Connect provider that are for this client. The other options of kube-apiserver
                       (--oidc-username-claim, --oidc-groups-claim, ...) can be used, too
  --insecure-anyone-is-admin
                       without a token file, listens beyond this machine: whoever reaches it is admin
  --ui                 serves the page at /ui/, which shows what clients do
  --record FILE        records what happens, to be printed by `kubeglass trace FILE` and looked at in the page;
                       of more than 256 MB the last two files are kept, FILE and FILE.1
  --record-secrets     records what is in Secrets, too
  --glass=false        serves no /kubeglass/v1/, by which a page shows what happens in the cluster
  --cors-origin ORIGIN lets pages of this origin (https://example.com) use the server; may be given more than once
  --controllers LIST   which controllers work on the cluster, in the syntax of kube-controller-manager: '*' are all, 'foo' is
                       the one of that name, '-foo' is left out; separated by commas [none]
  --nodes N            how many nodes there are on which pods are as if they ran, node-1 and so on [0]
  --scheduler          finds nodes for pods, as kube-scheduler does; --scheduler=false leaves that to another one
                       [only with --nodes]
  --workshop FILE      a workshop: for each line `name` or `name,token` of the file a user with that name, a namespace, rights in
                       it and a quota; prints a link (a token, without --ui) for each, and for `leader`, who may do everything
  --workshop-url ORIGIN
                       how the links begin, if not with the address to listen on (https://workshop.example.com)
  --service-account-issuer NAME
                       who issues the tokens of service accounts [https://kubernetes.default.svc]; the first one signs, those of
                       others are taken, too
  --service-account-signing-key-file FILE, --service-account-key-file FILE
                       the key (RSA, P-256 or P-384, in PEM) that signs them [it makes one], and those that recognise them [the
                       one that signs]; the latter may be given more than once
  --service-account-jwks-uri URL
                       where the public keys are [/openid/v1/jwks of the server]
  --service-address NAMESPACE/NAME[:PORT]=HOST:PORT
                       where a Service is that a webhook or an aggregated API server is reached by; may be given more than once.
                       Others are looked for by their EndpointSlices
  --proxy-client-cert-file FILE, --proxy-client-key-file FILE
                       the certificate that aggregated API servers are shown, and its key; one is made if there are none
  --requestheader-client-ca-file FILE
                       the authority of that certificate, which they are told
  --service-cluster-ip-range RANGE
                       where Services have addresses, the first one the Service kubernetes: one range of IPv4 [10.96.0.0/16]
  --audit-policy-file FILE, --audit-log-path FILE
                       logs the requests that the policy wants logged; `-` is standard output. The other options of
                       kube-apiserver's audit log (--audit-log-format, --audit-log-maxsize, ...) can be used, too
  --allow-privileged   lets containers be privileged
  --feature-gates NAME=true|false,...
                       which features are on [CBORServingAndStorage and AllowUnsafeMalformedObjectDeletion, and what v1.36 has on
                       by default]; those two can be switched off
  --v N                how much is logged: from 3 on a line for each request [0]
  --logging-format FORMAT
                       the form of the log: text, as klog writes it, or json [text]
  --max-requests-inflight N, --max-mutating-requests-inflight N
                       how many requests that read, and how many that write, are handled at once [400 and 200]; API Priority and
                       Fairness shares their sum out
  --enable-priority-and-fairness=false
                       refuses requests that are too many at once, without queues; 0 is any number then
  --first-revision N   the resource version of the new cluster's first object [300]
  --compaction-interval SECONDS
                       how often what was old the last time is forgotten; 0 is never [300]
  --keep-revisions N   how many revisions are kept at most; 0 is all of them [0]
  --help               print this
  --version            print the version

`kubeglass trace` prints a recording: who wrote what, conflicts, relists, watches and how they ended; of the lines
those that have all of the words.

`kubeglass doc` runs the examples of documents (Markdown, or text) in a cluster of their own, and prints what was sent, what
came, and how that differs from what is documented; the exit code is 1 if something does.
  --scene FILE         what is in the cluster before the first example (YAML); without it, the file beside a document
                       that ends in .scene.yaml, or `scene` in its front matter, or what its examples assume
  --json               prints it as JSON

`kubeglass envtest install` puts this program into a folder as `kube-apiserver` and `etcd`. With KUBEBUILDER_ASSETS=DIR suites that
use envtest run on it. Under these names it takes their flags, and more of `serve` from KUBEGLASS_FLAGS.
";

/// The command of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To print [`HELP`].
    Help,
    /// To print the version.
    Version,
    /// To serve a new cluster.
    Serve(Box<Options>),
    /// To print the lines of a recording that have all of some words.
    Trace(PathBuf, Vec<String>),
    /// To run the examples of documents.
    Doc(doc::Options),
    /// To print the flags of a program under whose name it was called.
    Flags(String),
    /// To serve a new cluster as `kube-apiserver` does, after telling what is different.
    KubeApiserver(Box<Options>, Vec<String>),
    /// To be there as `etcd`, at these addresses.
    Etcd(Vec<String>),
    /// To put programs named `kube-apiserver` and `etcd` into a folder.
    Install(PathBuf),
}

/// The error in a command line, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; `kubeglass --help` tells what there is")]
pub struct UsageError(String);

impl UsageError {
    /// The error of an option that there is not, by its name without `--`.
    fn unknown(name: &str) -> Self {
        Self(format!("there is no option {:?}", ["--", name].concat()))
    }
}

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> Self {
        Self(match error {
            lexopt::Error::MissingValue { option: Some(option) } => format!("{option} needs a value"),
            lexopt::Error::UnexpectedValue { option, .. } => format!("{option} takes no value"),
            lexopt::Error::UnexpectedOption(option) => format!("there is no option {option:?}"),
            lexopt::Error::UnexpectedArgument(word) => format!("{word:?} is no option"),
            lexopt::Error::NonUnicodeValue(value) => format!("{value:?} is no text in UTF-8"),
            other => other.to_string(),
        })
    }
}

/// Reads a command line, the program's name first: under the names `kube-apiserver` and `etcd` it takes their flags.
///
/// # Errors
/// For words and options that there are not, and values that are missing or wrong.
pub fn parse_all(args: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut args = args.into_iter();
    let program = args.next().map(PathBuf::from).unwrap_or_default();
    match program.file_stem().and_then(|name| name.to_str()) {
        Some("kube-apiserver") => {
            let more = std::env::var(MORE).unwrap_or_default();
            kube_apiserver::parse(args.chain(more.split_whitespace().map(OsString::from)))
        }
        Some("etcd") => etcd::parse(args),
        _ => parse(args),
    }
}

/// Reads the arguments after the program's name. Options are written `--name value` or `--name=value`; the last of
/// equal ones counts. After `--` there are none.
///
/// # Errors
/// For words and options that there are not, and values that are missing or wrong.
pub fn parse(args: impl IntoIterator<Item: Into<OsString>>) -> Result<Command, UsageError> {
    let mut parser = Parser::from_args(args);
    let command = match parser.next()? {
        None | Some(Long("help") | Short('h')) => return Ok(Command::Help),
        Some(Long("version") | Short('V')) => return Ok(Command::Version),
        Some(Value(command)) => command,
        Some(option) => return Err(option.unexpected().into()),
    };
    match command.to_str() {
        Some("help") => Ok(Command::Help),
        Some("version") => Ok(Command::Version),
        Some("trace") => trace(&mut parser),
        Some("doc") => documents(&mut parser),
        Some("serve") => serve::parse(&mut parser),
        Some("envtest") => envtest(&mut parser),
        _ => Err(UsageError(format!("there is no command {command:?}"))),
    }
}

/// Reads the arguments of `kubeglass trace`. Words begin with whatever the lines have, so none of them is an option.
fn trace(parser: &mut Parser) -> Result<Command, UsageError> {
    match parser.next()? {
        None => Err(UsageError("trace needs a file".to_owned())),
        Some(Long("help") | Short('h')) => Ok(Command::Help),
        Some(Value(file)) => {
            let words = parser.raw_args()?.map(|word| word.string()).collect::<Result<_, _>>()?;
            Ok(Command::Trace(file.into(), words))
        }
        Some(option) => Err(option.unexpected().into()),
    }
}

/// Reads the arguments of `kubeglass envtest`.
fn envtest(parser: &mut Parser) -> Result<Command, UsageError> {
    let usage = || UsageError("envtest needs `install` and a folder".to_owned());
    match parser.next()? {
        Some(Long("help") | Short('h')) => return Ok(Command::Help),
        Some(Value(word)) if word == "install" => {}
        _ => return Err(usage()),
    }
    let folder = match parser.next()? {
        Some(Value(folder)) => PathBuf::from(folder),
        _ => return Err(usage()),
    };
    if parser.next()?.is_some() { Err(usage()) } else { Ok(Command::Install(folder)) }
}

/// Reads the arguments of `kubeglass doc`.
fn documents(parser: &mut Parser) -> Result<Command, UsageError> {
    let mut options = doc::Options::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("json") => options.json = true,
            Long("scene") => options.scene = Some(value(parser, "--scene")?.into()),
            Value(file) if file == "-" => return Err(Value(file).unexpected().into()),
            Value(file) => options.files.push(file.into()),
            option => return Err(option.unexpected().into()),
        }
    }
    if options.files.is_empty() {
        return Err(UsageError("doc needs a file".to_owned()));
    }
    Ok(Command::Doc(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<Command, &str>) {
        let found = parse(line.split_whitespace());
        let expected = expected.map_err(|text| format!("{text}; `kubeglass --help` tells what there is"));
        assert_eq!(found.map_err(|error| error.to_string()), expected);
    }

    #[test]
    fn commands() {
        check("", Ok(Command::Help));
        check("--help", Ok(Command::Help));
        check("serve --help", Ok(Command::Help));
        check("--version", Ok(Command::Version));
        let words = ["a", "409"].map(str::to_owned).to_vec();
        check("trace f a 409", Ok(Command::Trace("f".into(), words)));
        check("trace", Err("trace needs a file"));
        check("trace --help", Ok(Command::Help));
        let words = ["-1", "--", "--ui"].map(str::to_owned).to_vec();
        check("trace f -1 -- --ui", Ok(Command::Trace("f".into(), words)));
        check("trace -- -f", Ok(Command::Trace("-f".into(), Vec::new())));
        check("trace -f", Err("there is no option \"-f\""));
        check("server", Err("there is no command \"server\""));
        check("--ui", Err("there is no option \"--ui\""));
        let files = vec![PathBuf::from("a.md"), PathBuf::from("b.md")];
        let doc = |scene: Option<&str>, json| {
            Ok(Command::Doc(doc::Options { files: files.clone(), scene: scene.map(PathBuf::from), json }))
        };
        check("doc a.md b.md", doc(None, false));
        check("doc --json a.md --scene s.yaml b.md", doc(Some("s.yaml"), true));
        check("doc", Err("doc needs a file"));
        check("doc a.md --scene", Err("--scene needs a value"));
        check("doc --json=no a.md", Err("--json takes no value"));
        check("doc --yaml a.md", Err("there is no option \"--yaml\""));
    }

    #[test]
    fn programs_of_other_names() {
        let parse = |line: &str| parse_all(line.split(' ').map(OsString::from));
        assert_eq!(parse("/bin/kubeglass --help"), Ok(Command::Help));
        assert_eq!(parse("envtest/etcd --data-dir d"), Ok(Command::Etcd(vec!["localhost:2379".to_owned()])));
        assert!(matches!(parse("./kube-apiserver --secure-port 1"), Ok(Command::KubeApiserver(..))));
        assert_eq!(parse("kubeglass envtest install d"), Ok(Command::Install("d".into())));
        for line in [
            "kubeglass envtest",
            "kubeglass envtest d",
            "kubeglass envtest install",
            "kubeglass envtest install a b",
        ] {
            assert!(
                parse(line).is_err_and(|error| error
                    .to_string()
                    .starts_with("envtest needs `install` and a folder"))
            );
        }
    }
}
