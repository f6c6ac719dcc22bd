// The Cluster view: the objects of a kind as a table, and an object's page.
import { expect, test } from "./fixtures.mjs";
import { answer, request, resources, timeline, watches } from "./page.mjs";

test.use({ view: "" });

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";
const objects = (page) => page.getByRole("region", { name: "Objects" });
const table = (page) => objects(page).getByRole("table", { name: "Objects" });
const rows = (page) => table(page).locator("tbody tr:not(.spacer)");
const tab = (page, name) => objects(page).getByRole("tab", { name });
const panel = (page) => objects(page).getByRole("tabpanel");
const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
const kind = (page, name) => resources(page).getByRole("button", { name: new RegExp(`^${name}`) });
const count = (page) => objects(page).getByRole("status");

/** Opens the Cluster view with what is at a path. */
const open = async (page, path = "", hash = "") => {
  await page.goto(`./?view=cluster${path && `&path=${path}`}${hash}`);
  await expect(objects(page).getByRole("heading", { level: 3 })).toBeVisible();
};

/** Applies these documents by the form. */
async function apply(page, documents) {
  await view(page, "Request").click();
  await request(page).getByLabel("Method").selectOption("POST");
  const body = request(page).getByRole("textbox", { name: "Body" });
  await body.focus();
  await expect(request(page).locator(".cm-editor")).toBeVisible();
  await body.fill(documents.join("---\n"));
  await request(page).getByRole("button", { name: /^Apply \d+ documents/ }).click();
  await expect(answer(page).getByRole("status")).toContainText(`${documents.length} objects applied`, { timeout: 60_000 });
}

test("a kind is shown as kubectl prints it, and has an address", async ({ page }) => {
  await open(page);
  await expect(objects(page).getByRole("row", { name: /configmaps\/settings default .*MODIFIED kubeglass 10255/ })).toBeVisible();
  await kind(page, "configmaps").click();
  await expect(table(page).getByRole("columnheader")).toHaveText(["Name", "Data", "Age", "Resource version"]);
  await expect(rows(page)).toHaveCount(2);
  await expect(count(page)).toHaveText("2");
  await expect(kind(page, "configmaps")).toHaveAttribute("aria-current", "true");
  await expect(page).toHaveURL(/view=cluster&path=\/api\/v1\/namespaces\/default\/configmaps/);
  await objects(page).getByRole("link", { name: "settings" }).click();
  await expect(panel(page)).toContainText("theme: calm");
  await page.reload();
  await expect(panel(page)).toContainText("theme: calm");
  await page.goBack();
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await expect(objects(page).getByRole("heading", { name: "Changed last" })).toBeVisible();
});

test("more columns, all namespaces, and another namespace", async ({ page }) => {
  await open(page, "/api/v1/namespaces/default/services");
  await expect(table(page).getByRole("columnheader")).toHaveText(["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Resource version"]);
  await objects(page).getByLabel("Wide").check();
  await expect(table(page).getByRole("columnheader", { name: "Selector" })).toBeVisible();
  await page.getByRole("combobox", { name: "Namespace" }).selectOption("");
  await expect(table(page).getByRole("columnheader", { name: "Namespace" })).toBeVisible();
  await expect(page).toHaveURL(/path=\/api\/v1\/services/);
  await page.getByRole("combobox", { name: "Namespace" }).selectOption("kube-system");
  await expect(objects(page).getByText("There are no objects of this kind here.")).toBeVisible();
});

test("what is written shows by itself", async ({ page }) => {
  await open(page, CONFIGMAPS);
  await expect(rows(page)).toHaveCount(2);
  const namespace = page.getByRole("combobox", { name: "Namespace" });
  await view(page, "Lab").click();
  await watches(page).getByLabel("Writes").selectOption("100 a second");
  await view(page, "Cluster").click();
  await namespace.selectOption("traffic");
  await expect.poll(() => rows(page).count()).toBeGreaterThan(20);
  await expect(table(page).locator(".fresh").first()).toBeVisible();
});

