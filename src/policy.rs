//! An admission policy that is tried against a request before it is stored: in a cluster that begins as this one is, and
//! is thrown away.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>

pub(crate) mod example;
pub(crate) mod outcome;
pub(crate) mod run;
mod scratch;
pub(crate) mod steps;
pub(crate) mod view;

use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::place::Place;

use outcome::Outcome;

const GROUP: &str = "admissionregistration.k8s.io";

/// A kind of policy: its resource, and that of its bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It says whether a request is let through.
    #[default]
    Validating,
    /// It changes what is sent.
    Mutating,
}

impl Kind {
    /// Both, with their resources and those of their bindings.
    const ALL: [(Self, &str, &str); 2] = [
        (Self::Validating, "validatingadmissionpolicies", "validatingadmissionpolicybindings"),
        (Self::Mutating, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"),
    ];

    /// The kind of policy that a request writes; `None` if it writes none.
    pub(crate) fn of(method: &str, path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default().trim();
        let place = Place::of(path).filter(|place| place.group() == GROUP && place.subresource.is_empty())?;
        if !["POST", "PUT", "PATCH"].contains(&method) || place.name.is_empty() != (method == "POST") {
            return None;
        }
        Self::ALL.iter().find(|(_, policies, _)| *policies == place.resource).map(|(kind, ..)| *kind)
    }

    /// The resource of its bindings.
    fn bindings(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., bindings)| *bindings)
    }
}

/// Which bindings the policy is tried with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Those that are stored, and if there are none, one that is made up.
    #[default]
    Either,
    /// One that binds everything.
    MadeUp,
    /// Those that are stored.
    Stored,
    /// One that was written by hand.
    Written,
}

impl Bound {
    /// All that can be chosen, as the choice calls them.
    pub(crate) const ALL: [(Self, &str); 3] =
        [(Self::MadeUp, "made-up"), (Self::Stored, "stored"), (Self::Written, "written")];
}

/// What a policy is tried with, and what came of it. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Tried {
    /// The exchange whose request it is tried against; `None`: the one that is written by hand.
    pub(crate) chosen: RwSignal<Option<u64>>,
    /// The request that is written by hand.
    pub(crate) written: RwSignal<Request>,
    /// What stood there first.
    pub(crate) given: RwSignal<Request>,
    pub(crate) bound: RwSignal<Bound>,
    /// The binding that is written by hand.
    pub(crate) binding: RwSignal<String>,
    /// The name of the parameters; `None` until somebody chooses.
    pub(crate) params: RwSignal<Option<String>>,
    /// What came of it, or why nothing did.
    pub(crate) outcome: RwSignal<Option<Result<Outcome, String>>>,
    /// How often somebody has asked for it.
    pub(crate) asked: RwSignal<u64>,
}

impl Tried {
    pub(crate) fn new() -> Self {
        Self {
            chosen: RwSignal::new(None),
            written: RwSignal::new(Request::default()),
            given: RwSignal::new(Request::default()),
            bound: RwSignal::new(Bound::Either),
            binding: RwSignal::new(String::new()),
            params: RwSignal::new(None),
            outcome: RwSignal::new(None),
            asked: RwSignal::new(0),
        }
    }

    /// The request that is written by hand, once somebody has written it.
    pub(crate) fn by_hand(self) -> Option<Request> {
        let written = self.written.get();
        self.given.with(|given| *given != written).then_some(written)
    }

    /// The binding that it was tried with last, to be edited.
    fn bound_now(self) -> String {
        let first = self.outcome.with_untracked(|outcome| {
            outcome.as_ref()?.as_ref().ok()?.bindings.first().map(|binding| binding["spec"].clone())
        });
        first.and_then(|spec| serde_json::to_string_pretty(&spec).ok()).unwrap_or_default()
    }

    /// Takes in the request that the policy suggests, unless somebody has written another.
    pub(crate) fn suggest(self, request: Request) {
        let untouched = self.given.with_untracked(|given| self.written.with_untracked(|text| text == given));
        if untouched && self.given.with_untracked(|given| *given != request) {
            self.given.set(request.clone());
            self.written.set(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &str, expected: Option<Kind>) {
        let (method, path) = request.split_once(' ').unwrap();
        assert_eq!(Kind::of(method, path), expected, "{request}");
    }

    #[test]
    fn a_policy_is_known_by_where_it_goes() {
        const AT: &str = "/apis/admissionregistration.k8s.io/v1/";
        check(&format!("POST {AT}validatingadmissionpolicies?dryRun=All"), Some(Kind::Validating));
        check(&format!("PUT {AT}validatingadmissionpolicies/a"), Some(Kind::Validating));
        check(&format!("PATCH {AT}mutatingadmissionpolicies/a"), Some(Kind::Mutating));
        check(&format!("GET {AT}validatingadmissionpolicies/a"), None);
        check(&format!("PUT {AT}validatingadmissionpolicies"), None);
        check(&format!("PUT {AT}validatingadmissionpolicies/a/status"), None);
        check(&format!("POST {AT}validatingadmissionpolicybindings"), None);
        check("POST /apis/example.com/v1/validatingadmissionpolicies", None);
        check("POST /", None);
    }

    #[test]
    fn what_was_written_by_hand_stays() {
        let owner = Owner::new();
        owner.with(|| {
            let tried = Tried::new();
            tried.suggest(Request::get("/a"));
            assert_eq!((tried.written.get(), tried.by_hand()), (Request::get("/a"), None));
            tried.written.set(Request::get("/b"));
            tried.suggest(Request::get("/c"));
            assert_eq!(tried.by_hand(), Some(Request::get("/b")));
        });
    }
}
