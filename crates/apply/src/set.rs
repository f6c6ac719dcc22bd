//! Sets of fields.

mod json;

pub use json::NotFields;

use crate::path::PathElement;
use crate::shape::Shape;
use schema::Types;

/// A set of fields of an object, as a tree of the steps that lead to them.
///
/// A field may be in the set without what is inside of it, and the other way round:
/// `{"f:data":{"f:k":{}}}` has `.data.k` but not `.data`; `{"f:data":{".":{},"f:k":{}}}` has both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(Vec<(PathElement, Node)>);

/// The entry of a field in a set: whether the field is in the set, and which fields inside of it are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// True if the field itself is in the set.
    pub member: bool,
    /// The fields inside of it that are in the set.
    pub children: Set,
}

impl Node {
    /// Returns whether neither the field nor anything inside of it is in the set.
    pub fn is_empty(&self) -> bool {
        !self.member && self.children.is_empty()
    }

    /// A field without what is inside.
    pub fn leaf() -> Self {
        Self { member: true, children: Set::default() }
    }
}

/// How the members of two sets become those of a third.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Union,
    Difference,
    /// A difference that takes with a field all that is inside of it.
    RecursiveDifference,
    Intersection,
}

impl Set {
    /// The set of these paths of field names.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert_fields(path);
        }
        set
    }

    fn insert_fields(&mut self, path: &[&str]) {
        if let [first, rest @ ..] = path {
            let node = self.node_mut(PathElement::field(first));
            if rest.is_empty() { node.member = true } else { node.children.insert_fields(rest) }
        }
    }

    /// Returns whether no field is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the node at the end of this step, if there is one.
    pub fn get(&self, element: &PathElement) -> Option<&Node> {
        self.find(element).ok().map(|index| &self.0[index].1)
    }

    /// The steps from here, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&PathElement, &Node)> {
        self.0.iter().map(|(element, node)| (element, node))
    }

    /// Puts what is at the end of this step; nothing, if it is empty.
    pub fn insert(&mut self, element: PathElement, node: Node) {
        if node.is_empty() {
            return;
        }
        match self.find(&element) {
            Ok(index) => {
                let there = &mut self.0[index].1;
                there.member |= node.member;
                there.children = there.children.union(&node.children);
            }
            Err(index) => self.0.insert(index, (element, node)),
        }
    }

    /// Makes room for so many steps more.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    fn node_mut(&mut self, element: PathElement) -> &mut Node {
        let index = self.find(&element).unwrap_or_else(|index| {
            self.0.insert(index, (element, Node::default()));
            index
        });
        &mut self.0[index].1
    }

    fn find(&self, element: &PathElement) -> Result<usize, usize> {
        // Steps are mostly added in order.
        match self.0.last() {
            Some((last, _)) if last < element => Err(self.0.len()),
            _ => self.0.binary_search_by(|(own, _)| own.cmp(element)),
        }
    }

    /// The fields that are in either set.
    pub fn union(&self, other: &Self) -> Self {
        combine(self, other, Operation::Union)
    }

    /// The fields that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        combine(self, other, Operation::Intersection)
    }

    /// The fields that are in this set and not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        combine(self, other, Operation::Difference)
    }

    /// The fields that are in this set, and neither are in the other nor are inside of one that is.
    pub fn recursive_difference(&self, other: &Self) -> Self {
        combine(self, other, Operation::RecursiveDifference)
    }

    /// Returns whether a field is in both sets.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some((a, mine)), Some((b, theirs))) = (left.peek(), right.peek()) {
            let order = a.cmp(b);
            if order.is_eq() && (mine.member && theirs.member || mine.children.overlaps(&theirs.children)) {
                return true;
            }
            if order.is_le() {
                left.next();
            }
            if order.is_ge() {
                right.next();
            }
        }
        false
    }

    /// [`Self::difference`], or the recursive one, of a set that is not needed any more. Mostly there is no difference.
    pub fn without(self, other: &Self, recursive: bool) -> Self {
        match (self.touches(other), recursive) {
            (false, _) => self,
            (true, false) => self.difference(other),
            (true, true) => self.recursive_difference(other),
        }
    }

    /// Returns whether the set has a field that is in the other set, or anything inside of such a field.
    fn touches(&self, other: &Self) -> bool {
        other.iter().any(|(element, theirs)| {
            self.get(element).is_some_and(|mine| theirs.member || mine.children.touches(&theirs.children))
        })
    }

    /// The set with the structs, too, in which it has a field: a struct's fields are not owned without it when
    /// it is asked what has to go.
    pub fn with_structs(&self, types: &Types, shape: Option<Shape<'_>>) -> Self {
        let atom = shape.map(|shape| shape.resolve(types));
        let nodes = self.0.iter().map(|(element, node)| {
            let (shape, named) = match (element, atom) {
                (PathElement::Field(name), Some(atom)) => match atom.map {
                    Some(map) => (map.child(name), map.names(name)),
                    None => (None, false),
                },
                (PathElement::Key(_), Some(atom)) => (atom.list.map(|list| list.item), false),
                _ => (None, false),
            };
            let children = node.children.with_structs(types, shape);
            let member = node.member || named && !children.is_empty();
            (element.clone(), Node { member, children })
        });
        Self(nodes.collect())
    }

    /// The set as a schema has it that may not be the one by which it was made: of a list or map that is one value,
    /// nothing inside is owned, but the whole is.
    pub fn reconciled(&self, types: &Types, shape: Shape<'_>) -> Self {
        let nodes = self.0.iter().map(|(element, node)| {
            let shape = match (element, shape.resolve(types)) {
                (PathElement::Field(name), atom) => atom.map.and_then(|map| map.child(name)),
                (_, atom) => atom.list.map(|list| list.item),
            };
            let Some(shape) = shape.filter(|_| !node.children.is_empty()) else {
                return (element.clone(), node.clone());
            };
            let node = if shape.resolve(types).is_whole() {
                Node::leaf()
            } else {
                Node { member: node.member, children: node.children.reconciled(types, shape) }
            };
            (element.clone(), node)
        });
        Self(nodes.collect())
    }

    /// The paths of the fields, as errors show them: of each field first those beside it, then what is inside.
    pub fn paths(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.collect_paths("", &mut out);
        out
    }

    fn collect_paths(&self, prefix: &str, out: &mut Vec<String>) {
        let path = |element: &PathElement| {
            let mut path = prefix.to_owned();
            element.write(&mut path);
            path
        };
        out.extend(self.iter().filter(|(_, node)| node.member).map(|(element, _)| path(element)));
        for (element, node) in self.iter().filter(|(_, node)| !node.children.is_empty()) {
            node.children.collect_paths(&path(element), out);
        }
    }
}

