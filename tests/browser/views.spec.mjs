// What the screen is about: the views, their addresses, and what of each is seen at which size.
import { expect, test } from "./fixtures.mjs";
import { answer, drawn, open, path, preset, request, resources, timeline, tree, watches } from "./page.mjs";

test.use({ view: "" });

const views = (page) => page.getByRole("navigation", { name: "Views" });
const choose = (page, name) => views(page).getByRole("link", { name, exact: true }).click();
const chosen = (page) => views(page).locator("[aria-current=page]");
const VIEWS = ["Request", "Cluster", "Watches", "Timeline", "Lab", "Access", "Overview"];
const SIZES = [[1280, 720], [853, 480], [844, 390], [820, 1180], [1920, 1080], [1440, 900]];
const PANES = ["resources", "request", "answer", "objects", "access", "watches", "timeline"];
/** The panes that each view has where there is room. */
const SHOWN = {
  Request: ["resources", "request", "answer", "watches", "timeline"],
  Cluster: ["resources", "objects", "watches", "timeline"],
  Watches: ["answer", "watches", "timeline"],
  Timeline: ["timeline"],
  Lab: ["watches", "timeline"],
  Access: ["access", "watches", "timeline"],
  Overview: ["resources", "request", "answer", "watches", "timeline"],
};

/** How many of these elements are whole within the pane and the window. */
const whole = (elements, pane) =>
  elements.evaluateAll((elements, pane) => {
    const frame = document.querySelector(pane).getBoundingClientRect();
    const [bottom, top] = [Math.min(frame.bottom, innerHeight), Math.max(frame.top, 0)];
    return elements.filter((element) => {
      const box = element.getBoundingClientRect();
      return box.height > 0 && box.top >= top && box.bottom <= bottom + 1;
    }).length;
  }, pane);

/** The lines of the response that are seen. */
const lines = (page) => whole(page.locator("#answer .json"), "#answer");

/** The lines of the body that are seen. */
const written = (page) => whole(request(page).locator(".cm-line"), "#request");

for (const [width, height] of SIZES) {
  test(`each view has its panes, and nothing sticks out: ${width}x${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("./");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    for (const name of VIEWS) {
      await choose(page, name);
      await expect(chosen(page)).toHaveText(name);
      const seen = async () => {
        const visible = await Promise.all(PANES.map((pane) => page.locator(`#${pane}`).isVisible()));
        return PANES.filter((_, number) => visible[number]);
      };
      if (width >= 1280 && height >= 720) await expect.poll(seen, name).toEqual(SHOWN[name]);
      else await expect.poll(async () => (await seen()).filter((pane) => !SHOWN[name].includes(pane)), name).toEqual([]);
      await drawn(page);
      const boxes = await page.locator(".pane:visible").evaluateAll((panes) => panes.map((pane) => pane.getBoundingClientRect().toJSON()));
      for (const [number, box] of boxes.entries()) {
        expect(box.right, name).toBeLessThanOrEqual(width);
        // Everything at once has its least height, and scrolls where there is less.
        if (name !== "Overview" || height >= 600) expect(box.bottom, name).toBeLessThanOrEqual(height);
        // Nothing lies over anything else.
        for (const other of boxes.slice(number + 1)) {
          const apart = box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top;
          expect(apart, `${name}: ${JSON.stringify([box, other])}`).toBe(true);
        }
      }
    }
  });
}

test("1280x720: 18 lines of a response and 14 of a body", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("./#GET/api/v1/namespaces/default/services/web");
  await expect(tree(page)).toContainText("sessionAffinity");
  await expect.poll(() => lines(page)).toBeGreaterThanOrEqual(18);
  await request(page).getByLabel("Method").selectOption("PUT");
  const body = request(page).getByRole("textbox", { name: "Body" });
  await body.focus();
  await expect(request(page).locator(".cm-editor")).toBeVisible();
  await body.fill(Array.from({ length: 40 }, (_, line) => `"line ${line}"`).join("\n"));
  await page.keyboard.press("Control+Home");
  await expect.poll(() => written(page)).toBeGreaterThanOrEqual(14);
});

