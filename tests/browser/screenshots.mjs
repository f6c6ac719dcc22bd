// Takes a picture of every state of the page in dist/, light and dark, at 1440 and 390 px, into screenshots/ beside
// this file: `node tests/browser/screenshots.mjs [PORT] [STATE...]`. To be looked at by people; nothing compares them.
import { chromium, expect } from "@playwright/test";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { answer, drawn, open, path, preset, request, resources, timeline, watch, watches } from "./page.mjs";

const [port = "8093", ...wanted] = process.argv.slice(2);
const folder = fileURLToPath(new URL("screenshots", import.meta.url));
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

/** Shows a pane, where the page shows one at a time. */
async function pane(page, name) {
  const bar = page.getByRole("navigation", { name: "Panes" });
  if (await bar.isVisible()) await bar.getByRole("button", { name }).click();
}

/** Sends a request through the form. */
async function send(page, method, target) {
  await pane(page, "Request");
  await request(page).getByLabel("Method").selectOption(method);
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
}

async function play(page, name) {
  await pane(page, "Request");
  await preset(page, name);
}

async function tab(page, where, name) {
  await pane(page, where === timeline ? "Timeline" : "Watches");
  await where(page).getByRole("tab", { name, exact: true }).click();
}

/** Goes back by so many writes. */
async function back(page, writes) {
  await pane(page, "Timeline");
  const ribbon = timeline(page).locator("#ribbon");
  await ribbon.focus();
  for (let step = 0; step < writes; step++) await ribbon.press("ArrowLeft");
}

