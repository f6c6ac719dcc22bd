//! MutatingAdmissionPolicies at work.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

use std::sync::Arc;

use apply::Shape;
use apply::typed::{Typed, ValidationError};
use json_tree::Value;
use patch::json_patch;
use schema::Types;

use super::hook::{Bound, Misconfigured};
use super::request::{Attributes, Payload, Request};
use super::snapshot::{Hook, Snapshot};
use crate::context::RequestContext;
use crate::decode::Unusable;
use crate::resource::Resource;
use crate::{custom, decode, field_management};
use apimachinery::object::Object;
use apimachinery::status::{Cause, Reason, Status};

/// The key prefixes of the stored policies and of their bindings.
pub(in crate::dynamic_admission) const MUTATING: [&str; 2] =
    ["/registry/mutatingadmissionpolicies/", "/registry/mutatingadmissionpolicybindings/"];

/// A policy that a request concerns, by a binding and with parameters.
struct Invocation<'h> {
    hook: &'h Hook,
    binding: &'h str,
    /// The form of the resource that the policy's rules have matched.
    row: Arc<Resource>,
    params: Value,
}

/// Why a request is refused.
struct Refusal {
    message: String,
    invalid: bool,
}

/// How an object was sent.
pub(crate) type Form = for<'s> fn(&'s Object) -> Payload<'s>;

/// Why a mutation was not done.
enum Failure {
    /// It cannot be done to this object.
    Refused(String),
    /// It has made something that is no object.
    Broken(Box<Status>),
}

impl Hook {
    /// Why a request is refused; nothing, if failures are to be ignored. Without a name of a binding it is the policy that
    /// cannot be used.
    fn refusal(&self, binding: &str, why: &str, invalid: bool) -> Option<Refusal> {
        let message = match binding {
            "" => format!("policy {} denied request: {why}", field::quote(&self.name)),
            _ => format!("policy '{}' with binding '{binding}' denied request: {why}", self.name),
        };
        (self.spec["failurePolicy"] != "Ignore").then_some(Refusal { message, invalid })
    }
}

impl RequestContext<'_> {
    /// Asks each policy once; the second time only those that want that. Whether the object has changed.
    pub(in crate::dynamic_admission) async fn pass(
        &self,
        policies: &Snapshot,
        object: &mut Object,
        (attributes, sent): (&Attributes<'_>, Form),
        again: bool,
    ) -> Result<bool, Box<Status>> {
        let mut refusals = Vec::new();
        let before = object.clone();
        let first = Attributes { object: Some(sent(&before)), ..*attributes };
        let request = Request::new(self, policies, &first);
        let wanted = |hook: &&Hook| !again || hook.spec["reinvocationPolicy"] == "IfNeeded";
        for invocation in
            find(&request, &policies.hooks, &mut refusals).iter().filter(|one| wanted(&one.hook))
        {
            let Invocation { hook, binding, row, params } = invocation;
            let count = hook.spec["mutations"].as_array().map_or(0, Vec::len);
            for index in 0..count {
                self.give_way().await?;
                let now = object.clone();
                let next = Attributes { object: Some(sent(&now)), ..*attributes };
                let request = Request::new(self, policies, &next);
                if let Err(why) = request.convert(row).await {
                    let why = ["failed to configure policy: ", &why].concat();
                    refusals.extend(hook.refusal("", &why, false));
                    break;
                }
                let mut question = request.question(&hook.spec, row, params)?;
                question["mutation"] = index.into();
                if index > 0 {
                    // They have matched the object as it was.
                    question["policy"]["matchConditions"] = Value::Null;
                }
                let mut answer = request.ask(question);
                if index == 0 {
                    request.note_asked(hook, binding, params, &answer);
                }
                if answer["unmatched"] == true {
                    break;
                }
                if let Some(why) = answer["error"].as_str() {
                    refusals.extend(hook.refusal(binding, why, true));
                    if answer["conditions"] == true {
                        break;
                    }
                    request.note_mutation(index, "", why);
                    continue;
                }
                let (patch, configures) = match answer["configuration"].take() {
                    Value::Null => (answer["patch"].take(), false),
                    configuration => (configuration, true),
                };
                let note = String::from_utf8(codec::json::to_vec(&patch)).unwrap_or_default();
                match request.change(row, patch, configures) {
                    Ok(changed) => {
                        *object = self.in_own_version(changed).await.map_err(Status::internal_error)?;
                        request.note_mutation(index, &note, "");
                        self.note(&hook.name, binding, "Mutate", &note);
                    }
                    Err(Failure::Refused(why)) => {
                        request.note_mutation(index, &note, &why);
                        refusals.extend(hook.refusal(binding, &why, true));
                    }
                    Err(Failure::Broken(status)) => {
                        request.note_mutation(index, &note, &status.message);
                        return Err(status);
                    }
                }
            }
        }
        if refusals.is_empty() { Ok(*object != before) } else { Err(self.refused(&first, refusals)) }
    }

    /// The failure of a request that is refused. Its reason may be another one than its code.
    fn refused(&self, attributes: &Attributes<'_>, refusals: Vec<Refusal>) -> Box<Status> {
        let mut status = Status::forbidden(self.subject(&attributes.object_name()), "");
        if let Some(first) = refusals.first() {
            status.message.clone_from(&first.message);
            if first.invalid {
                status.reason = Reason::Invalid;
            }
        }
        let causes = refusals.into_iter().map(|refusal| Cause {
            reason: String::new(),
            message: refusal.message,
            field: String::new(),
        });
        status.details.get_or_insert_default().causes.extend(causes);
        status
    }
}

