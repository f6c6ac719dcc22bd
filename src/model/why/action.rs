//! The actions that can be taken about a failure, as the requests that do it.

use apimachinery::target;
use json_tree::{Map, Value, json};

use crate::cluster::place::Place;
use crate::cluster::{Request, catalog};
use crate::model::change::merge::reapply;
use crate::model::why::failure::Failure;
use crate::model::why::fields::{find, put, take_out};
use crate::ui::messages::why as words;

/// Something that can be done. A button does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// List, then watch from the list's version.
    ListAndWatch,
    /// List the collection that the path leads into.
    ListThere,
    /// Read the object.
    ReadAgain,
    /// Read the object, then send the same with its version and uid.
    Rebase,
    /// The same without `resourceVersion` and `resourceVersionMatch`.
    WithoutVersion,
    /// The same without `continue`.
    WithoutContinue,
    /// The same without the query parameters that the failure names.
    WithoutNamed,
    /// The same without `fieldValidation`.
    WithoutStrict,
    /// The same without a version in the body.
    WithoutBodyVersion,
    /// The same without a uid in the body.
    WithoutUid,
    /// Take the finalizers away.
    WithoutFinalizers,
    /// Go on with the token that the failure carries.
    GoOnFresh,
    /// The same to the object's own path; what would create it replaces it there.
    SendToObject,
    /// The same to the collection's path.
    SendToCollection,
    /// Create what was to be replaced.
    CreateInstead,
    /// Create the namespace, then send the same.
    CreateNamespace,
    /// The same to the path that serves the resource.
    SendElsewhere,
    /// The same with the name that the path has.
    TakeName,
    /// The same with the namespace that the path has.
    TakeNamespace,
    /// The same with the kind that the path serves.
    TakeKind,
    /// The same, answered in JSON.
    AcceptJson,
    /// The same with a Content-Type that the method takes.
    SendAs,
    /// Apply with force.
    Force,
    /// Apply without the fields that are in conflict.
    LeaveOut,
    /// Read the object, then apply its values of the fields that are in conflict.
    Share,
    /// Read the object, then make the same change to it once more.
    Reapply,
    /// The same once more.
    Again,
    /// The same once more, after a while.
    Wait,
    /// Go to the body, and correct it.
    Edit,
}

/// The query parameters that say which version is read.
const VERSION: &[&str] = &["resourceVersion", "resourceVersionMatch"];

impl Action {
    /// Returns whether the action can be taken about `failure`.
    pub(crate) fn is_possible(self, failure: &Failure) -> bool {
        match self {
            Self::Edit => failure.has_body(),
            // What cannot be sent cannot be sent again.
            _ => self.next(failure, &[]).is_some(),
        }
    }

    /// The next request, once `answers` have come to those before; `None` if it is done, or cannot be.
    pub(crate) fn next(self, failure: &Failure, answers: &[Value]) -> Option<Request> {
        match self.prepares(failure) {
            Some(first) if answers.is_empty() => first,
            Some(_) => {
                answers.first().filter(|_| answers.len() == 1).and_then(|first| self.request(failure, first))
            }
            None if answers.is_empty() => self.request(failure, &Value::Null),
            None => None,
        }
    }

    /// Returns whether the request after these responses is the action's last.
    pub(crate) fn is_last(self, failure: &Failure, answers: &[Value]) -> bool {
        self.prepares(failure).is_none() || !answers.is_empty()
    }

