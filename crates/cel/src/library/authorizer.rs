//! The authorizer library: checks of who may do what.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library>. The decisions come from an
//! [`Authority`] that the [`Authorizer`] has been given.

use std::{any::Any, fmt::Debug, sync::Arc};

use field::name;

use super::{member, prices::ONE};
use crate::{
    error::Error,
    function::{Function, Price, Size},
    types::Sig::{self, Bool, Opaque as Of, String as Text},
    value::{Opaque, Value},
};

const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";
const PATH: &str = "kubernetes.authorization.PathCheck";
const GROUP: &str = "kubernetes.authorization.GroupCheck";
const RESOURCE: &str = "kubernetes.authorization.ResourceCheck";
const DECISION: &str = "kubernetes.authorization.Decision";

/// The cost of a check: no expression may make more than two of them.
const CHECK_COST: u64 = 350_000;

const CHECKED: Price =
    Price::By { estimate: |_| (Size::exactly(CHECK_COST), None), actual: |_, _| CHECK_COST };

/// The question of an authorization check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Namespace and name of the service account that it is asked about; none for who sends the request.
    pub account: Option<(String, String)>,
    /// True if it is about a resource; if not, it is about a path.
    pub is_resource: bool,
    /// The verb.
    pub verb: String,
    /// The path.
    pub path: String,
    /// The API group.
    pub group: String,
    /// The resource, plural.
    pub resource: String,
    /// The subresource; may be empty.
    pub subresource: String,
    /// The namespace; empty at the cluster scope.
    pub namespace: String,
    /// The object's name; may be empty.
    pub name: String,
    /// A field selector; may be empty.
    pub fields: String,
    /// A label selector; may be empty.
    pub labels: String,
}

/// The decision about a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// True if the request is allowed.
    pub allowed: bool,
    /// Why; may be empty.
    pub reason: String,
    /// The error that prevented the decision; may be empty.
    pub error: String,
}

/// The source of decisions about checks.
pub trait Authority: Debug + Send + Sync {
    /// Returns the decision about a check; none as long as it is not known.
    fn decide(&self, check: &Check) -> Option<Decision>;
}

/// A value that checks can be made with: for all paths and groups, or for what is in `check`.
#[derive(Clone, Debug)]
pub struct Authorizer {
    authority: Arc<dyn Authority>,
    kind: &'static str,
    check: Check,
}

impl Authorizer {
    /// The type of `authorizer`.
    pub const TYPE: &'static str = AUTHORIZER;
    /// The type of `authorizer.requestResource`.
    pub const RESOURCE_TYPE: &'static str = RESOURCE;

    /// The value of `authorizer`.
    pub fn value<'a>(authority: Arc<dyn Authority>) -> Value<'a> {
        Value::opaque(Self { authority, kind: AUTHORIZER, check: Check::default() })
    }

    /// The value of `authorizer.requestResource`, of which group, resource, subresource, namespace and name are known.
    pub fn of_resource<'a>(authority: Arc<dyn Authority>, check: Check) -> Value<'a> {
        Value::opaque(Self { authority, kind: RESOURCE, check: Check { is_resource: true, ..check } })
    }
}

/// The row of a function that says more of the resource that is asked about: which field of the check.
macro_rules! narrowing {
    ($name:literal, $id:literal, $field:ident) => {
        Function {
            name: $name,
            overloads: &[
                member!($id, [RESOURCE_CHECK, Text] => RESOURCE_CHECK, ONE, |of, Value::String(text)| {
                    narrow(of, RESOURCE, text, |check, text| check.$field = text)
                }),
            ],
        }
    };
}

