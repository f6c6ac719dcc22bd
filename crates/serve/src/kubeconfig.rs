//! The kubeconfig for `--write-kubeconfig FILE`: where the server is, and how to get in.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/>.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use golang::base64::encode;
use serde_json::{Map, Value, json};

use crate::private_file;
use crate::tls::{self, Certificates};

/// The name of the cluster, the user and the context.
const NAME: &str = "kubeglass";

/// The user of its certificate, and that user's group, whose members may do everything.
const USER: (&str, &str) = ("kubernetes-admin", "system:masters");

/// The first line. No file is overwritten that has another one.
const MARK: &str = "# Written by kubeglass, which overwrites it when it starts again.\n";

/// The reason why a kubeconfig is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It was written by somebody else.
    #[error("{} is there already and not written by kubeglass: choose another file with --write-kubeconfig", .0.display())]
    Foreign(PathBuf),
    /// It cannot be read or written.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from reading or writing it.
        source: io::Error,
    },
    /// It cannot be put into words.
    #[error("cannot write a kubeconfig: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// It has no certificate to get in with.
    #[error(transparent)]
    Tls(#[from] tls::Error),
}

/// Writes a kubeconfig for a server at a URL: with a certificate that lets its owner do everything, if the server has TLS. On Unix
/// nobody else can read the file.
///
/// # Errors
/// See [`Error`].
pub(crate) fn write(path: &Path, url: &str, certificates: Option<&Certificates>) -> Result<(), Error> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    match fs::read(path) {
        Ok(found) if !found.starts_with(MARK.as_bytes()) => return Err(Error::Foreign(path.to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let text = [MARK, &text(url, certificates)?].concat();
    // Made beside it and moved, so that a client that reads it meanwhile gets the one or the other.
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    private_file::write(&beside, text.as_bytes()).and_then(|()| fs::rename(&beside, path)).map_err(failed)
}

/// Returns the content of a kubeconfig.
fn text(url: &str, certificates: Option<&Certificates>) -> Result<String, Error> {
    let (mut cluster, mut user) = (Map::new(), Map::new());
    cluster.insert("server".to_owned(), url.into());
    if let Some(certificates) = certificates {
        let (certificate, key) = certificates.client(USER.0, &[USER.1])?;
        let set = |map: &mut Map<String, Value>, name: &str, text: &str| {
            map.insert(name.to_owned(), encode(text).into());
        };
        set(&mut cluster, "certificate-authority-data", certificates.server_ca());
        set(&mut user, "client-certificate-data", &certificate);
        set(&mut user, "client-key-data", &key);
    }
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": user}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    });
    Ok(serde_yaml::to_string(&config)?)
}
