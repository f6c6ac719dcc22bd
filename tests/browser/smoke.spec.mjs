import { expect, test } from "./fixtures.mjs";

test("the page loads, has a title and says nothing wrong", async ({ page, axe }) => {
  await page.goto("./");
  await expect(page).toHaveTitle(/Kubeglass/);
  await expect(page.getByRole("main")).toBeVisible();
  await axe();
});

test("everything comes from where the page comes from", async ({ page, baseURL }) => {
  const foreign = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  await page.goto("./");
  await expect(page.getByRole("main")).toBeVisible();
  expect(foreign).toEqual([]);
});
