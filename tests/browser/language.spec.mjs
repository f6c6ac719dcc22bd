// The page in another language: everything that it says is translated as it is shown, and nothing of the cluster's.
import { expect, test } from "./fixtures.mjs";

test.use({ view: "", locale: "zh-CN" });

const VIEWS = ["request", "cluster", "watches", "timeline", "lab", "access", "learn", "overview"];
const switcher = (page) => page.locator("header [data-speaks]");

/** Lists the texts of the page that are English sentences: three words, five beside Chinese ones, and not what a cluster says. */
function english(page, root = "body") {
  return page.evaluate((root) => {
    const LEFT = ":is(code, kbd, pre, script, style, noscript, textarea, .cm-editor, .message, .mono, .name, .rows tbody)";
    const words = (text) => text.split(/\s+/).filter((word) => /^[a-z]{2,}[,.;:]?$/.test(word)).length;
    const isSentence = (text) => words(text) >= (/\p{Script=Han}/u.test(text) ? 5 : 3);
    const found = [];
    const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let at = walker.nextNode(); at; at = walker.nextNode()) {
      const element = at.nodeType === Node.TEXT_NODE ? at.parentElement : at;
      if (!element.translate || element.closest(LEFT)) continue;
      const texts =
        at === element ? ["title", "aria-label", "placeholder"].map((name) => at.getAttribute(name) ?? "") : [at.data];
      found.push(...texts.filter(isSentence));
    }
    return found;
  }, root);
}

test("a browser that prefers Chinese gets a Chinese page, whatever it looks at", async ({ page, axe }) => {
  for (const view of VIEWS) {
    await page.goto(`./?view=${view}`);
    await expect(page.locator("html")).toHaveAttribute("lang", "zh");
    await expect(page.getByRole("banner").getByLabel("命名空间")).toBeVisible();
    await expect.poll(() => english(page), view).toEqual([]);
    // What is left of the frame has tabs, too, which go when its part of the page comes.
    await expect(page.locator(".frame:visible")).toHaveCount(0);
    for (const id of await page.locator("[role=tab]:visible").evaluateAll((tabs) => tabs.map((tab) => tab.id))) {
      await page.locator(`[role=tab][id="${id}"]`).click();
      await expect.poll(() => english(page), `${view}: ${id}`).toEqual([]);
    }
  }
  await axe();
});

test("dialogs, failures and explanations are in it, too", async ({ page }) => {
  await page.goto("./?view=request");
  const request = page.getByRole("region", { name: "请求" });
  await request.getByRole("combobox", { name: "路径" }).fill("/api/v1/namespaces/default/configmaps?resourceVersion=10246&watch=true");
  await request.getByRole("button", { name: "发送", exact: true }).click();
  await expect(page.getByText("监视", { exact: true }).first()).toBeVisible();
  await request.getByRole("combobox", { name: "路径" }).fill("/api/v1/namespaces/nowhere/pods/nobody");
  await request.getByRole("button", { name: "发送", exact: true }).click();
  await expect(page.getByRole("region", { name: "响应" })).toContainText("404 Not Found");
  await expect.poll(() => english(page)).toEqual([]);
  for (const open of [page.locator("header [aria-haspopup=dialog]").nth(0), page.locator("header [aria-haspopup=dialog]").nth(2)]) {
    await open.click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expect.poll(() => english(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
});

test("of what is folded in a response, the page says how much it is", async ({ page }) => {
  await page.goto("./?view=request");
  const tree = page.getByRole("region", { name: "响应" }).getByRole("tree");
  await tree.getByRole("treeitem", { name: /^▾?\s*"items"/ }).click();
  await expect(tree.locator(".folded", { hasText: /^\d+ 项$/ }).first()).toBeVisible();
});

test("names in the cluster are what they are, even if they are words of the page", async ({ page }) => {
  await page.goto("./?view=request");
  const request = page.getByRole("region", { name: "请求" });
  const create = async (path, name) => {
    await request.getByRole("combobox", { name: "方法" }).selectOption("POST");
    await request.getByRole("combobox", { name: "路径" }).fill(path);
    await request.getByRole("textbox", { name: /正文|Body/ }).fill(JSON.stringify({ metadata: { name, labels: { all: "none" } } }));
    await request.getByRole("button", { name: "发送", exact: true }).click();
    await expect(page.getByRole("region", { name: "响应" })).toContainText("201 Created");
    await expect(page.getByRole("region", { name: "响应" })).toContainText(`"${name}"`);
  };
  await create("/api/v1/namespaces", "store");
  await create("/api/v1/namespaces/store/configmaps", "cache");
  await expect(page.getByRole("banner").getByLabel("命名空间")).toContainText("store");
  await page.goto("./?view=cluster&path=/api/v1/namespaces/store/configmaps");
  const cluster = page.locator("#objects");
  await expect(cluster.getByRole("link", { name: "cache", exact: true })).toBeVisible();
  await expect(cluster).toContainText("在命名空间 store 中");
  await expect(cluster).not.toContainText("缓存");
  await cluster.getByRole("link", { name: "cache", exact: true }).click();
  await expect(cluster.getByRole("heading", { name: "cache", exact: true })).toBeVisible();
});

test("English is a click away, and is remembered; lessons follow", async ({ page }) => {
  await page.goto("./?view=learn");
  await expect(page.getByRole("heading", { name: "课程", exact: true })).toBeVisible();
  await switcher(page).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.getByRole("heading", { name: "Lessons", exact: true })).toBeVisible();
  await expect(page.getByRole("banner").getByLabel("Namespace")).toBeVisible();
  await expect(page.locator("body")).not.toContainText("命名空间");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Lessons", exact: true })).toBeVisible();
  await page.locator(".lessons-head select").selectOption("简体中文");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh");
  await expect(page.getByRole("heading", { name: "课程", exact: true })).toBeVisible();
  await page.locator(".learn-own").first().click();
  await expect(page.locator("#learn article")).toHaveAttribute("lang", "zh");
});

test.describe("the texts of chunks", () => {
  test.use({ expectedErrors: [/\/language-zh-\w+\.json/] });

  test("are not needed for what is there at first, and are tried again", async ({ page }) => {
    let lost = true;
    await page.route(/\/language-zh-\w+\.json$/, (route) => (lost ? route.abort() : route.continue()));
    await page.goto("./?view=request");
    await expect(page.getByRole("region", { name: "请求" }).getByRole("button", { name: "发送", exact: true })).toBeEnabled();
    await expect(page.getByRole("region", { name: "响应" })).toContainText("200 OK");
    for (const part of ["header", ".views"]) await expect.poll(() => english(page, part), part).toEqual([]);
    await page.locator(".views a[data-to=learn]").click();
    await expect.poll(() => english(page)).not.toEqual([]);
    lost = false;
    await switcher(page).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    await switcher(page).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "zh");
    await expect.poll(() => english(page)).toEqual([]);
  });
});

test.describe("a language that cannot be loaded", () => {
  test.use({ expectedErrors: [/\/language-zh-\w+\.js/] });

  test("leaves the page in English", async ({ page }) => {
    await page.route(/\/language-zh-\w+\.js$/, (route) => route.abort());
    await page.goto("./?view=request");
    await expect(page.getByRole("button", { name: "Send", exact: true })).toBeEnabled();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
  });
});
