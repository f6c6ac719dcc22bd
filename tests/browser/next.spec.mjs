// What a response leads to.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, tree, watches } from "./page.mjs";

test.use({ view: "", permissions: ["clipboard-read", "clipboard-write"] });

const next = (page, name) => answer(page).getByRole("group", { name: "Next steps" }).getByRole("button", { name });
const method = (page) => request(page).getByLabel("Method");
const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const SETTINGS = "/api/v1/namespaces/default/configmaps/settings";

async function get(page, target) {
  await method(page).selectOption("GET");
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).locator(".asked")).toContainText(`GET ${target}`);
}

test("an object that was read is edited in place, and a conflict is met", async ({ page }) => {
  await open(page);
  await get(page, SETTINGS);
  await expect(tree(page)).toContainText("settings");
  await next(page, "Edit").click();
  await expect(method(page)).toHaveValue("PUT");
  await expect(body(page)).toHaveValue(/"resourceVersion": "10255"/);
  const text = await body(page).inputValue();
  expect(text).not.toContain("managedFields");
  // Nothing was sent by that.
  await expect(answer(page).locator(".asked")).toContainText("GET");
  const send = request(page).getByRole("button", { name: "Send", exact: true });
  await body(page).fill(text.replace(/"theme": "[^"]*"/, '"theme": "edited"'));
  await send.click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await send.click();
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
});

test("a list goes on page by page, and is watched from its version", async ({ page }) => {
  await open(page);
  await get(page, "/api/v1/namespaces?limit=3");
  await next(page, "Next page (1 left)").click();
  await expect(answer(page).locator(".asked")).toContainText("continue=");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(next(page, /^Next page/)).toHaveCount(0);
  await get(page, "/api/v1/namespaces/default/configmaps");
  await next(page, /^Watch from 102/).click();
  await expect(answer(page).getByText("The response is a stream")).toBeVisible();
  await preset(page, "Create");
  await expect(watches(page).getByRole("button", { name: /B default\/configmaps.*ADDED note-/ })).toBeVisible();
});

test("an object is watched, and its deletion put into the form", async ({ page }) => {
  await open(page);
  await get(page, SETTINGS);
  await next(page, "Watch").click();
  await expect(watches(page).getByRole("button", { name: /B .*fieldSelector=metadata.name=settings/ })).toBeVisible();
  await get(page, SETTINGS);
  await next(page, "Delete").click();
  await expect(method(page)).toHaveValue("DELETE");
  await expect(path(page)).toHaveValue(SETTINGS);
  await expect(answer(page).locator(".asked")).toContainText("GET");
});

test("a request is copied as a command", async ({ page }) => {
  await open(page);
  await get(page, SETTINGS);
  await next(page, "Copy as kubectl").click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toBe(`kubectl get --raw ${SETTINGS}`);
  await next(page, "Copy as curl").click();
  await expect.poll(copied).toContain(`curl 'http://127.0.0.1:8001${SETTINGS}'`);
});

test("a failure, and a resource that cannot be watched, lead to no more than they can", async ({ page }) => {
  await open(page);
  await get(page, "/api/v1/namespaces/default/configmaps/none");
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await expect(answer(page).getByRole("group", { name: "Next steps" })).toHaveCount(0);
  await get(page, "/api/v1/componentstatuses");
  await expect(next(page, "Copy as curl")).toBeVisible();
  await expect(next(page, /^Watch/)).toHaveCount(0);
});
