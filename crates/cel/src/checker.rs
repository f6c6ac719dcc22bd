//! Finds out the type of every expression, and what names refer to.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#type-checking>. The texts are those of cel-go.

mod unify;
mod validate;

use self::unify::{Substitutions, more_general};
use crate::{
    ast::{Ast, Comprehension, Expr, Id, Literal, Member},
    env::Env,
    function::Overload,
    source::Issue,
    types::Type,
};

/// The results of checking an expression.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The type of each node.
    pub(crate) types: Vec<Type>,
    /// The declaration that each node refers to.
    pub(crate) references: Vec<Reference>,
}

/// The declaration that a node refers to.
#[derive(Clone, Debug, Default)]
pub(crate) enum Reference {
    /// Nothing.
    #[default]
    None,
    /// A variable, by its place in the environment.
    Variable(u32),
    /// A variable of a comprehension, by how many of them were there before.
    Local(u32),
    /// A type.
    Type(Type),
    /// A function. If its name has dots in it, what looks like a target is part of the name.
    Function { overloads: Vec<&'static Overload>, qualified: bool },
}

impl Checked {
    pub(crate) fn kind(&self, id: Id) -> &Type {
        self.types.get(id as usize).unwrap_or(&Type::Dyn)
    }

    pub(crate) fn reference(&self, id: Id) -> &Reference {
        self.references.get(id as usize).unwrap_or(&Reference::None)
    }

    pub(crate) fn overloads(&self, id: Id) -> &[&'static Overload] {
        match self.reference(id) {
            Reference::Function { overloads, .. } => overloads,
            _ => &[],
        }
    }
}

struct Checker<'a> {
    ast: &'a Ast,
    env: &'a Env,
    locals: Vec<(&'a str, Type)>,
    types: Vec<Type>,
    references: Vec<Reference>,
    substitutions: Substitutions,
    issues: Vec<Issue>,
}

/// Checks an expression.
pub(crate) fn check(ast: &Ast, env: &Env) -> Result<Checked, Vec<Issue>> {
    let mut checker = Checker {
        ast,
        env,
        locals: Vec::new(),
        types: vec![Type::Error; ast.nodes.len()],
        references: vec![Reference::None; ast.nodes.len()],
        substitutions: Substitutions::default(),
        issues: Vec::new(),
    };
    checker.check(ast.root);
    if checker.issues.is_empty() {
        checker.validate();
    }
    let Checker { types, references, substitutions, issues, .. } = checker;
    if !issues.is_empty() {
        return Err(issues);
    }
    let types = types.iter().map(|of| substitutions.substitute(of, true)).collect();
    Ok(Checked { types, references })
}

impl<'a> Checker<'a> {
    /// The type of the node, which becomes known by this.
    fn check(&mut self, id: Id) -> Type {
        let kind = match self.ast.expr(id) {
            Expr::Error => Type::Error,
            Expr::Literal(literal) => type_of(literal),
            Expr::Ident(name) => match self.variable(name) {
                Some((kind, reference)) => self.refer(id, kind, reference),
                None => self.undeclared(id, name),
            },
            Expr::Select { operand, field, test } => self.select(id, *operand, field, *test),
            Expr::Call { function, target, arguments } => self.call(id, function, *target, arguments),
            Expr::List(items) => {
                let mut kind = None;
                for item in items {
                    let of = self.check(item.value);
                    let of = if item.optional { self.unwrapped(item.value, of) } else { of };
                    kind = Some(self.joined(item.value, kind, of));
                }
                Type::list(kind.unwrap_or_else(|| Type::Param(self.substitutions.fresh(1))))
            }
            Expr::Map(entries) => {
                let (mut keys, mut values) = (None, None);
                for entry in entries {
                    let key = self.check(entry.key);
                    keys = Some(self.joined(entry.key, keys, key));
                    let value = self.check(entry.value);
                    let value = if entry.optional { self.unwrapped(entry.value, value) } else { value };
                    values = Some(self.joined(entry.value, values, value));
                }
                match (keys, values) {
                    (Some(keys), Some(values)) => Type::map(keys, values),
                    _ => {
                        let first = self.substitutions.fresh(2);
                        Type::map(Type::Param(first), Type::Param(first + 1))
                    }
                }
            }
            Expr::Struct { name, fields } => self.object(id, name, fields),
            Expr::Comprehension(fold) => self.comprehension(fold),
        };
        let kind = self.substitutions.substitute(&kind, false);
        if let Some(known) = self.types.get_mut(id as usize) {
            *known = kind.clone();
        }
        kind
    }

