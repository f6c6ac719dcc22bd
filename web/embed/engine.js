// The engine of a page: a hidden frame from where this script comes from, with the API server in it. There is none before the
// first example is run.

/** The document of the frame. */
const FRAME = new URL("embed.html", import.meta.url);
/** How long the frame may take to say that it is there, in milliseconds. */
const PATIENCE = 20_000;

/** Where the engine comes from, for sentences. */
export const ORIGIN = FRAME.origin;

let port;
let frame;
let asked = 0;
const waiting = new Map();
const listeners = new Set();

/** The directives of a policy by which a frame may be refused. */
const DIRECTIVES = ["frame-src", "child-src", "default-src"];

/** Forgets the frame if the page has removed it, with its cluster. */
export function look() {
  if (!frame || frame.isConnected) return;
  port = frame = undefined;
  waiting.forEach(({ reject }) => reject(new Error("the frame with the API server was removed")));
  waiting.clear();
  listeners.forEach((listener) => listener({ lost: true }));
}

/** Loads the frame, unless it is there. Rejects if it does not come. */
function connect() {
  look();
  port ??= new Promise((resolve, reject) => {
    const own = document.createElement("iframe");
    frame = own;
    own.src = FRAME;
    own.hidden = true;
    own.tabIndex = -1;
    own.title = "Kubeglass";
    const failed = () => {
      over();
      own.remove();
      // Another one may have taken its place.
      if (frame === own) port = frame = undefined;
      reject(new Error("unreachable"));
    };
    const timer = setTimeout(failed, PATIENCE);
    const refused = ({ blockedURI, disposition, effectiveDirective }) => {
      const isOurs = blockedURI.startsWith(FRAME.origin) && DIRECTIVES.includes(effectiveDirective);
      if (isOurs && disposition === "enforce") failed();
    };
    function over() {
      clearTimeout(timer);
      removeEventListener("message", ready);
      document.removeEventListener("securitypolicyviolation", refused);
    }
    function ready(event) {
      if (event.source !== own.contentWindow || event.data?.kubeglass !== "ready") return;
      over();
      const channel = new MessageChannel();
      channel.port1.onmessage = ({ data }) => take(data);
      own.contentWindow.postMessage({ kubeglass: "begin" }, FRAME.origin, [channel.port2]);
      resolve(channel.port1);
    }
    addEventListener("message", ready);
    document.addEventListener("securitypolicyviolation", refused);
    // Not in the body: some pages put another one in its place.
    document.documentElement.append(own);
  });
  return port;
}

function take(data) {
  const call = waiting.get(data.id);
  if (!call) {
    listeners.forEach((listener) => listener(data));
    return;
  }
  waiting.delete(data.id);
  if ("error" in data) call.reject(new Error(data.error));
  else call.resolve(data.result);
}

/** Asks the frame to do something. Resolves to what comes of it. */
export async function ask(what) {
  const to = await connect();
  asked += 1;
  const id = asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    to.postMessage({ ...what, id });
  });
}

/** Hears what the frame tells by itself: events of watches, the trace, how far it is loaded. Returns what ends that. */
export function hear(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
