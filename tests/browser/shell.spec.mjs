// What is there before the page's code is: the frame in index.html, and how the page takes its place.
import { expect, test } from "./fixtures.mjs";
import { answer, open, request, timeline, watches } from "./page.mjs";

test.use({ view: "" });

/** What must not move. */
const PLACES = ["header", "main", "#resources", "#request", "#answer", "#watches", "#timeline", "#path", ".pane-head"];

/** Where these elements are. */
const places = (page) =>
  page.evaluate((places) => {
    const box = (place) => document.querySelector(place).getBoundingClientRect().toJSON();
    return Object.fromEntries(places.map((place) => [place, box(place)]));
  }, PLACES);

/** The files of code that are loaded after the page and the core of its engine. */
const CHUNK = /(split_|chunk)\w*\.wasm$|later-\w+\.css$/;

for (const [width, height] of [[1280, 720], [1440, 900], [844, 390], [390, 844]]) {
  test(`the frame needs no script, and nothing moves when the page comes alive: ${width} px`, async ({ page, browser, baseURL }) => {
    const viewport = { width, height };
    const context = await browser.newContext({ javaScriptEnabled: false, viewport, baseURL });
    const still = await context.newPage();
    await still.goto("./");
    await expect(still.locator("noscript p")).toBeVisible();
    await expect(still.locator("#request").getByText("Send", { exact: true })).toBeVisible();
    await expect(still.locator("#path")).toHaveValue("/api/v1/namespaces/default/configmaps");
    await page.setViewportSize(viewport);
    // Nothing of the engine comes: the page stays as it is at first.
    await page.route("**/engine-*/*", () => {});
    await page.goto("./");
    await expect(page.locator("#start")).toHaveCount(0);
    await expect(page.getByText("Loading the API server")).toBeVisible();
    expect(await places(page)).toEqual(await places(still));
    await context.close();
  });
}

test("nothing moves while the page is loaded, but what a new write moves", async ({ page }) => {
  await page.addInitScript(() => {
    window.shifts = [];
    const element = (node) => (node instanceof Element ? node : node?.parentElement);
    const note = ({ value, sources }) => {
      const moved = sources.map(({ node }) => element(node)).filter((node) => node && !node.closest(".log, .labels, .event"));
      if (moved.length) window.shifts.push({ value, moved: moved.map((node) => node.outerHTML.slice(0, 80)) });
    };
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: "layout-shift", buffered: true });
  });
  await open(page);
  const shifts = await page.evaluate(() => window.shifts);
  const sum = shifts.reduce((sum, { value }) => sum + value, 0);
  expect(sum, JSON.stringify(shifts, null, 1)).toBeLessThan(0.0005);
});

test("the first response needs the page and the core of the engine, no more", async ({ page }) => {
  const loaded = [];
  let release;
  const held = new Promise((resolve) => (release = resolve));
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname.split("/").at(-1)));
  await page.route(CHUNK, (route) => held.then(() => route.continue()));
  await page.goto("./");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  const first = loaded.filter((file) => !CHUNK.test(file)).map((file) => file.replace(/-[0-9a-f]{16}/, ""));
  // A browser without windows has no place for the icon, and does not fetch it.
  expect(first.filter((file) => file !== "icon.svg").sort()).toEqual(
    [
      ["", "boot.js", "style.css"],
      ["page.js", "__wasm_split.js", "page_bg.wasm"],
      ["worker.js", "engine.js", "__wasm_split.js", "engine_bg.wasm"],
    ].flat().sort(),
  );
  // What stands for a part that is not there yet cannot be used, and is no part of what is read aloud.
  await expect(timeline(page).locator(".frame[inert]")).toContainText("Follow");
  release();
  await expect(timeline(page).locator(".ribbon").getByText("all writes")).toBeVisible();
  await expect(watches(page).getByText("MODIFIED")).toBeVisible();
});

test.describe("where a file of code cannot be fetched", () => {
  test.use({ expectedErrors: [/split_panes|split_more|later-|page_bg|__wasm_split|cannot be loaded/] });

  test("a part of the page says so, and can be tried again", async ({ page }) => {
    await page.route(/split_panes/, (route) => route.abort());
    await page.goto("./");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    // Its heading is not there either, so that it has no name.
    const place = page.locator("#timeline");
    await expect(place.getByRole("alert")).toContainText("could not be loaded");
    await page.unroute(/split_panes/);
    await place.getByRole("button", { name: "Try again" }).click();
    await expect(timeline(page).locator(".ribbon").getByText("all writes")).toBeVisible();
    await request(page).getByRole("button", { name: "Send" }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  });

  test("what a button needs says so, and the button works once it is there", async ({ page }) => {
    await page.route(/split_more/, (route) => route.abort());
    await page.goto("./");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    const another = request(page).getByRole("button", { name: "Open another request" });
    await another.click();
    const notice = page.getByRole("status").filter({ hasText: "The code for this could not be loaded. Try again." });
    await expect(notice).toBeVisible();
    await notice.getByRole("button", { name: "Close" }).click();
    await expect(notice).toBeHidden();
    await page.unroute(/split_more/);
    await another.click();
    await expect(request(page).getByRole("tablist", { name: "Open requests" }).getByRole("tab")).toHaveCount(2);
  });

  test("no part is shown without its styles", async ({ page }) => {
    await page.route(/later-\w+\.css/, (route) => route.abort());
    await page.goto("./");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    const place = page.locator("#timeline");
    await expect(place.getByRole("alert")).toContainText("could not be loaded");
    await page.unroute(/later-\w+\.css/);
    await place.getByRole("button", { name: "Try again" }).click();
    await expect(timeline(page).locator(".ribbon").getByText("all writes")).toBeVisible();
    await expect(page.locator("link[rel=stylesheet]")).toHaveCount(2);
  });

  test("a page that cannot be started says so in its frame", async ({ page }) => {
    await page.route(/page_bg/, (route) => route.fulfill({ status: 500, body: "no" }));
    await page.goto("./");
    await expect(page.getByText("Kubeglass could not start")).toContainText("(500). Reload the page");
    await expect(page.locator("#start")).toHaveCount(1);
  });
});
