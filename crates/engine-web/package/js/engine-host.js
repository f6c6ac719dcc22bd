// An engine in this thread: calls go straight into WebAssembly, and what it tells is delivered at once.
const NODE = typeof process !== "undefined" && process.versions?.node;
/** How often progress is made, at most, until nothing more is to be done at once; after how many times others have their turn. */
const [MOST_TURNS, TURNS] = [100_000, 256];
/** How long time may stand still while something waits for it, in milliseconds. */
const BEAT = 25;

/** What is missing where this cannot run, in a sentence; nothing where it can. */
function missing() {
  if (typeof WebAssembly !== "object") return "WebAssembly";
  if (typeof fetch !== "function" || typeof Response !== "function") return "fetch and Response (Node 20 or newer)";
  if (typeof ReadableStream !== "function") return "ReadableStream";
  // Reference types, which the module needs: (module (table 0 externref)).
  const externref = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 4, 4, 1, 111, 0, 0]);
  if (!WebAssembly.validate(externref)) return "WebAssembly's reference types";
}

let module = null;

/** Compiles the module, once. */
async function load() {
  const lacks = missing();
  if (lacks) throw new Error(`@kubeglass/engine cannot run here: there is no ${lacks}`);
  const script = await import("./engine.js");
  const url = new URL("./engine_bg.wasm", import.meta.url);
  let source = url;
  if (NODE && url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    source = await readFile(url);
  }
  await script.default({ module_or_path: source });
  return script;
}

/** Starts an engine. `deliver` takes what it tells: messages in a flat array. */
export async function start({ now, seed, firstRevision }, deliver) {
  module ??= load();
  const { PackageEngine } = await module.catch((error) => {
    module = null;
    throw error;
  });
  return new EngineHost(new PackageEngine(now, BigInt(seed), BigInt(firstRevision)), deliver);
}

class EngineHost {
  #engine;
  #deliver;
  #timer = null;
  #turn = false;
  /** How many wait for something that only time brings, and whether the trace is wanted. */
  #waiting = 0;
  #traced = false;
  /** Whether controllers work, which want to know of the time. */
  #works = false;
  #broken = null;

  constructor(engine, deliver) {
    this.#engine = engine;
    this.#deliver = deliver;
  }

  /** Calls a function of the engine, and delivers what comes of it. */
  call(name, ...args) {
    if (this.#broken) throw this.#broken;
    try {
      this.#engine[name](...args);
    } catch (error) {
      // A wrong command is told by a string; an engine that has panicked is not to be used again.
      if (typeof error === "string") throw new TypeError(error);
      throw this.#break(error);
    }
    this.#poll();
  }

  now() {
    return this.#engine.now();
  }

  /** Says how many wait for something that time may bring, and whether somebody waits for the trace. */
  wait(waiting, traced) {
    this.#waiting = waiting;
    this.#traced = traced;
    if (traced && !this.#turn) this.#soon();
    this.#beat();
  }

  /** Says whether controllers work. */
  work(works) {
    this.#works = works;
    this.#beat();
  }

  /** Makes progress until there is nothing more to be done at once. */
  async rest() {
    for (let turn = 1; turn < MOST_TURNS && !this.#broken && this.#engine.is_woken(); turn++) {
      this.#poll();
      if (turn % TURNS === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    if (this.#broken) throw this.#broken;
  }

  stop() {
    clearTimeout(this.#timer);
    this.#broken ??= new TypeError("the cluster has been stopped");
    this.#engine.free();
  }

  #poll() {
    if (this.#broken) return;
    try {
      const told = this.#engine.poll(this.#traced);
      if (told) this.#deliver(told);
      if (this.#engine.is_woken() && !this.#turn) this.#soon();
    } catch (error) {
      this.#break(error);
    }
    this.#beat();
  }

  #soon() {
    this.#turn = true;
    const turn = () => {
      this.#turn = false;
      this.#poll();
    };
    if (typeof setImmediate === "function") setImmediate(turn);
    else setTimeout(turn);
  }

  /** Has time elapse while somebody waits for it, or controllers work; a program in which nobody waits can end. */
  #beat() {
    const awaited = this.#waiting > 0 || this.#traced;
    const beats = !this.#broken && (awaited || this.#works);
    if (beats && this.#timer === null) {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#poll();
      }, BEAT);
    }
    if (beats && awaited) this.#timer.ref?.();
    else if (beats) this.#timer.unref?.();
    else if (!beats && this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  #break(error) {
    this.#broken ??= new Error(`the engine has stopped: ${error?.message ?? error}`);
    this.#deliver(["stopped", this.#broken.message]);
    return this.#broken;
  }
}
