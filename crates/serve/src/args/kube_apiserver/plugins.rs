//! The admission plugins that v1.36 has. Those that run always run, and the others never.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/>.

use super::UsageError;

/// The plugins that run.
const RUNNING: [&str; 18] = [
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "DefaultStorageClass",
    "DefaultTolerationSeconds",
    "LimitRanger",
    "MutatingAdmissionPolicy",
    "NamespaceLifecycle",
    "PersistentVolumeClaimResize",
    "PodSecurity",
    "PodTopologyLabels",
    "Priority",
    "ResourceQuota",
    "RuntimeClass",
    "StorageObjectInUseProtection",
    "TaintNodesByCondition",
    "ValidatingAdmissionPolicy",
];

/// The plugins that do not.
const MISSING: [&str; 23] = [
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
    "ClusterTrustBundleAttest",
    "DenyServiceExternalIPs",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "ImagePolicyWebhook",
    "JobValidation",
    "LimitPodHardAntiAffinityTopology",
    "MutatingAdmissionWebhook",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NodeDeclaredFeatureValidator",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodGroupProtection",
    "PodGroupWorkloadExists",
    "PodNodeSelector",
    "PodResizeValidator",
    "PodTolerationRestriction",
    "ServiceAccount",
    "ValidatingAdmissionWebhook",
];

/// Returns what is to be told about plugins, separated by commas, that are to be switched on, or off.
///
/// # Errors
/// There is no such plugin.
pub(super) fn notes(list: &str, on: bool) -> Result<Vec<String>, UsageError> {
    let verb = if on { "enable" } else { "disable" };
    let mut notes = Vec::new();
    for name in list.split(',').filter(|name| !name.is_empty()) {
        match (RUNNING.contains(&name), MISSING.contains(&name)) {
            (false, false) => {
                return Err(UsageError(format!("{verb}-admission-plugins plugin {name:?} is unknown")));
            }
            (true, _) if !on => notes.push(format!("the admission plugin {name} runs all the same")),
            (_, true) if on && name != "AlwaysAdmit" => {
                notes.push(format!("there is no admission plugin {name} here"))
            }
            _ => {}
        }
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins() {
        let check = |list: &str, on: bool, expected: Result<&[&str], &str>| {
            let expected = expected.map(|notes| notes.iter().map(|note| (*note).to_owned()).collect());
            assert_eq!(notes(list, on), expected.map_err(|why| UsageError(why.to_owned())), "{list}");
        };
        check("ServiceAccount,MutatingAdmissionWebhook", false, Ok(&[]));
        check("ResourceQuota,,AlwaysAdmit", true, Ok(&[]));
        check("ServiceAccount", true, Ok(&["there is no admission plugin ServiceAccount here"]));
        check("PodSecurity", false, Ok(&["the admission plugin PodSecurity runs all the same"]));
        check("Foo", true, Err("enable-admission-plugins plugin \"Foo\" is unknown"));
        check("Foo", false, Err("disable-admission-plugins plugin \"Foo\" is unknown"));
    }
}
