//! The meaning of a request: which verb of which object or collection, and as of which revision.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>

use apimachinery::ContinueToken;
use apimachinery::target;
use serde::Deserialize;

use crate::cluster::place::Place;
use crate::cluster::{Request, head};
use crate::ui::messages::waterfall as said;

/// The verb of a request, in the words of RBAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Apply,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// Returns the name of the verb.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }

    /// Reports whether the verb only reads.
    pub(crate) fn reads(self) -> bool {
        matches!(self, Self::Get | Self::List | Self::Watch)
    }
}

/// As of which revision something is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// There is nothing to choose.
    Nothing,
    /// No `resourceVersion`: the newest there is.
    MostRecent,
    /// `resourceVersion=0`: whatever is at hand.
    Any,
    /// This one or a newer one.
    NotOlderThan(u64),
    /// This one and no other.
    Exactly(u64),
    /// The next page of a list of this revision.
    Continue(u64),
    /// The next page, of the newest there is.
    ContinueNewest,
    /// The changes after this one.
    From(u64),
    /// The current objects, and the changes after that.
    FromMostRecent,
    /// Whatever is at hand, and what happens then.
    FromAny,
    /// The current objects as a streaming list, not older than this (0: the newest), and the changes after that.
    Initial(u64),
    /// That it is done only if the object is still at this one.
    IfStill(u64),
    /// That it is done whatever the object is at.
    Whatever,
}

impl Asked {
    /// Returns the words that stand before the revision.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Nothing => said::ASKED_NOTHING,
            Self::MostRecent => said::ASKED_MOST_RECENT,
            Self::Any => said::ASKED_ANY,
            Self::NotOlderThan(_) => said::ASKED_NOT_OLDER,
            Self::Exactly(_) => said::ASKED_EXACTLY,
            Self::Continue(_) => said::ASKED_CONTINUE,
            Self::ContinueNewest => said::ASKED_CONTINUE_NEWEST,
            Self::From(_) => said::ASKED_FROM,
            Self::FromMostRecent => said::ASKED_FROM_MOST_RECENT,
            Self::FromAny => said::ASKED_FROM_ANY,
            Self::Initial(0) => said::ASKED_INITIAL,
            Self::Initial(_) => said::ASKED_INITIAL_NOT_OLDER,
            Self::IfStill(_) => said::ASKED_IF_STILL,
            Self::Whatever => said::ASKED_WHATEVER,
        }
    }

    /// The revision that is named.
    pub(crate) fn revision(self) -> Option<u64> {
        match self {
            Self::NotOlderThan(revision)
            | Self::Exactly(revision)
            | Self::Continue(revision)
            | Self::From(revision)
            | Self::Initial(revision)
            | Self::IfStill(revision) => Some(revision).filter(|revision| *revision > 0),
            _ => None,
        }
    }
}

/// The subject of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The verb; `None` if the request has to do with no object.
    pub(crate) verb: Option<Verb>,
    /// The objects that it is about, in short.
    pub(crate) label: String,
    /// As of which revision.
    pub(crate) asked: Asked,
    /// True if it is about one object.
    pub(crate) one: bool,
    /// True for a dry run.
    pub(crate) dry: bool,
}

