//! Subresources: parts of an object, an object in the form of another kind, and what can be asked of it. Resources that
//! are never stored are answered here too.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

mod binding;
mod component_status;
mod connect;
mod eviction;
mod log;
mod proxy;
mod review;
mod scale;
mod stream;
mod token;

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::decode::Decoded;
use crate::document::Document;
use crate::dynamic_admission::policy::{self, Attributes, Operation, Payload};
use crate::options::WriteOptions;
use crate::present::Presenter;
use crate::resource::{self, Resource};
use crate::route::Target;
use crate::stored::Stored;
use crate::subresource::find;
use crate::table::{self, IncludeObject};
use crate::{convert, decode, field_management, negotiate};
use apimachinery::object::{
    METADATA_ORDER, Object, as_value, metadata_mut, metadata_text, set_in_order, set_managed_fields,
    wipe_system_fields,
};
use apimachinery::status::{Status, Subject};
use kinds::kind::{Action, Subresource};
use kinds::validation::{self, Change};

/// Handles a request that is about something other than a stored object.
pub(super) async fn act(context: &RequestContext<'_>, action: Action) -> Outcome {
    match action {
        Action::Attach => connect::reviewed(context, stream::attach(context)).await,
        Action::Binding => binding::bind(context).await,
        Action::ComponentStatuses => component_status::read(context),
        Action::Eviction => eviction::evict(context).await,
        Action::Exec => connect::reviewed(context, stream::exec(context)).await,
        Action::Log => log::log(context),
        Action::PortForward => stream::portforward(context).await,
        Action::ProxyNode => connect::reviewed(context, proxy::node(context)).await,
        Action::ProxyPod => connect::reviewed(context, proxy::pod(context)).await,
        Action::ProxyService => connect::reviewed(context, proxy::service(context)).await,
        Action::SelfSubjectAccessReview => review::own_access(context).await,
        Action::SelfSubjectReview => review::own(context).await,
        Action::SelfSubjectRulesReview => review::own_rules(context).await,
        Action::SubjectAccessReview => review::access(context).await,
        Action::TokenRequest => token::request(context).await,
        Action::TokenReview => review::token(context).await,
    }
}

/// The body of a POST that stores no object of its own.
struct Question {
    /// The body.
    object: Object,
    options: WriteOptions,
    /// The warnings for the sender.
    warnings: Vec<String>,
}

/// An object's subresource that is of another kind.
pub(crate) struct View {
    /// The other kind, as if it were a resource.
    pub(crate) resource: Arc<Resource>,
}

impl View {
    /// The other kind's object, made of the stored one.
    pub(crate) fn show_tree(&self, parent: &Resource, object: &Object) -> json_tree::Value {
        scale::show(parent, object).into()
    }

    /// Takes over into the stored object what the other kind's says.
    pub(crate) fn adopt(&self, parent: &Resource, sent: &Object, object: &mut Object) {
        scale::adopt(parent, sent, object);
    }

    /// The other kind's JSON with who manages it, which a patch sees and nobody is shown.
    pub(super) fn show_managed(&self, parent: &Resource, object: &Object) -> Vec<u8> {
        let mut shown = scale::show(parent, object);
        set_managed_fields(&mut shown, field_management::scale_entries(parent, object));
        codec::json::to_vec(&shown.into())
    }

    /// The other kind's JSON, made of the stored one. What is not an object stays as it is.
    pub(super) fn show<'a>(&self, parent: &Resource, json: &'a [u8]) -> Cow<'a, [u8]> {
        match serde_json::from_slice(json) {
            Ok(json_tree::Value::Object(object)) => {
                let shown = scale::show(parent, &object);
                Cow::Owned(codec::json::to_vec(&shown.into()))
            }
            _ => Cow::Borrowed(json),
        }
    }
}

