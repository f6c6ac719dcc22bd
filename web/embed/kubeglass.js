// What a page loads whose examples are to run: `<script type="module" src="…/kubeglass.js"></script>`. It puts a toolbar below each
// code block that is HTTP, and defines `<kube-http>`, `<kube-watch>` and `<kube-timeline>`. `docs/embedding.md` describes it.
import { all } from "./blocks.js";
import { observe, run, settings, startOver } from "./cluster.js";
import { KubeHttp } from "./example.js";
import { KubeTimeline } from "./timeline.js";
import { KubeWatch } from "./watch.js";

/** The attributes that the script's tag gives to the toolbars. */
const GIVEN = ["theme", "size", "language"];

const known = new WeakSet();

/** Gives each block of the page its toolbar, unless it has one. */
function enhance() {
  for (const { element, pre, text, runs } of all()) {
    if (!pre || !runs || known.has(pre)) continue;
    known.add(pre);
    const example = document.createElement("kube-http");
    example.of = pre;
    example.written = text;
    for (const name of GIVEN) if (settings[name]) example.setAttribute(name, settings[name]);
    element.after(example);
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
  }).observe(document.body, { childList: true, subtree: true });
}

for (const [name, element] of Object.entries({ "kube-http": KubeHttp, "kube-watch": KubeWatch, "kube-timeline": KubeTimeline })) {
  if (!customElements.get(name)) customElements.define(name, element);
}
enhance();
follow();

export { observe, run, startOver };
