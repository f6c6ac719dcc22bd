//! The flags of `kube-apiserver`: all that v1.36 has are known, so that whoever starts one can start this program instead.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/>.

mod flags;
mod plugins;

use std::ffi::OsString;
use std::path::PathBuf;

use apiserver::{FeatureGates, ServiceRange};
use lexopt::Arg::{Long, Short};
use lexopt::{Parser, ValueExt as _};

use super::feature_gates;
use super::serve::Reading;
use super::values::{switch, value};
use super::{Command, Options, UsageError};
use flags::{FLAGS, Flag, Treatment, Usage};

/// The folder of certificates that is looked into if none is named.
const FOLDER: &str = "/var/run/kubernetes";

/// The files of a certificate in the folder of `--cert-dir`.
const PAIR: [&str; 2] = ["apiserver.crt", "apiserver.key"];

/// Reads the flags of `kube-apiserver`, and those of `kubeglass serve` besides.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut parser = Parser::from_args(args);
    let mut reading = ProgramReading::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Command::Flags(help())),
            Long("version") => return Ok(Command::Version),
            Short('v') => drop(reading.serve.take("v", &mut parser)?),
            Long(name) => {
                let name = name.to_owned();
                reading.take(&name, &mut parser)?;
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let (options, notes) = reading.finish()?;
    Ok(Command::KubeApiserver(Box::new(options), notes))
}

/// Flags as they are read, until they are complete.
struct ProgramReading {
    serve: Reading,
    address: String,
    port: u16,
    /// The folder of certificates, if one is named.
    folder: Option<PathBuf>,
    /// True if all is allowed that no rule allows: as long as no mode of authorization is named.
    always_allows: bool,
    feature_gates: feature_gates::Reading,
    plugins: plugins::Reading,
    notes: Vec<String>,
}

impl Default for ProgramReading {
    fn default() -> Self {
        Self {
            serve: Reading::default(),
            address: "0.0.0.0".to_owned(),
            port: 6443,
            folder: None,
            always_allows: true,
            feature_gates: feature_gates::Reading::default(),
            plugins: plugins::Reading::default(),
            notes: Vec::new(),
        }
    }
}

impl ProgramReading {
    /// Takes a flag, by its name without `--`, and its value.
    fn take(&mut self, name: &str, parser: &mut Parser) -> Result<(), UsageError> {
        let shown = ["--", name].concat();
        let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
            return if self.serve.take(name, parser)? { Ok(()) } else { Err(UsageError::unknown(name)) };
        };
        match flag.treatment {
            Treatment::Same => self.serve.take(name, parser).map(drop),
            Treatment::As(own) => self.serve.take(own, parser).map(drop),
            Treatment::Address => {
                self.address = value(parser, &shown)?.string()?;
                Ok(())
            }
            Treatment::Port => {
                let value = value(parser, &shown)?;
                let port = value.parse().ok().filter(|port| *port > 0);
                self.port = port.ok_or_else(|| {
                    UsageError(format!("{shown} is between 1 and 65535, inclusive, not {value:?}"))
                })?;
                Ok(())
            }
            Treatment::Folder => {
                self.folder = Some(value(parser, &shown)?.into());
                Ok(())
            }
            Treatment::FeatureGates => self.feature_gates.take(&value(parser, &shown)?.string()?),
            Treatment::Modes => {
                self.always_allows = modes(&value(parser, &shown)?.string()?)?;
                Ok(())
            }
            Treatment::MinRequestTimeout => {
                let value = value(parser, &shown)?;
                let seconds = value
                    .parse()
                    .map_err(|_| UsageError(format!("{shown} is a number of seconds, not {value:?}")))?;
                self.serve.options.min_request_timeout = seconds;
                Ok(())
            }
            Treatment::Plugins(on) => self.plugins.take(&value(parser, &shown)?.string()?, on),
            Treatment::Nothing => skip(flag, parser, &shown),
            Treatment::Told(what) => {
                skip(flag, parser, &shown)?;
                self.notes.push(format!("{shown} changes nothing: {what}"));
                Ok(())
            }
            Treatment::Refused(why) => Err(UsageError(format!("{shown} cannot be used: {why}"))),
        }
    }

    /// Returns the options, and what is to be told about them.
    fn finish(mut self) -> Result<(Options, Vec<String>), UsageError> {
        let options = &mut self.serve.options;
        let address = self.address.trim_matches(['[', ']']);
        options.listen = if address.contains(':') {
            format!("[{address}]:{}", self.port)
        } else {
            format!("{address}:{}", self.port)
        };
        options.asks_everybody = true;
        options.always_allows = self.always_allows;
        if !self.serve.has_service_range {
            self.serve.options.service_range = ServiceRange::OF_KUBE_APISERVER;
        }
        let folder = self.folder.as_deref().unwrap_or(FOLDER.as_ref());
        let pair = PAIR.map(|name| folder.join(name));
        if !self.serve.has_certificate() {
            if pair.iter().all(|file| file.is_file()) {
                self.serve.set_certificate(pair);
            } else {
                self.serve.options.tls = true;
                // Nobody looks for it in the folder that is meant if none is named.
                let [certificate, key] = pair;
                self.serve.options.tls_made_files = self.folder.is_some().then_some((certificate, key));
            }
        }
        let mut options = self.serve.finish()?;
        let (feature_gates, fixed) = self.feature_gates.finish(FeatureGates::V1_36)?;
        options.feature_gates = feature_gates;
        let note = |name: &String| format!("--feature-gates leaves {name} as v1.36 has it by default");
        self.notes.extend(fixed.iter().map(note));
        let (plugins, missing) = self.plugins.finish()?;
        options.plugins = plugins;
        self.notes.extend(missing.iter().map(|name| format!("there is no admission plugin {name} here")));
        Ok((options, self.notes))
    }
}

