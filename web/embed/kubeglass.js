// The script of a page whose examples run: `<script type="module" src="…/kubeglass.js"></script>`. It puts a toolbar below each
// code block that is HTTP or kubectl, or marked, and defines `<kube-http>`, `<kube-watch>` and `<kube-timeline>`. `docs/embedding.md` describes it.
import { all } from "./blocks.js";
import { observe, run, startOver } from "./cluster.js";
import { KubeHttp } from "./example.js";
import { KubeTimeline } from "./timeline.js";
import { KubeWatch } from "./watch.js";

/** The time for which a page may take over its own HTML, in milliseconds. */
const PATIENCE = 10_000;

/** The toolbars, by the blocks that they belong to. */
const toolbars = new Map();

/** Gives each block of the page its toolbar, unless it has one. */
function enhance() {
  for (const [pre, toolbar] of toolbars) {
    // The page has put another block in the place of this one.
    if (!pre.isConnected) {
      toolbars.delete(pre);
      toolbar.remove();
    }
  }
  for (const { element, pre, text, runs } of all()) {
    if (!pre || !runs) continue;
    const known = toolbars.get(pre);
    if (known?.isConnected) {
      known.written = text;
      continue;
    }
    const toolbar = document.createElement("kube-http");
    toolbar.of = pre;
    toolbar.written = text;
    toolbars.set(pre, toolbar);
    element.after(toolbar);
  }
}

/** Looks again when the page has changed, once for all changes of a moment: some pages are made by scripts. */
function follow() {
  let waits = false;
  const look = () => {
    waits = false;
    enhance();
  };
  new MutationObserver(() => {
    if (waits) return;
    waits = true;
    setTimeout(look, 100);
  }).observe(document.documentElement, { childList: true, characterData: true, subtree: true });
}

/** Waits until Docusaurus has taken over the HTML that it has sent: whoever changes that before has React make all of it anew. */
function taken() {
  const root = document.documentElement;
  const isTaken = () => root.dataset.hasHydrated !== "false";
  if (isTaken()) return null;
  return new Promise((resolve) => {
    const changes = new MutationObserver(() => isTaken() && done());
    const timer = setTimeout(done, PATIENCE);
    function done() {
      changes.disconnect();
      clearTimeout(timer);
      resolve();
    }
    changes.observe(root, { attributes: true, attributeFilter: ["data-has-hydrated"] });
  });
}

await taken();
for (const [name, element] of Object.entries({ "kube-http": KubeHttp, "kube-watch": KubeWatch, "kube-timeline": KubeTimeline })) {
  if (!customElements.get(name)) customElements.define(name, element);
}
enhance();
follow();

export { observe, run, startOver };
