//! `/metrics`: a few of kube-apiserver's metrics, as Prometheus reads them.
//!
//! <https://kubernetes.io/docs/reference/instrumentation/metrics/>

use store::KeyRange;

use crate::answer::Answer;
use crate::context::NonResourceRequest;
use crate::resource::Resource;
use crate::seats::{self, Seats};
use crate::stored;
use crate::version::{GIT_VERSION, MAJOR, MINOR};

const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// A metric of priority levels: its name, its description, and its value for one.
type OfLevels = (&'static str, &'static str, fn(&Seats) -> i64);

/// The metrics of the seats of priority levels.
const SEATS: [OfLevels; 3] = [
    (
        "apiserver_flowcontrol_lower_limit_seats",
        "[ALPHA] Configured lower bound on number of execution seats available to each priority level",
        |seats| seats.lower,
    ),
    (
        "apiserver_flowcontrol_nominal_limit_seats",
        "[BETA] Nominal number of execution seats configured for each priority level",
        |seats| seats.nominal,
    ),
    (
        "apiserver_flowcontrol_upper_limit_seats",
        "[ALPHA] Configured upper bound on number of execution seats available to each priority level",
        |seats| seats.upper,
    ),
];

/// Returns the metrics of this server: which it is, what it stores, and what it has done, as far as the host wants that.
pub(super) fn answer(question: &NonResourceRequest<'_>) -> Answer {
    let mut families: Vec<(&str, String)> = Vec::new();
    if let Some(instruments) = question.shared.instruments.get() {
        let audit = question.shared.audit.get().map(|audit| audit.counts());
        families.extend(instruments.write(audit));
    }
    let storage = question.shared.storage();
    let mut family =
        |name: &'static str, about: &str, samples: &mut dyn Iterator<Item = (String, String)>| {
            let mut text = ["# HELP ", name, " ", about, "\n# TYPE ", name, " gauge\n"].concat();
            samples.for_each(|(labels, value)| text += &[name, "{", &labels, "} ", &value, "\n"].concat());
            families.push((name, text));
        };
    let mut counted: Vec<(String, &Resource, String)> = Vec::new();
    for row in question.resources.iter().filter(|row| row.allows("list") && row.allows("create")) {
        let place = stored::collection_key(row, "");
        // Objects that several resources show count once.
        if !counted.iter().any(|(known, ..)| *known == place) {
            let count = storage.store.count(&KeyRange::prefix(&place)).to_string();
            counted.push((place, row, count));
        }
    }
    let about = "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";
    let of = |row: &Resource| labels(&[("group", &row.group), ("resource", &row.name)]);
    let mut samples = counted.iter().map(|(_, row, count)| (of(row), count.clone()));
    family("apiserver_resource_objects", about, &mut samples);
    let about = "[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";
    let of = |row: &Resource| {
        let dot = if row.group.is_empty() { "" } else { "." };
        labels(&[("resource", &[row.name.as_str(), dot, &row.group].concat())])
    };
    let mut samples = counted.iter().map(|(_, row, count)| (of(row), count.clone()));
    family("apiserver_storage_objects", about, &mut samples);
    let about =
        "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.";
    let mut samples = question.resources.services.iter().map(|service| {
        let is_away = service.server.as_ref().is_some_and(|server| !server.available);
        (labels(&[("name", &service.name)]), u8::from(is_away).to_string())
    });
    family("aggregator_unavailable_apiservice", about, &mut samples);
    let server = question.shared.instruments.get().map_or(seats::SERVER, |instruments| instruments.seats());
    let levels = seats::shared_out(seats::specs(&storage.store), server);
    for (name, about, of) in SEATS {
        let mut samples =
            levels.iter().map(|seats| (labels(&[("priority_level", &seats.level)]), of(seats).to_string()));
        family(name, about, &mut samples);
    }
    let about = "[ALPHA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.";
    let version = labels(&[("git_version", GIT_VERSION), ("major", MAJOR), ("minor", MINOR)]);
    family("kubernetes_build_info", about, &mut std::iter::once((version, "1".to_owned())));
    if question.shared.instruments.get().is_none() {
        let about = "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.";
        let watches = (labels(&[("verb", "WATCH")]), storage.watches.len().to_string());
        family("apiserver_longrunning_requests", about, &mut std::iter::once(watches));
    }
    schema::sort_by(&mut families, |a, b| a.0.cmp(b.0));
    let text: String = families.into_iter().map(|(_, text)| text).collect();
    Answer::bytes(MEDIA_TYPE, text.into_bytes())
}

/// Returns labels as they stand in a sample.
fn labels(labels: &[(&str, &str)]) -> String {
    let label = |(name, value): &(&str, &str)| [name, "=\"", value, "\""].concat();
    labels.iter().map(label).collect::<Vec<_>>().join(",")
}
