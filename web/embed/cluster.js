// The cluster of a page: the examples that it was begun with, and their turns.
import { all } from "./blocks.js";
import { ask, hear, look } from "./engine.js";

/** The tag by which this script is loaded: its attributes are for all of the page. */
export const settings = [...document.querySelectorAll("script[src]")].find((script) => script.src === import.meta.url)?.dataset ?? {};

/** The blocks that the cluster was begun with. */
let opened = [];
let begun;
/** Counts the clusters: what is still under way in another one counts no more. */
let number = 0;
let turn = Promise.resolve();
const observers = new Set();
/** Those who show a watch, and what has come of watches that nobody shows yet, by the number of the stream. */
const followers = new Map();
const came = new Map();
/** The most frames that wait for somebody to show them. */
const MOST = 1000;

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
  const elements = document.querySelectorAll("kube-http[scene], kube-watch[scene], kube-timeline[scene]");
  const named = [settings.scene, ...[...elements].map((element) => element.getAttribute("scene"))];
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
  // The watches of the cluster before have had the numbers that those of this one will have.
  came.clear();
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
  look();
  if (isAnother()) begun = undefined;
  if (!begun) {
    another();
    const own = begin();
    begun = own;
    own.catch(() => {
      if (begun === own) begun = undefined;
    });
  }
  return begun;
}

/** What came of the cluster before is gone. */
function another() {
  number += 1;
  followers.clear();
  came.clear();
  tell({ begins: true });
}

/** Returns whether there is a cluster, or will be. */
export const hasBegun = () => begun !== undefined;

/** Runs the example of an element; `written` is what somebody has made of it. Resolves to nothing if another cluster began meanwhile. */
export function run(element, written) {
  return inTurn(async () => {
    const begins = ready();
    const cluster = number;
    try {
      const told = await begins;
      if (cluster !== number) return null;
      const at = opened.findIndex((one) => one.element === element || one.pre === element.of);
      // A page may have written something else into a block.
      const known = written === undefined && opened[at]?.text === element.written ? told[at] : undefined;
      if (known?.why) throw new Error(known.why);
      const what = known?.runs ? { do: "run", number: at } : { do: "write", text: written ?? element.written };
      const outcome = await ask(what);
      return cluster === number ? outcome : null;
    } catch (error) {
      if (cluster !== number) return null;
      throw error;
    }
  });
}

/** Begins anew: what came before is forgotten everywhere in the page. */
export function startOver() {
  begun = undefined;
  turn = Promise.resolve();
  another();
}

/** Shows a watch: `take` is given what has come of it, and what comes. Returns what ends that. */
export function follow(stream, take) {
  followers.set(stream, take);
  const before = came.get(stream) ?? [];
  came.delete(stream);
  before.forEach(take);
  return () => {
    if (followers.get(stream) === take) followers.delete(stream);
  };
}

/** Closes a watch. */
export function close(stream) {
  ask({ do: "close", stream }).catch(() => {});
}

function tell(what) {
  observers.forEach((observer) => observer(what));
}

hear((told) => {
  if (told.lost) {
    begun = undefined;
    another();
  } else if (told.stream === undefined) {
    tell(told);
  } else if (followers.has(told.stream)) {
    followers.get(told.stream)(told);
  } else {
    // It is told before the outcome of the example that has opened it.
    const frames = came.get(told.stream) ?? [];
    if (frames.length < MOST) frames.push(told);
    came.set(told.stream, frames);
  }
});

/** Hears what happens in the cluster, and that another one begins. Returns what ends that. */
export function observe(observer) {
  observers.add(observer);
  return () => observers.delete(observer);
}
