// A cluster: requests to its API server, its trace, commands, forks, and manifests.
import { Calls } from "./calls.js";
import { apply, LoadError } from "./load.js";

export { LoadError };

/** Statuses whose responses have no body. */
const BODILESS = new Set([101, 204, 205, 304]);

export class Cluster {
  #calls;
  /** The number of the cluster in its engine: 0, or that of a fork. */
  #number;
  #stopped = false;
  /** The time of the cluster. */
  clock;

  constructor(calls, number) {
    this.#calls = calls;
    this.#number = number;
    this.clock = {
      advance: (ms) => this.command({ advance: { by: milliseconds(ms) } }),
      setRate: (rate) => this.command({ setRate: { rate } }),
      now: async () => calls.host.now(),
    };
  }

  /** Starts a cluster. */
  static async start({ now = Date.now(), seed, firstRevision = 0, worker = false } = {}) {
    const options = {
      now: milliseconds(now instanceof Date ? now.getTime() : now),
      seed: whole(seed ?? Math.floor(Math.random() * 2 ** 48), "seed"),
      firstRevision: whole(firstRevision, "firstRevision"),
    };
    const { start } = await (worker ? import("./worker-host.js") : import("./engine-host.js"));
    const calls = new Calls();
    calls.by(await start(options, (told) => calls.take(told)));
    return new Cluster(calls, 0);
  }

  /** Sends a request: as `fetch`, but that the API server is this cluster's, whatever the origin. */
  async fetch(input, init = {}) {
    const isRequest = typeof input === "object" && input !== null && "headers" in input;
    const signal = init.signal ?? (isRequest ? input.signal : undefined);
    signal?.throwIfAborted();
    const method = (init.method ?? (isRequest ? input.method : "GET")).toUpperCase();
    const headers = lines(init.headers ?? (isRequest ? input.headers : undefined));
    const [body, type] = await bytes(init.body ?? null, isRequest && init.body === undefined ? input : null);
    if (body && ["GET", "HEAD"].includes(method)) throw new TypeError("a request with GET or HEAD cannot have a body");
    if (type && !/^content-type$/im.test(headers.filter((_, at) => at % 2 === 0).join("\n"))) headers.push("content-type", type);
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
    const empty = method === "HEAD" || BODILESS.has(answer.status);
    return new Response(empty ? null : answer.body, { status: answer.status, headers: pairs(answer.headers) });
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

/** Names and values of headers, one after the other. */
function lines(headers) {
  if (!headers) return [];
  const entries = headers instanceof Headers || !Array.isArray(headers) ? new Headers(headers) : headers;
  const found = [];
  for (const [name, value] of entries) {
    if (/[\r\n\0]/.test(name + value)) throw new TypeError(`not a header: ${name}`);
    found.push(name, value);
  }
  return found;
}

function pairs(text) {
  const found = [];
  const parts = text === "" ? [] : text.split("\n");
  for (let at = 0; at < parts.length; at += 2) found.push([parts[at], parts[at + 1]]);
  return found;
}

/** The bytes of a body, and the media type that the platform gives it. */
async function bytes(body, request) {
  if (request) return [request.body ? new Uint8Array(await request.arrayBuffer()) : undefined, null];
  if (body === null || body === undefined) return [undefined, null];
  if (typeof body === "string") return [new TextEncoder().encode(body), "text/plain;charset=UTF-8"];
  if (body instanceof Uint8Array) return [body, null];
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
