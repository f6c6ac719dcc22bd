//! The options of `kubeglass serve`.

use std::path::PathBuf;
use std::time::Duration;

use controllers::Selection;
use lexopt::Arg::{Long, Short};
use lexopt::{Parser, ValueExt as _};

use super::values::{
    log_format, nodes, number, origin, requests, revision, server_name, service_address, service_range,
    switch, value, verbosity,
};
use super::{Command, Options, UsageError};
use super::{audit, feature_gates, oidc};

/// Reads the arguments of `kubeglass serve`.
pub(super) fn parse(parser: &mut Parser) -> Result<Command, UsageError> {
    let mut reading = Reading::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Command::Help),
            Short('v') => reading.options.logging.verbosity = verbosity(parser, "-v")?,
            Long(name) => {
                let name = name.to_owned();
                if !reading.take(&name, parser)? {
                    return Err(UsageError::unknown(&name));
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Serve(Box::new(reading.finish()?)))
}

/// Options as they are read, until they are complete.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) options: Options,
    controllers: Vec<String>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    proxy_certificate: Option<PathBuf>,
    proxy_key: Option<PathBuf>,
    /// True if the range of services was given.
    pub(super) has_service_range: bool,
    audit: audit::Reading,
    feature_gates: feature_gates::Reading,
}

impl Reading {
    /// Takes an option, by its name without `--`, and its value. Returns false if there is no such option.
    pub(super) fn take(&mut self, name: &str, parser: &mut Parser) -> Result<bool, UsageError> {
        let options = &mut self.options;
        let shown = ["--", name].concat();
        let mut path = || value(parser, &shown).map(PathBuf::from);
        match name {
            "record" => options.record = Some(path()?),
            "token-file" => options.token_file = Some(path()?),
            "workshop" => options.workshop = Some(path()?),
            "tls-cert-file" => self.certificate = Some(path()?),
            "tls-private-key-file" => self.key = Some(path()?),
            "proxy-client-cert-file" => self.proxy_certificate = Some(path()?),
            "proxy-client-key-file" => self.proxy_key = Some(path()?),
            "requestheader-client-ca-file" => options.request_header_ca_file = Some(path()?),
            "client-ca-file" => options.client_ca_file = Some(path()?),
            "write-kubeconfig" => options.kubeconfig = Some(path()?),
            "service-account-signing-key-file" => options.issuer.signing_key = Some(path()?),
            "service-account-key-file" => options.issuer.keys.push(path()?),
            "service-account-issuer" => options.issuer.names.push(value(parser, &shown)?.string()?),
            "service-account-jwks-uri" => options.issuer.keys_url = Some(value(parser, &shown)?.string()?),
            "controllers" => {
                let list = parser.value()?.string()?;
                self.controllers.extend(list.split(',').filter(|item| !item.is_empty()).map(str::to_owned));
            }
            "nodes" => options.nodes = nodes(parser)?,
            "scheduler" => options.scheduler = Some(switch(parser, &shown)?),
            "listen" => options.listen = value(parser, &shown)?.string()?,
            "insecure-anyone-is-admin" => options.anyone_is_admin = true,
            "ui" => options.ui = true,
            "record-secrets" => options.record_secrets = true,
            "cors-origin" => options.cors_origins.push(origin(parser, &shown)?),
            "service-address" => options.service_addresses.push(service_address(parser, &shown)?),
            "allow-privileged" => options.allow_privileged = switch(parser, &shown)?,
            "service-cluster-ip-range" => {
                options.service_range = service_range(parser)?;
                self.has_service_range = true;
            }
            "glass" => options.glass = switch(parser, &shown)?,
            "workshop-url" => options.workshop_url = Some(origin(parser, &shown)?),
            "tls" => options.tls = switch(parser, &shown)?,
            "tls-san" => options.tls_names.push(server_name(parser, &shown)?),
            "feature-gates" => self.feature_gates.take(&value(parser, &shown)?.string()?)?,
            "first-revision" => options.first_revision = revision(parser, &shown)?,
            "compaction-interval" => {
                options.compaction.every = number(parser, &shown)?.map(Duration::from_secs);
            }
            "keep-revisions" => options.compaction.keep = number(parser, &shown)?,
            "v" => options.logging.verbosity = verbosity(parser, &shown)?,
            "logging-format" => options.logging.format = log_format(parser, &shown)?,
            "max-requests-inflight" => options.limits.reads = requests(parser, &shown)?,
            "max-mutating-requests-inflight" => options.limits.writes = requests(parser, &shown)?,
            "enable-priority-and-fairness" => options.limits.fairness = switch(parser, &shown)?,
            _ if name.starts_with("oidc-") => return oidc::take(&mut options.oidc, name, parser),
            _ => return self.audit.take(name, parser),
        }
        Ok(true)
    }

