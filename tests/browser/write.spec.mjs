// Writing documents and lessons: of what was sent, and by hand.
import { readFileSync } from "node:fs";

import { expect, test } from "./fixtures.mjs";
import { answer, filled, path, preset, request, resources, timeline } from "./page.mjs";

test.use({ view: "request", permissions: ["clipboard-read", "clipboard-write"] });

const learn = (page) => page.locator("#learn");
const blocks = (page) => learn(page).locator(".learn-block");
const button = (place, name) => place.getByRole("button", { name, exact: true });
const read = (source) => `./?view=learn#/read?src=${encodeURIComponent(source)}`;
const counts = (page) => learn(page).locator(".learn-counts");
const dialog = (page) => page.getByRole("dialog", { name: "Write a document" });
const rows = (page) => dialog(page).getByRole("listitem");
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Sends what a preset sends. */
async function send(page, name, status) {
  await preset(page, name);
  await expect(answer(page).getByText(status)).toBeVisible();
}

/** Sends a request without a body. */
async function ask(page, method, target, status) {
  await request(page).getByRole("combobox", { name: "Method" }).selectOption(method);
  await path(page).fill(target);
  await button(request(page), "Send").click();
  await expect(answer(page).getByText(status)).toBeVisible();
}

const SETTINGS = "/api/v1/namespaces/default/configmaps/settings";

/** Opens the dialog by the commands. */
async function write(page) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command" }).fill("Write a document");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toBeVisible();
}

/** Pastes a document and opens it. */
async function paste(page, text) {
  await page.goto("./?view=learn");
  await learn(page).getByRole("textbox", { name: "Or paste a page of Markdown" }).fill(text);
  await button(learn(page), "Open what is pasted").click();
  await expect(counts(page)).toBeVisible();
}

test("what was sent becomes a document, which runs as it says", async ({ page, axe }) => {
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await expect(answer(page)).toContainText("settings");
  await send(page, "Create", "201 Created");
  await page.getByRole("button", { name: "Keep, undo, export, share" }).click();
  await button(page.getByRole("dialog"), "Write a document…").click();
  await expect(rows(page)).toHaveCount(1);
  await axe({ include: "dialog.draft" });
  await dialog(page).getByRole("textbox", { name: "Title" }).fill("A greeting: 你好");
  const download = page.waitForEvent("download");
  await button(dialog(page), "Save as a file").click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("a-greeting-你好.md");
  const text = readFileSync(await file.path(), "utf8");
  expect(text).toContain("## Create a ConfigMap with a generated name");
  expect(text).toContain("POST /api/v1/namespaces/default/configmaps");
  // Only what the requests have to do with is in the scene.
  expect(text).toContain("name: settings");
  expect(text).not.toContain("kind: Deployment");
  await button(dialog(page), "Open in Learn").click();
  await expect(learn(page).getByRole("heading", { name: "A greeting: 你好" })).toBeVisible();
  await button(learn(page), "Run all").click();
  await expect(counts(page)).toHaveText("1 of 1 ran");
});

test("a recording becomes a lesson, whose checks refuse what is wrong", async ({ page, axe }) => {
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await send(page, "Create", "201 Created");
  await button(resources(page), "Record").click();
  await send(page, "List", "200 OK");
  await send(page, "Update, stale", "409 Conflict");
  await ask(page, "DELETE", SETTINGS, "200 OK");
  await ask(page, "GET", SETTINGS, "404 Not Found");
  await button(resources(page), "Stop (7)").click();
  await expect(rows(page)).toHaveCount(8);
  await expect(dialog(page).getByRole("radio", { name: "A lesson" })).toBeChecked();
  await expect(rows(page).first().getByRole("checkbox")).not.toBeChecked();
  await expect(rows(page).nth(1).getByRole("button", { name: "As a step" })).toHaveAttribute("aria-pressed", "false");
  await dialog(page).getByRole("textbox", { name: "What it is for" }).fill("It shows a conflict.");
  await axe({ include: "dialog.draft" });
  await button(dialog(page), "Open in Learn").click();
  // The object is there already, so that the first step is refused; then come two updates and the deletion.
  await expect(counts(page)).toHaveText("0 of 4 steps");
  await axe({ include: "#learn" });
  // Something else does not count.
  const step = learn(page).locator(".lesson-step").first();
  await step.getByRole("textbox").fill("GET /api/v1/namespaces/default/configmaps");
  await button(step, "Run").click();
  await expect(step.getByRole("status")).toContainText("has had the response 409 Conflict yet");
  await button(learn(page), "Test").click();
  await expect(page.getByText("Each check is fulfilled by the solution of its step, and not before.")).toBeVisible();
  await expect(counts(page)).toHaveText("4 of 4 steps");
});

test("a stretch of requests is taken by two clicks, and pinned ones by one", async ({ page }) => {
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await send(page, "Create", "201 Created");
  await send(page, "List", "200 OK");
  await ask(page, "GET", SETTINGS, "200 OK");
  const pinned = resources(page).getByRole("listitem").filter({ hasText: "POST" });
  await pinned.hover();
  await pinned.getByRole("button", { name: /^Pin / }).click();
  await write(page);
  const box = (number) => rows(page).nth(number).getByRole("checkbox");
  await button(dialog(page), "None").click();
  await expect(button(dialog(page), "Open in Learn")).toBeDisabled();
  await box(0).click();
  await box(2).click({ modifiers: ["Shift"] });
  await expect(dialog(page).getByRole("status")).toHaveText("3 of 3");
  await button(dialog(page), "Pinned").click();
  await expect(dialog(page).getByRole("status")).toHaveText("1 of 3");
  await expect(box(0)).toBeChecked();
});

