// Renders the page as it is before anything has happened, for index.html to carry: `node web/frame.js FOLDER`.
//
// It runs the page's own module in a document without a browser, so that what is painted first is made by the components
// that later take its place. FOLDER has the module; `frame.html` and `frame.css` go there.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Window } from "happy-dom";

const folder = resolve(process.argv[2]);
const window = new Window({ url: "http://localhost/", width: 1280, height: 720 });
const { document } = window;

/** What a browser has and Node has not, or has otherwise. */
function pretend() {
  const classes = /^[A-Z]/;
  for (let source = window; source && source !== Object.prototype; source = Object.getPrototypeOf(source)) {
    for (const name of Object.getOwnPropertyNames(source)) {
      const own = name in globalThis && (classes.test(name) || typeof globalThis[name] === "function");
      if (own && !/^(Event|EventTarget|CustomEvent|MessageEvent|Storage|Navigator)$/.test(name)) continue;
      if (name === "constructor" || name === "globalThis" || window[name] === undefined) continue;
      const value = typeof window[name] === "function" && !classes.test(name) ? window[name].bind(window) : window[name];
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  }
  Object.assign(globalThis, { window: globalThis, self: globalThis });
  globalThis.Window = class {
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  };
  // An engine that is loaded and has not said a word: nothing has happened yet.
  globalThis.Worker = class {
    postMessage() {
      setTimeout(() => this.onmessage({ data: { loaded: 1, total: 1 } }));
    }
    terminate() {}
  };
  globalThis.kubeglass = { place: "tab", start: () => new Worker(), canShare: true };
  globalThis.fetch = async (url) =>
    new Response(readFileSync(fileURLToPath(url)), { headers: { "Content-Type": "application/wasm" } });
}

/** Waits until the page is still: chunks have been loaded, and what they show is there. */
async function still() {
  let before = null;
  for (let turns = 0; turns < 100 && before !== document.body.innerHTML; turns++) {
    before = document.body.innerHTML;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

pretend();
// Scripts beside it are modules to Node too.
writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
const page = await import(pathToFileURL(join(folder, "page.js")));
await page.default({ module_or_path: readFileSync(join(folder, "page_bg.wasm")) });
await still();

const { body } = document;
if (!body.querySelector("main #timeline h2") || !body.querySelector("main #request form, main #request button")) {
  throw new Error(`The page cannot be rendered: ${body.innerHTML.slice(0, 500)}`);
}
// What tells the state of something that is not there yet, and what only helps those who can use the page.
for (const element of body.querySelectorAll(".skip, .unseen[role=status], dialog, script")) element.remove();
for (const element of body.querySelectorAll(".engine, time")) element.textContent = "";
// The log's styles come with its chunk.
for (const element of body.querySelectorAll(".log")) element.remove();
// The page's policy allows no style within it: sizes go to the style sheet.
const styles = [];
for (const element of body.querySelectorAll("[style]")) {
  if (element.localName === "main") styles.push(`#start main {\n  ${element.getAttribute("style")}\n}\n`);
  element.removeAttribute("style");
}
// What was set as a property is to be read as an attribute.
for (const input of body.querySelectorAll("input")) {
  if (input.value) input.setAttribute("value", input.value);
  input.toggleAttribute("checked", input.checked);
}
for (const details of body.querySelectorAll("details")) details.toggleAttribute("open", details.open);
const html = body.innerHTML.replaceAll(/<!--.*?-->/gs, "");
writeFileSync(join(folder, "frame.html"), html);
writeFileSync(join(folder, "frame.css"), styles.join(""));
process.exit(0);