for (const [width, height] of [[853, 480], [844, 390]]) {
  test(`${width}x${height}: request line, Send, and 6 lines of the response`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("./#GET/api/v1/namespaces/default/services/web");
    await expect(tree(page)).toContainText("ClusterIP");
    await expect.poll(() => lines(page)).toBeGreaterThanOrEqual(6);
    await expect.poll(() => whole(path(page), "#request")).toBe(1);
    await expect.poll(() => whole(request(page).getByRole("button", { name: "Send" }), "#request")).toBe(1);
  });
}

test("Back and Forward go through views and requests, and send nothing", async ({ page }) => {
  await open(page);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await preset(page, "List");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await choose(page, "Timeline");
  await expect(timeline(page).getByRole("tab", { name: "Requests" })).toBeVisible();
  await timeline(page).getByRole("tab", { name: "Requests" }).click();
  const table = timeline(page).getByRole("table", { name: "Requests, oldest first" });
  await expect(table.getByRole("row").filter({ hasText: "create" })).not.toHaveCount(0);
  const sent = Number(await table.getAttribute("aria-rowcount"));
  await page.goBack();
  await expect(chosen(page)).toHaveText("Request");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await page.goBack();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(request(page).getByLabel("Method")).toHaveValue("POST");
  await page.goForward();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(request(page).getByLabel("Method")).toHaveValue("GET");
  await page.goForward();
  await expect(chosen(page)).toHaveText("Timeline");
  // The engine has answered everything that was asked before this.
  await choose(page, "Request");
  await path(page).fill("/version");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(tree(page)).toContainText("gitVersion");
  await choose(page, "Timeline");
  await expect(table).toHaveAttribute("aria-rowcount", String(sent + 1));
});

test("a view has an address, and is the one of the next visit", async ({ page }) => {
  // Who only looks at what a link leads to has chosen nothing.
  await page.goto("./?view=timeline");
  await expect(chosen(page)).toHaveText("Timeline");
  await page.goto("./");
  await expect(chosen(page)).toHaveText("Request");
  await choose(page, "Lab");
  await expect(page).toHaveURL(/\?view=lab/);
  await expect(watches(page).getByRole("tab", { name: "API servers" })).toHaveAttribute("aria-selected", "true");
  await page.goto("./");
  await expect(chosen(page)).toHaveText("Lab");
  await page.goto("./?view=nonsense");
  await expect(chosen(page)).toHaveText("Lab");
});

test("what one turns to comes into view", async ({ page }) => {
  await open(page);
  // A watch in the strip leads to its events; an event to the response beside them.
  await watches(page).getByRole("button", { name: /default\/configmaps/ }).click();
  await expect(chosen(page)).toHaveText("Watches");
  await watches(page).getByRole("button", { name: /MODIFIED settings/ }).click();
  await expect(chosen(page)).toHaveText("Watches");
  await expect(tree(page)).toContainText("settings");
  await watches(page).getByRole("tab", { name: "Race" }).click();
  await expect(chosen(page)).toHaveText("Lab");
  // What is sent is answered in view.
  await page.keyboard.press("Control+Enter");
  await expect(chosen(page)).toHaveText("Request");
  await choose(page, "Cluster");
  await resources(page).getByRole("button", { name: /^pods/ }).click();
  await expect(page.locator("#objects")).toContainText("web-0");
  await expect(chosen(page)).toHaveText("Cluster");
});

test("the strip tells what each watch has brought last", async ({ page }) => {
  await open(page);
  await preset(page, "Create");
  await expect(watches(page).getByRole("button", { name: /A default\/configmaps.*ADDED note-/ })).toBeVisible();
  await preset(page, "Watch");
  await expect(watches(page).getByRole("button")).toHaveCount(2);
});

test("the options fold where there is little height, and say what they are", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page);
  const options = request(page).getByRole("button", { name: /^Options/ });
  await expect(options).toContainText("Accept JSON");
  await expect(request(page).getByLabel("Act as")).toBeHidden();
  await options.click();
  await request(page).getByLabel("Act as").selectOption("alice");
  await request(page).getByLabel("Accept").selectOption({ label: "YAML" });
  await options.click();
  await expect(options).toContainText("Accept YAML · Act as alice");
  await page.setViewportSize({ width: 1280, height: 900 });
  await expect(options).toBeHidden();
  await expect(request(page).getByLabel("Act as")).toBeVisible();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in any view: ${colorScheme}`, async ({ page, axe }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1280, height: 720 });
    await open(page);
    for (const name of VIEWS) {
      await choose(page, name);
      await axe();
    }
  });
}