    /// Returns the request that precedes the action's own; `Some(None)` if one is necessary, but not possible.
    fn prepares(self, failure: &Failure) -> Option<Option<Request>> {
        let path = failure.path();
        let place = Place::of(&path);
        match self {
            Self::ListAndWatch => Some(failure.request.watches().then(|| {
                let dropped = ["watch", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds"];
                get(&without(&without(&failure.request.target, VERSION), &dropped))
            })),
            Self::Rebase | Self::Share | Self::Reapply => {
                let object = place.filter(|place| !place.name.is_empty());
                let object = object.filter(|_| failure.body().is_some());
                let object = object.filter(|_| self != Self::Reapply || failure.base.is_some());
                Some(object.map(|place| get(&place.object(place.name))))
            }
            Self::CreateNamespace => Some(place.filter(|place| !place.namespace.is_empty()).map(|place| {
                let body = json!({
                    "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place.namespace},
                });
                Request::json("POST", "/api/v1/namespaces", &body.to_string())
            })),
            _ => None,
        }
    }

    /// Returns the action's request, or its last one; `before` is the response to the one before it.
    fn request(self, failure: &Failure, before: &Value) -> Option<Request> {
        let path = failure.path();
        let place = Place::of(&path);
        let same = &failure.request;
        let to = |target: String| Request { target, ..same.clone() };
        let own = |name: &str| place.map(|place| place.object(name));
        match self {
            Self::ListAndWatch => {
                let version = before.pointer("/metadata/resourceVersion")?.as_str()?;
                let plain = without(&same.target, &["resourceVersionMatch", "sendInitialEvents"]);
                Some(to(target::with(&plain, &[("resourceVersion", Some(version))])))
            }
            Self::ListThere => Some(get(&place?.collection())),
            Self::ReadAgain => {
                let name = failure.name();
                (!name.is_empty()).then(|| own(&name).map(|path| get(&path)))?
            }
            Self::Rebase => edited(failure, |body| rebase(body, before)),
            Self::WithoutVersion => {
                let any = VERSION.iter().any(|name| !failure.param(name).is_empty());
                (any && !failure.event).then(|| to(without(&same.target, VERSION)))
            }
            Self::WithoutContinue => Some(to(without(&same.target, &["continue"]))),
            Self::WithoutNamed => {
                let named = named(failure);
                let names: Vec<&str> = named.iter().map(String::as_str).collect();
                (!names.is_empty()).then(|| to(without(&same.target, &names)))
            }
            Self::WithoutStrict => Some(to(without(&same.target, &["fieldValidation"]))),
            Self::WithoutBodyVersion => edited(failure, |body| forget(body, "resourceVersion")),
            Self::WithoutUid => edited(failure, |body| forget(body, "uid")),
            Self::WithoutFinalizers => Some(without_finalizers(&path)),
            Self::GoOnFresh => {
                let token = Some(failure.status.metadata.token.as_str()).filter(|token| !token.is_empty())?;
                Some(to(target::with(&same.target, &[("continue", Some(token))])))
            }
            Self::SendToObject => self.to_object(failure, place?),
            Self::SendToCollection => {
                let place = place.filter(|place| same.method == "POST" && !place.name.is_empty())?;
                Some(to(place.collection()))
            }
            Self::CreateInstead => create_instead(failure, place?),
            Self::CreateNamespace | Self::Again | Self::Wait => {
                (!same.method.is_empty()).then(|| same.clone())
            }
            Self::SendElsewhere => elsewhere(failure),
            Self::TakeName => {
                let name = place?.name;
                edited(failure, |body| set(body, "name", name)).filter(|_| !name.is_empty())
            }
            Self::TakeNamespace => {
                let namespace = place?.namespace;
                edited(failure, |body| set(body, "namespace", namespace)).filter(|_| !namespace.is_empty())
            }
            Self::TakeKind => take_kind(failure, place?),
            Self::AcceptJson => {
                Some(Request { headers: with_header(&same.headers, "Accept", JSON), ..same.clone() })
            }
            Self::SendAs => {
                let headers = with_header(&same.headers, "Content-Type", media_of(&same.method));
                (headers != same.headers).then(|| Request { headers, ..same.clone() })
            }
            Self::Force => Some(to(target::with(&same.target, &[("force", Some("true"))]))),
            Self::LeaveOut => with_conflicts(failure, take_out),
            Self::Share => with_conflicts(failure, |body, field| match find(before, field) {
                Some(live) => put(body, field, live.clone()),
                // Of what is gone there is no value to share.
                None => take_out(body, field),
            }),
            Self::Reapply => edited(failure, |body| {
                *body = reapply(failure.base.as_ref()?, body, before);
                Some(())
            }),
            Self::Edit => None,
        }
    }

    /// Returns the request to the collection as a request to the object: a POST becomes a PUT.
    fn to_object(self, failure: &Failure, place: Place<'_>) -> Option<Request> {
        let name = Some(failure.name()).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| failure.in_body("/metadata/name"));
        let collection = place.name.is_empty() && !name.is_empty();
        let method = if failure.request.method == "POST" { "PUT" } else { failure.request.method.as_str() };
        let mut request = edited(failure, |body| {
            set(body, "name", &name)?;
            if failure.request.method == "POST" { forget(body, "resourceVersion") } else { Some(()) }
        })?;
        (request.method, request.target) = (method.to_owned(), place.object(&name));
        collection.then_some(request)
    }

