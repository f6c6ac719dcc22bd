//! JSON Patch, as kube-apiserver's library understands it.
//!
//! It is laxer than the RFC: `replace` adds a member that is missing, `copy` of one adds `null`, indices may be
//! negative or have leading zeros, and what stands before the first slash of a path is passed over.
//!
//! <https://www.rfc-editor.org/rfc/rfc6902>

mod check;
mod equal;
mod pointer;

use schema::Node;

pub use crate::error::MAX_OPERATIONS;
use crate::error::{Error, TEST_FAILED};
use crate::tree::Tree;

pub use check::check;

use equal::equal;
use pointer::{Place, locate};

/// How many bytes the `copy` operations of one patch may add.
const MAX_COPIED: usize = 3 * 1024 * 1024;

/// How many lists and maps may stand inside one another in what a patch makes: as many as in what is read.
const MAX_DEPTH: usize = 128;

/// A list of operations.
///
/// ```
/// # use codec::json::{parse, to_value};
/// let original = parse(br#"{"a": [1, 2]}"#).unwrap();
/// let patch = parse(br#"[{"op": "add", "path": "/a/-", "value": 3}]"#).unwrap();
/// let patched = patch::json_patch::Patch::new(patch).unwrap().apply(original).unwrap();
/// assert_eq!(to_value(&patched).unwrap().to_string(), r#"{"a":[1,2,3]}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Patch<'a>(Vec<Operation<'a>>);

/// One operation, of which nothing is known but that it is an object. What is `null` counts as missing, but for
/// the value.
#[derive(Clone, Debug, Default)]
struct Operation<'a> {
    op: Option<Node<'a>>,
    path: Option<Node<'a>>,
    from: Option<Node<'a>>,
    value: Option<Node<'a>>,
}

impl<'a> Patch<'a> {
    /// Takes a document for a patch. `null` is one without operations.
    ///
    /// # Errors
    /// A document that is no list of objects, or one of more than [`MAX_OPERATIONS`].
    pub fn new(document: Node<'a>) -> Result<Self, Error> {
        let items = match document {
            Node::List(items) => items,
            Node::Null => Vec::new(),
            other => return Err(wrong_type(&other, "jsonpatch.Patch")),
        };
        let operations = items.into_iter().map(Operation::new).collect::<Result<Vec<_>, _>>()?;
        if operations.len() > MAX_OPERATIONS {
            return Err(Error::TooManyOperations(operations.len()));
        }
        Ok(Self(operations))
    }

    /// Does one operation after the other.
    ///
    /// # Errors
    /// The first operation that cannot be done, or what it made is too deep or too large.
    pub fn apply(self, original: Node<'a>) -> Result<Node<'a>, Error> {
        let mut document = Document { root: Tree::Raw(original), copied: 0 };
        // The library has the outermost object taken apart even if nothing is to be done.
        document.root.map();
        for operation in self.0 {
            document.apply(operation)?;
        }
        Ok(document.root.into_node())
    }
}

impl<'a> Operation<'a> {
    fn new(document: Node<'a>) -> Result<Self, Error> {
        let entries = match document {
            Node::Map(entries) => entries,
            Node::Null => Vec::new(),
            other => return Err(wrong_type(&other, "jsonpatch.Operation")),
        };
        let mut operation = Self::default();
        for (key, value) in entries {
            match key.as_ref() {
                "op" => operation.op = Some(value),
                "path" => operation.path = Some(value),
                "from" => operation.from = Some(value),
                "value" => operation.value = Some(value),
                _ => {}
            }
        }
        Ok(operation)
    }
}

fn wrong_type(value: &Node<'_>, go_type: &str) -> Error {
    Error::bad_request(format!(
        "json: cannot unmarshal {} into Go value of type {go_type}",
        schema::decode::kind(value)
    ))
}

fn text<'n>(node: Option<&'n Node<'_>>, field: &str) -> Result<&'n str, Error> {
    match node {
        Some(Node::String(text)) => Ok(text),
        _ => Err(Error::unprocessable(format!("operation has no {field}"))),
    }
}

/// The reason that there is nothing at a path.
enum Miss {
    /// There is no map or list around it.
    Around,
    /// There is nothing of this key in the map or list.
    Key { key: String, why: String },
}

impl Miss {
    /// Returns the error of an operation that says so of the path, or of the key.
    fn told(self, around: &[&str], of_key: impl FnOnce(&str) -> String) -> Error {
        Error::unprocessable(match self {
            Self::Around => [&around.concat(), ": missing value"].concat(),
            Self::Key { key, why } => [&of_key(&key), ": ", &why].concat(),
        })
    }
}

/// A document that operations are done to.
struct Document<'a> {
    root: Tree<'a>,
    /// How many bytes were copied.
    copied: usize,
}

