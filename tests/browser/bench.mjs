// Measures the live picture of the built page in dist/: `[ONLY=first|slow|protocol|strangers|list|objects|interaction|controllers|picture|traffic] node tests/browser/bench.mjs [PORT]`.
//
// First the time to the first answered request, the CPU slowed four times; then the same over a slow network, everything
// gzipped. Then how many requests an engine handles, sent over its protocol, and how long tasks are while many objects are
// listed; and while the Cluster view shows ten thousand. Then sixty actions as somebody at the keyboard does them, the CPU slowed four times: how long each takes until
// something is painted. Then what processor time controllers take: without them, idle, and for a Deployment of a hundred pods on three
// nodes. Then a hundred thousand revisions of up to two hundred objects, with twenty watches, scrolled and zoomed: how long
// the layout and the drawing of a frame take, and how far frames are apart. At last a thousand writes a second for thirty
// seconds, with twenty watches: how long tasks are, and what memory the page takes.
import { chromium } from "@playwright/test";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const port = Number(process.argv[2] ?? 8092);
const server = spawn("node", [fileURLToPath(new URL("serve-dist.mjs", import.meta.url)), String(port)], { stdio: "inherit" });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});

const percentile = (numbers, part) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] : NaN;
};
const show = (what, numbers, unit = "ms") =>
  console.log(
    `${what}: ${numbers.length} of them, median ${percentile(numbers, 0.5).toFixed(1)}, p95 ${percentile(numbers, 0.95).toFixed(1)}, ` +
      `longest ${Math.max(...numbers).toFixed(1)} ${unit}`,
  );

/** The memory of the largest process that draws pages, after a collection of garbage, in MB: all of the page, and Chromium's own. */
async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) / 1024);
  return `${Math.round(Math.max(...sizes))} MB`;
}

/** Waits until the page has nothing to do, several times over. */
const quiet = (page) =>
  page.evaluate(async () => {
    for (let times = 0; times < 20; times++) {
      await new Promise(requestAnimationFrame);
      await new Promise(requestIdleCallback);
    }
  });

async function open() {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(300_000);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
  await page.getByRole("tab", { name: "API servers" }).click();
  return page;
}

const head = (page) => page.locator("[data-head]").first().evaluate((ribbon) => Number(ribbon.dataset.head));

/** From the first byte of the page to its first answered request, on a machine a quarter as fast. */
async function first() {
  const page = await browser.newPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector(".answer-head .figure")) {
        window.answered = performance.now();
        watch.disconnect();
      }
    });
    watch.observe(document, { childList: true, subtree: true });
  });
  const times = [];
  for (let tries = 0; tries < 5; tries++) {
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
    times.push(await page.evaluate(() => window.answered));
  }
  show("the first request is answered, the CPU slowed four times", times);
  await page.close();
}

/** From the first byte to the first answered request, and to the first write, on slow 4G and a machine a quarter as fast. */
async function slow() {
  const gzipped = port + 1;
  const files = fileURLToPath(new URL("serve-dist.mjs", import.meta.url));
  const server = spawn("node", [files, String(gzipped), "--gzip"], { stdio: "inherit" });
  // It listens once it has compressed everything.
  while (!(await fetch(`http://127.0.0.1:${gzipped}/`).catch(() => null))) await new Promise((tick) => setTimeout(tick, 100));
  const painted = [], answered = [], created = [], written = [];
  for (let tries = 0; tries < 5; tries++) {
    // A context of its own has nothing in its cache.
    const context = await browser.newContext();
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    const network = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
    await devtools.send("Network.emulateNetworkConditions", network);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    const begin = performance.now();
    await page.goto(`http://127.0.0.1:${gzipped}/`, { waitUntil: "commit", timeout: 60_000 });
    await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor({ timeout: 60_000 });
    answered.push(performance.now() - begin);
    const click = performance.now();
    await page.getByRole("region", { name: "Request" }).getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("region", { name: "Response" }).getByText("201 Created").waitFor({ timeout: 60_000 });
    created.push(performance.now() - click);
    await page.getByRole("region", { name: "Watches" }).getByText("MODIFIED").waitFor({ timeout: 60_000 });
    written.push(performance.now() - begin);
    painted.push(await page.evaluate(() => performance.getEntriesByName("first-paint")[0].startTime));
    await context.close();
  }
  server.kill();
  show("slow 4G, the CPU slowed four times: first paint", painted);
  show("slow 4G, the CPU slowed four times: the first request is answered", answered);
  show("slow 4G, the CPU slowed four times: a write, clicked at once after that", created);
  show("slow 4G, the CPU slowed four times: all that the page writes when it opens is written", written);
}

