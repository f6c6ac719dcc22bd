import { expect, test } from "./fixtures.mjs";
import { answer, drawn, open, preset, request, resources, timeline, tree, watch } from "./page.mjs";

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`axe finds nothing: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      test.slow();
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("./");
      const pane = (name) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });
      const narrow = width < 760;
      if (narrow) await pane("Response").click();
      await expect(tree(page)).toContainText("greeting");
      await axe();
      if (narrow) await pane("Request").click();
      await preset(page, "Update, stale");
      await expect(answer(page).getByText("409 Conflict")).toBeVisible();
      await axe();
      if (narrow) await pane("Request").click();
      await request(page).getByRole("textbox", { name: "Body" }).fill('{"a": 1,}');
      await expect(request(page).locator("#body-broken")).toContainText("Not JSON");
      await axe();
      await preset(page, "Watch, compacted");
      await expect(watch(page, "B").getByText("410 Expired")).toBeVisible();
      await axe();
      if (narrow) await pane("Timeline").click();
      await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", /\d+/);
      await axe();
      if (narrow) {
        await pane("Resources").click();
        await axe();
      }
      await page.getByRole("button", { name: "Keys and help" }).click();
      await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
      await axe();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("dialog", { name: "Find and do" })).toBeVisible();
      await axe();
    });
  }
}

for (const width of [390, 320]) {
  test(`a page of ${width} px shows one pane at a time, and nothing sticks out`, async ({ page }) => {
    await page.setViewportSize({ width, height: 700 });
    await page.goto("./");
    const bar = page.getByRole("navigation", { name: "Panes" });
    await expect(page.locator(".last-event")).toContainText("MODIFIED");
    for (const name of ["Resources", "Request", "Response", "Watches", "Timeline"]) {
      await bar.getByRole("button", { name }).click();
      await expect(page.getByRole("region", { name, exact: true })).toBeVisible();
      await expect(page.locator("main .pane:visible")).toHaveCount(1);
      const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sticksOut, name).toBe(false);
    }
    await bar.getByRole("button", { name: "Request" }).click();
    await preset(page, "List");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
  });
}

test("everything can be done with the keyboard alone", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the request" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(request(page).getByRole("button", { name: "Create" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  // To the newest event, down to an older one, and into it.
  const first = watch(page, "A").getByRole("listitem").first().getByRole("button");
  const second = watch(page, "A").getByRole("listitem").nth(1).getByRole("button");
  await expect(first).toContainText("ADDED");
  for (let steps = 0; steps < 200; steps++) {
    await page.keyboard.press("Tab");
    if (await first.evaluate((button) => button === document.activeElement)) break;
  }
  await expect(first).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(second).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(tree(page)).toContainText('"type": "MODIFIED"');
});

test("no stop of the tab key is a trap, and each is seen", async ({ page }) => {
  await open(page);
  const seen = new Set();
  for (let steps = 0; steps < 250; steps++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const within = element.closest(".editor") !== null;
      return { where: element.outerHTML.slice(0, 120), shown: within || (outlineStyle !== "none" && outlineWidth !== "0px") };
    });
    if (!stop) break;
    expect(stop.shown, stop.where).toBe(true);
    seen.add(stop.where);
  }
  expect(seen.size).toBeGreaterThan(30);
});

test("Ctrl+K finds a resource, ? lists the keys", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Control+k");
  // Its code may still be on its way.
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("list pods");
  await expect(page.getByRole("dialog").getByRole("option").first()).toContainText("List pods");
  await page.keyboard.press("Enter");
  await expect(tree(page)).toContainText('"kind": "PodList"');
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await expect(help).toBeVisible();
  await help.getByLabel("Keys without Ctrl").uncheck();
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
  await page.keyboard.press("?");
  await drawn(page);
  await expect(help).toBeHidden();
});

test("panes resize by keyboard, and are remembered", async ({ page }) => {
  await open(page);
  const separator = page.getByRole("separator", { name: "Width of the resources" });
  const before = Number(await separator.getAttribute("aria-valuenow"));
  await separator.press("ArrowRight");
  await separator.press("ArrowRight");
  await expect(separator).toHaveAttribute("aria-valuenow", String(before + 32));
  await drawn(page);
  const width = (await resources(page).boundingBox()).width;
  await page.reload();
  await expect(separator).toHaveAttribute("aria-valuenow", String(before + 32));
  await expect.poll(async () => (await resources(page).boundingBox()).width).toBe(width);
});

test("panes resize by pointer", async ({ page }) => {
  await open(page);
  const separator = page.getByRole("separator", { name: "Height of the timeline" });
  const before = Number(await separator.getAttribute("aria-valuenow"));
  const { x, y, width } = await separator.boundingBox();
  await page.mouse.move(x + width / 2, y + 3);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y - 57, { steps: 3 });
  await page.mouse.up();
  await expect(separator).toHaveAttribute("aria-valuenow", String(before + 60));
});

test("the theme is chosen, and remembered", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await open(page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "System colours" }).click();
  await page.getByRole("button", { name: "Light colours" }).click();
  await expect(page.getByRole("button", { name: "Dark colours" })).toBeVisible();
  await expect.poll(ground).not.toBe(light);
  await page.reload();
  await expect(page.getByRole("button", { name: "Dark colours" })).toBeVisible();
  await expect.poll(ground).not.toBe(light);
});
