//! Evaluation of a policy for a request: a question, which has everything that the expressions may look at, and the
//! answer.
//!
//! Both are JSON, and nothing else is looked at, so that the code may be elsewhere. Only the decisions of the
//! authorizer cannot be known before an expression asks for them. So an answer may list the authorization checks that
//! are needed, and the question is put once more with the decisions in it.
//!
//! | in the question | what it is |
//! | --- | --- |
//! | `policy` | the policy's `spec` |
//! | `mutation` | which of its mutations is meant; none for its validations |
//! | `object`, `oldObject`, `params`, `namespace`, `request` | the values of variables |
//! | `resource` | what `authorizer.requestResource` is about |
//! | `decisions` | pairs of what was asked of the authorizer, and what it said |
//! | `explain` | `true`, if it is to be told what each expression gave |
//!
//! | in the answer | what it is |
//! | --- | --- |
//! | `asks` | what has to be asked of the authorizer first |
//! | `unmatched` | `true`, if the conditions do not match |
//! | `error`, `conditions` | what kept the policy from being evaluated, and `true` if that are its conditions |
//! | `denials` | index, message and reason of each validation that denies; no reason, if it could not be evaluated |
//! | `annotations` | keys and values for the audit; without a key, why the request is denied |
//! | `configuration`, `patch` | what a mutation gives |
//! | `steps` | what each expression gave: its list and its place there, its value as JSON, its error, the message |

mod steps;

use std::sync::{Arc, Mutex, PoisonError};

use cel::{
    Authority, Authorizer, Budget, CALL_LIMIT, Check, Composition, Decision, Made, Program, Value as Cel,
};
use json_tree::{Map, Value, json};

use crate::rbac::aggregate;
use kinds::admissionregistration::expression;
use kinds::admissionregistration::expression::{Gives, Scope, Wrong};
use steps::Steps;

/// The cost limit for all validations of a policy together, for its annotations, and for a mutation.
const BUDGET: u64 = 10_000_000;
/// The cost limit for all conditions of a policy together.
const CONDITIONS_BUDGET: u64 = 2_500_000;
/// The longest message that an expression may give, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;
/// The longest value of an annotation, in bytes.
const MAX_ANNOTATION: usize = 10 * 1024;
/// How many of the variables are there for expressions that may not ask the authorizer.
const UNAUTHORIZED: usize = 6;
/// How deep values are looked into.
const DEPTH: u32 = 128;

const EXHAUSTED: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// Answers a question.
pub(crate) fn evaluate(question: &Value) -> Value {
    let known = Arc::new(Known::read(&question["decisions"]));
    let mut steps = Steps::new(question["explain"] == true);
    let mut answer = answer(question, &known, &mut steps);
    steps.tell(&mut answer);
    let asks = known.asks();
    if asks.is_empty() { answer } else { json!({ "asks": asks }) }
}

