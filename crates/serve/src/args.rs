//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use apiserver::Compaction;
use controllers::{MOST_NODES, Selection};
use lexopt::Arg::{Long, Short, Value};
use lexopt::{Parser, ValueExt as _};
use rustls::pki_types::ServerName;

use crate::doc;

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
       kubeglass trace FILE [WORD...]
       kubeglass doc FILE... [--scene FILE] [--json]

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
  --first-revision N   the resource version of the new cluster's first object [2]
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
";

/// The command of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To print [`HELP`].
    Help,
    /// To print the version.
    Version,
    /// To serve a new cluster.
    Serve(Options),
    /// To print the lines of a recording that have all of some words.
    Trace(PathBuf, Vec<String>),
    /// To run the examples of documents.
    Doc(doc::Options),
}

/// How to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Host and port to listen on.
    pub listen: String,
    /// The static token file, see [`crate::tokens`].
    pub token_file: Option<PathBuf>,
    /// The revision of the new cluster's first write.
    pub first_revision: u64,
    /// How long history is kept.
    pub compaction: Compaction,
    /// True if it may be reached from other machines without tokens.
    pub anyone_is_admin: bool,
    /// The origins whose pages may use the server.
    pub cors_origins: Vec<String>,
    /// The file that the trace is recorded in, if it is.
    pub record: Option<PathBuf>,
    /// True if the contents of Secrets are recorded.
    pub record_secrets: bool,
    /// True if the page is served.
    pub ui: bool,
    /// True if `/kubeglass/v1/` is served.
    pub glass: bool,
    /// The controllers that work on the cluster.
    pub controllers: Selection,
    /// The number of nodes with pretended kubelets.
    pub nodes: u32,
    /// True if a scheduler works on the cluster. If nothing is said, there is one where there are nodes.
    pub scheduler: Option<bool>,
    /// The list of a workshop, see [`crate::workshop`].
    pub workshop: Option<PathBuf>,
    /// The origin in the links of a workshop.
    pub workshop_url: Option<String>,
    /// True if it speaks TLS with certificates that it makes.
    pub tls: bool,
    /// The files with the certificate and the key that it speaks TLS with.
    pub tls_files: Option<(PathBuf, PathBuf)>,
    /// More names and addresses for the certificate that it makes.
    pub tls_names: Vec<String>,
    /// The file with the authorities of clients' certificates.
    pub client_ca_file: Option<PathBuf>,
    /// The file to write a kubeconfig to.
    pub kubeconfig: Option<PathBuf>,
}

impl Options {
    /// Reports whether it speaks TLS.
    pub fn speaks_tls(&self) -> bool {
        self.tls || self.tls_files.is_some()
    }

    /// Reports whether clients have to say who they are.
    pub fn authenticates(&self) -> bool {
        let by_certificate = self.client_ca_file.is_some() || self.kubeconfig.is_some() && self.speaks_tls();
        self.token_file.is_some() || self.workshop.is_some() || by_certificate
    }

    /// Returns how URLs of it begin.
    pub fn scheme(&self) -> &'static str {
        if self.speaks_tls() { "https" } else { "http" }
    }
}

impl Default for Options {
    fn default() -> Self {
        // etcd's first write has revision 2, and so has a new cluster's.
        let compaction = Compaction::default();
        Self {
            listen: "127.0.0.1:8001".to_owned(),
            token_file: None,
            first_revision: 2,
            compaction,
            anyone_is_admin: false,
            cors_origins: Vec::new(),
            record: None,
            record_secrets: false,
            ui: false,
            glass: true,
            controllers: Selection::default(),
            nodes: 0,
            scheduler: None,
            workshop: None,
            workshop_url: None,
            tls: false,
            tls_files: None,
            tls_names: Vec::new(),
            client_ca_file: None,
            kubeconfig: None,
        }
    }
}

/// The error in a command line, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; `kubeglass --help` tells what there is")]
pub struct UsageError(String);

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
        Some("serve") => serve(&mut parser),
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

