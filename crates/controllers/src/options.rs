//! Options of controllers.

/// A certificate for which nobody has a key.
const ROOT_CA: &str = include_str!("root_ca.crt");

/// The options that controllers are made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The certificate authority that is published in each namespace, in PEM. There is one by default for which nobody has a key.
    pub root_ca: String,
    /// True if a scheduler finds nodes for pods; by default there is none.
    pub scheduler: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { root_ca: ROOT_CA.to_owned(), scheduler: false }
    }
}
