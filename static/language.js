// Translates the page to another language while it is shown. The page's texts are English, and stand in its catalogue; the build puts
// a dictionary of what is shown first into this module (`static/languages/CODE/*.json`), and gives it the name of the language and that
// of the file with the other texts, which comes with the first chunk of the page.
//
// A key of the dictionary is what stands in one text or attribute of the page, from its beginning to its end. Where it has a hole
// (`{name}`, or `{name:number}` for one that holds digits alone), anything may stand, and is put into the translation. Of a text without
// one, the dictionary has the hash. What stands in a hole is looked up itself if it is more than a word, for one word is the name of
// something. White space around a text is kept.
//
// What comes from a cluster or from the user is never looked up: it stands in an element with `translate="no"`, or in one of `LEFT`.
const CODE = "";
const FIRST = {};
const LATER = "";

/** The attributes that hold words. */
const ATTRIBUTES = [
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "data-earlier",
  "data-label",
  "label",
  "placeholder",
  "title",
];
/** The elements with code, and the classes of the page with what comes from a cluster: what stands in them is left as it is. */
const LEFT = [
  "code, kbd, pre, script, style, textarea",
  ".cm-content, .cm-completionLabel, .event-type, .log-body .log-object, .log-word, .message, .mono, .name:not(.quiet), .rows tbody, .status",
].join();
/** The most texts whose translations are remembered. */
const MOST = 4096;

/** The most characters of a text that is looked up. None of the page's own is as long. */
const LONGEST = 1000;

/** A hole in a key, and in a translation. */
const HOLE = /\{(\w+)(:number)?\}/;
const HOLES = new RegExp(HOLE, "g");

/** The places between sentences. Chinese has no space there. */
const SENTENCES = /(?<=[.?!]) (?=[A-Z])/;

/** The translations of texts without a hole, by the hashes of those. */
const whole = new Map();
/** Those with one, in the order in which they are tried: those that say most come first. */
const templates = [];

/** Adds the texts of a dictionary. */
function add(dictionary) {
  for (const [key, translation] of Object.entries(dictionary)) {
    if (HOLE.test(key)) templates.push(template(key, translation));
    else whole.set(key, translation);
  }
  templates.sort((a, b) => b.literal - a.literal);
}

function template(key, translation) {
  const [names, parts, literal] = [[], [], key.split(HOLES).filter((_, at) => at % 3 === 0)];
  for (const [, name, number] of key.matchAll(HOLES)) {
    names.push(name);
    parts.push(number ? "([\\d.,]+)" : "(.+?)");
  }
  const escaped = literal.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = escaped.map((text, at) => text + (parts[at] ?? "")).join("");
  const [begins, ends] = [literal[0], key.endsWith(".")];
  return { begins, ends, literal: literal.join("").length, names, pattern: new RegExp(`^${pattern}$`, "s"), translation };
}

/** Returns the hash of a text (FNV-1a of its UTF-16), as the keys of a dictionary have it. */
function hash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

const remembered = new Map();
add(FIRST);

/** Returns the translation of a text; the text itself if there is none. */
export function translated(text) {
  let found = remembered.get(text);
  if (found === undefined) {
    found = (text.length <= LONGEST && whole.get(hash(text))) || look(text);
    if (remembered.size >= MOST) remembered.clear();
    remembered.set(text, found);
  }
  return found;
}

/** Looks a text up that is no key: without the space around it, by its sentences, or by a template. */
function look(text) {
  const inner = text.trim();
  if (inner.length > LONGEST || !/[A-Za-z]/.test(inner)) return text;
  if (inner !== text) return text.replace(inner, () => translated(inner));
  const sentences = inner.split(SENTENCES);
  const others = sentences.length > 1 ? sentences.map(translated) : [];
  if (others.length && others.every((other, at) => other !== sentences[at])) return others.join("");
  return fitting(text, ({ ends }) => ends === text.endsWith(".")) ?? withoutEnd(text) ?? fitting(text, () => true) ?? text;
}

/** Returns the translation of a text by the first template that fits it, among some of them. */
function fitting(text, isMeant) {
  for (const template of templates) {
    const match = isMeant(template) && text.startsWith(template.begins) && template.pattern.exec(text);
    if (match) {
      const holes = new Map(template.names.map((name, at) => [name, filled(match[at + 1])]));
      return template.translation.replace(HOLES, (hole, name) => holes.get(name) ?? hole);
    }
  }
  return undefined;
}

/** Returns the translation of a sentence whose key has no end, for it stands alone elsewhere. */
function withoutEnd(text) {
  const sentence = text.replace(/\.$/, "");
  const other = sentence !== text && translated(sentence);
  return other && other !== sentence ? `${other}。` : undefined;
}

