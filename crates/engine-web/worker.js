// A worker with an engine. The first message says when its clock begins and what its random numbers come from; all others
// are packets. Before that, a message that says `load` has the engine loaded ahead. What it sends are packets, how far it is
// loaded, and why it has stopped.
/** How large the module is, in bytes; what is compressed on its way has no length that says so. */
const total = 0;
const module = new URL("engine_bg.wasm", import.meta.url);
/** How often the trace is sent at most, and how often time elapses at least, in milliseconds. */
const FRAME = 12, BEAT = 50;

let host = null;
let traced = 0;
let timer = null;
/** A task that comes after all messages that are there already. */
const next = new MessageChannel();
let comes = false;
next.port1.onmessage = () => {
  comes = false;
  run(false);
};
const waiting = [];
/** What fails of these is told when the engine is started. */
const script = ahead(import(new URL("engine.js", import.meta.url)));
let binary = null;

self.onmessage = ({ data }) => {
  if (data instanceof ArrayBuffer) {
    if (host) receive(data);
    else waiting.push(data);
  } else if (!host) {
    binary ??= ahead(load());
    if (!data.load) start(data).catch(stop);
  }
};

function ahead(promise) {
  promise.catch(() => {});
  return promise;
}

async function start({ now, seed }) {
  const begun = performance.now();
  const [{ default: init, Host }, response] = await Promise.all([script, binary]);
  await init({ module_or_path: response });
  host = new Host(now + performance.now() - begun, seed);
  waiting.splice(0).forEach((packet) => host.receive(new Uint8Array(packet)));
  run(true);
  setInterval(run, BEAT, true);
}

/** Fetches the module, and tells how much of it is there. */
async function load() {
  const response = await fetch(module);
  if (!response.ok) throw new Error(`${module.pathname} cannot be loaded (${response.status})`);
  let loaded = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded, total });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { headers: { "Content-Type": "application/wasm" } });
}

function receive(packet) {
  try {
    host.receive(new Uint8Array(packet));
    run(true);
  } catch (error) {
    stop(error);
  }
}

/** Does what there is to do, but for large requests if it is to be quick, and sends what comes of it. The trace is sent once a frame. */
function run(quick) {
  try {
    const now = performance.now();
    const trace = now - traced >= FRAME;
    if (trace) traced = now;
    const packet = host.poll(trace, quick);
    if (packet) self.postMessage(packet.buffer, [packet.buffer]);
    if (host.is_woken()) {
      if (!comes) next.port2.postMessage(null);
      comes = true;
    } else if (timer === null && !trace) timer = setTimeout(again, FRAME);
  } catch (error) {
    stop(error);
  }
}

function again() {
  timer = null;
  run(true);
}

function stop(error) {
  self.postMessage({ stopped: String(error?.message ?? error) });
  self.close();
}
