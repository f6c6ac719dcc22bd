//! PUT of an object, or of a part of it.

use super::write::parse_version;
use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::decode::Decoded;
use crate::options::WriteOptions;
use crate::stored::shown_key;
use crate::{decode, registry};
use apimachinery::object::{Object, metadata_mut, metadata_text};
use apimachinery::status::Status;
use kinds::conversion;

impl RequestContext<'_> {
    /// Replaces the object with what the body describes.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    pub(crate) async fn update(&self) -> Outcome {
        let format = self.check_body()?;
        let options = WriteOptions::parse(self.query, "UpdateOptions")?;
        let view = self.view();
        let kind = view.as_ref().map_or(&self.target.resource, |view| &view.resource);
        let decoded = decode::object(kind, format, self.body, options.field_validation);
        let Decoded { mut object, mut warnings, .. } = match decoded {
            Err(_) if view.is_some() && self.target.resource.is_custom() => {
                return Err(super::custom_verbs::no_scale());
            }
            decoded => decoded?,
        };
        self.audit_object(kind, &object);
        self.give_way().await?;
        conversion::to_storage(kind, &mut object);
        let stored = match self.adopt_namespace(&mut object).and_then(|()| self.check_name(&object)) {
            Ok(()) => self.put(object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_view(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }

    /// Puts `object` in the place of the stored one; the status code is 200, or 201 if it was not there and the
    /// kind allows that.
    async fn put(
        &self,
        mut object: Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, bytes::Bytes), Box<Status>> {
        let (key, current) = (self.key(), self.current_shown().await?);
        let shown = shown_key(&key, options.dry_run);
        let Some(current) = current else {
            let creates = registry::strategy(&self.target.resource).create_on_update;
            if !creates || !["", "status"].contains(&self.target.subresource.as_str()) {
                return Err(self.missing());
            }
            self.check_key()?;
            self.check_uid(&object, "", shown)?;
            parse_version(metadata_text(&object, "resourceVersion"))?;
            metadata_mut(&mut object).shift_remove("resourceVersion");
            return self.store(None, object, options, warnings).await;
        };
        self.check_uid(&object, &current.stored.uid, shown)?;
        let object = self.adopt(&current.shown, object)?;
        self.store(Some(&current), object, options, warnings).await
    }
}
