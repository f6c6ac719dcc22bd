// What outlives a reload, how one goes back, and what one can take away.
import { readFile } from "node:fs/promises";

import { expect, test } from "./fixtures.mjs";
import { about, answer, back, dialog, kept, open, path, preset, request, tree, watch, watches } from "./page.mjs";

test.use({ view: "", permissions: ["clipboard-read", "clipboard-write"] });

const LIST = "/api/v1/namespaces/default/configmaps";
const method = (page) => request(page).getByLabel("Method");
const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const notice = (page) => page.locator(".over-page");
const send = (page) => request(page).getByRole("button", { name: "Send", exact: true });

async function get(page, target) {
  await method(page).selectOption("GET");
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await send(page).click();
  await expect(answer(page).locator(".asked")).toContainText(`GET ${target}`);
}

/** Creates a ConfigMap, and returns its name. */
async function create(page) {
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  return (await tree(page).getByText(/^"note-.+"$/).first().textContent()).replaceAll('"', "");
}

test("cluster, requests, watches and what is being written outlive a reload", async ({ page }) => {
  await open(page);
  const name = await create(page);
  await get(page, `${LIST}/${name}`);
  await method(page).selectOption("PUT");
  await body(page).fill('{"half": "written"');
  await kept(page);
  await page.reload();
  await back(page);
  await expect(method(page)).toHaveValue("PUT");
  await expect(path(page)).toHaveValue(`${LIST}/${name}`);
  await expect(body(page)).toHaveValue('{"half": "written"');
  await expect(answer(page).locator(".asked")).toContainText(`GET ${LIST}/${name}`);
  await expect(tree(page)).toContainText(name);
  // The watch goes on where it was, and hears of what comes.
  await page.goto("./?view=watches");
  await back(page);
  await expect(watches(page).getByText("Resumed from").first()).toBeVisible();
  await expect(watches(page).getByText("MODIFIED").first()).toBeVisible();
  await page.goto("./?view=overview");
  await back(page);
  await create(page);
  await expect(watch(page, "A").getByText("ADDED").last()).toBeVisible();
  // Revisions go on, and what was can be read as it was.
  await get(page, `${LIST}?resourceVersion=10255&resourceVersionMatch=Exact`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
});

/** Returns how many pieces of clusters the browser has. */
const pieces = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opened = indexedDB.open("kubeglass");
        opened.onerror = () => reject(opened.error);
        opened.onsuccess = () => {
          const database = opened.result;
          const keys = database.transaction("pieces").objectStore("pieces").getAllKeys();
          keys.onsuccess = () => resolve(keys.result.length);
          keys.onerror = () => reject(keys.error);
          keys.transaction.oncomplete = () => database.close();
        };
      }),
  );

test("what a page keeps that goes on with a cluster takes the place of what the last one kept", async ({ page }) => {
  await open(page);
  for (let least = 1; least < 4; least++) {
    await create(page);
    await expect.poll(() => pieces(page)).toBeGreaterThanOrEqual(least);
  }
  await page.reload();
  await back(page);
  await expect.poll(() => pieces(page)).toBeLessThan(3);
  const name = await create(page);
  await kept(page);
  await page.reload();
  await back(page);
  await get(page, LIST);
  await expect(tree(page).getByText(`"${name}"`)).toBeVisible();
});

test("a watch goes on after the second of two reloads, the first of which was not waited for", async ({ page }) => {
  await open(page, "?view=overview");
  await kept(page);
  let load;
  const loads = new Promise((resolve) => (load = resolve));
  await page.route("**/engine-*/engine_bg.wasm", async (route) => {
    await loads;
    await route.continue().catch(() => {});
  });
  await page.reload();
  // The page has its cluster back, and keeps what it knows: the watch waits for the engine.
  await expect(watch(page, "A").getByText("MODIFIED").first()).toBeVisible();
  await expect(page.getByText("Loading the API server")).toBeVisible();
  await kept(page);
  await page.unroute("**/engine-*/engine_bg.wasm");
  load();
  await page.reload();
  await back(page);
  await expect(watch(page, "A").getByText("Resumed from").first()).toBeVisible();
  await create(page);
  await expect(watch(page, "A").getByText("ADDED").last()).toBeVisible();
});

