//! A request as policies see it, and which policies it concerns.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules>.

use std::sync::Arc;

use json_tree::{Value, json};

use super::snapshot::{self, Snapshot};
use crate::context::RequestContext;
use crate::resource::Resource;
use crate::stored::{Stored, collection_key, object_key};
use crate::{convert, field_management};
use apimachinery::DeleteOptions;
use apimachinery::object;
use apimachinery::object::{Object, name_for_refusal};
use apimachinery::query::Query;
use apimachinery::selector::LabelSelector;

/// The attributes of the request that is to be admitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    /// The operation that is to be done.
    pub(crate) operation: Operation<'a>,
    /// The object's name; empty if it has none yet.
    pub(crate) name: &'a str,
    /// The object as it is to be; none if it is to be deleted.
    pub(crate) object: Option<Payload<'a>>,
    /// The stored object.
    pub(crate) old: Option<&'a Object>,
    /// True for a dry run: nothing is stored.
    pub(crate) dry_run: bool,
}

impl Attributes<'_> {
    /// Returns the name of the object for a refusal.
    pub(in crate::dynamic_admission) fn object_name(&self) -> String {
        match self.object {
            Some(Payload::Stored(object) | Payload::Question(object)) => {
                name_for_refusal(self.name, object).to_owned()
            }
            None => name_for_refusal(self.name, &Object::new()).to_owned(),
        }
    }
}

/// An object that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Payload<'a> {
    /// One of the resource, as it is stored.
    Stored(&'a Object),
    /// One of the kind that the path takes, but for its kind and version.
    Question(&'a Object),
}

/// An object of the resource.
pub(crate) fn as_stored(object: &Object) -> Payload<'_> {
    Payload::Stored(object)
}

/// An object of the kind that the path takes.
pub(crate) fn as_question(object: &Object) -> Payload<'_> {
    Payload::Question(object)
}

/// The operation of a request on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation<'a> {
    /// It makes one.
    Create,
    /// It changes one.
    Update,
    /// It deletes one, as these options say.
    Delete(&'a DeleteOptions),
    /// It is passed on to one.
    Connect,
}

impl Operation<'_> {
    pub(in crate::dynamic_admission) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete(_) => "DELETE",
            Self::Connect => "CONNECT",
        }
    }

    /// The options of the request.
    fn options(self, query: &Query) -> Value {
        match self {
            Self::Create => write_options("CreateOptions", query),
            Self::Update => write_options("UpdateOptions", query),
            Self::Delete(options) => options.to_value(),
            Self::Connect => Value::Null,
        }
    }
}

/// The options of a write, as their object.
fn write_options(kind: &str, query: &Query) -> Value {
    let mut options = json!({ "kind": kind, "apiVersion": "meta.k8s.io/v1" });
    if query.all("dryRun").next().is_some() {
        options["dryRun"] = json!(["All"]);
    }
    for key in ["fieldManager", "fieldValidation"] {
        if !query.text(key).is_empty() {
            options[key] = query.text(key).into();
        }
    }
    options
}

/// A request, and where it is looked at.
pub(in crate::dynamic_admission) struct Request<'a> {
    pub(in crate::dynamic_admission) context: &'a RequestContext<'a>,
    pub(in crate::dynamic_admission) snapshot: &'a Snapshot,
    pub(in crate::dynamic_admission) attributes: &'a Attributes<'a>,
    /// The namespace. Namespaces are in themselves.
    pub(in crate::dynamic_admission) namespace: String,
}

impl<'a> Request<'a> {
    pub(in crate::dynamic_admission) fn new(
        context: &'a RequestContext<'a>,
        snapshot: &'a Snapshot,
        attributes: &'a Attributes<'a>,
    ) -> Self {
        let namespace = snapshot::namespace(context, attributes.name).to_owned();
        Self { context, snapshot, attributes, namespace }
    }

