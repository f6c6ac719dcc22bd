//! Headers, which are compressed as one stream of zlib for all frames of a direction.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::Error;
use crate::frame::word;

/// The text that both sides know before the first header comes (section 2.6.10.1 of the draft).
const DICTIONARY: &[u8] = include_bytes!("dictionary.bin");
/// The checksum of the dictionary, Adler-32.
const DICTIONARY_ID: u32 = 0xe3c6_a7c2;

/// The distance that compressed bytes may refer back.
const WINDOW: usize = 1 << 15;
/// The most bytes that the headers of a frame may have.
const MAX_LENGTH: usize = 1 << 16;
/// The most headers that a frame may have.
const MAX_COUNT: u32 = 1000;

/// The headers of a stream, with names in lower case, in the order in which they came.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The first value of the header that is called `name`, in letters of any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Names and values, a pair for each value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(name, values)| values.split('\0').map(|value| (name.as_str(), value)))
    }

    /// Tells whether one of the headers is about a connection of HTTP/1.1.
    pub(crate) fn are_of_a_connection(&self, is_request: bool) -> bool {
        self.0.iter().any(|(name, _)| match name.as_str() {
            "connection" | "keep-alive" | "proxy-connection" | "transfer-encoding" => true,
            "host" => is_request,
            _ => false,
        })
    }
}

/// Reads the headers that the client sends, which have to be given in the order of their frames.
#[derive(Default)]
pub(crate) struct Decompressor {
    zlib: Box<DecompressorOxide>,
    has_begun: bool,
    /// The last bytes that were read.
    window: Vec<u8>,
}

impl Decompressor {
    pub(crate) fn read(&mut self, block: &[u8]) -> Result<Headers, Error> {
        let block = if self.has_begun { block } else { self.begin(block)? };
        let start = self.window.len();
        self.window.resize(start + MAX_LENGTH + 1, 0);
        let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, _, length) = decompress(&mut self.zlib, block, &mut self.window, start, flags);
        self.window.truncate(start + length);
        let headers = match status {
            TINFLStatus::NeedsMoreInput => parse(self.window.get(start..).unwrap_or_default()),
            TINFLStatus::HasMoreOutput => Err(Error::InvalidControlFrame),
            _ => Err(Error::Compression),
        };
        self.window.drain(..self.window.len().saturating_sub(WINDOW));
        headers
    }

    /// Reads what stands before the first compressed bytes, and gives the rest.
    fn begin<'a>(&mut self, block: &'a [u8]) -> Result<&'a [u8], Error> {
        let (&[method, flags], mut rest) = block.split_first_chunk().ok_or(Error::Compression)?;
        let is_deflate = method & 0xf == 8 && method >> 4 <= 7;
        if !is_deflate || !u16::from_be_bytes([method, flags]).is_multiple_of(31) {
            return Err(Error::Compression);
        }
        if flags & 0x20 != 0 {
            if word(&mut rest) != Some(DICTIONARY_ID) {
                return Err(Error::Compression);
            }
            self.window.extend_from_slice(DICTIONARY);
        }
        self.has_begun = true;
        Ok(rest)
    }
}

fn parse(mut bytes: &[u8]) -> Result<Headers, Error> {
    let count = word(&mut bytes).ok_or(Error::WrongCompressedPayloadSize)?;
    if count > MAX_COUNT {
        return Err(Error::InvalidControlFrame);
    }
    let mut headers = Vec::new();
    let mut is_lowercase = true;
    for _ in 0..count {
        let name = String::from_utf8_lossy(text(&mut bytes)?);
        let value = String::from_utf8_lossy(text(&mut bytes)?).into_owned();
        let lowercase = name.to_lowercase();
        is_lowercase &= name == lowercase && !name.contains(char::REPLACEMENT_CHARACTER);
        headers.push((lowercase, value));
    }
    if !bytes.is_empty() {
        Err(Error::WrongCompressedPayloadSize)
    } else if is_lowercase {
        Ok(Headers(headers))
    } else {
        Err(Error::UnlowercasedHeaderName)
    }
}

/// Takes a text and its length from the beginning of `bytes`.
fn text<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let length = word(bytes).ok_or(Error::WrongCompressedPayloadSize)?;
    let (text, rest) = bytes.split_at_checked(length as usize).ok_or(Error::WrongCompressedPayloadSize)?;
    *bytes = rest;
    Ok(text)
}

/// The headers of replies, of which there are none: their number, compressed as Go does it for the first reply, and for those after it,
/// which refer to the one before.
pub(crate) const EMPTY: [&[u8]; 2] = [
    &[0x78, 0xf9, 0xe3, 0xc6, 0xa7, 0xc2, 0x62, 0x60, 0x60, 0x60, 0, 0, 0, 0, 0xff, 0xff],
    &[0x02, 0x61, 0, 0, 0, 0, 0xff, 0xff],
];

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::core::{
        CompressorOxide, TDEFLFlush, compress, create_comp_flags_from_zip_params,
    };

    use super::*;

    #[test]
    fn the_dictionary_is_that_of_the_draft() {
        let (mut a, mut b) = (1_u32, 0_u32);
        for byte in DICTIONARY {
            a = (a + u32::from(*byte)) % 65_521;
            b = (b + a) % 65_521;
        }
        assert_eq!((DICTIONARY.len(), b << 16 | a), (1423, DICTIONARY_ID));
    }

    #[test]
    fn replies_have_no_headers() {
        let mut decompressor = Decompressor::default();
        for block in [EMPTY[0], EMPTY[1], EMPTY[1]] {
            assert_eq!(decompressor.read(block), Ok(Headers::default()));
        }
    }

    #[test]
    fn headers_refer_to_those_before_them() {
        let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(9, 15, 0));
        let mut decompressor = Decompressor::default();
        let mut output = vec![0; 1 << 17];
        for number in 0..100 {
            // More than the window in all, and in some frames nearly as much as one may have.
            let value: String = (0..number * 75).map(|at| format!("{:x}", (at * at) ^ number)).collect();
            let expected =
                Headers(vec![("requestid".to_owned(), number.to_string()), ("a".to_owned(), value)]);
            let mut headers = 2_u32.to_be_bytes().to_vec();
            for text in expected.0.iter().flat_map(|(name, value)| [name, value]) {
                headers.extend((text.len() as u32).to_be_bytes());
                headers.extend(text.bytes());
            }
            let (_, _, length) = compress(&mut compressor, &headers, &mut output, TDEFLFlush::Sync);
            assert_eq!(decompressor.read(&output[..length]), Ok(expected));
        }
        assert!(decompressor.window.len() <= WINDOW);
    }
}
