//! Estimation of the cost of an expression, before it runs.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions>.
//! The rules are those of cel-go: sizes come out of literals and of what is declared, costs out of sizes.

use crate::{
    ast::{Ast, Comprehension, Expr, Fold, Id, Literal},
    checker::{Checked, Reference},
    env::Env,
    function::{Operand, Overload, Price, Size},
    types::Type,
    types::declared::{Declared, Shape},
};

const ONE: Size = Size::exactly(1);
/// The costs of making a list, a map and an object.
const LIST: Size = Size::exactly(10);
const MAP: Size = Size::exactly(30);
const STRUCT: Size = Size::exactly(40);

/// The place of a value among the declared variables, which tells how large it can be.
#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    /// It is no part of a variable.
    Nowhere,
    /// It is a part that is not declared.
    Unknown,
    Declared(&'a Declared),
    /// It is a key of a map. Nothing limits those.
    Key,
}

/// The sizes of what is in a list or a map.
#[derive(Clone, Copy, Debug)]
struct Entries {
    list: bool,
    keys: Size,
    values: Size,
}

impl Entries {
    fn or(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (a, b) = (a?, b?);
        Some(Self { list: a.list, keys: a.keys.or(b.keys), values: a.values.or(b.values) })
    }
}

#[derive(Clone, Copy)]
struct Local<'a> {
    name: &'a str,
    place: Place<'a>,
    size: Option<Size>,
    entries: Option<Entries>,
}

struct Estimator<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    env: &'a Env,
    places: Vec<Place<'a>>,
    sizes: Vec<Option<Size>>,
    entries: Vec<Option<Entries>>,
    locals: Vec<Local<'a>>,
}

/// Estimates the cost of the expression: the least and the most.
pub(crate) fn estimate(ast: &Ast, checked: &Checked, env: &Env) -> Size {
    let count = ast.nodes.len();
    let (places, sizes) = (vec![Place::Nowhere; count], vec![None; count]);
    let mut estimator =
        Estimator { ast, checked, env, places, sizes, entries: vec![None; count], locals: Vec::new() };
    estimator.cost(ast.root)
}

impl<'a> Estimator<'a> {
    fn cost(&mut self, id: Id) -> Size {
        match self.ast.expr(id) {
            Expr::Error | Expr::Literal(_) => Size::default(),
            Expr::Ident(name) => {
                let place = self.local(name).map_or_else(|| self.variable(id), |local| local.place);
                self.set_place(id, place);
                ONE
            }
            Expr::Select { .. } if !matches!(self.checked.reference(id), Reference::None) => {
                // A name with dots in it is one name.
                let place = self.variable(id);
                self.set_place(id, place);
                ONE
            }
            Expr::Select { operand, test: true, .. } => self.cost(*operand),
            Expr::Select { operand, field, .. } => {
                let mut sum = self.cost(*operand);
                if matches!(self.checked.kind(*operand), Type::Map(_) | Type::Object(_) | Type::Param(_)) {
                    sum = sum.plus(ONE);
                }
                let by_name = self.env.values_by_name;
                let place = self.below(self.place(*operand), |declared| match &declared.shape {
                    Shape::Object(object) => Place::of(object.field(field).map(|field| &field.declared)),
                    Shape::Map(inner) if by_name && matches!(inner.kind, Type::Dyn) => Place::Declared(inner),
                    _ => Place::Unknown,
                });
                self.set_place(id, place);
                sum
            }
            Expr::Call { function, target, arguments } => self.call(id, function, *target, arguments),
            Expr::List(items) => {
                let (mut sum, mut values) = (LIST, None);
                for item in items {
                    sum = sum.plus(self.cost(item.value));
                    values = joined(values, self.size_or_unknown(item.value));
                }
                let entries = Entries { list: true, keys: ONE, values: values.unwrap_or_default() };
                self.set_entries(id, Some(entries));
                sum
            }
            Expr::Map(entries) => {
                let (mut sum, mut keys, mut values) = (MAP, None, None);
                for entry in entries {
                    sum = sum.plus(self.cost(entry.key)).plus(self.cost(entry.value));
                    keys = joined(keys, self.size_or_unknown(entry.key));
                    values = joined(values, self.size_or_unknown(entry.value));
                }
                let (keys, values) = (keys.unwrap_or_default(), values.unwrap_or_default());
                self.set_entries(id, Some(Entries { list: false, keys, values }));
                sum
            }
            Expr::Struct { fields, .. } => {
                fields.iter().fold(STRUCT, |sum, field| sum.plus(self.cost(field.value)))
            }
            Expr::Comprehension(fold) => self.comprehension(id, fold),
        }
    }

