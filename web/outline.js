// What a body consists of, and where each piece stands: of JSON or YAML that may be half written. The trees of the
// grammars colour the text; they give up where it breaks, which is where whoever writes it needs help.
//
// A node is `{ type, from, to, entries?, text? }`: a "map" or a "list" with entries, a "scalar" with its text, or "none".
// An entry is `{ key, from, to, colon, end, value }`: the name or the number, where the name stands, and its value. Where
// an item stands is where its value begins.

/** Where somebody writes: a character that stands in no body, put in there. */
export const CURSOR = "\u0001";

const none = (at) => ({ type: "none", from: at, to: at });
const scalar = (from, to, text, quoted) => ({ type: "scalar", from, to, text, quoted });

/** The outline of a body. */
export const outline = (text, language) => (language === "yaml" ? yaml(text) : flow(text, 0).node);

/** What a name or a text in quotes says. */
function unquote(text) {
  if (text.startsWith("'")) return text.slice(1).replace(/'$/, "").replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1).replace(/"$/, "");
  }
}

/** Where a text in quotes ends that begins at `from`: after its quotation mark, or with its line. */
function endOfQuoted(text, from, lines) {
  const quote = text[from];
  let at = from + 1;
  for (; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at++;
    else if (text[at] === quote) return at + 1;
    else if (text[at] === "\n" && !lines) return at;
  }
  return Math.min(at, text.length);
}

/** JSON, or what stands in brackets in YAML: the value that begins at or after `from`, and where it ends. */
function flow(text, from, inYaml = false) {
  const root = { value: none(from), colon: from };
  const stack = [];
  let entry = root;
  let at = from;
  const close = (end) => {
    const top = stack.at(-1);
    if (top?.entry) top.entry.end = end;
    if (top) top.entry = null;
  };
  const put = (node) => {
    const top = stack.at(-1);
    if (top?.node.type === "list") {
      close(node.from);
      entry = { key: top.node.entries.length, from: node.from, to: node.from, colon: node.from, end: node.to, value: node };
      top.node.entries.push(entry);
      top.entry = entry;
    } else {
      entry = top ? top.entry : root;
      entry.value = node;
      entry.end = node.to;
    }
  };
  while (at < text.length) {
    const c = text[at];
    const top = stack.at(-1);
    if (/\s/.test(c)) {
      at++;
    } else if (inYaml && c === "#" && /\s/.test(text[at - 1] ?? "\n")) {
      const line = text.indexOf("\n", at);
      at = line < 0 ? text.length : line;
    } else if (c === "{" || c === "[") {
      const node = { type: c === "{" ? "map" : "list", flow: true, from: at, to: text.length, open: true, entries: [] };
      // In the place of a name it is none.
      if (!top || top.node.type === "list" || (top.entry && top.entry.colon >= 0)) put(node);
      stack.push({ node, entry: null });
      at++;
    } else if (c === "}" || c === "]") {
      const type = c === "}" ? "map" : "list";
      at++;
      if (!stack.some(({ node }) => node.type === type)) {
        if (!stack.length) break;
        continue;
      }
      while (stack.length) {
        close(at - 1);
        const { node } = stack.pop();
        node.to = at;
        if (node.type === type) {
          node.open = false;
          break;
        }
      }
      if (!stack.length) break;
    } else if (c === ",") {
      close(at);
      at++;
      if (!stack.length) break;
    } else if (c === ":" && top?.node.type === "map" && top.entry && top.entry.colon < 0) {
      top.entry.colon = at;
      top.entry.value = none(at + 1);
      at++;
    } else {
      const start = at;
      const quoted = c === '"' || (inYaml && c === "'");
      if (quoted) {
        at = endOfQuoted(text, at, inYaml);
      } else {
        const plain = inYaml ? /[^,\[\]{}\n]/ : /[^\s,:\[\]{}"]/;
        at++;
        while (at < text.length && plain.test(text[at]) && !(inYaml && text[at] === ":" && /[\s,}\]]/.test(text[at + 1] ?? " "))) at++;
      }
      const said = text.slice(start, at).trimEnd();
      const end = start + said.length;
      const isName = top?.node.type === "map" && !(top.entry && top.entry.colon >= 0 && top.entry.value.type === "none");
      if (isName) {
        close(start);
        top.entry = { key: unquote(said), from: start, to: end, colon: -1, end, value: none(end), quoted };
        top.node.entries.push(top.entry);
      } else {
        put(scalar(start, end, unquote(said), quoted));
      }
      if (!stack.length) break;
    }
  }
  stack.forEach(({ entry }) => entry && (entry.end = text.length));
  return { node: root.value, end: at };
}

