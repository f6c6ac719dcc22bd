// The ribbon. What it shows is asserted on the attributes that it tells it by, never on pixels.
import { expect, test } from "./fixtures.mjs";
import { answer, clearParams, drawn, filled, open, path, preset, request, timeline, watch } from "./page.mjs";

const ribbon = (page) => timeline(page).locator(".ribbon");
const lanes = (page, kind) => ribbon(page).locator(`[data-lane=${kind}]`);
const watching = (page, letter) => ribbon(page).locator(`[data-lane=watch][data-letter=${letter}]`);
const number = async (locator, name) => Number(await locator.getAttribute(`data-${name}`));
const cursor = (page) => ribbon(page).getAttribute("data-cursor");

/** Sends a request and waits for its status. */
async function send(page, method, target, body, status) {
  await clearParams(page);
  await request(page).getByLabel("Method").selectOption(method);
  await path(page).fill(target);
  const field = request(page).getByRole("textbox", { name: "Body" });
  if (body) await field.fill(JSON.stringify(body));
  else if (await field.count()) await field.fill("");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).locator(".status")).toContainText(String(status));
}

const configmap = (name, labels) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels } });
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

test.beforeEach(async ({ page }) => {
  await open(page);
  await filled(page);
});

test("every write stands on the ribbon: a lane for its object, a generation for its life", async ({ page }) => {
  const head = await number(ribbon(page), "head");
  await send(page, "POST", CONFIGMAPS, configmap("lamp"), 201);
  const lane = ribbon(page).locator("[data-label='configmaps/lamp']");
  await expect(lane).toHaveAttribute("data-writes", "1");
  await expect(ribbon(page)).toHaveAttribute("data-head", String(head + 1));
  await send(page, "DELETE", `${CONFIGMAPS}/lamp`, null, 200);
  await expect(lane).toHaveAttribute("data-lives", "false");
  await send(page, "POST", CONFIGMAPS, configmap("lamp"), 201);
  await expect(lane).toHaveAttribute("data-generations", "2");
  await expect(lane).toHaveAttribute("data-lives", "true");
  await expect(timeline(page).locator(".readout")).toContainText("configmaps/lamp created");
});

test("a watch with a selector: what it was not sent, and a DELETED of an object that still exists", async ({ page }) => {
  await send(page, "POST", CONFIGMAPS, configmap("lamp", { app: "web" }), 201);
  await send(page, "GET", `${CONFIGMAPS}?watch=true&labelSelector=app%3Dweb&allowWatchBookmarks=true`, null, 200);
  const b = watching(page, "B");
  await expect(b).toHaveAttribute("data-open", "true");
  // It begins with the three that are there.
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(3);
  await drawn(page);
  const sent = await number(b, "sent");
  await send(page, "POST", CONFIGMAPS, configmap("other", { app: "db" }), 201);
  await expect(b).toHaveAttribute("data-filtered", "1");
  await expect(b).toHaveAttribute("data-lag", "0");
  await expect.poll(async () => (await number(b, "looked")) > (await number(b, "resume"))).toBe(true);
  await send(page, "PUT", `${CONFIGMAPS}/lamp`, configmap("lamp", { app: "db" }), 200);
  await expect(b).toHaveAttribute("data-sent", String(sent + 1));
  await expect(watch(page, "B").getByText("DELETED")).toBeVisible();
  const head = "10258";
  await expect(ribbon(page)).toHaveAttribute("data-head", head);
  await timeline(page).getByRole("slider", { name: "Revision" }).press("ArrowLeft");
  await ribbon(page).press("ArrowRight");
  await expect(ribbon(page)).toHaveAttribute("data-cursor", head);
  const said = timeline(page).locator(".readout");
  await expect(said).toContainText("watch A: MODIFIED");
  await expect(said).toContainText("watch B: DELETED, because app=web no longer matches");
  await ribbon(page).press("ArrowLeft");
  await expect(said).toContainText("watch B: not sent, because app=web does not match");
});