    /// Reports whether the files of a certificate were named.
    pub(super) fn has_certificate(&self) -> bool {
        self.certificate.is_some() || self.key.is_some()
    }

    /// Sets the files of a certificate and its key.
    pub(super) fn set_certificate(&mut self, [certificate, key]: [PathBuf; 2]) {
        (self.certificate, self.key) = (Some(certificate), Some(key));
    }

    /// Returns the options.
    ///
    /// # Errors
    /// They do not go together.
    pub(super) fn finish(self) -> Result<Options, UsageError> {
        let mut options = self.options;
        options.controllers =
            Selection::parse(self.controllers).map_err(|error| UsageError(error.to_string()))?;
        options.tls_files = pair(self.certificate, self.key, "--tls-cert-file and --tls-private-key-file")?;
        let names = "--proxy-client-cert-file and --proxy-client-key-file";
        options.proxy_files = pair(self.proxy_certificate, self.proxy_key, names)?;
        options.audit = self.audit.finish()?;
        let (feature_gates, fixed) = self.feature_gates.finish(options.feature_gates)?;
        if let [name, ..] = &fixed[..] {
            return Err(UsageError(format!("the feature {name} is as v1.36 has it by default")));
        }
        options.feature_gates = feature_gates;
        match unfit(&options) {
            Some(why) => Err(UsageError(why.to_owned())),
            None => Ok(options),
        }
    }
}

/// Returns two files, if they are given.
///
/// # Errors
/// Only one of the options with these `names` is given.
fn pair<T>(one: Option<T>, other: Option<T>, names: &str) -> Result<Option<(T, T)>, UsageError> {
    match (one, other) {
        (Some(one), Some(other)) => Ok(Some((one, other))),
        (None, None) => Ok(None),
        _ => Err(UsageError([names, " need each other"].concat())),
    }
}

/// Returns why options do not go together, if they do not.
fn unfit(options: &Options) -> Option<&'static str> {
    let limits = options.limits;
    let problems = [
        (
            limits.fairness && limits.reads == 0 && limits.writes == 0,
            "--max-requests-inflight and --max-mutating-requests-inflight leave priority and fairness no seats to share out",
        ),
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
    problems.into_iter().find_map(|(is_so, why)| is_so.then_some(why)).or_else(|| options.oidc.unfit())
}

