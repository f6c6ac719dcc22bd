//! How much a document may become.
//!
//! Two bytes can stand for a struct that takes hundreds: an empty container, `{}`, has defaults, and each of its fields may be
//! wrong. So the structs and values of a document are counted while it is read. kube-apiserver has no such limits; they are
//! set by what etcd takes in one request, 1.5 MiB.

use std::fmt::{self, Display, Formatter};

use super::DecodeError;

/// How many structs a document may have: 24 bytes for each fill a request to etcd.
const STRUCTS: usize = (3 << 19) / 24;
/// How many items and entries its lists and maps may have: two bytes for each do.
const VALUES: usize = (3 << 19) / 2;

/// The room that is left to a document.
#[derive(Clone, Debug)]
pub struct Room {
    structs: usize,
    values: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { structs: STRUCTS, values: VALUES }
    }
}

impl Room {
    /// Counts a struct.
    ///
    /// # Errors
    /// There are too many.
    pub fn take_struct(&mut self) -> Result<(), Full> {
        self.structs = self.structs.checked_sub(1).ok_or(Full::Structs)?;
        Ok(())
    }

    /// Counts an item of a list or an entry of a map.
    ///
    /// # Errors
    /// There are too many.
    pub fn take_value(&mut self) -> Result<(), Full> {
        self.values = self.values.checked_sub(1).ok_or(Full::Values)?;
        Ok(())
    }
}

/// A document has more than it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Of structs.
    Structs,
    /// Of items and entries.
    Values,
}

impl Display for Full {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (count, what) = match self {
            Self::Structs => (STRUCTS, "objects"),
            Self::Values => (VALUES, "values"),
        };
        write!(f, "the document is too large: it has more than {count} {what}")
    }
}

impl std::error::Error for Full {}

impl From<Full> for DecodeError {
    fn from(full: Full) -> Self {
        Self::text(full.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_much() {
        let mut room = Room::default();
        assert!((0..STRUCTS).all(|_| room.take_struct().is_ok()) && room.take_struct() == Err(Full::Structs));
        assert!((0..VALUES).all(|_| room.take_value().is_ok()) && room.take_value() == Err(Full::Values));
        assert_eq!(Full::Structs.to_string(), "the document is too large: it has more than 65536 objects");
    }
}
