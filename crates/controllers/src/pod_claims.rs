//! The claims of volumes that a pod names, and those that are made for it alone.
//!
//! See <https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes>.

use json_tree::Value;

use crate::object::{self, list};

/// A volume of a pod that a claim stands behind.
pub(crate) struct ClaimedVolume<'a> {
    pub(crate) volume: &'a Value,
    /// The name of the claim.
    pub(crate) claim: String,
    /// True if the claim is made for the pod.
    pub(crate) is_ephemeral: bool,
}

/// Returns the volumes of a pod that claims stand behind.
pub(crate) fn claimed<'a>(pod: &'a Value) -> impl Iterator<Item = ClaimedVolume<'a>> {
    list(pod, "/spec/volumes").iter().filter_map(move |volume| {
        if let Some(source) = volume.get("persistentVolumeClaim").filter(|source| !source.is_null()) {
            let claim = source.text("claimName").to_owned();
            return Some(ClaimedVolume { volume, claim, is_ephemeral: false });
        }
        volume.get("ephemeral").filter(|source| !source.is_null())?;
        let claim = [object::name(pod), "-", volume.text("name")].concat();
        Some(ClaimedVolume { volume, claim, is_ephemeral: true })
    })
}

/// Returns why a claim is not the one that was made for a pod; `None` if it is.
pub(crate) fn not_of_pod(pod: &Value, claim: &Value) -> Option<String> {
    let is_own = object::namespace(claim) == object::namespace(pod) && object::is_controlled_by(claim, pod);
    let refuse = || {
        let (claim, pod) = (object::key(claim), object::key(pod));
        format!("PVC {claim} was not created for pod {pod} (pod is not owner)")
    };
    (!is_own).then(refuse)
}