/** Where the name ends with which `text` begins, if it does: before the colon. */
function endOfName(text) {
  if (/^["']/.test(text)) {
    const end = endOfQuoted(text, 0, false);
    return /^\s*:(\s|$)/.test(text.slice(end)) ? end : -1;
  }
  if (/^[\[{|>&*!%@`#]/.test(text)) return -1;
  const found = /^(.*?)\s*:(?=\s|$)/.exec(text);
  return found && !/\s#/.test(found[1]) ? found[1].length : -1;
}

/** YAML, block by block. */
function yaml(text) {
  const root = { value: none(0), colon: 0, column: -1 };
  // The blocks that are open: a node and its column.
  let stack = [];
  // What waits for its value: an entry, and the column that the value is deeper than (a list may be as deep).
  let waiting = root;
  let at = 0;
  let literal = -1;
  const finish = (upTo, end) => {
    while (stack.length > upTo) {
      const { node } = stack.pop();
      node.to = end;
      if (node.entries.length) node.entries.at(-1).end = end;
    }
  };
  const settle = (node) => {
    waiting.value = node;
    waiting = null;
  };
  const open = (type, column, from) => {
    const top = stack.at(-1);
    if (top?.node.type === type && top.column === column) {
      if (top.node.entries.length) top.node.entries.at(-1).end = from;
      return top.node;
    }
    if (!waiting) return null;
    const node = { type, from, to: from, column, open: true, entries: [] };
    settle(node);
    stack.push({ node, column });
    return node;
  };
  let last = 0;
  let begun = false;
  while (at < text.length) {
    let eol = text.indexOf("\n", at);
    if (eol < 0) eol = text.length;
    const line = text.slice(at, eol);
    const indent = /^ */.exec(line)[0].length;
    const lineStart = at;
    const blank = /^\s*(#|$)/.test(line);
    at = eol + 1;
    if (literal >= 0 && (line.trim() === "" || indent > literal)) {
      last = eol;
      continue;
    }
    literal = -1;
    if (blank) continue;
    if (/^(---|\.\.\.)(\s|$)/.test(line)) {
      if (begun) break;
      continue;
    }
    if (line.startsWith("%") && !begun) continue;
    begun = true;
    // Leave what is deeper, and a list that a name as deep as it ends.
    const item = /^-(\s|$)/.test(line.slice(indent));
    let keep = stack.length;
    while (keep && (stack[keep - 1].column > indent || (stack[keep - 1].column === indent && stack[keep - 1].node.type === "list" && !item))) keep--;
    if (keep < stack.length) {
      finish(keep, lineStart);
      waiting = null;
    } else if (waiting && waiting !== root && (item ? indent < waiting.column : indent <= waiting.column)) {
      waiting = null;
    }
    let column = indent;
    let rest = line.slice(indent).replace(/\r$/, "");
    for (;;) {
      const from = lineStart + column;
      const dash = /^-(\s+|$)/.exec(rest);
      if (dash) {
        const list = open("list", column, from);
        if (!list) break;
        const entry = { key: list.entries.length, from, to: from + 1, colon: from, end: eol, value: none(from + dash[0].length), column };
        list.entries.push(entry);
        waiting = entry;
        column += dash[0].length;
        rest = rest.slice(dash[0].length);
        if (!rest || rest.startsWith("#")) break;
        continue;
      }
      const name = endOfName(rest);
      if (name >= 0) {
        const map = open("map", column, from);
        if (!map) break;
        const colon = rest.indexOf(":", name);
        const entry = { key: unquote(rest.slice(0, name)), from, to: from + name, colon: from + colon, end: eol, column, value: none(from + colon + 1) };
        map.entries.push(entry);
        waiting = entry;
        // What comes before a value says what it is, not which.
        const after = /^:\s*(?:[!&]\S*\s*)*/.exec(rest.slice(colon))[0].length;
        column += colon + after;
        rest = rest.slice(colon + after);
        if (!rest || rest.startsWith("#")) break;
        const node = single(text, lineStart + column, rest, eol);
        if (node.literal) literal = entry.column;
        settle(node);
        at = Math.max(at, lineAfter(text, node.to));
        break;
      }
      const node = single(text, from, rest, eol);
      // A name that is being written, before those that are there.
      const unfinished = waiting && !node.flow && !node.quoted && !node.literal && nextIsName(text, at, column);
      if (unfinished) open("map", column, from);
      if (waiting) {
        if (node.literal) literal = Math.max(waiting.column, 0);
        settle(node);
        at = Math.max(at, lineAfter(text, node.to));
      } else if (stack.at(-1)?.node.type === "map" && stack.at(-1).column === column) {
        // A name that is being written.
        const map = open("map", column, from);
        map.entries.push({ key: node.text, from, to: node.to, colon: -1, end: eol, column, value: none(node.to) });
      }
      break;
    }
    last = Math.max(eol, at - 1);
  }
  finish(0, Math.min(Math.max(last, 0), text.length));
  return root.value;
}

/** Whether the next line that says something begins with a name in this column. */
function nextIsName(text, at, column) {
  const [, indent, line] = /^(?:[^\S\n]*(?:#.*)?\n)*( *)(.*)/.exec(text.slice(at));
  return indent.length === column && endOfName(line) >= 0;
}

const lineAfter = (text, at) => {
  const end = text.indexOf("\n", Math.max(at - 1, 0));
  return end < 0 ? text.length : text[at - 1] === "\n" ? at : end + 1;
};

/** A value that is no block: in brackets, in quotes, plain, or the head of a literal. */
function single(text, from, rest, eol) {
  if (/^[\[{]/.test(rest)) {
    const { node, end } = flow(text, from, true);
    return { ...node, to: Math.max(node.to, Math.min(end, text.length)) };
  }
  if (/^["']/.test(rest)) {
    const end = endOfQuoted(text, from, true);
    return scalar(from, end, unquote(text.slice(from, end)), true);
  }
  if (/^[|>][-+\d]*\s*(#|$)/.test(rest)) return { ...scalar(from, eol, "", false), literal: true };
  const said = rest.replace(/\s+#.*$/, "").trimEnd();
  return scalar(from, from + said.length, said, false);
}

/** The node at a path, or undefined. */
export function find(node, path) {
  let found = node;
  for (const step of path) {
    found = found?.entries?.find(({ key }) => String(key) === String(step))?.value;
  }
  return found;
}

/** What a map says under a name, if that is no more than a text. */
export const said = (node, name) => {
  const value = find(node, [name]);
  return value?.type === "scalar" ? value.text : "";
};

/**
 * Where somebody writes: `{ path, at, typed, from, to, quoted, present, item, root }`. `at` is "key" for a name of the map at
 * `path`, and "value" for the value at `path`. Null where nothing can be said: within a comment, behind a value.
 */
export function placeAt(text, pos, language) {
  const root = outline(text.slice(0, pos) + CURSOR + text.slice(pos), language);
  const real = (at) => (at > pos ? at - 1 : at);
  const path = [];
  let node = root;
  for (;;) {
    if (node.type === "scalar") return within(node) && place(node, "value", [], node);
    if (!node.entries) return null;
    const entry = node.entries.find((entry) => within(entry) || (within(entry.value) && entry.value.type !== "none"));
    if (!entry) return null;
    if (node.type === "map" && within(entry)) {
      const present = node.entries.filter((other) => other !== entry).map(({ key }) => String(key));
      return place(entry, "key", present, node, entry);
    }
    path.push(entry.key);
    node = entry.value;
  }

  /** Whether the mark of the cursor is in there. */
  function within({ from, to }) {
    return from <= pos && pos < to;
  }

  function place(token, at, present, parent, entry) {
    const start = token.from;
    const written = text.slice(start, pos);
    const quoted = /^["']/.test(written);
    return {
      path,
      at,
      typed: quoted ? written.slice(1) : written,
      from: start,
      to: real(token.to),
      quoted,
      present,
      colon: at === "key" && entry.colon >= 0,
      block: language === "yaml" && !parent.flow,
      column: start - (text.lastIndexOf("\n", start - 1) + 1),
      root,
    };
  }
}

/** What stands at a position: `{ path, key }`, for help; null in between. */
export function partAt(node, pos) {
  const path = [];
  for (;;) {
    const entry = node.entries?.find(({ from, end, value }) => from <= pos && pos <= Math.max(end, value.to));
    if (!entry) {
      return node.type === "scalar" && node.from <= pos && pos <= node.to && path.length ? { path, from: node.from, to: node.to } : null;
    }
    path.push(entry.key);
    if (node.type === "map" && pos <= entry.to) return { path, from: entry.from, to: entry.to };
    node = entry.value;
  }
}

const JSON_TYPE = { map: "object", list: "array" };

/** The JSON type of a node, as Go's errors call it. */
function jsonType(node) {
  if (node.type !== "scalar") return JSON_TYPE[node.type];
  if (node.quoted) return "string";
  if (/^(true|false)$/.test(node.text)) return "bool";
  return /^-?[\d.]/.test(node.text) ? "number" : "string";
}

/**
 * Where to mark what is said of `path`: `{ from, to, exact }`, the nearest thing that is there. `on` is "key" for the name
 * rather than the value, `type` the JSON type of the value that is meant, where lists on the way are not counted.
 */
export function spot(root, path, { on = "value", type = null, merged = false } = {}) {
  const best = walk({ from: root.from, to: root.from + 1, value: root }, path);
  const { entry, left } = best;
  const value = entry.value;
  const name = { from: entry.from, to: entry.to };
  const exact = left === 0;
  if (exact && on === "value" && value.type === "scalar" && value.to > value.from && !value.literal) {
    return { from: value.from, to: value.to, exact };
  }
  if (typeof entry.key === "number" || entry.key === undefined) {
    // An item is marked by what it begins with: its first name, if that is on the same line.
    const first = value.type === "map" && !value.flow && value.entries[0];
    if (first) return { from: first.from, to: first.to, exact };
    return { from: value.from, to: value.type === "scalar" ? value.to : Math.max(value.from, entry.from) + 1, exact };
  }
  return { ...name, exact };

  function walk(entry, path) {
    if (!path.length) return { entry, left: type && jsonType(entry.value) !== type ? 0.5 : 0 };
    const { value } = entry;
    const [step, ...rest] = path;
    if (value.type === "list" && /^[^=]+=/.test(String(step))) {
      const item = value.entries.find(({ value }) => selects(String(step), value));
      return item ? walk(item, rest) : { entry, left: path.length };
    }
    if (value.type === "list" && !/^\d+$/.test(String(step))) {
      const tries = value.entries.map((item) => walk(item, path));
      return tries.reduce((best, next) => (next.left < best.left ? next : best), { entry, left: path.length });
    }
    // Lists are merged by a key, so that a number is not that of an item here.
    if (value.type === "list" && merged && value.entries.length > 1) return { entry, left: path.length };
    const next = value.entries?.find(({ key }) => String(key) === String(step));
    return next ? walk(next, rest) : { entry, left: path.length };
  }
}

/** Whether an item is the one that is meant by `name="web",protocol="TCP"`. */
const selects = (step, item) =>
  step.split(",").every((pair) => {
    const [, name, value] = /^(.*?)=(.*)$/.exec(pair) ?? [];
    return unquote(value ?? "") === said(item, name);
  });

/**
 * The path within a JSON Patch that writes what is said of `path` in the object: the operation that goes there, and the rest
 * of the way within its value.
 */
export function inPatch(root, path) {
  let best = { path: [], fit: -1 };
  for (const { key, value } of root.entries ?? []) {
    const steps = pointer(said(value, "path"));
    const common = steps.findIndex((step, at) => step !== "-" && step !== String(path[at] ?? step));
    if (common >= 0) continue;
    if (steps.length > best.fit) best = { path: [key, "value", ...path.slice(steps.length)], fit: steps.length };
  }
  return best.path;
}

/** The steps of a JSON pointer. */
export const pointer = (text) =>
  text.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
