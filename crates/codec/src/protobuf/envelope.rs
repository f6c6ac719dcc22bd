//! The envelope of an object's message: a prefix, the object's kind, and in a watch the type of the event.

use std::borrow::Cow;

use super::Error;
use super::wire::{BYTES, Reader, Tag, put_bytes, put_message};

/// The first bytes of every document.
pub const PREFIX: [u8; 4] = *b"k8s\0";

/// A document: `runtime.Unknown`, which says of what kind the message in it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// `v1`; empty if it does not say.
    pub api_version: Cow<'a, str>,
    /// `Pod`; empty if it does not say.
    pub kind: Cow<'a, str>,
    /// The message.
    pub raw: &'a [u8],
    /// How the message is encoded further. kube-apiserver takes no notice of it.
    pub content_encoding: Cow<'a, str>,
    /// The media type of the message if it is not Protobuf. kube-apiserver ignores it.
    pub content_type: Cow<'a, str>,
}

/// Reads the envelope of a document.
///
/// # Errors
/// The bytes have no prefix or nothing behind it, or are no envelope.
pub fn open(bytes: &[u8]) -> Result<Envelope<'_>, Error> {
    if bytes.is_empty() {
        return Err(Error::Empty);
    }
    let body = bytes.strip_prefix(&PREFIX).ok_or(Error::Prefix)?;
    if body.is_empty() {
        return Err(Error::EmptyBody);
    }
    let mut envelope = Envelope::default();
    let mut reader = Reader::new(body);
    while let Some(tag) = reader.tag(|| "Unknown".into())? {
        match tag.number {
            1 => type_meta(expect(&mut reader, tag, "TypeMeta")?, &mut envelope)?,
            2 => envelope.raw = expect(&mut reader, tag, "Raw")?,
            3 => envelope.content_encoding = text(&mut reader, tag, "ContentEncoding")?,
            4 => envelope.content_type = text(&mut reader, tag, "ContentType")?,
            _ => reader.skip(tag)?,
        }
    }
    Ok(envelope)
}

fn type_meta<'a>(bytes: &'a [u8], envelope: &mut Envelope<'a>) -> Result<(), Error> {
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| "TypeMeta".into())? {
        match tag.number {
            1 => envelope.api_version = text(&mut reader, tag, "APIVersion")?,
            2 => envelope.kind = text(&mut reader, tag, "Kind")?,
            _ => reader.skip(tag)?,
        }
    }
    Ok(())
}

fn text<'a>(reader: &mut Reader<'a>, tag: Tag, field: &str) -> Result<Cow<'a, str>, Error> {
    expect(reader, tag, field).map(String::from_utf8_lossy)
}

/// The bytes of a field that has to have some.
pub(super) fn expect<'a>(reader: &mut Reader<'a>, tag: Tag, field: &str) -> Result<&'a [u8], Error> {
    match tag.wire_type {
        BYTES => reader.bytes(),
        wire_type => Err(Error::WrongWireType { wire_type, field: field.to_owned() }),
    }
}

/// Appends a document, of which `content` appends the message.
pub(super) fn put(api_version: &str, kind: &str, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&PREFIX);
    put_message(1, out, |out| {
        put_bytes(1, api_version.as_bytes(), out);
        put_bytes(2, kind.as_bytes(), out);
    });
    put_message(2, out, content);
    put_bytes(3, b"", out);
    put_bytes(4, b"", out);
}

/// Appends an event of a watch, of which `object` is a document: the length of the `WatchEvent` in four bytes, the
/// highest first, and the event.
pub fn frame(event_type: &str, object: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    put_bytes(1, event_type.as_bytes(), out);
    put_message(2, out, |out| put_bytes(1, object, out));
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Reads an event that [`frame`] has written: its type, and the document in it.
///
/// # Errors
/// The bytes are no event.
pub fn unframe(bytes: &[u8]) -> Result<(Cow<'_, str>, &[u8]), Error> {
    let mut reader = Reader::new(bytes.get(4..).ok_or(Error::End)?);
    let (mut event_type, mut object) = (Cow::default(), &[][..]);
    while let Some(tag) = reader.tag(|| "WatchEvent".into())? {
        match tag.number {
            1 => event_type = text(&mut reader, tag, "Type")?,
            2 => object = raw(expect(&mut reader, tag, "Object")?)?,
            _ => reader.skip(tag)?,
        }
    }
    Ok((event_type, object))
}

/// The bytes in a `RawExtension`.
fn raw(bytes: &[u8]) -> Result<&[u8], Error> {
    let mut reader = Reader::new(bytes);
    let mut raw = &[][..];
    while let Some(tag) = reader.tag(|| "RawExtension".into())? {
        match tag.number {
            1 => raw = expect(&mut reader, tag, "Raw")?,
            _ => reader.skip(tag)?,
        }
    }
    Ok(raw)
}