    /// Returns the type of a name, and the declaration that it refers to.
    fn variable(&self, name: &str) -> Option<(Type, Reference)> {
        let name = name.strip_prefix('.').unwrap_or(name);
        if let Some(index) = self.locals.iter().rposition(|(local, _)| *local == name) {
            let kind = self.locals.get(index)?.1.clone();
            return Some((kind, Reference::Local(index as u32)));
        }
        if let Some(index) = self.env.variables.iter().rposition(|variable| variable.name == name) {
            let kind = self.env.variables.get(index)?.kind.clone();
            return Some((kind, Reference::Variable(index as u32)));
        }
        let named = match name {
            "bool" => Type::Bool,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "null_type" => Type::Null,
            "type" => Type::of_type(Type::Dyn),
            "optional_type" => Type::optional(Type::Dyn),
            "google.protobuf.Timestamp" => Type::Timestamp,
            "google.protobuf.Duration" => Type::Duration,
            "net.IP" => Type::Opaque("net.IP"),
            "net.CIDR" => Type::Opaque("net.CIDR"),
            _ => Type::Object(self.env.patch_type(name)?),
        };
        Some((Type::of_type(named.clone()), Reference::Type(named)))
    }

    fn refer(&mut self, id: Id, kind: Type, reference: Reference) -> Type {
        if let Some(known) = self.references.get_mut(id as usize) {
            *known = reference;
        }
        kind
    }

    fn select(&mut self, id: Id, operand: Id, field: &str, test: bool) -> Type {
        if !test
            && let Some(name) = self.ast.qualified(id)
            && let Some((kind, reference)) = self.variable(&name)
        {
            return self.refer(id, kind, reference);
        }
        let kind = self.field(id, operand, field, false);
        if test { Type::Bool } else { kind }
    }