test("a bookmark moves where a watch would resume", async ({ page }) => {
  await send(page, "POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "far" } }, 201);
  const a = watching(page, "A");
  const before = await number(a, "resume");
  await expect.poll(() => number(ribbon(page), "head")).toBeGreaterThan(before);
  const head = await number(ribbon(page), "head");
  await page.getByLabel("Clock").selectOption("60×");
  await expect(a).toHaveAttribute("data-resume", String(head));
  await expect(a).toHaveAttribute("data-lag", "0");
  await ribbon(page).focus();
  await ribbon(page).press("[");
  await expect.poll(() => cursor(page)).not.toBe("");
});

test("a list in pages is a pin at its revision, until that is compacted", async ({ page }) => {
  await send(page, "GET", `${CONFIGMAPS}?limit=1`, null, 200);
  const pin = lanes(page, "pin");
  await expect(pin).toHaveCount(1);
  await expect(pin).toHaveAttribute("data-remaining", /^[1-9]/);
  const revision = await number(pin, "revision");
  await preset(page, "Create");
  await preset(page, "Create");
  await expect.poll(() => number(ribbon(page), "head")).toBeGreaterThan(revision + 1);
  await expect(pin).toHaveAttribute("data-expired", "false");
  await timeline(page).getByRole("button", { name: /^Compact to/ }).click();
  await expect(pin).toHaveAttribute("data-expired", "true");
  await expect.poll(async () => (await number(ribbon(page), "floor")) - (await number(ribbon(page), "head"))).toBe(0);
});

test("an API server's caches have a lane", async ({ page }) => {
  await expect(lanes(page, "server")).toHaveAttribute("data-behind", "0");
  await expect(lanes(page, "server")).toHaveText("API server 0");
});

test("the keys go through the writes, and End follows again", async ({ page }) => {
  const here = ribbon(page);
  await here.focus();
  const head = await number(here, "head");
  await here.press("ArrowLeft");
  await expect(here).toHaveAttribute("data-cursor", String(head - 1));
  await expect(timeline(page).getByRole("slider")).toHaveAttribute("aria-valuetext", new RegExp(`^revision ${head - 1}, .* created`));
  await expect(timeline(page).getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "false");
  await here.press("End");
  await expect(here).toHaveAttribute("data-cursor", "");
  await expect(timeline(page).getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "true");
  // The newest write changed configmaps/settings, and so did the one that created it.
  await here.press("Shift+ArrowLeft");
  await expect.poll(async () => Number((await cursor(page)) || head)).toBeLessThan(head - 1);
  await here.press("Shift+ArrowRight");
  await expect(here).toHaveAttribute("data-cursor", String(head));
  await here.press("Home");
  await expect.poll(async () => (await cursor(page)) === (await here.getAttribute("data-first"))).toBe(true);
  const step = await number(here, "step");
  await here.press("+");
  await expect.poll(() => number(here, "step")).toBeGreaterThan(step);
  await here.press("-");
  await expect.poll(() => number(here, "step")).toBe(step);
  await here.press("0");
  await expect.poll(() => number(here, "step")).toBeGreaterThan(30);
  await here.press("Enter");
  await expect(timeline(page).getByRole("tab", { name: "Log" })).toHaveAttribute("aria-selected", "true");
});

test("compaction asks, and can be cancelled", async ({ page }) => {
  const here = ribbon(page);
  await here.focus();
  await here.press("ArrowLeft");
  await expect(here).toHaveAttribute("data-cursor", /^\d+$/);
  const to = await cursor(page);
  await here.press("c");
  const asked = timeline(page).getByRole("group", { name: `Compact to ${to}` });
  await expect(asked.getByRole("button", { name: "Compact", exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(asked).toBeHidden();
  await expect(here).toBeFocused();
  await expect(here).not.toHaveAttribute("data-floor", to);
  await here.press("c");
  await expect(asked.getByRole("button", { name: "Compact", exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(here).toHaveAttribute("data-floor", to);
});

test("a revision is typed, and a lane is kept on top", async ({ page }) => {
  const field = timeline(page).getByLabel("Revision, as a number");
  const head = await number(ribbon(page), "head");
  await field.fill(String(head - 2));
  await field.press("Enter");
  await expect(ribbon(page)).toHaveAttribute("data-cursor", String(head - 2));
  const last = lanes(page, "object").last();
  const label = await last.getAttribute("data-label");
  await last.click();
  await expect(lanes(page, "object").first()).toHaveAttribute("data-label", label);
  await expect(lanes(page, "object").first()).toHaveAttribute("aria-pressed", "true");
  await lanes(page, "object").first().click();
  await expect(lanes(page, "object").first()).toHaveAttribute("aria-pressed", "false");
});

test("the pointer chooses a write, pans, zooms, and drags the floor", async ({ page }) => {
  const here = ribbon(page);
  const [first, step, head] = await Promise.all(["first", "step", "head"].map((name) => number(here, name)));
  const box = await here.locator("canvas").boundingBox();
  // What is oldest stands one revision from the left.
  const x = (revision) => box.x + (revision - first + 1.5) * step;
  const y = box.y + 60;
  await page.mouse.move(x(head - 1), y);
  await expect(timeline(page).locator(".readout")).toContainText(`revision ${head - 1},`);
  await page.mouse.click(x(head - 1), y);
  await expect(here).toHaveAttribute("data-cursor", String(head - 1));
  await here.press("End");
  await page.mouse.move(x(head - 1), y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await expect.poll(() => number(here, "step")).toBeGreaterThan(step);
  await here.press("End");
  await page.mouse.wheel(0, 0);
  await drawn(page);
  for (let steps = 0; steps < 6 && (await number(here, "step")) !== step; steps++) {
    await here.press("-");
    await drawn(page);
  }
  // From the left of the oldest revision to the left of the newest.
  const now = await number(here, "step");
  const at = (revision) => box.x + (revision - first + 1) * now;
  await page.mouse.move(at(first), y);
  await page.mouse.down();
  await page.mouse.move(at(head), y, { steps: 5 });
  await page.mouse.up();
  await expect(here).toHaveAttribute("data-floor", String(head));
});

test("nothing is drawn when nothing has changed", async ({ page }) => {
  const frames = await page.evaluate(async () => {
    let frames = 0;
    new PerformanceObserver((list) => (frames += list.getEntriesByName("ribbon").length)).observe({ type: "measure" });
    for (let frame = 0; frame < 60; frame++) await new Promise(requestAnimationFrame);
    return { frames, kept: performance.getEntriesByName("ribbon").length };
  });
  expect(frames.frames, "of 60 frames").toBeLessThan(20);
  expect(frames.kept).toBe(0);
});

test.describe("twenty thousand revisions", () => {
  const REVISIONS = 20_000;
  const OBJECTS = 200;

  test("are drawn, however far the ribbon is zoomed out, and moved", async ({ page }) => {
    test.slow();
    const event = (revision) => {
      const metadata = { name: `object-${(revision * 7919) % OBJECTS}`, namespace: "default", resourceVersion: `${revision}` };
      const type = revision <= OBJECTS ? "ADDED" : "MODIFIED";
      return JSON.stringify({ type, object: { kind: "ConfigMap", apiVersion: "v1", metadata } });
    };
    const events = Array.from({ length: REVISIONS }, (_, at) => event(at + 1)).join("\n");
    await page.route("**/remote/**", (route) =>
      route.request().url().includes("watch=true")
        ? route.fulfill({ contentType: "application/json", body: `${events}\n` })
        : route.fulfill({ status: 404, body: "" }),
    );
    await page.getByRole("banner").getByLabel("Cluster").selectOption("remote");
    await request(page).getByLabel("Method").selectOption("GET");
    await path(page).fill(`${CONFIGMAPS}?watch=true`);
    await request(page).getByRole("button", { name: "Send" }).click();
    const here = ribbon(page);
    await expect(here).toHaveAttribute("data-head", String(REVISIONS), { timeout: 60_000 });
    await page.evaluate(() => {
      window.frames_ = [];
      const seen = (list) => list.getEntriesByName("ribbon").forEach((entry) => window.frames_.push(entry.duration));
      new PerformanceObserver(seen).observe({ type: "measure" });
    });
    await here.focus();
    await here.press("0");
    await expect.poll(() => number(here, "first")).toBe(1);
    const box = await here.locator("canvas").boundingBox();
    await page.mouse.move(box.x + 100, box.y + 60);
    await page.keyboard.down("Control");
    for (let steps = 0; steps < 30; steps++) await page.mouse.wheel(0, -60);
    await page.keyboard.up("Control");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 20, box.y + 60, { steps: 40 });
    await page.mouse.up();
    await expect.poll(() => number(here, "first")).toBeGreaterThan(1);
    for (let steps = 0; steps < 20; steps++) await here.press("-");
    await expect.poll(() => number(here, "first")).toBe(1);
    // How long they take is what bench.mjs measures: here other tests run beside this one.
    await expect.poll(() => page.evaluate(() => window.frames_.length)).toBeGreaterThan(20);
  });
});
