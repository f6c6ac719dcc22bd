// The outline of what an editor holds, made once for each text.
import { CURSOR, find, inPatch, outline, said, spot } from "./outline.js";

const known = new WeakMap();

/** The outline of `state`, and what is asked of it. */
export function outlined(state, kind) {
  const before = known.get(state.doc);
  if (before?.language === kind.language) return before;
  const text = state.doc.toString();
  const root = outline(text, kind.language);
  const made = {
    language: kind.language,
    root,
    /** The ranges that problems are about. */
    spots: (problems) => problems.map((problem) => range(state.doc, root, kind, problem)),
  };
  known.set(state.doc, made);
  return made;
}

/** What the page has to know of a body to tell which type it is of: of an operation of a JSON Patch, where it leads. */
export function context(root, kind, path) {
  const text = (node, name) => said(node, name).replaceAll(CURSOR, "");
  const about = { kind: text(root, "kind"), apiVersion: text(root, "apiVersion") };
  if (kind.patch === "json") about.pointer = text(find(root, path.slice(0, 1)) ?? root, "path");
  return about;
}

function range(doc, root, kind, problem) {
  if (problem.offset !== undefined) {
    const from = Math.min(problem.offset, doc.length);
    return { from, to: Math.min(from + 1, doc.length), exact: true };
  }
  if (problem.line !== undefined) {
    const line = doc.line(Math.min(Math.max(problem.line, 1), doc.lines));
    const indent = /^\s*/.exec(line.text)[0].length;
    return { from: line.from + Math.min(indent, line.length), to: line.to, exact: true };
  }
  const path = kind.patch === "json" ? inPatch(root, problem.path) : problem.path;
  const merged = kind.patch === "strategic" || kind.patch === "apply";
  const { from, to, exact } = spot(root, path, { on: problem.on, type: problem.type, merged });
  return { from: Math.min(from, doc.length), to: Math.min(Math.max(to, from), doc.length), exact };
}
