//! The comparison of values for the operation `test`.

use std::borrow::Cow;

use schema::Node;

use crate::tree::Tree;

/// Reports whether two values are the same. Scalars are compared as they are written: 1 is not 1.0, and `"<"` is not
/// `"\u003c"`, which is how kube-apiserver writes it. What is compared counts as touched.
pub(super) fn equal<'a>(one: &mut Tree<'a>, other: &mut Tree<'a>) -> bool {
    if one.is_list() && other.is_list() {
        return match (one.list(), other.list()) {
            (Some(one), Some(other)) => {
                one.len() == other.len() && one.iter_mut().zip(other).all(|(one, other)| equal(one, other))
            }
            _ => false,
        };
    }
    match (one.map(), other.map()) {
        (Some(one), Some(other)) => {
            let (one, other) = (one.as_mut_slice(), other.as_mut_slice());
            one.len() == other.len()
                && one
                    .iter_mut()
                    .zip(other)
                    .all(|((one_key, one), (other_key, other))| one_key == other_key && equal(one, other))
        }
        (None, None) => match (one, other) {
            (Tree::Raw(one), Tree::Raw(other)) => scalars_equal(one, other),
            _ => false,
        },
        _ => false,
    }
}

fn scalars_equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (one, other) {
        (Node::List(_) | Node::Map(_), _) => false,
        // What was written without escapes is borrowed from the document.
        (Node::String(one), Node::String(other)) => {
            one == other && matches!(one, Cow::Borrowed(_)) == matches!(other, Cow::Borrowed(_))
        }
        _ => one == other,
    }
}