/** Returns what stands in a hole of the translation, for what stands in that of the text. */
function filled(text) {
  return text.includes(" ") ? translated(text) : text;
}

/** What stood in a text, or in the attributes of an element, and what stands there instead. */
const shown = new WeakMap();

/** Puts a translation in the place of a text. `read` and `write` reach that place, which is the `name` of a node. */
function put(node, name, read, write) {
  const text = read();
  if (!text) return;
  const places = shown.get(node) ?? {};
  if (places[name]?.translation === text) return;
  const translation = translated(text);
  if (translation === text) {
    delete places[name];
    return;
  }
  places[name] = { text, translation };
  shown.set(node, places);
  write(translation);
}

/** Translates a text. */
function showText(node) {
  const parent = node.parentElement;
  if (!parent || isLeft(parent)) return;
  if (parent.localName === "option") {
    // One whose value is its text is a name of something in the cluster; one without a value has its text for one.
    if (parent.getAttribute("value") === node.data) return;
    if (!parent.hasAttribute("value")) parent.value = node.data;
  }
  put(node, "", () => node.data, (translation) => (node.data = translation));
}

/** Translates an attribute. */
function showAttribute(element, name) {
  if (!element.translate || (element.parentElement && isLeft(element.parentElement))) return;
  put(element, name, () => element.getAttribute(name), (translation) => element.setAttribute(name, translation));
}

/** The functions of a canvas that are given words. */
const DRAWN = ["fillText", "measureText"];
const drawing = CanvasRenderingContext2D.prototype;
const undrawn = Object.fromEntries(DRAWN.map((name) => [name, drawing[name]]));

/** Returns whether what an element holds is nothing for the dictionary. Words of the page within code say so. */
function isLeft(element) {
  return !element.translate || (element.closest(`[translate=yes], ${LEFT}`)?.matches(LEFT) ?? false);
}

/** Calls a function for each text in a node, and another one for each attribute that holds words. */
function each(node, onText, onAttribute) {
  if (node.nodeType === Node.TEXT_NODE) return onText(node);
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let at = node; at; at = walker.nextNode()) {
    if (at.nodeType === Node.TEXT_NODE) onText(at);
    else for (const name of ATTRIBUTES) if (at.hasAttribute(name)) onAttribute(at, name);
  }
  return undefined;
}

const observer = new MutationObserver((records) => {
  for (const { addedNodes, attributeName, target, type } of records) {
    if (type === "attributes") showAttribute(target, attributeName);
    else if (type === "characterData") showText(target);
    else for (const node of addedNodes) each(node, showText, showAttribute);
  }
});

/** Translates what is shown, and what will be. */
export function start() {
  const root = document.documentElement;
  root.lang = CODE;
  each(root, showText, showAttribute);
  for (const name of DRAWN) {
    drawing[name] = function draw(text, ...place) {
      return undrawn[name].call(this, translated(text), ...place);
    };
  }
  observer.observe(root, {
    attributeFilter: ATTRIBUTES,
    characterData: true,
    childList: true,
    subtree: true,
  });
}

/** Returns whether the page is translated. */
export function isOn() {
  return document.documentElement.lang === CODE;
}

/** Puts the text of the page back into a place, unless another one has come there meanwhile. */
function back(node, name, read, write) {
  const place = shown.get(node)?.[name];
  if (place?.translation === read()) write(place.text);
}

/** Puts the texts of the page back. */
function restore() {
  each(
    document.documentElement,
    (node) => back(node, "", () => node.data, (text) => (node.data = text)),
    (element, name) => back(element, name, () => element.getAttribute(name), (text) => element.setAttribute(name, text)),
  );
}

/** The other texts: a promise that they are there. */
let others;

/** Loads the texts of what is loaded later, unless they are there. After a failure the next one who asks tries again. */
export function more() {
  others ??= load().catch((error) => {
    others = undefined;
    throw error;
  });
  return others;
}

async function load() {
  const response = await fetch(new URL(LATER, import.meta.url));
  if (!response.ok) throw new TypeError(`${LATER} cannot be loaded (${response.status})`);
  add(await response.json());
  remembered.clear();
  if (!isOn()) return;
  // What was translated in part, or by another template, is translated anew.
  restore();
  each(document.documentElement, showText, showAttribute);
}

/** Shows the page's own texts. */
export function stop() {
  observer.disconnect();
  Object.assign(drawing, undrawn);
  document.documentElement.lang = "en";
  restore();
}
