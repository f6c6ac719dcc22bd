//! The expressions of policies: what they may refer to, and what they must give.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-expression>.

use std::sync::{Arc, OnceLock};

use cel::{Authorizer, Declared, Env, ListKind, Program, Type};

/// The result that an expression must give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// A boolean.
    Bool,
    /// A text. It cannot ask what is allowed.
    Message,
    /// A text or nothing.
    Annotation,
    /// Whatever it is: this is a variable.
    Anything,
    /// A configuration to apply.
    Configuration,
    /// A list of operations of JSON Patch.
    Patch,
}

/// The reason why an expression is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is not right.
    Invalid(String),
    /// It is right, and cannot run.
    Internal(String),
}

impl Wrong {
    /// The text alone.
    pub fn text(self) -> String {
        match self {
            Self::Invalid(text) | Self::Internal(text) => text,
        }
    }
}

/// The scope of a policy's expressions: what they may refer to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// True if there are parameters.
    has_params: bool,
    /// The variables so far in the order of their names, and their types; none where there can be none.
    variables: Option<Vec<(String, Type)>>,
    /// The types of the objects and of the parameters, if expressions are only to be checked by them.
    types: Option<ObjectTypes>,
}

/// The declared types of what a policy is about. What is not declared may be anything.
#[derive(Clone, Debug, Default)]
pub struct ObjectTypes {
    /// That of `object` and `oldObject`.
    pub object: Option<Arc<Declared>>,
    /// That of `params`.
    pub params: Option<Arc<Declared>>,
}

impl Scope {
    /// That of a policy which `has_params`, and that of its variables if there are any.
    pub fn new(has_params: bool, has_variables: bool) -> Self {
        Self { has_params, variables: has_variables.then(Vec::new), types: None }
    }

    /// That of a policy whose objects and parameters have types: its expressions are checked, and never run.
    ///
    /// See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking>.
    pub fn typed(has_params: bool, types: ObjectTypes) -> Self {
        Self { has_params, variables: Some(Vec::new()), types: Some(types) }
    }

    /// The same without variables.
    pub(crate) fn without_variables(&self) -> Self {
        Self { variables: None, ..self.clone() }
    }

    /// Compiles a variable, which the expressions after it may refer to even if it is wrong.
    pub fn variable(&mut self, name: &str, text: &str) -> Result<Program, Wrong> {
        let compiled = self.compile(text, Gives::Anything);
        let kind = compiled.as_ref().map_or(Type::Dyn, |program| known(program.kind()));
        if let Some(variables) = &mut self.variables {
            match variables.binary_search_by(|(other, _)| other.as_str().cmp(name)) {
                Ok(at) => variables[at].1 = kind,
                Err(at) => variables.insert(at, (name.to_owned(), kind)),
            }
        }
        compiled
    }

    /// Returns what is wrong with the types of an expression.
    pub fn issues(&self, text: &str) -> Option<String> {
        let issues = self.env(text, Gives::Anything).compile(text).err()?;
        Some(issues.to_text(text))
    }

    /// Compiles an expression.
    pub fn compile(&self, text: &str, gives: Gives) -> Result<Program, Wrong> {
        let env = self.env(text, gives);
        let program = env
            .compile(text)
            .map_err(|issues| Wrong::Invalid(["compilation failed: ", &issues.to_text(text)].concat()))?;
        let kind = program.kind();
        let (expected, fits) = match gives {
            Gives::Anything => ("", true),
            Gives::Bool => ("bool", matches!(kind, Type::Bool)),
            Gives::Message => ("string", matches!(kind, Type::String)),
            Gives::Annotation => ("one of [string null_type]", matches!(kind, Type::String | Type::Null)),
            Gives::Configuration => ("Object", is_object(kind, "Object")),
            Gives::Patch => match kind {
                Type::List(items) => ("list(JSONPatch)", is_object(items, "JSONPatch")),
                _ => ("list(JSONPatch)", false),
            },
        };
        if !fits {
            return Err(Wrong::Invalid(["must evaluate to ", expected, " but got ", &shown(kind)].concat()));
        }
        match program.fault() {
            Some(fault) => Err(Wrong::Internal(["program instantiation failed: ", fault].concat())),
            None => Ok(program),
        }
    }

