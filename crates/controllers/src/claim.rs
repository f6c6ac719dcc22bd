//! Claims: which objects an owner manages. Orphans that its selector matches it adopts, and what it no longer matches it releases.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#non-template-pod-acquisitions>.

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};

use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::resource::Resource;
use crate::store::Shared;

/// An owner that claims objects of a resource.
pub(crate) struct Claimant<'a> {
    pub(crate) owner: &'a Value,
    /// The resource of the owner.
    pub(crate) owners: &'a Resource,
    pub(crate) selector: &'a LabelSelector,
    /// The resource of the objects.
    pub(crate) dependents: &'a Resource,
}

impl Claimant<'_> {
    /// Returns those of the objects that the owner manages, after adoptions and releases. All are tried, whatever fails.
    pub(crate) async fn claim(
        &self,
        objects: Vec<Shared>,
        context: &Context<'_>,
    ) -> Result<Vec<Shared>, Error> {
        self.claim_all(objects, "", &|_, _| true, context).await
    }

    /// Does as [`Self::claim`], and gives a finalizer to what is adopted, and takes it from what is released.
    pub(crate) async fn claim_with(
        &self,
        finalizer: &str,
        objects: Vec<Shared>,
        context: &Context<'_>,
    ) -> Result<Vec<Shared>, Error> {
        self.claim_all(objects, finalizer, &|_, _| true, context).await
    }

    /// Does as [`Self::claim`], but that an object has to be a member, too. `is_member` is asked about the owner and the object.
    pub(crate) async fn claim_members(
        &self,
        objects: Vec<Shared>,
        is_member: fn(&Value, &Value) -> bool,
        context: &Context<'_>,
    ) -> Result<Vec<Shared>, Error> {
        self.claim_all(objects, "", &is_member, context).await
    }

    async fn claim_all(
        &self,
        objects: Vec<Shared>,
        finalizer: &str,
        is_member: &(dyn Fn(&Value, &Value) -> bool + Sync),
        context: &Context<'_>,
    ) -> Result<Vec<Shared>, Error> {
        let (mut claimed, mut errors) = (Vec::new(), Vec::new());
        let mut may_adopt = None;
        for object in objects {
            let matches = object::selects(self.selector, &object) && is_member(self.owner, &object);
            match self.claim_one(&object, (finalizer, matches), &mut may_adopt, context).await {
                Ok(true) => claimed.push(object),
                Ok(false) => {}
                Err(error) => errors.push(error),
            }
        }
        match aggregate(&errors) {
            None => Ok(claimed),
            Some(error) => Err(error),
        }
    }

    /// Adopts or releases an object, or leaves it as it is, and reports whether the owner manages it then. `may_adopt` is asked for once.
    async fn claim_one(
        &self,
        object: &Value,
        (finalizer, matches): (&str, bool),
        may_adopt: &mut Option<Result<(), Error>>,
        context: &Context<'_>,
    ) -> Result<bool, Error> {
        let owner_goes = object::is_being_deleted(self.owner);
        let done = match object::controller_of(object) {
            Some(reference) if reference.text("uid") != object::uid(self.owner) => return Ok(false),
            Some(_) if matches || owner_goes => return Ok(matches),
            Some(_) => self.release(object, finalizer, context).await.map(|()| false),
            None if owner_goes || !matches || object::is_being_deleted(object) => return Ok(false),
            None => {
                if may_adopt.is_none() {
                    *may_adopt = Some(self.recheck(context).await);
                }
                match may_adopt {
                    Some(Err(error)) => {
                        let (kind, key) = (&self.dependents.kind, object::key(object));
                        Err(error.context(&format!("can't adopt {kind} {key} ({})", object::uid(object))))
                    }
                    _ => self.adopt(object, finalizer, context).await.map(|()| true),
                }
            }
        };
        match done {
            Err(error) if error.is_not_found() => Ok(false),
            done => done,
        }
    }

    /// Looks whether the owner is still there, and is to stay.
    async fn recheck(&self, context: &Context<'_>) -> Result<(), Error> {
        let (namespace, name) = (object::namespace(self.owner), object::name(self.owner));
        let failed = |error: &Error| error.context("can't recheck DeletionTimestamp");
        let fresh = context
            .client
            .get(self.owners, namespace, name, View::Whole)
            .await
            .map_err(|error| failed(&error))?;
        let (found, wanted) = (object::uid(&fresh), object::uid(self.owner));
        if found != wanted {
            let kind = &self.owners.kind;
            let gone =
                format!("original {kind} {namespace}/{name} is gone: got uid {found}, wanted {wanted}");
            return Err(failed(&Error::Other(gone)));
        }
        if object::is_being_deleted(&fresh) {
            let at = object::meta(&fresh, "deletionTimestamp").as_text();
            return Err(Error::Other(format!("{namespace}/{name} has just been deleted at {at}")));
        }
        Ok(())
    }

    async fn adopt(&self, object: &Value, finalizer: &str, context: &Context<'_>) -> Result<(), Error> {
        let reference =
            object::controller_reference(self.owner, &self.owners.api_version(), &self.owners.kind);
        self.patch(object, reference, ("finalizers", finalizer), context).await
    }

    async fn release(&self, object: &Value, finalizer: &str, context: &Context<'_>) -> Result<(), Error> {
        let removal = json!({"$patch": "delete", "uid": object::uid(self.owner)});
        match self.patch(object, removal, ("$deleteFromPrimitiveList/finalizers", finalizer), context).await {
            // It has no owners any more, or another object has taken its place.
            Err(error) if error.is_not_found() || error.is_invalid() => Ok(()),
            patched => patched,
        }
    }

    async fn patch(
        &self,
        object: &Value,
        reference: Value,
        (list, finalizer): (&str, &str),
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let mut metadata = json!({"uid": object::uid(object), "ownerReferences": [reference]});
        if !finalizer.is_empty() {
            object::set(&mut metadata, list, json!([finalizer]));
        }
        let (at, patch) = ((object::namespace(object), object::name(object)), json!({"metadata": metadata}));
        context.client.patch(self.dependents, at, STRATEGIC_MERGE_PATCH, &patch, View::Whole).await.map(drop)
    }
}

/// Returns one error for several, as Go's `utilerrors.NewAggregate` prints them; a single one as it is.
pub(crate) fn aggregate(errors: &[Error]) -> Option<Error> {
    match errors {
        [] => None,
        [error] => Some(error.clone()),
        errors => {
            let mut texts: Vec<String> = Vec::new();
            for error in errors {
                let text = error.to_string();
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            Some(Error::Other(format!("[{}]", texts.join(", "))))
        }
    }
}
