//! Shows what an admission policy would do to a request, before it is stored.

pub(crate) mod view;
