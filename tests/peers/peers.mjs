// The same work on the npm package and on webernetes, in one process, one after the other: `node peers.mjs PACKAGE PEER`,
// of the modules of both. Prints a table; each number is the better of two runs, the second of which finds its code compiled.
//
// Memory is measured in a process of its own for each: `node --expose-gc peers.mjs PACKAGE PEER fetch`.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const [ours, peer] = await Promise.all(process.argv.slice(2, 4).map((file) => import(pathToFileURL(file))));
const alone = process.argv[4];
const COUNT = 5_000;
const WATCHES = 100;
const EVENTS = 300;
/** How many objects are held while their memory is measured: more than what a memory grows by at once. */
const HELD = 40_000;
/** How many of them are there before, so that code and tables are. */
const FIRST = 1_000;
/** An object of about 500 bytes, as it is stored: webernetes has no ConfigMaps, and does more for a Pod or a Service. */
const namespace = (number, text) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: `n${number}`, annotations: { text: text.repeat(240) } },
});
const ALL = "/api/v1/namespaces";

/** The package, as a program uses it that keeps its own JSON. */
async function packaged(worker) {
  const cluster = await ours.Cluster.start({ worker });
  const send = async (method, path, type, object) => {
    const init = { method, headers: type ? { "Content-Type": type } : undefined, body: object && JSON.stringify(object) };
    const response = await cluster.fetch(path, init);
    const body = await response.json();
    if (!response.ok) throw new Error(body.message);
    return body;
  };
  return {
    create: (number) => send("POST", ALL, "application/json", namespace(number, "a")),
    get: (number) => send("GET", `${ALL}/n${number}`),
    list: async () => (await send("GET", ALL)).items.length,
    update: (number) => send("PUT", `${ALL}/n${number}`, "application/json", namespace(number, "b")),
    patch: (number) => send("PATCH", `${ALL}/n${number}`, "application/merge-patch+json", { metadata: { annotations: { text: "c".repeat(240) } } }),
    async watch(take) {
      const { resourceVersion } = (await send("GET", `${ALL}?limit=1`)).metadata;
      const { body } = await cluster.fetch(`${ALL}?watch=true&resourceVersion=${resourceVersion}`);
      (async () => {
        for await (const event of body) take(event);
      })().catch(() => {});
    },
    stop: () => cluster.stop(),
  };
}

/** The package without fetch: what its engine does, by bytes. */
async function bare() {
  const { start } = await import(new URL("./engine-host.js", pathToFileURL(process.argv[2])));
  let told;
  const host = await start({ now: Date.now(), seed: 1, firstRevision: 0 }, (messages) => (told = messages));
  let call = 1;
  const encoder = new TextEncoder();
  const send = (method, path, headers, object) => {
    host.call("request", call++, 0, method, path, headers, object && encoder.encode(JSON.stringify(object)));
    if (told[2] >= 300) throw new Error(new TextDecoder().decode(told[5]));
    return told[5];
  };
  const json = "content-type\napplication/json";
  return {
    create: (number) => send("POST", ALL, json, namespace(number, "a")),
    get: (number) => send("GET", `${ALL}/n${number}`, ""),
    list: () => send("GET", ALL, "").length && COUNT,
    update: (number) => send("PUT", `${ALL}/n${number}`, json, namespace(number, "b")),
    patch: (number) =>
      send("PATCH", `${ALL}/n${number}`, "content-type\napplication/merge-patch+json", { metadata: { annotations: { text: "c".repeat(240) } } }),
    watch: null,
    stop: () => host.stop(),
  };
}