test("objects are read in pages as one scrolls, found by name, and chosen by labels", async ({ page }) => {
  await open(page, "/api/v1/namespaces/traffic/configmaps");
  await view(page, "Lab").click();
  await watches(page).getByLabel("Objects").selectOption("2,000");
  await watches(page).getByRole("button", { name: "Create them" }).click();
  const head = async () => Number(await timeline(page).locator(".ribbon").getAttribute("data-head"));
  await expect.poll(head, { timeout: 60_000 }).toBeGreaterThanOrEqual(10255 + 2000);
  await expect(watches(page).getByRole("progressbar")).toBeHidden();
  await view(page, "Cluster").click();
  await expect(count(page)).toHaveText("2,000");
  await expect.poll(() => rows(page).count()).toBeLessThanOrEqual(100);
  await expect(table(page)).toHaveAttribute("aria-rowcount", "251");
  const scrolled = objects(page).locator(".browse-rows");
  const down = () => scrolled.evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
  await expect.poll(async () => {
    await down();
    return table(page).getAttribute("aria-rowcount");
  }, { timeout: 30_000 }).toBe("2001");
  await down();
  await expect(objects(page).getByRole("link", { name: "load-999", exact: true })).toBeVisible();
  await expect.poll(() => rows(page).count()).toBeLessThanOrEqual(100);
  await objects(page).getByLabel("Filter by name").fill("load-77");
  await expect(rows(page)).toHaveCount(11);
  await page.reload();
  await expect(table(page)).toHaveAttribute("aria-rowcount", "251");
  // Who looks for a name looks in all of them.
  await objects(page).getByLabel("Filter by name").fill("d-99");
  await expect(rows(page)).toHaveCount(11);
  await expect(count(page)).toHaveText("11 of 2,000");
  await objects(page).getByLabel("Filter by name").fill("");
  const select = async (labels) => {
    await objects(page).getByLabel("Labels").fill(labels);
    await page.keyboard.press("Enter");
  };
  await select("side=left,app=traffic");
  await expect(count(page)).toHaveText("more than 250");
  await select("app=web,app in (");
  await expect(objects(page).getByRole("alert")).toContainText("unable to parse requirement");
  await select("app=none");
  await expect(objects(page).getByText("No object has these labels.")).toBeVisible();
});