fn combine(a: &Set, b: &Set, operation: Operation) -> Set {
    use Operation::{Difference, Intersection, RecursiveDifference, Union};
    let mut out = Vec::with_capacity(a.0.len());
    let (mut left, mut right) = (a.0.iter().peekable(), b.0.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return Set(out),
        };
        let mine = if order.is_le() { left.next() } else { None };
        let theirs = if order.is_ge() { right.next() } else { None };
        match (mine, theirs) {
            (Some((element, mine)), Some((_, theirs))) => {
                let (member, children) = match operation {
                    RecursiveDifference if theirs.member => continue,
                    Union => (mine.member || theirs.member, None),
                    Intersection => (mine.member && theirs.member, None),
                    // What the other has nothing inside of stays as it is.
                    Difference | RecursiveDifference => (
                        mine.member && !theirs.member,
                        theirs.children.is_empty().then(|| mine.children.clone()),
                    ),
                };
                let children =
                    children.unwrap_or_else(|| combine(&mine.children, &theirs.children, operation));
                let node = Node { member, children };
                if !node.is_empty() {
                    out.push((element.clone(), node));
                }
            }
            (Some(only), None) if operation != Intersection => out.push(only.clone()),
            (None, Some(only)) if operation == Union => out.push(only.clone()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(json: &str) -> Set {
        Set::from_json(&serde_json::from_str(json).expect("JSON")).expect("a set")
    }

    #[track_caller]
    fn check(result: &Set, expected: &str) {
        assert_eq!(result.to_json().to_string(), expected);
    }

    const A: &str = r#"{"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}}"#;
    const B: &str = r#"{"f:a":{".":{},"f:x":{}},"f:c":{}}"#;

    #[test]
    fn operations() {
        let (a, b) = (set(A), set(B));
        check(&a.union(&b), r#"{"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{},"f:c":{}}"#);
        check(&a.intersection(&b), r#"{"f:a":{".":{},"f:x":{}}}"#);
        check(&a.difference(&b), r#"{"f:a":{"f:y":{}},"f:b":{}}"#);
        check(&a.recursive_difference(&b), r#"{"f:b":{}}"#);
    }

    #[test]
    fn paths_go_by_depth_within_a_field() {
        assert_eq!(set(A).paths(), [".a", ".b", ".a.x", ".a.y"]);
    }
}
