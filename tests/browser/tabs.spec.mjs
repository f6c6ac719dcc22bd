// Several requests that are open at once.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, tree } from "./page.mjs";

test.use({ view: "" });

const tabs = (page) => request(page).getByRole("tablist", { name: "Open requests" });
const tab = (page, name) => tabs(page).getByRole("tab", { name });
const another = (page) => request(page).getByRole("button", { name: "Open another request" });

test("each keeps what was written and its response", async ({ page }) => {
  await open(page);
  await expect(tabs(page)).toHaveCount(0);
  await another(page).click();
  await expect(tabs(page).getByRole("tab")).toHaveText(["GET configmaps", "GET configmaps"]);
  await expect(path(page)).toBeFocused();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(tabs(page).getByRole("tab", { selected: true })).toHaveText("POST configmaps");
  await tab(page, "GET configmaps").click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(request(page).getByLabel("Method")).toHaveValue("GET");
  await path(page).fill("/api/v1/nodes");
  await expect(tab(page, "GET nodes")).toBeVisible();
  await tab(page, "POST configmaps").click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  // By the keyboard, too.
  await page.keyboard.press("ArrowLeft");
  await expect(tab(page, "GET nodes")).toBeFocused();
  await expect(path(page)).toHaveValue("/api/v1/nodes");
  await page.keyboard.press("Delete");
  await expect(tabs(page)).toHaveCount(0);
  await expect(request(page).getByLabel("Method")).toHaveValue("POST");
});

test("a response that comes while another request is looked at is there later", async ({ page }) => {
  await open(page);
  await another(page).click();
  await path(page).fill("/api/v1/namespaces/default/services/web");
  await request(page).getByRole("button", { name: "Send" }).click();
  await tab(page, "GET configmaps").click();
  await expect(tree(page)).toContainText("ConfigMapList");
  await tab(page, "GET services/web").click();
  await expect(tree(page)).toContainText("ClusterIP");
});

test("the open requests outlive a reload", async ({ page }) => {
  await open(page);
  await another(page).click();
  await path(page).fill("/api/v1/namespaces");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(tree(page)).toContainText("NamespaceList");
  await tab(page, "GET configmaps").click();
  await page.reload();
  await expect(tabs(page).getByRole("tab")).toHaveText(["GET configmaps", "GET namespaces"]);
  await tab(page, "GET namespaces").click();
  await expect(tree(page)).toContainText("NamespaceList");
});

test("there is an end to how many", async ({ page }) => {
  await open(page);
  for (let count = 2; count <= 12; count++) {
    await another(page).click();
    await expect(tabs(page).getByRole("tab")).toHaveCount(count);
  }
  await another(page).click();
  await expect(page.getByText("12 requests are open: close one of them first.")).toBeVisible();
  await expect(tabs(page).getByRole("tab")).toHaveCount(12);
});

for (const [width, height] of [[1280, 720], [853, 480], [390, 844]]) {
  test(`axe finds nothing, and Send is in reach: ${width}x${height}`, async ({ page, axe }) => {
    await page.setViewportSize({ width, height });
    await page.goto("./");
    for (let count = 2; count <= 5; count++) {
      await another(page).click();
      await expect(tabs(page).getByRole("tab")).toHaveCount(count);
    }
    const send = () => request(page).getByRole("button", { name: "Send" }).boundingBox();
    await expect.poll(async () => (await send()).x + (await send()).width).toBeLessThanOrEqual(width);
    await expect.poll(async () => (await send()).y + (await send()).height).toBeLessThanOrEqual(height);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await axe();
  });
}
