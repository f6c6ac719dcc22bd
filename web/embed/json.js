// Text with colours: JSON and YAML as they are read.
import { make } from "./dom.js";

/** The most characters that get colours. */
const LONGEST = 60_000;

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false|null)\b/g;

/** Returns JSON over several lines, and anything else as it is. */
export function indented(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Fills an element with a text in which the tokens of JSON have colours. */
export function coloured(element, text) {
  if (text.length > LONGEST || !/^\s*[[{]/.test(text)) {
    element.textContent = text;
    return element;
  }
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    const kind = quoted ? (colon ? "key" : "text") : /^[tfn]/.test(whole) ? "word" : "number";
    element.append(text.slice(at, match.index), make("span", { class: kind }, quoted ?? whole), colon ?? "");
    at = match.index + whole.length;
  }
  element.append(text.slice(at));
  return element;
}
