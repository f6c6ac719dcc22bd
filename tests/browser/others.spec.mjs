// Other clients of the page's cluster: other tabs, scripts on the page's origin, and whatever talks to a `kubeglass serve`.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, resources, timeline, tree, watch, watches } from "./page.mjs";

const PROGRAM = process.env.KUBEGLASS ?? fileURLToPath(new URL("../../target/debug/kubeglass", import.meta.url));
const MAPS = "/api/v1/namespaces/default/configmaps";

/** Starts a server on a port of its own. Gives its address, and what ends it. */
async function serve(...options) {
  expect(existsSync(PROGRAM), `${PROGRAM}: cargo build -p kubeglass-serve builds it`).toBe(true);
  const child = spawn(PROGRAM, ["serve", "--listen", "127.0.0.1:0", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /listening on (http:\S+) /.exec(said);
      if (found) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(said)));
  });
  return { address, end: () => child.kill("SIGKILL") };
}

const create = (address, name) =>
  fetch(`${address}${MAPS}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "User-Agent": "my-controller/v1 (test)" },
    body: JSON.stringify({ metadata: { name } }),
  });

/** The requests in the timeline. */
async function requests(page) {
  await timeline(page).getByRole("tab", { name: "Requests" }).click();
  return timeline(page).getByRole("table");
}

const notice = (page) => page.locator(".engine");
const cluster = (page) => page.getByRole("combobox", { name: "Cluster" });

test.describe("a kubeglass serve", () => {
  let server;
  test.beforeEach(async () => {
    server = await serve();
  });
  test.afterEach(() => server.end());

  test("shows what other clients do, as it happens", async ({ page, axe }) => {
    await create(server.address, "before");
    const watching = await fetch(`${server.address}${MAPS}?watch=1`, { headers: { "User-Agent": "my-informer/v2" } });
    await page.goto(`./?engine=${encodeURIComponent(server.address)}`);
    await expect(tree(page)).toContainText('"name": "before"');
    await expect(page.locator("header")).toContainText(`The Kubeglass server at ${server.address}`);
    await expect(page.locator("header").getByRole("button", { name: "Stop the time" })).toBeHidden();
    await expect(watch(page, "B")).toContainText("my-informer");
    for (const name of ["one", "one"]) await create(server.address, name);
    const table = await requests(page);
    await expect(table.getByRole("row", { name: /create default\/configmaps.*my-controller.*409/ })).toBeVisible();
    await expect(resources(page).getByTitle("List configmaps")).toContainText("2");
    await table.getByRole("button", { name: /create default\/configmaps/ }).last().click();
    await axe();
    // What it asks for is answered there, and nothing was put into the cluster of others.
    const list = await (await fetch(`${server.address}${MAPS}`)).json();
    expect(list.items.map((item) => item.metadata.name)).toEqual(["before", "one"]);
    await preset(page, "Create");
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    expect((await (await fetch(`${server.address}${MAPS}`)).json()).items.length).toBe(3);
    await watching.body.cancel();
    await expect(watch(page, "B")).toContainText("its client closed it");
  });

  test.describe("that ends", () => {
    test.use({ expectedErrors: [/WebSocket|ERR_CONNECTION_REFUSED/] });

    test("is told of, and can be connected to again", async ({ page }) => {
      await page.goto(`./?engine=${encodeURIComponent(server.address)}`);
      await expect(answer(page).getByText("200 OK")).toBeVisible();
      server.end();
      await expect(notice(page)).toContainText(`There is no connection to the server at ${server.address}: the connection was lost.`);
      await notice(page).getByRole("button", { name: "Connect again" }).click();
      await expect(notice(page)).toContainText("nothing answers there");
      const port = new URL(server.address).port;
      const again = await serve("--listen", `127.0.0.1:${port}`);
      await notice(page).getByRole("button", { name: "Connect again" }).click();
      await expect(notice(page)).toBeEmpty();
      await expect(answer(page).getByText("200 OK")).toBeVisible();
      again.end();
    });
  });

  test("is chosen by its address", async ({ page }) => {
    await open(page);
    await cluster(page).selectOption("server");
    await page.getByRole("textbox", { name: "Address of kubeglass serve" }).fill(server.address.replace("http://", ""));
    await page.keyboard.press("Enter");
    await expect(page.locator("header")).toContainText(`The Kubeglass server at ${server.address}`);
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await cluster(page).selectOption("tab");
    await expect(watches(page).getByText("MODIFIED")).toBeVisible();
  });
});

test("one cluster for all tabs: each sees the requests of the others", async ({ page, context }) => {
  await page.goto("./?engine=tabs");
  await expect(watches(page).getByText("MODIFIED")).toBeVisible();
  const other = await context.newPage();
  await other.goto("./?engine=tabs");
  await expect(tree(other)).toContainText('"name": "greeting"');
  await preset(other, "Create");
  await expect(answer(other).getByText("201 Created")).toBeVisible();
  const table = await requests(page);
  await expect(table.getByRole("row", { name: /create default\/configmaps.*kubeglass.*201/ }).last()).toBeVisible();
  await expect(watch(page, "B")).toContainText("Its events go to that client");
  // It is there for as long as one of them is.
  await page.reload();
  await expect(resources(page).getByTitle("List configmaps")).toContainText("3");
  await expect(watch(page, "B")).toContainText("Its events go to that client");
  await other.close();
  await expect(watches(page).getByText("its client closed it").last()).toBeVisible();
});

test.describe("scripts of the page", () => {
  // The browser complains of each 404.
  test.use({ expectedErrors: [/404/] });

  test("use its cluster by fetch, streams included", async ({ page }) => {
    await open(page);
    await page.getByRole("tab", { name: "API servers" }).click();
    await page.getByLabel("Answer fetch() on this page").check();
    await expect(page.getByText("console.table")).toBeVisible();
    const done = await page.evaluate(async (maps) => {
      const said = [];
      const give = new AbortController();
      const watching = await fetch(`.${maps}?watch=1`, { signal: give.signal });
      const reader = watching.body.pipeThrough(new TextDecoderStream()).getReader();
      let events = (await reader.read()).value;
      const created = await fetch(`.${maps}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { name: "by-script" } }),
      });
      said.push(created.status, (await created.json()).metadata.name);
      while (!events.includes("by-script")) events += (await reader.read()).value;
      give.abort();
      said.push((await fetch(`.${maps}/none`)).status, (await fetch("./version")).headers.get("content-type"));
      return said;
    }, MAPS);
    expect(done).toEqual([201, "by-script", 404, "application/json"]);
    const table = await requests(page);
    await expect(table.getByRole("row", { name: /create default\/configmaps.*Mozilla.*201/ })).toBeVisible();
    await page.getByLabel("Answer fetch() on this page").uncheck();
    expect(await page.evaluate(async () => (await fetch("./version")).status)).toBe(404);
  });
});
