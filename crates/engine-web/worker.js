// A worker with an engine, or the way to one. Who starts it decides by how:
//
// - A worker has an engine for who has started it.
// - A worker whose name is the address of a WebSocket, and a bearer token or nothing, carries packets to the engine there, and
//   back.
// - A shared worker has one cluster, and an engine for each page.
//
// The first message says when an engine's clock begins and what its random numbers come from; all others are packets. Before
// that, a message that says `load` has the engine loaded ahead, and after it one that says `leaves` that the page goes. What is
// sent are packets, how far the engine is loaded, and why it has stopped.
/** How large the module is, in bytes; what is compressed on its way has no length that says so. */
const total = 0;
const module = new URL("engine_bg.wasm", import.meta.url);
/** How often the trace is sent at most, and how often time elapses at least, in milliseconds. */
const FRAME = 12, BEAT = 50;

const isShared = "onconnect" in self;
// What the module posts, it posts to whoever has started the worker.
if (isShared) self.postMessage = tell;
const [address, token] = /^wss?:/.test(self.name) ? self.name.split(" ") : [];

/** The pages, or whoever else has started this: each with its host once there is one. */
const clients = new Set();
/** The host by which the cluster's time goes. */
let first = null;
let traced = 0;
let timer = null;
/** A task that comes after all messages that are there already. */
const next = new MessageChannel();
let comes = false;
next.port1.onmessage = () => {
  comes = false;
  run(false);
};
let script = null;
let binary = null;
let starts = null;

if (address) relay();
else if (isShared) self.onconnect = ({ ports: [port] }) => serve(port);
else serve(self);

function ahead(promise) {
  promise.catch(() => {});
  return promise;
}

/** Serves a client, which posts and is posted messages. */
function serve(port) {
  const client = { port, host: null, waiting: [] };
  clients.add(client);
  // What fails of these is told when the engine is started.
  script ??= ahead(import(new URL("engine.js", import.meta.url)));
  port.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) {
      if (client.host) receive(client, data);
      else client.waiting.push(data);
    } else if (data.leaves) {
      clients.delete(client);
      if (client.host !== first) client.host?.free();
    } else if (!client.host) {
      binary ??= ahead(load());
      if (!data.load) join(client, data).catch(stop);
    }
  };
}

/** Gives a client its engine: that of the cluster, or one that joins it. */
async function join(client, begin) {
  starts ??= start(begin);
  await starts;
  client.host = isShared ? first.join() : first;
  client.waiting.splice(0).forEach((packet) => client.host.receive(new Uint8Array(packet)));
  run(true);
}

async function start({ now, seed, firstRevision }) {
  const begun = performance.now();
  const [{ default: init, Host }, response] = await Promise.all([script, binary]);
  await init({ module_or_path: response });
  first = new Host(now + performance.now() - begun, seed, firstRevision);
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
      tell({ loaded, total });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { headers: { "Content-Type": "application/wasm" } });
}

function receive(client, packet) {
  try {
    client.host.receive(new Uint8Array(packet));
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
    // The cluster's time goes though nobody talks to its own host.
    if (isShared) first.poll(false, true);
    for (const { host, port } of clients) {
      const packet = host?.poll(trace, quick);
      if (packet) port.postMessage(packet.buffer, [packet.buffer]);
    }
    if ([...clients].some(({ host }) => host?.is_woken())) {
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

function tell(message) {
  clients.forEach(({ port }) => port.postMessage(message));
}

function stop(error) {
  tell({ stopped: String(error?.message ?? error) });
  self.close();
}

/** Carries packets to the engine at the address, and back, once somebody listens: what is posted before is lost. */
function relay() {
  const waiting = [];
  self.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) waiting.push(data);
    else if (!data.load) open(waiting);
  };
}

/** Opens the socket. Sends what waits, and whatever comes. */
function open(waiting) {
  // Scripts cannot send an Authorization header there: Kubernetes takes the token as a subprotocol, beside another one.
  const protocols = ["v1.kubeglass"];
  if (token) {
    const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(token)));
    const url = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    protocols.push(`base64url.bearer.authorization.k8s.io.${url}`);
  }
  const socket = new WebSocket(address, protocols);
  let isOpen = false;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    isOpen = true;
    waiting.splice(0).forEach((packet) => socket.send(packet));
  };
  socket.onmessage = ({ data }) => self.postMessage(data, [data]);
  socket.onclose = ({ reason }) => {
    const why = reason || (isOpen ? "the connection was lost" : "nothing answers there, or it lets nobody in");
    self.postMessage({ stopped: why });
    self.close();
  };
  self.onmessage = ({ data }) => {
    if (!(data instanceof ArrayBuffer)) return;
    if (isOpen) socket.send(data);
    else waiting.push(data);
  };
}
