//! The kind Namespace.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/>.

mod printer;
mod strategy;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, Subresource, passes};
use crate::validation::checks::texts;
use crate::validation::metadata;
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, text};
use apimachinery::selector::field::{SelectableFields, Source};
use field::{Error, Path};

/// The kind Namespace.
pub(crate) struct Namespace;

impl Kind for Namespace {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "namespaces";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(false, &[("status.phase", Source::At("/status/phase", ""))]));
    const STRATEGY: Strategy = strategy::STRATEGY;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("finalize", Subresource::Part)];
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("finalize", &[&["status"]])];
    const NAME: NameRule = NameRule::Label;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_part("finalize", finalize)
            .validate_part("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a namespace. The messages do not tell which finalizer is meant.
fn create(object: &Value) -> Vec<Error> {
    finalizers(object, |path, _| path.clone())
}

/// Validates the finalizers of a namespace, in a write of the `finalize` subresource.
fn finalize(object: &Value, _: &Value) -> Vec<Error> {
    finalizers(object, Path::index)
}

fn finalizers(object: &Value, place: fn(&Path, usize) -> Path) -> Vec<Error> {
    let path = Path::new("spec").child("finalizers");
    let finalizers = texts(at(object, "/spec"), "finalizers").into_iter().enumerate();
    finalizers.flat_map(|(index, finalizer)| metadata::finalizer(finalizer, &place(&path, index))).collect()
}

/// Validates the status of a namespace: its phase must match the deletion timestamp.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let phase = text(at(object, "/status"), "phase");
    let deleted = get(at(object, "/metadata"), "deletionTimestamp").is_some();
    let (expected, state) = if deleted { ("Terminating", "not empty") } else { ("Active", "empty") };
    if phase == expected {
        return Vec::new();
    }
    let why = format!("may only be '{expected}' if `deletionTimestamp` is {state}");
    vec![Error::invalid(Path::new("status").child("Phase"), phase, why)]
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn finalizers_are_known_or_qualified() {
        let namespace = json!({"spec": {"finalizers": ["kubernetes", "x.example.com/y", "plain"]}});
        check(
            &create(&namespace),
            "spec.finalizers: Invalid value: \"plain\": name is neither a standard finalizer name nor is it fully qualified",
        );
        check(
            &finalize(&namespace, &namespace),
            "spec.finalizers[2]: Invalid value: \"plain\": name is neither a standard finalizer name nor is it fully qualified",
        );
    }
}
