// The way to an engine in a worker, with the functions of one in this thread.

/** Starts a worker with an engine. `deliver` takes what it tells. */
export async function start(options, deliver) {
  const url = new URL("./worker.js", import.meta.url);
  let worker;
  if (typeof Worker === "function") {
    worker = new Worker(url, { type: "module" });
  } else {
    const { Worker: Thread } = await import("node:worker_threads");
    worker = new Thread(url);
  }
  const host = new WorkerHost(worker, deliver);
  await host.ready(options);
  return host;
}

class WorkerHost {
  #worker;
  #deliver;
  #asked = new Map();
  #next = 1;
  #ready;
  #stopped = false;
  #waits = false;

  constructor(worker, deliver) {
    this.#worker = worker;
    this.#deliver = deliver;
    const fail = (error) => {
      const message = `the engine's worker has ended: ${error?.message ?? "it cannot be started"}`;
      this.#ready?.reject(new Error(message));
      if (!this.#stopped) deliver(["stopped", message]);
    };
    if (worker.on) {
      worker.on("message", (message) => this.#take(message));
      worker.on("error", fail);
    } else {
      worker.onmessage = ({ data }) => this.#take(data);
      worker.onerror = fail;
    }
  }

  ready(options) {
    return new Promise((resolve, reject) => {
      this.#ready = { resolve, reject };
      this.#worker.postMessage({ start: options });
    });
  }

  #take({ told, ready, failed, id, error, answer }) {
    if (told) this.#deliver(told);
    else if (ready) this.#ready.resolve();
    else if (failed) this.#ready.reject(new Error(failed));
    else if (error) this.#deliver(["refused", id, error]);
    else if (answer !== undefined) {
      this.#asked.get(id)?.(answer);
      this.#asked.delete(id);
      this.#ref();
    }
  }

  call(name, ...args) {
    if (this.#stopped) throw new TypeError("the cluster has been stopped");
    // The first argument is the number of the call, where there is one.
    this.#worker.postMessage({ id: args[0], call: [name, ...args] });
  }

  now() {
    return this.#ask("now");
  }

  rest() {
    return this.#ask("rest");
  }

  /** Calls a function of the host in the worker, and waits for what it returns. */
  #ask(question) {
    const id = -this.#next++;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#ref();
      this.#worker.postMessage({ id, question });
    });
  }

  wait(waiting, traced) {
    this.#worker.postMessage({ wait: [waiting, traced] });
    this.#waits = waiting > 0 || traced;
    this.#ref();
  }

  work(works) {
    this.#worker.postMessage({ work: works });
  }

  /** A program in which nobody waits can end. */
  #ref() {
    if (this.#waits || this.#asked.size > 0) this.#worker.ref?.();
    else this.#worker.unref?.();
  }

  stop() {
    this.#stopped = true;
    this.#worker.terminate();
  }
}
