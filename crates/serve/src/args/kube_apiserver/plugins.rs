//! The admission plugins of v1.36, and which of them are to run. Those that are here run unless they are switched off.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/>.

use apiserver::{Plugin, Plugins};

use super::UsageError;

/// The plugins that are not here.
const MISSING: [&str; 20] = [
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
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NodeDeclaredFeatureValidator",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodGroupProtection",
    "PodGroupWorkloadExists",
    "PodNodeSelector",
    "PodTolerationRestriction",
    "ServiceAccount",
];

/// The plugins that were named so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    on: Vec<String>,
    off: Vec<String>,
}

impl Reading {
    /// Takes plugins, separated by commas, that are to be switched on, or off.
    ///
    /// # Errors
    /// There is no such plugin.
    pub(super) fn take(&mut self, list: &str, on: bool) -> Result<(), UsageError> {
        let (verb, named) = if on { ("enable", &mut self.on) } else { ("disable", &mut self.off) };
        for name in list.split(',').filter(|name| !name.is_empty()) {
            if find(name).is_none() && !MISSING.contains(&name) {
                return Err(UsageError(format!("{verb}-admission-plugins plugin {name:?} is unknown")));
            }
            named.push(name.to_owned());
        }
        Ok(())
    }

    /// Returns the plugins that run, and those that were asked for and are not here.
    ///
    /// # Errors
    /// One is to be on and off.
    pub(super) fn finish(self) -> Result<(Plugins, Vec<String>), UsageError> {
        let mut both: Vec<&str> =
            self.on.iter().filter(|name| self.off.contains(name)).map(String::as_str).collect();
        if !both.is_empty() {
            both.sort_unstable();
            both.dedup();
            let both = both.join(" ");
            let why = "in enable-admission-plugins and disable-admission-plugins overlapped";
            return Err(UsageError(format!("[{both}] {why}")));
        }
        let off = self.off.iter().filter_map(|name| find(name));
        let plugins = off.fold(Plugins::default(), Plugins::without);
        // That one does nothing.
        let missing = |name: &String| find(name).is_none() && name != "AlwaysAdmit";
        Ok((plugins, self.on.into_iter().filter(missing).collect()))
    }
}

fn find(name: &str) -> Option<Plugin> {
    Plugin::ALL.iter().find(|plugin| plugin.name() == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads lists of plugins that are to be on, and off. Returns those that do not run, and those that are not here.
    fn read(on: &str, off: &str) -> Result<(Vec<&'static str>, Vec<String>), String> {
        let mut reading = Reading::default();
        let taken = reading.take(on, true).and_then(|()| reading.take(off, false));
        let (plugins, missing) = taken.and_then(|()| reading.finish()).map_err(|error| error.0)?;
        let off = Plugin::ALL.iter().filter(|plugin| !plugins.runs(**plugin)).map(|plugin| plugin.name());
        Ok((off.collect(), missing))
    }

    #[test]
    fn plugins() {
        let check = |on: &str, off: &str, expected: Result<(&[&'static str], &[&str]), &str>| {
            let expected = expected.map(|(off, missing)| {
                (off.to_vec(), missing.iter().map(|name| (*name).to_owned()).collect())
            });
            assert_eq!(read(on, off), expected.map_err(str::to_owned), "{on}; {off}");
        };
        check("", "ServiceAccount,NodeRestriction", Ok((&[], &[])));
        check("MutatingAdmissionWebhook,ResourceQuota,,AlwaysAdmit", "", Ok((&[], &[])));
        check(
            "ServiceAccount",
            "PodSecurity,LimitRanger",
            Ok((&["LimitRanger", "PodSecurity"], &["ServiceAccount"])),
        );
        check("Foo", "", Err("enable-admission-plugins plugin \"Foo\" is unknown"));
        check("", "Foo", Err("disable-admission-plugins plugin \"Foo\" is unknown"));
        check(
            "Priority,PodSecurity,LimitRanger",
            "PodSecurity,Priority",
            Err(
                "[PodSecurity Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
            ),
        );
    }
}
