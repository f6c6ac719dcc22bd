import { expect, test } from "./fixtures.mjs";
import { answer, drawn, open, path, preset, request, timeline, watch, watches } from "./page.mjs";

const tab = (page, name) => watches(page).getByRole("tab", { name }).click();
const server = (page, number) => watches(page).getByRole("article", { name: `API server ${number}` });
const racer = (page, name) => watches(page).getByRole("article", { name });
const step = (page, who, name) => racer(page, who).getByRole("button", { name, exact: true }).click();
const outcome = (page) => watches(page).locator(".outcome");
const ways = (page, letter) => watch(page, letter).getByRole("list", { name: "Ways to go on" }).getByRole("listitem");

/** Sends a GET, whatever stands in the form. */
async function get(page, target) {
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(target);
  await request(page).getByRole("button", { name: "Send" }).click();
}

/** Sends a POST of a Secret, which no watch on ConfigMaps hears of. */
async function elsewhere(page) {
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill("/api/v1/namespaces/default/secrets");
  await request(page).getByRole("textbox", { name: "Body" }).fill('{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"a-"}}');
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
}

test.beforeEach(({ page }) => open(page));

test.describe("the beat of the page", () => {
  test.use({ clock: true });

  test("the time stands still, is moved on by hand, and goes on", async ({ page }) => {
    const time = page.locator(".clock time");
    await page.getByRole("button", { name: "Stop the time" }).click();
    await expect(page.getByRole("button", { name: "Let the time go" })).toBeVisible();
    await page.getByRole("button", { name: "+1 s: move the time on" }).press("Enter");
    await drawn(page);
    const before = await time.innerText();
    // The page beats ten times a second, and shows the time at every tenth beat.
    await page.clock.runFor(5000);
    await drawn(page);
    await expect(time).toHaveText(before);
    const seconds = (text) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    await page.getByRole("button", { name: "+10 s: move the time on" }).click();
    await expect.poll(async () => (seconds(await time.innerText()) - seconds(before) + 86400) % 86400).toBe(10);
    await expect(watch(page, "A").getByText("BOOKMARK")).toHaveCount(0);
    for (let minute = 0; minute < 2; minute++) await page.getByRole("button", { name: "+1 min: move the time on" }).click();
    await expect(watch(page, "A").getByText("BOOKMARK").first()).toBeVisible();
    await page.getByRole("button", { name: "Let the time go" }).click();
    await expect(page.getByLabel("Clock")).toHaveValue("1");
    // It goes again.
    const stood = await time.innerText();
    await page.clock.runFor(5000);
    await expect(time).not.toHaveText(stood);
  });
});

test("a watch that is cut says what each way to go on would have to go through", async ({ page }) => {
  const a = watch(page, "A");
  const event = await a.getByRole("listitem").first().locator(".rv").innerText();
  await elsewhere(page);
  await elsewhere(page);
  await page.getByLabel("Clock").selectOption("60×");
  const bookmark = String(Number(event) + 2);
  await expect(a.locator(".event.bookmark .rv").first()).toHaveText(bookmark);
  await a.getByRole("button", { name: "Cut" }).click();
  await expect(a.getByText("The connection broke: cut here")).toBeVisible();
  await expect(ways(page, "A")).toHaveCount(2);
  await expect(ways(page, "A").first()).toContainText(`With its last bookmark ${bookmark}`);
  await expect(ways(page, "A").first()).toContainText("0 events to go through");
  await expect(ways(page, "A").last()).toContainText(`from its last event ${event}`);
  await preset(page, "Create");
  await expect(ways(page, "A").first()).toContainText("1 event, for this watch");
  // What is compacted can only be listed again, but from the bookmark on everything is there.
  await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", String(Number(bookmark) + 1));
  const slider = timeline(page).getByRole("slider", { name: "Revision" });
  await slider.focus();
  await slider.press("ArrowLeft");
  await timeline(page).getByRole("button", { name: `Compact to ${bookmark}` }).click();
  await expect(ways(page, "A").last()).toContainText("410 Gone: list again, 3 objects");
  await expect(ways(page, "A").first()).toContainText("1 event, for this watch");
  await a.getByRole("button", { name: `Resume without the bookmark, from ${event}` }).click();
  await expect(a.getByText("410 Expired")).toBeVisible();
  await expect(a.getByRole("button", { name: "Watch anew" })).toBeVisible();
});

test("a watch tells what its selector has filtered", async ({ page }) => {
  const list = await answer(page).locator(".json .rv").first().innerText();
  await get(page, `/api/v1/namespaces/default/configmaps?watch=true&labelSelector=app%3Dnotes&resourceVersion=${list}`);
  await preset(page, "Update, stale");
  await preset(page, "Create");
  await expect(watch(page, "B")).toContainText(/1 sent, [1-9] filtered/);
});

