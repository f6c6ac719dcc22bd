// The Learn view: documents whose examples run where they stand.
import { readFileSync } from "node:fs";

import { expect, test } from "./fixtures.mjs";
import { answer, drawn } from "./page.mjs";

test.use({ view: "" });

const learn = (page) => page.locator("#learn");
const blocks = (page) => learn(page).locator(".learn-block");
const button = (place, name) => place.getByRole("button", { name, exact: true });
const read = (source) => `./?view=learn#/read?src=${encodeURIComponent(source)}`;
const counts = (page) => learn(page).locator(".learn-counts");

/** Pastes a document into the page and opens it: until `shown` can be seen. */
async function paste(page, text, shown = counts(page)) {
  await page.goto("./?view=learn");
  await learn(page).getByRole("textbox", { name: "Or paste a page of Markdown" }).fill(text);
  await button(learn(page), "Open what is pasted").click();
  await expect(shown).toBeVisible();
}

test("an example runs where it stands, and the picture shows it", async ({ page, axe }) => {
  await page.goto(read("kubeglass:first-requests"));
  await expect(learn(page).getByRole("heading", { name: "First requests" })).toBeVisible();
  await button(blocks(page).first(), "Run").click();
  await expect(blocks(page).first()).toContainText("201 Created");
  await expect(blocks(page).first()).toContainText("as documented");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(answer(page).locator(".earlier")).toHaveCount(0);
  await button(blocks(page).nth(5), "Run to here").click();
  await expect(blocks(page).nth(5)).toContainText("409 Conflict");
  await axe({ include: "#learn" });
  await button(learn(page), "Start over").click();
  await expect(learn(page).locator(".learn-outcome")).toHaveCount(0);
  await button(learn(page), "Run all").click();
  await expect(counts(page)).toHaveText("8 of 8 ran");
});

for (const name of ["watches", "server-side-apply", "webhooks"]) {
  test(`the page's own document ${name} comes as documented`, async ({ page }) => {
    await page.goto(read(`kubeglass:${name}`));
    await button(learn(page), "Run all").click();
    await expect(counts(page)).toHaveText(/^(\d+) of \1 ran$/);
  });
}

for (const [file, examples] of [["verbs", 7], ["kubectl", 6]]) {
  test(`what runs natively runs in the page: ${file}`, async ({ page }) => {
    await paste(page, readFileSync(new URL(`../documents/${file}.md`, import.meta.url), "utf8"));
    await button(learn(page), "Run all").click();
    await expect(counts(page)).toHaveText(new RegExp(`^${examples} of ${examples} ran$`));
  });
}

test("what is wanted before the code that runs it is there waits for it, without what does not run", async ({ page }) => {
  let release = () => {};
  const released = new Promise((resolve) => (release = resolve));
  let asked = 0;
  await page.route(/\/split_running\.wasm$/, async (route) => {
    asked += 1;
    await released;
    await route.continue();
  });
  await paste(page, readFileSync(new URL("../documents/kubectl.md", import.meta.url), "utf8"));
  await button(learn(page), "Run all").click();
  await expect.poll(() => asked).toBe(1);
  await drawn(page);
  await expect(counts(page)).not.toContainText("ran");
  await expect(learn(page).locator(".learn-outcome")).toHaveCount(0);
  release();
  await expect(counts(page)).toHaveText("6 of 6 ran");
});

test("what differs is told, and bodies that are described are filled in", async ({ page }) => {
  await paste(
    page,
    "# Pods\n\n```http\nPOST /api/v1/namespaces/test/pods\nContent-Type: application/vnd.kubernetes.protobuf\nAccept: application/json\n… binary encoded Pod object\n---\n200 OK\nContent-Type: application/json\n\n{\"kind\": \"Pod\", ...}\n```\n",
  );
  await button(blocks(page), "Run").click();
  await expect(blocks(page)).toContainText("1 difference");
  await expect(blocks(page).getByRole("row", { name: "status 200 201" })).toBeVisible();
  await expect(blocks(page)).toContainText("An object that is created is answered with 201 Created.");
  await expect(blocks(page)).toContainText("This is an example of it.");
  await blocks(page).getByText("Body that was sent").click();
  await expect(blocks(page)).toContainText("registry.k8s.io/pause");
});

