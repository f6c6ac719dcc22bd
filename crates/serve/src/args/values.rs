//! Values of options: how they are read, and what is wrong with them.

use std::ffi::OsString;

use apiserver::{ServiceRange, ServiceRangeError};
use controllers::MOST_NODES;
use lexopt::{Parser, ValueExt as _};
use rustls::pki_types::ServerName;

use super::UsageError;
use crate::dial::{self, ServiceAddress};
use crate::log::Format;

/// Reads the value of an option, which is not empty.
pub(super) fn value(parser: &mut Parser, name: &str) -> Result<OsString, UsageError> {
    let value = parser.value()?;
    if value.is_empty() { Err(UsageError(format!("{name} needs a value"))) } else { Ok(value) }
}

/// Reads a value that need not be there, and is `true` without one.
pub(super) fn switch(parser: &mut Parser, name: &str) -> Result<bool, UsageError> {
    match parser.optional_value() {
        None => Ok(true),
        Some(value) if value == "true" => Ok(true),
        Some(value) if value == "false" => Ok(false),
        Some(other) => Err(UsageError(format!("{name} is true or false, not {other:?}"))),
    }
}

/// Reads an origin, as browsers send it.
pub(super) fn origin(parser: &mut Parser, name: &str) -> Result<String, UsageError> {
    let origin = value(parser, name)?.string()?;
    let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
        ["http", "https"].contains(&scheme) && !host.is_empty() && !host.contains(['/', '*', ' '])
    });
    if is_origin {
        return Ok(origin);
    }
    Err(UsageError(format!("{name} is an origin such as https://example.com, not {origin:?}")))
}

/// Reads the name or the address of a server; of a name the first part may be `*`.
pub(super) fn server_name(parser: &mut Parser, name: &str) -> Result<String, UsageError> {
    let value = value(parser, name)?.string()?;
    match ServerName::try_from(value.strip_prefix("*.").unwrap_or(&value)) {
        Ok(_) => Ok(value),
        Err(_) => Err(UsageError(format!("{name} is a DNS name or an address, not {value:?}"))),
    }
}

/// Reads the address of a service.
pub(super) fn service_address(parser: &mut Parser, name: &str) -> Result<ServiceAddress, UsageError> {
    let value = value(parser, name)?.string()?;
    dial::parse(&value)
        .ok_or_else(|| UsageError(format!("{name} is NAMESPACE/NAME=HOST:PORT, not {value:?}")))
}

/// Reads the range of services, which may be empty.
pub(super) fn service_range(parser: &mut Parser) -> Result<ServiceRange, UsageError> {
    let value = parser.value()?.string()?;
    value.parse().map_err(|error: ServiceRangeError| UsageError(error.to_string()))
}

/// Reads a revision.
pub(super) fn revision(parser: &mut Parser, name: &str) -> Result<u64, UsageError> {
    let value = value(parser, name)?;
    let revision = value.parse().ok().filter(|revision| *revision > 0);
    revision.ok_or_else(|| UsageError(format!("{name} is a whole number above 0, not {value:?}")))
}

/// Reads the number of nodes.
pub(super) fn nodes(parser: &mut Parser) -> Result<u32, UsageError> {
    let value = value(parser, "--nodes")?;
    let nodes = value.parse().ok().filter(|nodes| *nodes <= MOST_NODES);
    nodes.ok_or_else(|| UsageError(format!("--nodes is a whole number up to {MOST_NODES}, not {value:?}")))
}

/// Reads a number, of which 0 means none.
pub(super) fn number(parser: &mut Parser, name: &str) -> Result<Option<u64>, UsageError> {
    let value = value(parser, name)?;
    let number = value.parse().map_err(|_| UsageError(format!("{name} is a whole number, not {value:?}")))?;
    Ok(Some(number).filter(|number| *number > 0))
}

/// Reads a number of requests.
pub(super) fn requests(parser: &mut Parser, name: &str) -> Result<u32, UsageError> {
    let value = value(parser, name)?;
    let most = u32::from(u16::MAX);
    let requests = value.parse().ok().filter(|requests| *requests <= most);
    requests.ok_or_else(|| UsageError(format!("{name} is a whole number up to {most}, not {value:?}")))
}

/// Reads how much is logged.
pub(super) fn verbosity(parser: &mut Parser, name: &str) -> Result<u8, UsageError> {
    let value = value(parser, name)?;
    value.parse().map_err(|_| UsageError(format!("{name} is a whole number up to 255, not {value:?}")))
}

/// Reads the form of the log.
pub(super) fn log_format(parser: &mut Parser, name: &str) -> Result<Format, UsageError> {
    let value = value(parser, name)?;
    match value.to_str() {
        Some("text") => Ok(Format::Text),
        Some("json") => Ok(Format::Json),
        _ => Err(UsageError(format!("{name} is text or json, not {value:?}"))),
    }
}
