//! POST to a collection.

use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::decode;
use crate::decode::Decoded;
use crate::options::WriteOptions;
use kinds::conversion;

impl RequestContext<'_> {
    /// Creates the object that the body describes.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>
    pub(crate) async fn create(&self) -> Outcome {
        let format = self.check_body()?;
        let options = WriteOptions::parse(self.query, "CreateOptions")?;
        let Decoded { mut object, mut warnings, labelled } =
            decode::object(&self.target.resource, format, self.body, options.field_validation)?;
        let options = WriteOptions { labelled, ..options };
        self.audit_object(&self.target.resource, &object);
        self.give_way().await?;
        conversion::to_storage(&self.target.resource, &mut object);
        let stored = match self.adopt_namespace(&mut object) {
            Ok(()) => self.store(None, object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_object(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }
}