/// Reads the arguments of `kubeglass serve`.
fn serve(parser: &mut Parser) -> Result<Command, UsageError> {
    let mut options = Options::default();
    let (mut controllers, mut certificate, mut key) = (Vec::new(), None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("controllers") => {
                let list = parser.value()?.string()?;
                controllers.extend(list.split(',').filter(|item| !item.is_empty()).map(str::to_owned));
            }
            Long("nodes") => options.nodes = nodes(parser)?,
            Long("scheduler") => options.scheduler = Some(switch(parser, "--scheduler")?),
            Long("listen") => options.listen = value(parser, "--listen")?.string()?,
            Long("insecure-anyone-is-admin") => options.anyone_is_admin = true,
            Long("ui") => options.ui = true,
            Long("record") => options.record = Some(value(parser, "--record")?.into()),
            Long("record-secrets") => options.record_secrets = true,
            Long("cors-origin") => options.cors_origins.push(origin(parser, "--cors-origin")?),
            Long("glass") => options.glass = switch(parser, "--glass")?,
            Long("token-file") => options.token_file = Some(value(parser, "--token-file")?.into()),
            Long("workshop") => options.workshop = Some(value(parser, "--workshop")?.into()),
            Long("workshop-url") => options.workshop_url = Some(origin(parser, "--workshop-url")?),
            Long("tls") => options.tls = switch(parser, "--tls")?,
            Long("tls-cert-file") => certificate = Some(value(parser, "--tls-cert-file")?.into()),
            Long("tls-private-key-file") => key = Some(value(parser, "--tls-private-key-file")?.into()),
            Long("tls-san") => options.tls_names.push(server_name(parser, "--tls-san")?),
            Long("client-ca-file") => {
                options.client_ca_file = Some(value(parser, "--client-ca-file")?.into())
            }
            Long("write-kubeconfig") => {
                options.kubeconfig = Some(value(parser, "--write-kubeconfig")?.into())
            }
            Long("first-revision") => options.first_revision = revision(parser, "--first-revision")?,
            Long("compaction-interval") => {
                let seconds = number(parser, "--compaction-interval")?;
                options.compaction.every = seconds.map(Duration::from_secs);
            }
            Long("keep-revisions") => options.compaction.keep = number(parser, "--keep-revisions")?,
            other => return Err(other.unexpected().into()),
        }
    }
    options.controllers = Selection::parse(controllers).map_err(|error| UsageError(error.to_string()))?;
    options.tls_files = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err(UsageError("--tls-cert-file and --tls-private-key-file need each other".to_owned())),
    };
    match unfit(&options) {
        Some(why) => Err(UsageError(why.to_owned())),
        None => Ok(Command::Serve(options)),
    }
}

/// Returns why options do not go together, if they do not.
fn unfit(options: &Options) -> Option<&'static str> {
    let problems = [
        (options.record_secrets && options.record.is_none(), "--record-secrets is for --record"),
        (options.workshop_url.is_some() && options.workshop.is_none(), "--workshop-url is for --workshop"),
        (options.ui && !options.glass, "--ui shows nothing with --glass=false"),
        (options.client_ca_file.is_some() && !options.speaks_tls(), "--client-ca-file is for --tls"),
        (
            !options.tls_names.is_empty() && (!options.tls || options.tls_files.is_some()),
            "--tls-san is for --tls without --tls-cert-file",
        ),
        (
            options.kubeconfig.is_some() && options.authenticates() && !options.speaks_tls(),
            "--write-kubeconfig with tokens needs --tls: clients send no tokens without it",
        ),
    ];
    problems.into_iter().find_map(|(is_so, why)| is_so.then_some(why))
}

/// Reads the value of an option, which is not empty.
fn value(parser: &mut Parser, name: &str) -> Result<OsString, UsageError> {
    let value = parser.value()?;
    if value.is_empty() { Err(UsageError(format!("{name} needs a value"))) } else { Ok(value) }
}

/// Reads a value that need not be there, and is `true` without one.
fn switch(parser: &mut Parser, name: &str) -> Result<bool, UsageError> {
    match parser.optional_value() {
        None => Ok(true),
        Some(value) if value == "true" => Ok(true),
        Some(value) if value == "false" => Ok(false),
        Some(other) => Err(UsageError(format!("{name} is true or false, not {other:?}"))),
    }
}

