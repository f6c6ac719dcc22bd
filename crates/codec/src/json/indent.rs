//! Compact JSON laid out for people.

/// Compact JSON as `json.MarshalIndent` with two spaces lays it out: an entry or item per line, `{}` and
/// `[]` as they are. This is what `pretty=true` asks for. Bytes inside of strings stay as they are.
pub fn pretty(compact: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut depth = 0_usize;
    let mut rest = compact;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'"' => {
                let end = string_end(rest);
                out.extend_from_slice(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            b'{' | b'[' => {
                out.push(byte);
                if let Some((&close @ (b'}' | b']'), after)) = after.split_first() {
                    out.push(close);
                    rest = after;
                    continue;
                }
                depth += 1;
                new_line(depth, &mut out);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(depth, &mut out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(depth, &mut out);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
        rest = after;
    }
    out
}

fn new_line(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + 2 * depth, b' ');
}

/// How long the string is that `bytes` begin with, its quotes included.
fn string_end(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