test("an API server lags, is cut off, and loses its watches", async ({ page }) => {
  await tab(page, "API servers");
  await expect(server(page, 0)).toContainText("as new as the store · 1 watch");
  await page.getByRole("button", { name: "Stop the time" }).click();
  await server(page, 0).getByLabel("Lag").selectOption("5 s");
  await preset(page, "Create");
  await expect(server(page, 0)).toContainText("1 revision behind the store");
  await expect(server(page, 0).locator(".behind")).toContainText("configmaps");
  await get(page, "/api/v1/namespaces/default/configmaps?resourceVersion=0");
  await expect(answer(page).locator(".answer-head")).toContainText(/from the watch cache at/);
  await page.getByRole("button", { name: "+10 s: move the time on" }).click();
  await expect(server(page, 0)).toContainText("as new as the store");
  await server(page, 0).getByLabel("Lag").selectOption("none");
  await server(page, 0).getByRole("button", { name: "Cut it off from the store" }).click();
  await preset(page, "Create");
  await expect(server(page, 0)).toContainText("cut off, 1 revision behind the store");
  await server(page, 0).getByRole("button", { name: "Mend" }).click();
  await expect(server(page, 0)).toContainText("as new as the store");
  await server(page, 0).getByRole("button", { name: "Drop its watches" }).click();
  await expect(server(page, 0)).toContainText("0 watches");
  await tab(page, "Watches");
  await expect(watch(page, "A").getByText("The server closed the stream")).toBeVisible();
});

test("a lag of one resource leaves the others alone", async ({ page }) => {
  await path(page).fill("/api/v1/namespaces/default/secrets");
  await tab(page, "API servers");
  await page.getByRole("button", { name: "Stop the time" }).click();
  await server(page, 0).getByRole("combobox", { name: "of", exact: true }).selectOption("secrets");
  await server(page, 0).getByLabel("Lag").selectOption("30 s");
  await elsewhere(page);
  await expect(server(page, 0).locator(".behind")).toHaveText(/^secrets at \d{5}$/);
});

test("requests go to the API server that is chosen", async ({ page }) => {
  const choice = request(page).getByLabel("API server");
  await expect(choice).toBeHidden();
  await tab(page, "API servers");
  await watches(page).getByRole("button", { name: "Add an API server" }).click();
  await expect(server(page, 1)).toBeVisible();
  await choice.selectOption("1");
  await preset(page, "Watch");
  await expect(watch(page, "B")).toContainText("API server 1");
  await expect(watch(page, "A")).toContainText("API server 0");
  await tab(page, "API servers");
  await expect(server(page, 1)).toContainText("1 watch");
  await watches(page).getByRole("button", { name: "Add an API server" }).click();
  await expect(watches(page).getByRole("button", { name: "Add an API server" })).toBeDisabled();
  await choice.selectOption("next in turn");
  await expect(choice).toHaveValue("");
});

test("a read with resourceVersion=0 goes back in time", async ({ page }) => {
  await tab(page, "API servers");
  await watches(page).getByRole("button", { name: "Show it" }).click();
  const told = watches(page).locator(".told li");
  await expect(told).toHaveCount(6);
  const version = async (line) => Number(await told.nth(line).locator(".rv").first().innerText());
  await expect(told.nth(2)).toContainText("API server 0, and gets 3 objects");
  await expect(told.nth(3)).toContainText("API server 1, and gets 2 objects");
  await expect.poll(async () => (await version(3)) < (await version(2))).toBe(true);
  await expect.poll(async () => (await version(5)) >= (await version(2))).toBe(true);
  await expect(server(page, 1)).toContainText("as new as the store");
});

test("the next request fails as it is told to, and the one after it does not", async ({ page }) => {
  const fault = request(page).getByLabel("Inject failure");
  for (const code of ["429", "500", "503"]) {
    await fault.selectOption({ index: ["429", "500", "503"].indexOf(code) + 1 });
    await expect(request(page).getByText("1 request is to fail")).toBeVisible();
    await get(page, "/api/v1/namespaces/default/configmaps");
    await expect(answer(page).locator(".answer-head")).toContainText(code);
    await expect(fault).toHaveValue("");
    await request(page).getByRole("button", { name: "Send" }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  }
  await fault.selectOption("connection cut");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page)).toContainText("the connection was cut");
  await fault.selectOption("409 Conflict");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(request(page).getByText("1 request is to fail")).toBeVisible();
  await request(page).getByRole("button", { name: "Let it pass" }).click();
  await expect(fault).toHaveValue("");
});

