//! The parts of Go's standard library that the responses of kube-apiserver depend on: how numbers, times, addresses, URLs,
//! media types and Base64 are read and written, with Go's error texts.
//!
//! Modules and functions are named after the packages and functions of Go that they follow. Of Kubernetes it
//! has only its readers of sloppy addresses and the layout of `MicroTime`. `tests/tables` has Go's own results, which the
//! tests compare with.
#![deny(missing_docs)]

pub mod base64;
pub mod mime;
pub mod net;
pub mod netip;
pub mod path;
pub mod pem;
pub mod strconv;
pub mod time;
pub mod url;
pub mod x509;
