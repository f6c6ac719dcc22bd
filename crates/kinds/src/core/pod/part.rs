//! Validation of writes to `ephemeralcontainers`, a subresource of pods.

use json_tree::Value;

use super::{NAMELESS, annotations, update};
use crate::validation::read::{at, list, text};
use crate::validation::{go_diff, internal};
use field::{AddError, Error, Path, quote};

/// Ephemeral containers come, and those that are there stay as they are.
pub(crate) fn update_ephemeral(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = update::common(object, old);
    if annotations::is_mirror(old) {
        return vec![Error::forbidden(
            Path::new(NAMELESS),
            "static pods do not support ephemeral containers",
        )];
    }
    let path = Path::new("spec").child("ephemeralContainers");
    let new = list(at(object, "/spec"), "ephemeralContainers");
    for old in list(at(old, "/spec"), "ephemeralContainers") {
        let name = quote(text(old, "name"));
        // Of several with one name, the last counts.
        let why = match new.iter().rev().find(|new| text(new, "name") == text(old, "name")) {
            Some(new) if update::same_type("EphemeralContainer", new, old) => continue,
            Some(new) => {
                let difference = go_diff::of(internal::CORE, "EphemeralContainer", old, new);
                format!("existing ephemeral containers {name} may not be changed\n{difference}")
            }
            None => format!("existing ephemeral containers {name} may not be removed\n"),
        };
        errors.forbidden(&path, why);
    }
    errors
}