test("two clients race, and the late one reads again", async ({ page }) => {
  await tab(page, "Race");
  await watches(page).getByRole("button", { name: "Begin" }).click();
  for (const who of ["Alice", "Bob"]) await step(page, who, "Read");
  await expect(racer(page, "Bob")).toContainText("counter: 0");
  for (const who of ["Alice", "Bob"]) await step(page, who, "Change");
  await step(page, "Alice", "Write");
  await expect(racer(page, "Alice")).toContainText("200 OK");
  await step(page, "Bob", "Write");
  await expect(racer(page, "Bob")).toContainText("409 Conflict");
  await expect(racer(page, "Bob")).toContainText("the object has been modified");
  await expect(outcome(page)).toHaveAttribute("data-outcome", "conflict");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  const versions = await racer(page, "Bob").locator(".answered .rv").innerText();
  expect(Number(versions)).toBeLessThan(Number(await watches(page).locator(".truth .rv").innerText()));
  await racer(page, "Bob").getByRole("button", { name: "Read again and retry" }).click();
  await expect(outcome(page)).toHaveAttribute("data-outcome", "both");
  await expect(watches(page).locator(".truth")).toContainText("counter: 2");
});

for (const [mode, result, truth] of [
  ["PUT without resourceVersion", "lost", "counter: 1"],
  ["PATCH", "both", "alice: 1, bob: 1"],
  ["apply", "taken", "counter: 20"],
]) {
  test(`the race plays by itself: ${mode}`, async ({ page }) => {
    test.slow();
    await tab(page, "Race");
    await watches(page).getByLabel("They write by").selectOption(mode);
    await watches(page).getByRole("button", { name: "Play" }).click();
    await expect(outcome(page)).toHaveAttribute("data-outcome", result);
    await expect(watches(page).locator(".truth")).toContainText(truth);
    await expect(watches(page).getByRole("button", { name: "Play", exact: true })).toBeVisible();
  });
}

test("traffic flows, and stops", async ({ page }) => {
  // Ten thousand writes, each of them seen by twenty watches, on a machine that has other things to do.
  test.setTimeout(300_000);
  const head = async () => Number(await timeline(page).getByRole("slider", { name: "Revision" }).getAttribute("max"));
  await tab(page, "API servers");
  const before = await head();
  await watches(page).getByLabel("Writes").selectOption("100 a second");
  await expect.poll(head, { timeout: 30_000 }).toBeGreaterThan(before + 50);
  await watches(page).getByLabel("Writes").selectOption("off");
  await watches(page).getByRole("button", { name: "Open 20 watches on it" }).click();
  await expect(watches(page).getByRole("button", { name: "Close the 20 watches" })).toBeVisible();
  const rest = await head();
  await watches(page).getByRole("button", { name: "Write 10,000 at once" }).click();
  await expect(watches(page).getByRole("progressbar")).toBeVisible();
  await expect(watches(page).getByRole("progressbar")).toBeHidden({ timeout: 200_000 });
  await expect.poll(head, { timeout: 30_000 }).toBeGreaterThanOrEqual(rest + 10_000);
  await tab(page, "Watches");
  await expect(watch(page, "C")).toContainText(/\d+ sent, \d+ filtered/);
  await expect(watch(page, "B").getByRole("listitem")).toHaveCount(6);
  await watch(page, "B").getByRole("button", { name: /^Show \d+ older$/ }).click();
  await expect(watch(page, "B").getByRole("listitem")).toHaveCount(200);
});

test("a copy is compared with the server", async ({ page }) => {
  await watches(page).getByRole("button", { name: "Keep a copy" }).click();
  const card = watches(page).getByRole("article", { name: "Copy of default/configmaps" });
  await expect(card).toContainText("same as the server");
  await card.getByRole("button", { name: "Cut" }).click();
  await preset(page, "Create");
  await expect(card).toContainText("1 behind");
  await card.getByText("Compare with the server").click();
  await expect(card.getByRole("row").filter({ hasText: "new at the server" })).toHaveCount(1);
  await expect(card.getByRole("row")).toHaveCount(4);
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing in the controls: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      test.slow();
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      if (width < 760) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Watches" }).click();
      const fits = async (what) => {
        const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect(sticksOut, what).toBe(false);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/lab-${what}-${colorScheme}-${width}.png` });
        await axe({ include: "#watches" });
      };
      await watch(page, "A").getByRole("button", { name: "Cut" }).click();
      await expect(ways(page, "A")).toHaveCount(1);
      await fits("cut");
      await tab(page, "API servers");
      await watches(page).getByRole("button", { name: "Add an API server" }).click();
      await server(page, 1).getByRole("button", { name: "Cut it off" }).click();
      await fits("servers");
      await tab(page, "Race");
      await watches(page).getByRole("button", { name: "Begin" }).click();
      for (const [who, name] of [["Alice", "Read"], ["Bob", "Read"], ["Alice", "Change"], ["Bob", "Change"], ["Alice", "Write"], ["Bob", "Write"]]) await step(page, who, name);
      await expect(outcome(page)).toBeVisible();
      await fits("race");
    });
  }
}
