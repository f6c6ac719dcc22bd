import { expect, test } from "./fixtures.mjs";
import { answer } from "./page.mjs";

/** From the first byte of the page to the first answered request, in milliseconds. */
const BUDGET = 1500;

/** How often it may be tried: other tests run beside this one, and what they take is not the page's. */
const TRIES = 3;

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
  let best = Infinity;
  for (let tries = 0; tries < TRIES && best >= BUDGET; tries++) {
    await page.goto("./");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    best = Math.min(best, await page.evaluate(() => window.answered));
  }
  console.log(`the first request is answered after ${Math.round(best)} ms`);
  expect(best).toBeLessThan(BUDGET);
});
