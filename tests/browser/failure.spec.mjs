import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, resources } from "./page.mjs";

/** The newest revision of the cluster that is kept. */
const newestKept = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("kubeglass");
        opening.onsuccess = () => {
          const clusters = opening.result.transaction("clusters").objectStore("clusters").getAll();
          clusters.onsuccess = () => {
            opening.result.close();
            resolve(JSON.parse(clusters.result[0] ?? "{}").revision);
          };
        };
      }),
  );

test.describe("a panic", () => {
  test.use({ expectedErrors: [/RuntimeError: unreachable|on purpose|again/] });

  test("is caught, shown, and the cluster can be restarted", async ({ page }) => {
    await open(page);
    await preset(page, "Create");
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    // What has just happened is kept some moments later.
    await expect.poll(() => newestKept(page)).toBe(10256);
    await page.evaluate(() => dispatchEvent(new CustomEvent("kubeglass:panic", { detail: "on purpose" })));
    const notice = page.getByRole("dialog", { name: "The cluster stopped" });
    await expect(notice).toContainText("on purpose");
    const restart = notice.getByRole("button", { name: "Restart the cluster" });
    await expect(restart).toBeFocused();
    await restart.click();
    await expect(notice).toBeHidden();
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    await expect(resources(page).getByTitle("Send again: POST /api/v1/namespaces/default/configmaps")).toBeVisible();
    await page.evaluate(() => dispatchEvent(new CustomEvent("kubeglass:panic", { detail: "again" })));
    await notice.getByRole("button", { name: "Start a new cluster" }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  });
});

test.describe("a remote cluster", () => {
  test.use({ expectedErrors: [/502|WebSocket/] });

  test("that does not answer is told in words", async ({ page }) => {
    await page.route("**/remote/**", (route) => route.fulfill({ status: 502, body: "bad gateway" }));
    await open(page);
    await page.getByRole("combobox", { name: "Cluster" }).selectOption("remote");
    await preset(page, "List");
    await expect(answer(page).getByText("502 Bad Gateway")).toBeVisible();
    await expect(answer(page).getByText(/Start kubectl proxy/)).toBeVisible();
  });

  test("is not asked for more watches than the browser has connections", async ({ page }) => {
    // A watch without a response takes a connection, too.
    await page.route("**/remote/**", (route) => {
      if (!route.request().url().includes("watch=")) return route.fulfill({ json: { kind: "List", items: [] } });
    });
    await open(page);
    await page.getByRole("combobox", { name: "Cluster" }).selectOption("remote");
    for (const number of [1, 2, 3, 4]) {
      await path(page).fill(`/api/v1/configmaps?watch=1&limit=${number}`);
      await request(page).getByRole("button", { name: "Send" }).click();
      await expect(answer(page).getByText("Waiting for the response")).toBeVisible();
    }
    await path(page).fill("/api/v1/pods?watch=1");
    await request(page).getByRole("button", { name: "Send" }).click();
    await expect(answer(page)).toContainText("Watches after the fourth go over WebSockets");
    await preset(page, "List");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  });
});