async function picture() {
  const page = await open();
  const start = await head(page);
  const burst = page.getByRole("button", { name: "Write 10,000 at once" });
  const begun = Date.now();
  for (let times = 1; times <= 10; times++) {
    await burst.click();
    await page.waitForFunction((least) => Number(document.querySelector("[data-head]").dataset.head) >= least, start + times * 10_000);
    await burst.waitFor();
  }
  console.log(`writing 100,000 revisions took ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  await page.getByRole("button", { name: "Open 20 watches on it" }).click();
  await page.getByRole("button", { name: "Close the 20 watches" }).waitFor();
  await quiet(page);
  await page.evaluate(() => {
    window.measured = { draw: [], frames: [] };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "ribbon") window.measured.draw.push(entry.duration);
    }).observe({ entryTypes: ["measure"] });
    let last = performance.now();
    const frame = (now) => {
      window.measured.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const box = await page.locator("[data-head] canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let turn = 0; turn < 300; turn++) {
    const zooms = Math.floor(turn / 50) % 2 === 1;
    if (zooms) await page.keyboard.down("Control");
    await page.mouse.wheel(zooms ? 0 : turn % 100 < 25 ? 120 : -120, zooms ? (turn % 100 < 75 ? 90 : -90) : 0);
    if (zooms) await page.keyboard.up("Control");
  }
  const { draw, frames } = await page.evaluate(() => window.measured);
  show("layout and drawing of a frame", draw);
  show("from frame to frame", frames);
  console.log(`memory of the process that draws the page: ${await memory(page)}`);
  await page.close();
}

async function traffic() {
  const page = await open();
  await page.getByRole("button", { name: "Open 20 watches on it" }).click();
  await page.getByRole("button", { name: "Close the 20 watches" }).waitFor();
  await quiet(page);
  console.log(`memory before: ${await memory(page)}`);
  const rate = page.getByRole("combobox", { name: /^Writes/ });
  const before = await head(page);
  await rate.selectOption({ label: "1,000 a second" });
  // What is measured takes this time.
  await page.waitForTimeout(30_000);
  console.log(`writes: ${Math.round(((await head(page)) - before) / 30)} a second for 30 s`);
  console.log(`memory of the process that draws the page: ${await memory(page)}`);
  const begun = await head(page);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await page.waitForTimeout(15_000);
  const after = await head(page);
  const trace = JSON.parse((await browser.stopTracing()).toString());
  const events = trace.traceEvents ?? trace;
  const main = events.find(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const threads = new Map();
  for (const { name, ph, dur, pid, tid } of events) {
    if (ph === "X" && (name === "RunTask" || name === "ThreadControllerImpl::RunTask") && dur) {
      const key = `${pid}/${tid}`;
      threads.set(key, [...(threads.get(key) ?? []), dur / 1000]);
    }
  }
  const tasks = [...threads.values()].sort((a, b) => b.reduce((x, y) => x + y, 0) - a.reduce((x, y) => x + y, 0))[0] ?? [];
  console.log(`writes: ${Math.round((after - begun) / 15)} a second while every task is recorded${main ? "" : " (no thread is named)"}`);
  show("tasks", tasks);
  const longer = tasks.filter((took) => took > 1);
  show("tasks longer than 1 ms", longer);
  await page.close();
}

const version = Number(/VERSION: u8 = (\d+)/.exec(readFileSync(new URL("../../crates/protocol/src/lib.rs", import.meta.url), "utf8"))[1]);

/** Writes and reads packets of the protocol, as crates/protocol/src/packet.rs has them. It is run where they are sent. */
function speaker(version, call) {
  const utf8 = new TextEncoder();
  const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(Math.floor(number / 128))]);
  const text = (string) => [...varint(string.length), ...utf8.encode(string)];
  const maps = "/api/v1/namespaces/default/configmaps";
  const map = (name) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(410) } });
  return {
    maps,
    /** Requests that create ConfigMaps of 500 bytes. */
    creates: (name, count) => Array.from({ length: count }, (_, at) => ({ method: "POST", uri: maps, body: map(`${name}-${at}`) })),
    /** A packet of requests in the first cluster. */
    packet(requests) {
      const messages = requests.map(({ method, uri, body, type = "application/json" }) => {
        const headers = body ? [1, ...text("content-type"), ...text(type)] : [0];
        return [0, ...varint(++call), 0, 0, 0, ...text(method), ...text(uri), ...headers];
      });
      const bodies = requests.map(({ body }) => (body instanceof Uint8Array ? body : utf8.encode(body ?? "")));
      const lengths = bodies.flatMap((body) => varint(body.length));
      const head = [...varint(messages.length), ...messages.flat(), ...varint(bodies.length), ...lengths];
      const bytes = new Uint8Array(8 + head.length + bodies.reduce((sum, body) => sum + body.length, 0));
      bytes.set([75, 71, 80, version, head.length & 255, (head.length >> 8) & 255, head.length >> 16, 0]);
      bytes.set(head, 8);
      let at = 8 + head.length;
      for (const body of bodies) {
        bytes.set(body, at);
        at += body.length;
      }
      return bytes.buffer;
    },
    /** How many messages a packet has, the number of its first one's kind, and that one's call and status if it is a response. */
    read(buffer) {
      const bytes = new Uint8Array(buffer);
      let at = 8;
      const number = () => {
        let value = 0;
        for (let shift = 1; ; shift *= 128) {
          const byte = bytes[at++];
          value += (byte & 127) * shift;
          if (byte < 128) return value;
        }
      };
      const [count, kind] = [number(), number()];
      return { count, kind, call: number(), status: number() };
    },
  };
}

/** How many requests a second an engine in a worker handles, sent from a page in packets of the protocol, 64 in each. */
async function protocol() {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const measure = async ({ maps, creates, packet, read }) => {
    const worker = new Worker(new URL(document.querySelector("script[data-engine]").dataset.engine, document.baseURI), { type: "module" });
    let heard = () => {};
    worker.onmessage = ({ data }) => data instanceof ArrayBuffer && heard(read(data));
    const ready = new Promise((resolve) => (heard = resolve));
    worker.postMessage({ now: Date.now(), seed: 1n });
    await ready;
    /** Sends these requests, 256 of which are under way at a time, and returns how many a second are handled. */
    const rate = (requests, status) =>
      new Promise((resolve, reject) => {
        const packets = [];
        for (let at = 0; at < requests.length; at += 64) packets.push(packet(requests.slice(at, at + 64)));
        let [left, under] = [requests.length, 0];
        const begun = performance.now();
        const send = () => {
          for (; under < 256 && packets.length; under += 64) {
            const next = packets.shift();
            worker.postMessage(next, [next]);
          }
        };
        heard = (message) => {
          if (message.kind !== 1 || message.status !== status) reject(new Error(JSON.stringify(message)));
          left -= message.count;
          under -= message.count;
          send();
          if (left === 0) resolve(Math.round((requests.length / (performance.now() - begun)) * 1000));
        };
        send();
      });
    await rate(creates("first", 256), 201);
    const [gets, created] = [[], []];
    for (let turn = 0; turn < 5; turn++) {
      created.push(await rate(creates(`map-${turn}`, 10_000), 201));
      gets.push(await rate(Array.from({ length: 20_000 }, (_, at) => ({ method: "GET", uri: `${maps}/map-${turn}-${at % 10_000}` })), 200));
    }
    worker.terminate();
    return { gets, created };
  };
  const rates = await page.evaluate(`(${measure})((${speaker})(${version}, 0))`);
  show("creates of ConfigMaps of 500 bytes, over the protocol", rates.created, "a second");
  show("gets of them", rates.gets, "a second");
  await page.close();
}

/** Requests that take long: those of tests/attack that can be sent to an engine in a page. */
function bombs() {
  const maps = "/api/v1/namespaces/default/configmaps?dryRun=All";
  const pods = "/api/v1/namespaces/default/pods?dryRun=All";
  const each = (count, item, separator = ",") => Array.from({ length: count }, (_, number) => item(number)).join(separator);
  const create = (uri, body, type) => ({ method: "POST", uri, body, type });
  const named = (rest) => `{"metadata":{"name":"attack"},${rest}}`;
  const apply = "/api/v1/namespaces/default/configmaps/attack?dryRun=All&fieldManager=attack";
  const containers = (list) => named(`"spec":{"containers":[${list}]}`);
  return {
    "YAML, 60,000 keys twice": create(maps, `metadata: {name: attack}\ndata:\n${each(60000, (n) => `  k${n}: a\n  k${n}: b`, "\n")}\n`, "application/yaml"),
    "YAML, 20,000 aliases of a megabyte": create(maps, `a: &a ${"x".repeat(1e6)}\nb: [${each(20000, () => "*a", ", ")}]\n`, "application/yaml"),
    "JSON of 2.9 MB": create(maps, named(`"data":{${each(29000, (n) => `"k${n}":"${"x".repeat(88)}"`)}}`)),
    "JSON, a list of 1.4 million zeros": create(maps, named(`"data":[${each(1400000, () => "0")}]`)),
    "JSON, 900,000 empty containers": create(pods, containers(each(900000, () => "{}"))),
    "an apply of 60,000 keys": {
      method: "PATCH",
      uri: apply,
      type: "application/apply-patch+yaml",
      body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"attack"},"data":{${each(60000, (n) => `"k${n}":"v"`)}}}`,
    },
    "8,000 owners": create(maps, `{"metadata":{"name":"attack","ownerReferences":[${each(8000, (n) => `{"apiVersion":"v1","kind":"Pod","name":"n${n}","uid":"u"}`)}]}}`),
    "8,000 variables of a container": create(pods, containers(`{"name":"c","image":"i","env":[${each(8000, (n) => `{"name":"V${n}","value":"x"}`)}]}`)),
    "150,000 labels that are none": create(maps, `{"metadata":{"name":"attack","labels":{${each(150000, (n) => `"-${n}":"-"`)}}}}`),
  };
}