impl RequestContext<'_> {
    /// The kind that the subresource takes and shows, if that is not the object's own.
    pub(crate) fn view(&self) -> Option<View> {
        match find(self.target) {
            Some(Subresource::Scale) => Some(View { resource: self.kind() }),
            _ => None,
        }
    }

    /// The kind that the path takes, as if it were a resource.
    fn kind(&self) -> Arc<Resource> {
        self.target.kind()
    }

    /// Reads what a POST asks for.
    async fn question(&self) -> Result<Question, Box<Status>> {
        let format = self.check_body()?;
        let options = WriteOptions::parse(self.query, "CreateOptions")?;
        let Decoded { mut object, mut warnings, .. } =
            decode::object(&self.kind(), format, self.body, options.field_validation)?;
        self.audit_object(&self.kind(), &object);
        let action = match find(self.target) {
            Some(Subresource::Action(action)) if !self.target.subresource.is_empty() => Some(action),
            _ => None,
        };
        if !action.is_some_and(Action::keeps_metadata) {
            wipe_system_fields(&mut object);
        }
        let adopted = self.adopt_namespace(&mut object);
        let manager = field_management::name(self.query, self.headers);
        let entries = self.as_write(&self.kind(), &manager, |write| write.track(None, &object));
        set_managed_fields(&mut object, entries);
        let own = self.target.name.as_str();
        let name = if own.is_empty() { metadata_text(&object, "name").to_owned() } else { own.to_owned() };
        let attributes = Attributes {
            operation: Operation::Create,
            name: &name,
            object: None,
            old: None,
            dry_run: options.dry_run,
        };
        let mutated = match adopted {
            Ok(()) => self.admit_mutating(&mut object, &attributes, policy::as_question, &mut warnings).await,
            Err(status) => Err(status),
        };
        match mutated {
            Ok(_) => Ok(Question { object, options, warnings }),
            Err(status) => Err(status.warned(warnings)),
        }
    }

    /// Asks the policies about what a POST asks for.
    async fn review_question(
        &self,
        object: &Object,
        dry_run: bool,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        let own = self.target.name.as_str();
        let attributes = Attributes {
            operation: Operation::Create,
            name: if own.is_empty() { metadata_text(object, "name") } else { own },
            object: Some(Payload::Question(object)),
            old: None,
            dry_run,
        };
        self.admit_validating(&attributes, warnings).await
    }

    /// Answers with an object of the kind that the path takes.
    fn answer_kind(&self, code: u16, json: &[u8]) -> Outcome {
        let presenter = Presenter::new(&self.kind(), self.output.view, self.query, self.formats())?;
        let document = presenter.object(json, self.shared.config.clock.now())?;
        Answer::document(code, document, self.output)
    }

    /// The path of a pod in the same namespace.
    fn pod(&self, name: &str) -> Result<Target, Box<Status>> {
        let pods = resource::find("", "pods");
        Ok(Target {
            resource: Arc::clone(pods.ok_or_else(Status::path_not_found)?),
            namespace: self.target.namespace.clone(),
            name: name.to_owned(),
            subresource: String::new(),
            watch: false,
        })
    }

    /// Answers with the object, of which this is the stored JSON, as the subresource shows it.
    pub(super) fn answer_view(&self, code: u16, json: &[u8]) -> Outcome {
        let Some(view) = self.view() else { return self.answer_object(code, json) };
        let presenter = Presenter::new(&view.resource, self.output.view, self.query, self.formats())?;
        let json = convert::from_storage(&self.target.resource, json);
        if self.target.resource.is_custom()
            && let (negotiate::View::Table(version), Some(tables)) = (self.output.view, self.formats().tables)
        {
            let include_object =
                IncludeObject::parse(self.query.text("includeObject")).map_err(Status::bad_request)?;
            let now = self.shared.config.clock.now();
            let options = table::Options { version, include_object, no_headers: false, now };
            let scale = view.show(&self.target.resource, &json);
            let scale = serde_json::from_slice(&scale).unwrap_or_default();
            let table = (tables.of_custom_scale)(&scale, &options);
            return Answer::document(code, Document::untyped(&table), self.output);
        }
        let shown = view.show(&self.target.resource, &json);
        let document = presenter.object(&shown, self.shared.config.clock.now())?;
        Answer::document(code, document, self.output)
    }

    /// GET of an object as the subresource shows it.
    pub(super) async fn get_view(&self) -> Outcome {
        let stored = self.read_object().await?;
        if let Some(custom) = self.target.resource.custom() {
            custom.check_scale(&convert::tree_of(&self.target.resource, &stored))?;
        }
        self.answer_view(200, &stored.json)
    }

    /// The object that the path names, as it is stored now.
    fn read_parent(&self) -> Result<Arc<Stored>, Box<Status>> {
        self.shared.find(&self.key()).ok_or_else(|| self.missing())
    }

    /// The object to store, when `sent` came for `current`: `sent` itself, unless it is of another kind.
    pub(super) fn adopt(&self, current: &Stored, mut sent: Object) -> Result<Object, Box<Status>> {
        let Some(view) = self.view() else { return Ok(sent) };
        let kind = &view.resource;
        let custom = self.target.resource.is_custom();
        let subject =
            validation::Resource { group: &kind.group, resource: &kind.name, namespaced: kind.namespaced };
        // Of a custom object, the whole is looked at later.
        let errors = match custom {
            true => Vec::new(),
            false => as_value(&mut sent, |sent| self.validate(subject, &Change::New(sent))),
        };
        if !errors.is_empty() {
            return Err(Status::invalid(&kind.group, &kind.kind, &self.target.name, &errors));
        }
        let uid = metadata_text(&sent, "uid");
        if !custom && !uid.is_empty() && uid != current.uid {
            let resource = &self.target.resource;
            let shown = [&resource.name, "/", &self.target.subresource].concat();
            let subject = Subject { group: &resource.group, resource: &shown, name: &self.target.name };
            let why = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                current.uid
            );
            return Err(Status::conflict(subject, &why));
        }
        let mut object = convert::tree_of(&self.target.resource, current);
        scale::adopt(&self.target.resource, &sent, &mut object);
        let version = metadata_text(&sent, "resourceVersion");
        if custom && version.is_empty() {
            // Whatever version there is, is meant.
            return Ok(object);
        }
        set_in_order(metadata_mut(&mut object), "resourceVersion", version.into(), METADATA_ORDER);
        Ok(object)
    }
}
