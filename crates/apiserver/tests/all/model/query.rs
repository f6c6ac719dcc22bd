//! Which objects a request is about, and how it says so.

use super::history::{Object, State};

/// The second sorts before the first: what is compared is the key, with a slash after the namespace.
pub(crate) const NAMESPACES: [&str; 2] = ["default", "default-b"];
pub(crate) const NAMES: [&str; 12] = ["a", "a-b", "a.b", "ab", "b", "b0", "c", "c-0", "d", "e", "x", "z"];
/// Labels that objects have.
pub(crate) const LABELS: [&[(&str, &str)]; 6] =
    [&[], &[("t", "x")], &[("t", "y")], &[("t", "x"), ("u", "1")], &[("u", "1")], &[("t", "z")]];
/// Label selectors, as they stand in a query.
const SELECTORS: [&str; 7] =
    ["", "t%3Dx", "t%21%3Dx", "t+in+%28x%2Cy%29", "%21t", "t%3Dx%2Cu%3D1", "t+notin+%28x%29%2Cu"];

/// The condition of a field selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    None,
    Name(usize),
    NotName(usize),
    Namespace(usize),
}

/// Which objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    /// Of which namespace; `None` for all.
    pub(crate) namespace: Option<usize>,
    pub(crate) field: Field,
    pub(crate) selector: usize,
}

impl Query {
    /// The path of the collection.
    pub(crate) fn path(&self, prefix: &str) -> String {
        match self.namespace {
            Some(namespace) => {
                format!("/api/v1{prefix}/namespaces/{}/configmaps", NAMESPACES[namespace % NAMESPACES.len()])
            }
            None => format!("/api/v1{prefix}/configmaps"),
        }
    }

    /// The selectors, as parameters that end with `&`.
    pub(crate) fn parameters(&self) -> String {
        let field = match self.field {
            Field::None => String::new(),
            Field::Name(name) => format!("fieldSelector=metadata.name%3D{}&", name_of(name)),
            Field::NotName(name) => format!("fieldSelector=metadata.name%21%3D{}&", name_of(name)),
            Field::Namespace(namespace) => {
                format!("fieldSelector=metadata.namespace%3D{}&", namespace_of(namespace))
            }
        };
        let labels = SELECTORS[self.selector % SELECTORS.len()];
        if labels.is_empty() { field } else { format!("{field}labelSelector={labels}&") }
    }

    /// The name, if it is about one object alone.
    pub(crate) fn single(&self) -> Option<&'static str> {
        match self.field {
            Field::Name(name) if self.namespace.is_some() => Some(name_of(name)),
            _ => None,
        }
    }

    /// Returns whether the query has a selector.
    pub(crate) fn selects(&self) -> bool {
        self.field != Field::None || !SELECTORS[self.selector % SELECTORS.len()].is_empty()
    }

    /// Returns whether an object is in the collection, or is the one that is requested.
    fn covers(&self, object: &Object) -> bool {
        let namespace = match (self.namespace, self.field) {
            (Some(namespace), _) | (None, Field::Namespace(namespace)) => Some(namespace_of(namespace)),
            _ => None,
        };
        namespace.is_none_or(|own| own == object.namespace)
            && self.single().is_none_or(|own| own == object.name)
    }

    /// Returns whether an object matches the query.
    pub(crate) fn matches(&self, object: &Object) -> bool {
        let (t, u) = (object.label("t"), object.label("u"));
        let labels = match self.selector % SELECTORS.len() {
            0 => true,
            1 => t == Some("x"),
            2 => t != Some("x"),
            3 => t == Some("x") || t == Some("y"),
            4 => t.is_none(),
            5 => t == Some("x") && u == Some("1"),
            _ => t != Some("x") && u.is_some(),
        };
        let field = match self.field {
            Field::None => true,
            Field::Name(name) => object.name == name_of(name),
            Field::NotName(name) => object.name != name_of(name),
            Field::Namespace(namespace) => object.namespace == namespace_of(namespace),
        };
        labels && field && self.covers(object)
    }

    /// A page of a state: the keys behind `after`, at most `limit` of those that match (0: all), and how many keys
    /// are left behind it.
    pub(crate) fn page<'a>(&self, state: &'a State, after: &str, limit: usize) -> (Vec<&'a Object>, usize) {
        let mut rest =
            state.iter().filter(|(key, object)| key.as_str() > after && self.covers(object.as_ref()));
        let mut items = Vec::new();
        for (_, object) in rest.by_ref() {
            if self.matches(object) {
                items.push(object.as_ref());
                if items.len() == limit {
                    break;
                }
            }
        }
        (items, rest.count())
    }
}

pub(crate) fn name_of(number: usize) -> &'static str {
    NAMES[number % NAMES.len()]
}

pub(crate) fn namespace_of(number: usize) -> &'static str {
    NAMESPACES[number % NAMESPACES.len()]
}
