//! The workshop that the page was opened for, if it was opened by an attendee's link: see `static/enter.js`, which reads that.

use crate::cluster::host;
use crate::ui::dom;

/// Somebody who takes part in a workshop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attendee {
    /// The name, which is that of the namespace, too.
    pub(crate) name: String,
    /// The bearer token.
    token: String,
}

impl Attendee {
    /// Returns whose page this is.
    pub(crate) fn here() -> Option<Self> {
        let name = host::script("attendee").as_string().filter(|name| !name.is_empty())?;
        let token = host::token(&dom::window().location().origin().ok()?)?;
        Some(Self { name, token })
    }

    /// Returns the value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> String {
        ["Bearer ", &self.token].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_a_header() {
        let anna = Attendee { name: "anna".to_owned(), token: "a?b~c".to_owned() };
        assert_eq!(anna.authorization(), "Bearer a?b~c");
    }
}
