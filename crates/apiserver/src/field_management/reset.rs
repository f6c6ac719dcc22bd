//! The fields that a kind of write leaves alone, so that nobody comes to own them by it.

use crate::resource::Resource;
use apply::Set;

use kinds::kind::Paths;

/// The fields that a write through `subresource` resets: the status of a plain write, and the spec of a write of the
/// status.
pub(super) fn fields(resource: &Resource, subresource: &str) -> Set {
    let own = resource.stored_as().reset_fields;
    let exception = own.iter().find(|(name, _)| *name == subresource);
    let custom = resource.is_custom();
    let paths: Paths = match (exception, subresource) {
        (Some((_, paths)), _) => paths,
        (None, "") if resource.subresource("status").is_some() => &[&["status"]],
        (None, "status") if custom => &[&["spec"], &["metadata"]],
        (None, "status") => &[&["spec"]],
        _ => &[],
    };
    Set::of_fields(paths)
}
