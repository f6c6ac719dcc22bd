// What is wrong with the body, marked where it is: underlined, at its line's number, and told to who points there.
import { setDiagnostics } from "@codemirror/lint";
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, WidgetType, gutterLineClass } from "@codemirror/view";

import { outlined } from "./outlined.js";

const setMarks = StateEffect.define();

class LineMark extends GutterMarker {
  constructor(elementClass) {
    super();
    this.elementClass = elementClass;
  }
}

const WRONG = new LineMark("wrong");
const DOUBTFUL = new LineMark("doubtful");

/** Where there is no character to mark, a space stands for it, which is not in the text. */
class Missing extends WidgetType {
  toDOM() {
    const space = document.createElement("mark");
    space.textContent = " ";
    return space;
  }
}

const broken = Decoration.mark({ tagName: "mark" });
const missing = Decoration.widget({ widget: new Missing(), side: 1 });

const field = StateField.define({
  create: () => ({ lines: RangeSet.empty, breaks: Decoration.none }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    if (!transaction.docChanged) return value;
    return { lines: value.lines.map(transaction.changes), breaks: value.breaks.map(transaction.changes) };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ breaks }) => breaks),
    gutterLineClass.from(field, ({ lines }) => lines),
  ],
});

export const marks = field;

/** Marks `problems`; gives them with the places that they have, in the order of the text. */
export function mark(view, kind, problems) {
  const { doc } = view.state;
  const spots = outlined(view.state, kind).spots(problems);
  const found = problems.map((problem, at) => {
    const { from, to, exact } = spots[at];
    const line = doc.lineAt(from);
    return { ...problem, from, to, exact, line: line.number, column: from - line.from + 1 };
  });
  found.sort((one, other) => one.from - other.from);
  const lines = new Map();
  for (const { from, severity } of found) {
    const start = doc.lineAt(from).from;
    if (severity === "error" || !lines.has(start)) lines.set(start, severity === "error" ? WRONG : DOUBTFUL);
  }
  const breaks = found
    .filter(({ offset }) => offset !== undefined)
    .map(({ from, to }) => (to > from && doc.sliceString(from, to) !== "\n" ? broken.range(from, to) : missing.range(from)));
  const spec = setDiagnostics(
    view.state,
    found.filter(({ offset }) => offset === undefined).map(({ from, to, severity, message, source }) => ({ from, to, severity, message, source })),
  );
  const effects = [spec.effects].flat();
  view.dispatch({
    effects: [
      ...effects,
      setMarks.of({
        lines: RangeSet.of([...lines].map(([from, marker]) => marker.range(from)), true),
        breaks: Decoration.set(breaks, true),
      }),
    ],
  });
  return found.map(({ from, line, column, message, severity }) => ({ from, line, column, message, severity }));
}
