import { expect, test } from "./fixtures.mjs";
import { clearParams, open, path, preset, request, timeline, watch, watches } from "./page.mjs";

const COLLECTION = "/api/v1/namespaces/default/configmaps";

/** Opens the page with the requests beside the ribbon, in their wide form if there is room. */
async function start(page) {
  await open(page);
  await timeline(page).getByRole("tab", { name: "Requests" }).click();
  await complete(page);
}

/** Waits until the last of the requests that the page sends when it opens has its response. */
async function complete(page) {
  await expect(table(page)).toHaveAttribute("aria-rowcount", "11");
  await expect(rows(page).last().locator(".code")).toHaveText("200");
}

const table = (page) => timeline(page).getByRole("table", { name: "Requests, oldest first" });
const rows = (page) => table(page).locator("[role=row].exchange").filter({ has: page.getByRole("button") });
const why = (page) => timeline(page).locator("#waterfall-why");

/** Sends a GET, whatever stands in the form, and gives its row once it has been answered. */
async function get(page, target) {
  const last = Number(await table(page).getAttribute("aria-rowcount"));
  await request(page).getByLabel("Method").selectOption("GET");
  await clearParams(page);
  await path(page).fill(target);
  await request(page).getByRole("button", { name: "Send" }).click();
  const row = table(page).locator(`[role=row][aria-rowindex="${last + 1}"]`);
  await expect(row.locator(".code")).toHaveText(/\d{3}/);
  return row;
}

/** What a row says it asked for and what served it, and its sentence. */
async function says(page, row, asked, sentence) {
  await expect(row.locator(".from")).toHaveText(asked);
  await row.getByRole("button").focus();
  await expect(why(page)).toHaveText(sentence);
}

test("each read says what it asked for, what served it, and why", async ({ page }) => {
  await start(page);
  const list = await get(page, COLLECTION);
  await says(page, list, /^most recent → 1\d{4} cache$/, /Most recent: the watch cache had come as far as the store/);
  await expect(list.getByRole("button")).toHaveText("list default/configmaps");
  const any = await get(page, `${COLLECTION}?resourceVersion=0`);
  await says(page, any, /^any → 1\d{4} cache$/, /resourceVersion=0: whatever the watch cache had, which was 1\d{4}, as new as/);
  const newer = await get(page, `${COLLECTION}?resourceVersion=10250`);
  await says(page, newer, /^not older than 10250 → 1\d{4} cache$/, /Not older than 10250: the watch cache had 1\d{4}, so it answered with that/);
  const exact = await get(page, `${COLLECTION}?resourceVersion=10250&resourceVersionMatch=Exact`);
  await says(page, exact, "exactly 10250 → 10250 snapshot", /Exactly 10250: out of a snapshot\./);
  const one = await get(page, `${COLLECTION}/greeting`);
  await says(page, one, /^most recent → 1\d{4} store$/, /one object without a resourceVersion is read from the store/);
  const version = await get(page, "/version");
  await says(page, version, "– → –", /without the store/);
});

test("pages go on from one another", async ({ page }) => {
  await start(page);
  const first = await get(page, `${COLLECTION}?limit=1`);
  await expect(first.getByRole("button")).toHaveText("list default/configmaps limit=1");
  const revision = await first.locator(".serves .rv").textContent();
  await page.getByRole("region", { name: "Response" }).getByRole("tab", { name: "Raw" }).click();
  const raw = page.getByRole("region", { name: "Response" }).locator("pre.raw");
  await expect(raw).toContainText('"continue"');
  const token = (await raw.textContent()).match(/"continue": ?"([^"]+)"/)[1];
  const second = await get(page, `${COLLECTION}?limit=1&continue=${token}`);
  await says(page, second, new RegExp(`^continue of ${revision} → ${revision} `), new RegExp(`Page 2 of the .* ${revision}`));
  await expect(second.locator("svg .links")).toHaveCount(1);
});

test("writes say what they made, and what a conflict was about", async ({ page }) => {
  await start(page);
  await preset(page, "Update, stale");
  const [update, stale] = [rows(page).nth(-2), rows(page).last()];
  await expect(stale.locator(".code")).toHaveText("409");
  await expect(update.locator(".from")).toHaveText(/^if still \d+ → wrote \d+$/);
  const [, sent, at] = (await update.locator(".from").textContent()).match(/^if still (\d+) → wrote (\d+)$/);
  await says(page, update, /if still/, new RegExp(`^#\\d+ The object was still at ${sent}, as was sent, so this made revision ${at}\\.$`));
  await says(page, stale, /^if still/, new RegExp(`^#\\d+ Conflict: sent ${sent}, the object is at ${at}\\. Nothing was written\\.$`));
  await expect(watches(page).locator(".rv.lit")).toHaveText([at, at]);
});