/// Reads an origin, as browsers send it.
fn origin(parser: &mut Parser, name: &str) -> Result<String, UsageError> {
    let origin = value(parser, name)?.string()?;
    let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
        ["http", "https"].contains(&scheme) && !host.is_empty() && !host.contains(['/', '*', ' '])
    });
    if is_origin {
        return Ok(origin);
    }
    Err(UsageError(format!("{name} is an origin such as https://example.com, not {origin:?}")))
}

/// Reads the name or the address of a server; of a name the first part may be `*`.
fn server_name(parser: &mut Parser, name: &str) -> Result<String, UsageError> {
    let value = value(parser, name)?.string()?;
    match ServerName::try_from(value.strip_prefix("*.").unwrap_or(&value)) {
        Ok(_) => Ok(value),
        Err(_) => Err(UsageError(format!("{name} is a DNS name or an address, not {value:?}"))),
    }
}

/// Reads a revision.
fn revision(parser: &mut Parser, name: &str) -> Result<u64, UsageError> {
    let value = value(parser, name)?;
    let revision = value.parse().ok().filter(|revision| *revision > 0);
    revision.ok_or_else(|| UsageError(format!("{name} is a whole number above 0, not {value:?}")))
}

/// Reads the number of nodes.
fn nodes(parser: &mut Parser) -> Result<u32, UsageError> {
    let value = value(parser, "--nodes")?;
    let nodes = value.parse().ok().filter(|nodes| *nodes <= MOST_NODES);
    nodes.ok_or_else(|| UsageError(format!("--nodes is a whole number up to {MOST_NODES}, not {value:?}")))
}

