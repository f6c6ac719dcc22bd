import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, resources, tree, watch } from "./page.mjs";

test.beforeEach(({ page }) => open(page));

test("opens on a cluster that is alive", async ({ page }) => {
  await expect(page.getByText("A Kubernetes API server, in this tab. Nothing leaves it.")).toBeVisible();
  await expect(path(page)).toHaveValue("/api/v1/namespaces/default/configmaps");
  await expect(tree(page)).toContainText('"kind": "ConfigMapList"');
  await expect(tree(page)).toContainText('"name": "greeting"');
  await expect(watch(page, "A").getByText("ADDED")).toHaveCount(2);
  await expect(resources(page).getByTitle("List configmaps")).toContainText("2");
});

test("a request is composed with completion and parameters, and sent", async ({ page }) => {
  const field = path(page);
  await field.fill("cm");
  await expect(field).toHaveAttribute("aria-expanded", "true");
  await field.press("ArrowDown");
  await expect(page.getByRole("option", { name: /configmaps/ }).first()).toHaveAttribute("aria-selected", "true");
  await field.press("Enter");
  await expect(field).toHaveValue("/api/v1/namespaces/default/configmaps");
  const parameter = request(page).getByRole("combobox", { name: "Add a query parameter" });
  await parameter.fill("lim");
  await parameter.press("ArrowDown");
  await parameter.press("Enter");
  await expect(request(page).getByLabel("limit=")).toBeFocused();
  await request(page).getByLabel("limit=").fill("1");
  await page.keyboard.press("Control+Enter");
  await expect(answer(page).getByText("GET /api/v1/namespaces/default/configmaps?limit=1")).toBeVisible();
  await expect(tree(page)).toContainText('"continue"');
  await request(page).getByRole("button", { name: "Remove limit" }).click();
  await expect(request(page).getByLabel("limit=")).toHaveCount(0);
});

test("a query that is typed into the path becomes parameters", async ({ page }) => {
  await path(page).fill("/api/v1/namespaces?limit=2");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(request(page).getByLabel("limit=")).toHaveValue("2");
  await expect(path(page)).toHaveValue("/api/v1/namespaces");
  await expect(answer(page).getByText("GET /api/v1/namespaces?limit=2")).toBeVisible();
});

test("the response has a status, a time, a size, headers and a raw body", async ({ page }) => {
  await expect(answer(page).getByText(/^(<? ?\d+(\.\d)?) ms$/)).toBeVisible();
  await expect(answer(page).getByText(/^\d+(\.\d)? k?B$/)).toBeVisible();
  await answer(page).getByRole("tab", { name: "Headers" }).click();
  await expect(answer(page).getByRole("row", { name: /content-type application\/json/i })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(answer(page).getByRole("tab", { name: "Raw" })).toBeFocused();
  await expect(answer(page).getByRole("tabpanel")).toContainText('{"kind":"ConfigMapList","apiVersion":"v1"');
});

test("the body folds, by mouse and by keyboard", async ({ page }) => {
  const items = tree(page).getByRole("treeitem", { name: /"items"/ });
  await items.click();
  await expect(items).toHaveAttribute("aria-expanded", "false");
  await expect(tree(page)).not.toContainText("greeting");
  await expect(items).toContainText("2 items");
  await items.press("ArrowRight");
  await expect(tree(page)).toContainText("greeting");
  await items.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await expect(tree(page).getByText("3 fields").or(tree(page).getByText("2 fields")).first()).toBeVisible();
  await answer(page).getByRole("button", { name: "Fold all", exact: true }).click();
  await expect(items).toHaveAttribute("aria-expanded", "false");
});

test("an update with a stale version is a conflict, in words", async ({ page }) => {
  await preset(page, "Update, stale");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  const failure = answer(page).getByRole("group", { name: "Conflict" });
  await expect(failure).toContainText("the object has been modified");
  await expect(failure).toContainText("Read the object again");
  await expect(request(page).getByLabel("Method")).toHaveValue("PUT");
});

test("what is not there is told in words", async ({ page }) => {
  await path(page).fill("/api/v1/namespaces/default/configmaps/absent");
  await page.keyboard.press("Control+Enter");
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await expect(answer(page).getByRole("group", { name: "Not Found" })).toContainText('configmaps "absent" not found');
});

test("every Accept is sent as it is, and what the server says is shown", async ({ page }) => {
  await request(page).getByLabel("Accept").selectOption("Protobuf");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("The body is not text; these are its bytes.")).toBeVisible();
});

