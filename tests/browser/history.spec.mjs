// The requests that were sent: filtered, pinned, and one response against another.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, resources } from "./page.mjs";

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";
const history = (page) => resources(page).getByRole("region", { name: "History" });
const rows = (page) => history(page).getByRole("list", { name: "History" }).getByRole("listitem");
const pinned = (page) => history(page).getByRole("list", { name: "Pinned requests" }).getByRole("listitem");

async function get(page, target) {
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).locator(".asked")).toContainText(`GET ${target}`);
  await expect(answer(page).locator(".status")).toContainText(/\d{3}/);
}

test("the history is filtered by words of method, path, body and status", async ({ page, axe }) => {
  await open(page);
  for (const target of [CONFIGMAPS, "/api/v1/nodes", "/api/v1/nodes/nowhere"]) await get(page, target);
  await preset(page, "Create");
  await preset(page, "Update, stale");
  await expect(answer(page).getByText("409 Conflict")).toBeVisible();
  const filter = history(page).getByRole("searchbox");
  await filter.fill("nodes");
  await expect(rows(page)).toHaveCount(2);
  await filter.fill("NODES 404");
  await expect(rows(page)).toHaveCount(1);
  await axe({ include: "#resources" });
  await filter.fill("no such thing");
  await expect(rows(page)).toHaveCount(0);
  await expect(history(page).getByText("No request has all of these words.")).toBeVisible();
  await filter.fill("");
  await expect(rows(page).nth(4)).toBeVisible();
});

test("a pinned request stays on top, over a reload too", async ({ page, axe }) => {
  await open(page);
  await get(page, "/api/v1/nodes");
  await get(page, CONFIGMAPS);
  await rows(page).nth(1).hover();
  await rows(page).nth(1).getByRole("button", { name: "Pin GET /api/v1/nodes" }).click();
  await expect(pinned(page)).toHaveText(/nodes/);
  await expect(rows(page).filter({ hasText: "nodes" })).toHaveCount(0);
  await axe({ include: "#resources" });
  await page.reload();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await pinned(page).getByRole("button", { name: "Send again: GET /api/v1/nodes" }).click();
  await expect(answer(page).locator(".asked")).toContainText("GET /api/v1/nodes");
  await pinned(page).getByRole("button", { name: "Unpin GET /api/v1/nodes" }).click();
  await expect(pinned(page)).toHaveCount(0);
  await expect(rows(page).filter({ hasText: "nodes" })).toHaveCount(1);
});

test("a response is laid over another one", async ({ page, axe }) => {
  await open(page);
  await get(page, CONFIGMAPS);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await get(page, CONFIGMAPS);
  await answer(page).getByRole("tab", { name: "Diff" }).click();
  const panel = answer(page).getByRole("tabpanel");
  await expect(panel.getByRole("combobox", { name: "Against" })).toContainText(`200 at 10255: GET ${CONFIGMAPS}`);
  await expect(panel.locator(".diff .plus").first()).toBeVisible();
  await expect(panel.locator(".diff")).toContainText("note-");
  await axe({ include: "#answer" });
  await get(page, CONFIGMAPS);
  await expect(panel.getByText("Both responses have the same body.")).toBeVisible();
  await panel.getByRole("combobox", { name: "Against" }).selectOption({ label: `201 at 10256: POST ${CONFIGMAPS}` });
  await expect(panel.locator(".diff .plus").first()).toBeVisible();
});
