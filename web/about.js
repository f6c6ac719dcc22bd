// What there is to say of a field: to who points at it, and to who presses F1 at it.
import { StateEffect, StateField } from "@codemirror/state";
import { closeHoverTooltips, EditorView, hoverTooltip, showTooltip } from "@codemirror/view";

import { describe, valuesOf } from "./help.js";
import { partAt } from "./outline.js";
import { context, outlined } from "./outlined.js";

/** What a field is, as an element. `said` is `{ title, type, facts, help: [type, field], values }`. */
export function card({ title, type, facts = [], help, values = [] }) {
  const dom = document.createElement("div");
  dom.className = "about";
  const made = (name, text, more) => Object.assign(document.createElement(name), { textContent: text, ...more });
  const add = (name, text, more) => {
    const element = made(name, text, more);
    dom.append(element);
    return element;
  };
  // Names, values and Kubernetes' own descriptions are the same in each language of the page.
  const own = { translate: false };
  const heading = add("h4", "");
  heading.append(made("b", title, own));
  if (type) heading.append(" ", made("span", type));
  const each = facts.flatMap((fact, at) => (at ? [" · ", made("span", fact)] : [made("span", fact)]));
  if (facts.length) add("p", "", { className: "facts" }).append(...each);
  const words = add("p", "", own);
  if (help) {
    Promise.all([describe(...help), valuesOf(values)]).then(([text, values]) => {
      words.textContent = text;
      if (values.length) add("p", values.join(" · "), { className: "facts", ...own });
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
    view.dispatch({ effects: [closeHoverTooltips, showHelp.of(ask(view, view.state.selection.main.head))] });
    return true;
  };
  const leave = (event, view) => {
    const shown = event.key === "Escape" && view.state.field(pinned);
    if (shown) view.dispatch({ effects: showHelp.of(null) });
    return Boolean(shown);
  };
  return { extensions: [pinned, hoverTooltip((view, pos) => (view.state.field(pinned) ? null : ask(view, pos)), { hoverTime: 350 }), EditorView.domEventHandlers({ keydown: leave })], help };
}
