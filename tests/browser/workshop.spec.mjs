// A workshop: the page of the leader, and that of an attendee, as their links open them.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

import { expect, test } from "./fixtures.mjs";
import { answer, path, request } from "./page.mjs";

test.use({ view: "" });

const PROGRAM = process.env.KUBEGLASS ?? fileURLToPath(new URL("../../target/debug/kubeglass", import.meta.url));
const ATTENDEES = "/apis/workshop.kubeglass.dev/v1/attendees";
const ANNA = "/apis/workshop.kubeglass.dev/v1/namespaces/anna/attendees/anna";
const TYPES = { css: "text/css", html: "text/html", js: "text/javascript", json: "application/json", md: "text/markdown", svg: "image/svg+xml", wasm: "application/wasm" };

/** Starts a server with a workshop. Gives its port, and what ends it. */
async function workshop(info) {
  expect(existsSync(PROGRAM), `${PROGRAM}: cargo build -p kubeglass-serve builds it`).toBe(true);
  const list = info.outputPath("users.csv");
  writeFileSync(list, "name,token\nleader,boss\nanna,a?token\nben,b\n");
  const child = spawn(PROGRAM, ["serve", "--listen", "127.0.0.1:0", "--workshop", list], { stdio: ["ignore", "ignore", "pipe"] });
  const port = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /listening on http:\S+:(\d+) /.exec(said);
      if (found) resolve(Number(found[1]));
    });
    child.on("exit", () => reject(new Error(said)));
  });
  return { port, end: () => child.kill("SIGKILL") };
}

/** Serves the page below `/ui/` and passes everything else on to a server, as one with `--ui` does. Gives its address, and what ends it. */
async function withPage(port) {
  const front = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url, "http://localhost");
    if (!pathname.startsWith("/ui/")) {
      const { url, method, headers } = incoming;
      const passed = ask({ port, path: url, method, headers }, (answered) => {
        response.writeHead(answered.statusCode, answered.headers);
        answered.pipe(response);
      });
      passed.on("error", () => response.destroy());
      incoming.pipe(passed);
      return;
    }
    const name = pathname === "/ui/" ? "/index.html" : pathname.slice("/ui".length);
    const file = new URL(`../../dist${name}`, import.meta.url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[/\w+$/.exec(file.pathname)[0]] ?? "text/plain" }).end(readFileSync(file));
  });
  front.on("upgrade", (incoming, socket, first) => {
    const server = connect(port, "127.0.0.1", () => {
      const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${value}`);
      server.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      server.write(first);
      server.pipe(socket).pipe(server);
    });
    server.on("error", () => socket.destroy());
    socket.on("error", () => server.destroy());
  });
  await new Promise((resolve) => front.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${front.address().port}`, end: () => front.close() };
}

/** Sends a request with a token, and gives what comes as JSON. */
async function send(address, token, target, patch) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/merge-patch+json" };
  const body = patch && JSON.stringify(patch);
  return (await fetch(`${address}${target}`, { method: patch ? "PATCH" : "GET", headers, body })).json();
}

test.describe("a workshop", () => {
  let server, front;
  test.beforeEach(async ({ browserName: _ }, info) => {
    server = await workshop(info);
    front = await withPage(server.port);
  });
  test.afterEach(() => {
    server.end();
    front.end();
  });

  test("shows the leader how far everybody is, as it happens", async ({ page }) => {
    await page.goto(`${front.address}/ui/?engine=here&view=cluster&path=${ATTENDEES}#token=boss`);
    const row = (name) => page.getByRole("table", { name: "Objects" }).getByRole("row", { name: new RegExp(name) });
    await expect(row("anna")).toBeVisible();
    await expect(row("ben")).toBeVisible();
    expect(page.url()).not.toContain("boss");
    const spec = { lesson: "conflict", step: 2, steps: 4, done: 7, seen: new Date().toISOString() };
    await send(front.address, "a?token", ANNA, { spec });
    await expect(row("anna")).toContainText("conflict");
    await page.reload();
    await expect(row("anna")).toContainText("conflict");
  });

  test("is told which step of which lesson an attendee has done", async ({ page }) => {
    await page.goto(`${front.address}/ui/?view=learn#token=a%3Ftoken&attendee=anna`);
    await expect(page.locator("#learn").getByRole("heading", { name: "Lessons" })).toBeVisible();
    expect(page.url()).toBe(`${front.address}/ui/?view=learn`);
    await page.goto(`${front.address}/ui/?view=learn#/read?src=${encodeURIComponent("kubeglass:lessons/en/conflict")}`);
    const told = async () => (await send(front.address, "boss", ANNA)).spec;
    await expect.poll(told).toMatchObject({ lesson: "conflict", step: 0, steps: 4, done: 0 });
    const step = page.locator(".lesson-step").first();
    await step.getByRole("textbox").fill("kubectl get configmap colours -o yaml");
    await step.getByRole("button", { name: "Run", exact: true }).click();
    await expect.poll(told).toMatchObject({ lesson: "conflict", step: 1, steps: 4 });
    expect(Date.parse((await told()).seen)).toBeGreaterThan(Date.now() - 60_000);
    await expect(page.locator("#learn")).not.toContainText("could not be sent");
  });

  test.describe("with rights", () => {
    // The browser complains of what is forbidden.
    test.use({ expectedErrors: [/403/] });

    test("answers an attendee's requests as far as their rights go", async ({ page }) => {
      await page.goto(`${front.address}/ui/?view=request#token=a%3Ftoken&attendee=anna`);
      await expect(answer(page).getByText("200 OK")).toBeVisible();
      await page.getByRole("combobox", { name: "Cluster" }).selectOption("the workshop’s server");
      for (const [namespace, status] of [["anna", "200 OK"], ["ben", "403 Forbidden"]]) {
        await path(page).fill(`/api/v1/namespaces/${namespace}/secrets`);
        await request(page).getByRole("button", { name: "Send", exact: true }).click();
        await expect(answer(page).getByText(status)).toBeVisible();
      }
    });
  });

  test.describe("that has ended", () => {
    test.use({ expectedErrors: [/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to load/] });

    test("does not disturb a lesson", async ({ page }) => {
      await page.goto(`${front.address}/ui/?view=learn#token=a%3Ftoken&attendee=anna`);
      await expect(page.locator("#learn").getByRole("heading", { name: "Lessons" })).toBeVisible();
      server.end();
      await page.goto(`${front.address}/ui/?view=learn#/read?src=${encodeURIComponent("kubeglass:lessons/en/conflict")}`);
      const step = page.locator(".lesson-step").first();
      await expect(step).toContainText("Your progress could not be sent to the workshop’s server.");
      await step.getByRole("textbox").fill("kubectl get configmap colours -o yaml");
      await step.getByRole("button", { name: "Run", exact: true }).click();
      await expect(page.locator(".learn-counts")).toHaveText("1 of 4 steps");
    });
  });
});
