// How the elements look. Their styles are sheets of their own, which no page's policy for styles concerns, and which reach nothing
// outside of them.

import { settings } from "./cluster.js";

const TOKENS = `
:host { display: block; margin: 3px 0 1.2em; }
:host([hidden]) { display: none; }
section { --size: 14px; --tall: 22em; color-scheme: light; }
:host([size="small"]) section { --size: 12.5px; --tall: 14em; }
:host([size="large"]) section { --size: 18px; --tall: 32em; }
section[data-dark] { color-scheme: dark; }
section {
  --panel: light-dark(#ffffff, #1a1d22); --raised: light-dark(#f7f7f5, #22262d); --line: light-dark(#dededa, #31363f);
  --edge: light-dark(#84878e, #7b828d); --text: light-dark(#1b1e24, #e7e9ec); --quiet: light-dark(#595e67, #a3aab4);
  --accent: light-dark(#4044b8, #a9acff); --on-accent: light-dark(#ffffff, #14162e);
  --good: light-dark(#00674b, #52cfa8); --bad: light-dark(#a83f00, #ff9d66);
  --key: light-dark(#3d4490, #b3b8f5); --string: light-dark(#0b5e46, #86d9b5); --number: light-dark(#8f4300, #f3b47c); --word: light-dark(#7a3370, #dba6d4);
  --added: light-dark(#00674b, #3fc79b); --modified: light-dark(#005f96, #6cbcf0); --deleted: light-dark(#a34700, #ff9457); --bookmark: light-dark(#8f3c6b, #e5a3c8);
}
`;

const RULES = `
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
section { border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: var(--text); font: var(--size)/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; text-align: start; text-transform: none; letter-spacing: normal; word-spacing: normal; overflow-wrap: normal; word-break: normal; overflow: hidden; }
pre, code, textarea { font-family: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.93em; }
pre { margin: 0; padding: 0.6em 0.8em; overflow: auto; max-height: var(--tall); white-space: pre; tab-size: 2; }
p, ul, ol { margin: 0; padding: 0; }
.request { background: var(--raised); border-bottom: 1px solid var(--line); }
textarea { display: block; width: 100%; min-height: 5em; padding: 0.6em 0.8em; border: 0; border-bottom: 1px solid var(--line); background: var(--panel); color: inherit; line-height: 1.45; resize: vertical; }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em; padding: 0.4em 0.5em; background: var(--raised); }
button { min-height: 2em; padding: 0.1em 0.8em; border: 1px solid var(--edge); border-radius: 5px; background: var(--panel); color: var(--text); font: inherit; font-size: 0.93em; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
button.plain { border-color: transparent; background: none; color: var(--quiet); }
button:hover:not([aria-disabled="true"]) { border-color: var(--accent); }
button[aria-disabled="true"] { opacity: 0.65; cursor: default; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.quiet, .notes, i { color: var(--quiet); font-style: normal; font-size: 0.93em; }
.tools .quiet { margin-inline-start: auto; }
.outcome > * { border-top: 1px solid var(--line); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.3em 0.8em; padding: 0.45em 0.8em; }
.line code { color: var(--quiet); overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); }
p.bad { padding: 0.5em 0.8em; }
.same { color: var(--good); font-size: 0.93em; } .differs { color: var(--bad); font-size: 0.93em; }
.notes { padding: 0 0.8em 0.4em 2em; }
.body, .printed { border-top: 1px solid var(--line); }
.key { color: var(--key); } .text { color: var(--string); } .number { color: var(--number); } .word { color: var(--word); }
.of-body { position: relative; }
.all { position: absolute; inset-block-start: 0.3em; inset-inline-end: 1.2em; min-height: 1.6em; background: var(--panel); border-color: var(--line); }
.all[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); }
details { border-top: 1px solid var(--line); }
summary { padding: 0.3em 0.8em; color: var(--quiet); font-size: 0.93em; cursor: pointer; }
.differences { width: 100%; border-collapse: collapse; font-size: 0.93em; }
.differences th, .differences td { padding: 0.25em 0.8em; border-top: 1px solid var(--line); text-align: start; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
.differences thead th { color: var(--quiet); }
.events { max-height: var(--tall); overflow: auto; list-style: none; border-top: 1px solid var(--line); }
.events details { border-top: 0; } .events li + li { border-top: 1px solid var(--line); }
.events summary { display: flex; gap: 0.8em; align-items: baseline; color: var(--text); }
.events summary .name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.type { min-width: 6.2em; font-size: 0.88em; }
.added { color: var(--added); } .modified { color: var(--modified); } .deleted { color: var(--deleted); } .bookmark { color: var(--bookmark); } .error { color: var(--bad); }
.lanes { overflow: auto; }
.lanes > p { padding: 0.8em; }
.timeline { border-collapse: collapse; font-size: 0.93em; }
.timeline th { padding: 0.2em 0.6em; color: var(--quiet); font-weight: 400; text-align: start; white-space: nowrap; }
.timeline thead th { max-width: 1.6em; padding: 0.2em 0.1em; font-size: 0.85em; overflow: visible; }
.timeline thead th:first-child { max-width: none; }
.timeline thead th:first-child { padding-inline-start: 0.7em; }
.timeline tbody th { position: sticky; inset-inline-start: 0; max-width: 20em; overflow: hidden; text-overflow: ellipsis; background: var(--panel); border-inline-end: 1px solid var(--line); }
.timeline td { min-width: 1.6em; height: 1.7em; padding: 0; text-align: center; border-top: 1px solid var(--line); }
.of-watch th { color: var(--accent); }
.mark { display: inline-block; width: 0.8em; height: 0.8em; background: currentColor; border-radius: 50%; vertical-align: middle; }
.mark.modified { border-radius: 2px; } .mark.deleted { clip-path: polygon(15% 0, 50% 35%, 85% 0, 100% 15%, 65% 50%, 100% 85%, 85% 100%, 50% 65%, 15% 100%, 0 85%, 35% 50%, 0 15%); border-radius: 0; }
.mark.bookmark { clip-path: polygon(15% 0, 85% 0, 85% 100%, 50% 70%, 15% 100%); border-radius: 0; }
.mark.sent { transform: scale(0.85); }
@media (prefers-reduced-motion: no-preference) { button { transition: border-color 0.1s; } }
@media (forced-colors: active) { .mark { background: CanvasText; forced-color-adjust: none; } }
`;

