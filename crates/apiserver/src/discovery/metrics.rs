//! `/metrics`: a few of kube-apiserver's metrics, as Prometheus reads them.
//!
//! <https://kubernetes.io/docs/reference/instrumentation/metrics/>

use store::KeyRange;

use crate::answer::Answer;
use crate::context::NonResourceRequest;
use crate::stored;
use crate::version::{GIT_VERSION, MAJOR, MINOR};

const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// Returns the metrics of this server: which it is, what it stores, and which watches are open.
pub(super) fn answer(question: &NonResourceRequest<'_>) -> Answer {
    let storage = question.shared.storage();
    let watches = storage.watches.len().to_string();
    let mut text = String::new();
    head(&mut text, "apiserver_longrunning_requests", "Gauge of all active long-running apiserver requests.");
    sample(&mut text, "apiserver_longrunning_requests", &[("verb", "WATCH")], &watches);
    head(&mut text, "apiserver_resource_objects", "Number of stored objects at the time of last check.");
    let mut counted: Vec<String> = Vec::new();
    for row in question.resources.iter().filter(|row| row.allows("list") && row.allows("create")) {
        let place = stored::collection_key(row, "");
        // Objects that several resources show count once.
        if counted.contains(&place) {
            continue;
        }
        let count = storage.store.count(&KeyRange::prefix(&place)).to_string();
        counted.push(place);
        let labels = [("group", row.group.as_str()), ("resource", row.name.as_str())];
        sample(&mut text, "apiserver_resource_objects", &labels, &count);
    }
    let about = "A metric with a constant '1' value labeled by version.";
    head(&mut text, "kubernetes_build_info", about);
    let labels = [("git_version", GIT_VERSION), ("major", MAJOR), ("minor", MINOR)];
    sample(&mut text, "kubernetes_build_info", &labels, "1");
    Answer::bytes(MEDIA_TYPE, text.into_bytes())
}

fn head(text: &mut String, name: &str, about: &str) {
    *text += &["# HELP ", name, " ", about, "\n# TYPE ", name, " gauge\n"].concat();
}

fn sample(text: &mut String, name: &str, labels: &[(&str, &str)], value: &str) {
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| [name, "=\"", value, "\""].concat()).collect();
    *text += &[name, "{", &labels.join(","), "} ", value, "\n"].concat();
}
