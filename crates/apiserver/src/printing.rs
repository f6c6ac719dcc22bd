//! How objects are shown as the rows of tables: what a client asks for.

use std::time::Duration;

use crate::partial::MetaVersion;
use field::quote;

/// The object that a row has beside its cells: `includeObject` in the query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    /// The object's metadata, as a PartialObjectMetadata. That is so if nothing is asked for.
    #[default]
    Metadata,
    /// The object, in the version that the client asked for.
    Object,
    /// `null`.
    None,
}

impl IncludeObject {
    /// Parses the value of `includeObject` in the query.
    ///
    /// # Errors
    /// Any other text: the message of a 400.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Object),
            "None" => Ok(Self::None),
            _ => Err(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: \
                 must be 'Metadata', 'Object', 'None', or empty",
                quote(text)
            )),
        }
    }
}

/// How a table is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The version of `Table`, and of the metadata in it.
    pub version: MetaVersion,
    /// The object that a row has beside its cells.
    pub include_object: IncludeObject,
    /// True if the columns are left out: a watch sends them with its first event only.
    pub no_headers: bool,
    /// The time since the Unix epoch, by which things have an age.
    pub now: Duration,
}
