//! The ports of pods: the servers that are known to listen there, and an HTTP server that sends back what it is sent on each other port that
//! a container declares.
//!
//! See <https://kubernetes.io/docs/tasks/access-application-cluster/port-forward-access-application-cluster/>.

use std::collections::VecDeque;

use apiserver::{Chunks, Peer};
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::unfold;
use http::StatusCode;
use json_tree::Value;

use super::exec::Response;
use crate::object::{self, list};
use crate::pod;

/// The end of the head of a request.
const END: &[u8] = b"\r\n\r\n";

/// The most bytes of the head of a request.
const LONGEST_HEAD: usize = 64 * 1024;

/// The most bytes of a request.
const LONGEST: usize = 1024 * 1024;

/// A server: it takes the text of a request, and returns the response.
pub(super) type Server = Box<dyn Fn(&str) -> Response + Send>;

/// Connects to a port of a pod, on which a server may listen.
///
/// # Errors
/// The text of a container runtime, if none does, and no container declares the port.
pub(super) fn dial(pod: &Value, port: u16, server: Option<Server>) -> Result<Peer, String> {
    let server = server.or_else(|| echo(pod, port)).ok_or_else(|| {
        format!(
            "failed to execute portforward in network namespace of pod: failed to connect to localhost:{port} inside namespace, \
             IPv4: dial tcp4 127.0.0.1:{port}: connect: connection refused IPv6 dial tcp6 [::1]:{port}: connect: connection refused"
        )
    })?;
    Ok(Box::new(move |sent| serve(sent, server)))
}

/// Returns the server that sends back what it is sent, with a few words before it, if a container declares the port.
fn echo(pod: &Value, port: u16) -> Option<Server> {
    let declares = |container: &&Value| {
        let mut ports = list(container, "/ports").iter();
        ports
            .any(|own| object::int(own, "/containerPort") == i64::from(port) && own.text("protocol") != "UDP")
    };
    let container = pod::containers(pod).find(declares)?;
    let about =
        format!("pod: {}\ncontainer: {}\nport: {port}\n\n", object::name(pod), container.text("name"));
    Some(Box::new(move |request| Response::text(200, &[&about, request].concat())))
}

/// The connection of a client.
struct Connection {
    sent: Chunks,
    /// The bytes that belong to no request yet.
    received: Vec<u8>,
    /// The number of bytes among which the end of a head was looked for in vain.
    scanned: usize,
    /// The number of bytes that the first request has, once its head is there.
    length: Option<usize>,
    responses: VecDeque<Bytes>,
    server: Server,
    is_over: bool,
}

/// Returns the responses to the requests of a client.
fn serve(sent: Chunks, server: Server) -> Chunks {
    let connection = Connection {
        sent,
        received: Vec::new(),
        scanned: 0,
        length: None,
        responses: VecDeque::new(),
        server,
        is_over: false,
    };
    Box::pin(unfold(connection, |mut connection| async {
        let response = connection.next().await?;
        Some((response, connection))
    }))
}

impl Connection {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(response) = self.responses.pop_front() {
                return Some(response);
            }
            if self.is_over {
                return None;
            }
            match self.sent.next().await {
                Some(bytes) => self.received.extend_from_slice(&bytes),
                None => return None,
            }
            while let Some(response) = self.respond() {
                self.responses.push_back(response.into());
            }
        }
    }

    /// Refuses what came, and all that comes.
    fn refuse(&mut self, code: u16, text: &str) -> Vec<u8> {
        self.is_over = true;
        to_bytes(&Response::text(code, text), true)
    }

    /// Takes the first request, if all of it is there, and returns its response.
    fn respond(&mut self) -> Option<Vec<u8>> {
        if self.is_over {
            return None;
        }
        if self.length.is_none() {
            let begin = &self.received[..self.received.len().min(LONGEST_HEAD)];
            let from = self.scanned.saturating_sub(END.len() - 1).min(begin.len());
            match begin[from..].windows(END.len()).position(|bytes| bytes == END) {
                Some(place) => match length(&begin[..from + place]) {
                    Ok(length) if length <= LONGEST => self.length = Some(length),
                    Ok(_) => return Some(self.refuse(413, "the request is too long\n")),
                    Err(()) => return Some(self.refuse(400, "this is no HTTP/1.1 request\n")),
                },
                None if begin.len() == LONGEST_HEAD => {
                    return Some(self.refuse(431, "the head is too long\n"));
                }
                None => self.scanned = self.received.len(),
            }
        }
        let length = self.length.filter(|length| *length <= self.received.len())?;
        (self.length, self.scanned) = (None, 0);
        let request: Vec<u8> = self.received.drain(..length).collect();
        self.is_over = closes(&request);
        let is_head = request.starts_with(b"HEAD ");
        let request = String::from_utf8_lossy(&request);
        let response = (self.server)(&request);
        let mut bytes = to_bytes(&response, self.is_over);
        if is_head {
            bytes.truncate(bytes.len() - response.body.len());
        }
        Some(bytes)
    }
}

