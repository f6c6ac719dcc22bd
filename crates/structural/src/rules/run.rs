//! Rules at work.

use cel::{Budget, CALL_LIMIT, Value};
use field::{AddError, Error, ErrorKind, Path};
use json_tree::Value as Json;

use super::{Compiled, Node, Ready};
use crate::correlation::{Correlated, Keys};
use crate::{Structural, Type};

/// The longest message that an expression may give, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

const EXHAUSTED: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The result of running the rules on an object.
#[derive(Debug, Default)]
pub struct Verdict {
    /// The errors of the object.
    pub errors: Vec<Error>,
    /// The errors that are tolerated because the values have not changed.
    pub tolerated: Vec<Error>,
}

/// Runs the rules on `new`, which was `old`. The rules may cost at most `budget` together. A rule without `oldSelf`
/// tolerates values that have not changed.
pub fn validate(
    compiled: &Compiled,
    schema: &Structural,
    new: &Json,
    old: Option<&Json>,
    budget: u64,
) -> Verdict {
    let Some(root) = &compiled.root else { return Verdict::default() };
    let mut run = Run { errors: Vec::new(), tolerated: Vec::new(), budget };
    let correlated = old.map(|old| Correlated { new, old, schema });
    let before = Before { current: correlated, nearest: None, root: true };
    // Who stops has said why.
    let _ = run.node(root, schema, new, old, before, &Path::default());
    Verdict { errors: run.errors, tolerated: run.tolerated }
}

/// Returns the error that replaces running the rules of an object in which these `errors` were found: values that are
/// missing, too large or of another type keep the rules from making sense.
pub fn unchecked(errors: &[Error]) -> Option<Error> {
    let blocking = |error: &Error| {
        matches!(
            error.kind,
            ErrorKind::NotSupported
                | ErrorKind::Required
                | ErrorKind::TooLong
                | ErrorKind::TooMany
                | ErrorKind::TypeInvalid
        )
    };
    errors.iter().any(blocking).then(|| {
        Error::invalid(
            Path::default(),
            Json::Null,
            "some validation rules were not checked because the object was invalid; correct the existing errors to \
             complete validation",
        )
    })
}

/// No more rules are run.
struct Stop;

struct Run {
    errors: Vec<Error>,
    tolerated: Vec<Error>,
    /// The remaining budget.
    budget: u64,
}

/// The earlier value of a value, or that of the nearest value around it for which it is known.
#[derive(Clone, Copy)]
struct Before<'a> {
    current: Option<Correlated<'a>>,
    nearest: Option<Correlated<'a>>,
    root: bool,
}

