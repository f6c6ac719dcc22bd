// Completion: names and values that may stand where somebody writes.
import { pickedCompletion, startCompletion } from "@codemirror/autocomplete";
import { EditorSelection } from "@codemirror/state";

import { card } from "./about.js";
import { valuesOf } from "./help.js";
import { placeAt } from "./outline.js";
import { context } from "./outlined.js";

/** What is put behind a name, by what its value begins with. */
const SKELETON = { "{": "{}", "[": "[]", '"': '""', "": "" };

/** A source of completions, for which `ask` is asked. */
export const complete = (kind, ask) => async ({ state, pos, explicit }) => {
  const place = placeAt(state.doc.toString(), pos, kind.language);
  if (!place) return null;
  const { at, path, typed, quoted, block } = place;
  if (!explicit && !typed && !quoted) return null;
  // A block begins below the name that it belongs to.
  const beside = block && at === "value" && /:\s*$/.test(state.doc.lineAt(place.from).text.slice(0, place.from - state.doc.lineAt(place.from).from));
  const question = { path: path.map(String), typed, at: block && at === "value" && !beside ? "block" : at, present: place.present, ...context(place.root, kind, path) };
  const { keys, options, values } = JSON.parse(ask(JSON.stringify(question)));
  const named = values?.length ? await valuesOf(values) : [];
  const known = new Set(options.map(({ label }) => label));
  const all = [...options, ...named.filter((label) => !known.has(label)).map((label) => ({ label, text: true, insert: '"' }))];
  if (!all.length) return null;
  return {
    from: place.from + (quoted ? 1 : 0),
    to: quoted ? Math.max(pos, place.to - (/["']$/.test(state.sliceDoc(place.from + 1, place.to)) ? 1 : 0)) : Math.max(pos, place.to),
    options: all.map((option, index) => ({
      label: option.label,
      detail: option.detail,
      // They are in order already.
      boost: 99 - Math.min(index, 198),
      info: option.help ? () => card({ title: option.label, type: option.detail, facts: option.facts, help: option.help, values: option.values }) : undefined,
      apply: (view, completion) => (keys ? putName : putValue)(view, completion, option, place, kind.language),
    })),
  };
};

/** Puts a name in, and what its value begins with. */
function putName(view, completion, option, place, language) {
  const { state } = view;
  const { head } = state.selection.main;
  const to = Math.max(head, place.to);
  let before = "";
  let text;
  let back = 0;
  if (language === "yaml" && place.block) {
    const indent = " ".repeat(place.column);
    const name = plain(option.label, "yaml");
    const below = { "{": `\n${indent}  `, "[": `\n${indent}- ` }[option.insert] ?? " ";
    text = place.colon ? name : `${name}:${below}`;
  } else {
    const name = JSON.stringify(option.label);
    const value = SKELETON[option.insert] ?? "";
    text = place.colon ? name : `${name}: ${value}`;
    if (!place.colon) {
      back = value.length / 2;
      const after = /^\s*(\S?)/.exec(state.sliceDoc(to, to + 200))[1];
      if (after && !",}]".includes(after)) {
        text += ",";
        back += 1;
      }
      const behind = state.sliceDoc(Math.max(0, place.from - 200), place.from).trimEnd();
      if (behind && !/[{,]$/.test(behind)) before = ",";
    }
  }
  const changes = [{ from: place.from, to, insert: text }];
  if (before) {
    const end = state.sliceDoc(0, place.from).trimEnd().length;
    changes.unshift({ from: end, insert: before });
  }
  const cursor = place.from + before.length + text.length - back;
  view.dispatch({
    changes,
    selection: EditorSelection.cursor(cursor),
    userEvent: "input.complete",
    annotations: pickedCompletion.of(completion),
    scrollIntoView: true,
  });
  if (!place.colon) startCompletion(view);
}

/** Puts a value in. */
function putValue(view, completion, option, place, language) {
  const to = Math.max(view.state.selection.main.head, place.to);
  const text = option.text ? plain(option.label, language) : option.label;
  const insert = place.quoted && option.text ? JSON.stringify(option.label) : text;
  view.dispatch({
    changes: { from: place.from, to, insert },
    selection: EditorSelection.cursor(place.from + insert.length),
    userEvent: "input.complete",
    annotations: pickedCompletion.of(completion),
  });
}

/** A text as the language writes it: YAML needs quotation marks only for what would be read as something else. */
function plain(text, language) {
  const safe = /^[A-Za-z$/][\w$./ -]*$/.test(text) && !/^(true|false|yes|no|on|off|y|n|null)$/i.test(text);
  return language === "yaml" && safe ? text : JSON.stringify(text);
}