/** How long a GET takes while two clients send requests that take long, in an engine of a page. */
async function strangers() {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const measure = async ({ maps, creates, packet, read }, bombs) => {
    const worker = new Worker(new URL(document.querySelector("script[data-engine]").dataset.engine, document.baseURI), { type: "module" });
    const waiting = new Map();
    let calls = 0;
    let heard = () => {};
    worker.onmessage = ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return;
      heard();
      const { kind, call, status } = read(data);
      if (kind !== 1) return;
      waiting.get(call)?.(status);
      waiting.delete(call);
    };
    const ready = new Promise((resolve) => (heard = resolve));
    worker.postMessage({ now: Date.now(), seed: 1n });
    await ready;
    /** Sends a request in a packet of its own, and waits for the status of its response. */
    const send = (request) => {
      const bytes = packet([request]);
      const answered = new Promise((resolve) => waiting.set(++calls, resolve));
      worker.postMessage(bytes, [bytes]);
      return answered;
    };
    await send(creates("small", 1)[0]);
    const rows = [];
    for (const [name, { body, ...bomb }] of Object.entries(bombs)) {
      bomb.body = new TextEncoder().encode(body);
      // The first time, code is loaded for it.
      await send(bomb);
      const begun = performance.now();
      const status = await send(bomb);
      const alone = performance.now() - begun;
      let going = true;
      const attack = async () => {
        while (going) await send(bomb);
      };
      const attacks = [attack(), attack()];
      const took = [];
      for (const end = performance.now() + 4000; performance.now() < end; ) {
        const asked = performance.now();
        await send({ method: "GET", uri: `${maps}/small-0` });
        took.push(performance.now() - asked);
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      going = false;
      await Promise.all(attacks);
      took.sort((a, b) => a - b);
      rows.push({ name, status, alone, p50: took[took.length >> 1], p99: took[Math.floor(took.length * 0.99)], count: took.length });
    }
    worker.terminate();
    return rows;
  };
  const rows = await page.evaluate(`(${measure})((${speaker})(${version}, 0), (${bombs})())`);
  for (const { name, status, alone, p50, p99, count } of rows) {
    const [one, middle, most] = [alone, p50, p99].map((ms) => `${ms.toFixed(0)} ms`);
    console.log(`${name}: ${status} after ${one} alone; a GET meanwhile ${middle}, p99 ${most} (${count})`);
  }
  await page.close();
}

