//! The plugins by their names, and which of them run.

/// Declares the plugins. Each has the name that kube-apiserver gives it.
macro_rules! plugins {
    ($($name:ident),* $(,)?) => {
        /// An admission plugin of a default kube-apiserver.
        ///
        /// <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/>
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Plugin {
            $(#[doc = concat!("`", stringify!($name), "`")] $name,)*
        }

        impl Plugin {
            /// All of them, in the order of their names.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

plugins!(
    CertificateApproval,
    CertificateSigning,
    CertificateSubjectRestriction,
    DefaultIngressClass,
    DefaultStorageClass,
    DefaultTolerationSeconds,
    LimitRanger,
    MutatingAdmissionPolicy,
    MutatingAdmissionWebhook,
    NamespaceLifecycle,
    PersistentVolumeClaimResize,
    PodResizeValidator,
    PodSecurity,
    PodTopologyLabels,
    Priority,
    ResourceQuota,
    RuntimeClass,
    StorageObjectInUseProtection,
    TaintNodesByCondition,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionWebhook,
);

/// The plugins of a server: all of them, but for those that are switched off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plugins {
    /// A bit for each that is switched off.
    off: u32,
}

impl Plugins {
    /// The same without a plugin.
    #[must_use]
    pub fn without(self, plugin: Plugin) -> Self {
        Self { off: self.off | 1 << plugin as u32 }
    }

    /// Returns whether a plugin runs.
    pub fn runs(self, plugin: Plugin) -> bool {
        self.off & 1 << plugin as u32 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_run_but_those_that_are_switched_off() {
        let plugins = Plugins::default().without(Plugin::Priority).without(Plugin::Priority);
        let off: Vec<&str> =
            Plugin::ALL.iter().filter(|plugin| !plugins.runs(**plugin)).map(|plugin| plugin.name()).collect();
        assert_eq!(off, ["Priority"]);
        assert!(Plugin::ALL.is_sorted_by_key(|plugin| plugin.name()));
    }
}
