//! The bodies that were written, one for each kind of body: to go from one way of changing an object to another and back
//! loses none of them.

use crate::model::request::subject::How;

/// The media type of a body if none is chosen.
const MEDIA: &str = "application/json";
/// The media type of a patch if none is chosen.
const PATCH: &str = "application/merge-patch+json";

/// The bodies that have been written besides the one that is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drafts {
    /// Kinds of bodies, and what was written.
    kept: Vec<(&'static str, String)>,
    /// The kind of the body that is shown.
    shown: &'static str,
    /// The body that was put in last without being asked for.
    given: String,
    /// The media types that were chosen last: of a patch, and of anything else.
    patch: Option<String>,
    whole: Option<String>,
}

/// The kind of a body; `None` where there is none.
fn kind(method: &str, media: &str) -> Option<&'static str> {
    match method {
        "POST" | "PUT" => Some("whole"),
        "DELETE" => Some("options"),
        "PATCH" => Some(match How::of(media).name() {
            "" => "whole",
            name => name,
        }),
        _ => None,
    }
}

impl Drafts {
    /// Notes that another request is shown; if it goes elsewhere, what was written is of no use there.
    pub(crate) fn begin(&mut self, method: &str, media: &str, elsewhere: bool) {
        if elsewhere {
            self.kept.clear();
        }
        self.given.clear();
        self.shown = kind(method, media).unwrap_or_default();
    }

    /// The media type to go on with, when `method` is chosen while `media` is.
    pub(crate) fn media(&mut self, method: &str, media: &str) -> String {
        let patches = How::of(media) != How::Whole;
        let (own, other) =
            if patches { (&mut self.patch, &self.whole) } else { (&mut self.whole, &self.patch) };
        *own = Some(media.to_owned());
        let other = other.clone();
        match (method, patches) {
            ("PATCH", false) => other.unwrap_or_else(|| PATCH.to_owned()),
            ("POST" | "PUT" | "DELETE", true) => other.unwrap_or_else(|| MEDIA.to_owned()),
            _ => media.to_owned(),
        }
    }

    /// Keeps `body`, and gives what was written of the kind that is chosen now; `None` if the body stays.
    pub(crate) fn turn(&mut self, method: &str, media: &str, body: &str) -> Option<String> {
        let now = kind(method, media)?;
        let before = std::mem::replace(&mut self.shown, now);
        // What was written while there was no kind is of the first that is chosen.
        if before == now || before.is_empty() {
            return None;
        }
        self.kept.retain(|(known, _)| *known != before);
        if body != self.given {
            self.kept.push((before, body.to_owned()));
        }
        self.given.clear();
        let kept = self.kept.iter().find(|(known, _)| *known == now);
        Some(kept.map(|(_, text)| text.clone()).unwrap_or_default())
    }

    /// Notes that `new` is put in for `body`; `false` if somebody has written that, so that it stays.
    pub(crate) fn give(&mut self, body: &str, new: &str) -> bool {
        let free = body.trim().is_empty() || body == self.given;
        if free {
            self.given = new.to_owned();
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/json-patch+json";
    const APPLY: &str = "application/apply-patch+yaml";

    #[test]
    fn each_kind_keeps_what_was_written() {
        let mut drafts = Drafts::default();
        drafts.begin("POST", MEDIA, true);
        assert_eq!(drafts.turn("PUT", MEDIA, "object"), None, "both send the whole object");
        assert_eq!(drafts.turn("PATCH", JSON, "object").as_deref(), Some(""));
        assert_eq!(drafts.turn("PATCH", APPLY, "operations").as_deref(), Some(""));
        assert_eq!(drafts.turn("GET", APPLY, "configuration"), None);
        assert_eq!(drafts.turn("PATCH", JSON, "configuration").as_deref(), Some("operations"));
        assert_eq!(drafts.turn("PATCH", APPLY, "operations!").as_deref(), Some("configuration"));
        assert_eq!(drafts.turn("POST", MEDIA, "configuration").as_deref(), Some("object"));
        drafts.begin("PATCH", JSON, false);
        assert_eq!(drafts.turn("PATCH", APPLY, "new").as_deref(), Some("configuration"));
        drafts.begin("PATCH", JSON, true);
        assert_eq!(drafts.turn("PATCH", APPLY, "new").as_deref(), Some(""), "of another object");
    }

    #[test]
    fn what_nobody_wrote_is_replaced_and_not_kept() {
        let mut drafts = Drafts::default();
        drafts.begin("PATCH", JSON, true);
        assert!(drafts.give("", "first"));
        assert!(drafts.give("first", "second"));
        assert!(!drafts.give("mine", "third"));
        assert_eq!(drafts.turn("PATCH", APPLY, "second").as_deref(), Some(""));
        assert_eq!(drafts.turn("PATCH", JSON, "").as_deref(), Some(""));
    }

    #[test]
    fn media_types_are_remembered() {
        let mut drafts = Drafts::default();
        assert_eq!(drafts.media("PATCH", "application/yaml"), PATCH);
        assert_eq!(drafts.media("PUT", APPLY), "application/yaml");
        assert_eq!(drafts.media("GET", APPLY), APPLY);
        assert_eq!(drafts.media("PATCH", MEDIA), APPLY);
        assert_eq!(drafts.media("POST", MEDIA), MEDIA);
    }
}