/// Returns the bytes of a response, after which the connection may be closed.
fn to_bytes(response: &Response, closes: bool) -> Vec<u8> {
    let reason = StatusCode::from_u16(response.code).ok().and_then(|code| code.canonical_reason());
    let mut head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
        response.code,
        reason.unwrap_or_default(),
        response.content_type,
        response.body.len()
    );
    if let Some(location) = &response.location {
        head.extend(["Location: ", location, "\r\n"]);
    }
    if closes {
        head.push_str("Connection: close\r\n");
    }
    [head.as_bytes(), b"\r\n", &response.body].concat()
}

/// Returns the length of the request with a head; an error if it is none.
fn length(head: &[u8]) -> Result<usize, ()> {
    let text = std::str::from_utf8(head).unwrap_or_default();
    let (first, _) = text.split_once("\r\n").unwrap_or((text, ""));
    // A body in chunks ends by its own length, which nothing here reads.
    if !matches!(first.rsplit_once(' '), Some((_, "HTTP/1.1" | "HTTP/1.0")))
        || header(text, "transfer-encoding").is_some()
    {
        return Err(());
    }
    let body: usize = header(text, "content-length").unwrap_or("0").parse().map_err(|_| ())?;
    Ok((head.len() + END.len()).saturating_add(body))
}

/// Reports whether a connection ends after a request.
fn closes(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let head = text.split_once("\r\n\r\n").map_or(&*text, |(head, _)| head);
    let asked = header(head, "connection").unwrap_or_default();
    let is_old = head.lines().next().is_some_and(|first| first.ends_with("HTTP/1.0"));
    asked.eq_ignore_ascii_case("close") || is_old && !asked.eq_ignore_ascii_case("keep-alive")
}

/// Returns the value of a header.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(sent: &[&'static str], expected: &[&str]) {
        let sent: Vec<Bytes> = sent.iter().map(|sent| Bytes::from_static(sent.as_bytes())).collect();
        let server: Server = Box::new(|request| Response::text(200, &["x\n\n", request].concat()));
        let responses: Vec<Bytes> = block_on(serve(Box::pin(futures::stream::iter(sent)), server).collect());
        let responses: Vec<_> = responses.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
        assert_eq!(responses, expected);
    }

    #[test]
    fn requests_come_back() {
        const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ";
        let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
        let response = [HEAD, "31\r\n\r\nx\n\n", get].concat();
        check(&[get], &[&response]);
        check(&["GET /a HTTP/1.1\r\nHo", "st: h\r\n\r\n"], &[&response]);
        check(
            &["GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n"],
            &[&response, &response],
        );
        let post = "POST / HTTP/1.0\r\ncontent-length: 2\r\n\r\nhi";
        check(&[post, get], &[&[HEAD, "43\r\nConnection: close\r\n\r\nx\n\n", post].concat()]);
        check(&["HEAD / HTTP/1.1\r\n\r\n"], &[&[HEAD, "22\r\n\r\n"].concat()]);
        check(&["GET / HTTP/1.1\r\n"], &[]);
        check(&[], &[]);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let no = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 28\r\n\
                  Connection: close\r\n\r\nthis is no HTTP/1.1 request\n";
        for request in [
            "hello\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            check(&[request, "GET / HTTP/1.1\r\n\r\n"], &[no]);
        }
    }

    #[test]
    fn ports_that_nobody_listens_on() {
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [
            {"name": "c", "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]}
        ]}});
        assert!(dial(&pod, 80, None).is_ok());
        for port in [53, 81] {
            let why = dial(&pod, port, None).err().unwrap_or_default();
            assert!(why.contains("connection refused"), "{why}");
        }
    }
}
