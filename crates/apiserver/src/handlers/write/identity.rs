//! Name, namespace, uid and version: which object a write is about, as far as its sender says.

use crate::context::RequestContext;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, metadata_text, set_in_order};
use apimachinery::status::{MODIFIED, Status};
use golang::strconv::parse_uint;
use kinds::validation;

/// Reads the version of an object that was sent; 0 if there is none.
///
/// # Errors
/// 500: it is no number.
pub(in crate::handlers) fn parse_version(text: &str) -> Result<u64, Box<Status>> {
    if text.is_empty() { Ok(0) } else { parse_uint(text).map_err(Status::unclassified) }
}

impl RequestContext<'_> {
    /// Puts the path's namespace into the object, which must not have another. What is in no namespace loses it.
    pub(in crate::handlers) fn adopt_namespace(&self, object: &mut Object) -> Result<(), Box<Status>> {
        let namespace = &self.target.namespace;
        let sent = metadata_text(object, "namespace");
        if self.target.resource.namespaced {
            if !sent.is_empty() && sent != namespace {
                return Err(Status::bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request",
                ));
            }
            let metadata = metadata_mut(object);
            set_in_order(metadata, "namespace", namespace.as_str().into(), METADATA_ORDER);
        } else if !sent.is_empty() {
            metadata_mut(object).shift_remove("namespace");
        }
        Ok(())
    }

    /// The object must have the name that the path has.
    pub(in crate::handlers) fn check_name(&self, object: &Object) -> Result<(), Box<Status>> {
        let (sent, expected) = (metadata_text(object, "name"), self.target.name.as_str());
        let why = if sent.is_empty() {
            format!(
                "the name of the object ({expected} based on URL) was undeterminable: name must be provided"
            )
        } else if sent != expected {
            format!("the name of the object ({sent}) does not match the name on the URL ({expected})")
        } else {
            return Ok(());
        };
        Err(Status::bad_request(why))
    }

    /// A uid in the body must be that of the stored object.
    pub(in crate::handlers) fn check_uid(
        &self,
        object: &Object,
        stored: &str,
        key: &str,
    ) -> Result<(), Box<Status>> {
        let sent = metadata_text(object, "uid");
        if sent.is_empty() || sent == stored {
            return Ok(());
        }
        Err(self.precondition_failed("UID", sent, stored, key))
    }

    /// 409: what the request expects of the object is not what is stored.
    pub(in crate::handlers) fn precondition_failed(
        &self,
        what: &str,
        sent: &str,
        stored: &str,
        key: &str,
    ) -> Box<Status> {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: {what} in precondition: {sent}, {what} in object meta: {stored}"
        );
        Status::conflict(self.subject(&self.target.name), &why)
    }

    /// A version in the body must be the stored one; without one, whatever is stored is replaced, unless the
    /// kind does not allow that.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    pub(super) fn check_version(
        &self,
        object: &Object,
        stored: u64,
        required: bool,
    ) -> Result<(), Box<Status>> {
        let sent = parse_version(metadata_text(object, "resourceVersion"))?;
        if sent == 0 && required {
            let resource = &self.target.resource;
            let error = validation::metadata::resource_version_required();
            return Err(Status::invalid(&resource.group, &resource.name, &self.target.name, &[error]));
        }
        if sent == 0 || sent == stored {
            return Ok(());
        }
        Err(Status::conflict(self.subject(&self.target.name), MODIFIED))
    }
}
