//! Bytes where text should be, and text where bytes should be.

use std::borrow::Cow;

use golang::base64;

use super::Error;

/// Which encoding a tag says that bytes get where they become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Later {
    Base64Url,
    Base64,
    Base16,
}

impl Later {
    pub(super) fn of(tag: u64) -> Option<Self> {
        match tag {
            21 => Some(Self::Base64Url),
            22 => Some(Self::Base64),
            23 => Some(Self::Base16),
            _ => None,
        }
    }
}

/// A byte string as Go's `string`.
pub(super) fn string<'a>(bytes: &Cow<'a, [u8]>, later: Option<Later>) -> Cow<'a, str> {
    match later {
        Some(Later::Base64Url) => Cow::Owned(base64::encode_url(bytes)),
        Some(Later::Base64) => Cow::Owned(base64::encode(bytes)),
        Some(Later::Base16) => Cow::Owned(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        None => match bytes {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
        },
    }
}

/// A byte string as Go's `[]byte`, in the Base64 that JSON would have: without a tag it is Base64 already.
///
/// # Errors
/// It is not.
pub(super) fn bytes<'a>(bytes: &Cow<'a, [u8]>, later: Option<Later>) -> Result<Cow<'a, str>, Error> {
    if later.is_some() {
        return Ok(string(bytes, Some(Later::Base64)));
    }
    match base64::decode(bytes) {
        Ok(decoded) => Ok(Cow::Owned(base64::encode(decoded))),
        Err(at) => Err(Error::text(format!(
            "cbor: failed to decode base64 from byte string: illegal base64 data at input byte {at}"
        ))),
    }
}
