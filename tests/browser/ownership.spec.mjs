import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, tree } from "./page.mjs";

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const owned = (page) => answer(page).getByRole("list", { name: "Fields and their owners" });
const going = (page) => answer(page).getByRole("region", { name: "This object is being deleted" });

/** Sends a request through the form. */
async function send(page, method, target, text) {
  await request(page).getByRole("combobox", { name: "Method" }).selectOption(method);
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  if (text !== undefined) await body(page).fill(text);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
}

test("an object shows who owns each field, and what a body would run into", async ({ page, axe }) => {
  await open(page);
  const target = `${CONFIGMAPS}/settings`;
  await send(page, "GET", target);
  await answer(page).getByRole("tab", { name: "Ownership" }).click();
  const theme = owned(page).getByRole("listitem").filter({ hasText: /theme:/ });
  await expect(theme).toContainText("managed by kubeglass");
  await expect(owned(page).getByRole("listitem").filter({ hasText: "uid" })).toContainText("owned by nobody");
  await axe({ include: "#answer" });
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
  await request(page).getByRole("radio", { name: "Apply", exact: true }).check();
  await body(page).fill(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { theme: "loud" } }));
  await expect(theme).toContainText("your body would conflict here");
  await expect(theme).toHaveClass(/ahead/);
  await body(page).fill(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { theme: "calm" } }));
  await expect(theme).not.toHaveClass(/ahead/);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(theme).toContainText("managed by alice, kubeglass");
  await expect(theme).toHaveClass(/shared/);
  const alice = answer(page).getByRole("button", { name: /alice \(Apply\)/ });
  await alice.press("Enter");
  await expect(alice).toHaveAttribute("aria-pressed", "true");
  await expect(theme).not.toHaveClass(/dim/);
  await expect(owned(page).getByRole("listitem").filter({ hasText: "uid" })).toHaveClass(/dim/);
  await axe({ include: "#answer" });
});

test("a response without owners says what would show some", async ({ page }) => {
  await open(page);
  await answer(page).getByRole("tab", { name: "Ownership" }).click();
  await expect(answer(page).getByText("Read one object as JSON")).toBeVisible();
});

test("an update that came too late is made again on what somebody else has written", async ({ page }) => {
  await open(page);
  await preset(page, "Update, stale");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  await answer(page).getByRole("button", { name: "Read again, and make the same change" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(tree(page)).toContainText("mine");
});

test("a deletion waits for finalizers, which go one by one", async ({ page, axe }) => {
  await open(page);
  const object = { metadata: { name: "kept", finalizers: ["example.com/one", "example.com/two"] } };
  await send(page, "POST", CONFIGMAPS, JSON.stringify(object));
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("DELETE");
  await request(page).getByRole("radiogroup", { name: "propagationPolicy" }).getByRole("radio", { name: "Orphan" }).check();
  await expect(request(page).locator(".chip", { hasText: "propagationPolicy=" }).locator("input")).toHaveValue("Orphan");
  await expect(request(page).getByText("What it owns stays")).toBeVisible();
  await request(page).getByRole("radio", { name: "Default", exact: true }).check();
  await axe({ include: "#request" });
  await path(page).fill(`${CONFIGMAPS}/kept`);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Preview (dry run)" }).click();
  await expect(answer(page).getByRole("row", { name: /deletionTimestamp/ })).toContainText("Added");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(going(page).getByRole("listitem")).toHaveCount(2);
  await axe({ include: "#answer" });
  await going(page).getByRole("button", { name: "Remove the finalizer example.com/one" }).click();
  await expect(going(page).getByRole("listitem")).toHaveText([/example\.com\/two/]);
  await going(page).getByRole("button", { name: "Remove the finalizer example.com/two" }).press("Enter");
  await expect(going(page)).toContainText("the object is gone");
  await send(page, "GET", `${CONFIGMAPS}/kept`);
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test("the body has room to be written in, the answer to be read, and nothing sticks out of a narrow page", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page);
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
  await path(page).fill(`${CONFIGMAPS}/settings`);
  await page.keyboard.press("Escape");
  await body(page).fill(`{\n${"\n".repeat(30)}}`);
  await expect.poll(async () => (await request(page).locator(".editor").boundingBox()).height).toBeGreaterThan(150);
  const read = async () => (await page.locator("#answer").boundingBox()).height;
  await expect.poll(read).toBeGreaterThan(130);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(read).toBeGreaterThan(260);
  await body(page).press("End");
  await expect.poll(read).toBeLessThan(180);
  await page.locator("#answer").click({ position: { x: 5, y: 5 } });
  await expect.poll(read).toBeGreaterThan(260);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Request" }).click();
  await expect(body(page)).toBeVisible();
  const inside = () =>
    page.evaluate(() => {
      const pane = document.querySelector("main .pane:not([hidden])#request");
      return document.documentElement.scrollWidth <= innerWidth && pane.scrollWidth <= pane.clientWidth;
    });
  await expect.poll(inside).toBe(true);
});
