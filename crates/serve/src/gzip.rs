//! Compression of large responses.

use std::io::Read;

use flate2::Compression;
use flate2::read::GzEncoder;

/// Compresses fast rather than well, as kube-apiserver does.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut compressed = Vec::with_capacity(bytes.len() / 4);
    // Reading from memory does not fail.
    let _ = GzEncoder::new(bytes, Compression::fast()).read_to_end(&mut compressed);
    compressed
}
