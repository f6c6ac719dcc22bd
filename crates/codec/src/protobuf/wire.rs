//! Numbers, lengths and tags.
//! See <https://protobuf.dev/programming-guides/encoding/>.

use super::Error;

/// A number in as many bytes as it needs.
pub(super) const VARINT: u8 = 0;
/// Eight bytes.
pub(super) const FIXED64: u8 = 1;
/// A length and as many bytes.
pub(super) const BYTES: u8 = 2;
const GROUP: u8 = 3;
const END_OF_GROUP: u8 = 4;
const FIXED32: u8 = 5;

/// The fields of a message, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// The number and the wire type before a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) wire_type: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns whether the next number, or the next length, is 0.
    pub(super) fn is_at_zero(&self) -> bool {
        self.rest.first() == Some(&0)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next tag; `None` at the end. `message` is what the message is called.
    pub(super) fn tag(&mut self, message: impl Fn() -> String) -> Result<Option<Tag>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let wire_type = (tag & 7) as u8;
        // As Go has it, where the number is an int32.
        let number = (tag >> 3) as i32;
        if wire_type == END_OF_GROUP || number <= 0 {
            return Err(Error::IllegalTag { message: message(), number, wire_type });
        }
        Ok(Some(Tag { number: number.unsigned_abs(), wire_type }))
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, Error> {
        match self.rest.split_first() {
            // Nearly all are of one byte.
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Error> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(Error::End)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Error::Overflow)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Error> {
        let length = i64::try_from(length).map_err(|_| Error::Length)?;
        let length = usize::try_from(length).map_err(|_| Error::End)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Error::End)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let length = self.varint()?;
        self.take(length)
    }

    pub(super) fn fixed64(&mut self) -> Result<u64, Error> {
        Ok(self.take(8)?.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// Goes behind a field that nobody wants.
    pub(super) fn skip(&mut self, tag: Tag) -> Result<(), Error> {
        let mut groups = 0_usize;
        let mut wire_type = tag.wire_type;
        loop {
            match wire_type {
                VARINT => _ = self.varint()?,
                FIXED64 => _ = self.take(8)?,
                BYTES => _ = self.bytes()?,
                GROUP => groups += 1,
                END_OF_GROUP => groups = groups.checked_sub(1).ok_or(Error::EndOfGroup)?,
                FIXED32 => _ = self.take(4)?,
                _ => return Err(Error::IllegalWireType(wire_type)),
            }
            if groups == 0 {
                return Ok(());
            }
            if self.rest.is_empty() {
                return Err(Error::End);
            }
            wire_type = (self.varint()? & 7) as u8;
        }
    }
}

#[inline]
pub(super) fn put_varint(value: u64, out: &mut Vec<u8>) {
    if value < 0x80 {
        out.push(value as u8);
    } else {
        put_long_varint(value, out);
    }
}

fn put_long_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn put_tag(number: u32, wire_type: u8, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | u64::from(wire_type), out);
}

pub(super) fn put_number(number: u32, value: u64, out: &mut Vec<u8>) {
    put_pair(number, VARINT, value, out);
}

pub(super) fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_pair(number, BYTES, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// A tag and the number behind it: nearly always two bytes, for which room is made at once.
fn put_pair(number: u32, wire_type: u8, value: u64, out: &mut Vec<u8>) {
    if number < 16 && value < 0x80 {
        out.extend_from_slice(&[(number as u8) << 3 | wire_type, value as u8]);
    } else {
        put_tag(number, wire_type, out);
        put_varint(value, out);
    }
}

/// Appends a message as a field, of which `content` appends what is in it.
pub(super) fn put_message(number: u32, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    // Nearly all messages have a length of one byte.
    put_pair(number, BYTES, 0, out);
    let start = out.len() - 1;
    content(out);
    let length = out.len() - start - 1;
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out[start] = short,
        _ => {
            // What is in it makes room for the rest of the length.
            let more = (usize::BITS - length.leading_zeros()).div_ceil(7) as usize - 1;
            let end = out.len();
            out.resize(end + more, 0);
            out.copy_within(start + 1..end, start + 1 + more);
            let mut rest = length;
            for byte in &mut out[start..start + more] {
                *byte = rest as u8 | 0x80;
                rest >>= 7;
            }
            out[start + more] = rest as u8;
        }
    }
}
