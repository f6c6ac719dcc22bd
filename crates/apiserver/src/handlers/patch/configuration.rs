//! PATCH with a configuration: Server-Side Apply.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>

use apply::typed::ValidationError;
use apply::{Failure, conflict};
use json_tree::Value;

use schema::Types;

use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::decode::Unusable;
use crate::format::Configuration;
use crate::handlers::write::{Current, parse_version};
use crate::options::{FieldValidation, WriteOptions};
use crate::resource::Resource;
use crate::{convert, decode, field_management, registry};
use apimachinery::object;
use apimachinery::object::{Object, managed_fields, metadata_mut, metadata_text, set_managed_fields};
use apimachinery::status::{Cause, Status};

impl RequestContext<'_> {
    /// Applies the configuration in the body: creates the object, or changes what the configuration says of it, and
    /// takes out what its manager said last and says no more.
    pub(super) async fn apply(&self, media_type: &str) -> Outcome {
        let options = WriteOptions::parse_apply(self.query)?;
        self.audit_patch();
        let current = self.current_shown().await?;
        // What a PUT may create, the status of it may too.
        let creates = match self.target.subresource.as_str() {
            "" => true,
            part => part == "status" && registry::strategy(&self.target.resource).create_on_update,
        };
        if current.is_none() && !creates {
            return Err(self.missing());
        }
        self.check_key()?;
        let configuration = self.configuration(media_type)?;
        self.give_way().await?;
        let live = current.as_ref();
        let options = WriteOptions { labelled: object::is_labelled(&configuration.object), ..options };
        let (mut object, entries) = self.merge_configuration(live, &configuration).await?;
        let mut warnings = self.strict_warnings(configuration, options.field_validation)?;
        self.give_way().await?;
        let expected = if live.is_none() { self.check_new(&mut object) } else { Ok(()) };
        let adopted = expected
            .and_then(|()| self.adopt_namespace(&mut object))
            .and_then(|()| self.check_name(&object))
            .and_then(|()| {
                let mut object = match live {
                    Some(current) => self.adopt(&current.shown, object)?,
                    None => object,
                };
                set_managed_fields(&mut object, entries);
                Ok(object)
            });
        let stored = match adopted {
            Ok(object) => self.store(live, object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_view(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }

    /// Reads the configuration.
    fn configuration(&self, media_type: &str) -> Result<Configuration, Box<Status>> {
        let formats = self.formats().all;
        let row = formats.iter().find(|format| format.name == media_type);
        // JSON is YAML too.
        let row = row.or_else(|| formats.first().filter(|_| media_type == "application/yaml"));
        let Some(read) = row.and_then(|row| row.configuration) else {
            return Err(Status::unsupported_patch_type());
        };
        read(self.body).map_err(|why| Status::bad_request(["error decoding YAML: ", &why].concat()))
    }

    /// Returns the live object with what the configuration has over it, in its storage version, and the entries of field
    /// management that this brings about.
    async fn merge_configuration(
        &self,
        live: Option<&Current>,
        configuration: &Configuration,
    ) -> Result<(Object, Option<Value>), Box<Status>> {
        let view = self.view();
        let resource = view.as_ref().map_or(&self.target.resource, |view| &view.resource);
        let root = field_management::shape_of(resource).ok_or_else(Status::unsupported_patch_type)?;
        let applied = Applied::new(resource, &configuration.object)?;
        let types = Types::builtin();
        let tree = live.map(|live| convert::tree_of(&self.target.resource, &live.shown));
        let mut live = match (&tree, &view) {
            (Some(tree), Some(view)) => view.show_tree(&self.target.resource, tree),
            (Some(tree), None) => field_management::in_version(resource, tree),
            (None, _) => root.empty(types),
        };
        if let Value::Object(live) = &mut live {
            live.insert("kind".to_owned(), resource.kind.as_str().into());
            live.insert("apiVersion".to_owned(), resource.api_version().into());
        }
        let config = Value::Object(configuration.object.clone());
        let force = self.query.boolean("force").unwrap_or(false);
        let written = self.with_conversions(|| {
            self.as_write(resource, self.query.text("fieldManager"), |write| match &tree {
                Some(tree) if view.is_some() => {
                    write.apply_scale(root, (&self.target.resource, tree), &live, &config, force)
                }
                _ => write.apply(root, &live, &config, force),
            })
        });
        let (new, entries) = written.await.map_err(|failure| match failure {
            Failure::Invalid(errors) => {
                let why = [": ", &ValidationError::join(&errors)].concat();
                applied.failed("create typed patch object", &why)
            }
            Failure::Untyped { unmanaged, errors } => {
                // The object that is there has a namespace, whatever the configuration says of it.
                let applied = Applied { namespace: &self.target.namespace, ..applied.clone() };
                let why = ValidationError::join(&errors);
                if unmanaged {
                    let what = "create manager for existing fields: failed to convert new object";
                    applied.failed(what, &[" to smd typed: ", &why].concat())
                } else {
                    applied.failed("create typed live object", &[": ", &why].concat())
                }
            }
            Failure::Conflicts(conflicts) => conflicting(&conflicts),
            Failure::Unconvertible(why) => Status::unclassified(why),
        })?;
        if view.is_some() && self.target.resource.is_custom() && new.is_some() {
            // The converter of custom resources knows nothing of scales, and is asked all the same.
            let why =
                ["request to convert CR to an invalid group/version: ", &resource.api_version()].concat();
            return Err(applied.unconvertible(&why));
        }
        let new = match new {
            Some(mut new) => {
                keep_unsaid(&mut new, &live);
                new
            }
            None => live,
        };
        Ok((applied.decode(new)?, entries))
    }

    /// Warns of keys that stand twice, or refuses the configuration for them.
    fn strict_warnings(
        &self,
        configuration: Configuration,
        validation: FieldValidation,
    ) -> Result<Vec<String>, Box<Status>> {
        match (validation, configuration.strict) {
            (FieldValidation::Strict, Some(why)) => {
                Err(Status::bad_request(["error strict decoding YAML: ", &why].concat()))
            }
            (FieldValidation::Warn, _) => Ok(configuration.duplicates),
            _ => Ok(Vec::new()),
        }
    }

    /// An object that is to be created has no version, and no uid that somebody could expect.
    fn check_new(&self, object: &mut Object) -> Result<(), Box<Status>> {
        let uid = metadata_text(object, "uid");
        if !uid.is_empty() {
            let parts = [
                "uid mismatch: the provided object specified uid ",
                uid,
                ", and no existing object was found",
            ];
            return Err(Status::conflict(self.subject(&self.target.name), &parts.concat()));
        }
        parse_version(metadata_text(object, "resourceVersion"))?;
        metadata_mut(object).shift_remove("resourceVersion");
        Ok(())
    }
}

/// A configuration that is applied, as errors tell of it.
#[derive(Clone)]
struct Applied<'a> {
    resource: &'a Resource,
    namespace: &'a str,
    name: &'a str,
    /// The type that it states.
    gvk: String,
}

impl<'a> Applied<'a> {
    /// Checks that an object is a configuration of the resource.
    ///
    /// # Errors
    /// The 400 that says why not.
    fn new(resource: &'a Resource, object: &'a Object) -> Result<Self, Box<Status>> {
        let gvk = type_of(object);
        if gvk != show_type(&resource.api_version(), &resource.kind) {
            return Err(Status::bad_request(["invalid object type: ", &gvk].concat()));
        }
        if managed_fields(object).is_some_and(|sent| !sent.is_null()) {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        let (namespace, name) = (metadata_text(object, "namespace"), metadata_text(object, "name"));
        Ok(Self { resource, namespace, name, gvk })
    }

    fn failed(&self, what: &str, why: &str) -> Box<Status> {
        let Self { namespace, name, gvk, .. } = self;
        Status::unclassified(["failed to ", what, " (", namespace, "/", name, "; ", gvk, ")", why].concat())
    }

    fn unconvertible(&self, why: &str) -> Box<Status> {
        self.failed("convert new object", &[" to proper version: ", why].concat())
    }

    /// Decodes what came of it, into the storage version.
    fn decode(&self, merged: Value) -> Result<Object, Box<Status>> {
        let unstructured = |why: String| {
            self.unconvertible(&["unable to convert unstructured object to ", &self.gvk, ": ", &why].concat())
        };
        decode::configured(self.resource, merged).map_err(|why| match why {
            Unusable::Undecodable(why) => unstructured(why),
            Unusable::Unconvertible(why) => self.failed("convert to unversioned", &[": ", &why].concat()),
        })
    }
}

/// Keeps what the server sets and the configuration says nothing of: Go's types serialise what they do not have as null.
fn keep_unsaid(new: &mut Value, live: &Value) {
    for key in ["creationTimestamp", "resourceVersion", "uid", "generation"] {
        let (live, new) = (&live["metadata"][key], new.pointer_mut(&["/metadata/", key].concat()));
        if let Some(new) = new.filter(|new| new.is_null()) {
            *new = live.clone();
        }
    }
}

/// 409: each conflicting field is a cause.
fn conflicting(conflicts: &[apply::Conflict]) -> Box<Status> {
    let causes = conflict::causes(conflicts).into_iter().map(|cause| Cause {
        reason: "FieldManagerConflict".to_owned(),
        message: cause.message,
        field: cause.field,
    });
    Status::apply_conflict(conflict::message(conflicts), causes.collect())
}

/// Returns the type that an object states: `apps/v1, Kind=Deployment`.
fn type_of(object: &Object) -> String {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let api_version = text("apiVersion");
    if api_version.matches('/').count() > 1 {
        return show_type("", "");
    }
    show_type(api_version, text("kind"))
}

/// A group, version and kind as Go prints them; the core group is empty, and its slash stays.
fn show_type(api_version: &str, kind: &str) -> String {
    let slash = if api_version.contains('/') { "" } else { "/" };
    [slash, api_version, ", Kind=", kind].concat()
}
