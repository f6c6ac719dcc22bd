import { expect, test } from "./fixtures.mjs";
import { answer } from "./page.mjs";

/** From the first byte of the page to the first answered request, in milliseconds. */
const BUDGET = 1500;

test("the first request is answered in time on a slow machine", async ({ page }) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector(".answer-head .figure")) {
        window.answered = performance.now();
        watch.disconnect();
      }
    });
    watch.observe(document, { childList: true, subtree: true });
  });
  await page.goto("./");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  const answered = await page.evaluate(() => window.answered);
  test.info().annotations.push({ type: "answered after", description: `${Math.round(answered)} ms` });
  expect(answered).toBeLessThan(BUDGET);
});
