//! Image references, as far as their tag decides whether an image is pulled each time.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting>.

use apimachinery::ImageReference;

/// Returns the pull policy of an image whose policy is not set: `Always` for the tag `latest` and for a
/// reference without tag and digest, else `IfNotPresent`, also for what is no reference.
pub(super) fn pull_policy(image: &str) -> &'static str {
    let image = ImageReference::parse(image);
    let is_latest = image.is_some_and(|image| match image.tag {
        Some(tag) => tag == "latest",
        None => image.digest.is_none(),
    });
    if is_latest { "Always" } else { "IfNotPresent" }
}
