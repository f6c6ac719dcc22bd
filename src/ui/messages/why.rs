//! Why requests fail, and what to do about it.
