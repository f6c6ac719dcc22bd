// Starts the page. A file of its own, for the page allows no script within it.
const { js, wasm, total } = document.querySelector("script[data-wasm]").dataset;
const frame = document.getElementById("start");
const notice = frame.querySelector(".engine");

/** Gives the frame the colours and sizes that were chosen last, as the page will. */
function recall() {
  const remembered = (name) => localStorage.getItem(`kubeglass.${name}`);
  document.documentElement.dataset.theme = remembered("theme") ?? "system";
  for (const [side, size] of Object.entries(JSON.parse(remembered("panes")) ?? {})) {
    frame.querySelector("main").style.setProperty(`--${side}`, `${Number(size)}px`);
  }
}

function say(words) {
  notice.innerHTML = "<p></p>";
  notice.firstChild.textContent = words;
}

/** Fetches the page's module, and tells how much of it is there. */
async function load() {
  const response = await fetch(new URL(wasm, document.baseURI));
  if (!response.ok) throw new Error(`${wasm} cannot be loaded (${response.status})`);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  let loaded = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      say(`Loading the page: ${megabytes(loaded)} of ${megabytes(total)} MB`);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { headers: { "Content-Type": "application/wasm" } });
}

try {
  recall();
} catch {
  // What cannot be recalled is as it was at first.
}
say("Loading the page");
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
