//! The position of the decoder in a document.

use std::fmt::Write as _;

use super::StrictError;
use super::error::Place;
use crate::types::{Type, Types};

/// Go keeps at most so many strict errors.
const STRICT_LIMIT: usize = 100;

/// The steps from the root to the value at hand, and what had to be dropped on the way.
#[derive(Default)]
pub(super) struct Trace<'a> {
    steps: Vec<Step<'a>>,
    /// The innermost struct.
    pub(super) go_struct: Option<&'a Type>,
    pub(super) strict: Vec<StrictError>,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    /// Into a field of a struct.
    Field(&'a Type, &'a str),
    /// Into an entry of a map.
    Key(&'a str),
    /// Into an item of a list.
    Item(usize),
}

impl<'a> Trace<'a> {
    pub(super) fn enter(&mut self, step: Step<'a>) {
        self.steps.push(step);
    }

    pub(super) fn leave(&mut self) {
        self.steps.pop();
    }

    /// Returns the place that type errors name: by the names of fields and of the structs that are embedded on the way to them.
    pub(super) fn place(&self, types: &Types) -> Option<Place> {
        let go_struct = self.go_struct?.short_name().to_owned();
        let mut path: Vec<&str> = Vec::new();
        for step in &self.steps {
            if let Step::Field(ty, name) = step {
                match ty.position(name) {
                    Some(at) => {
                        let within = ty.embedded.iter().filter(|embedded| embedded.fields.contains(&at));
                        path.extend(within.map(|embedded| types.get(embedded.ty).short_name()));
                    }
                    // `kind` and `apiVersion` are no fields of the table: Go embeds them as TypeMeta.
                    None => path.push("TypeMeta"),
                }
                path.push(name);
            }
        }
        (!path.is_empty()).then(|| Place { go_struct, path: path.join(".") })
    }

    pub(super) fn unknown(&mut self, name: &str) {
        if self.strict.len() < STRICT_LIMIT {
            let path = self.full_path(name);
            self.note(StrictError::Unknown(path));
        }
    }

    pub(super) fn duplicate(&mut self, name: &str) {
        if self.strict.len() < STRICT_LIMIT {
            let path = self.full_path(name);
            self.note(StrictError::Duplicate(path));
        }
    }

    fn note(&mut self, error: StrictError) {
        if !self.strict.contains(&error) {
            self.strict.push(error);
        }
    }

    /// The path with indices and keys, as strict errors have it.
    fn full_path(&self, name: &str) -> String {
        let mut path = String::new();
        for step in self.steps.iter().chain([&Step::Key(name)]) {
            match step {
                Step::Field(_, name) | Step::Key(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                // Writing to a String does not fail.
                Step::Item(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        path
    }
}
