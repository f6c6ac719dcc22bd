//! The items of a list, to be found by the steps to them.

use std::borrow::Borrow;

use json_tree::Value;
use schema::Types;

use super::items;
use crate::path::PathElement;
use crate::shape::List;

/// The items of a list with the steps to them. What cannot be told apart from others is left out.
pub(super) struct Named<T> {
    items: Vec<(PathElement, T)>,
    /// The places of the items in the order of their steps; those with the same one as they stand in the list.
    order: Vec<usize>,
}

impl<T: Borrow<Value>> Named<T> {
    pub(super) fn new(types: &Types, list: &List<'_>, values: impl IntoIterator<Item = T>) -> Self {
        let named = |item: T| items::element(types, list, item.borrow()).ok().map(|element| (element, item));
        let items: Vec<(PathElement, T)> = values.into_iter().filter_map(named).collect();
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|a, b| items[*a].0.cmp(&items[*b].0));
        Self { items, order }
    }
}

impl<T> Named<T> {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn get(&self, place: usize) -> Option<&(PathElement, T)> {
        self.items.get(place)
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &PathElement> {
        self.items.iter().map(|(element, _)| element)
    }

    /// Returns the places of the items with this name.
    pub(super) fn places(&self, element: &PathElement) -> &[usize] {
        let from = self.order.partition_point(|place| self.items[*place].0 < *element);
        let rest = &self.order[from..];
        &rest[..rest.partition_point(|place| self.items[*place].0 == *element)]
    }

    pub(super) fn has(&self, element: &PathElement) -> bool {
        !self.places(element).is_empty()
    }
}

impl<'v> Named<&'v Value> {
    /// The items of this name.
    pub(super) fn all(&self, element: &PathElement) -> Vec<&'v Value> {
        self.places(element).iter().map(|place| self.items[*place].1).collect()
    }
}

impl Named<Value> {
    /// Takes an item out; its name stays.
    pub(super) fn take(&mut self, place: usize) -> Value {
        std::mem::take(&mut self.items[place].1)
    }
}
