//! The parameters in the query and the path of a request.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/>

use json_tree::{Value, json};

use super::Edition;
use crate::document::META;

const CORE: &str = "k8s.io/api/core/v1";

/// The parameters that are not texts. What is in the path is a text, and required.
const TYPES: &[(&str, &str)] = &[
    ("allowWatchBookmarks", "boolean"),
    ("follow", "boolean"),
    ("force", "boolean"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("insecureSkipTLSVerifyBackend", "boolean"),
    ("limit", "integer"),
    ("limitBytes", "integer"),
    ("orphanDependents", "boolean"),
    ("ports", "integer"),
    ("previous", "boolean"),
    ("sendInitialEvents", "boolean"),
    ("sinceSeconds", "integer"),
    ("stderr", "boolean"),
    ("stdin", "boolean"),
    ("stdout", "boolean"),
    ("tailLines", "integer"),
    ("timeoutSeconds", "integer"),
    ("timestamps", "boolean"),
    ("tty", "boolean"),
    ("watch", "boolean"),
];

/// A type whose fields are parameters of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Options {
    package: &'static str,
    name: &'static str,
    parameters: &'static [&'static str],
    /// Those of them that are left out.
    without: &'static [&'static str],
}

impl Options {
    const fn new(package: &'static str, name: &'static str, parameters: &'static [&'static str]) -> Self {
        Self { package, name, parameters, without: &[] }
    }
}

/// Of a list.
pub(super) const LIST: Options = Options::new(
    META,
    "ListOptions",
    &[
        "allowWatchBookmarks",
        "continue",
        "fieldSelector",
        "labelSelector",
        "limit",
        "resourceVersion",
        "resourceVersionMatch",
        "sendInitialEvents",
        "shardSelector",
        "timeoutSeconds",
        "watch",
    ],
);

/// Of a list that is deleted, and cannot be watched.
pub(super) const DELETED_LIST: Options = Options { without: &["allowWatchBookmarks", "watch"], ..LIST };

/// Of a GET.
pub(super) const GET: Options = Options { parameters: &["resourceVersion"], ..LIST };

/// Of a POST and a PUT.
pub(super) const WRITE: Options =
    Options::new(META, "CreateOptions", &["dryRun", "fieldManager", "fieldValidation"]);

/// Of a PATCH.
pub(super) const PATCH: Options =
    Options::new(META, "PatchOptions", &["dryRun", "fieldManager", "fieldValidation", "force"]);

/// Of a DELETE.
pub(super) const DELETE: Options = Options::new(
    META,
    "DeleteOptions",
    &[
        "dryRun",
        "gracePeriodSeconds",
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        "orphanDependents",
        "propagationPolicy",
    ],
);

/// Of a GET of logs.
pub(super) const LOG: Options = Options::new(
    CORE,
    "PodLogOptions",
    &[
        "container",
        "follow",
        "insecureSkipTLSVerifyBackend",
        "limitBytes",
        "previous",
        "sinceSeconds",
        "stream",
        "tailLines",
        "timestamps",
    ],
);

/// Of what is connected to.
const CONNECTED: &[Options] = &[
    Options::new(CORE, "PodAttachOptions", &["container", "stderr", "stdin", "stdout", "tty"]),
    Options::new(CORE, "PodExecOptions", &["command", "container", "stderr", "stdin", "stdout", "tty"]),
    Options::new(CORE, "PodPortForwardOptions", &["ports"]),
    Options::new(CORE, "PodProxyOptions", &["path"]),
    Options::new(CORE, "ServiceProxyOptions", &["path"]),
    Options::new(CORE, "NodeProxyOptions", &["path"]),
];

/// Returns the options of what is connected to.
pub(super) fn connected(name: &str) -> Option<&'static Options> {
    CONNECTED.iter().find(|options| options.name == name)
}

/// A parameter of the query or the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) in_path: bool,
    about: String,
}

impl Parameter {
    /// Returns the parameters of a query that are fields of `options`.
    pub(super) fn of(options: &Options) -> impl Iterator<Item = Self> {
        let words = descriptions::of(options.package, options.name);
        let names = options.parameters.iter().filter(|name| !options.without.contains(name));
        names.map(move |name| {
            let about = words.field(name).about();
            Self { name, in_path: false, about }
        })
    }

    /// Returns the parameter `pretty`.
    pub(super) fn pretty() -> Self {
        let about = "If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).";
        Self { name: "pretty", in_path: false, about: about.to_owned() }
    }

    /// Returns the parameters of a path, which are in braces. `kind` is the kind of the object there.
    pub(super) fn of_path(path: &str, kind: &str) -> Vec<Self> {
        let is_there = |name: &str| path.contains(&["{", name, "}"].concat());
        [
            ("name", ["name of the ", kind].concat()),
            ("namespace", "object name and auth scope, such as for teams and projects".to_owned()),
            ("path", "path to the resource".to_owned()),
        ]
        .into_iter()
        .filter(|(name, _)| is_there(name))
        .map(|(name, about)| Self { name, in_path: true, about })
        .collect()
    }

    /// Reports whether two parameters are the same to a request.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.name, self.in_path) == (other.name, other.in_path)
    }

    /// Returns the parameter as a document has it.
    pub(super) fn shown(&self, edition: Edition) -> Value {
        let ty = TYPES.iter().find(|(known, _)| *known == self.name && !self.in_path);
        let ty = ty.map_or("string", |(_, ty)| ty);
        let place = if self.in_path { "path" } else { "query" };
        let mut out = json_tree::Map::new();
        let mut set = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
        let name_it = |set: &mut dyn FnMut(&str, Value)| {
            set("name", self.name.into());
            set("in", place.into());
        };
        match edition {
            Edition::V2 => {
                set("uniqueItems", true.into());
                set("type", ty.into());
                set("description", self.about.as_str().into());
                name_it(&mut set);
            }
            Edition::V3 => {
                name_it(&mut set);
                set("description", self.about.as_str().into());
            }
        }
        if self.in_path {
            set("required", true.into());
        }
        if edition == Edition::V3 {
            set("schema", json!({ "type": ty, "uniqueItems": true }));
        }
        out.into()
    }
}
