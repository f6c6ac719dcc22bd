// The editor of the request's body. The page imports it when somebody first goes to the body, and tells it what to do;
// what a body may consist of, the page knows and this script asks.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, codeFolding, foldAll, foldGutter, foldKeymap, foldedRanges, indentOnInput, indentUnit, unfoldAll } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { Annotation, Compartment, EditorSelection, EditorState, Prec } from "@codemirror/state";
import { closeHoverTooltips, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";

import { about } from "./about.js";
import { complete } from "./complete.js";
import { format } from "./format.js";
import { look } from "./look.js";
import { mark, marks } from "./marks.js";
import { outlined } from "./outlined.js";

/** What the page itself put in, and need not be told of. */
const fromPage = Annotation.define();

const LANGUAGES = { json, yaml };

/**
 * Puts a text in the place of what is selected. Left to itself, a browser takes the style of what goes for the style of what
 * comes, and writes that down in an attribute, which the page does not allow.
 */
function replaceSelected(event, view) {
  if (event.inputType !== "insertText" || !event.data || view.composing) return false;
  // What is selected may have changed since the editor was last told; an event says nothing of that in a shadow root.
  const selected = view.root.getSelection?.();
  let { from, to } = view.state.selection.main;
  if (selected?.anchorNode && view.contentDOM.contains(selected.anchorNode) && view.contentDOM.contains(selected.focusNode)) {
    const ends = [
      view.posAtDOM(selected.anchorNode, selected.anchorOffset),
      view.posAtDOM(selected.focusNode, selected.focusOffset),
    ];
    [from, to] = [Math.min(...ends), Math.max(...ends)];
  }
  if (from === to) return false;
  const insert = () =>
    view.state.update({
      changes: { from, to, insert: event.data },
      selection: EditorSelection.cursor(from + event.data.length),
      userEvent: event.data.length > 1 ? "input" : "input.type",
      scrollIntoView: true,
    });
  const handled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, event.data, insert));
  if (!handled) view.dispatch(insert());
  return true;
}

/** Keys that mean something else in the page. */
const TAKEN = new Set(["Mod-Enter", "Shift-Mod-k"]);

/**
 * Puts an editor into `parent`, which becomes the host of a shadow root: styles of scripts are allowed there.
 *
 * `options`: `doc`, `language` ("json" or "yaml"), `patch` ("", "json", "merge", "strategic", "apply"), `label`, `hint` (how to
 * leave), `anchor` and `head` of the selection, `focus`; `complete(question)` and `hover(question)` answer in JSON;
 * `onChange(text)`, `onFold(folded)`.
 */
export function create(parent, options) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const hint = document.createElement("span");
  hint.className = "hint";
  hint.id = "hint";
  hint.textContent = options.hint;
  const kind = { language: options.language, patch: options.patch };
  const fields = about(kind, options.hover);
  const language = new Compartment();
  const invalid = new Compartment();
  const invalidity = (is) => EditorView.contentAttributes.of({ "aria-invalid": String(is) });
  // Whether Tab goes to what comes next in the page: until something is written, and again after Escape.
  let leaving = true;
  const tab = (indent) => (view) => !leaving && indent(view);

  const state = EditorState.create({
    doc: options.doc,
    selection: EditorSelection.single(
      Math.min(options.anchor ?? 0, options.doc.length),
      Math.min(options.head ?? 0, options.doc.length),
    ),
    extensions: [
      // A body has the line ends that it has.
      EditorState.lineSeparator.of("\n"),
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => true }, { key: "F1", run: fields.help }])),
      lineNumbers(),
      foldGutter({ openText: "▾", closedText: "▸" }),
      codeFolding({ placeholderText: "…" }),
      highlightSpecialChars(),
      history(),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      autocompletion({ override: [complete(kind, options.complete)], icons: false, closeOnBlur: true }),
      fields.extensions,
      marks,
      keymap.of([
        { key: "Tab", run: acceptCompletion },
        { key: "Tab", run: tab(indentMore), shift: tab(indentLess) },
        ...[...closeBracketsKeymap, ...completionKeymap, ...foldKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap].filter(
          ({ key }) => !TAKEN.has(key),
        ),
      ]),
      EditorView.domEventHandlers({
        focus: () => void (leaving = true),
        pointerdown: () => void (leaving = false),
        beforeinput: replaceSelected,
        keydown(event, view) {
          if (event.key !== "Escape") return false;
          leaving = true;
          view.dispatch({ effects: closeHoverTooltips });
          return false;
        },
      }),
      EditorView.contentAttributes.of({ "aria-label": options.label, "aria-describedby": hint.id, autocapitalize: "off", tabindex: "0" }),
      invalid.of(invalidity(false)),
      language.of(LANGUAGES[kind.language]()),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(fromPage))) {
          leaving = false;
          options.onChange(update.state.doc.toString());
        }
        const folds = (state) => foldedRanges(state).size > 0;
        if (folds(update.startState) !== folds(update.state)) options.onFold(folds(update.state));
      }),
      look,
    ],
  });
  const view = new EditorView({ state, root, parent: root });
  view.dom.append(hint);
  // Whoever asks a text field for these gets the same answer here.
  for (const [name, end] of [["selectionStart", "from"], ["selectionEnd", "to"]]) {
    Object.defineProperty(view.contentDOM, name, { get: () => view.state.selection.main[end] });
  }
  if (options.focus) view.focus();

  return {
    /** Puts another text in; what was there can be got back by undoing. */
    setDoc(doc) {
      if (doc === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc }, annotations: fromPage.of(true) });
    },
    /** Another language, or another kind of patch. */
    setLanguage(name, patch) {
      kind.patch = patch;
      if (name === kind.language) return;
      kind.language = name;
      view.dispatch({ effects: language.reconfigure(LANGUAGES[name]()) });
    },
    /** Marks what is wrong; tells where that is, in the order of the text. */
    setDiagnostics(problems) {
      const found = mark(view, kind, JSON.parse(problems));
      view.dispatch({ effects: invalid.reconfigure(invalidity(found.some(({ severity }) => severity === "error"))) });
      return JSON.stringify(found);
    },
    /** What is said of the text to who does not see it, before the hint. */
    describe(text) {
      hint.textContent = [text, options.hint].filter(Boolean).join(" ");
    },
    /** Goes to what a problem is about. */
    go(problem) {
      const [{ from, to }] = outlined(view.state, kind).spots([JSON.parse(problem)]);
      view.focus();
      view.dispatch({ selection: EditorSelection.single(from, to), effects: EditorView.scrollIntoView(from, { y: "center" }) });
    },
    /** Brings JSON into the usual form. */
    format() {
      const doc = view.state.doc.toString();
      const tidy = format(doc);
      if (tidy !== doc) view.dispatch({ changes: { from: 0, to: doc.length, insert: tidy }, userEvent: "input.format" });
      view.focus();
    },
    /** Folds everything below the first level, or unfolds it. */
    fold(all) {
      (all ? foldAll : unfoldAll)(view);
    },
    complete: () => void startCompletion(view),
    focus: () => view.focus(),
    destroy() {
      view.destroy();
    },
  };
}

export { explain } from "./help.js";