test("rows are gone through by the keyboard", async ({ page }) => {
  await open(page, CONFIGMAPS);
  const link = (name) => objects(page).getByRole("link", { name, exact: true });
  await expect(link("greeting")).toHaveAttribute("tabindex", "0");
  await expect(link("settings")).toHaveAttribute("tabindex", "-1");
  await link("greeting").focus();
  await page.keyboard.press("ArrowDown");
  await expect(link("settings")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(link("greeting")).toBeFocused();
  await page.keyboard.press("End");
  await expect(link("settings")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(objects(page).getByRole("heading", { name: "settings" })).toBeVisible();
});

test("an object has its owners, its versions, its events and its relatives", async ({ page }) => {
  await open(page, `${CONFIGMAPS}/settings`);
  await expect(objects(page).getByText("Labels", { exact: true })).toBeVisible();
  await tab(page, "Fields & owners").click();
  await expect(panel(page).getByText("kubeglass", { exact: false }).first()).toBeVisible();
  await tab(page, "History").click();
  await expect(panel(page).getByRole("list", { name: "History" }).getByRole("button")).toHaveCount(2);
  await expect(panel(page).locator(".diff")).toContainText("\"quiet\" → \"calm\"");
  await panel(page).getByRole("button", { name: /10250/ }).first().click();
  await expect(panel(page).locator(".diff")).toContainText("\"theme\": \"quiet\"");
  await tab(page, "Events").click();
  await expect(panel(page)).toContainText("There are no events about this object");
  await page.goto("./?view=cluster&path=/api/v1/namespaces/default/services/web");
  await tab(page, "Related").click();
  await expect(panel(page)).toContainText("nothing owns this object");
  await panel(page).getByRole("link", { name: "web-0" }).click();
  await expect(objects(page).getByRole("heading", { name: "web-0" })).toBeVisible();
  await expect(objects(page)).toContainText("the Pod stays Pending");
});

test("what owns and what is owned lead to each other", async ({ page }) => {
  await open(page, `${CONFIGMAPS}/settings`);
  await expect(panel(page)).toContainText("uid:");
  const uid = (await panel(page).innerText()).match(/uid: (\S+)/)[1];
  const owned = (name, owner, uid) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  ownerReferences:\n  - {apiVersion: v1, kind: ConfigMap, name: ${owner}, uid: ${uid}}\n`;
  await apply(page, [owned("child", "settings", uid), owned("other", "gone", "none")]);
  await view(page, "Cluster").click();
  await tab(page, "Related").click();
  await expect(panel(page).locator(".browse-tree li")).toHaveText(["configmaps/child"]);
  await panel(page).getByRole("link", { name: "configmaps/child" }).click();
  await expect(objects(page).getByRole("heading", { name: "child" })).toBeVisible();
  await panel(page).getByRole("link", { name: "ConfigMap/settings" }).click();
  await expect(objects(page).getByRole("heading", { name: "settings" })).toBeVisible();
});

test("an object is edited, and deleted, by a request that can be seen", async ({ page }) => {
  await open(page, `${CONFIGMAPS}/settings`);
  await objects(page).getByRole("button", { name: "Edit" }).click();
  await expect(request(page).getByLabel("Method")).toHaveValue("PUT");
  await page.goBack();
  await objects(page).getByRole("button", { name: "Delete" }).click();
  await expect(request(page).getByLabel("Method")).toHaveValue("DELETE");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await view(page, "Cluster").click();
  await expect(objects(page).getByRole("alert")).toHaveText("configmaps \"settings\" not found");
  await tab(page, "History").click();
  await expect(panel(page).getByRole("button", { name: /DELETED/ })).toBeVisible();
  await objects(page).getByRole("link", { name: "configmaps" }).click();
  await expect(rows(page)).toHaveCount(1);
  await objects(page).getByRole("button", { name: "Create" }).click();
  await expect(request(page).getByLabel("Method")).toHaveValue("POST");
});

test("the past is shown as it was", async ({ page }) => {
  await open(page, `${CONFIGMAPS}/settings`);
  await tab(page, "History").click();
  await panel(page).getByRole("button", { name: /10250/ }).first().click();
  await panel(page).getByRole("button", { name: "Show the cluster at 10250" }).click();
  await tab(page, "YAML").click();
  await expect(panel(page)).toContainText("theme: quiet");
  await objects(page).getByRole("link", { name: "Cluster" }).click();
  await kind(page, "pods").click();
  await expect(objects(page).getByText("There are no objects of this kind here.")).toBeVisible();
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("addresses that lead nowhere say so", async ({ page }) => {
  await open(page, "/nowhere");
  await expect(objects(page).getByRole("heading", { name: "Changed last" })).toBeVisible();
  await open(page, "/api/v1/namespaces/default/flunders");
  await expect(objects(page).getByRole("alert")).toContainText("the server could not find the requested resource");
  await open(page, "/api/v1/namespaces/default/pods/none");
  await expect(objects(page).getByRole("alert")).toHaveText("pods \"none\" not found");
});

test("on a phone a kind's objects take the place of the kinds", async ({ page, axe }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("./");
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Resources" }).click();
  await kind(page, "configmaps").click();
  await expect(rows(page)).toHaveCount(2);
  await expect(resources(page)).toBeHidden();
  await axe();
  await objects(page).getByRole("link", { name: "settings" }).click();
  await expect(panel(page)).toContainText("theme: calm");
  await axe();
  await objects(page).getByRole("link", { name: "Cluster" }).click();
  await expect(kind(page, "configmaps")).toBeVisible();
});

for (const scheme of ["light", "dark"]) {
  test(`axe finds nothing in tables and on pages of objects: ${scheme}`, async ({ page, axe }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page);
    await axe();
    await kind(page, "configmaps").click();
    await expect(rows(page)).toHaveCount(2);
    await axe();
    await objects(page).getByRole("link", { name: "settings" }).click();
    for (const name of ["YAML", "Fields & owners", "History", "Events", "Related"]) {
      await tab(page, name).click();
      await expect(panel(page)).not.toBeEmpty();
      await axe();
    }
  });
}
