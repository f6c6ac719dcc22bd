//! An admission policy that is tried against a request before it is stored: in a cluster that begins as this one is, and
//! is thrown away.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>

pub(crate) mod example;
pub(crate) mod outcome;
pub(crate) mod run;
mod scratch;
pub(crate) mod steps;

use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::place::Place;

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

/// The choice of a binding that binds everything. If none is stored, it holds until somebody chooses.
pub(crate) const MADE_UP: &str = "made-up";
/// The choice of the bindings that are stored. If there are any, it holds until somebody chooses.
pub(crate) const STORED: &str = "stored";
/// The choice of the binding that is written by hand.
pub(crate) const WRITTEN: &str = "written";

/// The value that stands for no parameters.
pub(crate) const NO_PARAMS: &str = "/";

/// The inputs with which a policy is tried. A handle: all copies are the same. The outcome is in the model.
#[derive(Clone, Copy)]
pub(crate) struct Tried {
    /// The exchange whose request it is tried against; `None`: the one that is written by hand.
    pub(crate) chosen: RwSignal<Option<u64>>,
    /// The request that is written by hand: its method and target in the first line, and then its body.
    pub(crate) text: RwSignal<String>,
    /// The suggested request that was put there last.
    pub(crate) given: RwSignal<String>,
    /// Which bindings; empty until somebody chooses.
    pub(crate) bound: RwSignal<String>,
    /// The binding that is written by hand.
    pub(crate) binding: RwSignal<String>,
    /// The name of the parameters; empty until somebody chooses.
    pub(crate) params: RwSignal<String>,
    /// How often somebody has asked what comes of it.
    pub(crate) asked: RwSignal<u64>,
    /// How often something came of it.
    pub(crate) told: RwSignal<u64>,
}

impl Tried {
    pub(crate) fn new() -> Self {
        let text = || RwSignal::new(String::new());
        Self {
            chosen: RwSignal::new(None),
            text: text(),
            given: text(),
            bound: text(),
            binding: text(),
            params: text(),
            asked: RwSignal::new(0),
            told: RwSignal::new(0),
        }
    }

    /// The request that is written by hand, once somebody has written it; empty until then.
    pub(crate) fn by_hand(self) -> String {
        let text = self.text.get();
        if self.given.with(|given| *given == text) { String::new() } else { text }
    }

    /// Takes in the request that the policy suggests, unless somebody has written another.
    pub(crate) fn suggest(self, request: &Request) {
        let text = to_text(request);
        let given = self.given.get_untracked();
        if given == self.text.get_untracked() && given != text {
            self.given.set(text.clone());
            self.text.set(text);
        }
    }
}

/// A request as it is written by hand.
fn to_text(request: &Request) -> String {
    [&request.method, " ", &request.target, "\n\n", &request.body].concat().trim_end().to_owned()
}

/// The request that was written by hand. How its body begins says what it is sent as.
pub(crate) fn of_text(text: &str) -> Request {
    let (line, body) = text.trim_start().split_once('\n').unwrap_or((text, ""));
    let (method, target) = line.trim().split_once(' ').unwrap_or((line, ""));
    let method = method.trim().to_ascii_uppercase();
    let mut request = Request { method, body: body.trim().to_owned(), ..Request::get(target.trim()) };
    let media = match (request.method.as_str(), request.body.bytes().next()) {
        (_, None) => return request,
        ("PATCH", Some(b'[')) => "application/json-patch+json",
        ("PATCH", _) => "application/merge-patch+json",
        (_, Some(b'{')) => "application/json",
        _ => "application/yaml",
    };
    request.headers.push(("Content-Type".to_owned(), media.to_owned()));
    request
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
            tried.suggest(&Request::get("/a"));
            assert_eq!((tried.text.get().as_str(), tried.by_hand().as_str()), ("GET /a", ""));
            tried.text.set("DELETE /b".to_owned());
            tried.suggest(&Request::get("/c"));
            assert_eq!(tried.by_hand(), "DELETE /b");
        });
    }

    #[test]
    fn a_request_is_written_as_a_line_and_a_body() {
        for (text, body, media) in [
            ("POST /p\n\n{}", "{}", Some("application/json")),
            ("put  /p \n a: b\n", "a: b", Some("application/yaml")),
            ("PATCH /p\n{}", "{}", Some("application/merge-patch+json")),
            ("PATCH /p\n[]", "[]", Some("application/json-patch+json")),
            ("DELETE /p", "", None),
        ] {
            let request = of_text(text);
            assert_eq!((request.target.as_str(), request.body.as_str()), ("/p", body), "{text}");
            assert_eq!(request.header("Content-Type"), media, "{text}");
        }
        let request = Request::json("POST", "/p?a=b", "{\n}");
        assert_eq!(of_text(&to_text(&request)), request);
        assert_eq!(of_text("").method, "");
    }
}
