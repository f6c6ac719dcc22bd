//! Ports at the other end of a connection.
//!
//! See <https://kubernetes.io/docs/reference/kubectl/generated/kubectl_port-forward/>.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::SelectAll;
use futures::{Stream, StreamExt};

use super::Protocol;
use super::channels::{Input, Received};
use crate::kubelet::{Chunks, Peer};

/// Makes the server's end of a connection that forwards ports: two channels for each, one for data and one for what goes wrong. The
/// first message of each is the number of the port.
pub(crate) fn peer(protocol: &'static Protocol, peers: Vec<(u16, Result<Peer, String>)>) -> Peer {
    Box::new(move |messages| {
        let (mut inputs, mut outputs) = (Vec::new(), SelectAll::new());
        for (channel, (port, peer)) in (0_u8..).step_by(2).zip(peers) {
            let (input, receiver) = Input::new();
            inputs.push(input);
            let number = port.to_le_bytes();
            let first = [channel, channel + 1].map(|channel| protocol.write(channel, &number));
            let rest: Chunks = match peer {
                Ok(peer) => {
                    Box::pin(peer(Box::pin(receiver)).map(move |data| protocol.write(channel, &data)))
                }
                Err(why) => {
                    let told = protocol.write(channel + 1, why.as_bytes());
                    Box::pin(futures::stream::iter([told]))
                }
            };
            outputs.push(futures::stream::iter(first).chain(rest));
        }
        Box::pin(Forwarding { protocol, messages, inputs, outputs })
    })
}

/// A connection that forwards ports. It is over once all peers are done.
struct Forwarding<S> {
    protocol: &'static Protocol,
    messages: Chunks,
    inputs: Vec<Input>,
    outputs: SelectAll<S>,
}

impl<S: Stream<Item = Bytes> + Unpin> Stream for Forwarding<S> {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Self { protocol, messages, inputs, outputs } = &mut *self;
        while inputs.iter_mut().all(|input| input.poll_ready(cx).is_ready()) {
            match messages.poll_next_unpin(cx) {
                Poll::Pending => break,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(message)) => {
                    if let Received::Data(channel, data) = protocol.read(&message)
                        && channel % 2 == 0
                        && let Some(input) = inputs.get_mut(usize::from(channel / 2))
                    {
                        input.send(data);
                    }
                }
            }
        }
        outputs.poll_next_unpin(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::super::FORWARD;
    use super::*;

    #[test]
    fn forwarded_ports() {
        let echo: Peer = Box::new(|sent| Box::pin(sent.take(1)));
        let peers = vec![(80, Ok(echo)), (443, Err("nobody listens".to_owned()))];
        let sent = [&b"\0hello"[..], b"\x02lost", b"\x09odd", b""].map(Bytes::from_static);
        // The client stays for as long as there is something for it.
        let messages = futures::stream::iter(sent).chain(futures::stream::pending());
        let mut received: Vec<Bytes> =
            block_on(peer(&FORWARD.web_socket[1], peers)(Box::pin(messages)).collect());
        received.sort();
        assert_eq!(
            received,
            [&b"\0P\0"[..], b"\0hello", b"\x01P\0", b"\x02\xbb\x01", b"\x03nobody listens", b"\x03\xbb\x01"]
        );
    }
}