#[cfg(test)]
mod tests {
    use apiserver::{Compaction, FIRST_REVISION, FeatureGates};

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<Command, &str>) {
        let found = crate::args::parse(line.split_whitespace());
        let expected = expected.map_err(|text| format!("{text}; `kubeglass --help` tells what there is"));
        assert_eq!(found.map_err(|error| error.to_string()), expected);
    }

    fn serving(options: Options) -> Command {
        Command::Serve(Box::new(options))
    }

    fn serve(listen: &str, token_file: Option<&str>, first_revision: u64) -> Result<Command, &'static str> {
        let token_file = token_file.map(PathBuf::from);
        let listen = listen.to_owned();
        Ok(serving(Options { listen, token_file, first_revision, ..Options::default() }))
    }

    fn compacting(every: Option<u64>, keep: Option<u64>) -> Result<Command, &'static str> {
        let compaction = Compaction { every: every.map(Duration::from_secs), keep };
        Ok(serving(Options { compaction, ..Options::default() }))
    }

    #[test]
    fn options() {
        check("serve", serve("127.0.0.1:8001", None, FIRST_REVISION));
        check("serve --listen [::1]:80 --token-file a=b", serve("[::1]:80", Some("a=b"), FIRST_REVISION));
        check("serve --token-file=a=b --first-revision=10245", serve("127.0.0.1:8001", Some("a=b"), 10245));
        check("serve --listen :1 --listen :2", serve(":2", None, FIRST_REVISION));
        check("serve --listen", Err("--listen needs a value"));
        check("serve --listen=", Err("--listen needs a value"));
        check("serve --first-revision 0", Err("--first-revision is a whole number above 0, not \"0\""));
        check("serve --first-revision x", Err("--first-revision is a whole number above 0, not \"x\""));
        check("serve --compaction-interval 60 --keep-revisions=0", compacting(Some(60), None));
        check("serve --compaction-interval 0 --keep-revisions 500", compacting(None, Some(500)));
        check("serve --keep-revisions -1", Err("--keep-revisions is a whole number, not \"-1\""));
        let controllers = Selection::parse(["*", "-deployment-controller"]).unwrap();
        let controlled = Ok(serving(Options { controllers, ..Options::default() }));
        check("serve --controllers=*,-deployment-controller", controlled.clone());
        check("serve --controllers * --controllers -deployment", controlled);
        check("serve --controllers=", serve("127.0.0.1:8001", None, FIRST_REVISION));
        check("serve --controllers=foo", Err("\"foo\" is not in the list of known controllers"));
        check(
            "serve --controllers=resourceclaim-controller",
            Err("\"resourceclaim-controller\" is not available"),
        );
        let running = |nodes, scheduler| Ok(serving(Options { nodes, scheduler, ..Options::default() }));
        check("serve --nodes 3", running(3, None));
        check("serve --nodes=1 --scheduler=false", running(1, Some(false)));
        check("serve --scheduler", running(0, Some(true)));
        check("serve --nodes 1001", Err("--nodes is a whole number up to 1000, not \"1001\""));
        check("serve --scheduler=no", Err("--scheduler is true or false, not \"no\""));
        check("serve --port 1", Err("there is no option \"--port\""));
        check("serve --port=1", Err("there is no option \"--port\""));
        let open = Options { anyone_is_admin: true, ..Options::default() };
        check("serve --insecure-anyone-is-admin", Ok(serving(open)));
        check("serve --insecure-anyone-is-admin=no", Err("--insecure-anyone-is-admin takes no value"));
        let hidden = Options { glass: false, ..Options::default() };
        check("serve --glass=false", Ok(serving(hidden)));
        let cors_origins = vec!["http://localhost:8080".to_owned(), "https://a.example".to_owned()];
        check(
            "serve --cors-origin http://localhost:8080 --cors-origin=https://a.example",
            Ok(serving(Options { cors_origins, ..Options::default() })),
        );
        for origin in ["*", "a.example", "https://a.example/", "https://*.example", "https://"] {
            let why = format!("--cors-origin is an origin such as https://example.com, not {origin:?}");
            check(&format!("serve --cors-origin {origin}"), Err(&why));
        }
        let line = "--service-address is NAMESPACE/NAME=HOST:PORT, not \"a\"";
        check("serve --service-address a", Err(line));
        let service_addresses = crate::dial::parse("a/b:1=c:2").into_iter().collect();
        let webhooks = Options { service_addresses, ..Options::default() };
        check("serve --service-address a/b:1=c:2", Ok(serving(webhooks)));
        let privileged = Options { allow_privileged: true, ..Options::default() };
        check("serve --allow-privileged", Ok(serving(privileged)));
        let feature_gates = FeatureGates::V1_36;
        check(
            "serve --feature-gates AllAlpha=false",
            Ok(serving(Options { feature_gates, ..Options::default() })),
        );
        let line = "the feature WatchList is as v1.36 has it by default";
        check("serve --feature-gates=CBORServingAndStorage=true,WatchList=false", Err(line));
        check("serve --feature-gates Foo=true", Err("unrecognized feature gate: Foo"));
        let ranged =
            "10.0.0.0/24".parse().map(|service_range| Options { service_range, ..Options::default() });
        check("serve --service-cluster-ip-range=10.0.0.0/24", Ok(serving(ranged.unwrap())));
        let line = "service-cluster-ip-range[0] is not a valid cidr";
        check("serve --service-cluster-ip-range 10.0.0.0", Err(line));
        check("serve --glass", Ok(serving(Options::default())));
        let record = Some(PathBuf::from("run.kgrec"));
        check("serve --record run.kgrec", Ok(serving(Options { record, ..Options::default() })));
        check("serve --record", Err("--record needs a value"));
        check("serve --record-secrets", Err("--record-secrets is for --record"));
        check("serve --ui", Ok(serving(Options { ui: true, ..Options::default() })));
        check("serve --ui=yes", Err("--ui takes no value"));
        check("serve --ui --glass=false", Err("--ui shows nothing with --glass=false"));
        check("serve --glass=no", Err("--glass is true or false, not \"no\""));
        let workshop = Some(PathBuf::from("users.csv"));
        let room = Options { workshop: workshop.clone(), ..Options::default() };
        check("serve --workshop users.csv", Ok(serving(room)));
        let workshop_url = Some("https://a.example".to_owned());
        let linked = Options { workshop, workshop_url, ..Options::default() };
        check("serve --workshop=users.csv --workshop-url https://a.example", Ok(serving(linked)));
        check("serve --workshop", Err("--workshop needs a value"));
        check("serve --workshop-url http://a", Err("--workshop-url is for --workshop"));
        let origin = "--workshop-url is an origin such as https://example.com, not \"https://a/ui/\"";
        check("serve --workshop x --workshop-url https://a/ui/", Err(origin));
        let tls = Options { tls: true, ..Options::default() };
        check("serve --tls", Ok(serving(tls.clone())));
        let tls_names = vec!["lab".to_owned(), "10.0.0.7".to_owned()];
        let kubeconfig = Some(PathBuf::from("k"));
        let named = Options { tls_names, kubeconfig: kubeconfig.clone(), ..tls };
        check("serve --tls --tls-san lab --tls-san 10.0.0.7 --write-kubeconfig k", Ok(serving(named)));
        let tls_files = Some(("c".into(), "k".into()));
        let client_ca_file = Some("a".into());
        let given = Options { tls_files, client_ca_file, ..Options::default() };
        let line = "serve --tls-cert-file c --tls-private-key-file=k --client-ca-file a";
        check(line, Ok(serving(given)));
        let plain = Options { kubeconfig, ..Options::default() };
        check("serve --write-kubeconfig k", Ok(serving(plain)));
        check("serve --tls-cert-file c", Err("--tls-cert-file and --tls-private-key-file need each other"));
        let line = "--proxy-client-cert-file and --proxy-client-key-file need each other";
        check("serve --proxy-client-key-file a", Err(line));
        let proxy_files = Some(("c".into(), "k".into()));
        let request_header_ca_file = Some("a".into());
        let given = Options { proxy_files, request_header_ca_file, ..Options::default() };
        let line =
            "serve --proxy-client-cert-file c --proxy-client-key-file k --requestheader-client-ca-file a";
        check(line, Ok(serving(given)));
        check("serve --client-ca-file a", Err("--client-ca-file is for --tls"));
        check("serve --tls --tls-san a_b/", Err("--tls-san is a DNS name or an address, not \"a_b/\""));
        check("serve --tls-san lab", Err("--tls-san is for --tls without --tls-cert-file"));
        let line = "serve --token-file t --write-kubeconfig k";
        check(line, Err("--write-kubeconfig with tokens needs --tls: clients send no tokens without it"));
        check("serve now", Err("\"now\" is no option"));
    }
}
