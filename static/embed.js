// The frame behind the examples of somebody's page. That page's script (web/embed) sends what is to be done over a port, one call
// after the other, each with an id that its reply has again:
//
// - `open` begins with a cluster for the blocks of a page, in place of the one that there was: the reply says which blocks run;
// - `run` runs a block by its number, and `write` a text: the reply is the outcome;
// - `trace` has what happens in the cluster told; `close` closes a watch.
//
// What is told without an id: events of watches, the trace, how far the engine is loaded, and why it has stopped.
//
// Opened by itself, with what is to run in its address (`#run=GET%20/api/v1/pods`), it shows that.
const { js, wasm, engine } = document.querySelector("script[data-wasm]").dataset;
const at = (path) => new URL(path, document.baseURI);

/** The module that runs examples, once it is loaded. After a failure the next one who asks tries again. */
let module;
/** The examples that are open, and the worker with their cluster. */
let examples, worker;

function load() {
  module ??= import(at(js)).then(async (loaded) => {
    await loaded.default({ module_or_path: at(wasm) });
    return loaded.Examples;
  });
  module.catch(() => (module = undefined));
  return module;
}

/** Starts a worker with an engine. It loads that while the module that runs examples is loaded, too. */
function start(tell) {
  worker?.terminate();
  const started = new Worker(at(engine), { type: "module" });
  started.postMessage({ load: true });
  started.onerror = (event) => {
    event.preventDefault();
    stop(started, event.message || `${engine} cannot be loaded`, tell);
  };
  started.onmessage = ({ data }) => {
    if (started !== worker) return;
    if (data instanceof ArrayBuffer) examples?.receive(new Uint8Array(data));
    else if (data.stopped) stop(started, data.stopped, tell);
    else tell(data);
  };
  worker = started;
  return started;
}

function stop(stopped, why, tell) {
  stopped.why = why;
  if (stopped !== worker) return;
  examples?.stop(why);
  tell({ stopped: why });
}

/** Begins with a cluster for the blocks of a page. */
async function open({ blocks, scenes }, tell) {
  examples?.stop("another cluster has begun");
  examples = undefined;
  const own = start(tell);
  const Examples = await load();
  if (own !== worker) throw new Error("another cluster has begun");
  if (own.why) throw new Error(own.why);
  const send = (packet) => own.postMessage(packet, [packet]);
  const webhook = async (...call) => (await import(at("webhooks.js"))).call(...call);
  examples = new Examples(JSON.stringify(blocks), scenes, send, (json) => tell(JSON.parse(json)), webhook);
  const begin = { now: Date.now(), seed: crypto.getRandomValues(new BigUint64Array(1))[0] };
  const firstRevision = examples.firstRevision();
  if (firstRevision !== undefined) begin.firstRevision = firstRevision;
  own.postMessage(begin);
  await examples.begin();
  return JSON.parse(examples.blocks());
}

const CALLS = {
  open,
  run: async ({ number }) => JSON.parse(await examples.run(number)),
  write: async ({ text }) => JSON.parse(await examples.runWritten(text)),
  trace: async () => examples?.trace(),
  close: async ({ stream }) => examples?.close(stream),
};

/** Serves the page that has sent a port. */
function serve(port) {
  const tell = (what) => port.postMessage(what);
  port.onmessage = async ({ data }) => {
    const { id } = data;
    try {
      const call = Object.hasOwn(CALLS, data.do) ? CALLS[data.do] : undefined;
      if (!call) throw new Error(`there is no call ${data.do}`);
      if (data.do !== "open" && !examples) throw new Error("nothing is open");
      tell({ id, result: await call(data, tell) });
    } catch (error) {
      tell({ id, error: String(error?.message ?? error) });
    }
  };
}

/** Shows what the address says: each `run` is an example; `timeline` shows the timeline below them. */
async function show(asked) {
  document.documentElement.lang = asked.get("language") ?? navigator.language;
  const give = (element) => {
    for (const name of ["theme", "size", "language", "scene"]) {
      if (asked.has(name)) element.setAttribute(name, asked.get(name));
    }
    document.body.append(element);
  };
  for (const text of asked.getAll("run")) {
    const element = document.createElement("kube-http");
    element.textContent = text;
    give(element);
  }
  for (const path of asked.getAll("watch")) {
    const element = document.createElement("kube-watch");
    element.setAttribute("path", path);
    give(element);
  }
  if (asked.has("timeline")) give(document.createElement("kube-timeline"));
  await import(at("kubeglass.js"));
}

const asked = new URLSearchParams(location.hash.replace(/^#(embed\??)?/, ""));
if (["run", "watch", "timeline"].some((name) => asked.has(name))) {
  await show(asked);
} else if (parent !== self) {
  addEventListener("message", ({ source, data, ports }) => {
    if (source === parent && data?.kubeglass === "begin" && ports[0]) serve(ports[0]);
  });
  // Nothing secret is in it: whoever has this page in a frame may know that it is there.
  parent.postMessage({ kubeglass: "ready" }, "*");
}
