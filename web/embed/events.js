// The events of a watch, as they come.
import { close, follow, observe } from "./cluster.js";
import { make } from "./dom.js";
import { coloured, indented } from "./json.js";

/** The most events that are shown: the newest. */
const SHOWN = 200;

export class Events {
  constructor(stream, words) {
    this.words = words;
    this.count = 0;
    this.list = make("ol", { class: "events" });
    this.counted = make("span", { class: "quiet", role: "status" });
    this.stop = make("button", { type: "button", class: "plain", onclick: () => this.end() }, words.stop);
    this.element = make("div", { class: "watch" }, this.list, make("p", { class: "line" }, this.counted, this.stop));
    this.stream = stream;
    this.say();
    const forget = observe((told) => told.begins && this.over());
    const leave = follow(stream, (told) => (told.ended ? this.over() : this.add(told.event)));
    this.forget = () => {
      forget();
      leave();
    };
    if (this.isOver) this.forget();
  }

  /** Adds what came in one frame: an event for each line. */
  add(frame) {
    for (const line of frame.split("\n").filter(Boolean)) {
      this.count += 1;
      this.list.append(row(line));
      if (this.list.childElementCount > SHOWN) this.list.firstChild.remove();
    }
    this.list.scrollTop = this.list.scrollHeight;
    this.say();
  }

  say(ended = false) {
    this.counted.textContent = ended ? `${this.words.events(this.count)}. ${this.words.ended}` : `${this.words.events(this.count)}, ${this.words.open}`;
  }

  /** Closes the watch. */
  end() {
    if (this.isOver) return;
    close(this.stream);
    this.over();
  }

  over() {
    this.isOver = true;
    this.forget?.();
    this.stop.hidden = true;
    this.say(true);
  }
}

function row(line) {
  let event;
  try {
    event = JSON.parse(line);
  } catch {
    return make("li", {}, make("code", {}, line));
  }
  const { type, object } = event ?? {};
  const metadata = object?.metadata ?? {};
  const name = [object?.kind, metadata.name ?? object?.message].filter(Boolean).join(" ");
  const summary = make(
    "summary",
    {},
    make("b", { class: `type ${String(type).toLowerCase()}` }, type),
    make("span", { class: "name" }, name),
    metadata.resourceVersion && make("code", { class: "quiet" }, metadata.resourceVersion),
  );
  const details = make("details", {}, summary);
  // The body of an event is made when somebody looks at it.
  details.addEventListener("toggle", () => {
    if (details.childElementCount < 2) details.append(coloured(make("pre", { class: "body", tabindex: 0 }), indented(line)));
  });
  return make("li", {}, details);
}