/** What the page can be brought to, each from a page that has just been opened. */
const STATES = {
  ...Object.fromEntries(
    ["request", "cluster", "watches", "timeline", "lab"].map((view) => [
      `view-${view}`,
      async (page) => {
        if (!(await request(page).isVisible())) return;
        await play(page, "Create");
        await play(page, "Update, stale");
        await expect(answer(page).getByText("409 Conflict")).toBeVisible();
      },
    ]),
  ),
  start: async (page) => pane(page, "Timeline"),
  selector: async (page) => {
    await send(page, "GET", `${CONFIGMAPS}?watch=true&allowWatchBookmarks=true&labelSelector=app%3Dweb`);
    await play(page, "Create");
    await pane(page, "Timeline");
    await expect(timeline(page).locator("[data-lane=watch][data-letter=B]")).toHaveAttribute("data-filtered", "1");
  },
  pages: async (page) => {
    await send(page, "GET", `${CONFIGMAPS}?limit=1`);
    await play(page, "Create");
    await pane(page, "Timeline");
    await expect(timeline(page).locator("[data-lane=pin]")).toHaveCount(1);
  },
  bookmark: async (page) => {
    await send(page, "GET", `${CONFIGMAPS}?watch=true&allowWatchBookmarks=true&labelSelector=app%3Dweb`);
    for (let times = 0; times < 3; times++) await play(page, "Create");
    await pane(page, "Resources");
    await page.getByRole("button", { name: /^\+1 min/ }).click();
    await pane(page, "Watches");
    await expect(watch(page, "B").getByText("BOOKMARK").first()).toBeVisible();
    await watch(page, "B").getByRole("button", { name: "Cut" }).click();
    await expect(watches(page).getByRole("button", { name: /^Resume without the bookmark/ })).toBeVisible();
  },
  behind: async (page) => {
    await tab(page, watches, "API servers");
    await watches(page).getByRole("button", { name: "Add an API server" }).click();
    await watches(page).getByRole("button", { name: "Cut it off from the store" }).last().click();
    await play(page, "Create");
    await play(page, "Create");
    await pane(page, "Timeline");
    await expect(timeline(page).locator("[data-lane=server]").last()).toHaveAttribute("data-behind", "2");
  },
  race: async (page) => {
    await tab(page, watches, "Race");
    await watches(page).getByRole("button", { name: "Begin", exact: true }).click();
    const of = (name) => watches(page).getByRole("article", { name });
    for (const [who, what] of [["Alice", "Read"], ["Bob", "Read"], ["Alice", "Change"], ["Bob", "Change"], ["Alice", "Write"], ["Bob", "Write"]]) {
      await of(who).getByRole("button", { name: what, exact: true }).click();
    }
    await expect(watches(page).getByText(/409/).first()).toBeVisible();
  },
  conflict: async (page) => {
    await play(page, "Update, stale");
    await expect(answer(page).getByText("409 Conflict")).toBeVisible();
    await pane(page, "Response");
  },
  gone: async (page) => {
    await play(page, "Watch, compacted");
    await expect(watch(page, "B").getByText("410 Expired")).toBeVisible();
    await pane(page, "Watches");
    await watch(page, "B").getByRole("button", { name: /^Why/ }).click();
    await pane(page, "Response");
  },
  log: async (page) => {
    await tab(page, timeline, "Log");
    await timeline(page).getByRole("table").getByRole("button", { name: /10255/ }).first().click();
  },
  requests: async (page) => {
    await play(page, "Update, stale");
    await tab(page, timeline, "Requests");
  },
  media: async (page) => {
    await play(page, "List");
    await tab(page, timeline, "Requests");
    await timeline(page).getByRole("row").last().getByRole("button").first().click();
    await timeline(page).getByRole("button", { name: "Compare media types" }).click();
    const compared = timeline(page).getByRole("table", { name: "The same response in every media type" });
    await expect(compared.getByRole("row")).toHaveCount(8);
  },
  past: async (page) => {
    await back(page, 3);
    await timeline(page).getByRole("tab", { name: "State", exact: true }).click();
  },
  "past-answer": async (page) => {
    await back(page, 2);
    await pane(page, "Response");
  },
  traffic: async (page) => {
    await tab(page, watches, "API servers");
    await watches(page).getByRole("button", { name: "Open 20 watches on it" }).click();
    await watches(page).getByRole("combobox", { name: /^Writes/ }).selectOption({ label: "100 a second" });
    await expect(resources(page).getByTitle("List configmaps")).toContainText(/\d{3}/);
    await watches(page).getByRole("combobox", { name: /^Writes/ }).selectOption({ label: "off" });
    await pane(page, "Timeline");
  },
  table: async (page) => {
    await pane(page, "Request");
    await request(page).getByLabel("Accept").selectOption("Table");
    await request(page).getByRole("button", { name: "Send" }).click();
    await expect(answer(page).getByRole("table")).toBeVisible();
  },
  forced: async (page) => {
    await page.emulateMedia({ forcedColors: "active" });
    await play(page, "Create");
    await pane(page, "Timeline");
  },
  bytes: async (page) => {
    await pane(page, "Request");
    await request(page).getByLabel("Accept").selectOption("Protobuf");
    await send(page, "GET", `${CONFIGMAPS}/greeting`);
    await pane(page, "Response");
    const bytes = answer(page).getByRole("slider").first();
    await bytes.focus();
    for (let step = 0; step < 8; step++) await bytes.press("ArrowRight");
  },
  representations: async (page) => {
    await send(page, "GET", "/api/v1/namespaces/default/pods/web-0");
    await pane(page, "Response");
    await answer(page).getByRole("tab", { name: "Representations" }).click();
    await expect(answer(page).getByRole("row").nth(5)).toBeVisible();
  },
  editor: async (page) => {
    await pane(page, "Request");
    await request(page).getByLabel("Method").selectOption("POST");
    await path(page).fill("/api/v1/namespaces/default/pods");
    await page.keyboard.press("Escape");
    const body = request(page).getByRole("textbox", { name: "Body" });
    await body.focus();
    await expect(request(page).locator(".cm-editor")).toBeVisible();
    await body.fill('{\n  "metadata": { "name": "A_" },\n  "spec": {\n    "containers": [{ "name": "c", "foo": 1 }]\n  }\n}\n');
    await expect(request(page).locator(".cm-lintRange").first()).toBeVisible();
  },
  patch: async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
    await path(page).fill(`${CONFIGMAPS}/settings`);
    await page.keyboard.press("Escape");
    await request(page).getByRole("radio", { name: "Apply", exact: true }).check();
    await expect(request(page).getByRole("textbox", { name: "Body" })).toHaveValue(/calm/);
    const wish = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { theme: "loud", own: "1" } };
    await request(page).getByRole("textbox", { name: "Body" }).fill(JSON.stringify(wish, null, 2));
    await expect(request(page).locator(".ahead")).not.toHaveText("");
  },
  "patch-list": async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
  },
  "apply-conflict": async (page) => {
    await STATES.patch(page);
    await request(page).getByRole("button", { name: "Send", exact: true }).click();
    await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  },
  trial: async (page) => {
    await STATES.patch(page);
    await request(page).getByRole("checkbox", { name: "force" }).check();
    await request(page).getByRole("button", { name: "Preview (dry run)" }).click();
    await expect(answer(page).getByText("nothing was stored")).toBeVisible();
  },
  ownership: async (page) => {
    await STATES["apply-conflict"](page);
    await answer(page).getByRole("button", { name: /^Share/ }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await answer(page).getByRole("tab", { name: "Ownership" }).click();
  },
  "ownership-ahead": async (page) => {
    await STATES.patch(page);
    await request(page).getByRole("button", { name: "Who owns what?" }).click();
    await expect(answer(page).getByText("your body would conflict here")).toBeVisible();
  },
  "delete-choices": async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("combobox", { name: "Method" }).selectOption("DELETE");
    await path(page).fill("/api/v1/namespaces/default/pods/web-0");
    await page.keyboard.press("Escape");
    await request(page).getByRole("radio", { name: "Foreground" }).check();
    await request(page).getByRole("button", { name: "Preview (dry run)" }).click();
    await pane(page, "Request");
  },
  deletion: async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("combobox", { name: "Method" }).selectOption("POST");
    await path(page).fill(CONFIGMAPS);
    await page.keyboard.press("Escape");
    const kept = { metadata: { name: "kept", finalizers: ["example.com/cleanup", "foregroundDeletion"] } };
    await request(page).getByRole("textbox", { name: "Body" }).fill(JSON.stringify(kept));
    await request(page).getByRole("button", { name: "Send", exact: true }).click();
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    await send(page, "DELETE", `${CONFIGMAPS}/kept`);
    await expect(answer(page).getByText("This object is being deleted")).toBeVisible();
  },
  "namespace-deletion": async (page) => {
    await send(page, "DELETE", "/api/v1/namespaces/default");
    await expect(answer(page).getByRole("group").or(answer(page).getByRole("region")).first()).toBeVisible();
  },
  reference: async (page) => {
    await pane(page, "Resources");
    await resources(page).getByRole("tab", { name: "Reference" }).click();
    await resources(page).getByRole("treeitem", { name: /^core,/ }).click();
    await resources(page).getByRole("treeitem", { name: /^pods,/ }).click();
    await resources(page).getByRole("treeitem", { name: /^spec v1.PodSpec/ }).click();
    await resources(page).getByRole("treeitem", { name: /^pods,/ }).focus();
    await page.keyboard.press("ArrowDown");
    await expect(resources(page).getByRole("treeitem", { name: /^spec v1.PodSpec/ })).toContainText("desired behavior of the pod");
    await resources(page).getByRole("treeitem", { name: /^pods,/ }).evaluate((row) => row.scrollIntoView());
  },
  groups: async (page) => {
    await pane(page, "Resources");
    await resources(page).getByRole("tab", { name: "Reference" }).click();
    await resources(page).getByRole("treeitem", { name: /^apps,/ }).click();
    await resources(page).getByRole("treeitem", { name: /^admissionregistration/ }).click();
    await page.keyboard.press("ArrowDown");
  },
  "more-presets": async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("button", { name: "More…" }).click();
  },
  definition: async (page) => {
    await STATES["more-presets"](page);
    await page.getByRole("button", { name: /^Define a kind/ }).click();
    await request(page).getByRole("button", { name: "Send", exact: true }).click();
    await expect(answer(page).getByText("CronTab is served now")).toBeVisible();
  },
  "definition-wrong": async (page) => {
    await STATES.definition(page);
    await answer(page).getByRole("button", { name: "Create a wrong one" }).click();
    await expect(answer(page).getByText(/must not be less/).first()).toBeVisible();
  },
  "definition-fields": async (page) => {
    await STATES.definition(page);
    await answer(page).getByRole("button", { name: "Show its fields" }).click();
    await resources(page).getByRole("treeitem", { name: /^spec object/ }).click();
  },
  "act-as": async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("combobox", { name: "Act as" }).selectOption("Alice");
  },
  denied: async (page) => {
    await STATES["act-as"](page);
    await send(page, "GET", CONFIGMAPS);
    await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  },
  allowed: async (page) => {
    await STATES["act-as"](page);
    await request(page).getByRole("button", { name: /^Let Alice/ }).click();
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    await send(page, "GET", CONFIGMAPS);
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  },
  "editor-help": async (page) => {
    await STATES.editor(page);
    await request(page).locator(".cm-line", { hasText: "containers" }).click({ position: { x: 60, y: 8 } });
    await page.keyboard.press("F1");
    await expect(request(page).locator(".about")).toBeVisible();
  },
  policy: async (page) => {
    await pane(page, "Request");
    await request(page).getByRole("button", { name: "More…" }).click();
    await page.locator("#more-presets").getByRole("button", { name: /^Try a policy/ }).click();
    await request(page).getByRole("button", { name: "Try it on a request" }).click();
    await expect(answer(page).locator(".verdict")).toHaveAttribute("data-verdict", "denied");
  },
  "policy-steps": async (page) => {
    await STATES.policy(page);
    await answer(page).locator(".tried").evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
  },
  "policy-refused": async (page) => {
    await STATES.policy(page);
    await pane(page, "Request");
    const body = request(page).getByRole("textbox", { name: "Body" });
    await body.fill((await body.inputValue()).replace("object.spec.replicas <= 5", "object.spec.replicas <="));
    await pane(page, "Response");
    await expect(answer(page).locator(".verdict")).toHaveAttribute("data-verdict", "refused");
  },
};