    /// Returns the label of the action's button.
    pub(crate) fn label(self, failure: &Failure) -> String {
        let fixed = match self {
            Self::WithoutNamed => return words::without(&named(failure)),
            Self::SendElsewhere => {
                let request = elsewhere(failure).unwrap_or_default();
                return words::send_to(&target::split(&request.target).0);
            }
            Self::SendAs => return words::send_as(media_of(&failure.request.method)),
            Self::Wait => return words::wait(self.seconds(failure)),
            Self::ListAndWatch => words::LIST_AND_WATCH,
            Self::ListThere => words::LIST_WHAT,
            Self::ReadAgain => words::READ_AGAIN,
            Self::Rebase => words::REBASE,
            Self::WithoutVersion if failure.status.code == 410 => words::LIST_NEWEST,
            Self::WithoutVersion | Self::WithoutBodyVersion => words::WITHOUT_VERSION,
            Self::WithoutContinue => words::LIST_ANEW,
            Self::WithoutStrict => words::WITHOUT_STRICT,
            Self::WithoutUid => words::WITHOUT_UID,
            Self::WithoutFinalizers => words::WITHOUT_FINALIZERS,
            Self::GoOnFresh => words::GO_ON_FRESH,
            Self::SendToObject => words::REPLACE,
            Self::SendToCollection => words::CREATE,
            Self::CreateInstead => words::CREATE,
            Self::CreateNamespace => words::CREATE_NAMESPACE,
            Self::TakeName => words::TAKE_NAME,
            Self::TakeNamespace => words::TAKE_NAMESPACE,
            Self::TakeKind => words::TAKE_KIND,
            Self::AcceptJson => words::ACCEPT_JSON,
            Self::Force => words::FORCE,
            Self::LeaveOut => words::LEAVE_OUT,
            Self::Share => words::SHARE,
            Self::Reapply => words::REAPPLY,
            Self::Again => words::AGAIN,
            Self::Edit => words::EDIT,
        };
        fixed.to_owned()
    }

    /// How long to wait before it is done.
    pub(crate) fn seconds(self, failure: &Failure) -> u64 {
        if self == Self::Wait { failure.status.details.retry_after_seconds.clamp(1, 600) } else { 0 }
    }
}

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

/// A Content-Type that bodies of this method may have.
fn media_of(method: &str) -> &'static str {
    if method == "PATCH" { MERGE_PATCH } else { JSON }
}

fn get(target: &str) -> Request {
    Request::get(target)
}

fn without(uri: &str, names: &[&str]) -> String {
    let changes: Vec<(&str, Option<&str>)> = names.iter().map(|name| (*name, None)).collect();
    target::with(uri, &changes)
}

fn with_header(headers: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut headers = headers.to_vec();
    headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    headers.push((name.to_owned(), value.to_owned()));
    headers
}

/// The same request with its JSON body changed.
fn edited(failure: &Failure, change: impl FnOnce(&mut Value) -> Option<()>) -> Option<Request> {
    let mut body = failure.body()?;
    change(&mut body)?;
    let body = serde_json::to_string_pretty(&body).ok()?;
    Some(Request { body, ..failure.request.clone() })
}

