// The engine of the tab: what is said while it is loaded, when it cannot be, and when it stops; and starting another.
import { expect, test } from "./fixtures.mjs";
import { answer, open, preset, request, resources, tree, watches } from "./page.mjs";

const notice = (page) => page.locator(".engine");
const restart = (page) => notice(page).getByRole("button", { name: "Restart with the same history" });
const anew = (page) => notice(page).getByRole("button", { name: "Start a new cluster" });
const again = (page) => notice(page).getByRole("button", { name: "Try again" });

/** Stops the engine that was started last. */
async function stop(page) {
  const worker = page.workers().at(-1);
  await worker.evaluate(() => {
    self.postMessage({ stopped: "unreachable" });
    self.close();
  });
  await expect(notice(page)).toContainText("The API server of this tab has stopped: unreachable.");
}

async function alive(page) {
  await expect(notice(page)).toBeEmpty();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(watches(page).getByText("MODIFIED").first()).toBeVisible();
}

test("the page is there before its engine, and says how much of that is loaded", async ({ page, axe }) => {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route("**/engine-*/engine_bg.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("./");
  await expect(notice(page)).toHaveText(/^Loading the API server/);
  await expect(request(page).getByRole("button", { name: "Send" })).toBeEnabled();
  await axe({ include: ".engine" });
  go();
  await alive(page);
});

test.describe("an engine that stops", () => {
  test.use({ expectedErrors: [/engine/] });

  test("goes on in another one with the same history", async ({ page }) => {
    await open(page);
    const has = (count) => expect(resources(page).getByTitle("List configmaps")).toContainText(count);
    await has("2");
    for (const count of ["3", "4"]) {
      await stop(page);
      await restart(page).click();
      await expect(notice(page)).toBeEmpty();
      await preset(page, "List");
      await expect(answer(page).getByText("200 OK")).toBeVisible();
      await expect(tree(page)).toContainText("greeting");
      await preset(page, "Create");
      await expect(answer(page).getByText("201 Created")).toBeVisible();
      await has(count);
    }
  });

  test("is told of, leaves what is known, and another can be started", async ({ page, axe }) => {
    await open(page);
    await stop(page);
    await expect(watches(page).getByText("MODIFIED")).toBeVisible();
    await preset(page, "List");
    await expect(answer(page).getByText("No response came")).toBeVisible();
    await axe({ include: ".engine" });
    await anew(page).click();
    await alive(page);
    await preset(page, "Create");
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    await expect(resources(page).getByTitle("List configmaps")).toContainText("3");
  });

  test("that cannot be loaded is told of, and can be tried again", async ({ page }) => {
    await page.route("**/engine-*/engine_bg.wasm", (route) => route.fulfill({ status: 500, body: "no" }));
    await page.goto("./");
    await expect(notice(page)).toContainText("engine_bg.wasm cannot be loaded (500)");
    await page.unroute("**/engine-*/engine_bg.wasm");
    await again(page).click();
    await alive(page);
  });

  test("whose script is not there is told of", async ({ page }) => {
    await page.route("**/engine-*/worker.js", (route) => route.fulfill({ status: 404, body: "no" }));
    await page.goto("./");
    await expect(notice(page)).toContainText("its script could not be loaded");
    await page.unroute("**/engine-*/worker.js");
    await again(page).click();
    await alive(page);
  });
});