/// The row of a function that tells something of a decision.
macro_rules! telling {
    ($name:literal, $id:literal, $gives:expr, $tell:expr) => {
        Function {
            name: $name,
            overloads: &[member!($id, [Of(DECISION)] => $gives, ONE, |of| decided(of, $tell))],
        }
    };
}

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "path",
        overloads: &[
            member!("authorizer_path", [Of(AUTHORIZER), Text] => Of(PATH), ONE, |of, Value::String(path)| {
                narrow(of, PATH, not_empty(path, "path must not be empty")?, |check, path| check.path = path)
            }),
        ],
    },
    Function {
        name: "group",
        overloads: &[
            member!("authorizer_group", [Of(AUTHORIZER), Text] => Of(GROUP), ONE, |of, Value::String(group)| {
                narrow(of, GROUP, group, |check, group| check.group = group)
            }),
        ],
    },
    Function {
        name: "serviceAccount",
        overloads: &[member!(
            "authorizer_serviceaccount", [Of(AUTHORIZER), Text, Text] => Of(AUTHORIZER), ONE,
            |of, Value::String(namespace), Value::String(account)| {
                if !name::subdomain(account).is_empty() {
                    return Err(Error::new("Invalid service account name"));
                }
                if !name::label(namespace).is_empty() {
                    return Err(Error::new("Invalid service account namespace"));
                }
                narrow(of, AUTHORIZER, account, |check, account| {
                    check.account = Some((namespace.to_string(), account));
                })
            }
        )],
    },
    Function {
        name: "resource",
        overloads: &[
            member!("groupcheck_resource", [Of(GROUP), Text] => RESOURCE_CHECK, ONE, |of, Value::String(resource)| {
                let resource = not_empty(resource, "resource must not be empty")?;
                narrow(of, RESOURCE, resource, |check, resource| {
                    check.is_resource = true;
                    check.resource = resource;
                })
            }),
        ],
    },
    narrowing!("subresource", "resourcecheck_subresource", subresource),
    narrowing!("namespace", "resourcecheck_namespace", namespace),
    narrowing!("name", "resourcecheck_name", name),
    narrowing!("fieldSelector", "authorizer_fieldselector", fields),
    narrowing!("labelSelector", "authorizer_labelselector", labels),
    Function {
        name: "check",
        overloads: &[
            member!("pathcheck_check", [Of(PATH), Text] => Of(DECISION), CHECKED, |of, Value::String(verb)| decide(of, verb)),
            member!("resourcecheck_check", [RESOURCE_CHECK, Text] => Of(DECISION), CHECKED, |of, Value::String(verb)| decide(of, verb)),
        ],
    },
    telling!("errored", "decision_errored", Bool, |decision| Value::Bool(!decision.error.is_empty())),
    telling!("error", "decision_error", Text, |decision| Value::string(decision.error.as_str())),
    telling!("allowed", "decision_allowed", Bool, |decision| Value::Bool(decision.allowed)),
    telling!("reason", "decision_reason", Text, |decision| Value::string(decision.reason.as_str())),
];

const RESOURCE_CHECK: Sig = Of(RESOURCE);

fn not_empty<'t>(text: &'t str, why: &str) -> Result<&'t str, Error> {
    if text.trim().is_empty() { Err(Error::new(why)) } else { Ok(text) }
}

/// The same authorizer, for less.
fn narrow<'a>(
    of: &Value<'a>,
    kind: &'static str,
    text: &str,
    set: impl FnOnce(&mut Check, String),
) -> Result<Value<'a>, Error> {
    let authorizer: &Authorizer = of.downcast().ok_or_else(Error::no_such_overload)?;
    let mut next = Authorizer { kind, ..authorizer.clone() };
    set(&mut next.check, text.to_owned());
    Ok(Value::opaque(next))
}

fn decide<'a>(of: &Value<'a>, verb: &str) -> Result<Value<'a>, Error> {
    let authorizer: &Authorizer = of.downcast().ok_or_else(Error::no_such_overload)?;
    let check = Check { verb: verb.to_owned(), ..authorizer.check.clone() };
    match authorizer.authority.decide(&check) {
        Some(decision) => Ok(Value::opaque(decision)),
        None => Err(Error::new("the decision is not known")),
    }
}

fn decided<'a>(of: &Value<'a>, tell: fn(&Decision) -> Value<'a>) -> Result<Value<'a>, Error> {
    of.downcast().map(tell).ok_or_else(Error::no_such_overload)
}

impl Opaque for Authorizer {
    fn type_name(&self) -> &'static str {
        self.kind
    }

    fn equals(&self, _: &dyn Opaque) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Opaque for Decision {
    fn type_name(&self) -> &'static str {
        DECISION
    }

    fn equals(&self, _: &dyn Opaque) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