/// The request that takes the finalizers away from the object at a path.
fn without_finalizers(path: &str) -> Request {
    let mut request = Request::json("PATCH", path, r#"{"metadata":{"finalizers":null}}"#);
    request.headers = with_header(&request.headers, "Content-Type", MERGE_PATCH);
    request
}

/// The request that creates the object at a place, which was to be replaced.
fn create_instead(failure: &Failure, place: Place<'_>) -> Option<Request> {
    if failure.request.method != "PUT" || !place.subresource.is_empty() {
        return None;
    }
    let mut request = edited(failure, |body| {
        forget(body, "resourceVersion")?;
        forget(body, "uid")
    })?;
    (request.method, request.target) = ("POST".to_owned(), place.collection());
    Some(request)
}

/// The same request with the kind that is served at a place.
fn take_kind(failure: &Failure, place: Place<'_>) -> Option<Request> {
    let mut listed = catalog::listed();
    let resource = listed.find(|known| known.name == place.resource && catalog::root(known) == place.root)?;
    edited(failure, |body| {
        let object = body.as_object_mut()?;
        object.insert("apiVersion".to_owned(), resource.api_version().into());
        object.insert("kind".to_owned(), resource.kind.as_str().into());
        Some(())
    })
}

/// The same request with the fields changed that are in conflict; `None` if `change` changes none of them.
fn with_conflicts(failure: &Failure, mut change: impl FnMut(&mut Value, &str) -> bool) -> Option<Request> {
    edited(failure, |body| {
        let fields = failure.status.details.causes.iter().map(|cause| cause.field.as_str());
        let changed = fields.filter(|field| change(body, field)).count();
        (changed > 0).then_some(())
    })
}

fn metadata(body: &mut Value) -> Option<&mut Map<String, Value>> {
    let object = body.as_object_mut()?;
    object.entry("metadata").or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

fn set(body: &mut Value, field: &str, text: &str) -> Option<()> {
    metadata(body)?.insert(field.to_owned(), text.into());
    Some(())
}

fn forget(body: &mut Value, field: &str) -> Option<()> {
    metadata(body)?.shift_remove(field);
    Some(())
}

/// Gives a body the version and, where it has one, the uid of the object that has been read.
fn rebase(body: &mut Value, read: &Value) -> Option<()> {
    let version = read.pointer("/metadata/resourceVersion")?.clone();
    let uid = read.pointer("/metadata/uid")?.clone();
    // A DELETE has its expectations elsewhere.
    let expects = match body.get_mut("preconditions") {
        Some(preconditions) => preconditions.as_object_mut()?,
        None => {
            let metadata = metadata(body)?;
            metadata.insert("resourceVersion".to_owned(), version.clone());
            metadata
        }
    };
    for (field, value) in [("resourceVersion", version), ("uid", uid)] {
        if let Some(known) = expects.get_mut(field) {
            *known = value;
        }
    }
    Some(())
}

/// The query parameters that the failure names.
fn named(failure: &Failure) -> Vec<String> {
    let params = target::split(&failure.request.target).1;
    let causes = &failure.status.details.causes;
    let mut named: Vec<String> = params
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| {
            causes.iter().any(|cause| cause.field == *name || cause.message.contains(name.as_str()))
        })
        .collect();
    named.dedup();
    named
}

/// The same request to the path at which the resource is served, if it is known in another version, by another name,
/// or in a namespace.
fn elsewhere(failure: &Failure) -> Option<Request> {
    let path = failure.path();
    let place = Place::of(&path)?;
    let lower = place.resource.to_ascii_lowercase();
    let alike = |known: &&schema::Resource| {
        known.name == lower
            || known.singular == lower
            || known.short_names.contains(&lower)
            || known.kind.eq_ignore_ascii_case(&lower)
    };
    let here = |known: &&schema::Resource| catalog::root(known) == place.root;
    let resource = catalog::listed().filter(alike).find(here).or_else(|| catalog::listed().find(alike))?;
    let namespace = match place.namespace {
        "" if !place.name.is_empty() || failure.request.method == "POST" => "default",
        namespace => namespace,
    };
    let mut found = catalog::path(resource, namespace);
    for part in [place.name, place.subresource].into_iter().filter(|part| !part.is_empty()) {
        found.push('/');
        found.push_str(part);
    }
    if found == path {
        return None;
    }
    let changed = |body: &mut Value| {
        body.as_object_mut()?.insert("apiVersion".to_owned(), resource.api_version().into());
        Some(())
    };
    let mut request = edited(failure, changed).unwrap_or_else(|| failure.request.clone());
    request.target = target::join(&found, &target::split(&failure.request.target).1);
    Some(request)
}
