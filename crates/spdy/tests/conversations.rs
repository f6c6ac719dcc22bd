//! Conversations, as bytes and what they mean. The host of them sends back what it is sent.
//!
//! `recorded.txt` is one with a client in Go, by the library that kubectl uses; the client understood it. What the client sends in
//! `frames.txt` is written by hand; the library's server answers with the same bytes, but for three of them: a stream on which nothing is
//! to be sent, where it sends data all the same, a frame too short for a stream, where it waits for 4 GiB, and one that is too long, which it
//! takes up to 16 MiB.

use std::fmt::Write;

use spdy::{Connection, Event};

const RECORDED: &str = include_str!("recorded.txt");
const FRAMES: &str = include_str!("frames.txt");

/// Splits a file into its conversations, each with its title.
fn conversations(file: &str) -> impl Iterator<Item = &str> {
    file.split("\n\n").filter(|conversation| conversation.starts_with("# "))
}

/// The bytes that the client sends, as they come.
fn sent(conversation: &str) -> Vec<Vec<u8>> {
    conversation.lines().filter_map(|line| line.strip_prefix("client ")).map(bytes_of).collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text_of(event: &Event) -> String {
    let finished = |is_finished: &bool| if *is_finished { " finished" } else { "" };
    match event {
        Event::Opened { id, headers, is_finished } => {
            let pairs: String = headers.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("opened {id}{}{pairs}", finished(is_finished))
        }
        Event::Data { id, bytes, is_finished } => {
            format!("data {id}{} {:?}", finished(is_finished), String::from_utf8_lossy(bytes))
        }
        Event::Reset { id } => format!("reset {id}"),
        Event::GoAway => "go away".to_owned(),
        Event::Failed(error) => format!("failed: {error}"),
    }
}

/// Does what the host does, and gives the events and what it sends.
fn receive(connection: &mut Connection, bytes: &[u8]) -> (Vec<Event>, Vec<u8>) {
    let events = connection.receive(bytes);
    for event in &events {
        match event {
            Event::Opened { id, headers, is_finished } => {
                match headers.get("streamType") {
                    Some("error" | "data") => connection.reply(*id),
                    _ => connection.reset(*id),
                }
                if *is_finished {
                    connection.finish(*id);
                }
            }
            Event::Data { id, bytes, is_finished } => {
                connection.send(*id, bytes);
                if *is_finished {
                    connection.finish(*id);
                }
            }
            Event::Reset { .. } | Event::GoAway | Event::Failed(_) => {}
        }
    }
    (events, connection.take())
}

/// Has the conversation of that title once more.
fn replay(conversation: &str) -> String {
    let mut connection = Connection::new();
    let mut text = conversation.lines().next().unwrap().to_owned();
    for bytes in sent(conversation) {
        write!(text, "\nclient {}", hex_of(&bytes)).unwrap();
        let (events, output) = receive(&mut connection, &bytes);
        for event in events {
            write!(text, "\nevent {}", text_of(&event)).unwrap();
        }
        if !output.is_empty() {
            write!(text, "\nserver {}", hex_of(&output)).unwrap();
        }
    }
    text
}

#[test]
fn conversations_go_as_written() {
    for conversation in conversations(RECORDED).chain(conversations(FRAMES)) {
        assert_eq!(replay(conversation), conversation.trim_end());
    }
}

/// Gives the client's bytes in parts of a length to a host that answers nothing, and what they mean.
fn events_by(conversation: &str, length: usize) -> (Vec<Event>, Vec<u8>) {
    let mut connection = Connection::new();
    let mut events = Vec::<Event>::new();
    for event in sent(conversation).concat().chunks(length).flat_map(|part| connection.receive(part)) {
        match (events.last_mut(), event) {
            (
                Some(Event::Data { id: last, bytes, is_finished }),
                Event::Data { id, bytes: more, is_finished: is_last },
            ) if *last == id => {
                bytes.extend(more);
                *is_finished = is_last;
            }
            (_, event) => events.push(event),
        }
    }
    (events, connection.take())
}

#[test]
fn frames_may_come_in_parts() {
    for conversation in conversations(RECORDED).chain(conversations(FRAMES)) {
        let whole = events_by(conversation, usize::MAX);
        for length in [1, 2, 3, 7, 64] {
            assert_eq!(events_by(conversation, length), whole, "{conversation}");
        }
    }
}

/// Numbers that look random and are the same each time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

#[test]
fn altered_bytes_do_no_harm() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for conversation in conversations(RECORDED).chain(conversations(FRAMES)) {
        let original = sent(conversation).concat();
        for _ in 0..200 {
            let mut bytes = original.clone();
            for _ in 0..=numbers.below(4) {
                let at = numbers.below(bytes.len());
                match numbers.below(4) {
                    0 => bytes.truncate(at + 1),
                    1 => bytes[at] = numbers.below(256) as u8,
                    2 => bytes.extend_from_within(at..),
                    _ => bytes[at] ^= 1 << numbers.below(8),
                }
            }
            let mut connection = Connection::new();
            for part in bytes.chunks(1 + numbers.below(bytes.len())) {
                receive(&mut connection, part);
            }
        }
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut numbers = Numbers(1);
    for _ in 0..2000 {
        let mut connection = Connection::new();
        for _ in 0..4 {
            let mut bytes: Vec<u8> = (0..numbers.below(64)).map(|_| numbers.below(256) as u8).collect();
            // Most of them begin as frames do.
            if numbers.below(4) > 0 {
                let head = [0x80, 3, 0, 1 + numbers.below(9) as u8, 0, 0, 0, bytes.len() as u8];
                bytes.splice(..0, head);
            }
            receive(&mut connection, &bytes);
        }
    }
}
