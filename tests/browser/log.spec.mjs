// The log with rails: the ribbon's twin, to be read row by row.
import { expect, test } from "./fixtures.mjs";
import { drawn, filled, open, path, preset, request, timeline, watch } from "./page.mjs";

const log = (page) => timeline(page).getByRole("table", { name: "The writes of the cluster, newest first" });
/** The rows of the log's body, newest first. */
const rows = (page) => log(page).locator(".log-body > .log-row");
const row = (page, text) => rows(page).filter({ hasText: text }).first();
const button = (row) => row.getByRole("button").first();
const opened = (page) => log(page).locator(".log-opened");
/** A page that was last left with room for many rows. */
const room = (page) =>
  page.addInitScript(() => {
    if (location.protocol !== "about:") localStorage.setItem("kubeglass.panes", JSON.stringify({ bottom: 560, details: 760 }));
  });

test.use({ viewport: { width: 1280, height: 1100 } });

test.beforeEach(async ({ page }) => {
  await room(page);
  await open(page);
  // All that is written when the page opens is there.
  await filled(page);
  await expect(rows(page).first()).toContainText("10255");
});

test("every write is a row, newest first, with its verb, object and manager", async ({ page }) => {
  await preset(page, "Create");
  const first = rows(page).first();
  await expect(first).toContainText("configmaps/note-");
  await expect(first).toContainText("HEAD");
  await expect(first).toContainText("10256");
  await expect(first.locator(".log-verb")).toHaveText(/▲\s*A\s*POST ADDED/);
  await expect(first.locator(".log-time")).toHaveText(/^\d\d:\d\d:\d\d$/);
  const revisions = (await rows(page).locator(".log-rv").allInnerTexts()).map(Number);
  expect(revisions.length).toBeGreaterThan(5);
  expect(revisions).toEqual([...revisions].sort((a, b) => b - a));
  await expect(log(page)).toHaveAttribute("aria-rowcount", /^\d+$/);
  await expect(first).toHaveAttribute("aria-rowindex", "2");
});

test("a rail shows what its watch was sent", async ({ page }) => {
  await preset(page, "Create");
  const first = rows(page).first();
  await expect(first.locator(".log-rails")).toContainText("A ADDED");
  await expect(first.locator(".log-marks")).toContainText("Watch A has seen everything up to here");
  await expect(row(page, "pods/web-0").locator(".log-rails")).toContainText("A not concerned");
});

test("rows are walked and opened with the keyboard", async ({ page }) => {
  const newest = button(rows(page).first());
  await newest.focus();
  await page.keyboard.press("ArrowDown");
  await expect(button(rows(page).nth(1))).toBeFocused();
  await page.keyboard.press("End");
  const last = rows(page).last();
  await expect(last).toContainText("cannot be read (410 Gone)");
  // There is nothing to press in it.
  await expect(button(rows(page).nth(-2))).toBeFocused();
  await page.keyboard.press("Home");
  await expect(newest).toBeFocused();
  await expect(newest).toHaveAttribute("aria-label", /^\d+, .*configmaps\/settings/);
  await page.keyboard.press("Enter");
  await expect(newest).toHaveAttribute("aria-expanded", "true");
  await expect(opened(page)).toBeVisible();
  await expect(newest).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(opened(page)).toHaveCount(0);
  await expect(newest).toBeFocused();
});

test("an opened row tells what changed, and who manages it", async ({ page }) => {
  await button(rows(page).first()).click();
  const changed = opened(page).locator(".diff-line.swap", { hasText: '"theme"' });
  await expect(changed).toContainText('"theme": "quiet" → "calm"');
  await expect(changed.locator(".sign")).toHaveText("~");
  await expect(changed.locator(".owner")).toHaveText("k");
  await expect(changed).toContainText("managed by kubeglass");
  await expect(opened(page).getByRole("list", { name: "Who manages the fields" })).toContainText(/kubeglass \(Update, [\d:]{8}\)/);
  const fold = opened(page).getByRole("button", { name: /lines unchanged/ }).first();
  await fold.click();
  await expect(opened(page)).toContainText('"name": "settings"');
  await expect(opened(page).getByRole("button", { name: /managedFields/ })).toHaveAttribute("aria-expanded", "false");
});

test("what is new is added as a whole", async ({ page }) => {
  await preset(page, "Create");
  await button(row(page, "configmaps/note-")).click();
  await expect(opened(page).locator(".diff-line.plus").first()).toBeVisible();
  await expect(opened(page).locator(".diff-line.minus")).toHaveCount(0);
});