    /// The names that there are for an expression. Each has its place, whether it is there or not.
    fn env(&self, text: &str, gives: Gives) -> Env {
        let absent = |env: Env| env.variable("", Type::Dyn);
        let types = self.types.as_ref();
        let variable = |env: Env, name: &str, declared: Option<&Arc<Declared>>| match declared {
            Some(declared) => env.declared(name, Arc::clone(declared)),
            None => env.variable(name, Type::Dyn),
        };
        let object = types.and_then(|types| types.object.as_ref());
        let env = variable(variable(Env::new(), "object", object), "oldObject", object);
        let env = env.declared("namespaceObject", namespace()).declared("request", request());
        let env = match &self.variables {
            Some(variables) => {
                // There may be many, of which an expression says few.
                let mut words: Vec<&str> =
                    text.split(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric()).collect();
                schema::sort_once(&mut words);
                let find = |word: &str| {
                    let at = variables.binary_search_by(|(name, _)| name.as_str().cmp(word)).ok()?;
                    variables
                        .get(at)
                        .map(|(name, kind)| (name.clone(), Declared::of_type(kind.clone()), true))
                };
                let fields = words.into_iter().filter_map(find).collect();
                env.declared("variables", Arc::new(Declared::object_called("kubernetes.variables", fields)))
            }
            None => absent(env),
        };
        let params = types.and_then(|types| types.params.as_ref());
        let env = if self.has_params { variable(env, "params", params) } else { absent(env) };
        let env = if gives == Gives::Message {
            absent(absent(env))
        } else {
            let env = env.variable("authorizer", Type::Opaque(Authorizer::TYPE));
            // kube-apiserver's checker does not know of it.
            match types {
                Some(_) => absent(env),
                None => env.variable("authorizer.requestResource", Type::Opaque(Authorizer::RESOURCE_TYPE)),
            }
        };
        if matches!(gives, Gives::Configuration | Gives::Patch) { env.patches() } else { env }
    }
}

fn is_object(kind: &Type, name: &str) -> bool {
    matches!(kind, Type::Object(object) if object.name == name)
}

/// Returns the type that is remembered for a variable: the types of libraries and objects are not.
fn known(kind: &Type) -> Type {
    match kind {
        Type::List(items) => Type::list(known(items)),
        Type::Map(entry) => Type::map(known(&entry.0), known(&entry.1)),
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Uint
        | Type::Double
        | Type::String
        | Type::Bytes
        | Type::Timestamp
        | Type::Duration => kind.clone(),
        _ => Type::Dyn,
    }
}

/// Returns a type as Go prints it.
pub(crate) fn shown(kind: &Type) -> String {
    match kind {
        Type::Null => "null_type".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        Type::List(items) => ["list(", &shown(items), ")"].concat(),
        Type::Map(entry) => ["map(", &shown(&entry.0), ", ", &shown(&entry.1), ")"].concat(),
        Type::Optional(inner) => ["optional_type(", &shown(inner), ")"].concat(),
        Type::Type(inner) => ["type(", &shown(inner), ")"].concat(),
        other => other.name(),
    }
}

fn text() -> Declared {
    Declared::string("", None, None)
}

fn list(items: Declared) -> Declared {
    Declared::list(items, ListKind::Atomic, None)
}

fn object(name: &str, fields: Vec<(&str, Declared)>) -> Declared {
    let fields = fields.into_iter().map(|(name, declared)| (name.to_owned(), declared, true));
    Declared::object_called(name, fields.collect())
}

/// Returns the declared type of `request`.
///
/// See <https://kubernetes.io/docs/reference/config-api/apiserver-admission.v1/#admission-k8s-io-v1-AdmissionRequest>.
pub fn request() -> Arc<Declared> {
    static REQUEST: OnceLock<Arc<Declared>> = OnceLock::new();
    let make = || {
        let named = |name, last| object(name, vec![("group", text()), ("version", text()), (last, text())]);
        let kind = named("kubernetes.GroupVersionKind", "kind");
        let resource = named("kubernetes.GroupVersionResource", "resource");
        let user = object(
            "kubernetes.UserInfo",
            vec![
                ("username", text()),
                ("uid", text()),
                ("groups", list(text())),
                ("extra", Declared::map(list(text()), None)),
            ],
        );
        Arc::new(object(
            "kubernetes.AdmissionRequest",
            vec![
                ("kind", kind.clone()),
                ("resource", resource.clone()),
                ("subResource", text()),
                ("requestKind", kind),
                ("requestResource", resource),
                ("requestSubResource", text()),
                ("name", text()),
                ("namespace", text()),
                ("operation", text()),
                ("userInfo", user),
                ("dryRun", Declared::bool()),
                ("options", Declared::any()),
            ],
        ))
    };
    Arc::clone(REQUEST.get_or_init(make))
}