    fn call(&mut self, id: Id, function: &str, target: Option<Id>, arguments: &'a [Id]) -> Size {
        if let ("dyn", [argument]) = (function, arguments) {
            let cost = self.cost(*argument).plus(ONE);
            self.copy_sizes(id, *argument);
            return cost;
        }
        let target = match self.checked.reference(id) {
            Reference::Function { qualified: true, .. } => None,
            _ => target,
        };
        let costs: Vec<Size> = arguments.iter().map(|argument| self.cost(*argument)).collect();
        let arguments_cost = costs.iter().fold(Size::default(), |sum, cost| sum.plus(*cost));
        if function == "_?._" {
            return arguments_cost.plus(ONE);
        }
        let overloads = self.checked.overloads(id);
        if overloads.is_empty() {
            return Size::default();
        }
        let sum = target.map_or_else(Size::default, |target| self.cost(target));
        let operands: Vec<Id> = target.into_iter().chain(arguments.iter().copied()).collect();
        let (mut cost, mut result) = (Size::new(u64::MAX, 0), None);
        for overload in overloads {
            let (price, size) = self.price(id, overload, &operands, &costs, arguments_cost);
            cost = cost.or(price);
            if let Some(size) = size {
                result = joined(result, size);
            }
            if let ("index_list" | "index_map", [of, _]) = (overload.id, arguments) {
                result = self.entries_of(*of).map(|entries| entries.values);
                let place = self.below(self.place(*of), |declared| match &declared.shape {
                    Shape::List(inner, _) | Shape::Map(inner) => Place::Declared(inner),
                    _ => Place::Unknown,
                });
                self.set_place(id, place);
            }
            if result.is_none() {
                result = self.size(id);
            }
        }
        self.set_size(id, result);
        sum.plus(cost)
    }

    /// Estimates the cost of a call of an overload, with that of its arguments, and the size of its result.
    fn price(
        &mut self,
        id: Id,
        overload: &Overload,
        operands: &[Id],
        costs: &[Size],
        arguments: Size,
    ) -> (Size, Option<Size>) {
        match (overload.id, operands, costs) {
            ("logical_and" | "logical_or", _, [left, right]) => {
                (Size::new(left.min, left.plus(*right).max), None)
            }
            ("conditional", [_, yes, no], [condition, yes_cost, no_cost]) => {
                let size = self.size_or_unknown(*yes).or(self.size_or_unknown(*no));
                let entries = Entries::or(self.entries_of(*yes), self.entries_of(*no));
                self.set_entries(id, entries);
                (condition.plus(yes_cost.or(*no_cost)), Some(size))
            }
            _ => {
                if let ("add_string" | "add_bytes" | "add_list", [left, right]) = (overload.id, operands) {
                    let entries = Entries::or(self.entries_of(*left), self.entries_of(*right));
                    self.set_entries(id, entries);
                }
                match overload.price {
                    Price::One => (arguments.plus(ONE), None),
                    Price::By { estimate, .. } => {
                        let known: Vec<Operand<'_>> =
                            operands.iter().map(|operand| self.operand(*operand)).collect();
                        let (cost, size) = estimate(&known);
                        (cost.plus(arguments), size)
                    }
                }
            }
        }
    }

