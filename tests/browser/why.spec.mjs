import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, timeline, tree, watch, watches } from "./page.mjs";

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

/** What says why the response is a failure. */
const why = (page, name = "Why?") => answer(page).getByRole("region", { name });

/** Sends a GET of `target`. */
async function get(page, target) {
  await path(page).fill(target);
  await request(page).getByRole("button", { name: "Send" }).click();
}

/** The versions at play, such as `{ asked: 10015 }`. */
async function plays(page) {
  const list = why(page).getByRole("list", { name: "Versions at play" }).getByRole("listitem");
  await expect(list).not.toHaveCount(0);
  const items = await list.allTextContents();
  return Object.fromEntries(items.map((item) => [item.replace(/ \d+$/, ""), Number(item.match(/\d+$/)[0])]));
}

test("a stale update is explained, and sent again with the fresh version", async ({ page, axe }) => {
  test.slow();
  await open(page);
  await preset(page, "Update, stale");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  await expect(why(page)).toHaveAttribute("data-rule", "stale");
  await expect.poll(async () => (await plays(page))["object is at"] - (await plays(page)).asked).toBe(1);
  const { "object is at": object } = await plays(page);
  const link = why(page).getByRole("link");
  await expect(link).toHaveAttribute("href", /^https:\/\/kubernetes\.io\/docs\/.*#patch-and-update$/);
  await expect(link).toHaveAttribute("rel", "noreferrer");
  await expect(link).toHaveAttribute("target", "_blank");
  await axe({ include: "#answer" });
  await why(page).getByRole("button", { name: "Read again, and send with the fresh version" }).press("Enter");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(tree(page)).toContainText("mine");
  await expect(request(page).getByRole("textbox", { name: "Body" })).toHaveValue(new RegExp(`"${object}"`));
  await expect(why(page)).toHaveCount(0);
  await expect(page.locator("#answer")).toBeFocused();
});

test("an expired watch is explained in long from its event, and begun again with a list", async ({ page }) => {
  await open(page);
  await preset(page, "Watch, compacted");
  await expect(watch(page, "B").getByText("410 Expired")).toBeVisible();
  await watch(page, "B").getByRole("button", { name: "Why did the watch end?" }).click();
  await expect(why(page)).toHaveAttribute("data-rule", "watch-expired");
  await expect.poll(async () => (await plays(page)).asked).toBe(1);
  await why(page).getByRole("button", { name: "List again, and watch from there" }).click();
  const fresh = watch(page, "C");
  await expect(fresh).toBeVisible();
  await expect(fresh.getByRole("button", { name: "Stop" })).toBeVisible();
  await preset(page, "Create");
  await expect(fresh.getByText("ADDED")).toBeVisible();
  await expect(watches(page).getByRole("button", { name: "Why did the watch end?" })).toHaveCount(1);
});

test("each failure has its rule, and a button that recovers", async ({ page }) => {
  test.slow();
  await open(page);
  for (const [target, rule, button] of [
    [`${CONFIGMAPS}?resourceVersion=1&resourceVersionMatch=Exact`, "list-expired", "List the newest"],
    [`${CONFIGMAPS}/none`, "no-object", "List what there is"],
    ["/apis/apps/v1beta1/namespaces/default/deployments", "elsewhere", /^Send to \/apis\/apps\/v1\//],
    [`${CONFIGMAPS}?resourceVersion=99999&resourceVersionMatch=Exact`, "future", "Send without a version"],
    [`${CONFIGMAPS}?continue=x`, "continue-broken", "Begin the list anew"],
    [`${CONFIGMAPS}?resourceVersionMatch=Exact`, "options", "Send without resourceVersionMatch"],
  ]) {
    await get(page, target);
    await expect(why(page)).toHaveAttribute("data-rule", rule);
    await why(page).getByRole("button", { name: button }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await expect(why(page)).toHaveCount(0);
  }
});

test("an object that is gone says at which revision", async ({ page }) => {
  await open(page);
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("DELETE");
  await get(page, `${CONFIGMAPS}/settings`);
  // The answer to the list that the page began with was 200 too.
  await expect(answer(page).locator(".answer-head")).toContainText("DELETE");
  await expect(timeline(page)).toContainText("configmaps/settings deleted");
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("GET");
  await get(page, `${CONFIGMAPS}/settings`);
  await expect(why(page)).toHaveAttribute("data-rule", "deleted");
  const deleted = async () => {
    const { "deleted at": at, newest } = await plays(page);
    return at !== undefined && at === newest;
  };
  await expect.poll(deleted).toBe(true);
});

test("nothing sticks out of a page of 320 px", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("./");
  const pane = (name) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });
  await expect(page.locator(".last-event")).toContainText("MODIFIED");
  await pane("Request").click();
  await preset(page, "Update, stale");
  await expect(why(page)).toBeVisible();
  const inside = () =>
    page.evaluate(() => {
      const answer = document.querySelector("#answer");
      return document.documentElement.scrollWidth <= innerWidth && answer.scrollWidth <= answer.clientWidth;
    });
  await expect.poll(inside).toBe(true);
});
