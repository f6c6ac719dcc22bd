"""HTTP itself, over plain sockets: bodies in chunks, `Expect`, limits, kept connections, many and slow watches."""

import gzip
import json
import socket
import time

import check as c
from check import HOST, Watch, call, check, equal, scenario

MAPS = "/api/v1/namespaces/default/configmaps"
JSON = "Content-Type: application/json\r\n"


def send(*parts, seconds=2.0):
    """Sends parts with pauses between them, and reads until the peer is silent or gone."""
    host, port = HOST.split(":")
    connection = socket.create_connection((host, int(port)))
    connection.settimeout(seconds)
    answer = b""
    try:
        for i, part in enumerate(parts):
            time.sleep(0.1 if i else 0)
            connection.sendall(part)
        while not complete(answer, max(1, sum(part.count(b" HTTP/1.") for part in parts))):
            chunk = connection.recv(65536)
            if not chunk:
                break
            answer += chunk
    except OSError:
        pass
    connection.close()
    return answer.decode("latin1")


def complete(answer, count):
    """Whether so many answers with a `Content-Length` are there."""
    for _ in range(count):
        while answer.startswith(b"HTTP/1.1 100"):
            answer = answer.partition(b"\r\n\r\n")[2]
        head, end, rest = answer.partition(b"\r\n\r\n")
        length = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if not end or not length or len(rest) < int(length[0].split(b":")[1]):
            return False
        answer = rest[int(length[0].split(b":")[1]):]
    return True


def head(method, path, headers="", length=None):
    size = "" if length is None else f"Content-Length: {length}\r\n"
    return f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}{size}\r\n".encode()


def config_map(name):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).encode()


@scenario
def bodies():
    body = config_map("chunked")
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:])] + [b"0\r\n\r\n"]
    answer = send(head("POST", MAPS, JSON + "Transfer-Encoding: chunked\r\n"), *chunks)
    check("chunks", answer.startswith("HTTP/1.1 201 Created"), answer)
    body = config_map("expected")
    answer = send(head("POST", MAPS, JSON + "Expect: 100-continue\r\n", len(body)), body)
    check("Expect: 100-continue", answer.startswith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201"), answer)
    big = c.call("POST", MAPS, b'{"a":"' + b"x" * (3 * 1024 * 1024) + b'"}')
    equal("too large", (big.status, big.message, big["reason"], "details" in big.body), (413, "Request entity too large: limit is 3145728", "RequestEntityTooLarge", False))
    fits = {"metadata": {"name": "fits", "annotations": {"a": "x" * 200000}}, "data": {"a": "x" * 900000}}
    equal("large, but not too large", call("POST", MAPS, fits).status, 201)
    nothing = call("POST", MAPS, b"")
    equal("nothing", (nothing.status, nothing.message.endswith("(<empty>)")), (400, True))


@scenario
def connections():
    call("POST", MAPS, config_map("kept"))
    two = send(head("GET", MAPS + "/kept") + head("GET", MAPS + "/kept"))
    equal("two answers over one connection", two.count("HTTP/1.1 200 OK"), 2)
    closed = send(head("GET", MAPS + "/kept", "Connection: close\r\n"))
    check("Connection: close", "Connection: close" in closed and closed.endswith("}\n"), closed)
    old = send(f"GET {MAPS}/kept HTTP/1.0\r\n\r\n".encode())
    check("HTTP/1.0", old.startswith("HTTP/1.0 200 OK") and old.endswith("}\n"), old)
    for method, path, status in (("HEAD", MAPS, "405"), ("OPTIONS", MAPS, "405"), ("HEAD", "/healthz", "200")):
        answer = send(head(method, path, "Connection: close\r\n"))
        check(f"{method} {path}", answer.startswith(f"HTTP/1.1 {status} ") and (method != "HEAD" or answer.endswith("\r\n\r\n")), answer)
    bad = send(b"NONSENSE\r\n\r\n")
    check("nonsense", bad.startswith("HTTP/1.1 400 Bad Request"), bad)
    check("a name of a header is spelled as Go does", "\r\nContent-Type: " in two and "\r\nCache-Control: no-cache, private" in two, two)


@scenario
def compressed():
    small = call("GET", "/api/v1/namespaces", headers={"Accept-Encoding": "gzip"})
    equal("small", small.headers.get("content-encoding"), None)
    large = call("GET", MAPS, headers={"Accept-Encoding": "gzip"})
    equal("large", (large.headers.get("content-encoding"), large.headers.get("vary")), ("gzip", "Accept-Encoding"))
    equal("readable", json.loads(gzip.decompress(large.raw))["kind"], "ConfigMapList")
    equal("only gzip itself", call("GET", MAPS, headers={"Accept-Encoding": "gzip;q=1"}).headers.get("content-encoding"), None)


@scenario
def negotiated():
    protobuf = "application/vnd.kubernetes.protobuf"
    for accept, status, kind in (
        (f"{protobuf},application/json", 200, protobuf),
        ("application/json,application/vnd.kubernetes.protobuf", 200, "application/json"),
        ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", 200, "application/json"),
        (f"{protobuf};as=Table;v=v1;g=meta.k8s.io", 406, "application/json"),
        (f"{protobuf};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 200, protobuf),
        ("text/html", 406, "application/json"), ("*/*", 200, "application/json"), ("", 200, "application/json"),
        ("application/*", 406, "application/json"), ("text/html,*/*;q=0.1", 200, "application/json"),
    ):
        answer = call("GET", MAPS, accept=accept)
        equal(f"Accept: {accept}", (answer.status, answer.headers["content-type"].split(";")[0]), (status, kind))
    wire = call("GET", MAPS + "/kept", accept=protobuf).raw
    check("the envelope", wire.startswith(b"k8s\0\n\x0f\n\x02v1\x12\tConfigMap"), wire)
    name = wire.replace(b"\n\x04kept", b"\n\x04wire")
    again = call("POST", MAPS, name, protobuf, accept=f"{protobuf},application/json")
    check("an object with a version and a uid is refused", again.status in (400, 500), again.raw)
    nothing = call("DELETE", MAPS + "/kept", b"k8s\0\n\x13\n\x02v1\x12\rDeleteOptions\x12\0\x1a\0\x22\0", protobuf, accept=f"{protobuf},application/json")
    equal("DeleteOptions in Protobuf", (nothing.status, nothing.raw[:4]), (200, b"k8s\0"))


@scenario
def watches():
    watches = [Watch(MAPS, allowWatchBookmarks="true", resourceVersion="0") for _ in range(100)]
    call("POST", MAPS, config_map("watched"))
    for watch in watches:
        while (event := watch.next("ADDED")) and event["object"]["metadata"]["name"] != "watched":
            pass
        check("each of a hundred watches sees it", event)
        watch.close()
    started = time.monotonic()
    answer = call("GET", MAPS, watch="1", timeoutSeconds="1")
    check("a watch ends when it was asked to", answer.status == 200 and 0.9 < time.monotonic() - started < 3, time.monotonic() - started)
    host, port = HOST.split(":")
    slow = socket.create_connection((host, int(port)))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sendall(head("GET", MAPS + "?watch=1"))
    for i in range(50):
        equal("a watch that nobody reads holds nobody up", call("POST", MAPS, {"metadata": {"name": f"slow-{i}"}, "data": {"a": "x" * 50000}}).status, 201)
    slow.close()
    equal("all gone", call("DELETE", MAPS).status, 200)


if __name__ == "__main__":
    c.finish()