fn answer(question: &Value, known: &Arc<Known>, steps: &mut Steps) -> Value {
    let policy = &question["policy"];
    let mutation = question["mutation"].as_u64().map(|index| &policy["mutations"][index as usize]);
    let mut scope = Scope::new(!policy["paramKind"].is_null(), true);
    let mut variables: Vec<Variable> = Vec::new();
    for variable in items(policy, "variables") {
        let name = variable.text("name");
        let program = scope.variable(name, variable.text("expression"));
        variables.push((name.to_owned(), program.map_err(Wrong::text)));
    }
    let compile = |list: &str, field: &str, gives: Gives| -> Vec<Expression<'_>> {
        let texts = items(policy, list).iter().map(|item| item.text(field));
        texts.map(|text| Expression::new(text, &scope, gives)).collect()
    };
    let (request, namespace) = (expression::request(), expression::namespace());
    let namespace = match &question["namespace"] {
        Value::Null => Ok(Cel::Null),
        json => namespace.value(json),
    };
    let (request, namespace) = match (request.value(&question["request"]), namespace) {
        (Ok(request), Ok(namespace)) => (request, namespace),
        (Err(error), _) | (_, Err(error)) => return json!({ "error": error.to_string() }),
    };
    let authority = || Arc::clone(known) as Arc<dyn Authority>;
    let values = |namespace| {
        [
            Cel::of_json(&question["object"]),
            Cel::of_json(&question["oldObject"]),
            namespace,
            request.clone(),
            Cel::Composed,
            Cel::of_json(&question["params"]),
            Authorizer::value(authority()),
            Authorizer::of_resource(authority(), read_check(&question["resource"])),
        ]
    };
    let conditions = compile("matchConditions", "expression", Gives::Bool);
    // Conditions are not told of the namespace.
    let (without, values) = (values(Cel::Null), values(namespace));
    let ignores = policy.text("failurePolicy") == "Ignore";
    let mut run = Run::new(&without, &variables, CONDITIONS_BUDGET);
    let results = run.all(&conditions);
    if let Ok(results) = &results {
        steps.all("matchConditions", results);
        // Those of what comes next say more.
        steps.variables(&run.composition);
    }
    match matches(results, ignores) {
        Ok(true) => {}
        Ok(false) => return json!({ "unmatched": true }),
        Err(why) => return json!({ "error": why, "conditions": true }),
    }
    if let Some(mutation) = mutation {
        let (field, gives) = match mutation.text("patchType") {
            "JSONPatch" => ("jsonPatch", Gives::Patch),
            _ => ("applyConfiguration", Gives::Configuration),
        };
        let expression = Expression::new(mutation[field].text("expression"), &scope, gives);
        let mut run = Run::new(&values, &variables, BUDGET);
        let patch = run.patch(&expression, gives);
        steps.variables(&run.composition);
        return patch.unwrap_or_else(|why| json!({ "error": why }));
    }
    let validations = compile("validations", "expression", Gives::Bool);
    let messages = compile("validations", "messageExpression", Gives::Message);
    let annotations = compile("auditAnnotations", "valueExpression", Gives::Annotation);
    let mut run = Run::new(&values, &variables, BUDGET);
    let results = match run.all(&validations) {
        Ok(results) => results,
        Err(Exhausted) => return json!({ "error": EXHAUSTED }),
    };
    steps.variables(&run.composition);
    // Neither messages nor annotations may ask what is allowed.
    let unauthorized = &values[..UNAUTHORIZED];
    let messages = Run::new(unauthorized, &variables, run.left).all(&messages);
    let mut denials = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let (validation, reason) =
            (&policy["validations"][index], policy["validations"][index].text("reason"));
        let reason = if reason.is_empty() { "Invalid" } else { reason };
        let denial = match (result, &messages) {
            (Err(_), _) | (_, Err(_)) if ignores => None,
            (Err(why), _) => Some((why.clone(), "")),
            (_, Err(Exhausted)) => Some((["failed messageExpression: ", EXHAUSTED].concat(), "")),
            (Ok(Cel::Bool(true)), _) => None,
            (Ok(_), Ok(messages)) => {
                let given = match messages.get(index) {
                    Some(Ok(Cel::String(text))) => usable(text),
                    _ => None,
                };
                Some((given.unwrap_or_else(|| message_of(validation)), reason))
            }
        };
        let denied = denial.as_ref().map_or("", |(message, _)| message);
        steps.one("validations", index, result, denied);
        if let (Ok(Cel::Bool(false)), Ok(messages)) = (result, &messages)
            && let Some(message @ Err(_)) = messages.get(index)
        {
            steps.one("messageExpression", index, message, "");
        }
        denials.extend(denial.map(|(message, reason)| json!([index, message, reason])));
    }
    let results = match Run::new(unauthorized, &variables, BUDGET).all(&annotations) {
        Ok(results) => results,
        Err(Exhausted) => return json!({ "error": EXHAUSTED }),
    };
    steps.all("auditAnnotations", &results);
    let mut annotations = Vec::new();
    for (annotation, result) in items(policy, "auditAnnotations").iter().zip(results) {
        match result {
            Ok(Cel::String(value)) if !value.trim().is_empty() => {
                annotations.push(json!([annotation.text("key"), cut(value.trim(), MAX_ANNOTATION)]));
            }
            Ok(_) => {}
            Err(_) if ignores => {}
            // Whatever the binding says, this denies.
            Err(why) => annotations.push(json!([Value::Null, why])),
        }
    }
    json!({ "denials": denials, "annotations": annotations })
}

