#!/usr/bin/env python3
"""Sends mutated requests to a real kube-apiserver and to Kubeglass, and prints how the responses differ, by cause.

  compare.py --reference URL --kubeglass URL [--token TOKEN] [--seed N] [--rounds N] [--resource WORD] [--show N]

Requests are made of the bodies of the recorded conversations (tests/conformance/recordings): each round takes one that created an
object, changes it at a few places, creates it in a namespace of the round's own, and then reads, replaces, patches and deletes it.
Both servers get the same requests in the same order. The same seed makes the same requests. Exits with 1 if something differs.
README.md beside this file says how to start both servers. Standard library only.
"""
import argparse
import copy
import http.client
import json
import random
import re
import ssl
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

RECORDINGS = Path(__file__).resolve().parent.parent / "conformance" / "recordings"
MEDIA_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
}
# Values that differ from server to server, and the names that stand for them.
VARYING = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"10\.96\.\d+\.\d+"), "<service ip>"),
    (re.compile(r"((?:resourceVersion|ResourceVersion|resource version)[^0-9<]{0,40})\d+"), r"\1<n>"),
]
ODD = [None, "", "-", "A_b", "a" * 300, "a/b", "é", "1", 0, -1, 1, 1.5, 2**31, 2**63, True, False, [], {}, [None], {"": ""}, ["a", "a"]]