mkdirSync(folder, { recursive: true });
const server = spawn("node", [fileURLToPath(new URL("serve-dist.mjs", import.meta.url)), port], { stdio: "inherit" });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
let failed = 0;
for (const [name, go] of Object.entries(STATES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  for (const [width, height] of [[1440, 900], [390, 800]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme, baseURL: `http://127.0.0.1:${port}/` });
      page.setDefaultTimeout(5000);
      // Everything in view, but for the pictures of the views.
      const view = name.startsWith("view-") ? name.slice(5) : "overview";
      await page.addInitScript((view) => localStorage.setItem("kubeglass.view", view), view);
      const file = `${name}-${width}-${colorScheme}`;
      try {
        if (width > 760 && view !== "timeline" && view !== "lab") await open(page);
        else if (width > 760) {
          await page.goto("./");
          await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", /\d+/);
        } else {
          await page.goto("./");
          await expect(page.locator(".last-event")).toContainText("MODIFIED");
        }
        await go(page);
      } catch (error) {
        failed += 1;
        console.log(`${file}: ${String(error).split("\n").slice(0, 3).join(" ")}`);
      }
      await drawn(page);
      await page.screenshot({ path: `${folder}/${file}.png`, animations: "disabled" });
      await page.close();
    }
  }
}
await browser.close();
server.kill();
console.log(`${failed} states could not be reached`);
process.exitCode = failed ? 1 : 0;