/// A variable: its name, and its program or why it has none.
type Variable = (String, Result<Program, String>);

/// An expression that stands in a policy. An empty one has no value.
struct Expression<'t> {
    text: &'t str,
    program: Option<Result<Program, Wrong>>,
}

impl<'t> Expression<'t> {
    fn new(text: &'t str, scope: &Scope, gives: Gives) -> Self {
        Self { text, program: (!text.is_empty()).then(|| scope.compile(text, gives)) }
    }
}

/// The expressions have cost all that they may cost together.
struct Exhausted;

/// The value of each expression, or what is wrong with it.
type Results<'a> = Vec<Result<Cel<'a>, String>>;

/// Expressions that may cost only so much together, and that share the values of variables.
struct Run<'a> {
    values: &'a [Cel<'a>],
    composition: Composition<'a>,
    left: u64,
}

impl<'a> Run<'a> {
    fn new(values: &'a [Cel<'a>], variables: &'a [Variable], budget: u64) -> Self {
        Self { values, composition: Composition::new(variables), left: budget }
    }

    fn all(&mut self, expressions: &'a [Expression<'_>]) -> Result<Results<'a>, Exhausted> {
        expressions.iter().map(|expression| self.one(expression)).collect()
    }

    fn one(&mut self, expression: &'a Expression<'_>) -> Result<Result<Cel<'a>, String>, Exhausted> {
        let program = match &expression.program {
            None => return Ok(Ok(Cel::Null)),
            Some(Ok(program)) => program,
            Some(Err(Wrong::Invalid(why) | Wrong::Internal(why))) => {
                return Ok(Err(["compilation error: ", why].concat()));
            }
        };
        let mut budget = Budget::new(CALL_LIMIT);
        let result = program.eval_composed(self.values, &mut self.composition, &mut budget);
        for cost in [self.composition.take_cost(), budget.spent()] {
            self.left = self.left.checked_sub(cost).ok_or(Exhausted)?;
        }
        Ok(result.map_err(|error| {
            ["expression '", expression.text, "' resulted in error: ", &error.to_string()].concat()
        }))
    }

    /// Returns the result of a mutation.
    fn patch(&mut self, expression: &'a Expression<'_>, gives: Gives) -> Result<Value, String> {
        if let Some(Err(Wrong::Invalid(why) | Wrong::Internal(why))) = &expression.program {
            return Err(why.clone());
        }
        let value = self.one(expression).unwrap_or_else(|Exhausted| Err(EXHAUSTED.to_owned()))?;
        if gives == Gives::Configuration {
            check_names(&value)?;
            let configuration = value.to_json().map_err(|error| error.to_string())?;
            return Ok(json!({ "configuration": configuration }));
        }
        let Cel::List(operations) = value else {
            return Err("type mismatch: JSONPatchType.expression should evaluate to array".to_owned());
        };
        let mut patch = Vec::with_capacity(operations.len());
        for operation in operations.iter() {
            match operation.map_err(|error| error.to_string())? {
                Cel::Made(made) => patch.push(operation_of(&made)?),
                _ => {
                    let why = "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch";
                    return Err(why.to_owned());
                }
            }
        }
        Ok(json!({ "patch": patch }))
    }
}

/// Reports whether all conditions match. One that does not is enough, whatever is wrong with others.
fn matches(results: Result<Results<'_>, Exhausted>, ignores: bool) -> Result<bool, String> {
    let results = match results {
        Ok(results) => results,
        Err(Exhausted) if ignores => return Ok(false),
        Err(Exhausted) => return Err(EXHAUSTED.to_owned()),
    };
    if results.iter().any(|result| matches!(result, Ok(Cel::Bool(false)))) {
        return Ok(false);
    }
    let errors: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    match errors.is_empty() {
        true => Ok(true),
        false if ignores => Ok(false),
        false => Err(aggregate(&errors)),
    }
}

