// Answers requests to the Kubernetes API on the page's origin out of the engine of an open page. It keeps nothing itself: a
// browser ends a service worker when it likes. The page that takes a request posts back the head of the response, and its body
// chunk by chunk, each when the reader has room for it.
const API = /^\/(api|apis|openapi|version|healthz|livez|readyz|metrics)(\/|$)/;
/** How long a page may take to say that it takes a request, in milliseconds. */
const PATIENCE = 1000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const root = new URL(self.registration.scope);
  const path = `/${pathname.slice(root.pathname.length)}`;
  if (origin === root.origin && pathname.startsWith(root.pathname) && API.test(path)) event.respondWith(answer(event, path));
});

async function answer({ request, clientId }, path) {
  const body = ["GET", "HEAD"].includes(request.method) ? null : await request.clone().arrayBuffer();
  const message = {
    method: request.method,
    target: path + new URL(request.url).search,
    headers: [...request.headers],
    body,
  };
  const pages = await self.clients.matchAll({ type: "window" });
  // The page that asks is the first to be asked.
  pages.sort((a, b) => (b.id === clientId) - (a.id === clientId));
  for (const page of pages) {
    const response = await ask(page, message, request.signal);
    if (response) return response;
  }
  return fetch(request);
}

/** Has a page take a request. Resolves to the response, or to nothing where the page does not serve. */
function ask(page, message, signal) {
  const { port1: port, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const silent = setTimeout(resolve, PATIENCE, null);
    let stream;
    const body = new ReadableStream({
      start: (controller) => (stream = controller),
      pull: () => port.postMessage("more"),
      cancel: () => port.postMessage("cancel"),
    }, { highWaterMark: 0 });
    signal.addEventListener("abort", () => port.postMessage("cancel"));
    port.onmessage = ({ data }) => {
      clearTimeout(silent);
      if (data.takes === false) resolve(null);
      else if (data.status) {
        const empty = message.method === "HEAD" || [101, 204, 205, 304].includes(data.status);
        resolve(new Response(empty ? null : body, { status: data.status, headers: data.headers }));
      } else if (data.chunk) stream.enqueue(data.chunk);
      else if (data.end) stream.close();
      else if (data.error) {
        reject(new TypeError(data.error));
        stream.error(new TypeError(data.error));
      }
    };
    page.postMessage({ kubeglass: message }, [port2]);
  });
}
