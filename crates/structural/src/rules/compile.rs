//! Validation of the rules of a definition, and programs of the valid ones.

use std::sync::Arc;

use cel::{Declared, Env, Program, Shape, Type};
use field::{AddError, Error, Path};
use json_tree::{Value, json};

use super::cost::{Cardinality, Total};
use super::declare::declare;
use super::field_path::field_path;
use super::{Compiled, Node, Ready, is_resource};
use crate::{ListType, Rule, Structural};

/// The name of the type of `self` in error texts.
const SELF_TYPE: &str = "selfType1";

/// Compiles all rules of the schema of a resource. `path` is that of the schema in its definition; the errors are what
/// is wrong with the expressions there and with what they may cost. Rules with errors are left out, and so are those of
/// a schema if an error of `wrong` is about it or a schema below it.
pub fn compile(schema: &Structural, path: &Path, wrong: &[Error]) -> (Compiled, Vec<Error>) {
    if !schema.has_rules() {
        return (Compiled::default(), Vec::new());
    }
    let mut compiler = Compiler { wrong, errors: Vec::new(), total: Total::default() };
    let place = Place { path: path.clone(), cardinality: Cardinality::ROOT, uncorrelatable: None };
    let scope = Scope::Outside.within(schema, true, |_| None);
    let root = compiler.node(schema, &scope, &place);
    compiler.errors.extend(compiler.total.errors(path));
    (Compiled { root }, compiler.errors)
}

struct Compiler<'a> {
    /// Errors about the schema that are known already.
    wrong: &'a [Error],
    errors: Vec<Error>,
    total: Total,
}

/// The place of a schema in a definition.
struct Place {
    path: Path,
    cardinality: Cardinality,
    /// The outermost list around it whose items cannot be told apart.
    uncorrelatable: Option<Path>,
}

impl Place {
    fn below(&self, path: Path, schema: &Structural, correlatable: bool) -> Self {
        let uncorrelatable = self.uncorrelatable.clone();
        Self {
            path,
            cardinality: self.cardinality.within(schema),
            uncorrelatable: uncorrelatable.or_else(|| (!correlatable).then(|| self.path.clone())),
        }
    }
}

impl Compiler<'_> {
    /// A node and what is below it. The errors of what is below come first.
    fn node(&mut self, schema: &Structural, scope: &Scope, place: &Place) -> Option<Node> {
        if !schema.has_rules() {
            return None;
        }
        let additional = schema.additional().and_then(|additional| {
            let place = place.below(place.path.child("additionalProperties"), schema, true);
            let scope = scope.within(additional, is_resource(additional), element);
            self.node(additional, &scope, &place).map(Box::new)
        });
        let mut properties = Vec::new();
        for (name, property) in &schema.properties {
            if !property.has_rules() {
                continue;
            }
            let scope = scope.within(property, is_resource(property), |declared| field(declared, name));
            let place = place.below(place.path.child("properties").key(name), schema, true);
            if let Some(node) = self.node(property, &scope, &place) {
                properties.push((name.clone(), node));
            }
        }
        let items = schema.items.as_deref().and_then(|items| {
            let correlatable = schema.list_type == Some(ListType::Map);
            let place = place.below(place.path.child("items"), schema, correlatable);
            let scope = scope.within(items, is_resource(items), element);
            self.node(items, &scope, &place).map(Box::new)
        });
        let (declared, rules) = self.rules(schema, scope, place);
        let nothing = rules.is_empty() && items.is_none() && additional.is_none() && properties.is_empty();
        (!nothing).then_some(Node { declared, rules, items, additional, properties })
    }

    /// The rules of a node itself, and what is declared of its values.
    fn rules(&mut self, schema: &Structural, scope: &Scope, place: &Place) -> (Arc<Declared>, Vec<Ready>) {
        let mut ready = Vec::new();
        if schema.rules.is_empty() || self.is_wrong(&place.path) {
            return (Arc::new(Declared::any()), ready);
        }
        let path = place.path.child("x-kubernetes-validations");
        let declared = match scope {
            Scope::Declared(declared) => declared,
            Scope::Undeclared => {
                self.errors.internal(&path, "failed to convert to declType for CEL validation rules");
                return (Arc::new(Declared::any()), ready);
            }
            Scope::Outside | Scope::Failed => {
                self.errors.internal(
                    &path,
                    "internal error: failed to construct type information for x-kubernetes-validations rules: \
                     unable to convert structural schema to CEL declarations",
                );
                return (Arc::new(Declared::any()), ready);
            }
        };
        let named = Arc::new(declared.named(SELF_TYPE));
        for (index, rule) in schema.rules.iter().enumerate() {
            let env = Env::new().declared("self", named.clone());
            let env = if rule.is_optional() {
                env.declared_optional("oldSelf", named.clone())
            } else {
                env.declared("oldSelf", named.clone())
            };
            ready.extend(self.rule(rule, &env, schema, declared, &path.index(index), place));
        }
        (named, ready)
    }

    /// Reports whether something is wrong in the schema at `path` or below.
    fn is_wrong(&self, path: &Path) -> bool {
        if self.wrong.is_empty() {
            return false;
        }
        let path = path.to_string();
        let rest = |error: &Error| {
            error.field.strip_prefix(&path).map(|rest| rest.starts_with(['.', '[']) || rest.is_empty())
        };
        self.wrong.iter().any(|error| rest(error) == Some(true))
    }

    /// One rule. None if it cannot be run.
    fn rule(
        &mut self,
        rule: &Rule,
        env: &Env,
        schema: &Structural,
        declared: &Declared,
        path: &Path,
        place: &Place,
    ) -> Option<Ready> {
        let at = path.child("rule");
        let program = if rule.rule.trim().is_empty() {
            None
        } else {
            match expression(&rule.rule, env, &[Type::Bool]) {
                Ok(program) => {
                    let cost = place.cardinality.times(program.estimate().max, declared);
                    self.errors.extend(self.total.add(at.clone(), "rule", cost));
                    Some(program)
                }
                Err(why) => {
                    let why = match why {
                        Wrong::Syntax(text) => format!("compilation failed: {text}"),
                        Wrong::Type => "cel expression must evaluate to a bool".to_owned(),
                        Wrong::Program(text) => format!("program instantiation failed: {text}"),
                    };
                    self.errors.invalid(&at, show(rule), why);
                    None
                }
            }
        };
        let mut message = None;
        if program.is_some() && !rule.message_expression.is_empty() {
            let at = path.child("messageExpression");
            match expression(&rule.message_expression, env, &[Type::String]) {
                Ok(program) => {
                    self.errors.extend(self.total.add(at, "messageExpression", program.estimate().max));
                    message = Some(program);
                }
                Err(why) => {
                    let why = match why {
                        Wrong::Syntax(text) => format!("messageExpression compilation failed: {text}"),
                        Wrong::Type => "messageExpression must evaluate to a string".to_owned(),
                        Wrong::Program(text) => format!("messageExpression instantiation failed: {text}"),
                    };
                    self.errors.invalid(&at, show(rule), why);
                }
            }
        }
        let uses_old = program.as_ref().is_some_and(|program| program.refers_to("oldSelf"));
        match (&place.uncorrelatable, rule.optional_old_self) {
            (Some(list), _) if uses_old => self.errors.invalid(
                &at,
                rule.rule.clone(),
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"),
            ),
            (_, Some(optional)) if !uses_old => self.errors.invalid(
                path.child("optionalOldSelf"),
                optional,
                "may not be set if oldSelf is not used in rule",
            ),
            _ => {}
        }
        Some(Ready {
            program: program?,
            message,
            uses_old,
            rule: rule.clone(),
            field: field_path(&rule.field_path, schema).unwrap_or_default(),
        })
    }
}

