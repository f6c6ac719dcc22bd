import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, resources, timeline, tree, watch } from "./page.mjs";

const SETTINGS = "/api/v1/namespaces/default/configmaps/settings";

/** Says that the page shows the past. */
const past = (page) => page.getByRole("banner").locator(".past");

/** Opens the page at `revision` of the cluster, with the ConfigMap `settings` shown. */
async function openAt(page, revision, method = "GET") {
  await page.goto(`./#${revision}@${method}${SETTINGS}`);
  await expect(answer(page).getByText("As it was at")).toBeVisible();
}

/** The revision at which `settings` was written first while the page opened, with the theme `quiet`. */
const FIRST = 10250;

test("the page goes back to a revision, and follows again", async ({ page, axe }) => {
  test.slow();
  await openAt(page, FIRST);
  await expect(tree(page)).toContainText("quiet");
  await expect(tree(page)).not.toContainText("calm");
  await expect(past(page)).toContainText(`In the past, at${FIRST}`);
  // Counts and watches are those of then.
  const pods = resources(page).getByRole("button", { name: /^pods/ });
  await expect(pods).not.toContainText("1");
  await expect(watch(page, "A").getByText("1 later event")).toBeVisible();
  await expect(watch(page, "A").getByText("MODIFIED")).toHaveCount(0);
  await axe();
  await past(page).getByRole("button", { name: "Back to now" }).click();
  await expect(tree(page)).toContainText("calm");
  await expect(pods).toContainText("1");
  await expect(watch(page, "A").getByText("MODIFIED")).toBeVisible();
  await expect(past(page)).toBeHidden();
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#GET${SETTINGS}`);
});

test("the address of a revision leads there in a tab that goes on with its cluster, too", async ({ page }) => {
  await open(page, `#GET${SETTINGS}`);
  await expect(tree(page)).toContainText("calm");
  await page.getByRole("button", { name: "Keep, undo, export, share" }).click();
  await expect(page.getByRole("dialog", { name: "This cluster" }).getByText(/^Kept in this browser/)).toBeVisible();
  await page.goto("about:blank");
  await openAt(page, FIRST);
  await expect(tree(page)).toContainText("quiet");
  await past(page).getByRole("button", { name: "Back to now" }).click();
  await expect(tree(page)).toContainText("calm");
  await expect(watch(page, "A").getByText(/^Resumed from/)).toBeVisible();
});

test("an object that did not exist yet is a 404 of then", async ({ page }) => {
  await openAt(page, FIRST - 1);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await expect(answer(page).getByRole("region", { name: "Why?" })).toHaveAttribute("data-rule", "not-yet");
  await answer(page).getByRole("button", { name: "Follow" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
});

test("the slider goes back, the address keeps it, Escape follows, and a write returns to now", async ({ page }) => {
  await open(page);
  const slider = timeline(page).getByRole("slider");
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(past(page)).toBeVisible();
  await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#\d+@GET\/api\/v1/);
  await page.keyboard.press("Escape");
  await expect(past(page)).toBeHidden();
  await page.keyboard.press("ArrowLeft");
  await expect(past(page)).toBeVisible();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(past(page)).toBeHidden();
  // A write is shown as it was answered.
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(answer(page).getByText("Shown as it was answered")).toBeVisible();
  // A read is answered as of then.
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("GET");
  await path(page).fill("/api/v1/namespaces/default/configmaps");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("As it was at")).toBeVisible();
  await expect(past(page)).toBeVisible();
});

test("a revision that is not kept is said once, and the page follows", async ({ page }) => {
  await page.goto(`./#99999@GET${SETTINGS}`);
  await expect(answer(page).getByText(/does not keep revision 99999/)).toBeVisible();
  await expect(tree(page)).toContainText("calm");
  await expect(past(page)).toBeHidden();
  await preset(page, "List");
  await expect(answer(page).getByText(/does not keep/)).toHaveCount(0);
});

test("the state tab has the objects of then, with what the revision changed first", async ({ page, axe }) => {
  test.slow();
  await openAt(page, FIRST);
  await timeline(page).getByRole("tab", { name: "State" }).click();
  const rows = timeline(page).getByRole("region", { name: "Objects at the revision" }).getByRole("row");
  await expect(rows.nth(1)).toContainText("configmaps/settings");
  await expect(rows.nth(1)).toContainText("ADDED");
  await expect(rows.filter({ hasText: "pods/web-0" })).toHaveCount(0);
  await timeline(page).getByRole("combobox", { name: "Resource" }).selectOption("configmaps");
  await expect(rows.filter({ hasText: "configmaps/greeting" })).toHaveCount(1);
  await expect(rows.filter({ hasText: "namespaces/default" })).toHaveCount(0);
  await rows.nth(1).getByRole("button").press("Enter");
  await expect(timeline(page).getByRole("button", { name: "Back to the objects" })).toBeFocused();
  const opened = timeline(page).getByRole("region", { name: "configmaps/settings" });
  await expect(opened).toContainText('"theme": "quiet"');
  await opened.getByRole("button", { name: "Since its version before" }).click();
  await expect(opened).toContainText("first version that is kept");
  await opened.getByRole("button", { name: "Compare with now" }).click();
  await expect(opened.locator(".diff-line.swap").filter({ hasText: "theme" })).toContainText("calm");
  await axe({ include: "#timeline" });
  const close = opened.getByRole("button", { name: "Back to the objects" });
  await close.press("Enter");
  await expect(opened).toHaveCount(0);
  await expect(rows.nth(1).getByRole("button")).toBeFocused();
});

test("nothing sticks out of a page of 320 px", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(`./#${FIRST}@GET${SETTINGS}`);
  await expect(past(page)).toBeVisible();
  const bar = page.getByRole("navigation", { name: "Panes" });
  for (const name of ["Response", "Watches", "Timeline"]) {
    await bar.getByRole("button", { name }).click();
    await expect(page.getByRole("region", { name, exact: true })).toBeVisible();
    if (name === "Timeline") await timeline(page).getByRole("tab", { name: "State" }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(true);
  }
});
