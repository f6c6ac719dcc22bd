// The cluster of a page: the examples that it was begun with, and their turns.
import { all } from "./blocks.js";
import { ask, hear } from "./engine.js";

/** The tag by which this script is loaded: its attributes are for all of the page. */
export const settings = [...document.querySelectorAll("script[src]")].find((script) => script.src === import.meta.url)?.dataset ?? {};

/** The blocks that the cluster was begun with. */
let opened = [];
let begun;
/** Counts the clusters: what is still under way in another one counts no more. */
let number = 0;
let turn = Promise.resolve();
const observers = new Set();

/** Reads a scene: a file, or what an element of the page with that id says. */
async function scene(source) {
  if (source.startsWith("#")) {
    const element = document.getElementById(source.slice(1));
    if (!element) throw new Error(`#${source.slice(1)}`);
    return element.textContent;
  }
  const response = await fetch(new URL(source, document.baseURI));
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}

/** Begins with the examples that the page has now. */
async function begin() {
  opened = all();
  const named = [settings.scene, ...opened.map(({ element }) => element.getAttribute?.("scene"))];
  const scenes = [];
  for (const source of new Set(named.filter(Boolean))) {
    scenes.push(
      await scene(source).catch((error) => {
        throw Object.assign(new Error("scene"), { scene: source, why: error.message });
      }),
    );
  }
  const blocks = opened.map(({ text, language, heading, runs, isWhole }) => ({ text, language, heading, runs, isWhole }));
  const told = await ask({ do: "open", blocks, scenes });
  tell({ began: true });
  return told;
}

/** Does something when all that was asked for before is done. */
function inTurn(work) {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

/** The page has other examples than it had: it is another page now. */
const isAnother = () => opened.length > 0 && !opened.some(({ element, pre }) => (pre ?? element).isConnected);

function ready() {
  if (isAnother()) begun = undefined;
  if (!begun) {
    number += 1;
    tell({ begins: true });
    begun = begin();
    begun.catch(() => (begun = undefined));
  }
  return begun;
}

/** Runs the example of an element; `written` is what somebody has made of it. Resolves to nothing if another cluster began meanwhile. */
export function run(element, written) {
  return inTurn(async () => {
    const told = await ready();
    const cluster = number;
    const at = opened.findIndex((one) => one.element === element || one.pre === element.of);
    const known = written === undefined ? told[at] : undefined;
    if (known?.why) throw new Error(known.why);
    const what = known?.runs ? { do: "run", number: at } : { do: "write", text: written ?? element.written };
    const outcome = await ask(what);
    return cluster === number ? outcome : null;
  });
}

/** Begins anew: what came before is forgotten everywhere in the page. */
export function startOver() {
  begun = undefined;
  number += 1;
  turn = Promise.resolve();
  tell({ begins: true });
}

/** Closes a watch. */
export function close(stream) {
  ask({ do: "close", stream }).catch(() => {});
}

function tell(what) {
  observers.forEach((observer) => observer(what));
}

hear(tell);

/** Hears what happens in the cluster, and that another one begins. Returns what ends that. */
export function observe(observer) {
  observers.add(observer);
  return () => observers.delete(observer);
}
