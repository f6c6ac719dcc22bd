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
/// is wrong with the expressions there and with what they may cost. Rules with errors are left out.
pub fn compile(schema: &Structural, path: &Path) -> (Compiled, Vec<Error>) {
    if !schema.has_rules() {
        return (Compiled::default(), Vec::new());
    }
    let mut compiler = Compiler::default();
    let declared = declare(schema, true);
    let root = Place { path: path.clone(), cardinality: Cardinality::ROOT, uncorrelatable: None };
    let root = compiler.node(schema, declared.as_ref(), &root);
    compiler.errors.extend(compiler.total.errors(path));
    (Compiled { root }, compiler.errors)
}

#[derive(Default)]
struct Compiler {
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

impl Compiler {
    /// A node and what is below it. The errors of what is below come first.
    fn node(&mut self, schema: &Structural, declared: Option<&Declared>, place: &Place) -> Option<Node> {
        if !schema.has_rules() {
            return None;
        }
        let inner = |declared: &Declared| match &declared.shape {
            Shape::List(inner, _) | Shape::Map(inner) => Some(inner.clone()),
            _ => None,
        };
        let inner = declared.and_then(inner);
        let additional = schema.additional().and_then(|additional| {
            let place = place.below(place.path.child("additionalProperties"), schema, true);
            self.node(additional, inner.as_deref(), &place).map(Box::new)
        });
        let mut properties = Vec::new();
        for (name, property) in &schema.properties {
            if !property.has_rules() {
                continue;
            }
            let field = declared.and_then(|declared| match (&declared.shape, cel::escape(name)) {
                (Shape::Object(object), Some(name)) => {
                    object.field(&name).map(|field| field.declared.clone())
                }
                _ => declare(property, is_resource(property)),
            });
            let place = place.below(place.path.child("properties").key(name), schema, true);
            if let Some(node) = self.node(property, field.as_ref(), &place) {
                properties.push((name.clone(), node));
            }
        }
        let items = schema.items.as_deref().and_then(|items| {
            let correlatable = schema.list_type == Some(ListType::Map);
            let place = place.below(place.path.child("items"), schema, correlatable);
            self.node(items, inner.as_deref(), &place).map(Box::new)
        });
        let (declared, rules) = self.rules(schema, declared, place);
        let nothing = rules.is_empty() && items.is_none() && additional.is_none() && properties.is_empty();
        (!nothing).then_some(Node { declared, rules, items, additional, properties })
    }

    /// The rules of a node itself, and what is declared of its values.
    fn rules(
        &mut self,
        schema: &Structural,
        declared: Option<&Declared>,
        place: &Place,
    ) -> (Arc<Declared>, Vec<Ready>) {
        let mut ready = Vec::new();
        if schema.rules.is_empty() {
            return (Arc::new(Declared::any()), ready);
        }
        let path = place.path.child("x-kubernetes-validations");
        let Some(declared) = declared else {
            self.errors.internal(
                &path,
                "internal error: failed to construct type information for x-kubernetes-validations rules: \
                 unable to convert structural schema to CEL declarations",
            );
            return (Arc::new(Declared::any()), ready);
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