test("an opened row tells which watches got it, and why", async ({ page }) => {
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill("/api/v1/namespaces/default/configmaps?watch=true&labelSelector=app%3Ddb");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(watch(page, "B")).toBeVisible();
  await preset(page, "Create");
  await button(row(page, "configmaps/note-")).click();
  await expect(opened(page)).toContainText("Watch A: ADDED, the object came into being");
  await expect(opened(page)).toContainText("Watch B: nothing, neither before nor after does the object match app=db");
  await page.keyboard.press("Escape");
  await button(row(page, "pods/web-0")).click();
  await expect(opened(page)).toContainText("Watch A: nothing, it is about other objects");
});

test("rows of other resources fold, and unfold", async ({ page }) => {
  const all = await rows(page).count();
  await timeline(page).getByRole("button", { name: "Only configmaps" }).click();
  const fold = rows(page).getByRole("button", { name: /revisions of other resources/ }).first();
  await expect(fold).toBeVisible();
  await expect.poll(() => rows(page).count()).toBeLessThan(all);
  await expect(row(page, "pods/web-0")).toHaveCount(0);
  await fold.click();
  await expect(row(page, "pods/web-0")).toHaveCount(1);
  await timeline(page).getByRole("button", { name: "All" }).click();
  await expect(rows(page)).toHaveCount(all);
});

test("to open a row moves the cursor, but not from the newest", async ({ page }) => {
  const older = button(rows(page).nth(2));
  await older.click();
  await expect(older).toHaveAttribute("aria-current", "true");
  await expect(opened(page).getByRole("button", { name: "Show the page at this revision" })).toHaveAttribute("aria-pressed", "true");
  await button(rows(page).first()).click();
  await expect(rows(page).locator("[aria-current]")).toHaveCount(0);
});

test("thousands of revisions scroll, and few of them are drawn", async ({ page }) => {
  test.slow();
  const revisions = timeline(page).getByText(/^\d+ revisions$/);
  const before = parseInt(await revisions.textContent());
  await page.evaluate(async () => {
    const send = [...document.querySelectorAll("#request button")].find((button) => button.textContent.startsWith("Create"));
    for (let at = 0; at < 5000; at++) {
      send.click();
      if (at % 50 === 49) await new Promise((done) => requestAnimationFrame(done));
    }
  });
  await expect(revisions).toHaveText(`${before + 5000} revisions`, { timeout: 60_000 });
  await expect.poll(() => rows(page).count()).toBeLessThan(70);
  const scroller = timeline(page).locator(".log-scroll");
  const frames = await scroller.evaluate(async (element) => {
    const gaps = [];
    let last = await new Promise(requestAnimationFrame);
    for (let step = 0; step < 60; step++) {
      element.scrollTop += 1500;
      const now = await new Promise(requestAnimationFrame);
      gaps.push(now - last);
      last = now;
    }
    return gaps.sort((a, b) => a - b);
  });
  console.log(`frames while scrolling: median ${frames[30].toFixed(1)} ms, 95th ${frames[57].toFixed(1)} ms`);
  await expect.poll(() => rows(page).count()).toBeLessThan(70);
  await expect(rows(page).nth(10)).toBeInViewport();
  await drawn(page);
  // What one reads stays where it is when a row comes.
  const reading = rows(page).nth(15);
  const [text, place] = [await reading.locator(".log-rv").innerText(), await reading.boundingBox()];
  const count = Number(await log(page).getAttribute("aria-rowcount"));
  await preset(page, "Create");
  await expect(revisions).toHaveText(`${before + 5001} revisions`);
  await expect(log(page)).toHaveAttribute("aria-rowcount", String(count + 1));
  await drawn(page);
  expect((await row(page, text).boundingBox()).y).toBeCloseTo(place.y, 0);
  await timeline(page).getByRole("button", { name: "To the newest" }).click();
  await expect(rows(page).first()).toContainText("HEAD");
  await expect(rows(page).first()).toBeInViewport();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      test.slow();
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      if (width < 760) {
        await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Timeline" }).click();
      }
      await axe({ include: ".log" });
      await button(rows(page).first()).click();
      await expect(opened(page)).toBeVisible();
      await axe({ include: ".log" });
      await opened(page).getByRole("button", { name: /managedFields/ }).click();
      await timeline(page).getByRole("button", { name: /^Only/ }).click();
      await axe({ include: ".log" });
      const out = await page.evaluate(() => {
        const scroller = document.querySelector(".log-scroll");
        return [document.documentElement.scrollWidth > innerWidth, scroller.scrollWidth > scroller.clientWidth];
      });
      expect(out, "what sticks out").toEqual([false, false]);
    });
  }
}