/// Which objects are meant, in short.
fn label(place: Place<'_>) -> String {
    let parts = [place.namespace, place.resource, place.name, place.subresource, place.path];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// Parameters that the columns tell of, or that change nothing of what is asked for.
const TOLD: [&str; 8] = [
    "watch",
    "allowWatchBookmarks",
    "resourceVersion",
    "resourceVersionMatch",
    "continue",
    "sendInitialEvents",
    "timeoutSeconds",
    "timeout",
];

impl Call {
    /// Returns the verb, the objects and the revision of `request`.
    pub(crate) fn of(request: &Request) -> Self {
        let (path, params) = target::split(&request.target);
        let param = |name: &str| {
            params
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
                .unwrap_or_default()
        };
        let place = Place::of(&path);
        let one = place.is_some_and(|place| !place.name.is_empty());
        let verb = place.and_then(|_| verb(request, one));
        let asked = match verb {
            None => Asked::Nothing,
            Some(Verb::Get) => version(param("resourceVersion"), Asked::NotOlderThan),
            Some(Verb::List) => listed(&param),
            Some(Verb::Watch) => watched(&param),
            Some(Verb::Create) => Asked::Nothing,
            Some(Verb::Delete | Verb::DeleteCollection) => sent_back(&request.body, preconditions),
            Some(Verb::Update | Verb::Patch | Verb::Apply) => {
                sent_back(&request.body, |body| head::head(body).map(|head| head.metadata.version))
            }
        };
        let mut label = place.map_or(path.clone(), label);
        for (name, value) in params.iter().filter(|(name, _)| !TOLD.contains(&name.as_str())) {
            label.extend([" ", name, "=", value]);
        }
        Self { verb, label, asked, one, dry: param("dryRun") == "All" }
    }
}

fn verb(request: &Request, one: bool) -> Option<Verb> {
    Some(match request.method.as_str() {
        "GET" if request.watches() => Verb::Watch,
        "GET" if one => Verb::Get,
        "GET" => Verb::List,
        "POST" => Verb::Create,
        "PUT" => Verb::Update,
        "PATCH" => {
            let applies = request.headers.iter().any(|(name, value)| {
                name.eq_ignore_ascii_case("content-type") && value.contains("apply-patch")
            });
            if applies { Verb::Apply } else { Verb::Patch }
        }
        "DELETE" if one => Verb::Delete,
        "DELETE" => Verb::DeleteCollection,
        _ => return None,
    })
}

fn version(text: &str, named: fn(u64) -> Asked) -> Asked {
    match text.parse() {
        Ok(0) => Asked::Any,
        Ok(revision) => named(revision),
        Err(_) if text.is_empty() => Asked::MostRecent,
        Err(_) => Asked::Nothing,
    }
}

fn listed<'a>(param: &dyn Fn(&str) -> &'a str) -> Asked {
    let token = param("continue");
    if !token.is_empty() {
        let token = ContinueToken::decode(token).map(|token| token.revision);
        return token.map_or(Asked::Nothing, |revision| {
            u64::try_from(revision).map_or(Asked::ContinueNewest, Asked::Continue)
        });
    }
    let limited = !matches!(param("limit"), "" | "0");
    match param("resourceVersionMatch") {
        "Exact" => version(param("resourceVersion"), Asked::Exactly),
        "" if limited => version(param("resourceVersion"), Asked::Exactly),
        _ => version(param("resourceVersion"), Asked::NotOlderThan),
    }
}

fn watched<'a>(param: &dyn Fn(&str) -> &'a str) -> Asked {
    let text = param("resourceVersion");
    if matches!(param("sendInitialEvents"), "true" | "1") {
        return Asked::Initial(text.parse().unwrap_or_default());
    }
    match version(text, Asked::From) {
        Asked::MostRecent => Asked::FromMostRecent,
        Asked::Any => Asked::FromAny,
        asked => asked,
    }
}

