// `<kube-http>`: a request, a command or a manifest that runs where it stands, and what came of it.
import { observe, run, startOver } from "./cluster.js";
import { hear, ORIGIN } from "./engine.js";
import { make } from "./dom.js";
import { dress, follow } from "./look.js";
import { show } from "./outcome.js";
import { words } from "./words.js";

/** The room between a block and its toolbar, in pixels. */
const NEAR = 3;

/** Returns a text without the indentation that all of its lines have. */
export function dedented(text) {
  const lines = text.replace(/^\s*\n|\s+$/g, "").split("\n");
  const indent = lines.filter((line) => line.trim()).reduce((least, line) => Math.min(least, line.search(/\S/)), Infinity);
  return lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join("\n");
}

export class KubeHttp extends HTMLElement {
  /** The block of the page that it runs; without one it has a text of its own. */
  of = null;
  #watches = [];
  #forget = [];

  connectedCallback() {
    if (this.shadowRoot) {
      this.#listen();
      return;
    }
    this.written ??= dedented(this.textContent);
    const shadow = dress(this);
    this.words = words(this);
    this.run = make("button", { type: "button", class: "primary", part: "run", onclick: () => this.start() }, this.runName());
    this.edit = make("button", { type: "button", "aria-expanded": "false", onclick: () => this.toggle() }, this.words.edit);
    this.over = make("button", { type: "button", class: "plain", hidden: true, onclick: startOver }, this.words.startOver);
    this.said = make("span", { class: "quiet" });
    // For who hears the page: what came, and nothing of how far something is loaded.
    this.heard = make("span", { class: "unseen", role: "status" });
    this.shown = make("div", { class: "shown" });
    const tools = make("div", { class: "tools" }, this.run, this.edit, this.over, this.said, this.heard);
    const name = `${this.words.example}: ${this.written.trim().split("\n", 1)[0]}`;
    this.box = make("section", { "aria-label": name, part: "example", lang: this.words.lang });
    if (!this.of) {
      this.text = make("pre", { class: "request", tabindex: 0, part: "request" }, this.written);
      this.box.append(this.text);
    }
    this.box.append(tools, this.shown);
    shadow.append(this.box);
    if (this.of) this.attach();
    this.#listen();
  }

  disconnectedCallback() {
    this.#watches.splice(0).forEach((watch) => watch.end());
    this.#forget.splice(0).forEach((forget) => forget());
  }

  #listen() {
    this.#forget = [
      follow(this),
      observe((told) => told.begins && this.reset()),
      hear((told) => {
        if (told.total && this.isRunning) {
          const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
          this.said.textContent = this.words.loading(megabytes(told.loaded), megabytes(told.total));
        }
        if (told.stopped && this.shown.childElementCount) this.said.textContent = this.words.stopped(told.stopped);
      }),
    ];
  }

  /** Moves up to the block that it belongs to, whatever the page has between the two, and is as wide. */
  attach() {
    const before = this.previousElementSibling;
    // The margins of what a block has at its end collapse with its own; those in a table do not.
    const table = this.of.closest("table");
    let gap = 0;
    for (let part = before.contains(table) ? table : this.of; before.contains(part); part = part.parentElement) {
      gap = Math.max(gap, Number.parseFloat(getComputedStyle(part).marginBottom) || 0);
    }
    if (gap > NEAR) this.style.marginTop = `${NEAR - gap}px`;
    const { maxWidth, marginLeft, marginRight } = getComputedStyle(before);
    Object.assign(this.style, { maxWidth, marginLeft, marginRight });
  }

  runName() {
    return this.words.run;
  }

  /** Shows the text in a field, to be changed, or as it was. */
  toggle() {
    const edits = !this.field;
    if (edits) {
      this.field = make("textarea", { rows: Math.min(24, this.written.split("\n").length + 1), spellcheck: "false", "aria-label": this.words.editor });
      this.field.value = this.written.trimEnd();
      this.field.addEventListener("keydown", (event) => {
        // Pages have keys of their own: for turning over, for searching.
        event.stopPropagation();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          this.start();
        }
      });
      this.box.prepend(this.field);
      this.field.focus();
    } else {
      this.field.remove();
      this.field = null;
    }
    if (this.text) this.text.hidden = edits;
    this.edit.textContent = edits ? this.words.original : this.words.edit;
    this.edit.setAttribute("aria-expanded", String(edits));
  }

  /** Runs what is written. */
  async start() {
    if (this.isRunning) return;
    const written = this.field?.value;
    this.isRunning = true;
    // Not `disabled`, which would take the focus away.
    this.run.setAttribute("aria-disabled", "true");
    this.run.textContent = this.words.runs;
    this.said.textContent = "";
    this.heard.textContent = "";
    try {
      const outcome = await run(this, written);
      if (outcome) this.take(outcome);
    } catch (error) {
      this.fail(error);
    } finally {
      this.isRunning = false;
      this.run.removeAttribute("aria-disabled");
      this.run.textContent = this.runName();
      this.over.hidden = false;
      this.said.textContent = "";
    }
  }

  take(outcome) {
    this.clear();
    const { shown, watches } = show(outcome, this.words);
    this.#watches = watches;
    this.shown.append(shown);
    this.heard.textContent = shown.querySelector(".line")?.textContent ?? outcome.printed ?? "";
    this.dispatchEvent(new CustomEvent("kubeglass:outcome", { detail: outcome, bubbles: true, composed: true }));
  }

  fail(error) {
    const why =
      error.message === "unreachable" ? this.words.unreachable(ORIGIN) : error.scene ? this.words.noScene(error.scene, error.why) : this.words.failed(error.message);
    this.clear();
    this.shown.append(make("p", { class: "bad", role: "alert" }, why));
  }

  clear() {
    this.#watches.splice(0).forEach((watch) => watch.end());
    this.shown.replaceChildren();
  }

  /** Another cluster begins: what came of the one before is gone. */
  reset() {
    this.#watches = [];
    this.shown.replaceChildren();
    // Whoever has pressed it stays near.
    if (this.shadowRoot.activeElement === this.over) this.run.focus();
    this.over.hidden = true;
  }
}