    /// The type of a field of `operand`.
    fn field(&mut self, id: Id, operand: Id, field: &str, optional: bool) -> Type {
        let of = self.check(operand);
        let of = self.substitutions.substitute(&of, false);
        let (of, was_optional) = match of {
            Type::Optional(inner) => ((*inner).clone(), true),
            other => (other, false),
        };
        let kind = match &of {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(object) => match object.field(field) {
                Some(field) => field.declared.kind.clone(),
                None if object.open => Type::Dyn,
                None => self.report(id, &["undefined field '", field, "'"]),
            },
            Type::Param(_) => {
                self.substitutions.assign(&[Type::Dyn], std::slice::from_ref(&of));
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => {
                let name = other.name();
                self.report(id, &["type '", &name, "' does not support field selection"]);
                Type::Dyn
            }
        };
        if was_optional || optional { Type::optional(kind) } else { kind }
    }

    /// The type of an object that is made of these fields.
    fn object(&mut self, id: Id, name: &str, fields: &[Member]) -> Type {
        let types: Vec<Type> = fields.iter().map(|field| self.check(field.value)).collect();
        let object = match self.variable(name) {
            Some((Type::Type(of), reference)) => match &*of {
                Type::Object(object) => {
                    let object = object.clone();
                    self.refer(id, Type::Error, reference);
                    object
                }
                of => return self.report(id, &["'", &of.name(), "' is not a message type"]),
            },
            Some((of, _)) => return self.report(id, &["'", &of.name(), "' is not a type"]),
            None => return self.undeclared(id, name),
        };
        for (field, of) in fields.iter().zip(types) {
            let of = if field.optional { self.unwrapped(field.value, of) } else { of };
            let expected = match object.field(&field.name) {
                Some(known) => known.declared.kind.clone(),
                None if object.open => Type::Dyn,
                None => {
                    self.report_at(field.offset, &["undefined field '", &field.name, "'"]);
                    continue;
                }
            };
            if !self.substitutions.assign(std::slice::from_ref(&expected), std::slice::from_ref(&of)) {
                let (expected, of) = (expected.name(), of.name());
                let text = [
                    "expected type of field '",
                    &field.name,
                    "' is '",
                    &expected,
                    "' but provided type is '",
                    &of,
                ];
                self.report_at(field.offset, &[&text.concat(), "'"]);
            }
        }
        Type::Object(object)
    }

    fn call(&mut self, id: Id, function: &str, target: Option<Id>, arguments: &[Id]) -> Type {
        if function == "_?._"
            && let [operand, field] = arguments
            && let Expr::Literal(Literal::String(name)) = self.ast.expr(*field)
        {
            let name = name.clone();
            if let Some(known) = self.types.get_mut(*field as usize) {
                *known = Type::String;
            }
            return self.field(id, *operand, &name, true);
        }
        let mut types: Vec<Type> = arguments.iter().map(|argument| self.check(*argument)).collect();
        let Some(target) = target else {
            let found = self.env.overloads(function.strip_prefix('.').unwrap_or(function));
            if found.is_empty() {
                return self.undeclared(id, function);
            }
            return self.resolve(id, function, &found, &types, false, arguments);
        };
        if let Some(prefix) = self.ast.qualified(target) {
            let name = [&prefix, ".", function].concat();
            let found = self.env.overloads(name.strip_prefix('.').unwrap_or(&name));
            if !found.is_empty() {
                let kind = self.resolve(id, &name, &found, &types, false, arguments);
                if let Some(Reference::Function { qualified, .. }) = self.references.get_mut(id as usize) {
                    *qualified = true;
                }
                return kind;
            }
        }
        types.insert(0, self.check(target));
        let found = self.env.overloads(function);
        if found.is_empty() {
            return self.undeclared(id, function);
        }
        self.resolve(id, function, &found, &types, true, arguments)
    }

    /// Finds the overloads that fit, and what they give.
    fn resolve(
        &mut self,
        id: Id,
        function: &str,
        candidates: &[&'static Overload],
        types: &[Type],
        member: bool,
        arguments: &[Id],
    ) -> Type {
        if matches!(function, "_&&_" | "_||_") {
            let mut wrong = false;
            for (argument, of) in arguments.iter().zip(types) {
                if !self.substitutions.assign(std::slice::from_ref(of), &[Type::Bool]) {
                    wrong = true;
                    self.mismatch(*argument, &Type::Bool, of);
                }
            }
            let reference = Reference::Function { overloads: candidates.to_vec(), qualified: false };
            return if wrong { Type::Error } else { self.refer(id, Type::Bool, reference) };
        }
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for overload in candidates.iter().filter(|overload| overload.member == member) {
            let first = self.substitutions.fresh(2);
            let places: Vec<Type> = overload.params.iter().map(|place| place.instance(first)).collect();
            if !self.substitutions.assign(types, &places) {
                continue;
            }
            fitting.push(*overload);
            let kind = self.substitutions.substitute(&overload.result.instance(first), false);
            result = Some(match result {
                None => kind,
                Some(before) if before == Type::Dyn || before == kind => before,
                Some(_) => Type::Dyn,
            });
        }
        let Some(kind) = result else {
            let mut names = types.iter().map(|of| self.substitutions.substitute(of, true).name());
            let target = if member { names.next().map(|name| name + ".") } else { None };
            let signature =
                [&target.unwrap_or_default(), "(", &names.collect::<Vec<_>>().join(", "), ")"].concat();
            return self.report(
                id,
                &["found no matching overload for '", function, "' applied to '", &signature, "'"],
            );
        };
        self.refer(id, kind, Reference::Function { overloads: fitting, qualified: false })
    }

    fn comprehension(&mut self, fold: &'a Comprehension) -> Type {
        let range = self.check(fold.range);
        let range = self.substitutions.substitute(&range, false);
        let accumulated = self.check(fold.init);
        self.locals.push((&fold.accumulator, accumulated.clone()));
        let (first, second) = match &range {
            Type::List(items) if fold.var2.is_some() => (Type::Int, (**items).clone()),
            Type::List(items) => ((**items).clone(), Type::Dyn),
            Type::Map(entry) => (**entry).clone(),
            Type::Dyn | Type::Error | Type::Param(_) => {
                self.substitutions.assign(&[Type::Dyn], std::slice::from_ref(&range));
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let name = other.name();
                let text = ["expression of type '", &name, "' cannot be range of a comprehension "];
                self.report(fold.range, &[&text.concat(), "(must be list, map, or dynamic)"]);
                (Type::Error, Type::Error)
            }
        };
        self.locals.push((&fold.var, first));
        if let Some(var2) = &fold.var2 {
            self.locals.push((var2, second));
        }
        let condition = self.check(fold.condition);
        self.expect(fold.condition, &Type::Bool, &condition);
        let step = self.check(fold.step);
        self.expect(fold.step, &accumulated, &step);
        self.locals.truncate(self.locals.len() - 1 - usize::from(fold.var2.is_some()));
        let kind = self.check(fold.result);
        self.locals.pop();
        kind
    }

    fn expect(&mut self, id: Id, expected: &Type, found: &Type) {
        if !self.substitutions.assign(std::slice::from_ref(expected), std::slice::from_ref(found)) {
            self.mismatch(id, expected, found);
        }
    }

    /// The type that fits both what was before and `current`.
    fn joined(&mut self, id: Id, before: Option<Type>, current: Type) -> Type {
        let Some(before) = before else { return current };
        if self.substitutions.assign(std::slice::from_ref(&before), std::slice::from_ref(&current)) {
            return more_general(before, current);
        }
        self.mismatch(id, &before, &current);
        Type::Error
    }

    /// Returns the type of the value in an optional.
    fn unwrapped(&mut self, id: Id, of: Type) -> Type {
        match of {
            Type::Optional(inner) => (*inner).clone(),
            Type::Dyn | Type::Error => of,
            other => {
                self.mismatch(id, &Type::optional(other.clone()), &other);
                other
            }
        }
    }

    fn mismatch(&mut self, id: Id, expected: &Type, found: &Type) {
        self.report(id, &["expected type '", &expected.name(), "' but found '", &found.name(), "'"]);
    }

    fn undeclared(&mut self, id: Id, name: &str) -> Type {
        self.report(id, &["undeclared reference to '", name, "' (in container '')"])
    }

    fn report(&mut self, id: Id, parts: &[&str]) -> Type {
        self.report_at(self.ast.node(id).offset, parts)
    }

    fn report_at(&mut self, offset: u32, parts: &[&str]) -> Type {
        self.issues.push(Issue { offset: Some(offset), message: parts.concat() });
        Type::Error
    }
}

fn type_of(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
