//! Which defaults apply where: the table laid over the schema once, so that applying them visits only
//! the fields below which there is something to fill.

use std::sync::OnceLock;

use json_tree::{Map, Value};
use schema::{Field, FieldType, Type, TypeId, Types};

use super::{Fill, prepare, quantity, table};
use apimachinery::typed_object::{TypedObject, is_pointer, is_zero};

/// The steps for all types that have defaults, in themselves or below.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// One for each type, in their order.
    steps: Vec<Step>,
    prepare: Vec<(TypeId, Fill)>,
}

/// The rules that the table has for a type.
#[derive(Debug, Default)]
struct Rules {
    constants: Vec<(String, Value)>,
    computed: Vec<Fill>,
}

/// The steps for a struct: first its own defaults, then those of its fields, as Go does.
#[derive(Debug)]
struct Step {
    ty: TypeId,
    constants: Vec<Constant>,
    computed: Vec<Fill>,
    children: Vec<Child>,
}

/// The default of a field that is not set.
#[derive(Debug)]
struct Constant {
    name: String,
    value: Value,
    /// True if anything in the field counts as set, a zero value too.
    pointer: bool,
}

#[derive(Debug)]
struct Child {
    name: String,
    shape: Shape,
    /// True if the struct is there even if its key is not.
    by_value: bool,
    step: usize,
    /// The content that such a struct gets if its key is not there, if anything.
    made: OnceLock<Option<Value>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Struct,
    List,
    Map,
    Quantities,
}

impl Plan {
    pub(super) fn new(types: &Types) -> Self {
        let mut rules: Vec<Rules> = types.iter().map(|_| Rules::default()).collect();
        for (package, rows) in table::CONSTANTS {
            for (name, constants) in *rows {
                if let Some(id) = types.find(package, name) {
                    let own = constants.iter().map(|(field, value)| ((*field).to_owned(), value.to_json()));
                    rules[id.index()].constants.extend(own);
                }
            }
        }
        for (package, name, fill) in table::COMPUTED {
            if let Some(id) = types.find(package, name) {
                rules[id.index()].computed.push(*fill);
            }
        }

        let mut plan = Self::default();
        for (id, ty) in types.iter() {
            let mut constants: Vec<(String, Value)> = Vec::new();
            let mut computed = Vec::new();
            for from in std::iter::once(id).chain(ty.embedded.iter().map(|embedded| embedded.ty)) {
                let own = &rules[from.index()];
                constants.extend(own.constants.iter().cloned());
                computed.extend(&own.computed);
            }
            for field in &ty.fields {
                if let Some(value) = marked_default(field)
                    && !constants.iter().any(|(name, _)| *name == field.name)
                {
                    constants.push((field.name.clone(), value));
                }
            }
            let constants = constants.into_iter().map(|(name, value)| {
                // What is no field is set by whatever is in it.
                let pointer = ty.field(&name).is_none_or(is_pointer);
                Constant { name, value, pointer }
            });
            plan.steps.push(Step { ty: id, constants: constants.collect(), computed, children: Vec::new() });
        }
        plan.link(types);
        for (package, name, fill) in prepare::FILLS {
            if let Some(id) = types.find(package, name) {
                plan.prepare.push((id, *fill));
            }
        }
        plan
    }