impl<'a> Document<'a> {
    fn apply(&mut self, operation: Operation<'a>) -> Result<(), Error> {
        let Operation { op, path, from, value } = operation;
        let (path, from) = (path.as_ref(), from.as_ref());
        match text(op.as_ref(), "op")? {
            "add" => self.add(text(path, "path")?, Tree::Raw(value.unwrap_or(Node::Null))),
            "remove" => {
                let path = text(path, "path")?;
                let removed = self.take(path).map_err(|miss| {
                    let around = ["remove operation does not apply: doc is missing path: \"", path, "\""];
                    miss.told(&around, |_| format!("error in remove for path: '{path}'"))
                });
                removed.map(drop)
            }
            "replace" => self.replace(text(path, "path")?, value),
            "move" => self.relocate(text(from, "from")?, text(path, "path")?),
            "copy" => self.copy(text(from, "from")?, text(path, "path")?),
            "test" => self.test(text(path, "path")?, value),
            other => Err(Error::unprocessable(["Unexpected kind: ", other].concat())),
        }
    }

    fn add(&mut self, path: &str, value: Tree<'a>) -> Result<(), Error> {
        Self::check_depth(path, &value)?;
        self.insert(path, value).map_err(|miss| {
            let around = ["add operation does not apply: doc is missing path: \"", path, "\""];
            miss.told(&around, |_| format!("error in add for path: '{path}'"))
        })
    }

    fn relocate(&mut self, from: &str, path: &str) -> Result<(), Error> {
        let value = self.take(from).map_err(|miss| {
            let around = ["move operation does not apply: doc is missing from path: ", from];
            miss.told(&around, |key| format!("error in move for path: '{key}'"))
        })?;
        Self::check_depth(path, &value)?;
        self.insert(path, value).map_err(|miss| {
            let around = ["move operation does not apply: doc is missing destination path: ", path];
            miss.told(&around, |_| format!("error in move for path: '{path}'"))
        })
    }