    fn operand(&mut self, id: Id) -> Operand<'a> {
        let size = self.size(id);
        let items = match self.entries_of(id) {
            Some(entries) if entries.list => Some(entries.values),
            _ => match self.place(id) {
                Place::Declared(Declared { shape: Shape::List(items, _), .. }) => {
                    Some(Size::new(0, items.max_elements))
                }
                _ => None,
            },
        };
        let literal = match self.ast.expr(id) {
            Expr::Literal(Literal::Int(number)) => u64::try_from(*number).ok(),
            Expr::Literal(Literal::Uint(number)) => Some(*number),
            _ => None,
        };
        Operand { kind: self.checked.kind(id), size, items, literal }
    }

    fn comprehension(&mut self, id: Id, fold: &'a Comprehension) -> Size {
        let mut sum = self.cost(fold.range).plus(self.cost(fold.init));
        let depth = self.locals.len();
        let local = Local {
            name: &fold.accumulator,
            place: self.place(fold.init),
            size: self.size(fold.init),
            entries: self.entries_of(fold.init),
        };
        self.locals.push(local);
        if matches!(fold.fold, Fold::Bind) {
            sum = sum.plus(self.cost(fold.result));
            self.locals.truncate(depth);
            self.copy_sizes(id, fold.result);
            return sum;
        }
        let entries = self.entries_of(fold.range);
        let list =
            entries.map_or_else(|| matches!(self.checked.kind(fold.range), Type::List(_)), |of| of.list);
        let (keys, values) = (entries.map(|of| of.keys), entries.map(|of| of.values));
        let range = self.place(fold.range);
        let key_place = self.below(range, |declared| match &declared.shape {
            Shape::Map(_) if !list => Place::Key,
            _ => Place::Unknown,
        });
        let value_place = self.below(range, |declared| match &declared.shape {
            Shape::List(inner, _) | Shape::Map(inner) => Place::Declared(inner),
            _ => Place::Unknown,
        });
        let key = (key_place, keys);
        let value = (value_place, values);
        let (first, second) = match &fold.var2 {
            Some(var2) => (key, Some((var2, value))),
            None => (if list { value } else { key }, None),
        };
        self.locals.push(Local { name: &fold.var, place: first.0, size: first.1, entries: None });
        if let Some((name, (place, size))) = second {
            self.locals.push(Local { name, place, size, entries: None });
        }
        let each = self.cost(fold.condition).plus(self.cost(fold.step));
        self.locals.truncate(depth + 1);
        sum = sum.plus(self.cost(fold.result));
        self.locals.truncate(depth);
        let count = self.size_or_unknown(fold.range);
        sum = sum.plus(count.times(each));
        match self.ast.expr(fold.init) {
            Expr::Literal(_) => {
                let size = self.size(fold.init);
                self.set_size(id, size);
            }
            Expr::List(_) | Expr::Map(_) => {
                self.set_size(id, Some(count));
                let entries = self.entries_of(fold.step);
                self.set_entries(id, entries);
            }
            _ => {}
        }
        sum
    }

    fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    /// The place of a variable.
    fn variable(&self, id: Id) -> Place<'a> {
        match self.checked.reference(id) {
            Reference::Variable(index) => match self.env.variables.get(*index as usize) {
                Some(variable) => match &variable.declared {
                    Some(declared) => Place::Declared(declared),
                    None => Place::Unknown,
                },
                None => Place::Unknown,
            },
            Reference::Type(_) => Place::Unknown,
            _ => Place::Nowhere,
        }
    }

    /// The place of a part of what is at `place`. What is no part of a variable is taken for what is declared first.
    fn below(&self, place: Place<'a>, part: impl FnOnce(&'a Declared) -> Place<'a>) -> Place<'a> {
        match place {
            Place::Declared(declared) => part(declared),
            Place::Nowhere => {
                Place::of(self.env.variables.iter().find_map(|variable| variable.declared.as_deref()))
            }
            Place::Unknown | Place::Key => Place::Unknown,
        }
    }

    fn place(&self, id: Id) -> Place<'a> {
        if let Expr::Ident(name) = self.ast.expr(id)
            && let Some(local) = self.local(name)
        {
            return local.place;
        }
        self.places.get(id as usize).copied().unwrap_or(Place::Nowhere)
    }

    fn set_place(&mut self, id: Id, place: Place<'a>) {
        if let Some(known) = self.places.get_mut(id as usize) {
            *known = place;
        }
    }

    fn size_or_unknown(&mut self, id: Id) -> Size {
        self.size(id).unwrap_or(Size::UNKNOWN)
    }

    /// The size of a value, if it is known.
    fn size(&mut self, id: Id) -> Option<Size> {
        if let Some(size) = self.sizes.get(id as usize).copied().flatten() {
            return Some(size);
        }
        match self.ast.expr(id) {
            Expr::Literal(literal) => return Some(Size::exactly(size_of(literal))),
            Expr::List(items) => return Some(Size::exactly(items.len() as u64)),
            Expr::Map(entries) => return Some(Size::exactly(entries.len() as u64)),
            _ => {}
        }
        let declared = match self.place(id) {
            Place::Declared(declared) => Some(declared.max_elements),
            Place::Key => Some(0),
            Place::Nowhere | Place::Unknown => None,
        };
        if let Some(most) = declared {
            let size = Some(Size::new(0, most));
            self.set_size(id, size);
            return size;
        }
        if self.checked.kind(id).is_scalar() {
            return Some(ONE);
        }
        match self.ast.expr(id) {
            Expr::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    fn set_size(&mut self, id: Id, size: Option<Size>) {
        if let (Some(known), Some(_)) = (self.sizes.get_mut(id as usize), size) {
            *known = size;
        }
    }

    fn entries_of(&self, id: Id) -> Option<Entries> {
        if let Some(entries) = self.entries.get(id as usize).copied().flatten() {
            return Some(entries);
        }
        match self.ast.expr(id) {
            Expr::Ident(name) => self.local(name).and_then(|local| local.entries),
            _ => None,
        }
    }

    fn set_entries(&mut self, id: Id, entries: Option<Entries>) {
        if let (Some(known), Some(_)) = (self.entries.get_mut(id as usize), entries) {
            *known = entries;
        }
    }

    fn copy_sizes(&mut self, to: Id, from: Id) {
        let (size, entries) = (self.size(from), self.entries_of(from));
        self.set_size(to, size);
        self.set_entries(to, entries);
    }
}

impl<'a> Place<'a> {
    fn of(declared: Option<&'a Declared>) -> Self {
        declared.map_or(Self::Unknown, Self::Declared)
    }
}

fn joined(known: Option<Size>, size: Size) -> Option<Size> {
    Some(known.map_or(size, |known| known.or(size)))
}

fn size_of(literal: &Literal) -> u64 {
    match literal {
        Literal::String(text) => text.chars().count() as u64,
        Literal::Bytes(bytes) => bytes.len() as u64,
        _ => 1,
    }
}
