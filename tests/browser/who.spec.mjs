// The Access view: who may do something, whether somebody may, and what else they may.
import { expect, test } from "./fixtures.mjs";
import { answer, path, request, resources } from "./page.mjs";

test.use({ view: "" });

const access = (page) => page.getByRole("region", { name: "Access" });
const field = (page, name) => access(page).getByLabel(name, { exact: true });
const verdict = (page) => access(page).locator(".decision");
const row = (page, name) => access(page).getByRole("row", { name });
const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });

test("who may not is told, is allowed, and may", async ({ page }) => {
  await page.goto("./?view=access");
  await expect(verdict(page)).toContainText("alice may not list configmaps in default: no rule allows it.");
  await expect(row(page, /User alice/)).toHaveCount(0);
  await access(page).getByRole("button", { name: "Allow it" }).click();
  await expect(verdict(page)).toContainText("alice may list configmaps in default.");
  await expect(verdict(page)).toContainText("RBAC: allowed by RoleBinding \"alice-list-configmaps/default\" of Role \"alice-list-configmaps\" to User \"alice\"");
  // What every cluster has comes after it.
  await expect(access(page).getByRole("row").nth(1)).toContainText("Group system:masters");
  await expect(access(page).getByRole("row").nth(2)).toContainText("User alice");
  await access(page).getByRole("button", { name: "Try it as alice" }).click();
  await expect(request(page).getByLabel("Act as")).toHaveValue("alice");
  await expect(path(page)).toHaveValue("/api/v1/namespaces/default/configmaps");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await view(page, "Access").click();
  await access(page).getByRole("link", { name: "alice-list-configmaps" }).first().click();
  await expect(page.getByRole("region", { name: "Objects" })).toContainText("alice-list-configmaps");
});

test("a response that was denied leads to who may", async ({ page }) => {
  await page.goto("./#GET/api/v1/namespaces/default/secrets/token");
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await request(page).getByLabel("Act as").selectOption("alice");
  await request(page).getByLabel("Method").selectOption("DELETE");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
  await answer(page).getByRole("button", { name: "Who may?" }).click();
  await expect(access(page).getByRole("combobox", { name: "Verb" })).toHaveValue("delete");
  await expect(field(page, "Resource")).toHaveValue("secrets");
  await expect(field(page, "Name")).toHaveValue("token");
  await expect(verdict(page)).toContainText("alice may not delete secrets token in default");
  await page.goBack();
  await expect(answer(page).getByText("403 Forbidden")).toBeVisible();
});

test("service accounts, groups and paths", async ({ page }) => {
  await page.goto("./?view=access");
  await access(page).getByRole("combobox", { name: "Subject", exact: true }).selectOption("Group");
  await field(page, "Its name").fill("system:masters");
  await expect(verdict(page)).toContainText("system:masters may list configmaps in default.");
  await expect(access(page).getByRole("button", { name: /^Try it/ })).toHaveCount(0);
  await row(page, /Service account kube-system:namespace-controller/).getByRole("button").click();
  await expect(field(page, "Its name")).toHaveValue("kube-system:namespace-controller");
  await expect(verdict(page)).toContainText("RBAC: allowed by ClusterRoleBinding \"system:controller:namespace-controller\"");
  await field(page, "Resource").fill("/metrics");
  await expect(verdict(page)).toContainText("may not list /metrics");
  await field(page, "Resource").fill("deploy/scale");
  await expect(access(page).getByRole("heading", { name: "Who may list deployments/scale.apps in default" })).toBeVisible();
});

test("what nobody serves, and nonsense, is asked too", async ({ page }) => {
  await page.goto("./?view=access");
  await field(page, "Resource").fill("]] <b> %");
  await field(page, "Its name").fill("nobody \" at all: ");
  await field(page, "Name").fill("../..");
  await expect(verdict(page)).toContainText("nobody \" at all: may not list");
  await expect(row(page, /Group system:masters/)).toBeVisible();
  await field(page, "Resource").fill("");
  await field(page, "Its name").fill("");
  await expect(access(page).getByRole("heading", { name: "What the subject may do" })).toBeVisible();
  await expect(verdict(page)).toHaveCount(0);
});

test("on a phone it takes the place of the kinds", async ({ page, axe }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("./");
  const bar = page.getByRole("navigation", { name: "Panes" });
  await bar.getByRole("button", { name: "Resources" }).click();
  await resources(page).getByRole("button", { name: "Access" }).click();
  await expect(verdict(page)).toBeVisible();
  const bottom = async () => {
    const box = await verdict(page).boundingBox();
    return box.y + box.height;
  };
  await expect.poll(bottom).toBeLessThan(844);
  await axe();
  await bar.getByRole("button", { name: "Resources" }).click();
  await expect(resources(page).getByRole("button", { name: /^configmaps/ })).toBeVisible();
  await expect(access(page)).toBeHidden();
});
