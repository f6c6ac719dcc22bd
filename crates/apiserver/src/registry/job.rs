//! Jobs: what is made for one is not made for another.
//!
//! <https://kubernetes.io/docs/concepts/workloads/controllers/job/>

use super::{Dependents, Strategy, TRACKED};

/// A Job's pods outlive it unless the request says otherwise, as they did before there was a choice.
pub(super) const STRATEGY: Strategy = Strategy {
    dependents: Dependents::Orphan,
    deletion_warning: Some(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them \
         or set propagationPolicy=Orphan to suppress this warning",
    ),
    ..TRACKED
};