/// Returns the declared type of `namespaceObject`.
pub fn namespace() -> Arc<Declared> {
    static NAMESPACE: OnceLock<Arc<Declared>> = OnceLock::new();
    let make = || {
        let time = || Declared::string("date-time", None, None);
        let metadata = object(
            "kubernetes.NamespaceMetadata",
            vec![
                ("name", text()),
                ("generateName", text()),
                ("namespace", text()),
                ("labels", Declared::map(text(), None)),
                ("annotations", Declared::map(text(), None)),
                ("UID", text()),
                ("creationTimestamp", time()),
                ("deletionGracePeriodSeconds", Declared::int()),
                ("deletionTimestamp", time()),
                ("generation", Declared::int()),
                ("resourceVersion", text()),
                ("finalizers", list(text())),
            ],
        );
        let spec = object("kubernetes.NamespaceSpec", vec![("finalizers", list(text()))]);
        let condition = object(
            "kubernetes.NamespaceCondition",
            vec![
                ("status", text()),
                ("type", text()),
                ("lastTransitionTime", time()),
                ("message", text()),
                ("reason", text()),
            ],
        );
        let status =
            object("kubernetes.NamespaceStatus", vec![("conditions", list(condition)), ("phase", text())]);
        let fields = vec![("metadata", metadata), ("spec", spec), ("status", status)];
        Arc::new(object("kubernetes.Namespace", fields))
    };
    Arc::clone(NAMESPACE.get_or_init(make))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, gives: Gives, expected: &str) {
        let mut scope = Scope::new(true, true);
        let named = scope.variable("replicas", "object.spec.replicas").is_ok()
            && scope.variable("names", "['a', 'b']").is_ok()
            && scope.variable("url", "url('http://a')").is_ok();
        assert!(named, "variables");
        let found = scope.compile(text, gives).map_or_else(Wrong::text, |_| String::new());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_expressions_must_give() {
        check("object.spec.replicas <= 5", Gives::Bool, "");
        check("object.spec.paused", Gives::Bool, "must evaluate to bool but got dyn");
        check("null", Gives::Bool, "must evaluate to bool but got null_type");
        check(
            "[timestamp('2024-01-01T00:00:00Z')]",
            Gives::Bool,
            "must evaluate to bool but got list(google.protobuf.Timestamp)",
        );
        check("'a' + variables.names[0]", Gives::Message, "");
        check("true", Gives::Annotation, "must evaluate to one of [string null_type] but got bool");
        check("Object{spec: Object.spec{replicas: 1}}", Gives::Configuration, "");
        check("Object.spec{}", Gives::Configuration, "must evaluate to Object but got Object.spec");
        check("{'a': 1}", Gives::Configuration, "must evaluate to Object but got map(string, int)");
        check(
            "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'x'}]",
            Gives::Patch,
            "",
        );
        check("[]", Gives::Patch, "must evaluate to list(JSONPatch) but got list(dyn)");
        check(
            "duration('x') == duration(string(1))",
            Gives::Bool,
            "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('x') == duration(string(1))\n | .........^",
        );
    }

    #[test]
    fn what_expressions_may_refer_to() {
        let undeclared = |name: &str, column: usize, text: &str| {
            let dots = ".".repeat(column - 1);
            format!(
                "compilation failed: ERROR: <input>:1:{column}: undeclared reference to '{name}' (in container '')\n | {text}\n | {dots}^"
            )
        };
        check("variables.url.getHost() == 'a' && params.a == oldObject.b", Gives::Bool, "");
        check("request.userInfo.groups.exists(g, g == namespaceObject.metadata.name)", Gives::Bool, "");
        check("authorizer.requestResource.check('get').allowed()", Gives::Bool, "");
        check(
            "authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').reason() != ''",
            Gives::Bool,
            "",
        );
        check(
            "authorizer.path('/').check('get').reason()",
            Gives::Message,
            &undeclared("authorizer", 1, "authorizer.path('/').check('get').reason()"),
        );
        check(
            "Object{} == Object{}",
            Gives::Bool,
            "compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{} == Object{}\n | ......^\nERROR: <input>:1:19: undeclared reference to 'Object' (in container '')\n | Object{} == Object{}\n | ..................^",
        );
        check(
            "variables.x == 1",
            Gives::Bool,
            "compilation failed: ERROR: <input>:1:10: undefined field 'x'\n | variables.x == 1\n | .........^",
        );
        check(
            "[JSONPatch{op: 1, path: '/a'}]",
            Gives::Patch,
            "compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1, path: '/a'}]\n | .............^",
        );
        check(
            "request.kind == 'x'",
            Gives::Bool,
            "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(kubernetes.GroupVersionKind, string)'\n | request.kind == 'x'\n | .............^",
        );
    }
}
