//! The tree of an expression: nodes in a list, which refer to each other by their places in it.

use std::{borrow::Cow, sync::Arc};

/// The place of a node.
pub(crate) type Id = u32;

/// The name of the accumulator of macros. No expression can say it.
pub(crate) const ACCUMULATOR: &str = "@result";
/// The name of what nothing refers to.
pub(crate) const UNUSED: &str = "#unused";

/// A node: what it is, and the character that errors about it point at.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) offset: u32,
    pub(crate) expr: Expr,
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Expr {
    /// An expression that could not be parsed.
    Error,
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        operand: Id,
        field: String,
        test: bool,
    },
    Call {
        function: Cow<'static, str>,
        target: Option<Id>,
        arguments: Vec<Id>,
    },
    List(Vec<Item>),
    Map(Vec<Entry>),
    /// An object of a type by its name.
    Struct {
        name: String,
        fields: Vec<Member>,
    },
    Comprehension(Box<Comprehension>),
}

impl Expr {
    /// Tells `visit` of each expression in this one.
    fn children(&self, visit: &mut dyn FnMut(Id)) {
        match self {
            Self::Error | Self::Literal(_) | Self::Ident(_) => {}
            Self::Select { operand, .. } => visit(*operand),
            Self::Call { target, arguments, .. } => target.iter().chain(arguments).for_each(|id| visit(*id)),
            Self::List(items) => items.iter().for_each(|item| visit(item.value)),
            Self::Map(entries) => entries.iter().for_each(|entry| {
                visit(entry.key);
                visit(entry.value);
            }),
            Self::Struct { fields, .. } => fields.iter().for_each(|field| visit(field.value)),
            Self::Comprehension(fold) => {
                [fold.range, fold.init, fold.condition, fold.step, fold.result].into_iter().for_each(visit);
            }
        }
    }
}

/// A literal.
#[derive(Clone, Debug)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// An item of a list.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) value: Id,
    /// True if the item is left out when it is an empty optional.
    pub(crate) optional: bool,
}

/// An entry of a map.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: Id,
    pub(crate) value: Id,
    pub(crate) optional: bool,
}

/// A field of an object that is made.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) value: Id,
    pub(crate) optional: bool,
    /// The character that errors about it point at.
    pub(crate) offset: u32,
}

/// The expansion of a macro: a loop over a list or the keys of a map, which changes an accumulator.
#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) range: Id,
    pub(crate) var: String,
    pub(crate) var2: Option<String>,
    pub(crate) accumulator: String,
    pub(crate) init: Id,
    pub(crate) condition: Id,
    pub(crate) step: Id,
    pub(crate) result: Id,
    pub(crate) fold: Fold,
}

/// The effect of a comprehension, for the evaluator, which need not build the values of the steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fold {
    /// The condition that all items must fulfil (`Any`: at least one item).
    All(Id),
    Any(Id),
    /// The condition that exactly one item must fulfil.
    One(Id),
    /// A list of this, of the items that fulfil the other.
    List {
        filter: Option<Id>,
        item: Id,
    },
    /// A map to this, or of entries if there are no keys.
    Map {
        filter: Option<Id>,
        value: Id,
        entries: bool,
    },
    /// A name for a value.
    Bind,
}

/// All nodes of an expression.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
    /// How high the highest tree of them is.
    pub(crate) height: u16,
    heights: Vec<u16>,
}

impl Ast {
    pub(crate) fn node(&self, id: Id) -> &Node {
        static NONE: Node = Node { offset: 0, expr: Expr::Error };
        self.nodes.get(id as usize).unwrap_or(&NONE)
    }

    pub(crate) fn expr(&self, id: Id) -> &Expr {
        &self.node(id).expr
    }

    pub(crate) fn add(&mut self, offset: u32, expr: Expr) -> Id {
        let mut below = 0;
        expr.children(&mut |child| below = below.max(self.heights.get(child as usize).copied().unwrap_or(0)));
        let height = below.saturating_add(1);
        self.heights.push(height);
        self.height = self.height.max(height);
        self.nodes.push(Node { offset, expr });
        self.nodes.len() as Id - 1
    }

    /// `a.b.c` as a name, if the expression is one.
    pub(crate) fn qualified(&self, id: Id) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = id;
        loop {
            match self.expr(at) {
                Expr::Ident(name) => {
                    parts.push(name.as_str());
                    parts.reverse();
                    return Some(parts.join("."));
                }
                Expr::Select { operand, field, test: false } => {
                    parts.push(field);
                    at = *operand;
                }
                _ => return None,
            }
        }
    }
}