/** How long the tasks of the main thread are while 10,000 objects are listed in the page. */
async function list() {
  const page = await open();
  const [worker] = page.workers();
  // The page does not know of these calls, and passes over their responses.
  await worker.evaluate(`{
    const { creates, packet } = (${speaker})(${version}, 2 ** 40);
    for (let turn = 0; turn < 100; turn++) self.onmessage({ data: packet(creates(\`map-\${turn}\`, 100)) });
  }`);
  await page.getByRole("region", { name: "Resources" }).getByTitle("List configmaps").getByText("10002").waitFor();
  // What their creation leaves to be drawn is not measured.
  await quiet(page);
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.long.push(duration))).observe({ type: "longtask" });
  });
  const path = page.getByRole("region", { name: "Request" }).getByRole("combobox", { name: "Path" });
  const took = [];
  for (let turn = 0; turn < 5; turn++) {
    await path.fill(`/api/v1/configmaps?turn=${turn}`);
    const begun = performance.now();
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction((turn) => document.querySelector(".answer-head")?.textContent.includes("200"), turn);
    took.push(performance.now() - begun);
    await quiet(page);
  }
  show("a list of the objects", took);
  const long = await page.evaluate(() => window.long);
  console.log(`tasks over 50 ms meanwhile: ${long.length ? long.map((task) => Math.round(task)).join(", ") : "none"}`);
  await page.close();
}

