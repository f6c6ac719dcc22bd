// What there is to say of a field: to who points at it, and to who presses F1 at it.
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, showTooltip } from "@codemirror/view";

import { describe, valuesOf } from "./help.js";
import { partAt } from "./outline.js";
import { context, outlined } from "./outlined.js";

/** What a field is, as an element. `said` is `{ title, type, facts, help: [type, field], values }`. */
export function card({ title, type, facts = [], help, values = [] }) {
  const dom = document.createElement("div");
  dom.className = "about";
  const add = (name, text, className) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (className) element.className = className;
    dom.append(element);
    return element;
  };
  const heading = add("h4", title);
  if (type) heading.append(" ", Object.assign(document.createElement("span"), { textContent: type }));
  if (facts.length) add("p", facts.join(" · "), "facts");
  const words = add("p", "");
  if (help) {
    Promise.all([describe(...help), valuesOf(values)]).then(([text, values]) => {
      words.textContent = text;
      if (values.length) add("p", values.join(" · "), "facts");
    });
  }
  return dom;
}

const showHelp = StateEffect.define();

/** Help for the field at the cursor, until something else happens. */
const pinned = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(showHelp)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** Help, for which `hover` is asked: `extensions`, and the command that shows it for what is at the cursor. */
export function about(kind, hover) {
  const ask = (view, pos) => {
    const { root } = outlined(view.state, kind);
    const part = partAt(root, pos);
    if (!part) return null;
    const said = JSON.parse(hover(JSON.stringify({ path: part.path.map(String), ...context(root, kind, part.path) })));
    return said && { pos: part.from, end: part.to, above: true, create: () => ({ dom: card(said) }) };
  };
  const help = (view) => {
    view.dispatch({ effects: showHelp.of(ask(view, view.state.selection.main.head)) });
    return true;
  };
  const leave = (event, view) => {
    const shown = event.key === "Escape" && view.state.field(pinned);
    if (shown) view.dispatch({ effects: showHelp.of(null) });
    return Boolean(shown);
  };
  return { extensions: [pinned, hoverTooltip(ask, { hoverTime: 350 }), EditorView.domEventHandlers({ keydown: leave })], help };
}
