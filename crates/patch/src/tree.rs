//! A document that is taken apart only where a patch touches it.

mod entries;

use schema::Node;

pub(crate) use entries::Entries;

/// A value: as it was read, or taken apart.
///
/// A map that is taken apart is put together again in the order of its keys, each once; one that is not keeps the
/// order that it had. kube-apiserver shows the difference where it prints a patched document.
#[derive(Clone, Debug)]
pub(crate) enum Tree<'a> {
    Raw(Node<'a>),
    Map(Entries<'a>),
    List(Vec<Self>),
}

impl<'a> Tree<'a> {
    pub(crate) const NULL: Self = Self::Raw(Node::Null);

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Raw(Node::Null))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::Raw(Node::List(_)))
    }

    /// The entries, if it is a map.
    pub(crate) fn map(&mut self) -> Option<&mut Entries<'a>> {
        if let Self::Raw(Node::Map(entries)) = self {
            let entries = std::mem::take(entries);
            let entries = entries.into_iter().map(|(key, value)| (key, Self::Raw(value)));
            *self = Self::Map(Entries::new(entries.collect()));
        }
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub(crate) fn list(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Raw(Node::List(items)) = self {
            *self = Self::List(std::mem::take(items).into_iter().map(Self::Raw).collect());
        }
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The document, put together.
    pub(crate) fn into_node(self) -> Node<'a> {
        match self {
            Self::Raw(node) => node,
            Self::Map(entries) => {
                let entries = entries.into_vec().into_iter();
                Node::Map(entries.map(|(key, value)| (key, value.into_node())).collect())
            }
            Self::List(items) => Node::List(items.into_iter().map(Self::into_node).collect()),
        }
    }

    /// How many maps and lists stand inside one another at most.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Raw(node) => depth(node),
            Self::Map(entries) => {
                1 + entries.as_slice().iter().map(|(_, value)| value.depth()).max().unwrap_or(0)
            }
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// About how many bytes it takes as JSON.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Raw(node) => size(node),
            Self::Map(entries) => {
                let entries = entries.as_slice().iter();
                2 + entries.map(|(key, value)| key.len() + 4 + value.size()).sum::<usize>()
            }
            Self::List(items) => 2 + items.iter().map(|item| 1 + item.size()).sum::<usize>(),
        }
    }
}

/// How many maps and lists stand inside one another at most.
fn depth(node: &Node<'_>) -> usize {
    match node {
        Node::Map(entries) => 1 + entries.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        Node::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn size(node: &Node<'_>) -> usize {
    match node {
        Node::Null => 4,
        Node::Bool(bool) => 5 - usize::from(*bool),
        Node::Number(literal) => literal.len(),
        Node::String(text) => 2 + text.len(),
        Node::List(items) => 2 + items.iter().map(|item| 1 + size(item)).sum::<usize>(),
        Node::Map(entries) => {
            2 + entries.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>()
        }
    }
}