    /// Makes the children of each step: the fields whose types have something to do.
    fn link(&mut self, types: &Types) {
        let candidates: Vec<Vec<Child>> = types.iter().map(|(_, ty)| self.candidates(ty)).collect();
        let mut busy: Vec<bool> =
            self.steps.iter().map(|step| !step.constants.is_empty() || !step.computed.is_empty()).collect();
        loop {
            let mut changed = false;
            for (index, children) in candidates.iter().enumerate() {
                if !busy[index] && children.iter().any(|child| child.is_busy(&busy)) {
                    busy[index] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (step, children) in self.steps.iter_mut().zip(candidates) {
            step.children = children.into_iter().filter(|child| child.is_busy(&busy)).collect();
        }
    }

    fn candidates(&self, ty: &Type) -> Vec<Child> {
        ty.fields
            .iter()
            .filter_map(|field| {
                let (shape, id) = match &field.ty {
                    FieldType::Struct(id) => (Shape::Struct, *id),
                    FieldType::List(item) => (Shape::List, struct_id(item)?),
                    FieldType::Map(value) if **value == FieldType::Quantity => {
                        if !table::ROUNDED.contains(&ty.package.as_str()) {
                            return None;
                        }
                        return Some(Child::new(field, Shape::Quantities, 0));
                    }
                    FieldType::Map(value) => (Shape::Map, struct_id(value)?),
                    _ => return None,
                };
                Some(Child::new(field, shape, id.index()))
            })
            .collect()
    }

    pub(super) fn apply(&self, types: &Types, ty: TypeId, object: &mut Value) {
        if let Value::Object(map) = object {
            self.run(types, ty.index(), map);
        }
    }

    pub(super) fn prepare_for_create(&self, types: &Types, ty: TypeId, object: &mut Value) {
        let fill = self.prepare.iter().find(|(own, _)| *own == ty);
        if let (Some((_, fill)), Value::Object(map)) = (fill, object) {
            fill(&mut TypedObject::new(types, types.get(ty), map));
        }
    }

    fn run(&self, types: &Types, step: usize, map: &mut Map<String, Value>) {
        let step = &self.steps[step];
        let mut object = TypedObject::new(types, types.get(step.ty), map);
        for Constant { name, value, pointer } in &step.constants {
            let is_set = object.get(name).is_some_and(|present| *pointer || !is_zero(present));
            if !is_set {
                object.set(name, value.clone());
            }
        }
        for fill in &step.computed {
            fill(&mut object);
        }
        for child in &step.children {
            match map.get_mut(&child.name) {
                None | Some(Value::Null) if child.by_value => {
                    let made = child.made.get_or_init(|| {
                        let mut made = schema::zero(types, self.steps[child.step].ty);
                        self.descend(types, child, &mut made);
                        (!is_zero(&made)).then_some(made)
                    });
                    if let Some(made) = made {
                        TypedObject::new(types, types.get(step.ty), map).set(&child.name, made.clone());
                    }
                }
                None => {}
                Some(value) => self.descend(types, child, value),
            }
        }
    }

    fn descend(&self, types: &Types, child: &Child, value: &mut Value) {
        match (child.shape, value) {
            (Shape::Struct, Value::Object(map)) => self.run(types, child.step, map),
            (Shape::List, Value::Array(items)) => {
                for item in items {
                    if let Value::Object(map) = item {
                        self.run(types, child.step, map);
                    }
                }
            }
            (Shape::Map, Value::Object(entries)) => {
                for item in entries.values_mut() {
                    if let Value::Object(map) = item {
                        self.run(types, child.step, map);
                    }
                }
            }
            (Shape::Quantities, Value::Object(entries)) => {
                for amount in entries.values_mut() {
                    if let Some(text) = amount.as_str().and_then(quantity::in_resource_list) {
                        *amount = Value::String(text);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Child {
    fn new(field: &Field, shape: Shape, step: usize) -> Self {
        let by_value = shape == Shape::Struct && !is_pointer(field);
        Self { name: field.name.clone(), shape, by_value, step, made: OnceLock::new() }
    }

    fn is_busy(&self, busy: &[bool]) -> bool {
        self.shape == Shape::Quantities || busy[self.step]
    }
}

fn struct_id(ty: &FieldType) -> Option<TypeId> {
    match ty {
        FieldType::Struct(id) => Some(*id),
        _ => None,
    }
}

/// The value of a `+default` marker that changes what is written: a zero does so in a pointer only. A
/// reference to a Go constant (`ref(...)`) is not a value; the table has those.
fn marked_default(field: &Field) -> Option<Value> {
    let value: Value = field.default.as_deref()?.parse().ok()?;
    (is_pointer(field) || !is_zero(&value)).then_some(value)
}
