//! Limits: of what is sent at once, and of what is taken.

use spdy::{Connection, Error, Event};

/// A frame that opens a stream, with its headers as a part of a stream of zlib that is not compressed.
fn opening(id: u32, is_first: bool, headers: &[u8]) -> Vec<u8> {
    let length = headers.len() as u16;
    let mut block = if is_first { vec![0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2] } else { Vec::new() };
    block.push(0);
    block.extend(length.to_le_bytes());
    block.extend((!length).to_le_bytes());
    block.extend(headers);
    let mut frame = vec![0x80, 3, 0, 1];
    frame.extend((block.len() as u32 + 10).to_be_bytes());
    frame.extend(id.to_be_bytes());
    frame.extend([0; 6]);
    frame.extend(block);
    frame
}

/// A connection on which stream 1 is open.
fn open() -> Connection {
    let mut connection = Connection::new();
    assert_eq!(connection.receive(&opening(1, true, &[0; 4])).len(), 1);
    connection.reply(1);
    connection.take();
    connection
}

#[test]
fn much_is_sent_in_parts() {
    let mut connection = open();
    connection.send(1, &[7; 70_000]);
    let sent = connection.take();
    let lengths = [32_768, 32_768, 4464];
    let mut rest = sent.as_slice();
    for length in lengths {
        assert_eq!(rest[..8], [[0, 0, 0, 1], u32::to_be_bytes(length)].concat());
        rest = &rest[8 + length as usize..];
    }
    assert!(rest.is_empty() && connection.take().is_empty());
}

#[test]
fn nothing_is_sent_on_streams_that_are_not_open() {
    let mut connection = open();
    connection.finish(1);
    assert_eq!(connection.take(), [0, 0, 0, 1, 1, 0, 0, 0]);
    connection.reply(1);
    connection.send(1, b"a");
    connection.finish(1);
    connection.reset(1);
    for id in [1, 3] {
        connection.reply(id);
        connection.send(id, b"a");
        connection.finish(id);
        connection.reset(id);
    }
    assert!(connection.take().is_empty());
}

#[test]
fn a_stream_is_accepted_before_data_is_sent() {
    let mut connection = Connection::new();
    connection.receive(&opening(1, true, &[0; 4]));
    connection.send(1, b"a");
    let sent = connection.take();
    assert_eq!((&sent[..4], &sent[sent.len() - 9..]), (&[0x80, 3, 0, 2][..], &b"\0\0\0\x01\0\0\0\x01a"[..]));
}

#[test]
fn nothing_is_done_after_going_away() {
    let mut connection = open();
    connection.go_away();
    let reset = [0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 5];
    let go_away = [0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0];
    assert_eq!(connection.take(), [reset, go_away].concat());
    connection.go_away();
    connection.send(1, b"a");
    assert!(connection.receive(&opening(3, false, &[0; 4])).is_empty() && connection.take().is_empty());
}

#[test]
fn too_many_streams_are_refused() {
    let mut connection = open();
    for number in 1..1024 {
        assert_eq!(connection.receive(&opening(2 * number + 1, false, &[0; 4])).len(), 1);
    }
    assert!(connection.receive(&opening(2049, false, &[0; 4])).is_empty());
    assert_eq!(connection.take(), [0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 8, 1, 0, 0, 0, 3]);

    // Where one has gone there is room for another.
    connection.reset(3);
    assert_eq!(connection.receive(&opening(2051, false, &[0; 4])).len(), 1);
}

#[test]
fn headers_are_as_long_as_their_count() {
    let mut connection = open();
    let events = connection.receive(&opening(3, false, &[0; 5]));
    assert_eq!(events, [Event::Failed(Error::WrongCompressedPayloadSize)]);
}

#[test]
fn headers_are_not_longer_than_64_kib() {
    let mut connection = open();
    let text = [[0, 0, 0, 1, 0, 0, 0, 0].as_slice(), &65_524_u32.to_be_bytes()].concat();
    let mut longest = [text, vec![b'a'; 65_523]].concat();
    // One byte more is in a part of its own, as a part cannot be so long.
    let mut bytes = opening(3, false, &longest);
    bytes.extend([0, 1, 0, 0xfe, 0xff, b'a']);
    let length = (bytes.len() as u32 - 8).to_be_bytes();
    bytes[4..8].copy_from_slice(&length);
    let events = connection.receive(&bytes);
    let [Event::Opened { headers, .. }] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(headers.get("").map(str::len), Some(65_524));

    longest[11] += 1;
    let mut bytes = opening(5, false, &longest);
    bytes.extend([0, 2, 0, 0xfd, 0xff, b'a', b'a']);
    let length = (bytes.len() as u32 - 8).to_be_bytes();
    bytes[4..8].copy_from_slice(&length);
    assert_eq!(connection.receive(&bytes), [Event::Failed(Error::InvalidControlFrame)]);
    assert!(connection.take().is_empty());
}

#[test]
fn data_is_given_as_it_comes() {
    let mut connection = open();
    let data = |bytes: &[u8], is_finished| [Event::Data { id: 1, bytes: bytes.to_vec(), is_finished }];
    assert!(connection.receive(&[0, 0, 0, 1, 1, 0xff, 0xff]).is_empty());
    assert_eq!(connection.receive(b"\xffab"), data(b"ab", false));
    let rest = vec![b'c'; 0xff_ffff - 2];
    assert_eq!(connection.receive(&rest), data(&rest, true));
}
