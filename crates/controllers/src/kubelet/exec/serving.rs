//! Programs that serve something for as long as they run.

use super::server::{Kind, Server};
use super::shell::Run;

/// A server of files: the directory of its configuration, and that of the files.
type FileServer = (&'static str, &'static str);
pub(super) const HTTPD: FileServer = ("/usr/local/apache2/conf", "/usr/local/apache2/htdocs");
pub(super) const NGINX: FileServer = ("/etc/nginx", "/usr/share/nginx/html");

/// Serves the files below a directory on port 80, unless somebody has given it another configuration.
pub(super) fn serve_files(run: &mut Run<'_>, (configuration, root): FileServer) -> u8 {
    let files = &run.shell.machine.files;
    if !files.has_mounts_at(configuration) && files.names(configuration).next().is_none() {
        listen(run, 80, Kind::Files { root, lists: root != NGINX.1 });
    }
    run.guess();
    0
}

/// Runs a part of the program of Kubernetes' own tests.
pub(super) fn agnhost(run: &mut Run<'_>, words: &[String]) -> u8 {
    let (name, options) = words.split_first().map_or(("", words), |(name, options)| (name.as_str(), options));
    let port = |flag: &str, default| port(options, flag, default);
    let server = match name {
        "liveness" => Some((8080, Kind::Liveness)),
        "netexec" => port("http-port", 8080).map(|port| (port, Kind::Network)),
        "serve-hostname" => port("port", 9376).map(|port| (port, Kind::Hostname)),
        "test-webserver" => port("port", 80).map(|port| (port, Kind::Files { root: "", lists: true })),
        _ => None,
    };
    if let Some((port, kind)) = server {
        listen(run, port, kind);
    }
    run.guess();
    0
}

/// Returns the port that an option says; `None` if it is none, or there is an option for TLS.
fn port(options: &[String], flag: &str, default: u16) -> Option<u16> {
    if options.iter().any(|option| option.contains("tls")) {
        return None;
    }
    let name = |option: &str| option.trim_start_matches('-').split('=').next() == Some(flag);
    let Some(place) = options.iter().position(|option| option.starts_with('-') && name(option)) else {
        return Some(default);
    };
    let value = options[place].split_once('=').map(|(_, value)| value);
    value.or(options.get(place + 1).map(String::as_str))?.parse().ok()
}

fn listen(run: &mut Run<'_>, port: u16, kind: Kind) {
    let since = run.shell.machine.now;
    run.shell.listen(Server { port, since, kind });
}
