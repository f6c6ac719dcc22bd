import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, resources } from "./page.mjs";

/** Opens the tree of what is served. */
async function reference(page) {
  await resources(page).getByRole("tab", { name: "Reference" }).click();
  await expect(row(page, "core,")).toBeVisible();
}

/** The row whose label begins so. */
const row = (page, label) => resources(page).getByRole("treeitem", { name: new RegExp(`^${label}`) });
const filter = (page) => resources(page).getByRole("searchbox");

test("what is served is a tree of groups, versions and kinds that keys walk through", async ({ page, axe }) => {
  await open(page);
  await reference(page);
  await row(page, "core,").focus();
  await page.keyboard.press("ArrowRight");
  await expect(row(page, "core,")).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowDown");
  await expect(row(page, "v1 preferred")).toBeFocused();
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press("ArrowDown");
  const configmaps = row(page, "configmaps, ConfigMap");
  await expect(configmaps).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(configmaps).toHaveAttribute("aria-expanded", "true");
  await expect(configmaps).toContainText("in namespaces · short cm");
  await axe({ include: "#resources" });
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press("ArrowLeft");
  await expect(row(page, "core,")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(configmaps).toHaveCount(0);
});

test("a kind shows its fields level by level, with what Kubernetes says of them", async ({ page }) => {
  await open(page);
  await reference(page);
  await filter(page).fill("deploy");
  await row(page, "deployments, Deployment").click();
  await row(page, "spec v1.DeploymentSpec").click();
  await expect(row(page, "spec v1.DeploymentSpec")).toContainText("desired behavior of the Deployment");
  const strategy = row(page, "strategy v1.DeploymentStrategy");
  await expect(strategy).toHaveAttribute("aria-level", "5");
  await strategy.click();
  await expect(row(page, "type v1.DeploymentStrategyType")).toContainText("one of RollingUpdate · Recreate");
  await expect(row(page, "selector v1.LabelSelector")).toContainText("required");
});

test("a verb puts its request into the form, about an object that is there", async ({ page }) => {
  await open(page);
  await reference(page);
  await filter(page).fill("cm");
  await row(page, "configmaps, ConfigMap").click();
  const verb = (name) => resources(page).getByRole("button", { name, exact: true });
  await verb("Fill in update configmaps").click();
  await expect(path(page)).toHaveValue("/api/v1/namespaces/default/configmaps/greeting");
  await expect(request(page).getByRole("combobox", { name: "Method" })).toHaveValue("PUT");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).locator(".asked")).toContainText("PUT");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await verb("Fill in create configmaps").click();
  await expect(path(page)).toHaveValue("/api/v1/namespaces/default/configmaps");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await verb("Fill in watch configmaps").click();
  await expect(request(page).getByText("allowWatchBookmarks=", { exact: true })).toBeVisible();
});

test("a filter finds by name, short name, category and group", async ({ page }) => {
  await open(page);
  await reference(page);
  for (const [typed, found] of [["po", "pods, Pod"], ["netpol", "networkpolicies, NetworkPolicy"], ["batch", "jobs, Job"]]) {
    await filter(page).fill(typed);
    await expect(row(page, found)).toBeVisible();
  }
  await filter(page).fill("nothing like it");
  await expect(resources(page).getByText("No kind is called that")).toBeVisible();
});

test("the tree fits a narrow page, and nothing is cut off", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("./");
  await expect(page.locator(".last-event")).toContainText("MODIFIED");
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Resources" }).click();
  await reference(page);
  await filter(page).fill("validatingadmission");
  await row(page, "validatingadmissionpolicybindings").first().click();
  const tree = resources(page).getByRole("tree");
  await expect(row(page, "validatingadmissionpolicybindings").first()).toHaveAttribute("aria-expanded", "true");
  expect(await tree.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
});