test("each document has a cluster of its own, and leaves the other one as it was", async ({ page }) => {
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await expect(answer(page)).toContainText("greeting");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Learn" }).click();
  await learn(page).getByRole("button", { name: /^First requests/ }).click();
  await expect(counts(page)).toHaveText("8 examples");
  await button(blocks(page).nth(2), "Run").click();
  await expect(blocks(page).nth(2)).toContainText("200 OK");
  await expect(blocks(page).nth(2)).not.toContainText("greeting");
  await button(learn(page), "‹ Learn").click();
  // The page is opened anew for that.
  await expect(learn(page).getByRole("button", { name: /^First requests/ })).toBeVisible();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Request", exact: true }).click();
  await expect(answer(page)).toContainText("greeting");
});

test("a page is fetched by its address, also from elsewhere, and Back leads to it", async ({ page, context }) => {
  const text = "---\ntitle: Elsewhere\n---\n[next](other.md)\n\n```http\nGET /version\n---\n200 OK\n```\n";
  await context.route("https://docs.example/**", (route) => {
    const other = route.request().url().endsWith("other.md");
    const body = other ? text.replace("Elsewhere", "Another") : text;
    return route.fulfill({ body, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.goto(read("https://docs.example/page.md"));
  await expect(learn(page).getByRole("heading", { name: "Elsewhere" })).toBeVisible();
  await button(blocks(page), "Run").click();
  await expect(blocks(page)).toContainText("as documented");
  await learn(page).getByRole("link", { name: "next" }).click();
  await expect(learn(page).getByRole("heading", { name: "Another" })).toBeVisible();
  await page.goBack();
  await expect(learn(page).getByRole("heading", { name: "Elsewhere" })).toBeVisible();
});

test.describe("what cannot be opened", () => {
  test.use({ expectedErrors: [/docs\.example|404|ERR_FAILED/] });

  test("says why, and changes nothing", async ({ page, context }) => {
    await context.route("https://docs.example/**", (route) => route.abort());
    await page.goto(read("https://docs.example/page.md"));
    await expect(learn(page).getByRole("alert").filter({ visible: true })).toContainText("could not be loaded");
    await page.goto(read("kubeglass:nothing"));
    await expect(learn(page).getByRole("alert").filter({ visible: true })).toContainText("no document of that name");
    const told = learn(page).getByText("unknown field `nonsense`");
    await paste(page, "---\nscene:\n  nonsense: 1\n---\n```http\nGET /api\n```\n", told);
  });
});

test("a hostile document is text", async ({ page }) => {
  await paste(
    page,
    "# <img src=x onerror=alert(1)>\n\n<script>document.title = 'bad'</script>\n\n[a](javascript:document.title='bad')\n\n<style>body { display: none }</style>\n\n```http\nGET /api/v1/namespaces/<script>\n```\n\n```http\nNONSENSE /api\n```\n",
  );
  await expect(learn(page).locator("script, style, img, [onerror]")).toHaveCount(0);
  await expect(counts(page)).toHaveText("0 examples");
  await learn(page).getByText("a", { exact: true }).first().click();
  await drawn(page);
  await expect(page).toHaveTitle(/Kubeglass/);
});

test("on a phone the document has the screen, and what came is below its example", async ({ page, axe }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(read("kubeglass:watches"));
  await button(blocks(page).first(), "Run").click();
  await expect(blocks(page).first()).toContainText("200 OK");
  await expect(learn(page)).toBeVisible();
  await axe({ include: "#learn" });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