/// An operation of JSON Patch.
fn operation_of(made: &Made<'_>) -> Result<Value, String> {
    let mut operation = Map::new();
    for key in ["op", "path", "from"] {
        let text = match made.field(key) {
            Some(Cel::String(text)) => &**text,
            _ => "",
        };
        if key != "from" || !text.is_empty() {
            operation.insert(key.to_owned(), text.into());
        }
    }
    if let Some(value) = made.field("value") {
        if matches!(value, Cel::Made(_)) {
            check_names(value)?;
        }
        let json = value.to_json().map_err(|error| {
            format!("JSONPath valueExpression evaluated to a type that could not marshal to JSON: {error}")
        })?;
        operation.insert("value".to_owned(), json);
    }
    Ok(Value::Object(operation))
}

/// The type of an object must have the name that says where in the whole it stands.
fn check_names(value: &Cel<'_>) -> Result<(), String> {
    let Cel::Made(made) = value else { return Ok(()) };
    let mut errors = Vec::new();
    find_misnamed(value, &made.kind.name, &mut errors, DEPTH);
    if errors.is_empty() { Ok(()) } else { Err(["type mismatch: ", &errors.join("\n")].concat()) }
}

fn find_misnamed(value: &Cel<'_>, expected: &str, errors: &mut Vec<String>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Cel::Made(made) => {
            if made.kind.name != expected {
                let (found, expected) = (field::quote(&made.kind.name), field::quote(expected));
                errors.push(format!(
                    "unexpected type name {found}, expected {expected}, which matches field name path from root \
                     Object type"
                ));
            }
            for (name, value) in &made.fields {
                find_misnamed(value, &[expected, ".", name].concat(), errors, depth);
            }
        }
        Cel::List(cel::List::Built(items)) => {
            items.iter().for_each(|item| find_misnamed(item, expected, errors, depth));
        }
        Cel::Map(cel::Map::Built(entries)) => {
            entries.iter().for_each(|(_, value)| find_misnamed(value, expected, errors, depth));
        }
        _ => {}
    }
}

/// A message that is not empty, not too long, and has one line.
fn usable(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')).then(|| text.to_owned())
}

/// Returns the message of a validation where no expression gives one.
fn message_of(validation: &Value) -> String {
    match validation.text("message").trim() {
        "" => ["failed expression: ", validation.text("expression").trim()].concat(),
        message => message.to_owned(),
    }
}

/// At most so many bytes of a text.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

fn items<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

/// The known decisions of the authorizer, and the other checks that expressions ask for.
#[derive(Debug, Default)]
struct Known {
    decisions: Vec<(Check, Decision)>,
    asked: Mutex<Vec<Check>>,
}

impl Known {
    fn read(decisions: &Value) -> Self {
        let pairs = decisions.as_array().into_iter().flatten();
        let decision = |of: &Value| Decision {
            allowed: of["allowed"] == true,
            reason: of.text("reason").to_owned(),
            error: of.text("error").to_owned(),
        };
        let decisions = pairs.map(|pair| (read_check(&pair[0]), decision(&pair[1]))).collect();
        Self { decisions, asked: Mutex::default() }
    }

    fn asks(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).iter().map(write_check).collect()
    }
}

impl Authority for Known {
    fn decide(&self, check: &Check) -> Option<Decision> {
        if let Some((_, decision)) = self.decisions.iter().find(|(known, _)| known == check) {
            return Some(decision.clone());
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !asked.contains(check) {
            asked.push(check.clone());
        }
        None
    }
}

fn write_check(check: &Check) -> Value {
    json!({
        "account": check.account.as_ref().map(|(namespace, name)| [namespace, name]),
        "isResource": check.is_resource,
        "verb": check.verb,
        "path": check.path,
        "group": check.group,
        "resource": check.resource,
        "subresource": check.subresource,
        "namespace": check.namespace,
        "name": check.name,
        "fields": check.fields,
        "labels": check.labels,
    })
}

fn read_check(of: &Value) -> Check {
    let own = |key: &str| of.text(key).to_owned();
    let part = |at: usize| of["account"][at].as_str().map(str::to_owned);
    Check {
        account: part(0).zip(part(1)),
        is_resource: of["isResource"] == true,
        verb: own("verb"),
        path: own("path"),
        group: own("group"),
        resource: own("resource"),
        subresource: own("subresource"),
        namespace: own("namespace"),
        name: own("name"),
        fields: own("fields"),
        labels: own("labels"),
    }
}

#[cfg(test)]
mod tests;