impl<'a> Before<'a> {
    fn below(self, find: impl FnOnce(&Correlated<'a>) -> Option<Correlated<'a>>) -> Self {
        match self.current {
            None => Self { root: false, ..self },
            Some(current) => Self { current: find(&current), nearest: Some(current), root: false },
        }
    }

    fn field(self, name: &str) -> Self {
        if self.root && matches!(name, "apiVersion" | "kind") {
            return Self { current: None, nearest: None, root: false };
        }
        self.below(|current| current.field(name))
    }

    /// Reports whether the value is unchanged, so that what is wrong may stay wrong.
    fn unchanged(&self) -> bool {
        self.current.or(self.nearest).is_some_and(|correlated| correlated.unchanged())
    }
}

impl Run {
    fn node(
        &mut self,
        node: &Node,
        schema: &Structural,
        value: &Json,
        old: Option<&Json>,
        before: Before<'_>,
        path: &Path,
    ) -> Result<(), Stop> {
        if value.is_null() {
            return Ok(());
        }
        if !node.rules.is_empty() {
            self.rules(node, schema, value, old.filter(|old| !old.is_null()), before, path)?;
        }
        match value {
            Json::Array(items) => {
                let (Some(node), Some(inner)) = (&node.items, &schema.items) else { return Ok(()) };
                let empty = Vec::new();
                let old_items = old.and_then(Json::as_array).unwrap_or(&empty);
                let keys = Keys::new(schema, old_items);
                for (index, item) in items.iter().enumerate() {
                    let old = keys.find(item);
                    let before = before.below(|_| Some(Correlated { new: item, old: old?, schema: inner }));
                    self.node(node, inner, item, old, before, &path.index(index))?;
                }
            }
            Json::Object(fields) => {
                let old_of = |name: &str| old.and_then(|old| old.get(name));
                if let (Some(node), Some(inner)) = (&node.additional, schema.additional()) {
                    for (name, value) in fields {
                        self.node(node, inner, value, old_of(name), before.field(name), &path.key(name))?;
                    }
                }
                for (name, node) in &node.properties {
                    if let (Some(value), Some(inner)) = (fields.get(name), schema.property(name)) {
                        self.node(node, inner, value, old_of(name), before.field(name), &path.named(name))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Runs the rules of one value.
    fn rules(
        &mut self,
        node: &Node,
        schema: &Structural,
        value: &Json,
        old: Option<&Json>,
        before: Before<'_>,
        path: &Path,
    ) -> Result<(), Stop> {
        let kind = schema.ty.map_or("", Type::name);
        if self.budget == 0 {
            self.errors.invalid(path, kind, EXHAUSTED);
            return Err(Stop);
        }
        let current = node.declared.value(value);
        let former = old.map(|old| node.declared.value(old));
        for ready in &node.rules {
            if ready.uses_old && former.is_none() && !ready.rule.is_optional() {
                continue;
            }
            // A value that is not as declared is an error of whoever looks at it.
            let variables = match (&current, &former) {
                (Ok(current), None) => Ok([current.clone(), Value::optional(None)]),
                (Ok(current), Some(Ok(former))) if ready.rule.is_optional() => {
                    Ok([current.clone(), Value::optional(Some(former.clone()))])
                }
                (Ok(current), Some(Ok(former))) => Ok([current.clone(), former.clone()]),
                (Err(error), _) | (_, Some(Err(error))) => Err(error.to_string()),
            };
            let result = match &variables {
                Ok(variables) => {
                    let mut budget = Budget::new(CALL_LIMIT);
                    let result = ready.program.eval(variables, &mut budget);
                    self.spend(budget.spent(), path, kind, EXHAUSTED)?;
                    result.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.clone()),
            };
            match result {
                Ok(Value::Bool(true)) => {}
                Ok(_) => {
                    let nothing: &[Value<'_>] = &[];
                    let variables = variables.as_ref().map_or(nothing, |variables| variables);
                    self.broken(ready, schema, value, variables, before, path)?;
                }
                Err(error) => self.failed(&error, ready, path, kind)?,
            }
        }
        Ok(())
    }

    /// Pays for an expression.
    fn spend(&mut self, cost: u64, path: &Path, kind: &str, why: &str) -> Result<(), Stop> {
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => {
                self.errors.invalid(path, kind, why);
                Err(Stop)
            }
        }
    }

    /// A rule that could not be run to its end.
    fn failed(&mut self, error: &str, ready: &Ready, path: &Path, kind: &str) -> Result<(), Stop> {
        let label = ready.rule.label();
        let limit = error.starts_with("operation cancelled: actual cost limit exceeded");
        let why = if error.starts_with("no such overload") {
            format!(
                "'{error}': call arguments did not match a supported operator, function or macro signature for \
                 rule: {label}"
            )
        } else if limit {
            format!(
                "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {label}"
            )
        } else {
            format!("{error} evaluating rule: {label}")
        };
        self.errors.invalid(path, kind, why);
        if limit { Err(Stop) } else { Ok(()) }
    }

    /// A rule that does not hold.
    fn broken(
        &mut self,
        ready: &Ready,
        schema: &Structural,
        value: &Json,
        variables: &[Value<'_>],
        before: Before<'_>,
        path: &Path,
    ) -> Result<(), Stop> {
        let rule = &ready.rule;
        let tolerated = !ready.uses_old && before.unchanged();
        let path = if ready.field.is_empty() { path.clone() } else { path.named(&ready.field) };
        let mut detail = None;
        if let Some(message) = &ready.message {
            let mut budget = Budget::new(CALL_LIMIT);
            let found = message.eval(variables, &mut budget);
            let kind = schema.ty.map_or("", Type::name);
            let exhausted = "messageExpression evaluation failed due to running out of cost budget, no further \
                             validation rules will be run";
            if let Err(stop) = self.spend(budget.spent(), &path, kind, exhausted) {
                if tolerated {
                    self.tolerated.extend(self.errors.pop());
                }
                return Err(stop);
            }
            match found {
                Ok(Value::String(text)) => detail = usable(&text),
                Err(cel::Error::Budget) => {
                    let expression = field::quote(&rule.message_expression);
                    let why = format!(
                        "no further validation rules will be run due to call cost exceeds limit for \
                         messageExpression: {expression}"
                    );
                    self.found(tolerated).invalid(&path, kind, why);
                    return Err(Stop);
                }
                Ok(_) | Err(_) => {}
            }
        }
        let detail = detail.unwrap_or_else(|| match rule.message.is_empty() {
            true => format!("failed rule: {}", rule.label()),
            false => rule.message.trim().to_owned(),
        });
        let whole = matches!(schema.ty, Some(Type::Object | Type::Array));
        let (kind, shown, detail) = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => (ErrorKind::Forbidden, false, detail),
            Some("FieldValueRequired") => (ErrorKind::Required, false, detail),
            Some("FieldValueDuplicate") => (ErrorKind::Duplicate, !whole, String::new()),
            _ => (ErrorKind::Invalid, !whole, detail),
        };
        let bad_value = shown.then(|| value.clone());
        self.found(tolerated).push(Error { kind, field: path.to_string(), bad_value, detail });
        Ok(())
    }

    /// Returns the errors that a rule is to be told among.
    fn found(&mut self, tolerated: bool) -> &mut Vec<Error> {
        if tolerated { &mut self.tolerated } else { &mut self.errors }
    }
}

/// A message that is not too long and has one line; None if it is no such message.
fn usable(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')).then(|| text.to_owned())
}
