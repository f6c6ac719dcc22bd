//! Access control: rules, questions, and the role that would allow something.

pub(crate) mod grant;
pub(crate) mod question;
pub(crate) mod rules;
