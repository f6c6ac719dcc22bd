"""What all the scripts share: a plain HTTP client, and checks that are counted."""

import http.client
import json
import os
import sys
import threading
import traceback
from urllib.parse import urlencode, urlsplit

SERVER = os.environ.get("KUBEGLASS_SERVER", "http://127.0.0.1:8001")
HOST = urlsplit(SERVER).netloc

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

passed, failed = 0, 0


def check(name, condition, found=None):
    """Counts a check, and tells of it if it fails."""
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        told = json.dumps(found, default=repr)
        # What went wrong mostly stands at the end.
        print(f"FAILED {name}: {told if len(told) < 1600 else told[:800] + ' ... ' + told[-800:]}", flush=True)
    return bool(condition)


def equal(name, found, expected):
    """Counts a comparison."""
    return check(name, found == expected, {"found": found, "expected": expected})


def scenario(function):
    """Runs it now; an exception is a failed check."""
    try:
        function()
    except Exception:  # noqa: BLE001 whatever is wrong is told, and the next scenario runs
        check(function.__name__, False, traceback.format_exc(limit=-3))


def finish():
    """The last line of every script."""
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, response, raw):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.warnings = [value for name, value in response.getheaders() if name.lower() == "warning"]
        self.raw = raw
        try:
            self.body = json.loads(raw)
        except ValueError:
            self.body = None

    @property
    def message(self):
        return self.body.get("message", "") if isinstance(self.body, dict) else ""

    def __getitem__(self, key):
        return self.body[key]


def call(method, path, body=None, content_type="application/json", accept="application/json", headers=None, **query):
    """One request. Underscores in names of parameters are not special; a list sends a parameter many times."""
    connection = http.client.HTTPConnection(HOST, timeout=30)
    if query:
        path += ("&" if "?" in path else "?") + urlencode(query, doseq=True)
    sent = {"Accept": accept, **(headers or {})}
    if body is not None:
        sent["Content-Type"] = content_type
        if not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
    connection.request(method, path, body, sent)
    response = connection.getresponse()
    answer = Answer(response, response.read())
    connection.close()
    return answer


def get(path, **query):
    return call("GET", path, **query)


def post(path, body, **query):
    return call("POST", path, body, **query)


def put(path, body, **query):
    return call("PUT", path, body, **query)


def delete(path, body=None, **query):
    return call("DELETE", path, body, **query)


def patch(path, body, content_type=MERGE, **query):
    return call("PATCH", path, body, content_type, **query)


class Watch:
    """A watch whose events are gathered by a thread of its own."""

    def __init__(self, path, **query):
        query.setdefault("timeoutSeconds", 30)
        self.connection = http.client.HTTPConnection(HOST, timeout=40)
        self.connection.request("GET", f"{path}?" + urlencode({"watch": "true", **query}), headers={"Accept": "application/json"})
        self.response = self.connection.getresponse()
        self.events, self.ended = [], False
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.response:
                with self.changed:
                    if line.strip():
                        self.events.append(json.loads(line))
                    self.changed.notify_all()
        except Exception:  # noqa: BLE001 the connection was closed
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def next(self, kind=None, timeout=5):
        """The next event, of that type; None if there is none in time."""
        with self.changed:
            while True:
                while self.events:
                    event = self.events.pop(0)
                    if kind is None or event["type"] == kind:
                        return event
                if self.ended or not self.changed.wait(timeout):
                    return None

    def silent(self, seconds=0.3):
        """Whether nothing comes for so long."""
        with self.changed:
            return not self.changed.wait_for(lambda: self.events, seconds)

    def close(self):
        self.connection.sock and self.connection.sock.close()


def namespace(name):
    """Makes a namespace, and gives its path."""
    answer = post("/api/v1/namespaces", {"metadata": {"name": name}})
    if answer.status not in (201, 409):
        raise RuntimeError(answer.raw)
    return f"/api/v1/namespaces/{name}"