/// Reads the value of a flag that does nothing.
fn skip(flag: &Flag, parser: &mut Parser, shown: &str) -> Result<(), UsageError> {
    match flag.usage {
        Usage::Switch => switch(parser, shown).map(drop),
        // It may be empty.
        Usage::Value => Ok(parser.value().map(drop)?),
    }
}

/// Checks how requests are to be authorized. Returns whether all is allowed that no rule allows.
fn modes(list: &str) -> Result<bool, UsageError> {
    const KNOWN: [&str; 3] = ["AlwaysAllow", "Node", "RBAC"];
    let modes: Vec<&str> = list.split(',').collect();
    let always = modes.contains(&KNOWN[0]);
    if modes.iter().all(|mode| KNOWN.contains(mode)) && (always || modes.contains(&"RBAC")) {
        return Ok(always);
    }
    Err(UsageError(format!("--authorization-mode is RBAC, Node,RBAC or AlwaysAllow, not {list:?}")))
}

/// Returns the output of `kube-apiserver --help`.
fn help() -> String {
    let mut text =
        "Kubeglass in place of kube-apiserver v1.36. The cluster is in memory.\n\nFlags:\n".to_owned();
    for flag in &FLAGS {
        let value = if flag.usage == Usage::Switch { "" } else { " VALUE" };
        let about = match flag.treatment {
            Treatment::Nothing => "changes nothing".to_owned(),
            Treatment::Told(what) => format!("changes nothing: {what}"),
            Treatment::Refused(why) => format!("cannot be used: {why}"),
            _ => "as kube-apiserver has it".to_owned(),
        };
        text.push_str(&format!("      --{}{value}\t{about}\n", flag.name));
    }
    text.push_str("\nThe options of `kubeglass serve` can be used, too.\n");
    text
}

#[cfg(test)]
mod tests {
    use apiserver::Plugin;

    use super::*;

