//! The line discipline of a terminal: what is typed is seen, and comes line by line. kubectl leaves that to the other side.

/// The most bytes of a line; more are not taken.
const LONGEST_LINE: usize = 16 * 1024;

/// A thing that somebody at a terminal did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Event {
    Line(String),
    /// Control-D on an empty line.
    EndOfInput,
    /// Control-C.
    Interrupt,
}

/// The place within an escape sequence, such as that of an arrow.
#[derive(Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    Outside,
    /// Behind the escape character.
    Begun,
    /// Behind `[` or `O`: up to a letter or `~`.
    Within,
}

/// A terminal, with the line that is being typed.
#[derive(Debug, Default)]
pub(in super::super) struct Terminal {
    line: Vec<u8>,
    escape: Escape,
    /// The last byte was a carriage return, so that a line feed behind it means nothing.
    has_returned: bool,
}

impl Terminal {
    /// Takes what is typed. Returns what is to be seen of it, and what it means.
    pub(in super::super) fn feed(&mut self, input: &[u8]) -> (Vec<u8>, Vec<Event>) {
        let (mut seen, mut events) = (Vec::new(), Vec::new());
        for byte in input {
            self.take(*byte, &mut seen, &mut events);
        }
        (seen, events)
    }

    fn take(&mut self, byte: u8, seen: &mut Vec<u8>, events: &mut Vec<Event>) {
        let has_returned = std::mem::replace(&mut self.has_returned, byte == b'\r');
        match self.escape {
            Escape::Begun if matches!(byte, b'[' | b'O') => return self.escape = Escape::Within,
            Escape::Begun => return self.escape = Escape::Outside,
            Escape::Within => {
                if matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'~') {
                    self.escape = Escape::Outside;
                }
                return;
            }
            Escape::Outside => {}
        }
        match byte {
            b'\n' if has_returned => {}
            b'\r' | b'\n' => {
                seen.extend_from_slice(b"\r\n");
                let line = std::mem::take(&mut self.line);
                events.push(Event::Line(String::from_utf8_lossy(&line).into_owned()));
            }
            3 => {
                seen.extend_from_slice(b"^C\r\n");
                self.line.clear();
                events.push(Event::Interrupt);
            }
            4 if self.line.is_empty() => events.push(Event::EndOfInput),
            8 | 0x7f => self.erase(seen),
            0x15 => {
                while !self.line.is_empty() {
                    self.erase(seen);
                }
            }
            0x1b => self.escape = Escape::Begun,
            b'\t' | b' '.. if self.line.len() < LONGEST_LINE => {
                self.line.push(byte);
                seen.push(byte);
            }
            _ => {}
        }
    }

    /// Erases the last character.
    fn erase(&mut self, seen: &mut Vec<u8>) {
        let Some(mut byte) = self.line.pop() else { return };
        // The bytes of a character behind its first begin with the bits 10.
        while byte & 0xc0 == 0x80 {
            let Some(before) = self.line.pop() else { break };
            byte = before;
        }
        seen.extend_from_slice(b"\x08 \x08");
    }
}

/// Returns output as terminals want it: a line ends with a carriage return, too.
pub(in super::super) fn to_terminal(output: &[u8]) -> Vec<u8> {
    let mut seen = Vec::with_capacity(output.len());
    for byte in output {
        if *byte == b'\n' && seen.last() != Some(&b'\r') {
            seen.push(b'\r');
        }
        seen.push(*byte);
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &[&[u8]], seen: &str, expected: &[Event]) {
        let mut terminal = Terminal::default();
        let (mut found, mut events) = (Vec::new(), Vec::new());
        for part in input {
            let (part, more) = terminal.feed(part);
            found.extend(part);
            events.extend(more);
        }
        assert_eq!((String::from_utf8_lossy(&found).as_ref(), events.as_slice()), (seen, expected));
    }

    #[test]
    fn lines() {
        let line = |text: &str| Event::Line(text.to_owned());
        check(&[b"ls\r"], "ls\r\n", &[line("ls")]);
        check(&[b"l", b"s\r", b"\npwd\n"], "ls\r\npwd\r\n", &[line("ls"), line("pwd")]);
        check(&[b"lx\x7fs\r"], "lx\x08 \x08s\r\n", &[line("ls")]);
        check(&[b"\x7f\r"], "\r\n", &[line("")]);
        check(&["ü".as_bytes(), b"\x7f\r"], "ü\x08 \x08\r\n", &[line("")]);
        check(&[b"abc\x15d\r"], "abc\x08 \x08\x08 \x08\x08 \x08d\r\n", &[line("d")]);
        check(&[b"a\x1b[A\x1b[3~\x1bOP\x1bxb\r"], "ab\r\n", &[line("ab")]);
        check(&[b"a\x03b\r"], "a^C\r\nb\r\n", &[Event::Interrupt, line("b")]);
        check(&[b"a\x04\r\x04"], "a\r\n", &[line("a"), Event::EndOfInput]);
        check(&[b"\x00\x01\r"], "\r\n", &[line("")]);
    }

    #[test]
    fn lines_have_an_end() {
        let mut terminal = Terminal::default();
        let (seen, _) = terminal.feed(&vec![b'a'; 2 * LONGEST_LINE]);
        assert_eq!(seen.len(), LONGEST_LINE);
    }

    #[test]
    fn output() {
        assert_eq!(to_terminal(b"a\nb\r\n\n"), b"a\r\nb\r\n\r\n");
    }
}
