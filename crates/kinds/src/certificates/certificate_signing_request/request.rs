//! Requests for certificates (RFC 2986) as Go reads them: of what shape their DER is, with the texts of Go's errors.
//! The signature is not verified.
//!
//! <https://www.rfc-editor.org/rfc/rfc2986>, <https://pkg.go.dev/encoding/asn1>

use golang::pem;
use golang::x509::CERTIFICATE_REQUEST as KIND;

/// The expected shape of an element in DER.
enum Shape {
    /// Whatever there is.
    Any,
    Integer,
    Object,
    Bits,
    /// The attributes of a request, which have a tag of their own.
    Attributes,
    /// A sequence, and what Go's type for it is called. What follows its fields is not looked at.
    Struct(&'static str, &'static [Self]),
    /// Whatever there is, if there is anything.
    Optional,
}

use Shape::{Any, Attributes, Bits, Integer, Object, Optional, Struct};

const REQUEST: Shape = Struct(
    "certificateRequest",
    &[
        Struct(
            "tbsCertificateRequest",
            &[Integer, Any, Struct("publicKeyInfo", &[ALGORITHM, Bits]), Attributes],
        ),
        ALGORITHM,
        Bits,
    ],
);
const ALGORITHM: Shape = Struct("AlgorithmIdentifier", &[Object, Optional]);

/// The form in which Go prints what it knows of a field that has nothing special about it.
const PLAIN: &str = "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
                     stringType:0 timeType:0 set:false omitEmpty:false}";

/// Returns the error message for a certificate request in PEM.
pub(super) fn check(text: &[u8]) -> Option<String> {
    let Some(der) = pem::first(text, KIND) else {
        return Some(format!("PEM block type must be {KIND}"));
    };
    match REQUEST.read(&der, 0) {
        Err(why) => Some(why),
        Ok(end) if end < der.len() => Some(syntax("trailing data")),
        Ok(_) => None,
    }
}

fn syntax(why: &str) -> String {
    format!("asn1: syntax error: {why}")
}

fn structure(why: &str) -> String {
    format!("asn1: structure error: {why}")
}

impl Shape {
    /// The class, tag and kind of what has to stand there, and Go's name of its type.
    fn expected(&self) -> Option<(u8, u32, bool, &'static str)> {
        match *self {
            Any | Optional => None,
            Integer => Some((0, 2, false, "int")),
            Object => Some((0, 6, false, "ObjectIdentifier")),
            Bits => Some((0, 3, false, "BitString")),
            Attributes => Some((2, 0, true, "")),
            Struct(name, _) => Some((0, 16, true, name)),
        }
    }

    /// Reads what stands at `at`; gives where it ends.
    fn read(&self, bytes: &[u8], at: usize) -> Result<usize, String> {
        if at == bytes.len() {
            return if matches!(self, Optional) { Ok(at) } else { Err(syntax("sequence truncated")) };
        }
        let head = Head::read(bytes, at)?;
        if let Some((class, tag, compound, name)) = self.expected()
            && (class, tag, compound) != (head.class, head.tag, head.compound)
        {
            let Head { class, tag: own, length, compound, at } = head;
            return Err(structure(&format!(
                "tags don't match ({tag} vs {{class:{class} tag:{own} length:{length} isCompound:{compound}}}) {PLAIN} \
                 {name} @{at}"
            )));
        }
        let end = head.at + head.length;
        let inside = bytes.get(head.at..end).ok_or_else(|| syntax("data truncated"))?;
        self.look(inside)?;
        Ok(end)
    }

    /// Looks at what something holds.
    fn look(&self, inside: &[u8]) -> Result<(), String> {
        match self {
            Any | Optional => Ok(()),
            Integer => integer(inside),
            Object => object(inside),
            Bits => bits(inside),
            Attributes => {
                let mut at = 0;
                while at < inside.len() {
                    let head = Head::read(inside, at)?;
                    at = head.at + head.length;
                    if at > inside.len() {
                        return Err(syntax("truncated sequence"));
                    }
                }
                Ok(())
            }
            Struct(_, fields) => fields.iter().try_fold(0, |at, field| field.read(inside, at)).map(|_| ()),
        }
    }
}

/// The head of an element.
struct Head {
    class: u8,
    tag: u32,
    compound: bool,
    length: usize,
    /// The index at which the content begins.
    at: usize,
}

impl Head {
    fn read(bytes: &[u8], at: usize) -> Result<Self, String> {
        let byte = |at: usize| bytes.get(at).copied().ok_or_else(|| syntax("truncated tag or length"));
        let first = byte(at)?;
        let mut at = at + 1;
        let (class, compound, mut tag) = (first >> 6, first & 0x20 != 0, u32::from(first & 0x1f));
        if tag == 0x1f {
            let (number, end) = base_128(bytes, at)?;
            if number < 0x1f {
                return Err(syntax("non-minimal tag"));
            }
            (tag, at) = (number, end);
        }
        let first = byte(at)?;
        at += 1;
        let mut length = usize::from(first);
        if first & 0x80 != 0 {
            length = 0;
            if first == 0x80 {
                return Err(syntax("indefinite length found (not DER)"));
            }
            for _ in 0..first & 0x7f {
                let digit = byte(at)?;
                at += 1;
                if length >= 1 << 23 {
                    return Err(structure("length too large"));
                }
                length = length << 8 | usize::from(digit);
                if length == 0 {
                    return Err(structure("superfluous leading zeros in length"));
                }
            }
            if length < 0x80 {
                return Err(structure("non-minimal length"));
            }
        }
        Ok(Self { class, tag, compound, length, at })
    }
}

