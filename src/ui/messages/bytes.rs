//! The words for the bytes of a response, its representations and its warnings.

pub(crate) const BYTES: &str = "Bytes";
pub(crate) const JSON: &str = "What they mean";
pub(crate) const KEYS: &str =
    "↓ ↑ next and previous, → first inside, ← around it, Enter to the field in JSON";
pub(crate) const HINT: &str = "Point at bytes, or walk them with the arrow keys.";
pub(crate) const COPY_HEX: &str = "Copy as hex";
pub(crate) const REPRESENTATIONS: &str = "Representations";
pub(crate) const NO_JSON: &str =
    "What these bytes mean is not known, so they cannot be written in another media type.";
pub(crate) const BESIDE: &str = "Choose one to see it beside its JSON.";
pub(crate) const GZIPPED: &str = "gzipped";
pub(crate) const WARNINGS: &str = "Warnings";

/// Why the JSON of some bytes is not shown.
pub(crate) fn unread(why: &str) -> String {
    ["Not readable as an object: ", why].concat()
}

/// Why what was typed is not sent.
pub(crate) fn unwritable(why: &str) -> String {
    [
        "The body cannot be written in the media type of its Content-Type: ",
        why,
        ". Type JSON or YAML, or the bytes themselves in hexadecimal digits.",
    ]
    .concat()
}

/// Returns the text on the size and the media type with which the body was sent.
pub(crate) fn sent_as(size: &str, media: &str) -> String {
    ["sent ", size, " of ", media].concat()
}

/// Which representation is shown.
pub(crate) fn chosen(name: &str, size: &str) -> String {
    [name, ", ", size, ", beside the response’s JSON"].concat()
}

/// That a representation is shown.
pub(crate) fn show(name: &str) -> String {
    ["Show ", name].concat()
}
