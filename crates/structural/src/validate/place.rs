//! The place of a value in an object, as messages show it.

use std::fmt::{self, Display, Formatter};

use field::Path;

/// One step down.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    /// The whole object.
    Root,
    /// A property of the schema.
    Property(&'a str),
    /// A field that is none: its name has a point before it even at the root.
    Additional(&'a str),
    /// An item.
    Index(usize),
}

/// A place. It is printed only if there is something to say about it.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    parent: Option<&'a Self>,
    step: Step<'a>,
}

impl<'a> At<'a> {
    pub(super) const ROOT: At<'static> = At { parent: None, step: Step::Root };

    pub(super) fn step(&'a self, step: Step<'a>) -> Self {
        Self { parent: Some(self), step }
    }

    pub(super) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The place as a field of an error, which has no point at its beginning.
    pub(super) fn path(&self) -> Path {
        let text = self.to_string();
        Path::new(text.strip_prefix('.').unwrap_or(&text))
    }
}

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        let first = self.parent.is_none_or(Self::is_root);
        match self.step {
            Step::Root => Ok(()),
            Step::Property(name) if first => f.write_str(name),
            Step::Property(name) | Step::Additional(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
