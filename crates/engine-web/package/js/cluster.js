// A cluster: requests to its API server, its trace, commands, forks, and manifests.
import { Calls } from "./calls.js";
import { Controllers } from "./controllers.js";
import { apply, LoadError } from "./load.js";
import { response } from "./response.js";

export { LoadError };

const encoder = new TextEncoder();

export class Cluster {
  #calls;
  /** The number of the cluster in its engine: 0, or that of a fork. */
  #number;
  #stopped = false;
  #controllers;
  /** The time of the cluster. */
  clock;

  constructor(calls, number) {
    this.#calls = calls;
    this.#number = number;
    this.clock = {
      advance: async (ms) => {
        const done = await this.command({ advance: { by: milliseconds(ms) } });
        await this.#controllers.settle();
        return done;
      },
      setRate: (rate) => this.command({ setRate: { rate } }),
      now: async () => calls.host.now(),
    };
    this.#controllers = new Controllers(
      (...call) => this.#make(...call),
      (works) => this.#stopped || calls.host.work(works),
      () => this.#stopped || calls.host.rest(),
    );
  }

  /** Starts a cluster. */
  static async start({ now = Date.now(), seed, firstRevision = 0, worker = false, webhook, controllers } = {}) {
    const options = {
      now: milliseconds(now instanceof Date ? now.getTime() : now),
      seed: whole(seed ?? Math.floor(Math.random() * 2 ** 48), "seed"),
      firstRevision: whole(firstRevision, "firstRevision"),
    };
    const { start } = await (worker ? import("./worker-host.js") : import("./engine-host.js"));
    const calls = new Calls();
    calls.by(await start(options, (told) => calls.take(told)));
    if (webhook) calls.callWebhooks(webhook);
    const cluster = new Cluster(calls, 0);
    if (controllers) await cluster.controllers.start(controllers).catch((error) => cluster.stop().then(() => Promise.reject(error)));
    return cluster;
  }

  /** Its controllers, of which none works until some are started. */
  get controllers() {
    if (this.#number !== 0) throw new TypeError("a fork has no controllers");
    return this.#controllers;
  }

  /** Sends a request: as `fetch`, but that the API server is this cluster's, whatever the origin. */
  async fetch(input, init = {}) {
    const isRequest = typeof input === "object" && input !== null && "headers" in input;
    const signal = init.signal ?? (isRequest ? input.signal : undefined);
    signal?.throwIfAborted();
    const method = (init.method ?? (isRequest ? input.method : "GET")).toUpperCase();
    const headers = lines(init.headers ?? (isRequest ? input.headers : undefined));
    const inner = isRequest && init.body === undefined ? input : null;
    const given = simple(init.body, inner);
    const [body, type] = given ?? (await bytes(init.body, inner));
    if (body && (method === "GET" || method === "HEAD")) throw new TypeError("a request with GET or HEAD cannot have a body");
    if (type && !headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "content-type")) headers.push("content-type", type);
    signal?.throwIfAborted();
    const target = path(isRequest ? input.url : input);
    let aborted;
    const args = [this.#number, method, target, headers.join("\n"), body];
    const made = this.#make("request", args, (call) => {
      aborted = () => this.#calls.cancel(call, signal.reason);
      signal?.addEventListener("abort", aborted, { once: true });
    });
    const answer = await made.catch((error) => {
      signal?.removeEventListener("abort", aborted);
      throw error;
    });
    // A stream can still be aborted; what has come whole cannot.
    if (answer.body instanceof Uint8Array) signal?.removeEventListener("abort", aborted);
    return response(answer, method);
  }

  /** Does to the cluster what no request can. */
  async command(command) {
    return this.#make("command", [this.#number, JSON.stringify(command) ?? ""]);
  }

  /** Makes a cluster that begins with what this one had at a revision, the newest one unless it is said which. */
  async fork(revision = Number.MAX_SAFE_INTEGER) {
    const seed = Math.floor(Math.random() * 2 ** 48);
    const { cluster } = await this.command({ fork: { revision: whole(revision, "revision"), seed } });
    return new Cluster(this.#calls, cluster);
  }

  /** Tells what happens, from the beginning of what is kept. */
  async *trace() {
    if (this.#number !== 0) throw new TypeError("a fork has no trace");
    const batches = [];
    let wake = null;
    const subscription = this.#calls.subscribe((batch) => {
      batches.push(batch);
      wake?.();
    });
    try {
      while (true) {
        while (batches.length === 0) {
          const woken = new Promise((resolve) => (wake = resolve));
          subscription.want(true);
          await woken;
          subscription.want(false);
        }
        const batch = batches.shift();
        if (!batch) return;
        const { state, lost, events, number } = batch;
        if (lost.writes || lost.requests > 0 || lost.deliveries > 0) yield { lost };
        if (state) yield { state };
        yield* events;
        subscription.taken(number);
      }
    } finally {
      subscription.end();
    }
  }

  /** Applies manifests in YAML, one after the other. */
  load(yaml, options) {
    return apply(this, yaml, options);
  }

  /** Returns a document in YAML as JSON. An error says what is wrong, in Kubernetes' words. */
  async toJson(yaml) {
    const text = typeof yaml === "string" ? new TextEncoder().encode(yaml) : yaml;
    return JSON.parse(new TextDecoder().decode(await this.#make("to_json", [text])));
  }

  /** Ends the cluster. What is under way fails; a fork is dropped. */
  async stop() {
    if (this.#stopped) return;
    if (this.#number !== 0) {
      await this.command("drop");
      this.#stopped = true;
      return;
    }
    this.#stopped = true;
    this.#calls.stop(new TypeError("the cluster has been stopped"));
    this.#calls.host.stop();
  }

  async #make(...call) {
    if (this.#stopped) throw new TypeError("the cluster has been stopped");
    return this.#calls.make(...call);
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.stop();
  }
}

/** Path and query of a URL, or of what already is one. */
function path(input) {
  const text = String(input);
  if (text.startsWith("/") && !text.startsWith("//") && !text.includes("#")) return encoded(text);
  try {
    const { pathname, search } = new URL(text, "http://localhost/");
    return pathname + search;
  } catch {
    throw new TypeError(`not a URL: ${text}`);
  }
}

/** What a URL does not hold as it is, as `fetch` would send it. */
function encoded(target) {
  if (/^[\x21-\x7e]*$/.test(target) && !/["<>`{}|\\^]/.test(target) && !target.includes("/.")) return target;
  const { pathname, search } = new URL(target, "http://localhost/");
  return pathname + search;
}

/** The name of a header, and a value that is sent as it is. */
const [TOKEN, VALUE] = [/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, /^[!-~](?:[ -~]*[!-~])?$/];

/** Names and values of headers, one after the other. */
function lines(headers) {
  if (!headers) return [];
  const found = [];
  // An object whose names and values are sent as they are needs no `Headers`, which take as long as a get.
  const plain = Object.getPrototypeOf(headers) === Object.prototype ? Object.entries(headers) : [];
  const once = plain.length === 1 || new Set(plain.map(([name]) => name.toLowerCase())).size === plain.length;
  if (plain.length > 0 && once && plain.every(([name, value]) => TOKEN.test(name) && VALUE.test(value))) return plain.flat();
  const entries = headers instanceof Headers || Array.isArray(headers) ? headers : new Headers(headers);
  for (const [name, value] of entries) {
    if (/[\r\n\0]/.test(name + value)) throw new TypeError(`not a header: ${name}`);
    found.push(name, value);
  }
  return found;
}

/** The bytes of a body that are there at once, and the media type that the platform gives it; `undefined` if they are to be read. */
function simple(body, request) {
  if (request) return request.body ? undefined : [undefined, null];
  if (body === null || body === undefined) return [undefined, null];
  if (typeof body === "string") return [encoder.encode(body), "text/plain;charset=UTF-8"];
  if (body instanceof Uint8Array) return [body, null];
}

/** The same of one that is to be read. */
async function bytes(body, request) {
  if (request) return [new Uint8Array(await request.arrayBuffer()), null];
  const read = new Response(body);
  return [new Uint8Array(await read.arrayBuffer()), read.headers.get("content-type")];
}

function milliseconds(ms) {
  if (typeof ms !== "number" || !(ms >= 0) || !Number.isFinite(ms)) throw new TypeError(`not a number of milliseconds: ${ms}`);
  return ms;
}

function whole(number, name) {
  if (typeof number === "bigint") number = Number(number);
  if (!Number.isSafeInteger(number) || number < 0) throw new TypeError(`${name} is a whole number, not ${number}`);
  return number;
}
