// The first minute: one sentence, three ways in, and a tour that points at what it tells.
import { expect, test } from "./fixtures.mjs";
import { answer, drawn, open, path, preset, request, watches } from "./page.mjs";

test.use({ view: "", welcome: true });

const LIST = "/api/v1/namespaces/default/configmaps";
const welcome = (page) => page.locator(".welcome");
const card = (page) => page.locator(".tour");
const next = (page) => card(page).getByRole("button", { name: "Next" });
const take = (page) => request(page).getByRole("button", { name: /tour$/ });

/** Waits for a step, and for what it does. */
async function step(page, number, title) {
  await expect(card(page)).toContainText(`${number} of 8`);
  await expect(card(page).getByRole("heading")).toHaveText(title);
  await expect(card(page).getByRole("button", { name: "Do it again" })).toBeEnabled();
}

/** Waits for the first step, and until the card has the focus, which it gets once it has its place. */
async function begun(page) {
  await step(page, 1, "A cluster in this tab");
  await expect(next(page)).toBeFocused();
}

/** Goes from the first step to the last one, through what all of them do. */
async function toTheEnd(page) {
  for (let number = 1; number < 8; number += 1) {
    await expect(card(page)).toContainText(`${number} of 8`);
    await expect(card(page).getByRole("button", { name: "Do it again" })).toBeEnabled();
    await next(page).click();
  }
}

/** Holds back the code that keeps clusters. Returns what lets it come. */
async function withoutKeeping(page) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/split_keeping.wasm", async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Whether the card lies over the place that it points at. */
async function overlap(page, place) {
  const [one, other] = [await card(page).boundingBox(), await page.locator(place).boundingBox()];
  const apart = (a, b, side, size) => a[side] + a[size] <= b[side] || b[side] + b[size] <= a[side];
  return !apart(one, other, "x", "width") && !apart(one, other, "y", "height");
}

test("who comes for the first time is welcomed once, with three ways in", async ({ page, axe }) => {
  await open(page);
  await expect(welcome(page)).toContainText("A Kubernetes API server runs in this tab.");
  await axe({ include: ".welcome" });
  // It lies in the pane of the request, and over nothing else.
  const [own, pane] = await Promise.all([welcome(page).boundingBox(), page.locator("#request").boundingBox()]);
  expect(own.x >= pane.x && own.x + own.width <= pane.x + pane.width).toBe(true);
  expect(own.y >= pane.y && own.y + own.height <= pane.y + pane.height).toBe(true);
  await welcome(page).getByRole("button", { name: "Send a request" }).click();
  await expect(path(page)).toBeFocused();
  await expect(welcome(page)).toHaveCount(0);
  await page.reload();
  await expect(take(page)).toBeVisible();
  await expect(welcome(page)).toHaveCount(0);
});

test("the welcome leaves whoever works already", async ({ page }) => {
  await open(page);
  await expect(welcome(page)).toBeVisible();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(welcome(page)).toHaveCount(0);
});

test("the welcome leaves whoever looks around", async ({ page }) => {
  await open(page);
  await expect(welcome(page)).toBeVisible();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Lab" }).click();
  await expect(welcome(page)).toHaveCount(0);
  await page.reload();
  await expect(page.locator(".welcome")).toHaveCount(0);
});