    /// An object that was sent, or is stored, as the version of `row` shows it.
    fn shown(&self, row: &Resource, object: &Object, question: bool) -> Value {
        let target = self.context.target;
        let (value, kind, version) = match (question, self.context.view()) {
            (true, _) => {
                let kind = target.kind();
                (Value::Object(object.clone()), kind.kind.clone(), kind.api_version())
            }
            (false, Some(view)) => {
                let shown = view.show_tree(&target.resource, object);
                (shown, view.resource.kind.clone(), view.resource.api_version())
            }
            (false, None) if self.is_converted_to(row) => {
                // It is there by now ([`Self::convert`]).
                let shown = self.context.notes.in_version(object, &row.api_version());
                (shown.unwrap_or_default(), row.kind.clone(), row.api_version())
            }
            (false, None) => (field_management::in_version(row, object), row.kind.clone(), row.api_version()),
        };
        let mut shown = value;
        if let Value::Object(shown) = &mut shown {
            shown.insert("kind".to_owned(), kind.into());
            shown.insert("apiVersion".to_owned(), version.into());
        }
        shown
    }

    /// Reports whether a webhook has to convert the objects of the request to the version of `row`.
    pub(super) fn is_converted_to(&self, row: &Resource) -> bool {
        let context = self.context;
        context.converted().is_some()
            && row.version != context.target.resource.version
            && context.view().is_none()
    }

    /// Has a webhook convert the objects of the request to the version of `row`, if that is how they are converted.
    ///
    /// # Errors
    /// The reason why they cannot be had in that version.
    pub(in crate::dynamic_admission) async fn convert(&self, row: &Resource) -> Result<(), String> {
        if !self.is_converted_to(row) {
            return Ok(());
        }
        let sent = match self.attributes.object {
            Some(Payload::Stored(object)) => Some(object),
            _ => None,
        };
        for object in sent.into_iter().chain(self.attributes.old) {
            self.context.in_version(object, &row.api_version()).await?;
        }
        Ok(())
    }

    /// `object`, in the version of `row`.
    pub(in crate::dynamic_admission) fn object(&self, row: &Resource) -> Value {
        match self.attributes.object {
            None => Value::Null,
            Some(Payload::Stored(object)) => self.shown(row, object, false),
            Some(Payload::Question(object)) => self.shown(row, object, true),
        }
    }

    /// `oldObject`, in the version of `row`.
    pub(in crate::dynamic_admission) fn old_object(&self, row: &Resource) -> Value {
        self.attributes.old.map_or(Value::Null, |old| self.shown(row, old, false))
    }

