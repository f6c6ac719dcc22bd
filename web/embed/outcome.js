// What came of an example.
import { make } from "./dom.js";
import { Events } from "./events.js";
import { coloured, indented } from "./json.js";

/** What the status codes that an API server sends are called. */
const REASONS = {
  200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
  403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict", 410: "Gone",
  413: "Request Entity Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity", 429: "Too Many Requests",
  500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable", 504: "Gateway Timeout",
};

/** Shows an outcome. Watches in it go on: they are in `watches`, and whoever removes it closes them. */
export function show(outcome, words) {
  const watches = [];
  const shown = make("div", { class: "outcome" });
  // Of a command what it prints comes first, as in a terminal; its requests are behind it.
  const isCommand = outcome.printed !== null;
  if (outcome.printed) shown.append(make("pre", { class: "printed", tabindex: 0 }, outcome.printed));
  shown.append(...outcome.sent.map((sent) => exchange(sent, words, watches, isCommand)));
  shown.append(...differences(outcome.differences, words));
  if (outcome.failed) shown.append(make("p", { class: "bad", role: "alert" }, words.failed(outcome.failed)));
  return { shown, watches };
}

function exchange(sent, words, watches, isCommand) {
  const shown = make("div", { class: "sent" });
  const verdict = sent.differences.length
    ? make("span", { class: "differs" }, words.differs(sent.differences.length))
    : sent.documented && make("span", { class: "same" }, words.same);
  shown.append(
    make(
      "p",
      { class: "line" },
      make("strong", { class: sent.status < 400 ? "good" : "bad" }, `${sent.status} ${REASONS[sent.status] ?? ""}`.trim()),
      make("code", {}, `${sent.method} ${sent.target}`),
      verdict,
    ),
  );
  if (sent.notes.length) shown.append(make("ul", { class: "notes" }, ...sent.notes.map((note) => make("li", {}, note))));
  if (sent.body && sent.notes.length) {
    shown.append(fold(words.sentBody, body(sent.body, words)));
  }
  shown.append(...differences(sent.differences, words));
  if (sent.stream !== null) {
    const events = new Events(sent.stream, words);
    watches.push(events);
    shown.append(events.element);
  } else {
    const bodies = sent.responseBody.filter(Boolean).map((text) => body(text, words));
    if (isCommand) {
      shown.append(fold(words.response, head(sent), ...bodies));
      return shown;
    }
    shown.append(...bodies);
  }
  shown.append(fold(words.headers, head(sent)));
  return shown;
}

function head(sent) {
  return make("pre", { tabindex: 0 }, sent.responseHeaders.map(([name, value]) => `${name}: ${value}`).join("\n"));
}

/** Shows a body. Who owns which field is behind a button: it is longer than the object. */
function body(text, words) {
  const shown = make("pre", { class: "body", tabindex: 0 });
  const short = withoutManagedFields(text);
  if (short === undefined) return coloured(shown, indented(text));
  const show = (text) => {
    shown.replaceChildren();
    coloured(shown, text);
  };
  show(short);
  const all = make(
    "button",
    {
      type: "button",
      class: "plain all",
      "aria-pressed": "false",
      onclick: () => {
        const isAll = all.getAttribute("aria-pressed") !== "true";
        all.setAttribute("aria-pressed", String(isAll));
        show(isAll ? indented(text) : short);
      },
    },
    words.managedFields,
  );
  return make("div", { class: "of-body" }, all, shown);
}

/** Returns JSON with an ellipsis for managed fields, or nothing if there are none. */
function withoutManagedFields(text) {
  if (!text.includes('"managedFields"')) return undefined;
  try {
    const written = JSON.stringify(JSON.parse(text), (key, value) => (key === "managedFields" ? ["…"] : value), 2);
    return written.replace(/("managedFields": )\[\s*"…"\s*\]/g, "$1[…]");
  } catch {
    return undefined;
  }
}

function fold(name, ...content) {
  return make("details", {}, make("summary", {}, name), ...content);
}

function differences(all, words) {
  if (!all.length) return [];
  const cell = (text) => make("td", {}, text ? make("code", {}, text) : make("i", {}, words.nothing));
  const rows = all.flatMap(({ at, documented, came, why }) => [
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, at)), cell(documented), cell(came)),
    ...(why ? [make("tr", {}, make("td", { colspan: 3 }, why))] : []),
  ]);
  const head = [words.place, words.documented, words.came].map((name) => make("th", { scope: "col" }, name));
  return [make("table", { class: "differences" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))];
}
