//! Admission by what is stored in the cluster itself: policies, and then webhooks.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>.

pub(crate) mod policy;
pub(crate) mod webhook;

use std::time::Duration;

use self::policy::{Attributes, Form, MUTATING, Operation, Payload};
use self::webhook::Reinvocation;
use crate::clock::Clock;
use crate::context::RequestContext;
use crate::measure::{Measure, Part};
use admission::Plugin;
use apimachinery::object::Object;
use apimachinery::status::Status;

impl RequestContext<'_> {
    /// Has policies and webhooks change the object that is to be stored. If one did, those that ask for it are asked once more, after
    /// what admission itself adds. `attributes` has no object yet. Returns whether the object has changed.
    ///
    /// # Errors
    /// Why the request is refused.
    pub(crate) async fn admit_mutating(
        &self,
        object: &mut Object,
        attributes: &Attributes<'_>,
        sent: Form,
        warnings: &mut Vec<String>,
    ) -> Result<bool, Box<Status>> {
        let begin = self.measured();
        let changed = self.ask_mutating(object, attributes, sent, warnings).await;
        self.measure(begin, Part::Admit, attributes.operation, changed.is_err());
        changed
    }

    async fn ask_mutating(
        &self,
        object: &mut Object,
        attributes: &Attributes<'_>,
        sent: Form,
        warnings: &mut Vec<String>,
    ) -> Result<bool, Box<Status>> {
        let policies = self.policies(Plugin::MutatingAdmissionPolicy, MUTATING, attributes.name)?;
        let webhooks = self.mutating_webhooks(attributes.name)?;
        let (mut changed, mut reinvocation) = (false, Reinvocation::default());
        if let Some(policies) = &policies {
            changed = self.pass(policies, object, (attributes, sent), false).await?;
        }
        if let Some(webhooks) = &webhooks {
            let again = (&mut reinvocation, false);
            changed |=
                (webhooks.code.mutate)(webhooks, self, object, (attributes, sent), again, warnings).await?;
        }
        if !changed {
            return Ok(false);
        }
        if self.target.subresource.is_empty() && matches!(sent(object), Payload::Stored(_)) {
            admission::mutate(&self.admission_request(attributes.old), object)?;
        }
        if let Some(policies) = &policies {
            self.pass(policies, object, (attributes, sent), true).await?;
        }
        if let Some(webhooks) = &webhooks {
            let again = (&mut reinvocation, true);
            (webhooks.code.mutate)(webhooks, self, object, (attributes, sent), again, warnings).await?;
        }
        Ok(true)
    }

    /// Asks policies and webhooks whether this may be done. A deletion, or a connection, is shown to mutating webhooks, too. Whoever
    /// asks for it is told `warnings`.
    ///
    /// # Errors
    /// The denial by the first one that denies it.
    pub(crate) async fn admit_validating(
        &self,
        attributes: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        let begin = self.measured();
        let decided = self.ask_validating(attributes, warnings).await;
        self.measure(begin, Part::Validate, attributes.operation, decided.is_err());
        decided
    }

    /// Notes how long a part of admission took that began then, if somebody counts that.
    pub(super) fn measure(
        &self,
        begin: Option<(Duration, &dyn Clock)>,
        part: Part,
        operation: Operation<'_>,
        rejected: bool,
    ) {
        if let Some((begin, clock)) = begin {
            let took = clock.stopwatch().saturating_sub(begin);
            let measure = Measure { part, operation: operation.as_str(), rejected, took };
            self.notes.measures().push(measure);
        }
    }

    async fn ask_validating(
        &self,
        attributes: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        if matches!(attributes.operation, Operation::Delete(_) | Operation::Connect)
            && let Some(webhooks) = self.mutating_webhooks(attributes.name)?
        {
            (webhooks.code.show)(&webhooks, self, attributes, warnings).await?;
        }
        self.apply_validating_policies(attributes, warnings).await?;
        match self.validating_webhooks(attributes.name)? {
            Some(webhooks) => (webhooks.code.validate)(&webhooks, self, attributes, warnings).await,
            None => Ok(()),
        }
    }
}