    /// `request`. `row` is the resource that the rules have matched.
    pub(in crate::dynamic_admission) fn request(&self, row: &Resource) -> Value {
        let target = self.context.target;
        let part = target.subresource.as_str();
        let own = target.kind();
        let kind = |row: &Resource| match row.subresource(part) {
            Some(part) => json!({ "group": part.group, "version": part.version, "kind": part.kind }),
            None => json!({ "group": row.group, "version": row.version, "kind": row.kind }),
        };
        let resource =
            |row: &Resource| json!({ "group": row.group, "version": row.version, "resource": row.name });
        let mut request = json!({
            "kind": kind(row),
            "resource": resource(row),
            "requestKind": { "group": own.group, "version": own.version, "kind": own.kind },
            "requestResource": resource(&target.resource),
            "operation": self.attributes.operation.as_str(),
            "userInfo": self.context.user.info(),
            "dryRun": self.attributes.dry_run,
            "options": self.attributes.operation.options(self.context.query),
        });
        let texts = [
            ("subResource", part),
            ("requestSubResource", part),
            ("name", self.attributes.name),
            ("namespace", &self.namespace),
        ];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            request[key] = text.into();
        }
        request
    }

    /// `namespaceObject`: none at the cluster scope.
    ///
    /// # Errors
    /// The name of a namespace that is not there.
    pub(super) fn namespace_object(&self) -> Result<Value, String> {
        if self.namespace.is_empty() || self.is_namespace() {
            return Ok(Value::Null);
        }
        match &self.snapshot.namespace {
            Some(stored) => Ok(Value::Object(stored.tree())),
            None => Err(self.namespace.clone()),
        }
    }

    fn is_namespace(&self) -> bool {
        let resource = &self.context.target.resource;
        snapshot::is_namespace(resource)
    }

    /// Reports whether `constraints` (rules and selectors) match, and if so, in which form of the resource.
    ///
    /// # Errors
    /// The reason why it could not be found out.
    pub(in crate::dynamic_admission) fn matches(
        &self,
        constraints: &Value,
    ) -> Result<Option<Arc<Resource>>, String> {
        let in_namespace = self.matches_namespace(&constraints["namespaceSelector"]);
        if let Ok(false) = in_namespace {
            return Ok(None);
        }
        let with_labels = self.matches_labels(&constraints["objectSelector"]);
        if let Ok(false) = with_labels {
            return Ok(None);
        }
        let equivalent = constraints["matchPolicy"] != "Exact";
        if self.find_rule(&constraints["excludeResourceRules"], equivalent).is_some() {
            return Ok(None);
        }
        let found = match constraints["resourceRules"].as_array() {
            Some(rules) if !rules.is_empty() => self.find_rule(&constraints["resourceRules"], equivalent),
            _ => Some(Arc::clone(&self.context.target.resource)),
        };
        if found.is_some() {
            in_namespace?;
            with_labels?;
        }
        Ok(found)
    }

    /// The form of the resource that a policy is for, if it is for this request.
    ///
    /// # Errors
    /// Why the policy cannot be used.
    pub(super) fn matches_policy(&self, policy: &Value) -> Result<Option<Arc<Resource>>, String> {
        let Some(row) = self.matches(&policy["matchConstraints"])? else { return Ok(None) };
        let kind = &policy["paramKind"];
        if kind.is_null() || self.param_row(kind).is_some() {
            return Ok(Some(row));
        }
        Err(format!("failed to find resource referenced by paramKind: '{}'", show_kind(kind)))
    }

    /// The object as it was sent.
    pub(super) fn sent(&self) -> Object {
        match self.attributes.object {
            Some(Payload::Stored(object) | Payload::Question(object)) => object.clone(),
            None => Object::new(),
        }
    }

    pub(super) fn find_rule(&self, rules: &Value, equivalent: bool) -> Option<Arc<Resource>> {
        let rules = || rules.as_array().into_iter().flatten();
        let own = &self.context.target.resource;
        if rules().any(|rule| self.rule_matches(rule, own)) {
            return Some(Arc::clone(own));
        }
        let part = &self.context.target.subresource;
        let others = || {
            self.snapshot.resources.iter().filter(|row| {
                row.storage.group == own.storage.group
                    && row.storage.resource == own.storage.resource
                    && (&row.group, &row.version) != (&own.group, &own.version)
                    && (part.is_empty() || row.subresource(part).is_some())
            })
        };
        let mut found = rules().flat_map(|rule| others().filter(|row| self.rule_matches(rule, row)));
        if equivalent { found.next().cloned() } else { None }
    }

    /// Reports whether the request is about something in a namespace.
    pub(super) fn namespaced(&self) -> bool {
        !self.namespace.is_empty() && !self.is_namespace()
    }

    fn rule_matches(&self, rule: &Value, row: &Resource) -> bool {
        let scope = match rule["scope"].as_str() {
            Some("Namespaced") => self.namespaced(),
            Some("Cluster") => !self.namespaced(),
            _ => true,
        };
        let fields = ["operations", "apiGroups", "apiVersions", "resources", "resourceNames"];
        scope && fields.iter().all(|field| self.names(rule, field, row))
    }

    /// Reports whether a field of a rule matches the request.
    pub(super) fn names(&self, rule: &Value, field: &str, row: &Resource) -> bool {
        let listed = rule[field].as_array().map_or(&[][..], Vec::as_slice);
        let is = |text: &str, own: &str| text == "*" || text == own;
        // Without names it is every object.
        field == "resourceNames" && listed.is_empty()
            || listed.iter().filter_map(Value::as_str).any(|text| match field {
                "operations" => is(text, self.attributes.operation.as_str()),
                "apiGroups" => is(text, &row.group),
                "apiVersions" => is(text, &row.version),
                "resources" => {
                    let (resource, of) = text.split_once('/').unwrap_or((text, ""));
                    is(resource, &row.name) && is(of, &self.context.target.subresource)
                }
                _ => text == self.attributes.name,
            })
    }

    pub(super) fn matches_namespace(&self, selector: &Value) -> Result<bool, String> {
        if self.namespace.is_empty() && !self.is_namespace() {
            return Ok(true);
        }
        let selector = read_selector(selector)?;
        if selector.is_empty() {
            return Ok(true);
        }
        let writes = matches!(self.attributes.operation, Operation::Create | Operation::Update);
        if let (true, "", Some(Payload::Stored(object))) =
            (self.is_namespace() && writes, self.context.target.subresource.as_str(), self.attributes.object)
        {
            return Ok(selects(&selector, object));
        }
        match &self.snapshot.namespace {
            Some(stored) => Ok(selector.matches(|key| stored.label(key))),
            None => Err(format!("namespaces \"{}\" not found", self.namespace)),
        }
    }

    pub(super) fn matches_labels(&self, selector: &Value) -> Result<bool, String> {
        let selector = read_selector(selector)?;
        if selector.is_empty() {
            return Ok(true);
        }
        // What a workload's size is shown as has no labels.
        let labelled = self.context.view().is_none();
        let object = match self.attributes.object {
            Some(Payload::Question(object)) => Some(object),
            Some(Payload::Stored(object)) => Some(object).filter(|_| labelled),
            None => None,
        };
        let both = [object, self.attributes.old.filter(|_| labelled)];
        Ok(both.into_iter().flatten().any(|object| selects(&selector, object)))
    }

    /// The parameters that a binding names; one that is null, if it names none.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn params(&self, kind: &Value, reference: &Value) -> Result<Vec<Value>, String> {
        if kind.is_null() || reference.is_null() {
            return Ok(vec![Value::Null]);
        }
        let Some(row) = self.param_row(kind) else {
            return Err(format!("paramKind kind `{}` not known", show_kind(kind)));
        };
        let text = |key: &str| reference[key].as_str().unwrap_or_default();
        let (namespace, name) = match (row.namespaced, text("namespace")) {
            (true, "") if self.namespace.is_empty() => {
                let why =
                    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
                return Err(why.to_owned());
            }
            (true, "") => (self.namespace.as_str(), text("name")),
            (true, namespace) => (namespace, text("name")),
            (false, "") => ("", text("name")),
            (false, _) => {
                let why = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
                return Err(why.to_owned());
            }
        };
        let shown = |stored: &Stored| {
            let tree = convert::tree_of(row, stored);
            let mut shown = field_management::in_version(row, &tree);
            if let Value::Object(shown) = &mut shown {
                shown.insert("kind".to_owned(), row.kind.as_str().into());
                shown.insert("apiVersion".to_owned(), row.api_version().into());
            }
            shown
        };
        let found: Vec<Value> = if name.is_empty() {
            let selector = read_selector(&reference["selector"])?;
            let stored = self.context.shared.all(&collection_key(row, namespace));
            let selected = stored.iter().filter(|stored| selector.matches(|key| stored.label(key)));
            selected.map(|stored| shown(stored)).collect()
        } else {
            let key = object_key(row, namespace, name);
            self.context.shared.find(&key).map(|stored| shown(&stored)).into_iter().collect()
        };
        if found.is_empty() && reference["parameterNotFoundAction"] == "Deny" {
            return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
        }
        Ok(found)
    }

    /// The resource whose objects a policy has for its parameters.
    fn param_row(&self, kind: &Value) -> Option<&Arc<Resource>> {
        let rows = self.snapshot.resources.iter();
        let mut named = rows.filter(|row| kind["kind"] == row.kind.as_str());
        named.find(|row| kind["apiVersion"] == row.api_version())
    }
}

/// A kind as Go prints it: the core group is empty, and its slash stays.
fn show_kind(kind: &Value) -> String {
    let text = |key: &str| kind[key].as_str().unwrap_or_default();
    let (version, slash) = (text("apiVersion"), if text("apiVersion").contains('/') { "" } else { "/" });
    [slash, version, ", Kind=", text("kind")].concat()
}

fn read_selector(selector: &Value) -> Result<LabelSelector, String> {
    if selector.is_null() {
        return Ok(LabelSelector::default());
    }
    LabelSelector::of(selector).ok_or_else(|| "Internal error occurred: invalid selector".to_owned())
}

fn selects(selector: &LabelSelector, object: &Object) -> bool {
    let labels = object::metadata(object, "labels");
    selector.matches(|key| labels?.get(key)?.as_str())
}
