//! The kind Event.

use crate::kind::{Checks, Kind, Pass, Printer};
use crate::kinds::core::event;
use crate::kinds::core::event::printer;
use crate::validation::name::NameRule;
use apimachinery::selector::field::SelectableFields;

/// The kind Event.
pub(crate) struct Event;

impl Kind for Event {
    const GROUP: &'static str = "events.k8s.io";
    const RESOURCE: &'static str = "events";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields {
        aliases: &[
            ("reason", "reason"),
            ("regarding.kind", "involvedObject.kind"),
            ("regarding.namespace", "involvedObject.namespace"),
            ("regarding.name", "involvedObject.name"),
            ("regarding.uid", "involvedObject.uid"),
            ("regarding.apiVersion", "involvedObject.apiVersion"),
            ("regarding.resourceVersion", "involvedObject.resourceVersion"),
            ("regarding.fieldPath", "involvedObject.fieldPath"),
            ("reportingController", "reportingComponent"),
            ("type", "type"),
        ],
        only_aliases: true,
        ..SelectableFields::of(true, event::LABELS)
    });
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Change];

    fn checks() -> Checks {
        Checks::none().validate(event::create).validate_update(event::update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
