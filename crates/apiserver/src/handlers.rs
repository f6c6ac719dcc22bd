//! One handler a verb, for every kind alike.

mod converted;
mod create;
mod custom_verbs;
mod delete;
mod late;
mod list;
mod owners;
mod patch;
mod read;
mod scope;
mod size;
mod subresource;
mod update;
mod wait;
mod watch;
mod write;

use std::borrow::Cow;

use http::{HeaderMap, Method};
use json_tree::Value;
use store::ReadError;

use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::decode::BODY_LIMIT;
use crate::field_management::{self, Write};
use crate::format::{Format, MediaTypes};
use crate::negotiate::{self, Offered};
use crate::options::WriteOptions;
use crate::present::{self, Presenter};
use crate::resource::Resource;
use crate::route::Target;
use crate::{registry, stored};
use apimachinery::object::{Object, managed_fields};
use apimachinery::status::{Status, Subject};
use kinds::kind::{Action, Subresource};
use kinds::validation::{self, Change, ValidationResult};

pub(crate) use converted::provide as provide_conversion;
pub(crate) use custom_verbs::is_nowhere;
pub(crate) use list::{options_of, selects};
pub(crate) use scope::Scope;
pub(crate) use wait::Waiter;
pub(crate) use watch::event_type;

/// Finds the verb of a request to an object or a collection, and whether the resource has it: what kube-apiserver's
/// router knows before a handler looks. Reports, too, whether the request is passed on to something else.
pub(crate) fn find_verb(
    method: &Method,
    target: &Target,
    formats: MediaTypes,
    headers: &HeaderMap,
) -> Result<(&'static str, bool), Box<Status>> {
    if target.resource.is_custom() {
        return Ok((custom_verbs::verb(method, target)?, false));
    }
    // There is a path to watch what can be watched alone.
    if target.watch
        && target.subresource.is_empty()
        && !target.resource.verbs.iter().any(|own| own == "watch")
    {
        return Err(Status::path_not_found());
    }
    let collection = target.name.is_empty();
    // Without a namespace, a namespaced resource can be listed and watched, no more.
    let everywhere = collection && target.resource.namespaced && target.namespace.is_empty();
    // What can only be created has no objects, nor are there any in all namespaces.
    let asked_only = target.resource.verbs == ["create"];
    if asked_only && (everywhere || !collection && target.subresource.is_empty()) {
        return Err(Status::path_not_found());
    }
    let subresource = target.resource.subresource(&target.subresource);
    let kind = crate::subresource::find(target);
    let connects = matches!(kind, Some(Subresource::Action(action)) if action.connects());
    let verb = match (method.as_str(), collection) {
        ("GET", _) if target.watch => "watch",
        (_, _) if target.watch => return Err(Status::method_not_allowed()),
        ("GET", true) => "list",
        ("POST", true) if !everywhere => "create",
        ("DELETE", true) if !everywhere => "deletecollection",
        ("GET", false) => "get",
        ("POST", false) if !target.subresource.is_empty() => "create",
        ("PUT", false) => "update",
        ("PATCH", false) => "patch",
        ("DELETE", false) => "delete",
        // What is passed on is passed on by any method, but not to commands.
        ("HEAD" | "OPTIONS", false) if connects && target.subresource == "proxy" => "get",
        _ => return Err(Status::method_not_allowed()),
    };
    let verbs = subresource.map_or(&target.resource.verbs, |row| &row.verbs);
    if !verbs.iter().any(|own| own == verb) {
        return Err(Status::method_not_allowed());
    }
    // It is for others to say which media types they take and give.
    if connects {
        return Ok((verb, true));
    }
    if verb == "patch" {
        patch::route(formats, headers)?;
    }
    let offered = match kind {
        Some(Subresource::Action(Action::Log)) => Offered::Log,
        _ if ["list", "watch"].contains(&verb) => Offered::Collection,
        _ => Offered::Object,
    };
    negotiate::route(formats, headers, offered)?;
    Ok((verb, false))
}

