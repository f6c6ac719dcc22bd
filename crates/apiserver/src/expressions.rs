//! Expressions of the Common Expression Language that stand alone: they belong to no policy and to no definition.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/>.

use cel::{Budget, CALL_LIMIT, Env, Type, Value as Cel};
use json_tree::Value;

use crate::chunk::{Chunk, Late};

/// Tells whether an expression is true of variables, which are the fields of an object of JSON.
pub type Evaluate = fn(&str, &[u8]) -> Result<bool, Fault>;

/// The code is here.
pub const HERE: Evaluate = evaluate;

/// The code is looked for where it was put: see [`code`](crate::code).
pub const LATE: Evaluate = |expression, variables| match EVALUATE.get() {
    Ok(evaluate) => evaluate(expression, variables),
    Err(why) => Err(Fault::Evaluation(why)),
};

/// The slot for the code.
pub(crate) static EVALUATE: Late<Evaluate> = Late::new(Chunk::Expressions);

/// Why an expression is neither true nor false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It cannot be compiled, whatever the values of the variables are. The text is cel-go's.
    Compilation(String),
    /// The evaluation with these variables has failed, or costs more than it may.
    Evaluation(String),
}

/// Evaluates an expression. All functions of Kubernetes are there, but for those that ask an authorizer; each variable is of
/// the type `dyn`. It may cost as much as one expression of Kubernetes ([`CALL_LIMIT`]).
///
/// # Errors
/// See [`Fault`].
pub(crate) fn evaluate(expression: &str, variables: &[u8]) -> Result<bool, Fault> {
    let variables: Value = serde_json::from_slice(variables).map_err(|error| {
        Fault::Evaluation(["the variables cannot be read: ", &error.to_string()].concat())
    })?;
    let none = json_tree::Map::new();
    let variables = variables.as_object().unwrap_or(&none);
    let env = variables.keys().fold(Env::new(), |env, name| env.variable(name, Type::Dyn));
    let program = env.compile(expression).map_err(|issues| Fault::Compilation(issues.to_text(expression)))?;
    if !matches!(program.kind(), Type::Bool | Type::Dyn) {
        return Err(Fault::Compilation(no_bool(program.kind())));
    }
    if let Some(fault) = program.fault() {
        return Err(Fault::Compilation(fault.to_owned()));
    }
    let values: Vec<Cel<'_>> = variables.values().map(Cel::of_json).collect();
    match program.eval(&values, &mut Budget::new(CALL_LIMIT)) {
        Ok(Cel::Bool(value)) => Ok(value),
        Ok(other) => Err(Fault::Evaluation(no_bool(&other.kind()))),
        Err(error) => Err(Fault::Evaluation(error.to_string())),
    }
}

fn no_bool(kind: &Type) -> String {
    ["must evaluate to bool but got ", &kind.name()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, expected: Result<bool, &str>) {
        let variables =
            br#"{"exchange":{"status":409,"path":"/a"},"objects":[{"data":{"sky":"blue"}},null]}"#;
        let found = evaluate(expression, variables);
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(*found, expected, "{expression}"),
            (Err(fault), Err(expected)) => {
                assert!(format!("{fault:?}").starts_with(expected), "{expression}: {fault:?}");
            }
            _ => panic!("{expression}: {found:?}"),
        }
    }

    #[test]
    fn expressions_are_true_or_false() {
        check("exchange.status == 409 && objects[0].data.sky == 'blue'", Ok(true));
        check("objects[1] != null || has(objects[0].data.sea)", Ok(false));
        check("exchange.path.startsWith('/a') && objects.exists(o, o == null)", Ok(true));
        check("quantity('1Ki').isGreaterThan(quantity('1k'))", Ok(true));
    }

    #[test]
    fn faults() {
        check("exchange.status ==", Err("Compilation(\"ERROR: <input>:1:19"));
        check("response.status == 200", Err("Compilation(\"ERROR: <input>:1:1: undeclared reference"));
        check("'a' == 1", Err("Compilation(\"ERROR: <input>:1:5: found no matching overload"));
        check("size('abc')", Err("Compilation(\"must evaluate to bool but got int"));
        check("duration('x') == duration('1s')", Err("Compilation(\"ERROR: <input>:1:10: invalid duration"));
        check("exchange.status", Err("Evaluation(\"must evaluate to bool but got int"));
        check("objects[0].data.sea == 'blue'", Err("Evaluation(\"no such key: sea"));
        check("objects[7] == null", Err("Evaluation(\"index out of bounds"));
    }

    #[test]
    fn what_costs_too_much_ends() {
        let tens = "[1,2,3,4,5,6,7,8,9,10]";
        let mut expression = "true".to_owned();
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            expression = format!("{tens}.all({name}, {expression})");
        }
        check(&expression, Err("Evaluation(\"operation cancelled: actual cost limit exceeded"));
        check(&"(".repeat(100_000), Err("Compilation"));
    }
}
