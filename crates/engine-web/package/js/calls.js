// What is under way in an engine: calls that wait for what comes of them, streams, and the trace.
const [RESPONSE, FRAME, END, DONE, FAILED, TRACE, DOCUMENT, WEBHOOK] = [1, 2, 3, 4, 5, 6, 7, 8];
/** The engine is told of so many frames at once that they were taken. */
const TAKEN = 64;

export class Calls {
  #host = null;
  #next = 1;
  /** The calls that wait: each with functions that take what comes. */
  #waiting = new Map();
  #streams = new Map();
  #trace = null;
  #webhook = null;
  #stopped = null;

  /** Says who carries the calls. */
  by(host) {
    this.#host = host;
  }

  get host() {
    return this.#host;
  }

  /** Makes a call. Resolves to what comes of it. `onNumber` is told its number, by which it can be cancelled. */
  make(name, args, onNumber) {
    return new Promise((resolve, reject) => {
      if (this.#stopped) throw this.#stopped;
      const call = this.#next++;
      onNumber?.(call);
      this.#waiting.set(call, { resolve, reject });
      try {
        this.#host.call(name, call, ...args);
      } catch (error) {
        this.#waiting.delete(call);
        throw error;
      }
      this.#wait();
    });
  }

  /** Wants nothing more of a call. Who waits for it is told why. */
  cancel(call, reason) {
    const waiting = this.#waiting.get(call);
    const stream = this.#streams.get(call);
    if (!waiting && !stream) return;
    this.#waiting.delete(call);
    this.#streams.delete(call);
    if (!this.#stopped) this.#host.call("cancel", call);
    waiting?.reject(reason);
    stream?.controller.error(reason);
    this.#wait();
  }

  /** Takes what the engine tells. */
  take(told) {
    if (told[0] === "stopped") return this.stop(new Error(told[1]));
    if (told[0] === "refused") return this.#settle(told[1])?.reject(new TypeError(told[2]));
    for (let at = 0; at < told.length; ) {
      const [kind, call] = [told[at], told[at + 1]];
      switch (kind) {
        case RESPONSE: {
          const [status, headers, streams, body] = [told[at + 2], told[at + 3], told[at + 4], told[at + 5]];
          at += 6;
          const waiting = this.#settle(call);
          if (waiting) waiting.resolve({ status, headers, body: streams ? this.#stream(call) : body });
          break;
        }
        case FRAME: {
          const stream = this.#streams.get(call);
          if (stream) this.#frame(call, stream, told[at + 2]);
          at += 3;
          break;
        }
        case END: {
          const stream = this.#streams.get(call);
          this.#streams.delete(call);
          stream?.controller.close();
          at += 2;
          break;
        }
        case DONE:
          this.#settle(call)?.resolve(JSON.parse(told[at + 2]));
          at += 3;
          break;
        case FAILED:
          // As fetch fails where a connection does.
          this.#settle(call)?.reject(told[at + 3] ? new TypeError("fetch failed: the connection was cut") : new Error(told[at + 2]));
          at += 4;
          break;
        case DOCUMENT:
          this.#settle(call)?.resolve(told[at + 2]);
          at += 3;
          break;
        case TRACE:
          this.#trace?.take(JSON.parse(told[at + 1]));
          at += 2;
          break;
        case WEBHOOK:
          this.#call(call, told[at + 2], told[at + 3], told[at + 4]);
          at += 5;
          break;
        default:
          throw new Error(`the engine told something unknown (${kind})`);
      }
    }
    this.#wait();
  }

  /** Has webhooks called by a function that takes a request and gives a response, as the platform's own are. */
  callWebhooks(webhook) {
    this.#webhook = webhook;
    this.#host.call("call_webhooks");
  }

  /** Calls a webhook, and tells the engine what came of it. */
  async #call(number, url, timeout, body) {
    const headers = { Accept: "application/json, */*", "Content-Type": "application/json", "User-Agent": "kube-apiserver-admission" };
    const signal = AbortSignal.timeout(timeout);
    let outcome;
    try {
      const request = new Request(url, { method: "POST", headers, body, signal });
      const late = new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("context deadline exceeded")), { once: true });
      });
      outcome = await Promise.race([this.#ask(number, request), late]);
    } catch (error) {
      outcome = ["fail_webhook", number, String(error?.message ?? error)];
    }
    if (this.#stopped) return;
    this.#host.call(...outcome);
    this.#wait();
  }

  /** Asks the function that stands in for webhooks. */
  async #ask(number, request) {
    const response = await this.#webhook(request);
    const body = new Uint8Array(await response.arrayBuffer());
    return ["tell_webhook", number, response.status, response.headers.get("Content-Type") ?? "", body];
  }

  #settle(call) {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  /** Makes the body of a stream. */
  #stream(call) {
    const stream = { controller: null, frames: 0, told: 0 };
    this.#streams.set(call, stream);
    return new ReadableStream(
      {
        start: (controller) => {
          stream.controller = controller;
        },
        pull: () => this.#acknowledge(call, stream),
        cancel: () => {
          this.#streams.delete(call);
          if (!this.#stopped) this.#host.call("cancel", call);
          this.#wait();
        },
      },
      { highWaterMark: TAKEN },
    );
  }

  #frame(call, stream, frame) {
    stream.frames++;
    stream.controller.enqueue(frame);
    this.#acknowledge(call, stream);
  }

  /** Tells the engine how many frames were taken, unless the reader is behind: then the engine waits for it. */
  #acknowledge(call, stream) {
    if (stream.frames - stream.told < TAKEN || stream.controller.desiredSize <= 0) return;
    stream.told = stream.frames;
    // What comes of it comes after what is being told now.
    queueMicrotask(() => this.#streams.has(call) && this.#host.call("taken", call, stream.told));
  }

  /** Has the trace told, from its beginning. `take` is given each batch; `done` is to be called when one was taken. */
  subscribe(take) {
    if (this.#trace) throw new TypeError("the trace is being read already");
    this.#trace = { take, wanted: false };
    this.#host.call("subscribe");
    return {
      want: (wanted) => {
        if (this.#trace) this.#trace.wanted = wanted;
        this.#wait();
      },
      taken: (number) => this.#stopped || this.#host.call("taken_trace", number),
      end: () => {
        this.#trace = null;
        this.#wait();
      },
    };
  }

  #wait() {
    if (!this.#stopped) this.#host.wait(this.#waiting.size + this.#streams.size, this.#trace?.wanted ?? false);
  }

  /** Ends everything that is under way. */
  stop(why) {
    if (this.#stopped) return;
    this.#stopped = why;
    this.#waiting.forEach(({ reject }) => reject(why));
    this.#streams.forEach(({ controller }) => controller.error(why));
    this.#waiting.clear();
    this.#streams.clear();
    this.#trace?.take(null);
  }
}