/// A number of seven bits a byte, and where it ends.
fn base_128(bytes: &[u8], at: usize) -> Result<(u32, usize), String> {
    let mut number = 0u64;
    for (place, byte) in bytes.iter().skip(at).enumerate() {
        if place == 5 {
            return Err(structure("base 128 integer too large"));
        }
        if place == 0 && *byte == 0x80 {
            return Err(syntax("integer is not minimally encoded"));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            let number = i32::try_from(number).map_err(|_| structure("base 128 integer too large"))?;
            return Ok((number.unsigned_abs(), at + place + 1));
        }
    }
    Err(syntax("truncated base 128 integer"))
}

fn integer(inside: &[u8]) -> Result<(), String> {
    match *inside {
        [] => Err(structure("empty integer")),
        [0, second, ..] if second & 0x80 == 0 => Err(structure("integer not minimally-encoded")),
        [0xff, second, ..] if second & 0x80 != 0 => Err(structure("integer not minimally-encoded")),
        _ if inside.len() > 8 => Err(structure("integer too large")),
        _ => Ok(()),
    }
}

fn object(inside: &[u8]) -> Result<(), String> {
    if inside.is_empty() {
        return Err(syntax("zero length OBJECT IDENTIFIER"));
    }
    let mut at = 0;
    while at < inside.len() {
        (_, at) = base_128(inside, at)?;
    }
    Ok(())
}

fn bits(inside: &[u8]) -> Result<(), String> {
    let Some((&padding, rest)) = inside.split_first() else { return Err(syntax("zero length BIT STRING")) };
    let unused = |last: &u8| padding <= 7 && u16::from(*last) & ((1 << padding) - 1) == 0;
    if padding > 0 && !rest.last().is_some_and(unused) {
        return Err(syntax("invalid padding bits in BIT STRING"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use golang::base64;

    use super::*;

    #[track_caller]
    fn check_der(der: &[u8], expected: &str) {
        let text = format!("-----BEGIN {KIND}-----\n{}\n-----END {KIND}-----\n", base64::encode(der));
        assert_eq!(check(text.as_bytes()).unwrap_or_default(), expected);
    }

    /// An element with this tag.
    fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        [&[tag, u8::try_from(content.len()).expect("it is short")], content.as_slice()].concat()
    }

    fn request(version: &[u8]) -> Vec<u8> {
        let algorithm = tlv(0x30, &[&tlv(0x06, &[&[0x2b, 0x65, 0x70]])]);
        let bits = tlv(0x03, &[&[0, 1]]);
        let key = tlv(0x30, &[&algorithm, &bits]);
        let info = tlv(0x30, &[version, &tlv(0x30, &[]), &key, &tlv(0xa0, &[])]);
        tlv(0x30, &[&info, &algorithm, &bits])
    }

    #[test]
    fn requests() {
        let good = request(&[2, 1, 0]);
        check_der(&good, "");
        check_der(&[good, vec![0]].concat(), "asn1: syntax error: trailing data");
        check_der(&[], "asn1: syntax error: sequence truncated");
        check_der(&[0x30], "asn1: syntax error: truncated tag or length");
        check_der(&[0x30, 0x05, 0x30], "asn1: syntax error: data truncated");
        check_der(&[0x30, 0x80], "asn1: syntax error: indefinite length found (not DER)");
        check_der(&[0x30, 0x81, 0x01], "asn1: structure error: non-minimal length");
        check_der(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], "asn1: structure error: length too large");
        check_der(&[0x1f, 0x80], "asn1: syntax error: integer is not minimally encoded");
        check_der(&[0x30, 0x00], "asn1: syntax error: sequence truncated");
        check_der(&request(&[2, 0]), "asn1: structure error: empty integer");
        check_der(
            b"hello",
            "asn1: structure error: tags don't match (16 vs {class:1 tag:8 length:101 isCompound:true}) {optional:false \
             explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false \
             omitEmpty:false} certificateRequest @2",
        );
    }

    #[test]
    fn other_texts() {
        let wrong = Some("PEM block type must be CERTIFICATE REQUEST".to_owned());
        for text in ["", "x", "-----BEGIN CERTIFICATE REQUEST-----\nYQ==\n"] {
            assert_eq!(check(text.as_bytes()), wrong);
        }
        assert_eq!(check(b"-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"), wrong);
    }

    #[test]
    fn whatever_is_sent_has_an_answer() {
        let good = request(&[2, 1, 0]);
        for at in 0..good.len() {
            for byte in 0..=u8::MAX {
                let mut bad = good.clone();
                bad[at] = byte;
                let _ = REQUEST.read(&bad, 0);
            }
            assert!(REQUEST.read(&good[..at], 0).is_err());
        }
    }
}
