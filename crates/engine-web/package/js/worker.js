// An engine in a worker, of the web or of Node: it takes calls as messages, and posts what the engine tells.
import { start } from "./engine-host.js";

const port = typeof self === "undefined" ? (await import("node:worker_threads")).parentPort : self;
const listen = (take) => (port.on ? port.on("message", take) : (port.onmessage = ({ data }) => take(data)));
let host = null;
let first = [];

listen(async (message) => {
  if (message.start) {
    try {
      host = await start(message.start, (told) => port.postMessage({ told }));
      port.postMessage({ ready: true });
      first.forEach(take);
      first = [];
    } catch (error) {
      port.postMessage({ failed: error.message });
    }
  } else if (host) take(message);
  else first.push(message);
});

async function take({ id, call, wait, work, question }) {
  if (call) {
    try {
      host.call(...call);
    } catch (error) {
      port.postMessage({ id, error: error.message });
    }
  } else if (wait) host.wait(...wait);
  else if (work !== undefined) host.work(work);
  else if (question) {
    // An engine that has stopped has told so.
    const answer = await Promise.resolve(host[question]()).catch(() => null);
    port.postMessage({ id, answer: answer ?? null });
  }
}
