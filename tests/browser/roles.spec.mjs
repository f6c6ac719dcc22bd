import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, resources, tree, watch } from "./page.mjs";

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

const actAs = (page) => request(page).getByRole("combobox", { name: "Act as" });
const send = (page) => request(page).getByRole("button", { name: "Send", exact: true });
/** What says who may do what. */
const decision = (page) => answer(page).locator(".decision");

/** Sends a GET of `target`. */
async function get(page, target) {
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await send(page).click();
}

test("Alice is denied, is given a role, and it is told which rule lets her", async ({ page, axe }) => {
  test.slow();
  await open(page);
  await expect(decision(page)).toContainText("may list configmaps in default: system:masters need no rule");
  await actAs(page).selectOption("Alice");
  await get(page, CONFIGMAPS);
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  await expect(decision(page)).toContainText("alice may not list configmaps in default");
  await expect(decision(page)).toContainText('apiGroups [""] resources ["configmaps"] verbs ["list"]');
  await axe({ include: "#answer" });
  await request(page).getByRole("button", { name: "Let Alice read ConfigMaps and Pods in default" }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(request(page).getByText("has no role yet")).toHaveCount(0);
  await expect(path(page)).toHaveValue(CONFIGMAPS);
  await send(page).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(decision(page)).toContainText('alice may list configmaps in default by apiGroups [""] resources ["configmaps","pods"]');
  await decision(page).getByRole("button", { name: "RoleBinding alice-reads" }).click();
  await expect(tree(page)).toContainText("roleRef");
  await expect(actAs(page)).toHaveValue("");
});

test("what is denied is allowed by one click, with the rule that is missing and no other", async ({ page }) => {
  await open(page);
  await actAs(page).selectOption("somebody else…");
  await request(page).getByRole("textbox", { name: "User" }).fill("carol");
  await get(page, "/api/v1/nodes");
  await expect(decision(page)).toContainText("carol may not list nodes");
  await decision(page).getByRole("button", { name: "Fill in the role" }).click();
  await expect(path(page)).toHaveValue("/apis/rbac.authorization.k8s.io/v1/clusterroles");
  await expect(request(page).getByRole("textbox", { name: "Body" })).toHaveValue(/"nodes"/);
  await expect(actAs(page)).toHaveValue("");
  await decision(page).getByRole("button", { name: "Allow it as admin, then send again" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(decision(page)).toContainText("carol may list nodes by");
  await expect(decision(page).getByRole("button", { name: "ClusterRole carol-list-nodes" })).toBeVisible();
});

test("a watch that may not be resumed says who is denied what", async ({ page }) => {
  await open(page);
  await actAs(page).selectOption("Alice");
  await request(page).getByRole("button", { name: "Let Alice read ConfigMaps and Pods in default" }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await get(page, `${CONFIGMAPS}?watch=true`);
  await watch(page, "B").getByRole("button", { name: "Stop" }).click();
  await actAs(page).selectOption("admin");
  await request(page).getByLabel("Method").selectOption("DELETE");
  await get(page, "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/alice-reads");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await watch(page, "B").getByRole("button", { name: /^Resume from / }).click();
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  await expect(decision(page)).toContainText("alice may not watch configmaps in default");
});

test("a request from the history is sent as whoever sent it", async ({ page }) => {
  await open(page);
  await actAs(page).selectOption("Bob");
  await get(page, `${CONFIGMAPS}/settings`);
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  await actAs(page).selectOption("admin");
  await send(page).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  const sent = resources(page).getByRole("listitem").filter({ hasText: "as bob" });
  await sent.getByTitle(`Send again: GET ${CONFIGMAPS}/settings`).click();
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  await expect(actAs(page)).toHaveValue("bob");
});