/** Ten thousand objects in the Cluster view: the first page, all of them as somebody scrolls, and those with a name. */
async function objects() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(300_000);
  await page.addInitScript(() => {
    localStorage.setItem("kubeglass.tour", "seen");
    window.long = [];
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.long.push(duration))).observe({ type: "longtask" });
  });
  await page.goto(`http://127.0.0.1:${port}/?view=lab`);
  const region = (name) => page.getByRole("region", { name, exact: true });
  const step = async (what, action) => {
    await page.evaluate(() => window.long.splice(0));
    const begun = performance.now();
    await action();
    const took = Math.round(performance.now() - begun);
    await quiet(page);
    const long = (await page.evaluate(() => window.long)).map((task) => Math.round(task));
    console.log(`${what}: ${took} ms; tasks over 50 ms: ${long.length ? long.join(", ") : "none"}`);
  };
  await region("Watches").getByLabel("Objects").selectOption("10,000");
  await step("10,000 ConfigMaps are created", async () => {
    await region("Watches").getByRole("button", { name: "Create them" }).click();
    await region("Watches").getByRole("progressbar").waitFor({ state: "hidden" });
  });
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Cluster", exact: true }).click();
  await page.getByRole("combobox", { name: "Namespace" }).selectOption("traffic");
  const table = page.getByRole("table", { name: "Objects" });
  await step("the Cluster view shows the first of them", async () => {
    await region("Resources").getByRole("button", { name: /^configmaps/ }).click();
    await table.locator("tbody th").first().waitFor();
  });
  await step("all of them are read as one scrolls", async () => {
    while ((await table.getAttribute("aria-rowcount")) !== "10001") {
      await page.locator(".browse-rows").evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  });
  await step("a name is found among them", async () => {
    await region("Objects").getByLabel("Filter by name").fill("load-999");
    await table.getByRole("link", { name: "load-9999" }).waitFor();
  });
  await page.close();
}