/// The policies that a request concerns. What keeps one from being used is added to `refusals`.
fn find<'h>(request: &Request<'_>, hooks: &'h [Hook], refusals: &mut Vec<Refusal>) -> Vec<Invocation<'h>> {
    let mut found = Vec::new();
    for hook in hooks {
        for bound in request.bound(hook) {
            match bound {
                Ok(Bound { binding: (binding, _), row, params }) => {
                    let invocation = |params| Invocation { hook, binding, row: Arc::clone(&row), params };
                    found.extend(params.into_iter().map(invocation));
                }
                Err(Misconfigured { binding, why }) => refusals.extend(hook.refusal(binding, &why, false)),
            }
        }
    }
    found
}

impl Request<'_> {
    /// The object as it is with a patch, or with what a configuration has over it.
    fn change(&self, row: &Arc<Resource>, patch: Value, configures: bool) -> Result<Object, Failure> {
        let row = self.shown_as(row);
        let live = self.object(&row);
        let changed = if configures { configure(&row, &live, patch)? } else { patched(&row, &live, &patch)? };
        Ok(changed.map_or_else(|| self.sent(), |changed| self.adopt(changed)))
    }

    /// Returns the form of the object that is shown where the rules have matched `row`.
    fn shown_as(&self, row: &Arc<Resource>) -> Arc<Resource> {
        match (&self.attributes.object, self.context.view()) {
            (Some(Payload::Question(_)), _) => self.context.target.kind(),
            (_, Some(view)) => Arc::clone(&view.resource),
            _ => Arc::clone(row),
        }
    }

    /// Takes over what was changed of the object as it was shown.
    fn adopt(&self, mut changed: Object) -> Object {
        if let Some(view) = self.context.view() {
            let mut object = self.sent();
            view.adopt(&self.context.target.resource, &changed, &mut object);
            return object;
        }
        let own = &self.context.target.resource;
        let is_stored = !matches!(self.attributes.object, Some(Payload::Question(_)));
        // What a webhook converts, it converts back later.
        if own.is_custom() && is_stored && self.context.converted().is_none() {
            changed.insert("apiVersion".to_owned(), own.api_version().into());
        }
        changed
    }
}

/// Returns the object of a request with a JSON Patch done to it, as a webhook that was matched by `row` asks for.
///
/// # Errors
/// Why that cannot be done.
pub(in crate::dynamic_admission) fn changed_by(
    request: &Request<'_>,
    row: &Arc<Resource>,
    patch: json_patch::Patch<'_>,
) -> Result<Object, String> {
    let row = request.shown_as(row);
    let live = codec::json::to_vec(&request.object(&row));
    let document = codec::json::parse(&live).map_err(|error| error.to_string())?;
    let document = patch.apply(document).map_err(|error| match error {
        patch::Error::Unprocessable(why) => why,
        error => error.to_string(),
    })?;
    if let Some(custom) = row.custom().filter(|_| request.is_converted_to(&row)) {
        // They are dropped once a webhook has converted it back.
        let changed = codec::json::to_value(&document).map_err(|error| error.to_string())?;
        let mut changed = changed.as_object().cloned().unwrap_or_default();
        custom::fill(&custom.definition, &mut changed);
        return Ok(request.adopt(changed));
    }
    // Fields that are not known are dropped without a word.
    Ok(request.adopt(decode::patched(&row, &document)?.object))
}

