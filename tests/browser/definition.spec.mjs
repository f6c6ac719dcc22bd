import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, resources, tree } from "./page.mjs";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What the response offers once the kind is served. */
const offer = (page) => answer(page).getByRole("region", { name: "What can be done with the new kind" });

/** Defines the CronTab of the preset. */
async function define(page) {
  await request(page).getByRole("button", { name: "More…" }).click();
  await page.getByRole("button", { name: /^Define a kind/ }).click();
  await expect(path(page)).toHaveValue(DEFINITIONS);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(offer(page)).toContainText("CronTab is served now");
}

test("a kind is defined, an object of it created, and a wrong one denied by its rule", async ({ page, axe }) => {
  test.slow();
  await open(page);
  await define(page);
  await axe({ include: "#answer" });
  await offer(page).getByRole("button", { name: "Create a CronTab" }).click();
  await expect(tree(page)).toContainText("crontab-");
  await expect(tree(page)).toContainText("concurrencyPolicy");
  await expect(path(page)).toHaveValue("/apis/stable.example.com/v1/namespaces/default/crontabs");
  await path(page).fill(`${DEFINITIONS}/crontabs.stable.example.com`);
  await page.keyboard.press("Escape");
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("GET");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await offer(page).getByRole("button", { name: "Create a wrong one" }).click();
  await expect(answer(page).getByText("422 Unprocessable Entity")).toBeVisible();
  await expect(answer(page).getByText(/replicas must not be less than minReplicas/).first()).toBeVisible();
});

test("a new kind is found by its path, its short name, and in the palette", async ({ page }) => {
  await open(page);
  await define(page);
  const crontabs = "/apis/stable.example.com/v1/namespaces/default/crontabs";
  await path(page).fill("ct");
  await expect(page.getByRole("option", { name: crontabs }).first()).toBeVisible();
  await path(page).fill("/apis/stab");
  await expect(page.getByRole("option", { name: crontabs }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  // Its code may still be on its way.
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("crontabs");
  await expect(page.getByRole("option", { name: "List crontabs" })).toBeVisible();
});

test("a new kind appears among the resources and in the reference, and goes with its definition", async ({ page }) => {
  await open(page);
  await define(page);
  await expect(resources(page).getByTitle("List crontabs")).toBeVisible();
  await offer(page).getByRole("button", { name: "Show its fields" }).click();
  const row = (label) => resources(page).getByRole("treeitem", { name: new RegExp(`^${label}`) });
  await expect(row("crontabs, CronTab")).toBeFocused();
  await expect(row("crontabs, CronTab")).toContainText("/scale");
  await row("spec object").click();
  await expect(row("concurrencyPolicy string")).toContainText("one of Allow, Forbid, Replace · default Allow");
  await expect(row("replicas integer")).toContainText("How many run at once.");
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("DELETE");
  await path(page).fill(`${DEFINITIONS}/crontabs.stable.example.com`);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(row("crontabs, CronTab")).toHaveCount(0);
  await resources(page).getByRole("tab", { name: "Resources" }).click();
  await expect(resources(page).getByTitle("List crontabs")).toHaveCount(0);
});
