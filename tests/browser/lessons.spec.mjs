// Lessons: what is done in them is noticed, and each can be done in each language.
import { readFileSync, readdirSync } from "node:fs";

import { expect, test } from "./fixtures.mjs";

test.use({ view: "" });

const learn = (page) => page.locator("#learn");
const button = (place, name) => place.getByRole("button", { name, exact: true });
const lesson = (name) => `./?view=learn#/read?src=${encodeURIComponent(`kubeglass:lessons/${name}`)}`;
const step = (page, number) => learn(page).locator(".lesson-step").nth(number);
const field = (page, number) => step(page, number).getByRole("textbox");
const counts = (page) => learn(page).locator(".learn-counts");

test("a step is done when what it asks for was done, and says what is missing until then", async ({ page, axe }) => {
  await page.goto(lesson("en/conflict"));
  await expect(counts(page)).toHaveText("0 of 4 steps");
  await expect(step(page, 1).getByText("Do the steps above first.")).toBeVisible();
  await expect(field(page, 1)).toBeHidden();
  await field(page, 0).fill("GET /api/v1/namespaces/default/configmaps");
  await button(step(page, 0), "Run").click();
  await expect(step(page, 0)).toContainText("200 OK");
  await expect(step(page, 0).getByRole("status")).toHaveText("Send a GET for the path of the object.");
  await axe({ include: "#learn" });
  await field(page, 0).fill("kubectl get configmap colours -o yaml");
  await field(page, 0).press("Control+Enter");
  await expect(counts(page)).toHaveText("1 of 4 steps");
  await expect(step(page, 0).getByText("Done", { exact: true })).toBeVisible();
  await expect(field(page, 1)).toBeVisible();
  await expect(step(page, 0)).toBeFocused();
  await button(learn(page), "Start over").click();
  await expect(counts(page)).toHaveText("0 of 4 steps");
  await expect(field(page, 1)).toBeHidden();
});

test("what is done elsewhere in the page counts, too", async ({ page }) => {
  await page.goto(lesson("en/conflict"));
  await expect(counts(page)).toHaveText("0 of 4 steps");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Request", exact: true }).click();
  await page.locator("#request").getByRole("combobox", { name: "Path" }).fill("/api/v1/namespaces/default/configmaps/colours");
  await page.locator("#request").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Learn", exact: true }).click();
  await expect(counts(page)).toHaveText("1 of 4 steps");
});

test("a question explains itself, and hints and solutions are there for who wants them", async ({ page }) => {
  await page.goto(lesson("en/conflict"));
  const question = learn(page).locator(".lesson-question").first();
  await question.getByRole("button").first().click();
  await expect(question.getByRole("status")).toContainText("Not quite. The server compares it");
  await question.getByRole("button").nth(1).click();
  await expect(question.getByRole("status")).toContainText("Right.");
  await step(page, 0).getByText("Hint").click();
  await expect(step(page, 0)).toContainText("The path of an object");
  await expect(learn(page)).not.toContainText("GET /api/v1/namespaces/kube-system/configmaps/colours");
});

test("lessons are listed in the language that is chosen, and what is done is remembered", async ({ page }) => {
  await page.addInitScript(() => localStorage.getItem("kubeglass.lessons") ?? localStorage.setItem("kubeglass.lessons", "conflict"));
  await page.goto("./?view=learn");
  const own = learn(page).getByRole("button", { name: /^A conflict(?! between)/ });
  await expect(own.getByText("Done", { exact: true })).toBeVisible();
  await expect(learn(page).locator(".lessons-head")).toContainText(/^Lessons ?1 of \d+ done/);
  await learn(page).getByRole("combobox", { name: "Language" }).selectOption("简体中文");
  await learn(page).getByRole("button", { name: /^冲突/ }).click();
  await expect(counts(page)).toHaveText("已完成 0 / 4 步");
  await page.reload();
  await button(learn(page), "‹ 学习").click();
  await expect(learn(page).getByRole("combobox", { name: "语言" })).toHaveValue("zh");
});

test("something that is no request is told, and a lesson that is not there", async ({ page }) => {
  await page.goto(lesson("en/conflict"));
  await field(page, 0).fill("hello");
  await button(step(page, 0), "Run").click();
  await expect(step(page, 0)).toContainText("It is no request, no line of kubectl or curl, and no manifest.");
});

test.describe("a lesson that is not there", () => {
  test.use({ expectedErrors: [/404/] });

  test("is told", async ({ page }) => {
    await page.goto(lesson("en/none"));
    await expect(learn(page).getByRole("alert")).toContainText("This page has no document of that name.");
  });
});

const words = {
  en: { solution: "Show a solution", run: "Run the solution", all: (steps) => `${steps} of ${steps} steps`, end: "You have done all steps of this lesson." },
  zh: { solution: "查看解答", run: "运行解答", all: (steps) => `已完成 ${steps} / ${steps} 步`, end: "你已完成本课的所有步骤。" },
};

for (const [language, told] of Object.entries(words)) {
  const folder = new URL(`../../static/lessons/${language}/`, import.meta.url);
  for (const file of readdirSync(folder).sort()) {
    const name = file.replace(".md", "");
    const steps = readFileSync(new URL(file, folder), "utf8").match(/^```check$/gm).length;
    test(`${language}/${name} can be done by its own solutions`, async ({ page }) => {
      await page.goto(lesson(`${language}/${name}`));
      for (let number = 0; number < steps; number += 1) {
        await step(page, number).getByText(told.solution).click();
        await button(step(page, number), told.run).click();
        await expect(step(page, number), `step ${number + 1}`).toHaveAttribute("data-state", "done");
      }
      await expect(counts(page)).toHaveText(told.all(steps));
      await expect(learn(page).getByText(told.end)).toBeVisible();
    });
  }
}

test("a document is presented one section at a time, by the keys of a clicker", async ({ page, axe }) => {
  await page.goto(lesson("en/conflict"));
  await expect(counts(page)).toHaveText("0 of 4 steps");
  await button(learn(page), "Present").click();
  const bar = page.getByRole("toolbar", { name: "Presentation" });
  const heading = (name) => learn(page).getByRole("heading", { name });
  await expect(bar).toContainText("1 / 5");
  await expect(page.locator("header")).toBeHidden();
  await expect(heading("Read the object")).toBeHidden();
  await axe({ include: "#learn" });
  await page.keyboard.press("PageDown");
  await expect(heading("Read the object")).toBeVisible();
  await expect(heading("Write with the version")).toBeHidden();
  await field(page, 0).fill("n kubectl get configmap colours");
  await expect(bar).toContainText("2 / 5");
  await field(page, 0).fill("kubectl get configmap colours -o yaml");
  await field(page, 0).press("Control+Enter");
  await expect(step(page, 0)).toHaveAttribute("data-state", "done");
  await learn(page).locator(".learn-text").focus();
  await page.keyboard.press("h");
  await expect(page.locator("#answer")).toBeHidden();
  await expect(learn(page).locator(".learn-outcome").first()).toBeHidden();
  await page.keyboard.press("h");
  await expect(page.locator("#answer")).toBeVisible();
  await page.keyboard.press("l");
  await expect(page.locator(".present-light")).toBeVisible();
  await page.keyboard.press("End");
  await expect(bar).toContainText("5 / 5");
  await page.keyboard.press("PageUp");
  await expect(bar).toContainText("4 / 5");
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);
  await expect(page.locator("header")).toBeVisible();
  await expect(heading("Write with the version")).toBeVisible();
});