/// The live object with what a configuration has over it.
fn configure(row: &Resource, live: &Value, mut configuration: Value) -> Result<Option<Object>, Failure> {
    let types = Types::builtin();
    let failed = |what: &str, why: &str| Failure::Refused(["error applying patch: ", what, why].concat());
    let Some(shape) = field_management::shape_of(row) else {
        return Err(failed("type converter must not be nil", ""));
    };
    if let Value::Object(configuration) = &mut configuration {
        configuration.insert("kind".to_owned(), row.kind.as_str().into());
        configuration.insert("apiVersion".to_owned(), row.api_version().into());
    }
    let typed = Typed { types, shape, value: &configuration };
    if let Err(errors) = typed.validate() {
        let why = ValidationError::join(&errors);
        return Err(failed("failed to convert patch object to typed object: ", &why));
    }
    let mut whole = Vec::new();
    find_whole(types, shape, &configuration, "", &mut whole);
    if !whole.is_empty() {
        let what = "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ";
        return Err(failed(what, &whole.join(", ")));
    }
    let original = Typed { types, shape, value: live };
    if matches!(shape, Shape::Custom(_))
        && let Err(errors) = original.validate()
        && errors.iter().any(|error| !error.is_duplicate())
    {
        let why = ValidationError::join(&errors);
        return Err(failed("failed to convert original object to typed object: ", &why));
    }
    let merged = original.merge(&configuration);
    let unconvertible = |why: String| failed("failed to convert typed object to object: ", &why);
    decode::configured(row, merged).map(Some).map_err(|why| match why {
        Unusable::Undecodable(why) => unconvertible(why),
        Unusable::Unconvertible(why) => {
            Failure::Broken(Status::internal_error(["failed to convert object: ", &why].concat()))
        }
    })
}

/// The lists, maps and structs in a configuration that could only be replaced whole.
fn find_whole(types: &Types, shape: Shape<'_>, value: &Value, path: &str, found: &mut Vec<String>) {
    let atom = shape.resolve(types);
    match (value, atom.map, atom.list) {
        (Value::Object(entries), Some(map), _) => {
            if map.atomic {
                found.push(path.to_owned());
            }
            for (key, value) in entries.iter().filter(|(key, _)| map.names(key)) {
                if let Some(shape) = map.child(key) {
                    find_whole(types, shape, value, &[path, ".", key].concat(), found);
                }
            }
        }
        (Value::Array(items), _, Some(list)) => {
            if list.relation == apply::shape::Relation::Atomic {
                found.push(path.to_owned());
            }
            for (index, item) in items.iter().enumerate() {
                find_whole(types, list.item, item, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

/// The live object with a JSON Patch done to it; none if one of its tests fails, so that nothing is done.
fn patched(row: &Resource, live: &Value, patch: &Value) -> Result<Option<Object>, Failure> {
    let refused = |why: &dyn ToString| Failure::Refused(["JSON Patch: ", &why.to_string()].concat());
    let broken = |why: String| Failure::Broken(Status::internal_error(why));
    let (live, patch) = (codec::json::to_vec(live), codec::json::to_vec(patch));
    let document = codec::json::parse(&live).map_err(|error| refused(&error))?;
    let patch = codec::json::parse(&patch).map_err(|error| refused(&error))?;
    let document = match json_patch::Patch::new(patch).and_then(|patch| patch.apply(document)) {
        Ok(document) => document,
        Err(error) if error.is_failed_test() => return Ok(None),
        Err(patch::Error::Unprocessable(why)) => return Err(refused(&why)),
        Err(error) => return Err(refused(&error)),
    };
    let patched = decode::patched(row, &document).map_err(broken)?;
    if patched.strict.is_empty() {
        Ok(Some(patched.object))
    } else {
        Err(broken(["strict decoding error: ", &patched.strict.join(", ")].concat()))
    }
}