    fn read(line: &str) -> Result<(Options, Vec<String>), String> {
        match parse(line.split_whitespace().map(OsString::from)) {
            Ok(Command::KubeApiserver(options, notes)) => Ok((*options, notes)),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.0),
        }
    }

    #[test]
    fn what_envtest_passes() {
        let folder = tempfile::tempdir().unwrap();
        let files = PAIR.map(|name| folder.path().join(name));
        files.iter().for_each(|file| std::fs::write(file, "").unwrap());
        let line = format!(
            "--allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir={0} --client-ca-file={0}/ca.crt \
             --disable-admission-plugins=ServiceAccount --etcd-servers=http://127.0.0.1:1 --secure-port=2 \
             --service-account-issuer=https://127.0.0.1:2/ --service-account-key-file={0}/sa-signer.crt \
             --service-account-signing-key-file={0}/sa-signer.key --service-cluster-ip-range=10.0.0.0/24",
            folder.path().display()
        );
        let (options, notes) = read(&line).unwrap();
        assert_eq!(options.listen, "127.0.0.1:2");
        let [certificate, key] = files;
        assert_eq!(options.tls_files, Some((certificate, key)));
        assert!(options.authenticates() && options.client_ca_file.is_some());
        assert_eq!(options.issuer.names, ["https://127.0.0.1:2/"]);
        assert_eq!(options.issuer.keys, [folder.path().join("sa-signer.crt")]);
        assert_eq!(options.service_range.to_string(), "10.0.0.0/24");
        assert!(notes.is_empty());
    }

    #[test]
    fn flags() {
        let listen = |line: &str| read(line).unwrap().0.listen;
        assert_eq!(listen(""), "0.0.0.0:6443");
        assert_eq!(
            listen("--bind-address ::1 --secure-port 443 -v 4 --v=2 --allow-privileged --ui"),
            "[::1]:443"
        );
        let options = read("--cert-dir /nowhere").unwrap().0;
        let made = ("/nowhere/apiserver.crt".into(), "/nowhere/apiserver.key".into());
        assert_eq!((options.tls, options.tls_made_files), (true, Some(made)));
        assert_eq!(read("").unwrap().0.tls_made_files, None);
        assert!(read("--token-auth-file t --profiling=false").unwrap().0.token_file.is_some());
        let range = |line: &str| read(line).unwrap().0.service_range.to_string();
        assert_eq!(range(""), "10.0.0.0/24");
        assert_eq!(range("--service-cluster-ip-range=10.96.0.0/12"), "10.96.0.0/12");
        let (options, notes) =
            read("--disable-admission-plugins Priority --authorization-mode=RBAC,AlwaysAllow --enable-admission-plugins=ServiceAccount").unwrap();
        assert!(
            options.always_allows
                && !options.plugins.runs(Plugin::Priority)
                && options.plugins.runs(Plugin::PodSecurity)
        );
        assert_eq!(notes, ["there is no admission plugin ServiceAccount here"]);
        let gates = |line: &str| read(line).map(|(options, notes)| (options.feature_gates, notes));
        assert_eq!(gates(""), Ok((FeatureGates::V1_36, Vec::new())));
        let line =
            "--feature-gates=CBORServingAndStorage=true,WatchList=false --feature-gates AllAlpha=false";
        let (on, told) = gates(line).unwrap();
        assert!(on.cbor_serving_and_storage && !on.allow_unsafe_malformed_object_deletion);
        assert_eq!(told, ["--feature-gates leaves WatchList as v1.36 has it by default"]);
        for (line, expected) in [
            ("--oops", "there is no option \"--oops\""),
            ("--insecure-port=0", "there is no option \"--insecure-port\""),
            ("--secure-port 0", "--secure-port is between 1 and 65535, inclusive, not \"0\""),
            (
                "--authorization-mode=RBAC,Webhook",
                "--authorization-mode is RBAC, Node,RBAC or AlwaysAllow, not \"RBAC,Webhook\"",
            ),
            (
                "--authorization-mode=Node",
                "--authorization-mode is RBAC, Node,RBAC or AlwaysAllow, not \"Node\"",
            ),
            (
                "--oidc-issuer-url=https://a",
                "--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* options are set",
            ),
            ("--tls-cert-file c", "--tls-cert-file and --tls-private-key-file need each other"),
            ("--feature-gates=A=true", "unrecognized feature gate: A"),
            ("--profiling=maybe", "--profiling is true or false, not \"maybe\""),
            ("now", "\"now\" is no option"),
        ] {
            assert_eq!(read(line).unwrap_err(), expected, "{line}");
        }
    }

    #[test]
    fn help_has_each_flag_on_a_line_of_its_own() {
        let Ok(Command::Flags(text)) = parse(["--help".into()].into_iter()) else { panic!("no help") };
        let has = |flag: &str| text.lines().any(|line| line.trim_start().split(' ').next() == Some(flag));
        assert!(has("--etcd-servers") && has("--service-account-issuer") && !has("--insecure-port"));
        let mut names: Vec<&str> = FLAGS.iter().map(|flag| flag.name).collect();
        names.dedup();
        assert_eq!(names.len(), FLAGS.len());
        assert!(names.is_sorted());
    }
}
