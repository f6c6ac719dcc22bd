//! The environment of an expression: the variables and types that it may refer to.

use std::sync::Arc;

use crate::{
    function::{Function, Overload},
    library, stdlib,
    types::Type,
    types::declared::{Declared, Field, Object},
};

/// The type of an operation of JSON Patch.
const PATCH: &str = "JSONPatch";
/// The type of an object to apply.
const OBJECT: &str = "Object";

/// The variables that expressions may refer to. The functions are those of the language and of all libraries.
#[derive(Clone, Debug, Default)]
pub struct Env {
    pub(crate) variables: Vec<Variable>,
    /// True if expressions may make objects of the types that patches are made of.
    patches: bool,
    /// True if estimates use the declared size of a value that `map.name` selects.
    pub(crate) values_by_name: bool,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) kind: Type,
    /// The declaration of the variable's value, for estimates.
    pub(crate) declared: Option<Arc<Declared>>,
}

impl Env {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a variable of this type.
    #[must_use]
    pub fn variable(mut self, name: &str, kind: Type) -> Self {
        self.variables.push(Variable { name: name.to_owned(), kind, declared: None });
        self
    }

    /// With a variable of which this is declared. What is declared of the first such variable is what sizes are
    /// estimated by where it is not known of what something is a part.
    #[must_use]
    pub fn declared(mut self, name: &str, declared: Arc<Declared>) -> Self {
        let kind = declared.kind.clone();
        self.variables.push(Variable { name: name.to_owned(), kind, declared: Some(declared) });
        self
    }

    /// With a variable that is an optional of what is declared.
    #[must_use]
    pub fn declared_optional(mut self, name: &str, declared: Arc<Declared>) -> Self {
        let kind = Type::optional(declared.kind.clone());
        self.variables.push(Variable { name: name.to_owned(), kind, declared: Some(declared) });
        self
    }

    /// With the types that patches are made of: `Object`, `Object.spec` and the like, which have any fields, and
    /// `JSONPatch`; and with the functions for them.
    ///
    /// See <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.
    #[must_use]
    pub fn patches(mut self) -> Self {
        self.patches = true;
        self
    }

    /// Lets the cost estimate use the declared size of a value of any type that `map.name` selects.
    #[must_use]
    pub fn values_by_name(mut self) -> Self {
        self.values_by_name = true;
        self
    }

    /// The type called `name` that patches are made of.
    pub(crate) fn patch_type(&self, name: &str) -> Option<Arc<Object>> {
        if !self.patches {
            return None;
        }
        if name == PATCH {
            let field =
                |name: &str, declared| Field { name: name.to_owned(), key: name.to_owned(), declared };
            let text = || Declared::string("", None, None);
            let fields = vec![
                field("from", text()),
                field("op", text()),
                field("path", text()),
                field("value", Declared::any()),
            ];
            return Some(Arc::new(Object { name: name.to_owned(), fields, open: false }));
        }
        let known = name == OBJECT || name.strip_prefix(OBJECT).is_some_and(|rest| rest.starts_with('.'));
        known.then(|| Arc::new(Object { name: name.to_owned(), fields: Vec::new(), open: true }))
    }

    /// The overloads of the functions called `name`.
    pub(crate) fn overloads(&self, name: &str) -> Vec<&'static Overload> {
        let patches = if self.patches { library::FOR_PATCHES } else { &[] };
        let tables = stdlib::FUNCTIONS.iter().chain(library::FUNCTIONS).chain(patches);
        let functions = tables.flat_map(|table: &&'static [Function]| table.iter());
        functions.filter(|function| function.name == name).flat_map(|function| function.overloads).collect()
    }
}
