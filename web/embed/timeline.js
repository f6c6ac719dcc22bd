// `<kube-timeline>`: the writes of the cluster by revision, a lane for each object, and what watches were sent.
import { hear, ask } from "./engine.js";
import { hasBegun, observe } from "./cluster.js";
import { make } from "./dom.js";
import { dress, follow } from "./look.js";
import { words } from "./words.js";

/** The most revisions that are drawn: the newest. */
const COLUMNS = 60;
/** The most lanes that are drawn: those that something happened in last. */
const LANES = 14;
/** The resources that nobody writes who runs examples. */
const SYSTEM = new Set(["leases", "events", "apiservices", "flowschemas", "prioritylevelconfigurations", "endpointslices"]);

/** The namespaces that every cluster has. */
const OWN = /^(default|kube-.*)$/;
/** The columns that a revision's number takes. */
const LABEL = 3;

const isSystem = ({ resource, name }) => SYSTEM.has(resource) || (resource === "namespaces" && OWN.test(name));

export class KubeTimeline extends HTMLElement {
  #forget = [];

  connectedCallback() {
    if (!this.shadowRoot) {
      const shadow = dress(this);
      this.words = words(this);
      this.table = make("table", { class: "timeline" });
      this.box = make("section", { "aria-label": this.words.timeline, part: "timeline", tabindex: 0, class: "lanes", lang: this.words.lang });
      shadow.append(this.box);
      this.clear();
    }
    const begin = () => ask({ do: "trace" }).catch(() => {});
    if (hasBegun()) begin();
    this.#forget = [
      follow(this),
      observe((told) => {
        if (told.begins) this.clear();
        else if (told.began) begin();
      }),
      hear((told) => told.trace && this.take(told.trace)),
    ];
  }

  disconnectedCallback() {
    this.#forget.splice(0).forEach((forget) => forget());
  }

  clear() {
    this.writes = [];
    this.lanes = new Map();
    this.deliveries = [];
    this.box.replaceChildren(make("p", { class: "quiet" }, this.words.quiet));
  }

  take(trace) {
    for (const told of trace) {
      if (told.write && !isSystem(told)) {
        const name = [told.resource, told.namespace, told.name].filter(Boolean).join("/");
        this.lanes.set(name, { name, last: told.write, isWatch: false });
        this.writes.push({ lane: name, name, revision: told.write, type: told.type });
      } else if (told.opened) {
        const name = `${told.uri}`;
        this.lanes.set(told.opened, { name, last: Number.MAX_SAFE_INTEGER, isWatch: true });
      } else if (told.closed) {
        this.lanes.delete(told.closed);
      } else if (told.delivered) {
        this.deliveries.push({ lane: told.delivered, name: "", revision: told.revision, type: told.type });
      }
    }
    this.writes = this.writes.slice(-COLUMNS);
    this.deliveries = this.deliveries.slice(-10 * COLUMNS);
    this.draw();
  }

  draw() {
    if (!this.writes.length) return;
    const revisions = [...new Set(this.writes.map(({ revision }) => revision))].sort((a, b) => a - b);
    const columns = new Map(revisions.map((revision, at) => [revision, at]));
    const drawn = new Set([...this.writes, ...this.deliveries].filter(({ revision }) => columns.has(revision)).map(({ lane }) => lane));
    const lanes = [...this.lanes].filter(([id, { isWatch }]) => isWatch || drawn.has(id));
    const objects = lanes.filter(([, { isWatch }]) => !isWatch).sort(([, a], [, b]) => b.last - a.last).slice(0, LANES).reverse();
    const watches = lanes.filter(([, { isWatch }]) => isWatch).slice(-LANES);
    const row = ([id, { name, isWatch }]) => {
      const cells = revisions.map(() => make("td"));
      const marks = (isWatch ? this.deliveries : this.writes).filter(({ lane }) => lane === id);
      for (const mark of marks) {
        const cell = cells[columns.get(mark.revision)];
        const title = isWatch ? this.words.delivery(mark) : this.words.mark(mark);
        cell?.replaceChildren(make("span", { class: `mark ${mark.type.toLowerCase()} ${isWatch ? "sent" : ""}`, role: "img", title, "aria-label": title }));
      }
      return make("tr", { class: isWatch ? "of-watch" : "" }, make("th", { scope: "row", title: name }, make("code", {}, name)), ...cells);
    };
    const label = (revision, at) => make("th", { scope: "col" }, at % LABEL === 0 ? String(revision) : "");
    const head = make("tr", {}, make("th", { scope: "col" }, this.words.revision), ...revisions.map(label));
    this.table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...objects.map(row), ...watches.map(row)));
    this.box.replaceChildren(this.table);
    this.box.scrollLeft = this.box.scrollWidth;
  }
}
