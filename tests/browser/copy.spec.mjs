import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, timeline, watches } from "./page.mjs";

const COLLECTION = "/api/v1/namespaces/default/configmaps";

/** Starts a copy of what the form's path leads into, and gives its card. */
async function keep(page, target = "default/configmaps") {
  await watches(page).getByRole("button", { name: "Keep a copy" }).click();
  const card = watches(page).getByRole("article", { name: `Copy of ${target}` });
  await expect(card).toContainText("same as the server");
  return card;
}

const decisions = (card) => card.getByRole("list", { name: "What the copy decided, newest first" }).getByRole("listitem");
const decision = (card, text) => decisions(card).filter({ hasText: text });

/** Sends a GET, whatever stands in the form. */
async function get(page, target) {
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(target);
  await request(page).getByRole("button", { name: "Send" }).click();
}

test("a copy follows its collection, and says how it came to be", async ({ page }) => {
  await open(page);
  const card = await keep(page);
  await expect(card).toContainText(/Synced at \d{5}, 2 objects, same as the server/);
  await expect(decisions(card)).toHaveCount(2);
  await expect(decisions(card).first()).toHaveText(/^\d\d:\d\d:\d\d ?synced at \d{5}, with 2 objects$/);
  await expect(decisions(card).last()).toContainText("list as a stream, from the newest state");
  await preset(page, "Create");
  await expect(card).toContainText(/3 objects, same as the server/);
  await card.getByRole("combobox", { name: "How the copy comes" }).selectOption("List, then watch");
  await expect(decisions(card).first()).toContainText(/watch from \d{5}/);
  await expect(decisions(card).last()).toContainText("list, from whatever state is at hand");
  await expect(card).toContainText(/3 objects, same as the server/);
});

test("a copy that is cut off falls behind, and lists again when its version has expired", async ({ page }) => {
  await open(page);
  const card = await keep(page);
  await preset(page, "Create");
  await expect(card).toContainText("3 objects, same as the server");
  await card.getByRole("button", { name: "Cut" }).click();
  await expect(decision(card, "the connection broke (cut)")).toHaveCount(1);
  await expect(decision(card, /wait \d\.\d s before trying again: no response came \(cut\)/).first()).toBeVisible();
  await preset(page, "Create");
  await preset(page, "Create");
  await expect(card).toContainText("2 behind");
  await timeline(page).getByRole("button", { name: "Follow" }).click();
  await timeline(page).getByRole("button", { name: /^Compact to/ }).click();
  await page.getByLabel("Clock").selectOption("10×");
  await card.getByRole("button", { name: "Mend" }).click();
  await expect(decision(card, /again, from \d{5} or newer: the version to go on from has expired/)).toHaveCount(1);
  await expect(card).toContainText("5 objects, same as the server");
});

test("a copy is of the collection that the form's path leads into, and can be stopped and removed", async ({ page }) => {
  await open(page);
  await path(page).fill("/apis/apps/v1/namespaces/default/deployments/web");
  const card = await keep(page, "apps/v1/default/deployments");
  await expect(card).toContainText("1 object,");
  await card.getByRole("button", { name: "Stop" }).click();
  await card.getByRole("button", { name: "Start anew" }).click();
  await expect(card).toContainText("same as the server");
  await card.getByRole("button", { name: "Stop" }).click();
  await card.getByRole("button", { name: "Remove" }).click();
  await expect(card).toHaveCount(0);
});

test("a copy of a remote cluster goes by the browser's clock", async ({ page }) => {
  const event = (type, metadata) => JSON.stringify({ type, object: { kind: "ConfigMap", metadata } });
  const end = { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } };
  const stream = [event("ADDED", { name: "a", namespace: "default", resourceVersion: "7" }), event("BOOKMARK", end)];
  await page.route("**/remote/**", (route) => route.fulfill({ contentType: "application/json", body: stream.join("\n") }));
  await open(page);
  await page.getByRole("combobox", { name: "Cluster" }).selectOption("remote");
  await watches(page).getByRole("button", { name: "Keep a copy" }).click();
  const card = watches(page).getByRole("article", { name: "Copy of default/configmaps" });
  await expect(card).toContainText(/Synced at 9, 1 object/);
  await expect(card).not.toContainText("same as the server");
  // The stream is over at once: that is waited for, in real seconds.
  await expect(decision(card, "list as a stream again, from 9 or newer").first()).toBeVisible();
  await page.getByRole("combobox", { name: "Cluster" }).selectOption("this tab");
  await expect(card).toHaveCount(0);
});

test("a response says where it was read from", async ({ page }) => {
  await open(page);
  const head = answer(page).locator(".answer-head");
  await get(page, COLLECTION);
  await expect(head).toContainText(/from the watch cache at 1\d{4}/);
  await get(page, `${COLLECTION}/greeting`);
  await expect(head).toContainText(/from the store at 1\d{4}/);
  await get(page, `${COLLECTION}?resourceVersion=10250&resourceVersionMatch=Exact`);
  await expect(head).toContainText("from a snapshot at 10250");
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`axe finds nothing in a copy: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("./");
      if (width < 760) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Watches" }).click();
      await expect(watches(page).getByText("MODIFIED")).toBeVisible();
      const card = await keep(page);
      await card.getByRole("button", { name: "Cut" }).click();
      await expect(decision(card, "no response came (cut)").first()).toBeVisible();
      await axe({ include: "#watches" });
      await card.getByRole("list", { name: "What the copy decided" }).focus();
      const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sticksOut).toBe(false);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/copy-${colorScheme}-${width}.png` });
    });
  }
}
