//! Expressions that are ready to run.

use std::sync::Arc;

use regex_lite::Regex;

use crate::{
    ast::{Ast, Expr, Id, Literal},
    checker::Checked,
    cost,
    env::Env,
    error::Error,
    function::Size,
    types::Type,
    value::{List, Text, Value},
};

/// The functions that are called before the program runs if what they convert is a literal.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// An expression that is ready to run.
#[derive(Debug)]
pub struct Program {
    pub(crate) ast: Ast,
    pub(crate) checked: Checked,
    env: Env,
    /// The values that are known before the program runs: literals, conversions of them, lists of them.
    pub(crate) constants: Vec<Option<Value<'static>>>,
    /// The patterns that are literals.
    pub(crate) patterns: Vec<(Id, Regex)>,
    fault: Option<String>,
}

impl Program {
    pub(crate) fn new(ast: Ast, checked: Checked, env: Env) -> Self {
        let count = ast.nodes.len();
        let mut program =
            Self { ast, checked, env, constants: vec![None; count], patterns: Vec::new(), fault: None };
        // What a node consists of comes before it.
        for id in 0..count as Id {
            match program.constant(id) {
                Ok(value) => {
                    if let Some(constant) = program.constants.get_mut(id as usize) {
                        *constant = value;
                    }
                }
                Err(error) => program.fault = Some(program.fault.unwrap_or_else(|| error.to_string())),
            }
        }
        program
    }

    /// The type of the result.
    pub fn kind(&self) -> &Type {
        self.checked.kind(self.ast.root)
    }

    /// Why the program cannot run although its types are right: it converts a literal that cannot be converted.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Estimates the cost of the program: the least and the most.
    pub fn estimate(&self) -> Size {
        cost::estimate(&self.ast, &self.checked, &self.env)
    }

    /// Returns whether the expression refers to the variable `name`.
    pub fn refers_to(&self, name: &str) -> bool {
        let index = self.env.variables.iter().rposition(|variable| variable.name == name);
        let Some(index) = index else { return false };
        self.checked.references.iter().any(
            |reference| matches!(reference, crate::checker::Reference::Variable(at) if *at as usize == index),
        )
    }

    /// The value of a node, if nothing can change it.
    fn constant(&mut self, id: Id) -> Result<Option<Value<'static>>, Error> {
        let known = |id: &Id| self.constants.get(*id as usize).cloned().flatten();
        match self.ast.expr(id) {
            Expr::Literal(literal) => Ok(Some(value_of(literal))),
            Expr::List(items) if items.iter().all(|item| !item.optional) => {
                let values: Option<Vec<Value<'static>>> =
                    items.iter().map(|item| known(&item.value)).collect();
                Ok(values.map(|values| Value::List(List::Built(Arc::new(values)))))
            }
            Expr::Call { function, target: None, arguments } if CONVERSIONS.contains(&&**function) => {
                let ([argument], [overload, ..]) = (arguments.as_slice(), self.checked.overloads(id)) else {
                    return Ok(None);
                };
                match known(argument) {
                    Some(value) => (overload.call)(&[value]).map(Some),
                    None => Ok(None),
                }
            }
            Expr::Call { function, target, arguments } if function == "matches" => {
                let pattern = arguments.last().and_then(known);
                let _ = target;
                if let Some(Value::String(text)) = pattern
                    && let Ok(pattern) = Regex::new(&text)
                {
                    self.patterns.push((id, pattern));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

fn value_of(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(text) => Value::String(Text::Shared(text.clone())),
        Literal::Bytes(bytes) => Value::Bytes(bytes.clone()),
    }
}
