//! The contents of the cells of a row.

use glass::History;
use protocol::trace::RequestRecord;

use crate::cluster::trace::{Outcome, Trace};
use crate::cluster::{Request, Which};
use crate::model::messages::rails as words;
use crate::model::timeline::tracks::{self, Mark, Rail, Track};
use crate::model::watch::EventType;
use crate::state::Model;
use crate::timeline::rails::rows::{Row, Rows};
use crate::ui::messages;

/// The contents beside all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Board {
    /// The watches that have a rail.
    pub(crate) tracks: Vec<Track>,
    /// How many watches have none.
    pub(crate) more: usize,
    /// The marks, each with its revision.
    pub(crate) marks: Vec<(u64, Mark)>,
}

/// The cells of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cells {
    /// The row.
    pub(crate) row: Row,
    /// When the request came; empty if nobody knows.
    pub(crate) time: String,
    /// The change that the write made.
    pub(crate) change: EventType,
    /// The request's verb, or else the event's type.
    pub(crate) verb: &'static str,
    /// The object.
    pub(crate) object: String,
    /// The field manager that wrote it; empty if it is not known.
    pub(crate) manager: String,
    /// The letters of the watches, and what each was sent.
    pub(crate) rails: Vec<(String, Rail)>,
    /// The marks in this row.
    pub(crate) marks: Vec<Mark>,
}

impl Cells {
    /// The cells of the row at a place.
    pub(crate) fn of(
        model: &Model,
        history: &History,
        rows: &Rows,
        place: usize,
        board: &Board,
    ) -> Option<Self> {
        let row = rows.at(place)?;
        let rails = board.tracks.iter().map(|track| {
            let lane = model.lane(track.watch);
            let rail = match row {
                Row::Write(revision) => tracks::rail(track, lane, revision),
                Row::Folded { to, .. } => tracks::rail(track, None, to),
                Row::Compacted(_) => Rail::None,
            };
            (track.letter.clone(), rail)
        });
        let here = board.marks.iter().filter(|(revision, _)| rows.holds(place, *revision));
        let mut cells = Self {
            row,
            time: String::new(),
            change: EventType::Modified,
            verb: "",
            object: String::new(),
            manager: String::new(),
            rails: rails.collect(),
            marks: here.map(|(_, mark)| mark.clone()).collect(),
        };
        if let Row::Write(revision) = row {
            let write = history.write(revision)?;
            let served = served(model, write.request);
            cells.object =
                history.object(write.object).map(|object| object.label.clone()).unwrap_or_default();
            history.manager(write.manager).clone_into(&mut cells.manager);
            cells.change = write.change;
            let asked = exchange(&model.trace, write.request).map(|(_, request)| request);
            cells.verb = verb(write.change, served.as_ref().map(|served| served.method.as_str()), asked);
            if served.is_some() && cells.manager.is_empty() {
                words::NO_MANAGER.clone_into(&mut cells.manager);
            }
            cells.time = served.map(|served| messages::time_of_day(served.at.as_secs())).unwrap_or_default();
        }
        Some(cells)
    }
}

/// Returns the embedded cluster's record of a request.
pub(crate) fn served(model: &Model, request: u64) -> Option<RequestRecord> {
    model.glass(Which::ThisTab).request(request).cloned()
}

/// The exchange of this page whose request has that number in the cluster.
pub(crate) fn exchange(trace: &Trace, request: u64) -> Option<(u64, &Request)> {
    let mut newest = trace.newest();
    newest.find_map(|exchange| match &exchange.outcome {
        Outcome::Answered(reply) if reply.served.as_ref().is_some_and(|served| served.id == request) => {
            Some((exchange.id, &exchange.request))
        }
        _ => None,
    })
}

/// The verb of a write: that of its request, or else the type of its event.
fn verb(change: EventType, method: Option<&str>, asked: Option<&Request>) -> &'static str {
    let applies = |request: &Request| {
        let mut headers = request.headers.iter();
        headers
            .any(|(name, value)| name.eq_ignore_ascii_case("content-type") && value.contains("apply-patch"))
    };
    match method {
        Some("PATCH") if asked.is_some_and(applies) => "APPLY",
        Some("POST") => "POST",
        Some("PUT") => "PUT",
        Some("PATCH") => "PATCH",
        Some("DELETE") => "DELETE",
        _ => change.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: Option<&str>, content_type: Option<&str>, expected: &str) {
        let asked = content_type.map(|value| Request {
            headers: vec![("content-type".to_owned(), value.to_owned())],
            ..Request::default()
        });
        assert_eq!(verb(EventType::Modified, method, asked.as_ref()), expected);
    }

    #[test]
    fn a_write_has_the_verb_of_its_request() {
        check(Some("PUT"), Some("application/json"), "PUT");
        check(Some("PATCH"), Some("application/merge-patch+json"), "PATCH");
        check(Some("PATCH"), Some("application/apply-patch+yaml"), "APPLY");
        check(Some("PATCH"), None, "PATCH");
        check(None, None, "MODIFIED");
        check(Some("GET"), None, "MODIFIED");
    }
}
