//! Texts of strings and numbers, as Go's package `strconv` reads and writes them.
//!
//! See <https://pkg.go.dev/strconv>.

mod boolean;
mod decimal;
mod digits;
mod float;
mod integer;
mod quote;

pub use boolean::parse_bool;
pub use decimal::Decimal;
pub use digits::Digits;
pub use float::{format_fixed, format_float, parse_float};
pub use integer::{atoi, parse_int, parse_uint};
pub(crate) use quote::quote_bytes;
pub use quote::{is_print, quote, quote_all};