let sheet;
const dressed = new Set();

/** The attributes that the script's tag has for all elements that have none of their own. */
const GIVEN = ["theme", "size", "language"];

/** Makes the shadow of an element, with its styles. */
export function dress(element) {
  for (const name of GIVEN) {
    if (settings[name] && !element.hasAttribute(name)) element.setAttribute(name, settings[name]);
  }
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(TOKENS + RULES);
    const again = () => dressed.forEach(wear);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    // A ground may take its time to change.
    document.addEventListener("transitionend", ({ propertyName }) => propertyName === "background-color" && again());
    const changes = new MutationObserver(again);
    for (const root of [document.documentElement, document.body]) changes.observe(root, { attributes: true });
  }
  const shadow = element.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheet];
  return shadow;
}

/** Gives an element the colours of the page around it, unless it has a theme of its own, for as long as it is there. Returns what ends that. */
export function follow(element) {
  dressed.add(element);
  wear(element);
  return () => dressed.delete(element);
}

function wear(element) {
  const theme = element.getAttribute("theme");
  const dark = theme === "dark" || (theme !== "light" && isDark(element));
  element.shadowRoot.querySelector("section").toggleAttribute("data-dark", dark);
}

let canvas;

/** Returns red, green, blue and opacity of a colour, from 0 to 255, however it is written. */
function parts(colour) {
  canvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
}

/** Returns whether the ground behind an element is dark: whatever switch a page has for that, it changes the ground. */
function isDark(element) {
  for (let around = element.parentElement; around; around = around.parentElement) {
    const [red, green, blue, opaque] = parts(getComputedStyle(around).backgroundColor);
    if (opaque > 127) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches;
}
