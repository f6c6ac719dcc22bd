//! The raw form of a response: bytes and sentences, as they were received.

use leptos::prelude::*;

use crate::ui::messages;
use crate::ui::part::{IntoPart, Part};

/// More of a text than this is not shown raw, in bytes.
const RAW: usize = 200_000;

pub(super) fn show_raw(bytes: &[u8]) -> Part {
    let head = &bytes[..bytes.len().min(RAW)];
    let cut = bytes.len() - head.len();
    let rest = (cut > 0).then(|| view! { <p class="quiet">"… "{messages::size(cut)}</p> });
    match std::str::from_utf8(bytes) {
        Ok(_) => view! { <pre class="raw">{String::from_utf8_lossy(head).into_owned()}</pre>{rest} }.part(),
        Err(_) => {
            let hex: String = head.chunks(16).map(hex_line).collect();
            view! {
                <p class="quiet">{messages::ANSWER_BINARY}</p>
                <pre class="raw">{hex}</pre>
                {rest}
            }
            .part()
        }
    }
}

fn hex_line(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text: String =
        bytes.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '·' }).collect();
    format!("{:<48} {text}\n", hex.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_as_a_hex_dump() {
        assert_eq!(hex_line(b"k8s\0\xff"), format!("{:<48} k8s··\n", "6b 38 73 00 ff"));
    }
}