test("what was written a moment before a reload is there", async ({ page }) => {
  await open(page);
  await kept(page);
  const name = await create(page);
  await page.reload();
  await back(page);
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
});

test("each tab has a cluster of its own, and a new one goes on with what was left last", async ({ page, context }) => {
  await open(page);
  const name = await create(page);
  const before = await kept(page);
  const second = await context.newPage();
  await open(second);
  await get(second, `${LIST}/${name}`);
  await expect(answer(second).getByText("404 Not Found")).toBeVisible();
  await second.close();
  await create(page);
  await kept(page, before);
  await page.close();
  const third = await context.newPage();
  await third.goto("./");
  await back(third);
  await get(third, `${LIST}/${name}`);
  await expect(answer(third).getByText("200 OK")).toBeVisible();
});

test("the last change is undone, and the cluster before returned to", async ({ page, axe }) => {
  await open(page);
  const name = await create(page);
  await method(page).selectOption("DELETE");
  await path(page).fill(`${LIST}/${name}`);
  await page.keyboard.press("Escape");
  await send(page).click();
  await expect(answer(page).locator(".asked")).toContainText("DELETE");
  await answer(page).getByRole("button", { name: "Undo" }).click();
  await expect(notice(page)).toContainText("A branch: the cluster is what it was at revision 10256.");
  await axe();
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await notice(page).getByRole("button", { name: "Return to the cluster before" }).click();
  await expect(notice(page)).toBeEmpty();
  await expect(answer(page).locator(".asked")).toContainText("DELETE");
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test("any kept revision can be branched off from", async ({ page }) => {
  await open(page, "?view=overview");
  const name = await create(page);
  await page.goto(`./?view=overview#10255@GET${LIST}`);
  await back(page);
  await page.locator("header").getByRole("button", { name: "Branch from here" }).click();
  await expect(notice(page)).toContainText("10255");
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await create(page);
  await expect(tree(page)).toContainText("10256");
  // The one that was left is in the list.
  await about(page).click();
  await dialog(page).getByRole("button", { name: /^Open: Revision 10256/ }).click();
  await expect(dialog(page)).toBeHidden();
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
});

test("the dialog is clean, starts a new cluster, and deletes one after asking", async ({ page, axe }) => {
  await open(page);
  const name = await create(page);
  await kept(page);
  await about(page).click();
  await axe();
  await dialog(page).getByRole("button", { name: "Start a new cluster" }).click();
  await expect(dialog(page)).toBeHidden();
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await about(page).click();
  const others = dialog(page).getByRole("listitem");
  await expect(others).toHaveCount(1);
  await others.getByRole("button", { name: "Delete" }).click();
  await expect(others).toHaveCount(1);
  await others.getByRole("button", { name: "Delete for good?" }).click();
  await expect(others).toHaveCount(0);
});

test("objects are exported as YAML, and everything as a file that opens again", async ({ page }) => {
  await open(page);
  const name = await create(page);
  await about(page).click();
  const download = async (button) => {
    const begun = page.waitForEvent("download");
    await dialog(page).getByRole("button", { name: button }).click();
    return (await begun).path();
  };
  const manifest = await readFile(await download("Objects as YAML"), "utf8");
  const documents = manifest.split("---\n");
  expect(documents).toHaveLength(6);
  const own = documents.find((document) => document.includes(`name: ${name}`));
  expect(own).toContain("apiVersion: v1\ndata:\n  text: written from this page\nkind: ConfigMap\nmetadata:\n");
  expect(manifest).not.toMatch(/^status|resourceVersion|uid:|managedFields|clusterIP/m);
  const file = await download("Everything");
  await dialog(page).getByRole("button", { name: "Start a new cluster" }).click();
  await expect(dialog(page)).toBeHidden();
  await about(page).click();
  await dialog(page).getByLabel("Open a recording").setInputFiles({
    name: "all.kgrec",
    mimeType: "application/octet-stream",
    buffer: await readFile(file),
  });
  await expect(dialog(page)).toBeHidden();
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
});

test("a link carries the request and the cluster, and sends nothing that changes it", async ({ page, browser }) => {
  await open(page);
  const name = await create(page);
  await body(page).fill('{"metadata": {"name": "sent-by-link"}}');
  await about(page).click();
  await dialog(page).getByLabel("with this cluster in it").check();
  await dialog(page).getByRole("button", { name: "Copy a link" }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^http.*#!/);
  const link = await copied();
  expect(link.length).toBeLessThan(32_000);
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(link);
  await back(other);
  await expect(method(other)).toHaveValue("POST");
  await expect(body(other)).toHaveValue('{"metadata": {"name": "sent-by-link"}}');
  await get(other, `${LIST}/sent-by-link`);
  await expect(answer(other).getByText("404 Not Found")).toBeVisible();
  await get(other, `${LIST}/${name}`);
  await expect(answer(other).getByText("200 OK")).toBeVisible();
  // One that was cut off is told, and the page works.
  await other.goto("about:blank");
  await other.goto(link.slice(0, -40));
  await back(other);
  await expect(notice(other)).toContainText("This link is not whole");
  await get(other, LIST);
  await context.close();
});

test("nothing is kept where nobody wants it", async ({ page }) => {
  await open(page);
  const name = await create(page);
  await about(page).click();
  await dialog(page).getByLabel(/^Keep clusters/).uncheck();
  await expect(dialog(page).getByText("Nothing is kept")).toBeVisible();
  await page.reload();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await get(page, `${LIST}/${name}`);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test.describe("where the browser does not play along", () => {
  test("a browser without storage says so, and undoing works all the same", async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
    await open(page);
    const name = await create(page);
    await about(page).click();
    await expect(dialog(page).getByText("The browser keeps nothing for this page")).toBeVisible();
    await dialog(page).getByRole("button", { name: "Undo the last change" }).click();
    await expect(dialog(page)).toBeHidden();
    await get(page, `${LIST}/${name}`);
    await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  });

  test("a browser that is full says so, and goes on when there is room", async ({ page, context, baseURL }) => {
    const devtools = await context.newCDPSession(page);
    const { origin } = new URL(baseURL);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
    await open(page);
    await create(page);
    await about(page).click();
    await expect(dialog(page).getByText("no more room")).toBeVisible();
    await devtools.send("Storage.overrideQuotaForOrigin", { origin });
    await dialog(page).getByRole("button", { name: "Try again" }).click();
    await expect(dialog(page).getByText(/^Kept in this browser/)).toBeVisible();
  });

  /** Changes what is kept, as it would be in another page or by a fault. */
  const change = (page, store, to) =>
    page.evaluate(
      ([store, to]) =>
        new Promise((resolve, reject) => {
          const opening = indexedDB.open("kubeglass");
          opening.onerror = reject;
          opening.onsuccess = () => {
            const transaction = opening.result.transaction(store, "readwrite");
            const cursor = transaction.objectStore(store).openCursor();
            cursor.onsuccess = () => {
              if (!cursor.result) return;
              const value = to === "newer" ? cursor.result.value.replace('"format":1', '"format":99') : new Uint8Array(9);
              cursor.result.update(value);
              cursor.result.continue();
            };
            transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        }),
      [store, to],
    );

  test.describe("what is kept", () => {
  // A script that is opened as a page has no icon.
  test.use({ expectedErrors: [/favicon/] });
  for (const [store, to, sentence] of [
    ["clusters", "newer", "written by a newer version"],
    ["pieces", "broken", "cannot be read"],
  ]) {
    test(`a cluster that is ${to} is told of, and a new one is there`, async ({ page }) => {
      await open(page);
      const name = await create(page);
      await kept(page);
      // Another page of this origin, so that nobody writes meanwhile.
      await page.goto("./sw.js");
      await change(page, store, to);
      await page.goto("./");
      await expect(notice(page)).toContainText(sentence);
      await get(page, `${LIST}/${name}`);
      await expect(answer(page).getByText("404 Not Found")).toBeVisible();
    });
  }
  });
});
