//! Reads a line of kubectl, and begins what it does.

mod access;
mod call;
mod change;
mod discover;
mod explain;
mod flags;
mod generate;
mod get;
mod remove;
mod workload;
mod write;

use json_tree::Value;

use super::Source;
use super::shell::Running;
use crate::kinds::Kinds;
use call::{Call, Stop};

/// A command of kubectl.
#[derive(Clone, Debug, Default)]
pub struct Kubectl {
    /// The words that are neither options nor behind `--`: the verb first.
    pub words: Vec<String>,
    /// The words behind `--`.
    pub(super) behind: Vec<String>,
    /// Options by their long names, and their values.
    pub(super) flags: Vec<(&'static str, String)>,
    /// The manifests that it reads.
    pub(super) sources: Vec<Source>,
}

type Begin = fn(&mut Call<'_>) -> Result<(), Stop>;

/// Lines that run.
const VERBS: &[(&str, Begin)] = &[
    ("get", get::begin),
    ("apply", write::apply),
    ("create", generate::create),
    ("replace", write::replace),
    ("delete", remove::begin),
    ("patch", change::patch),
    ("label", change::label),
    ("annotate", change::annotate),
    ("scale", change::scale),
    ("run", workload::run),
    ("expose", workload::expose),
    ("autoscale", workload::autoscale),
    ("set", workload::set),
    ("taint", workload::taint),
    ("cordon", workload::cordon),
    ("uncordon", workload::uncordon),
    ("auth", access::begin),
    ("api-resources", discover::resources),
    ("api-versions", discover::versions),
    ("version", discover::version),
    ("explain", explain::begin),
];

/// Lines that do not run, and why.
const REFUSED: &[(&str, &str)] = &[
    ("exec", "needs a container that runs: there is none here."),
    ("logs", "needs a container that runs: there is none here."),
    ("attach", "needs a container that runs: there is none here."),
    ("cp", "needs a container that runs: there is none here."),
    ("debug", "needs a container that runs: there is none here."),
    ("port-forward", "needs a container that runs: there is none here."),
    ("top", "needs nodes that measure what runs on them: there are none here."),
    ("proxy", "opens a port on a machine: requests reach the cluster without it here."),
    ("edit", "opens an editor: `kubectl patch` and `kubectl apply` change objects here."),
    ("drain", "evicts pods from a machine: there is none here."),
    ("rollout", "follows controllers that run pods: there are none here."),
    ("wait", "waits for what controllers do: there are none here."),
    ("config", "changes files of a machine: there are none here."),
    ("cluster-info", "tells the addresses of machines: there are none here."),
    ("kustomize", "reads a directory: there is none here."),
    ("diff", "runs a program of the machine: there is none here."),
    (
        "describe",
        "prints what only kubectl knows of each kind: `kubectl get -o yaml` prints the object here.",
    ),
    ("certificate", "is not understood here."),
    ("plugin", "runs a program of the machine: there is none here."),
    ("completion", "is for a shell: there is none here."),
];

impl Kubectl {
    /// Reads the words behind `kubectl`.
    pub(super) fn read(words: &[String], stdin: Option<&Source>) -> Result<Self, String> {
        let mut line = flags::read(words)?;
        let verb = line.words.first().ok_or("`kubectl` alone prints how it is used.")?;
        if let Some((_, why)) = REFUSED.iter().find(|(known, _)| known == verb) {
            return Err(format!("`kubectl {verb}` {why}"));
        }
        if !VERBS.iter().any(|(known, _)| known == verb) {
            return Err(format!("`kubectl {verb}` does not run here."));
        }
        let files: Vec<String> = line
            .all("--filename")
            .iter()
            .chain(&line.all("--patch-file"))
            .map(|file| (*file).to_owned())
            .collect();
        for file in files.iter().flat_map(|files| files.split(',')) {
            line.sources.push(match file {
                "-" | "/dev/stdin" => {
                    stdin.cloned().ok_or("It reads what is typed: nothing is typed here.")?
                }
                file => Source::File(file.to_owned()),
            });
        }
        let patch = line.flag("--patch").filter(|patch| serde_json::from_str::<Value>(patch).is_err());
        line.sources.extend(patch.map(|patch| Source::Inline(patch.to_owned())));
        Ok(line)
    }

    /// Returns the last value of an option.
    pub(super) fn flag(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns all values of an option.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.flags.iter().filter(|(known, _)| *known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Returns whether an option without a value is given.
    pub(super) fn is(&self, name: &str) -> bool {
        self.flag(name).is_some_and(|value| value != "false")
    }

    /// Begins to carry it out.
    pub(super) fn begin(
        &self,
        kinds: &Kinds,
        namespace: &str,
        objects: Vec<Value>,
    ) -> Result<Running, String> {
        let verb = self.words.first().map(String::as_str).unwrap_or_default();
        let (_, begin) = VERBS
            .iter()
            .find(|(known, _)| *known == verb)
            .ok_or_else(|| format!("`kubectl {verb}` does not run here."))?;
        let mut call = Call::new(kinds, self, namespace, objects)?;
        match begin(&mut call) {
            Ok(()) => {}
            Err(Stop::Refused(why)) => return Err(why),
            Err(Stop::Says(text)) => call.shell.fail(&text),
        }
        Ok(Running::new(call.shell))
    }
}