test("the tour goes through eight steps, each beside its place, and takes back what it did", async ({ page, axe }) => {
  await open(page);
  await welcome(page).getByRole("button", { name: "Take the tour" }).click();
  await begun(page);
  await axe({ include: ".tour" });
  await expect(page.locator("main")).toHaveAttribute("data-tour", "answer");
  await expect.poll(() => overlap(page, "#answer")).toBe(false);
  await page.keyboard.press("Enter");
  await step(page, 2, "One counter for everything");
  await expect.poll(() => overlap(page, "#timeline")).toBe(false);
  await next(page).click();
  await step(page, 3, "A write makes a revision");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await next(page).click();
  await step(page, 4, "A watch hears of it");
  await expect(watches(page).getByRole("button", { name: /MODIFIED tour/ })).toBeVisible();
  await expect.poll(() => overlap(page, "#watches")).toBe(false);
  await next(page).click();
  await step(page, 5, "Somebody else was faster");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await step(page, 6, "Read, change, write");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  // Going back shows what was, and does nothing.
  await card(page).getByRole("button", { name: "Back" }).click();
  await step(page, 5, "Somebody else was faster");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  await next(page).click();
  await next(page).click();
  await step(page, 7, "What is forgotten");
  await expect(answer(page).getByText("too old resource version: 1")).toBeVisible();
  await next(page).click();
  await step(page, 8, "Now it is yours");
  await card(page).getByRole("button", { name: "Finish, and take it all back" }).click();
  await expect(card(page)).toBeHidden();
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(`${LIST}/tour`);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test("a cluster that was changed is left alone, and returned to", async ({ page }) => {
  await open(page);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await take(page).click();
  await begun(page);
  await expect(answer(page)).not.toContainText("note-");
  await page.keyboard.press("Escape");
  await expect(card(page)).toBeHidden();
  await expect(take(page)).toHaveText("Take the tour");
  await page.getByRole("button", { name: "Keep, undo, export, share" }).click();
  await page.getByRole("button", { name: /^Open: Revision 10256/ }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
});

test("the tour waits for what keeps the cluster that was changed", async ({ page }) => {
  const release = await withoutKeeping(page);
  await open(page);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await take(page).click();
  // It has begun to wait when its code is there.
  await expect(card(page)).toHaveCount(1);
  await drawn(page);
  await expect(card(page)).toBeHidden();
  release();
  await begun(page);
  await expect(answer(page)).not.toContainText("note-");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep, undo, export, share" }).click();
  await page.getByRole("button", { name: /^Open: Revision 10256/ }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
});

test("the tour stays until it has taken back what it did", async ({ page }) => {
  const release = await withoutKeeping(page);
  await open(page);
  await take(page).click();
  await toTheEnd(page);
  const finish = card(page).getByRole("button", { name: "Finish, and take it all back" });
  await finish.click();
  await expect(finish).toBeDisabled();
  await drawn(page);
  await expect(card(page)).toBeVisible();
  release();
  await expect(card(page)).toBeHidden();
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(`${LIST}/tour`);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test("where nothing is kept, the tour takes back its own and leaves what was there", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("kubeglass.kept", "off"));
  await open(page);
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill(LIST);
  await page.keyboard.press("Escape");
  await request(page).getByRole("textbox", { name: "Body" }).fill('{"metadata": {"name": "mine"}}');
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await take(page).click();
  await toTheEnd(page);
  await card(page).getByRole("button", { name: "Finish, and take it all back" }).click();
  await expect(card(page)).toBeHidden();
  for (const [name, status] of [["mine", "200 OK"], ["tour", "404 Not Found"]]) {
    await request(page).getByLabel("Method").selectOption("GET");
    await path(page).fill(`${LIST}/${name}`);
    await page.keyboard.press("Escape");
    await request(page).getByRole("button", { name: "Send", exact: true }).click();
    await expect(answer(page).getByText(status)).toBeVisible();
  }
});

test("the tour goes on where it was left", async ({ page }) => {
  await open(page);
  await take(page).click();
  await step(page, 1, "A cluster in this tab");
  await next(page).click();
  await step(page, 2, "One counter for everything");
  await next(page).click();
  await step(page, 3, "A write makes a revision");
  await card(page).getByRole("button", { name: "Stop the tour" }).click();
  await page.reload();
  await take(page).click();
  await step(page, 3, "A write makes a revision");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("each step turns to its place", async ({ page }) => {
    await page.goto("./");
    await welcome(page).getByRole("button", { name: "Take the tour" }).click();
    await step(page, 1, "A cluster in this tab");
    await expect(answer(page)).toBeVisible();
    await next(page).click();
    await step(page, 2, "One counter for everything");
    await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
    const inside = async () => {
      const box = await card(page).boundingBox();
      return box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844;
    };
    await expect.poll(inside).toBe(true);
  });
});