class Server:
    """A server, over one connection."""

    def __init__(self, url, token):
        self.url, self.token, self.connection = urlsplit(url), token, None

    def connect(self):
        host, port = self.url.hostname, self.url.port
        if self.url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=30, context=ssl._create_unverified_context())
        return http.client.HTTPConnection(host, port, timeout=30)

    def send(self, method, path, body=None, media_type="application/json"):
        """Returns status code, warnings and body of the response; the body as JSON where it is. What broke off has the status 0."""
        headers = {"User-Agent": "compare/1.0", "Accept": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = media_type
        # What changes something is not sent again: it may have been done.
        for last in (False, True) if method == "GET" else (True,):
            try:
                self.connection = self.connection or self.connect()
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                raw = response.read()
                break
            except (http.client.HTTPException, OSError) as error:
                self.connection = None
                if last:
                    return 0, [], type(error).__name__
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw.decode("utf-8", "replace")
        return response.status, response.headers.get_all("Warning") or [], body


def seeds(word):
    """Returns the path and the body of each recorded request that created an object in a namespace of its own."""
    found = {}
    for file in sorted(RECORDINGS.glob("*/*.json")):
        for step in json.loads(file.read_text())["steps"]:
            request, expect = step.get("request", {}), step.get("expect", {})
            body, path = request.get("body"), request.get("path", "")
            whole = isinstance(body, dict) and request.get("method") == "POST" and expect.get("status") == 201
            known = whole and isinstance(expect.get("body"), dict) and "kind" in expect["body"]
            if not known or "?" in path or "/namespaces/${ns}/" not in path or word not in path:
                continue
            parts = path.split("/namespaces/${ns}/")[1].split("/")
            text = json.dumps(body)
            if len(parts) > 1 or "${" in text.replace("${ns}", "") or len(text) > 20_000 or ".${ns}" in path:
                continue
            found[path + text] = (path, body)
    return list(found.values())


def places(value, at=()):
    """Yields the path of each value in a document, the document's own first."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, at + (key,))


def mutate(body, rng):
    """Returns the body with up to three changes, none of them to its name."""
    body = copy.deepcopy(body)
    for _ in range(rng.randint(0, 3)):
        at = rng.choice([place for place in places(body) if place and place != ("metadata",) and place != ("metadata", "name")] or [()])
        if not at:
            return body
        holder = body
        for key in at[:-1]:
            holder = holder[key]
        how = rng.randrange(8)
        if how == 0:
            del holder[at[-1]]
        elif how == 1 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[at[-1]]))
        elif how == 2 and isinstance(holder, dict):
            names = ["unknown", "kind", "labels", "annotations"] + ["name"] * (at[:-1] != ("metadata",))
            holder[rng.choice(names)] = copy.deepcopy(rng.choice(ODD))
        elif how == 3 and isinstance(holder[at[-1]], str):
            holder[at[-1]] = holder[at[-1]].swapcase()
        else:
            holder[at[-1]] = copy.deepcopy(rng.choice(ODD))
    return body


def conversation(path, body, rng, number, seed):
    """Yields the requests of a round: method, path, body and media type."""
    namespace = f"cmp-{seed}-{number}"
    collection = path.replace("${ns}", namespace)
    text = json.dumps(body).replace("${ns}", namespace)
    body = json.loads(text)
    metadata = body.setdefault("metadata", {})
    metadata.pop("generateName", None)
    name = metadata.setdefault("name", "n")
    named = f"{collection}/{name}"
    query = rng.choice(["", "", "", "?fieldValidation=Strict", "?dryRun=All", "?fieldManager=m"])
    yield "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}, "application/json"
    first = mutate(body, rng)
    yield "POST", collection + query, first, "application/json"
    yield "POST", collection, body, "application/json"
    for _ in range(rng.randint(1, 4)):
        how = rng.choice(["put", "merge", "strategic", "json", "get", "table", "delete"])
        if how == "put":
            yield "PUT", named + query, mutate(body, rng), "application/json"
        elif how in ("merge", "strategic"):
            yield "PATCH", named + query, mutate(body, rng), MEDIA_TYPES[how]
        elif how == "json":
            keys = rng.choice(list(places(body))[1:] or [("metadata",)])
            place = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)
            operation = {"op": rng.choice(["add", "replace", "remove", "test", "move"]), "path": place, "value": rng.choice(ODD)}
            if operation["op"] == "move":
                operation["from"] = "/metadata/labels"
            yield "PATCH", named, [operation], MEDIA_TYPES["json"]
        elif how == "delete":
            options = rng.choice([{}, {"preconditions": {"uid": "x"}}, {"propagationPolicy": rng.choice(["Foreground", "Orphan", "x"])}])
            yield "DELETE", named + rng.choice(["", "?dryRun=All"]), options, "application/json"
        else:
            yield "GET", named, None, ""
    yield "DELETE", named, None, ""
    yield "DELETE", f"/api/v1/namespaces/{namespace}", None, ""


def normal(value, key=""):
    """Puts names where values differ from server to server."""
    if isinstance(value, dict):
        return {name: normal(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [normal(inner, key) for inner in value]
    if key == "resourceVersion" and isinstance(value, str) and value not in ("", "0"):
        return "<rv>"
    if key == "nodePort" and isinstance(value, int) and value:
        return "<node port>"
    if isinstance(value, str):
        for pattern, name in VARYING:
            value = pattern.sub(name, value)
    return value


def difference(want, got, at=""):
    """Returns the first difference of two bodies, also one in the order of keys; nothing if there is none."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in [*want, *(key for key in got if key not in want)]:
            if key not in got or key not in want:
                return f"{at}.{key}: {'missing' if key not in got else 'not expected'}"
        for key in want:
            found = difference(want[key], got[key], f"{at}.{key}")
            if found:
                return found
        return f"{at}: order of keys" if list(want) != list(got) else None
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return next((found for pair in zip(want, got) if (found := difference(*pair, f"{at}[]"))), None)
    return None if want == got and type(want) is type(got) else f"{at}: {short(got)}, reference {short(want)}"


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 300 else text[:297] + "..."


def cause(method, path, reference, kubeglass):
    """Returns what differs in the responses to a request, in words that are the same for the same cause; nothing if they are alike."""
    resource = re.sub(r"/namespaces/[^/?]+/", "/", path).split("?")[0].split("/")
    resource = resource[3] if path.startswith("/api/") else resource[4]
    if reference[0] != kubeglass[0]:
        told = [body.get("message", "") if isinstance(body, dict) else "" for body in (kubeglass[2], reference[2])]
        return f"{method} {resource}: {kubeglass[0]} {short(told[0])}, reference {reference[0]} {short(told[1])}"
    if reference[1] != kubeglass[1]:
        return f"{method} {resource}: warnings {short(kubeglass[1])}, reference {short(reference[1])}"
    found = difference(reference[2], kubeglass[2])
    return found and f"{method} {resource}: {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--kubeglass", required=True)
    parser.add_argument("--token", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--resource", default="", metavar="WORD", help="only paths that hold this word")
    parser.add_argument("--show", type=int, default=60, metavar="N", help="how many causes are printed")
    options = parser.parse_args()
    servers = [Server(options.reference, options.token), Server(options.kubeglass, options.token)]
    known = seeds(options.resource)
    if not known:
        sys.exit("There is no recorded request that would be one to begin with.")
    rng = random.Random(options.seed)
    causes, examples, requests, alike, statuses = Counter(), {}, 0, 0, 0
    for number in range(options.rounds):
        path, body = rng.choice(known)
        for method, target, sent, media_type in conversation(path, body, rng, number, options.seed):
            text = None if sent is None else json.dumps(sent)
            reference, kubeglass = (
                (code, normal(warnings), normal(body)) for code, warnings, body in (s.send(method, target, text, media_type) for s in servers)
            )
            requests += 1
            statuses += reference[0] == kubeglass[0]
            found = cause(method, target, reference, kubeglass)
            if found is None:
                alike += 1
                continue
            causes[found] += 1
            examples.setdefault(found, f"{method} {target} {media_type} {short(sent)}")
    for found, times in causes.most_common(options.show):
        print(f"{times}x {found}\n    {examples[found]}")
    share = 100 * alike / requests
    print(f"\n{requests} requests, {alike} alike ({share:.1f} %), status codes {100 * statuses / requests:.1f} %, {len(causes)} causes")
    return 1 if causes else 0


if __name__ == "__main__":
    sys.exit(main())
