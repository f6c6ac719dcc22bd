import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, tree } from "./page.mjs";

const SETTINGS = "/api/v1/namespaces/default/configmaps/settings";

const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const types = (page) => request(page).getByRole("radiogroup", { name: "Patch type" });
const type = (page, name) => types(page).getByRole("radio", { name, exact: true });
const chip = (page, name) => request(page).locator(".params .chip", { hasText: `${name}=` }).locator("input");
const attempt = (page) => request(page).getByRole("button", { name: "Preview (dry run)" });
const changes = (page) => answer(page).getByRole("table", { name: "What would change" });
const why = (page) => answer(page).getByRole("region", { name: "Why?" });

/** What the body says, as JSON; null while it is being put in. */
const said = async (page) => JSON.parse((await written(page)) || "null");

/** The body's text, whether or not the editor's script is there. */
const written = (page) =>
  body(page).evaluate((element) => element.value ?? [...element.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));

/** Begins a PATCH of settings. */
async function patch(page, target = SETTINGS) {
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
  await path(page).fill(target);
  await page.keyboard.press("Escape");
}

test("a patch has its types as a choice, each with a first body, and none loses what was written", async ({ page, axe }) => {
  await open(page);
  await patch(page);
  await expect(type(page, "Merge Patch")).toBeChecked();
  await expect(body(page)).toHaveValue(/"theme": "changed"/);
  await type(page, "JSON Patch").check();
  await expect(body(page)).toHaveValue(/"op": "test"/);
  await expect.poll(async () => (await said(page)).map(({ op, path }) => `${op} ${path}`)).toEqual(["test /data/theme", "replace /data/theme"]);
  await body(page).fill('[{"op": "remove", "path": "/data/theme"}]');
  await type(page, "Strategic Merge Patch").check();
  await expect(request(page).getByLabel("Content-Type")).toHaveValue("application/strategic-merge-patch+json");
  await type(page, "JSON Patch").check();
  await expect.poll(() => written(page)).toBe('[{"op": "remove", "path": "/data/theme"}]');
  await type(page, "JSON Patch").press("ArrowLeft");
  await expect(type(page, "Apply")).toBeChecked();
  await expect(chip(page, "fieldManager")).toHaveValue("alice");
  await expect.poll(() => said(page)).toMatchObject({ kind: "ConfigMap", data: { theme: "calm" } });
  await request(page).getByLabel("fieldManager", { exact: true }).first().fill("kubeglass");
  await page.keyboard.press("Tab");
  await expect.poll(() => said(page)).toMatchObject({ metadata: { name: "settings", labels: { app: "web" } } });
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("PUT");
  await expect(request(page).getByLabel("Content-Type")).toHaveValue("application/json");
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("PATCH");
  await type(page, "JSON Patch").check();
  await expect.poll(() => written(page)).toBe('[{"op": "remove", "path": "/data/theme"}]');
  await axe({ include: "#request" });
});

test("the controls edit the query", async ({ page }) => {
  await open(page);
  await patch(page);
  await request(page).getByRole("checkbox", { name: "dryRun" }).check();
  await expect(chip(page, "dryRun")).toHaveValue("All");
  await request(page).getByLabel("fieldValidation").selectOption("Strict");
  await expect(chip(page, "fieldValidation")).toHaveValue("Strict");
  await expect(request(page).getByRole("checkbox", { name: "force" })).toBeHidden();
  await type(page, "Apply").check();
  await request(page).getByRole("checkbox", { name: "force" }).check();
  await expect(chip(page, "force")).toHaveValue("true");
  await type(page, "Merge Patch").check();
  await expect(chip(page, "force")).toHaveCount(0);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(answer(page).locator(".asked")).toContainText("dryRun=All");
});

test("what a request would do is told without doing it", async ({ page, axe }) => {
  await open(page);
  await patch(page);
  await expect(body(page)).toHaveValue(/changed/);
  await attempt(page).click();
  await expect(answer(page).getByText("nothing was stored")).toBeVisible();
  const row = changes(page).getByRole("row", { name: /\.data\.theme/ });
  await expect(row).toContainText("Changed");
  await expect(row).toContainText('"calm"');
  await expect(row).toContainText('"changed"');
  await expect(row).toContainText("kubeglass");
  await axe({ include: "#answer" });
  await body(page).focus();
  await body(page).fill('{"data": {"theme": null, "size": "1"}}');
  await page.keyboard.press("Control+Shift+Enter");
  await expect(changes(page).getByRole("row", { name: /\.data\.size/ })).toContainText("Added");
  await expect(changes(page).getByRole("row", { name: /\.data\.theme/ })).toContainText("Removed");
  await body(page).fill('{"metadata": {"labels": {"a": "-"}}}');
  await attempt(page).click();
  await expect(answer(page).getByText("422 Unprocessable Entity")).toBeVisible();
  await expect(answer(page).getByText("nothing was stored")).toBeVisible();
  await body(page).fill('{"data": {"size": "2"}}');
  await attempt(page).click();
  await answer(page).getByRole("button", { name: "Send it" }).click();
  await expect(tree(page)).toContainText('"size": "2"');
});

/** Applies another theme as alice, up to where it is in conflict. */
async function conflict(page) {
  await open(page);
  await patch(page);
  await type(page, "Apply").check();
  await expect.poll(() => said(page)).toMatchObject({ data: { theme: "calm" } });
  const wish = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { theme: "loud", own: "1" } };
  await body(page).fill(JSON.stringify(wish));
  await expect(request(page).locator(".ahead")).toContainText(".data.theme is managed by somebody else");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  const row = answer(page).getByRole("table", { name: "Fields in conflict" }).getByRole("row", { name: /\.data\.theme/ });
  for (const text of ["kubeglass", '"calm"', '"loud"']) await expect(row).toContainText(text);
}

for (const [way, theme, owners] of [
  ["Overwrite: apply with force", "loud", /theme: "loud", managed by alice/],
  ["Give up: leave the fields out, and apply", "calm", /theme: "calm", managed by kubeglass/],
  ["Share: take the values there are, and apply", "calm", /theme: "calm", managed by alice, kubeglass/],
]) {
  test(`a conflict is told field by field, and has this way out: ${way}`, async ({ page, axe }) => {
    await conflict(page);
    if (theme === "loud") await axe({ include: "#answer" });
    await why(page).getByRole("button", { name: way }).click();
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await answer(page).getByRole("tab", { name: "Ownership" }).click();
    await expect(answer(page).getByRole("list", { name: "Fields and their owners" }).getByText(owners)).toBeVisible();
  });
}

test("a conflict can be tried before it is made, and so can each way out", async ({ page }) => {
  await conflict(page);
  await attempt(page).click();
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  await expect(answer(page).getByText("nothing was stored")).toBeVisible();
  await why(page).getByRole("button", { name: /^Share/ }).click();
  await expect(changes(page).getByRole("row", { name: /\.data\.theme/ })).toContainText("Owner changes");
  await expect(request(page).locator(".ahead")).toHaveText("");
});