/// Reads a number, of which 0 means none.
fn number(parser: &mut Parser, name: &str) -> Result<Option<u64>, UsageError> {
    let value = value(parser, name)?;
    let number = value.parse().map_err(|_| UsageError(format!("{name} is a whole number, not {value:?}")))?;
    Ok(Some(number).filter(|number| *number > 0))
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

    fn serve(listen: &str, token_file: Option<&str>, first_revision: u64) -> Result<Command, &'static str> {
        let token_file = token_file.map(PathBuf::from);
        let listen = listen.to_owned();
        Ok(Command::Serve(Options { listen, token_file, first_revision, ..Options::default() }))
    }

    fn compacting(every: Option<u64>, keep: Option<u64>) -> Result<Command, &'static str> {
        let compaction = Compaction { every: every.map(Duration::from_secs), keep };
        Ok(Command::Serve(Options { compaction, ..Options::default() }))
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
    fn options() {
        check("serve", serve("127.0.0.1:8001", None, 2));
        check("serve --listen [::1]:80 --token-file a=b", serve("[::1]:80", Some("a=b"), 2));
        check("serve --token-file=a=b --first-revision=10245", serve("127.0.0.1:8001", Some("a=b"), 10245));
        check("serve --listen :1 --listen :2", serve(":2", None, 2));
        check("serve --listen", Err("--listen needs a value"));
        check("serve --listen=", Err("--listen needs a value"));
        check("serve --first-revision 0", Err("--first-revision is a whole number above 0, not \"0\""));
        check("serve --first-revision x", Err("--first-revision is a whole number above 0, not \"x\""));
        check("serve --compaction-interval 60 --keep-revisions=0", compacting(Some(60), None));
        check("serve --compaction-interval 0 --keep-revisions 500", compacting(None, Some(500)));
        check("serve --keep-revisions -1", Err("--keep-revisions is a whole number, not \"-1\""));
        let controllers = Selection::parse(["*", "-deployment-controller"]).unwrap();
        let controlled = Ok(Command::Serve(Options { controllers, ..Options::default() }));
        check("serve --controllers=*,-deployment-controller", controlled.clone());
        check("serve --controllers * --controllers -deployment", controlled);
        check("serve --controllers=", serve("127.0.0.1:8001", None, 2));
        check("serve --controllers=foo", Err("\"foo\" is not in the list of known controllers"));
        check("serve --controllers=ttl-controller", Err("\"ttl-controller\" is not available"));
        let running =
            |nodes, scheduler| Ok(Command::Serve(Options { nodes, scheduler, ..Options::default() }));
        check("serve --nodes 3", running(3, None));
        check("serve --nodes=1 --scheduler=false", running(1, Some(false)));
        check("serve --scheduler", running(0, Some(true)));
        check("serve --nodes 1001", Err("--nodes is a whole number up to 1000, not \"1001\""));
        check("serve --scheduler=no", Err("--scheduler is true or false, not \"no\""));
        check("serve --port 1", Err("there is no option \"--port\""));
        check("serve --port=1", Err("there is no option \"--port\""));
        let open = Options { anyone_is_admin: true, ..Options::default() };
        check("serve --insecure-anyone-is-admin", Ok(Command::Serve(open)));
        check("serve --insecure-anyone-is-admin=no", Err("--insecure-anyone-is-admin takes no value"));
        let hidden = Options { glass: false, ..Options::default() };
        check("serve --glass=false", Ok(Command::Serve(hidden)));
        let cors_origins = vec!["http://localhost:8080".to_owned(), "https://a.example".to_owned()];
        check(
            "serve --cors-origin http://localhost:8080 --cors-origin=https://a.example",
            Ok(Command::Serve(Options { cors_origins, ..Options::default() })),
        );
        for origin in ["*", "a.example", "https://a.example/", "https://*.example", "https://"] {
            let why = format!("--cors-origin is an origin such as https://example.com, not {origin:?}");
            check(&format!("serve --cors-origin {origin}"), Err(&why));
        }
        check("serve --glass", Ok(Command::Serve(Options::default())));
        let record = Some(PathBuf::from("run.kgrec"));
        check("serve --record run.kgrec", Ok(Command::Serve(Options { record, ..Options::default() })));
        check("serve --record", Err("--record needs a value"));
        check("serve --record-secrets", Err("--record-secrets is for --record"));
        check("serve --ui", Ok(Command::Serve(Options { ui: true, ..Options::default() })));
        check("serve --ui=yes", Err("--ui takes no value"));
        check("serve --ui --glass=false", Err("--ui shows nothing with --glass=false"));
        check("serve --glass=no", Err("--glass is true or false, not \"no\""));
        let workshop = Some(PathBuf::from("users.csv"));
        let room = Options { workshop: workshop.clone(), ..Options::default() };
        check("serve --workshop users.csv", Ok(Command::Serve(room)));
        let workshop_url = Some("https://a.example".to_owned());
        let linked = Options { workshop, workshop_url, ..Options::default() };
        check("serve --workshop=users.csv --workshop-url https://a.example", Ok(Command::Serve(linked)));
        check("serve --workshop", Err("--workshop needs a value"));
        check("serve --workshop-url http://a", Err("--workshop-url is for --workshop"));
        let origin = "--workshop-url is an origin such as https://example.com, not \"https://a/ui/\"";
        check("serve --workshop x --workshop-url https://a/ui/", Err(origin));
        let tls = Options { tls: true, ..Options::default() };
        check("serve --tls", Ok(Command::Serve(tls.clone())));
        let tls_names = vec!["lab".to_owned(), "10.0.0.7".to_owned()];
        let kubeconfig = Some(PathBuf::from("k"));
        let named = Options { tls_names, kubeconfig: kubeconfig.clone(), ..tls };
        check("serve --tls --tls-san lab --tls-san 10.0.0.7 --write-kubeconfig k", Ok(Command::Serve(named)));
        let tls_files = Some(("c".into(), "k".into()));
        let client_ca_file = Some("a".into());
        let given = Options { tls_files, client_ca_file, ..Options::default() };
        let line = "serve --tls-cert-file c --tls-private-key-file=k --client-ca-file a";
        check(line, Ok(Command::Serve(given)));
        let plain = Options { kubeconfig, ..Options::default() };
        check("serve --write-kubeconfig k", Ok(Command::Serve(plain)));
        check("serve --tls-cert-file c", Err("--tls-cert-file and --tls-private-key-file need each other"));
        check("serve --client-ca-file a", Err("--client-ca-file is for --tls"));
        check("serve --tls --tls-san a_b/", Err("--tls-san is a DNS name or an address, not \"a_b/\""));
        check("serve --tls-san lab", Err("--tls-san is for --tls without --tls-cert-file"));
        let line = "serve --token-file t --write-kubeconfig k";
        check(line, Err("--write-kubeconfig with tokens needs --tls: clients send no tokens without it"));
        check("serve now", Err("\"now\" is no option"));
    }
}
