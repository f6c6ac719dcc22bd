// Other clients of the page's cluster: other tabs, scripts on the page's origin, and whatever talks to a `kubeglass serve`.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";
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

/** Serves the page, and passes what is below `/remote/` on to a server, as `cargo xtask serve` does. Gives its address, and what ends it. */
async function proxy(to) {
  const { port } = new URL(to);
  const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };
  const files = createServer((incoming, response) => {
    const { pathname, search } = new URL(incoming.url, to);
    if (pathname.startsWith("/remote/")) {
      const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
      const passed = ask({ port, path: pathname.slice("/remote".length) + search, method: incoming.method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers).flushHeaders();
        answer.pipe(response);
      });
      response.on("close", () => passed.destroy());
      passed.on("error", () => response.destroy());
      incoming.pipe(passed);
      return;
    }
    const file = new URL(`../../dist${pathname === "/" ? "/index.html" : pathname}`, import.meta.url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[/\w+$/.exec(file.pathname)[0]] ?? "text/plain" }).end(readFileSync(file));
  });
  files.on("upgrade", (incoming, socket, first) => {
    const server = connect(port, "127.0.0.1", () => {
      const pairs = [];
      for (let at = 0; at < incoming.rawHeaders.length; at += 2) pairs.push(incoming.rawHeaders.slice(at, at + 2));
      const lines = pairs.map(([name, value]) => `${name}: ${/^host$/i.test(name) ? `127.0.0.1:${port}` : value}`);
      server.write(`GET ${incoming.url.slice("/remote".length)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      server.write(first);
      server.pipe(socket).pipe(server);
    });
    server.on("error", () => socket.destroy());
    socket.on("error", () => server.destroy());
  });
  await new Promise((resolve) => files.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${files.address().port}`, end: () => files.close() };
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

  test("leaves the focus on the row of an object that others change", async ({ page }) => {
    for (const name of ["one", "two"]) await create(server.address, name);
    await page.goto(`./?engine=${encodeURIComponent(server.address)}&view=cluster&path=${MAPS}`);
    const link = (name) => page.getByRole("table", { name: "Objects" }).getByRole("link", { name, exact: true });
    await link("one").focus();
    const change = { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: '{"data":{"a":"b"}}' };
    await fetch(`${server.address}${MAPS}/one`, change);
    // Its row says by now how many keys it has.
    await expect(page.getByRole("row", { name: /^one 1 / })).toBeVisible();
    await expect(link("one")).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(link("two")).toBeFocused();
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

test.describe("a server with tokens", () => {
  test.use({ expectedErrors: [/WebSocket/] });

  test("is looked at by whoever has one of system:masters", async ({ page }, info) => {
    const file = info.outputPath("tokens");
    writeFileSync(file, 'a,root,1,system:masters\nb,alice,2\n');
    const server = await serve("--token-file", file);
    await page.goto(`./?engine=${encodeURIComponent(server.address)}`);
    for (const [token, said] of [["b", "it lets nobody in"], ["a", ""]]) {
      await expect(notice(page)).toContainText("it lets nobody in");
      await cluster(page).selectOption("server");
      await page.getByRole("textbox", { name: "Address of kubeglass serve" }).fill(server.address);
      await page.getByLabel("Bearer token, if it asks for one").fill(token);
      // The page is opened anew for that.
      const opened = page.waitForEvent("load");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      await opened;
      if (said) await expect(notice(page)).toContainText(said);
    }
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await expect(answer(page)).toContainText("root may list configmaps");
    server.end();
    // Another server, to which a link may lead, does not get the token.
    const other = createServer();
    const offered = new Promise((resolve) => {
      other.on("upgrade", (incoming, socket) => {
        resolve(incoming.headers["sec-websocket-protocol"]);
        socket.destroy();
      });
    });
    await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
    await page.goto(`./?engine=http://127.0.0.1:${other.address().port}`);
    expect(await offered).toBe("v1.kubeglass");
    other.close();
  });
});

test("a remote cluster is watched as often as anybody wants", async ({ page }) => {
  const server = await serve();
  const { address, end } = await proxy(server.address);
  await page.goto(`${address}/`);
  await expect(watches(page).getByText("MODIFIED")).toBeVisible();
  await cluster(page).selectOption("kubectl proxy");
  for (let count = 1; count <= 9; count++) {
    await preset(page, "Watch");
    await expect(watches(page).getByRole("article")).toHaveCount(count);
  }
  await create(server.address, "seen-by-all");
  await expect(watches(page).getByText("seen-by-all")).toHaveCount(9);
  await watches(page).getByRole("button", { name: "Stop" }).first().click();
  await preset(page, "List");
  await expect(tree(page)).toContainText("seen-by-all");
  server.end();
  end();
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
    await expect.poll(() => page.evaluate(async () => (await fetch("./version")).status)).toBe(404);
  });
});

test("a recording is opened, with its requests, watches and revisions", async ({ page, axe }, info) => {
  const file = info.outputPath("run.kgrec");
  const server = await serve("--record", file);
  const watching = await fetch(`${server.address}${MAPS}?watch=1`, { headers: { "User-Agent": "my-informer/v2" } });
  for (const name of ["one", "one", "two"]) await create(server.address, name);
  await watching.body.cancel();
  await fetch(`${server.address}${MAPS}/two`, { method: "DELETE" });
  // What was recorded is in the file a second later, whatever becomes of the server.
  const deleted = () => spawnSync(PROGRAM, ["trace", file, "delete"], { encoding: "utf8" }).stdout;
  await expect.poll(deleted).toContain("configmaps/two");
  server.end();
  const text = execFileSync(PROGRAM, ["trace", file], { encoding: "utf8" });
  expect(text).toMatch(/my-controller \(admin\) +create +default\/configmaps +409/);
  expect(text).toMatch(/my-informer \(admin\) +watch .*opened/);

  await open(page);
  await cluster(page).selectOption("a recording …");
  await page.getByLabel("Recording", { exact: true }).setInputFiles(file);
  await expect(page.locator("header")).toContainText(/run\.kgrec: revisions 300 to \d+\. The recording has no end/);
  await expect(watches(page)).toContainText("my-informer");
  const table = await requests(page);
  await expect(table.getByRole("row", { name: /create default\/configmaps.*my-controller.*409/ })).toBeVisible();
  await axe();
  // An engine goes on from there: any revision in it can be asked for.
  await path(page).fill(`${MAPS}?resourceVersion=305&resourceVersionMatch=Exact`);
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(tree(page)).toContainText('"name": "two"');
  await preset(page, "List");
  await expect(tree(page)).not.toContainText('"name": "two"');
});

test("what is no recording is told, and changes nothing", async ({ page }) => {
  await open(page);
  await cluster(page).selectOption("a recording …");
  const choose = page.getByLabel("Recording", { exact: true });
  for (const [name, buffer, why] of [
    ["notes.txt", Buffer.from("hello"), "notes.txt cannot be opened: this is no recording of Kubeglass."],
    ["cut.kgrec", Buffer.from("KGREC\r\n\x1a\x01\0\0\0\x02\0\0\0", "latin1"), "cut.kgrec cannot be opened: "],
    ["new.kgrec", Buffer.from("KGREC\r\n\x1a\x63\0\0\0\x02\0\0\0", "latin1"), "version 99"],
  ]) {
    await choose.setInputFiles({ name, mimeType: "application/octet-stream", buffer });
    await expect(page.getByRole("alert")).toContainText(why);
  }
  await preset(page, "List");
  await expect(tree(page)).toContainText('"name": "greeting"');
});
