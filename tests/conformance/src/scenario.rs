//! A recording: what was sent, and what came back.

use std::path::{Path, PathBuf};

use json_tree::{Map, Value};
use serde::Deserialize;

/// One recorded conversation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The name; unique within its area.
    pub name: String,
    /// The part of the API that it shows.
    pub area: String,
    /// A sentence on what it shows.
    pub about: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Prefixes of names that the server ends with five random characters.
    #[serde(default)]
    pub generated: Vec<String>,
    /// Paths that are deleted at the end; their answers do not matter.
    #[serde(default)]
    pub cleanup: Vec<String>,
}

/// One step of a scenario: one action, how to look at its answer, and the answer that kube-apiserver gave.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Step {
    /// The name by which later steps refer to it. Steps without one are `step` and their index.
    pub id: Option<String>,
    /// Sends a request.
    pub request: Option<Map<String, Value>>,
    /// Repeats the request until its answer holds this.
    pub until: Option<Until>,
    /// Opens a watch with this request, and leaves it open.
    pub watch: Option<Map<String, Value>>,
    /// Takes what this watch has delivered.
    pub collect: Option<String>,
    /// How many events `collect` waits for; one unless it is said.
    pub count: Option<usize>,
    /// How many seconds `collect` waits at most; five unless it is said.
    pub seconds: Option<f64>,
    /// True if `collect` waits until the server ends the watch.
    pub until_closed: bool,
    /// Closes this watch.
    pub close: Option<String>,
    /// Lets so many seconds pass.
    pub sleep: Option<f64>,
    /// Pointers into the answer to what is not compared; `*` stands for every element.
    pub ignore: Vec<String>,
    /// True if events are compared in no order.
    pub sort_events: bool,
    /// True if the recording keeps the bytes of the response.
    pub keep_raw: bool,
    /// The bytes of the recorded answer, in base64. They are not compared.
    pub raw: Option<String>,
    /// The normalised answer of kube-apiserver.
    pub expect: Option<Value>,
}

/// The condition on a response after which a request is no longer repeated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Until {
    /// The status code.
    pub status: Option<u16>,
    /// The values that the body has at least.
    pub body: Value,
}

/// The action of a step.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// Sends a request, again and again where it waits for an answer.
    Request(&'a Map<String, Value>, Option<&'a Until>),
    /// Opens a watch.
    Watch(&'a Map<String, Value>),
    /// Takes the events of a watch: its step, how many, and for how many seconds at most.
    Collect(&'a str, usize, f64),
    /// Closes a watch.
    Close(&'a str),
    /// Lets seconds pass.
    Sleep(f64),
}

impl Step {
    /// The name of the step, which stands at `index` in its scenario.
    pub fn name(&self, index: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("step{index}"))
    }

    /// Returns the action of the step; `None` if it names none.
    pub fn action(&self) -> Option<Action<'_>> {
        if let Some(request) = &self.request {
            Some(Action::Request(request, self.until.as_ref()))
        } else if let Some(watch) = &self.watch {
            Some(Action::Watch(watch))
        } else if let Some(watch) = &self.collect {
            Some(Action::Collect(watch, self.count.unwrap_or(1), self.seconds.unwrap_or(5.0)))
        } else if let Some(watch) = &self.close {
            Some(Action::Close(watch))
        } else {
            self.sleep.map(Action::Sleep)
        }
    }

    /// The step in one line, as a reader of a failure wants to see it.
    pub fn line(&self) -> String {
        let text = |request: &Map<String, Value>, key| {
            request.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        match self.action() {
            Some(Action::Request(request, _)) => {
                format!("{} {}", text(request, "method"), text(request, "path"))
            }
            Some(Action::Watch(request)) => format!("GET {}", text(request, "path")),
            Some(Action::Collect(watch, ..)) if self.until_closed => {
                format!("the events of {watch} until it is closed")
            }
            Some(Action::Collect(watch, count, _)) => format!("the next events of {watch}, {count} expected"),
            Some(Action::Close(watch)) => format!("close {watch}"),
            Some(Action::Sleep(seconds)) => format!("{seconds} s later"),
            None => "nothing".to_owned(),
        }
    }
}

/// The folder of the recordings of this crate.
pub fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

/// Reads all scenarios in the folders of `folder`, sorted by area and name.
///
/// # Errors
/// A file that cannot be read, or is not a scenario: which one, and why.
pub fn load(folder: &Path) -> Result<Vec<Scenario>, String> {
    let mut scenarios = Vec::new();
    for area in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        for file in entries(&area)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
            let text =
                std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let scenario: Scenario =
                serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
            scenarios.push(scenario);
        }
    }
    scenarios.sort_by(|a, b| (&a.area, &a.name).cmp(&(&b.area, &b.name)));
    Ok(scenarios)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrap = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::read_dir(folder).map_err(wrap)?.map(|entry| Ok(entry.map_err(wrap)?.path())).collect()
}
