//! Cutting a watch's stream into events, however the network has chopped it up.

/// Cuts a stream of JSON values, one after the other, at the end of each value. Works on bytes, for no byte of a
/// multi-byte UTF-8 character looks like a bracket or a quote.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pending: Vec<u8>,
    scanned: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Frames {
    /// Takes a chunk and gives the values that it completed.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Vec<Vec<u8>> {
        self.pending.extend_from_slice(chunk);
        let mut whole = Vec::new();
        while self.scanned < self.pending.len() {
            let byte = self.pending[self.scanned];
            self.scanned += 1;
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        let rest = self.pending.split_off(self.scanned);
                        whole.push(std::mem::replace(&mut self.pending, rest).trim_ascii().to_vec());
                        self.scanned = 0;
                    }
                }
                _ => {}
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        for size in 1..=stream.len() {
            let mut frames = Frames::default();
            let got: Vec<String> = stream
                .as_bytes()
                .chunks(size)
                .flat_map(|chunk| frames.push(chunk))
                .map(|frame| String::from_utf8(frame).unwrap())
                .collect();
            assert_eq!(got, expected, "in chunks of {size}");
        }
    }

    #[test]
    fn cuts_wherever_the_chunks_end() {
        check("{\"a\":1}\n{\"b\":[{}]}\n", &["{\"a\":1}", "{\"b\":[{}]}"]);
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        check(r#"{"a":"}{\"]"}{"b":"\\"}"#, &[r#"{"a":"}{\"]"}"#, r#"{"b":"\\"}"#]);
    }

    #[test]
    fn values_may_span_lines_and_hold_any_text() {
        check("{\n  \"ä\": \"→}\"\n}\n{}", &["{\n  \"ä\": \"→}\"\n}", "{}"]);
    }

    #[test]
    fn what_is_not_complete_waits() {
        check("{\"a\":1}\n{\"b\":", &["{\"a\":1}"]);
        check("", &[]);
    }
}
