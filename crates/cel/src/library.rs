//! The libraries that Kubernetes adds to the language.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries>.

use crate::function::Function;

/// The tables of all libraries.
pub(crate) const FUNCTIONS: &[&[Function]] = &[];