test("what was before a compaction cannot be the beginning of a document, and that is said", async ({ page }) => {
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await filled(page);
  await send(page, "Create", "201 Created");
  // The command is about the newest revision that the page knows.
  await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", "10256");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command" }).fill("Compact to");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Find and do" })).toBeHidden();
  await write(page);
  await button(dialog(page), "Open in Learn").click();
  await expect(dialog(page).getByRole("alert")).toContainText("is no longer kept: it has been compacted");
});

test("a document is edited, and a link carries it", async ({ page, context }) => {
  await paste(page, "---\ntitle: First\n---\n## A part\n\n```http\nGET /version\n```\n");
  await button(learn(page), "Edit text").click();
  const field = learn(page).getByRole("textbox", { name: "The text of the document, in Markdown" });
  await expect(field).toHaveValue(/title: First/);
  await field.fill("---\ntitle: Second\nlesson:\n  about: It asks.\n---\n## A part\n\n```check\nexpect: exchange.status == 200\n```\n");
  await expect(learn(page).getByText('Line 8: The step "A part" has no solution.')).toBeVisible();
  await field.fill("---\ntitle: Second\n---\n## A part\n\n```http\nGET /version\n---\n200 OK\n```\n");
  await expect(learn(page).getByText("All parts of the document can be read.")).toBeVisible();
  await field.press("Control+Enter");
  await expect(learn(page).getByRole("heading", { name: "Second" })).toBeVisible();
  await button(learn(page), "Link").click();
  await expect(page.getByText("The link was copied.")).toBeVisible();
  const link = await copied(page);
  expect(link).toContain("#/read?src=link%3A");
  const other = await context.newPage();
  await other.goto(link);
  await button(blocks(other), "Run").click();
  await expect(blocks(other)).toContainText("as documented");
  const cut = await context.newPage();
  await cut.goto(`${link.slice(0, -40)}`);
  await expect(learn(cut).getByRole("alert").filter({ visible: true })).toContainText("The link was cut off or changed");
});

test("a lesson whose check holds too early, or not at all, is found out", async ({ page }) => {
  const lesson = (check) =>
    `---\ntitle: Wrong\nlesson:\n  about: It is wrong.\n---\n## A part\n\n\`\`\`check\nexpect: ${check}\n\`\`\`\n\n\`\`\`http solution\nGET /version\n\`\`\`\n`;
  await paste(page, lesson("exchange.status != 201"));
  await button(learn(page), "Test").click();
  await expect(page.getByText("A part: the check is fulfilled before anything was done.")).toBeVisible();
  await paste(page, lesson("exchange.status == 201"));
  await button(learn(page), "Test").click();
  await expect(page.getByText("A part: the solution does not fulfil the check. Not yet.")).toBeVisible();
  // Where there is no solution nothing is sent.
  await paste(page, lesson("exchange.status == 200").replace(/```http solution[^]*/, ""));
  await button(learn(page), "Test").click();
  await expect(page.getByText("A part: the solution does not fulfil the check. Not yet.")).toBeVisible();
  await paste(page, lesson("exchange.status =="));
  await button(learn(page), "Test").click();
  await expect(page.getByText(/The expression `exchange.status ==` is not valid/)).toBeVisible();
});

test("a link leads to a place of a document, and what comes with the page can be edited as a copy", async ({ page }) => {
  await page.goto(read("kubeglass:server-side-apply"));
  const contents = learn(page).getByRole("combobox", { name: "Contents" });
  const last = await contents.locator("option").last().getAttribute("value");
  await contents.selectOption(last);
  await expect(page).toHaveURL(new RegExp(`&at=${last}$`));
  await button(learn(page), "Link").click();
  await expect(page.getByText("The link was copied.")).toBeVisible();
  await page.goto("about:blank");
  await page.goto(`${read("kubeglass:server-side-apply")}&at=${last}`);
  await expect(learn(page).locator(`[id="${last}"]`)).toBeFocused();
  const first = await contents.locator("option").nth(1).getAttribute("value");
  await page.goto(`${read("kubeglass:server-side-apply")}&at=${first}`);
  await expect(learn(page).locator(`[id="${first}"]`)).toBeFocused();
  await button(learn(page), "Edit text").click();
  const field = learn(page).getByRole("textbox", { name: "The text of the document, in Markdown" });
  await expect(field).toHaveValue(/Server-Side Apply/);
  await field.fill("# A copy\n\n```http\nGET /version\n```\n");
  await button(learn(page), "Show the document").click();
  await expect(counts(page)).toHaveText("1 examples");
  await expect(page).toHaveURL(/src=tab%3A/);
});

test("on a phone the dialog has room for what is chosen", async ({ page, axe }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("./#GET/api/v1/namespaces/default/configmaps");
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await write(page);
  await dialog(page).getByRole("radio", { name: "A lesson" }).check();
  await axe({ include: "dialog.draft" });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
