// The outline of a body that is being written: plain functions, for which no page is needed.
import { expect, test } from "@playwright/test";

import { format } from "../../web/format.js";
import { inPatch, outline, partAt, placeAt, spot } from "../../web/outline.js";

/** Where the bar is: the path, `key` or `value`, what has been written, and the names beside it. Null where nothing can be said. */
function place(text, language) {
  const pos = text.indexOf("|");
  const found = placeAt(text.replace("|", ""), pos, language);
  return found && [found.path.join("/"), found.at, found.typed, ...found.present].join(" ");
}

const JSON_PLACES = [
  ["|", " value "],
  ["{|}", " key "],
  ['{"a": {"b|"}, "c": 1}', "a key b"],
  ['{"a": 1, |', " key  a"],
  ['{"a": |}', "a value "],
  ['{"a": "x|"}', "a value x"],
  ['{"a": [1, {"q": tr|}]}', "a/1/q value tr"],
  ['{"a": [|]}', "a/0 value "],
  ['{"a": {"b|', "a key b"],
  ['{"a": 1 "b|": 2}', " key b a"],
  ['{"x": {"y": {\n  |\n}}, "z": 1}', "x/y key "],
  ['{"a": "\\"}|"}', 'a value \\"}'],
  ['{"a": 1}|', null],
];

for (const [text, expected] of JSON_PLACES) {
  test(`in JSON: ${JSON.stringify(text)}`, () => expect(place(text, "json")).toBe(expected));
}

const YAML_PLACES = [
  ["|", " value "],
  ["spec:\n  |", "spec value "],
  ["spec:\n|", " key  spec"],
  ["spec:\n  te|\n  b: 1", "spec key te b"],
  ["spec:\n  a: 1\n  |\n  b: 1\nc: 2", "spec key  a b"],
  ["spec:\n  containers:\n  - |", "spec/containers/0 value "],
  ["spec:\n  containers:\n  - name: a\n    im|", "spec/containers/0 key im name"],
  ["spec:\n  containers:\n  - name: a\n  |", "spec key  containers"],
  ["spec:\n  containers:\n    - name: a\n      ports:\n      - na|\n        x: 1", "spec/containers/0/ports/0 key na x"],
  ["metadata:\n  labels:\n    a: b\n  na|: x\nspec: {}", "metadata key na labels"],
  ["a: {b: |}", "a/b value "],
  ["a: {|}", "a key "],
  ["a: tr| # a word", "a value tr"],
  ['a: "x|"', "a value x"],
  ["- op: re|", "0/op value re"],
  ["---\n# first\na:\n\n  b|\n", "a value b"],
  ["# a|", null],
  ["data:\n  x: >\n   zzz\n   |\n", null],
  ["a: 1\n---\nb|", null],
];

for (const [text, expected] of YAML_PLACES) {
  test(`in YAML: ${JSON.stringify(text)}`, () => expect(place(text, "yaml")).toBe(expected));
}

const YAML = `apiVersion: v1
metadata:
  annotations: {a.b/c: d}
spec:
  containers:
  - name: a
    image: b
  - name: "c"
    ports:
    - containerPort: "x"
  # what comes next
  replicas: 1
`;
const BODY = JSON.stringify({ apiVersion: "v1", spec: { containers: [{ name: "a" }, { name: "b", ports: [{}] }] } }, null, 2);

/** What is marked for a path, and whether that is what is meant. */
const SPOTS = [
  ["spec.containers.1.name", {}, '"c"', true],
  ["spec.containers.1.image", {}, "name", false],
  ["spec.containers.ports.containerPort", { type: "string" }, '"x"', true],
  ["spec.replicas", { on: "key" }, "replicas", true],
  ["spec.replicas", {}, "1", true],
  ["spec.containers.7.name", {}, "containers", false],
  ["spec.containers.1.name", { merged: true }, "containers", false],
  ["metadata.name", {}, "metadata", false],
  ["status.phase", {}, "apiVersion", false],
  ['spec.containers.name="a".image', {}, "b", true],
];

for (const [path, how, marked, exact] of SPOTS) {
  test(`${path} ${JSON.stringify(how)} is at ${marked}`, () => {
    // The steps are told apart before they come here.
    const steps = path.match(/[^.="]+="[^"]*"|[^.]+/g);
    const { from, to, exact: is } = spot(outline(YAML, "yaml"), steps, how);
    expect([YAML.slice(from, to), is]).toEqual([marked, exact]);
  });
}

test("JSON has the same places", () => {
  const at = (...path) => {
    const { from, to } = spot(outline(BODY, "json"), path);
    return BODY.slice(from, to);
  };
  expect(at("spec", "containers", "1", "name")).toBe('"b"');
  expect(at("spec", "containers", "1", "ports", "0", "name")).toBe("{");
  expect(at("spec", "replicas")).toBe('"spec"');
  expect(at("metadata", "name")).toBe("{");
});

test("a field of the object is in the operation of a patch that writes it", () => {
  const patch = '[{"op":"replace","path":"/spec/replicas","value":"x"},{"op":"add","path":"/spec/a~1b","value":{"c":1}}]';
  const root = outline(patch, "json");
  expect(inPatch(root, ["spec", "a/b", "c"])).toEqual([1, "value", "c"]);
  expect(inPatch(root, ["spec", "replicas"])).toEqual([0, "value"]);
  expect(inPatch(root, ["metadata"])).toEqual([]);
});

test("a position is part of a field", () => {
  const at = (word) => partAt(outline(YAML, "yaml"), YAML.indexOf(word) + 1)?.path.join("/") ?? null;
  expect(at("containers")).toBe("spec/containers");
  expect(at("containerPort")).toBe("spec/containers/1/ports/0/containerPort");
  expect(at("image")).toBe("spec/containers/0/image");
  expect(at("b\n")).toBe("spec/containers/0/image");
  expect(at("a.b/c")).toBe("metadata/annotations/a.b/c");
});

test("nothing that is written brings it down", () => {
  const pieces = ["{", "}", "[", "]", ":", ",", '"', "'", "\n", "  ", "- ", "a", "a: ", "#", "|", ">", "\\", "---\n", "&x ", "ä"];
  let seed = 7;
  const next = () => (seed = (seed * 48271) % 2147483647);
  for (let round = 0; round < 4000; round++) {
    const text = Array.from({ length: next() % 14 }, () => pieces[next() % pieces.length]).join("");
    for (const language of ["json", "yaml"]) {
      const root = outline(text, language);
      const pos = next() % (text.length + 1);
      placeAt(text, pos, language);
      partAt(root, pos);
      const { from, to } = spot(root, ["a", "0", "b"]);
      if (!(from <= to)) throw new Error(`${from} to ${to} in ${JSON.stringify(text)}`);
    }
  }
});

test("JSON is brought into form, and keeps its digits and escapes", () => {
  const text = '{"a":[1.0,{"b":12345678901234567890}],"c":{},"d":[ ],"e":"x\\u00e4: {, "}';
  expect(format(text)).toBe(
    '{\n  "a": [\n    1.0,\n    {\n      "b": 12345678901234567890\n    }\n  ],\n  "c": {},\n  "d": [],\n  "e": "x\\u00e4: {, "\n}',
  );
  expect(JSON.parse(format(text))).toEqual(JSON.parse(text));
});