    /// Copies what is there; of a member that is not there, `null`.
    fn copy(&mut self, from: &str, path: &str) -> Result<(), Error> {
        let found = self.get(from).map_err(|miss| {
            let around = ["copy operation does not apply: doc is missing from path: ", from];
            miss.told(&around, |_| format!("error in copy for from: '{from}'"))
        })?;
        let value = found.map_or(Tree::NULL, |value| value.clone());
        self.copied += value.size();
        if self.copied > MAX_COPIED {
            return Err(Error::unprocessable(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {MAX_COPIED}",
                self.copied
            )));
        }
        Self::check_depth(path, &value)?;
        self.insert(path, value).map_err(|miss| {
            let around = ["copy operation does not apply: doc is missing destination path: ", path];
            miss.told(&around, |_| "error while adding value during copy".to_owned())
        })
    }

    /// Puts a value where the path leads to: between the items of a list.
    fn insert(&mut self, path: &str, value: Tree<'a>) -> Result<(), Miss> {
        match locate(&mut self.root, path).ok_or(Miss::Around)? {
            Place::Member(entries, key) => {
                entries.insert(key.into(), value);
            }
            Place::Item(items, key) if key == "-" => items.push(value),
            Place::Item(items, key) => match pointer::index(&key, items.len() + 1) {
                Ok(index) => items.insert(index, value),
                Err(why) => {
                    let improper = format!("value was not a proper array index: '{key}': {why}");
                    let why = if why.starts_with("strconv") { improper } else { why };
                    return Err(Miss::Key { key, why });
                }
            },
        }
        Ok(())
    }

    fn take(&mut self, path: &str) -> Result<Tree<'a>, Miss> {
        let (key, found) = match locate(&mut self.root, path).ok_or(Miss::Around)? {
            Place::Member(entries, key) => {
                let nonexistent = || format!("Unable to remove nonexistent key: {key}: missing value");
                let found = entries.remove(key.as_str()).ok_or_else(nonexistent);
                (key, found)
            }
            Place::Item(items, key) => {
                let found = pointer::index(&key, items.len()).map(|index| items.remove(index));
                (key, found)
            }
        };
        found.map_err(|why| Miss::Key { key, why })
    }

    /// Returns what is there. A member may not be there.
    fn get(&mut self, path: &str) -> Result<Option<&mut Tree<'a>>, Miss> {
        match locate(&mut self.root, path).ok_or(Miss::Around)? {
            Place::Member(entries, key) => Ok(entries.get_mut(key.as_str())),
            Place::Item(items, key) => match pointer::index(&key, items.len()) {
                Ok(index) => Ok(items.get_mut(index)),
                Err(why) => Err(Miss::Key { key, why }),
            },
        }
    }

    /// Unlike the RFC, a member that is replaced need not be there; nor does the value, which is then `null`.
    fn replace(&mut self, path: &str, value: Option<Node<'a>>) -> Result<(), Error> {
        if path.is_empty() {
            return match value {
                Some(value @ (Node::Map(_) | Node::List(_))) => {
                    self.root = Tree::Raw(value);
                    self.root.map();
                    Ok(())
                }
                _ => Err(Error::unprocessable("replace operation value must be object or array: %!w(<nil>)")),
            };
        }
        let value = Tree::Raw(value.unwrap_or(Node::Null));
        Self::check_depth(path, &value)?;
        let missing = |what: &str| {
            let parts =
                ["replace operation does not apply: doc is missing ", what, ": ", path, ": missing value"];
            Error::unprocessable(parts.concat())
        };
        match locate(&mut self.root, path).ok_or_else(|| missing("path"))? {
            Place::Member(entries, key) => {
                entries.insert(key.into(), value);
            }
            Place::Item(items, key) => {
                let index = pointer::index(&key, items.len()).map_err(|_| missing("key"))?;
                items[index] = value;
            }
        }
        Ok(())
    }

    /// A member that is not there equals `null`, and a value that is not sent.
    fn test(&mut self, path: &str, value: Option<Node<'a>>) -> Result<(), Error> {
        let mut nothing = Tree::NULL;
        let found = if path.is_empty() {
            &mut self.root
        } else {
            let found = self.get(path).map_err(|miss| {
                let around = ["test operation does not apply: is missing path: ", path];
                miss.told(&around, |_| format!("error in test for path: '{path}'"))
            })?;
            found.unwrap_or(&mut nothing)
        };
        if equal(found, &mut Tree::Raw(value.unwrap_or(Node::Null))) {
            return Ok(());
        }
        Err(Error::unprocessable(["testing value ", path, TEST_FAILED].concat()))
    }

    /// Refuses what would be nested too deeply with `value` at `path`.
    fn check_depth(path: &str, value: &Tree<'a>) -> Result<(), Error> {
        let depth = path.matches('/').count() + value.depth();
        if depth > MAX_DEPTH {
            return Err(Error::unprocessable("too many levels"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
