// Starts the page. A file of its own, for the page allows no script within it.
await embed();
const { js, wasm, total, engine, later, languages } = document.querySelector("script[data-wasm]").dataset;
const frame = document.getElementById("start");

/**
 * Where the engine is: `tab`, `tabs` (one for all tabs of this browser), or the address of a `kubeglass serve`; `here` is the
 * one that has served the page.
 */
const asked = new URLSearchParams(location.search).get("engine") ?? "tab";
const place = asked === "here" ? location.origin : asked;

/** In somebody's page (`#embed?…`) a document is shown without what is around it; examples have a page of their own. */
function embed() {
  const asked = /^#embed\b/.test(location.hash) && new URLSearchParams(location.hash.slice(7));
  if (asked && !asked.has("src")) {
    location.replace(`embed.html${location.hash}`);
    return new Promise(() => {});
  }
  if (asked) history.replaceState(null, "", `?view=learn&embed#/read?src=${encodeURIComponent(asked.get("src"))}`);
  if (new URLSearchParams(location.search).has("embed")) document.documentElement.dataset.embed = "";
  return null;
}

/** Starts the engine, or the way to it, as a worker; what is not one behaves as one. */
function start() {
  const script = new URL(engine, document.baseURI);
  if (place === "tab") return new Worker(script, { type: "module" });
  if (place === "tabs") return joined(new SharedWorker(script, { type: "module", name: "kubeglass" }));
  const socket = new URL("/kubeglass/v1/engine", place);
  socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
  const token = sessionStorage.getItem(`kubeglass.token ${place}`) ?? "";
  return new Worker(script, { type: "module", name: `${socket.href} ${token}` });
}

/** A shared worker as if it were this page's own. */
function joined(shared) {
  const { port } = shared;
  shared.onerror = (event) => port.onerror?.(event);
  port.terminate = () => {
    port.postMessage({ leaves: true });
    port.close();
  };
  addEventListener("pagehide", () => port.postMessage({ leaves: true }));
  return port;
}

/** Holds a lock for as long as this page lives. Resolves to whether no other page of this browser holds it. */
function hold(name) {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve(true);
    const held = (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    };
    return navigator.locks.request(name, { ifAvailable: true }, held).catch(() => resolve(true));
  });
}

/** The styles of what is loaded later: a promise that they are there. */
let styles;

/** Loads the styles of what is loaded later, unless they are there. After a failure the next one who asks tries again. */
function styled() {
  styles ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = later;
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      styles = undefined;
      reject(new TypeError(`${later} cannot be loaded`));
    };
    document.head.append(link);
  });
  return styles;
}

/** The script that translates the page, once it is loaded. */
let translation;
/** A promise that the page is in its language. */
let spoken = Promise.resolve();

/** Shows the page in the language that was chosen, or in that of the browser. It is in English; others are scripts. */
async function speak() {
  const code = (localStorage.getItem("kubeglass.language") ?? navigator.language).slice(0, 2);
  const script = JSON.parse(languages)[code];
  if (script) translation ??= await import(new URL(script, document.baseURI));
  if (script && styles) await translation.more().catch(() => {});
  if (script) translation.start();
  else translation?.stop();
}

/** Has the page in its language, or in English where that cannot be. */
function speakAgain() {
  spoken = speak().catch(() => {});
}

/** Loads what the chunks of the page need: their styles, and their texts in the page’s language. What has no translation stays in English. */
function prepareChunks() {
  const texts = spoken.then(() => translation?.isOn() && translation.more()).catch(() => {});
  return Promise.all([styled(), texts]);
}

window.kubeglass = { place, start, hold, prepareChunks, canShare: "SharedWorker" in window };
const notice = frame.querySelector(".engine");

/** Gives the frame the colours and sizes that were chosen last, as the page will. */
function recall() {
  const remembered = (name) => localStorage.getItem(`kubeglass.${name}`);
  document.documentElement.dataset.theme = remembered("theme") ?? "system";
  const view = new URLSearchParams(location.search).get("view") ?? remembered("view");
  if (frame.querySelector(`.views [data-to="${CSS.escape(view ?? "")}"]`)) {
    frame.querySelector("main").dataset.view = view;
    for (const link of frame.querySelectorAll(".views a")) {
      if (link.dataset.to === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  for (const [side, size] of Object.entries(JSON.parse(remembered("panes")) ?? {})) {
    frame.querySelector("main").style.setProperty(`--${side}`, `${Number(size)}px`);
  }
}

function say(words) {
  const line = document.createElement("p");
  line.textContent = words;
  notice.replaceChildren(line);
}

/** How much of the page is there when the engine is asked for: what is asked for takes its time to come. */
const ALMOST = 0.9;

/** Fetches the page's module, and tells how much of it is there. The engine comes right behind it: the page takes it over. */
async function load() {
  const response = await fetch(new URL(wasm, document.baseURI));
  if (!response.ok) throw new Error(`${wasm} cannot be loaded (${response.status})`);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  let loaded = 0;
  try {
    window.kubeglassEngine = start();
    // The page tries again, and hears why it fails.
    window.kubeglassEngine.onerror = () => delete window.kubeglassEngine;
  } catch {
    // The page finds out what is missing, and says so.
  }
  const counted = new TransformStream({
    transform(chunk, controller) {
      if (loaded <= ALMOST * total && loaded + chunk.byteLength > ALMOST * total) {
        window.kubeglassEngine?.postMessage({ load: true });
      }
      loaded += chunk.byteLength;
      say(`Loading the page: ${megabytes(loaded)} of ${megabytes(total)} MB`);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { headers: { "Content-Type": "application/wasm" } });
}

/** Waits until the frame is painted: what comes now would hold it up. Nothing is painted in a tab that is not looked at. */
function painted() {
  if (document.hidden) return null;
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

try {
  // A link to a workshop has a token behind it.
  if (/^#token\b/.test(location.hash)) await import(new URL("enter.js", document.baseURI));
  window.kubeglass.attendee = sessionStorage.getItem("kubeglass.attendee");
  recall();
} catch {
  // What cannot be recalled is as it was at first.
}
speakAgain();
addEventListener("languagechange", speakAgain);
addEventListener("click", ({ target }) => {
  if (!target.closest("[data-speaks]")) return;
  localStorage.setItem("kubeglass.language", translation?.isOn() ? "en" : "zh");
  dispatchEvent(new Event("languagechange"));
});
say("Loading the page");
await painted();
try {
  const [page, response] = await Promise.all([import(new URL(js, document.baseURI)), load()]);
  await page.default({ module_or_path: response });
} catch (error) {
  if (frame.isConnected) {
    say(`Kubeglass could not start: ${error.message ?? error}. Reload the page, or use a current browser.`);
    notice.firstChild.className = "bad";
  }
  throw error;
}
