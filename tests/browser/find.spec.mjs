// Finding in a response: in all of it, not only in what is drawn.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, tree } from "./page.mjs";

test.use({ view: "" });

const finding = (page) => answer(page).getByRole("search");
const field = (page) => finding(page).getByRole("searchbox", { name: "Find in the response" });

async function get(page, target) {
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).locator(".asked")).toContainText(`GET ${target}`);
}

test("what is not drawn is found, and the keys go through it", async ({ page, axe }) => {
  await open(page);
  await get(page, "/api/v1");
  await answer(page).getByRole("button", { name: "Unfold all" }).click();
  await expect(tree(page)).not.toContainText("serviceaccounts/token");
  await answer(page).getByRole("button", { name: "Find", exact: true }).click();
  await expect(field(page)).toBeFocused();
  await field(page).fill("ServiceAccounts/token");
  await expect(finding(page).getByRole("status")).toHaveText("1 of 1");
  const found = tree(page).getByText('"serviceaccounts/token"');
  await expect(found).toBeInViewport();
  await expect(tree(page).locator(".lit")).toContainText("serviceaccounts/token");
  await axe({ include: "#answer" });
  await field(page).fill("configmaps");
  await expect(finding(page).getByRole("status")).toHaveText("1 of 1");
  await expect(tree(page).getByText('"configmaps"')).toBeInViewport();
  await field(page).fill("pods/");
  await expect(finding(page).getByRole("status")).toHaveText(/^1 of (?!1$)\d+$/);
  const many = (await finding(page).getByRole("status").textContent()).match(/^1 of (\d+)$/)[1];
  expect(Number(many)).toBeGreaterThan(5);
  await page.keyboard.press("Enter");
  await expect(finding(page).getByRole("status")).toHaveText(`2 of ${many}`);
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await expect(finding(page).getByRole("status")).toHaveText(`${many} of ${many}`);
  await field(page).fill("no such thing");
  await expect(finding(page).getByRole("status")).toHaveText("not found");
  await page.keyboard.press("Escape");
  await expect(finding(page)).toHaveCount(0);
  await expect(tree(page).locator(":focus")).toHaveCount(1);
  // From the tree, one key begins it.
  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
});

test("what is folded has its name", async ({ page }) => {
  await open(page);
  await answer(page).getByRole("button", { name: "Fold all", exact: true }).click();
  await tree(page).getByText('"items"').click();
  await expect(tree(page)).toContainText("greeting");
  await expect(tree(page)).not.toContainText("resourceVersion");
});