/** Sixty actions, one after the other: how long each takes until the page has painted what comes of it. */
async function interaction() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(() => {
    localStorage.setItem("kubeglass.tour", "seen");
    window.interactions = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration, name, target } of list.getEntries()) {
        if (interactionId && duration > (window.interactions.get(interactionId)?.duration ?? 0)) {
          window.interactions.set(interactionId, { duration, name, on: target?.textContent?.slice(0, 30) ?? "" });
        }
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  await page.goto(`http://127.0.0.1:${port}/`);
  const region = (name) => page.getByRole("region", { name, exact: true });
  await region("Response").getByText("200 OK").waitFor();
  // What is loaded before it is wanted is loaded.
  await page.waitForLoadState("networkidle");
  await quiet(page);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  let actions = 0;
  const act = async (action) => {
    await action();
    actions += 1;
    // The pause of somebody at the keyboard.
    await page.waitForTimeout(400);
  };
  const view = (name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
  const press = (keys) => act(() => page.keyboard.press(keys));
  const preset = (name) => act(() => region("Request").getByRole("button", { name, exact: true }).click());
  for (let turn = 0; turn < 2; turn++) {
    for (const name of ["Create", "List", "Update", "Patch"]) {
      const button = region("Request").getByRole("button", { name, exact: true });
      if (await button.isVisible()) await preset(name);
    }
    for (const name of ["Ownership", "Diff", "Bytes", "Body"]) {
      await act(() => region("Response").getByRole("tab", { name, exact: true }).click());
    }
    await act(() => region("Request").getByRole("combobox", { name: "Path" }).click());
    for (const key of ["End", "/", "g", "r", "Escape"]) await press(key);
    await press("Control+Enter");
    for (const name of ["Cluster", "Watches", "Timeline", "Lab", "Access", "Cluster"]) await act(() => view(name).click());
    await act(() => region("Resources").getByRole("button", { name: /^configmaps/ }).click());
    await act(() => region("Objects").getByRole("link", { name: "settings" }).click());
    for (const name of ["History", "Related", "YAML"]) await act(() => region("Objects").getByRole("tab", { name }).click());
    await act(() => view("Timeline").click());
    await act(() => page.getByRole("slider", { name: "Revision" }).focus());
    for (const key of ["ArrowLeft", "ArrowLeft", "Escape"]) await press(key);
    await press("Control+k");
    await press("p");
    await press("Escape");
    await act(() => view("Request").click());
  }
  const found = await page.evaluate(() => [...window.interactions.values()]);
  // What takes less than 16 ms is not told of.
  const times = [...found.map(({ duration }) => duration), ...Array(Math.max(0, actions - found.length)).fill(8)];
  show(`${actions} actions, the CPU slowed four times: from each until it is painted`, times);
  const longest = found.sort((a, b) => b.duration - a.duration).slice(0, 8);
  console.log(longest.map(({ duration, name, on }) => `  ${duration} ms: ${name} on "${on}"`).join("\n"));
  await context.close();
}

/** The processor time of each kind of thread of what draws pages since it began, in ms. The engine's is `DedicatedWorker`. */
async function threads() {
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const times = new Map();
  for (const { id } of processInfo.filter(({ type }) => type === "renderer")) {
    for (const task of readdirSync(`/proc/${id}/task`)) {
      const [, name, rest] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/${id}/task/${task}/stat`, "utf8"));
      const fields = rest.split(" ");
      times.set(name, (times.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10);
    }
  }
  return times;
}

/** The processor time of the engine and of the page's own thread, without controllers, with idle ones, and while they make a hundred pods run. */
async function controllers() {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(300_000);
  await page.goto(`http://127.0.0.1:${port}/?view=lab`);
  await page.getByRole("tab", { name: "Controllers" }).click();
  await quiet(page);
  const spend = async (what, seconds) => {
    const before = await threads();
    await page.waitForTimeout(seconds * 1000);
    const after = await threads();
    const [engine, own] = ["DedicatedWorker", "chromium"].map((name) => after.get(name) - before.get(name));
    console.log(`${what}, ${seconds} s: engine ${engine} ms, page ${own} ms of processor time`);
  };
  await spend("no controllers", 20);
  await page.getByRole("button", { name: "Start controllers" }).click();
  await page.locator(".controllers tbody").first().waitFor();
  await page.waitForTimeout(8000);
  await spend("idle controllers, looked at", 20);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Request", exact: true }).click();
  await page.waitForTimeout(1000);
  await spend("idle controllers", 20);
  const template = { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "c", image: "nginx:1.29" }] } };
  const spec = { replicas: 100, selector: { matchLabels: { app: "shop" } }, template };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec };
  const request = page.getByRole("region", { name: "Request" });
  const send = async (method, path) => {
    await request.getByLabel("Method").selectOption(method);
    await request.getByRole("combobox", { name: "Path" }).fill(path);
    if (method === "POST") await request.locator("[role=textbox], textarea").first().fill(JSON.stringify(deployment));
    await page.waitForTimeout(1500);
    await request.getByRole("button", { name: "Send" }).click();
  };
  const collection = "/apis/apps/v1/namespaces/default/deployments";
  await send("POST", collection);
  await spend("a Deployment of 100 pods until all run", 15);
  await send("GET", `${collection}/shop`);
  await page.getByRole("region", { name: "Response" }).getByText('"readyReplicas": 100').waitFor();
  await page.close();
}

try {
  const only = process.env.ONLY;
  for (const [name, measure] of Object.entries({ first, slow, protocol, strangers, list, objects, interaction, controllers, picture, traffic })) {
    if (!only || only === name) await measure();
  }
} finally {
  await browser.close();
  server.kill();
}