/// The version that has to be the object's, as `read` finds it in the body.
fn sent_back(body: &str, read: impl Fn(&[u8]) -> Option<String>) -> Asked {
    let version = read(body.as_bytes()).and_then(|version| version.parse().ok());
    version.filter(|version| *version > 0).map_or(Asked::Whatever, Asked::IfStill)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DeleteOptions {
    preconditions: Option<head::Metadata>,
}

fn preconditions(body: &[u8]) -> Option<String> {
    let options: DeleteOptions = serde_json::from_slice(body).ok()?;
    options.preconditions.map(|metadata| metadata.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: &str = "/api/v1/namespaces/default/pods";

    #[track_caller]
    fn check(query: &str, verb: Verb, asked: Asked) {
        let call = Call::of(&Request::get(&format!("{PODS}{query}")));
        assert_eq!((call.verb, call.asked), (Some(verb), asked), "{query}");
    }

    #[test]
    fn reads_what_a_read_asks_for() {
        use Asked::*;
        use Verb::*;
        check("", List, MostRecent);
        check("?limit=2", List, MostRecent);
        check("?resourceVersion=0", List, Any);
        check("?resourceVersion=0&limit=2", List, Any);
        check("?resourceVersion=7", List, NotOlderThan(7));
        check("?resourceVersion=7&limit=2", List, Exactly(7));
        check("?resourceVersion=7&limit=2&resourceVersionMatch=NotOlderThan", List, NotOlderThan(7));
        check("?resourceVersion=7&resourceVersionMatch=Exact", List, Exactly(7));
        check("?resourceVersion=x", List, Nothing);
        // {"v":"meta.k8s.io/v1","rv":1022,"start":"b\u0000"}
        let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAyMiwic3RhcnQiOiJiXHUwMDAwIn0";
        check(&format!("?limit=2&continue={token}"), List, Continue(1022));
        check("?limit=2&continue=nonsense", List, Nothing);
        check("/a", Get, MostRecent);
        check("/a?resourceVersion=0", Get, Any);
        check("/a?resourceVersion=9", Get, NotOlderThan(9));
        check("?watch=1", Watch, FromMostRecent);
        check("?watch=1&resourceVersion=0", Watch, FromAny);
        check("?watch=1&resourceVersion=1022", Watch, From(1022));
        check("?watch=1&sendInitialEvents=true", Watch, Initial(0));
        check("?watch=1&sendInitialEvents=true&resourceVersion=5", Watch, Initial(5));
    }

    #[track_caller]
    fn check_write(method: &str, name: &str, body: &str, verb: Verb, asked: Asked) {
        let call = Call::of(&Request::json(method, &format!("{PODS}{name}"), body));
        assert_eq!((call.verb, call.asked), (Some(verb), asked), "{method} {body}");
    }

    #[test]
    fn reads_what_a_write_asks_for() {
        let old = r#"{"metadata":{"resourceVersion":"1015"}}"#;
        check_write("POST", "", "{}", Verb::Create, Asked::Nothing);
        check_write("PUT", "/a", old, Verb::Update, Asked::IfStill(1015));
        check_write("PUT", "/a", "{}", Verb::Update, Asked::Whatever);
        check_write("PATCH", "/a", old, Verb::Patch, Asked::IfStill(1015));
        check_write("PATCH", "/a", "- not: json", Verb::Patch, Asked::Whatever);
        check_write("DELETE", "/a", "", Verb::Delete, Asked::Whatever);
        let sure = r#"{"preconditions":{"resourceVersion":"8"}}"#;
        check_write("DELETE", "/a", sure, Verb::Delete, Asked::IfStill(8));
        check_write("DELETE", "", "", Verb::DeleteCollection, Asked::Whatever);
    }

    #[track_caller]
    fn check_label(target: &str, expected: &str) {
        assert_eq!(Call::of(&Request::get(target)).label, expected);
    }

    #[test]
    fn labels_are_short() {
        check_label("/api/v1/namespaces", "namespaces");
        check_label("/api/v1/namespaces/a", "namespaces/a");
        check_label("/api/v1/namespaces/a/status", "namespaces/a/status");
        check_label("/api/v1/namespaces/a/pods?watch=1&limit=2", "a/pods limit=2");
        check_label("/apis/apps/v1/namespaces/a/deployments/web/scale", "a/deployments/web/scale");
        check_label("/api/v1/pods?labelSelector=app%3Dweb", "pods labelSelector=app=web");
        check_label("/version", "/version");
        check_label("/apis/apps/v1", "/apis/apps/v1");
        check_label("", "");
    }

    #[test]
    fn applying_is_a_verb_of_its_own() {
        let mut request = Request::json("PATCH", &format!("{PODS}/a"), "{}");
        request.headers = vec![("content-type".to_owned(), "application/apply-patch+yaml".to_owned())];
        assert_eq!(Call::of(&request).verb, Some(Verb::Apply));
    }
}