impl RequestContext<'_> {
    /// Answers the request, whose verb is known to be one of the resource's.
    pub(crate) async fn handle(&self, verb: &str) -> Outcome {
        let kind = crate::subresource::find(self.target).ok_or_else(Status::path_not_found)?;
        let reads_object = !matches!(kind, Subresource::Action(action) if action.has_options());
        if verb == "get" && reads_object && self.query.boolean("export") == Some(true) {
            let why = "the export parameter, deprecated since v1.14, is no longer supported";
            return Err(Status::bad_request(why));
        }
        if let Subresource::Action(action) = kind {
            // What is asked of other things than objects has no past; a log is read as it is now.
            return match self.at {
                Some(_) if action != Action::Log => Err(Status::method_not_allowed()),
                _ => (self.shared.config.writes.act)(self, action).await,
            };
        }
        match verb {
            "list" | "watch" => self.list().await,
            "get" if kind == Subresource::Scale => (self.shared.config.writes.get_view)(self).await,
            "get" => self.get().await,
            "deletecollection" => (self.shared.config.writes.delete_collection)(self).await,
            _ => (self.shared.config.writes.write)(self, verb).await,
        }
    }

    /// Whom an error is about.
    pub(crate) fn subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { group: &self.target.resource.group, resource: &self.target.resource.name, name }
    }

    /// Checks that the name in the path can be part of a key.
    ///
    /// <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#path-segment-names>
    pub(crate) fn check_key(&self) -> Result<(), Box<Status>> {
        let name = &self.target.name;
        match field::name::path_segment(name).join(";") {
            why if why.is_empty() => Ok(()),
            why => Err(Status::bad_request(format!("Name parameter invalid: {}: {why}", field::quote(name)))),
        }
    }

    /// Returns the error for a path that no object is at: 404, or 400 if none can ever be.
    pub(crate) fn missing(&self) -> Box<Status> {
        self.check_key().err().unwrap_or_else(|| Status::not_found(self.subject(&self.target.name)))
    }

    /// The media type of the body, unless that is not spoken or the body is too large.
    pub(crate) fn check_body(&self) -> Result<&'static Format, Box<Status>> {
        let format = negotiate::body(self.formats(), self.headers)?;
        if self.body.len() > BODY_LIMIT { Err(Status::too_large(BODY_LIMIT)) } else { Ok(format) }
    }

    /// Answers with one object, of which this is the stored JSON.
    pub(crate) fn answer_object(&self, code: u16, json: &[u8]) -> Outcome {
        let document = self.presenter()?.object(json, self.shared.config.clock.now())?;
        Answer::document(code, document, self.output)
    }

    /// Returns the media types that the server speaks.
    pub(crate) fn formats(&self) -> MediaTypes {
        self.shared.config.formats.media_types
    }

    /// Notes the object that was sent, in the version of a resource, for the audit log.
    pub(crate) fn audit_object(&self, resource: &Resource, object: &Object) {
        if let Some(audit) = self.notes.audit() {
            audit.requested(resource, object);
        }
    }

    /// Validates what is to be written, an object of a built-in kind, and returns the errors.
    pub(crate) fn validate(
        &self,
        resource: validation::Resource<'_>,
        change: &Change<'_>,
    ) -> Vec<field::Error> {
        (self.shared.config.validation.built_in)(resource, change).errors
    }

    /// Validates a change of the resource that is asked for. It takes the storage itself, where it looks something up.
    pub(crate) fn validation_result(&self, change: &Change<'_>) -> ValidationResult {
        let (resource, validation) = (&self.target.resource, self.shared.config.validation);
        match resource.custom() {
            Some(custom) => (validation.custom)(resource, custom, change),
            None => {
                let mut result = (validation.built_in)(subject_of(resource), change);
                let validate = registry::strategy(resource).validate_with_others;
                if let Some(error) =
                    validate.and_then(|validate| validate(self.shared.as_ref(), resource, change))
                {
                    result.errors.insert(0, error);
                }
                result
            }
        }
    }

    /// How the client wants to see objects.
    pub(crate) fn presenter(&self) -> Result<Presenter, Box<Status>> {
        Presenter::new(&self.target.resource, self.output.view, self.query, self.formats())
    }

    /// 422: the object breaks rules. A custom object says itself of what kind it is.
    pub(crate) fn invalid(&self, object: &Object, name: &str, errors: &[field::Error]) -> Box<Status> {
        let resource = &self.target.resource;
        if !resource.is_custom() {
            return Status::invalid(&resource.storage.group, &resource.kind, name, errors);
        }
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        Status::invalid(group, text("kind"), name, errors)
    }

    /// Stored JSON in the resource's version, with `kind` and `apiVersion` in front.
    pub(crate) fn typed(&self, json: &[u8]) -> Vec<u8> {
        let json = present::whole(&self.target.resource, json);
        match codec::json::plain(&json) {
            Cow::Owned(plain) => plain,
            Cow::Borrowed(_) => json,
        }
    }

    /// The entries of field management that an object has once it is in the place of the live one, if there is one.
    pub(crate) async fn managed_fields(
        &self,
        live: Option<&Object>,
        object: &Object,
        options: WriteOptions,
    ) -> Option<Value> {
        if options.applied {
            return managed_fields(object).cloned();
        }
        let manager = field_management::name(self.query, self.headers);
        let (Some(view), Some(live)) = (self.view(), live) else {
            let track = || self.as_write(&self.target.resource, &manager, |write| write.track(live, object));
            return self.with_conversions(track).await;
        };
        let (parent, shown) = (&self.target.resource, |object| view.show_tree(&self.target.resource, object));
        self.as_write(&view.resource, &manager, |write| {
            write.track_scale(parent, live, &shown(live), &shown(object))
        })
    }

    /// The request as field management sees it.
    pub(crate) fn as_write<T>(
        &self,
        resource: &Resource,
        manager: &str,
        work: impl FnOnce(&Write<'_>) -> T,
    ) -> T {
        work(&Write {
            resource,
            subresource: &self.target.subresource,
            manager,
            clock: self.shared.config.clock.as_ref(),
            notes: Some(self.notes),
        })
    }

    /// The key of the object that the path names.
    pub(crate) fn key(&self) -> String {
        stored::object_key(&self.target.resource, &self.target.namespace, &self.target.name)
    }
}

/// The resource as validation sees it.
fn subject_of(resource: &Resource) -> validation::Resource<'_> {
    validation::Resource { group: &resource.group, resource: &resource.name, namespaced: resource.namespaced }
}

/// Returns kube-apiserver's error for a revision that is not kept, or is still to come.
fn unreadable(error: ReadError) -> Box<Status> {
    match error {
        ReadError::Compacted { .. } => {
            Status::expired("The resourceVersion for the provided list is too old.")
        }
        ReadError::Future { requested, revision } => Status::too_large_at_once(requested, revision),
    }
}
