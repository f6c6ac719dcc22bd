import { expect, test } from "./fixtures.mjs";
import { answer, filled, open, path, preset, request, resources, timeline, watch, watches } from "./page.mjs";

test.beforeEach(({ page }) => open(page));

test("a watch brings each change with type, object and version", async ({ page }) => {
  await preset(page, "Create");
  const line = watch(page, "A").getByRole("listitem").first();
  await expect(line).toContainText("ADDED");
  await expect(line).toContainText(/note-[a-z0-9]{5}/);
  await expect(line).toContainText(/\d{5}/);
  await line.getByRole("button").click();
  await expect(answer(page).getByRole("tree")).toContainText('"type": "ADDED"');
  await expect(resources(page).getByTitle("List configmaps")).toContainText("3");
});

test("list, then watch: the version of the list is where the watch begins", async ({ page }) => {
  await preset(page, "Watch");
  await expect(watch(page, "B")).toBeVisible();
  const version = await request(page).getByLabel("resourceVersion=").inputValue();
  await expect(watch(page, "B").locator(".watch-head")).toContainText(version);
  await preset(page, "Create");
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(1);
});

test("a bookmark is seen as one", async ({ page }) => {
  await page.getByLabel("Clock").selectOption("60×");
  await expect(watch(page, "A").getByText("BOOKMARK").first()).toBeVisible();
});

test("a paused watch holds events back and loses none", async ({ page }) => {
  const a = watch(page, "A");
  const lines = await a.getByRole("listitem").count();
  await a.getByRole("button", { name: "Pause" }).click();
  await preset(page, "Create");
  await expect(a.getByText("1 waiting")).toBeVisible();
  await expect(a.getByRole("listitem")).toHaveCount(lines);
  await a.getByRole("button", { name: "Go on" }).click();
  await expect(a.getByRole("listitem")).toHaveCount(lines + 1);
});

test("a stopped watch resumes from the last version it has seen, and misses nothing", async ({ page }) => {
  const a = watch(page, "A");
  const seen = await a.getByRole("listitem").first().locator(".rv").innerText();
  await a.getByRole("button", { name: "Stop" }).click();
  await expect(a.getByText("Stopped")).toBeVisible();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(a.getByText("ADDED")).toHaveCount(2);
  await a.getByRole("button", { name: `Resume from ${seen}` }).click();
  await expect(a.getByText(`Resumed from ${seen}`)).toBeVisible();
  await expect(a.getByText("ADDED")).toHaveCount(3);
});

test("a watch that is resumed twice at once is resumed once", async ({ page }) => {
  const a = watch(page, "A");
  const seen = await a.getByRole("listitem").first().locator(".rv").innerText();
  await a.getByRole("button", { name: "Stop" }).click();
  await a.getByRole("button", { name: `Resume from ${seen}` }).evaluate((button) => {
    button.click();
    button.click();
  });
  await expect(a.getByText(`Resumed from ${seen}`)).toBeVisible();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(a.getByText("ADDED")).toHaveCount(3);
  await expect(a.getByText(`Resumed from ${seen}`)).toHaveCount(1);
});

test("a watch from a compacted version is gone, in words", async ({ page }) => {
  await preset(page, "Watch, compacted");
  await expect(watch(page, "B").getByText("410 Expired")).toBeVisible();
  await expect(watch(page, "B").getByRole("group", { name: "Gone" })).toContainText("too old resource version");
  await expect(answer(page).getByRole("group", { name: "Gone" })).toContainText("List again");
  await watch(page, "B").getByRole("button", { name: "Watch anew" }).click();
  await expect(watch(page, "B").getByRole("button", { name: "Stop" })).toBeVisible();
});

test("a watch that is stopped can be removed", async ({ page }) => {
  await watch(page, "A").getByRole("button", { name: "Stop" }).click();
  await watch(page, "A").getByRole("button", { name: "Remove" }).click();
  await expect(watches(page).getByText("No watch is open.")).toBeVisible();
  await watches(page).getByRole("button", { name: "Watch configmaps" }).click();
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(2);
});

test("a version lights up wherever it stands", async ({ page }) => {
  const line = watch(page, "A").getByRole("listitem").first();
  const version = await line.locator(".rv").innerText();
  await line.locator(".rv").hover();
  await expect(answer(page).locator(".rv.lit", { hasText: version }).first()).toBeVisible();
  await expect(timeline(page).locator(".readout")).toContainText(`revision ${version}, configmaps/`);
});

test("compaction moves the floor, and older versions are gone", async ({ page }) => {
  await filled(page);
  const slider = timeline(page).getByRole("slider", { name: "Revision" });
  await slider.press("End");
  await expect(slider).toHaveValue("10255");
  const head = await slider.inputValue();
  await preset(page, "Create");
  await preset(page, "Create");
  await timeline(page).getByRole("button", { name: "Follow" }).click();
  await timeline(page).getByRole("button", { name: `Compact to ${Number(head) + 2}` }).click();
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(`/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=${head}`);
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(watch(page, "B").getByText("410 Expired")).toBeVisible();
});

test("a watch has the same hue in its card, on the ribbon and in the log", async ({ page }) => {
  await preset(page, "Watch");
  const hues = [];
  for (const letter of ["A", "B"]) {
    const card = watch(page, letter).locator(".letter");
    const hue = await card.evaluate((card) => getComputedStyle(card).backgroundColor);
    await expect(timeline(page).locator(`[data-letter=${letter}]`)).toHaveCSS("color", hue);
    await expect(timeline(page).locator(".log-top .rail", { hasText: letter })).toHaveCSS("color", hue);
    hues.push(hue);
  }
  expect(hues[0]).not.toBe(hues[1]);
});