test("a broken body is marked where it breaks", async ({ page }) => {
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  const body = request(page).getByRole("textbox", { name: "Body" });
  await expect(body).toHaveAttribute("aria-invalid", "false");
  await body.fill('{\n  "kind": "ConfigMap"\n  "metadata": {}\n}');
  await expect(body).toHaveAttribute("aria-invalid", "true");
  await expect(body).toHaveAccessibleDescription(/line 3, column 3/);
  await expect(request(page).locator("mark")).toHaveText('"');
  await request(page).getByRole("button", { name: "Go there" }).click();
  await expect(body).toBeFocused();
  await expect(body).toHaveJSProperty("selectionStart", 26);
  await page.keyboard.press("Control+Enter");
  await expect(answer(page).getByText("400 Bad Request")).toBeVisible();
});

test("the history sends a request again, and outlives a reload", async ({ page }) => {
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  const again = resources(page).getByTitle("Send again: POST /api/v1/namespaces/default/configmaps");
  await again.click();
  await expect(resources(page).getByTitle("List configmaps")).toContainText("4");
  await page.reload();
  await expect(again).toBeVisible();
  await again.click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
});

test("the history fills the form, and sends nothing by that", async ({ page }) => {
  await path(page).fill("/api/v1/namespaces/default/configmaps/greeting");
  await request(page).getByRole("combobox", { name: "Method" }).selectOption("DELETE");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await preset(page, "List");
  await expect(request(page).getByRole("combobox", { name: "Method" })).toHaveValue("GET");
  const deletion = "DELETE /api/v1/namespaces/default/configmaps/greeting";
  await resources(page).getByTitle(`Put into the form: ${deletion}`).click();
  await expect(request(page).getByRole("combobox", { name: "Method" })).toHaveValue("DELETE");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await resources(page).getByTitle(`Send again: ${deletion}`).click();
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
});

test("an address carries a request", async ({ page }) => {
  await page.goto("about:blank");
  await page.goto("./#GET/api/v1/namespaces?limit=1");
  await expect(answer(page).getByText("GET /api/v1/namespaces?limit=1")).toBeVisible();
  await expect(request(page).getByLabel("limit=")).toHaveValue("1");
});

test.describe("what is pasted into the path", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  const paste = async (page, text) => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await path(page).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+v");
  };

  test("a line of kubectl or curl becomes its request, a query replaces the one before", async ({ page }) => {
    await paste(page, "kubectl get deploy web -o yaml");
    await expect(path(page)).toHaveValue("/apis/apps/v1/namespaces/default/deployments/web");
    await expect(request(page).getByLabel("Accept")).toHaveValue("application/yaml");
    await paste(page, "/api/v1/pods?limit=1");
    await expect(path(page)).toHaveValue("/api/v1/pods");
    await expect(request(page).getByLabel("limit=")).toHaveValue("1");
    await paste(page, "https://127.0.0.1:6443/api/v1/pods?labelSelector=app");
    await expect(path(page)).toHaveValue("/api/v1/pods");
    await expect(request(page).getByLabel("labelSelector=")).toHaveValue("app");
    await expect(request(page).locator(".chip")).toHaveCount(1);
    await paste(page, "curl -X DELETE http://127.0.0.1:8001/api/v1/namespaces/default/pods/web-0");
    await expect(request(page).getByLabel("Method")).toHaveValue("DELETE");
    await page.keyboard.press("Escape");
    await request(page).getByRole("button", { name: "Send", exact: true }).click();
    await expect(answer(page).locator(".asked")).toContainText("DELETE");
  });

  test("a line that changes something is not sent with the key that ends it", async ({ page }) => {
    await path(page).fill("kubectl delete pod web-0");
    await path(page).press("Enter");
    await expect(request(page).getByLabel("Method")).toHaveValue("DELETE");
    await expect(answer(page).locator(".asked")).toContainText("GET");
  });
});

test("a response to an earlier request says so", async ({ page }) => {
  const asked = answer(page).locator(".asked");
  await expect(asked).not.toHaveClass(/earlier/);
  await path(page).fill("/api/v1/nodes");
  await page.keyboard.press("Escape");
  await expect(asked).toHaveClass(/earlier/);
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(asked).toContainText("/api/v1/nodes");
  await expect(asked).not.toHaveClass(/earlier/);
});

test("YAML is sent as YAML", async ({ page }) => {
  await request(page).getByLabel("Method").selectOption("POST");
  await request(page).getByRole("textbox", { name: "Body" }).fill("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(request(page).getByLabel("Content-Type")).toHaveValue("application/yaml");
});