/// The declaration of a schema's values, or why there is none.
enum Scope {
    /// Neither it nor a schema around it has rules.
    Outside,
    /// It, or the outermost schema around it that has rules, cannot be declared.
    Failed,
    Declared(Declared),
    /// A schema around it is declared as something that has no such values.
    Undeclared,
}

impl Scope {
    /// Returns the scope of a schema directly within, which may be a resource. `find` looks it up in what is declared
    /// here: what that does not know is declared for itself.
    fn within(
        &self,
        schema: &Structural,
        is_resource: bool,
        find: impl FnOnce(&Declared) -> Option<Self>,
    ) -> Self {
        let known = match self {
            Self::Outside if schema.rules.is_empty() => Some(Self::Outside),
            Self::Outside | Self::Undeclared => None,
            Self::Failed => Some(Self::Failed),
            Self::Declared(declared) => find(declared),
        };
        known.unwrap_or_else(|| declare(schema, is_resource).map_or(Self::Failed, Self::Declared))
    }
}

/// Finds what is declared of the items of a list, or the values of a map.
fn element(declared: &Declared) -> Option<Scope> {
    Some(match &declared.shape {
        Shape::List(inner, _) | Shape::Map(inner) => Scope::Declared(Declared::clone(inner)),
        _ => Scope::Undeclared,
    })
}

/// Finds what is declared of a field.
fn field(declared: &Declared, name: &str) -> Option<Scope> {
    let Shape::Object(object) = &declared.shape else { return None };
    Some(Scope::Declared(object.field(&cel::escape(name)?)?.declared.clone()))
}

/// Why an expression is no program.
enum Wrong {
    Syntax(String),
    Type,
    Program(String),
}

fn expression(text: &str, env: &Env, kinds: &[Type]) -> Result<Program, Wrong> {
    let program = env.compile(text).map_err(|issues| Wrong::Syntax(issues.to_text(text)))?;
    if !kinds.contains(program.kind()) {
        return Err(Wrong::Type);
    }
    match program.fault() {
        Some(fault) => Err(Wrong::Program(fault.to_owned())),
        None => Ok(program),
    }
}

/// A rule as Go prints it in an error.
fn show(rule: &Rule) -> Value {
    json!({
        "Rule": rule.rule,
        "Message": rule.message,
        "MessageExpression": rule.message_expression,
        "Reason": rule.reason,
        "FieldPath": rule.field_path,
        "OptionalOldSelf": rule.optional_old_self,
    })
}