async function webernetes() {
  const cluster = new peer.Cluster({ nodes: 1 });
  await cluster.init();
  const api = cluster.api.corev1;
  const merge = peer.setHeaderOptions("Content-Type", peer.PatchStrategy.MergePatch);
  return {
    create: (number) => api.createNamespace({ body: namespace(number, "a") }),
    get: (number) => api.readNamespace({ name: `n${number}` }),
    list: async () => (await api.listNamespace({})).items.length,
    update: (number) => api.replaceNamespace({ name: `n${number}`, body: namespace(number, "b") }),
    patch: (number) => api.patchNamespace({ name: `n${number}`, body: { metadata: { annotations: { text: "c".repeat(240) } } } }, merge),
    async watch(take) {
      const list = await api.listNamespace({});
      const { resourceVersion } = list.metadata;
      await new peer.Watch(cluster.kubeConfig).watch(ALL, { resourceVersion }, (_, object) => take(object), () => {});
    },
    stop: () => cluster.close(),
  };
}

async function rate(work) {
  const begin = performance.now();
  for (let number = 0; number < COUNT; number++) await work(number);
  return (COUNT / (performance.now() - begin)) * 1000;
}

/** The memory that the process takes. Both peers have it in their own way: one in JavaScript's heap, one in WebAssembly's. */
function memory() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage.rss();
}

/** How much memory an object takes, in bytes and times its JSON. What is kept besides, such as its history, is in it. */
async function held(start) {
  const cluster = await start();
  for (let number = 0; number < FIRST; number++) await cluster.create(number);
  const before = memory();
  for (let number = FIRST; number < HELD; number++) await cluster.create(number);
  const bytes = (memory() - before) / (HELD - FIRST);
  const { length } = JSON.stringify(await cluster.get(HELD - 1));
  return { "memory of an object, bytes": bytes, "memory of an object, times its JSON": bytes / length };
}

async function measure(start) {
  const found = {};
  let begin = performance.now();
  const cluster = await start();
  found["start-up, ms"] = performance.now() - begin;
  found["creates a second"] = await rate(cluster.create);
  found["gets a second"] = await rate(cluster.get);
  begin = performance.now();
  const length = await cluster.list();
  found[`list of ${COUNT}, ms`] = performance.now() - begin;
  if (length < COUNT) throw new Error(`the list has ${length} objects`);
  found["updates a second"] = await rate(cluster.update);
  found["merge patches a second"] = await rate(cluster.patch);
  if (cluster.watch) {
    let seen = 0;
    let done;
    const all = new Promise((resolve) => (done = resolve));
    const take = () => ++seen === WATCHES * EVENTS && done();
    await Promise.all(Array.from({ length: WATCHES }, () => cluster.watch(take)));
    begin = performance.now();
    for (let number = 0; number < EVENTS; number++) await cluster.create(COUNT + number);
    await all;
    found[`events a second to ${WATCHES} watches`] = (WATCHES * EVENTS * 1000) / (performance.now() - begin);
  }
  await cluster.stop();
  return found;
}

/** Whether less is better. */
const least = (name) => name.endsWith("ms") || name.startsWith("memory");
async function twice(start) {
  const [first, second] = [await measure(start), await measure(start)];
  return Object.fromEntries(Object.entries(first).map(([name, value]) => [name, (least(name) ? Math.min : Math.max)(value, second[name])]));
}

const ways = { webernetes, fetch: () => packaged(false), "in a worker": () => packaged(true), "engine alone": bare };
if (alone) {
  console.log(JSON.stringify(await held(ways[alone])));
  process.exit(0);
}
const columns = {};
for (const [name, start] of Object.entries(ways)) {
  columns[name] = await twice(start);
  if (name === "webernetes" || name === "fetch") {
    const told = execFileSync(process.execPath, ["--expose-gc", ...process.argv.slice(1), name], { encoding: "utf8" });
    Object.assign(columns[name], JSON.parse(told));
  }
}
const names = Object.keys(columns.fetch);
const shown = (value) => (value === undefined ? "" : value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
console.log(["", ...Object.keys(columns), "fetch to webernetes"].join(" | "));
for (const name of names) {
  const [theirs, own] = [columns.webernetes[name], columns.fetch[name]];
  const ratio = least(name) ? theirs / own : own / theirs;
  console.log([name, ...Object.values(columns).map((column) => shown(column[name])), `${ratio.toFixed(1)} times`].join(" | "));
}
process.exit(0);