test("the bar of a watch grows with what comes, and ends with it", async ({ page }) => {
  await start(page);
  await table(page).locator("[role=row] button").last().focus();
  await page.keyboard.press("Home");
  const row = table(page).locator('[role=row][aria-rowindex="4"]');
  const bar = row.locator("svg");
  await expect(bar).toHaveAttribute("data-open", "true");
  await expect(bar).toHaveAttribute("data-events", "3");
  await expect(row.locator(".from")).toHaveText(/^from 1\d{4} → 1\d{4} cache, live$/);
  await preset(page, "Create");
  await expect(bar).toHaveAttribute("data-events", "4");
  await page.keyboard.press("Home");
  await watch(page, "A").getByRole("button", { name: "Stop" }).click();
  await expect(bar).toHaveAttribute("data-open", "false");
  await says(page, row, /cache$/, /every change after it is sent, in order, and none twice\. This page closed it\./);
  await watch(page, "A").getByRole("button", { name: /^Resume from / }).click();
  await row.getByRole("button").press("End");
  const resumed = rows(page).last();
  await expect(resumed.locator("svg")).toHaveAttribute("data-open", "true");
  await watch(page, "A").getByRole("button", { name: "Cut" }).click();
  await expect(resumed.locator("svg")).toHaveAttribute("data-open", "false");
  await says(page, resumed, /^from 1\d{4}/, /The connection broke: cut here\./);
});

test("copies' requests are there, and a cut one says so", async ({ page }) => {
  await start(page);
  await watches(page).getByRole("button", { name: "Keep a copy" }).click();
  await expect(rows(page).last().getByRole("button")).toHaveText("watch default/configmaps");
  await expect(rows(page).last()).toContainText("copy");
  await expect(rows(page).last().locator(".from")).toHaveText(/^initial events → 1\d{4} \w+, live$/);
  const card = watches(page).getByRole("article", { name: "Copy of default/configmaps" });
  await card.getByRole("button", { name: "Cut" }).click();
  await expect(rows(page).last().locator(".code")).toHaveText("none");
  await rows(page).last().getByRole("button").focus();
  await expect(why(page)).toContainText("No response came: cut.");
});

test("an open row compares the media types, and sends again", async ({ page }) => {
  await start(page);
  const row = await get(page, COLLECTION);
  await row.getByRole("button").press("Enter");
  const opened = table(page).locator(".opened");
  await expect(opened).toContainText("Most recent");
  await opened.getByRole("button", { name: "Compare media types" }).click();
  const compared = opened.getByRole("table", { name: "The same response in every media type" });
  await expect(compared.getByRole("row")).toHaveCount(8);
  await expect(compared.getByRole("row", { name: /^JSON/ })).toContainText("1.00×");
  await expect(compared.getByRole("row", { name: /^Protobuf/ })).toContainText(/0\.\d\d×/);
  const count = Number(await table(page).getAttribute("aria-rowcount"));
  await opened.getByRole("button", { name: "Send again" }).click();
  await expect(table(page)).toHaveAttribute("aria-rowcount", String(count + 1));
});

test("the keyboard goes through the rows, and opens them", async ({ page }) => {
  await start(page);
  await rows(page).last().getByRole("button").focus();
  await page.keyboard.press("Home");
  const focused = page.locator("button:focus");
  await expect(focused).toHaveText("list namespaces");
  await page.keyboard.press("ArrowDown");
  await expect(focused).toHaveText("list default/configmaps");
  await expect(table(page).locator("button[tabindex='0']")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(focused).toHaveAttribute("aria-expanded", "true");
  await expect(table(page).locator(".opened")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(table(page).locator(".opened")).toHaveCount(0);
  await page.keyboard.press("End");
  // The row may have to be built first, and is gone to in the next frame.
  await expect(rows(page).last().getByRole("button").first()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(focused).toHaveText("update default/configmaps/settings");
  const bars = timeline(page).getByRole("button", { name: "Show less time" });
  await bars.click();
  await timeline(page).getByRole("button", { name: "Fit" }).click();
  await expect(timeline(page).getByRole("button", { name: "Fit" })).toHaveAttribute("aria-pressed", "true");
});

test("hundreds of requests are a few rows", async ({ page }) => {
  await start(page);
  await get(page, COLLECTION);
  await rows(page).last().getByRole("button").press("Enter");
  const again = table(page).locator(".opened").getByRole("button", { name: "Send again" });
  for (let n = 0; n < 60; n++) await again.evaluate((button) => button.click());
  await expect(table(page)).toHaveAttribute("aria-rowcount", /^[67]\d$/);
  await expect.poll(() => rows(page).count()).toBeLessThan(30);
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing in the requests: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await page.goto("./");
      if (width < 760) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Timeline" }).click();
      await timeline(page).getByRole("tab", { name: "Requests" }).click();
      await complete(page);
      await rows(page).last().getByRole("button").press("Enter");
      const compare = table(page).getByRole("button", { name: "Compare media types" });
      await compare.click();
      await expect(table(page).getByRole("table")).toBeVisible();
      await axe({ include: ".details" });
      const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sticksOut).toBe(false);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/waterfall-${colorScheme}-${width}.png` });
    });
  }
}
