// What every browser test builds on: a page that may not complain, and axe.
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base } from "@playwright/test";

/** The rules of WCAG 2.2, levels A and AA. */
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * `page` fails its test when the console has an error, a script throws, or a file is missing. A test that
 * provokes errors lists what it expects with `test.use({ expectedErrors: [/pattern/] })`.
 *
 * Unless a test says otherwise with `test.use({ view: "..." })`, the page was last left with everything in view; `""` is the
 * page of who opens it for the first time. Nor are they welcomed, unless a test says `test.use({ welcome: true })`.
 *
 * With `test.use({ clock: true })` the page has Playwright's clock: it goes at the usual pace, and `page.clock` moves it on.
 * Frames belong to it; the engine's worker does not.
 *
 * `axe(options)` checks what the page shows now; `options.include` narrows it to a selector.
 */
export const test = base.extend({
  expectedErrors: [[], { option: true }],
  view: ["overview", { option: true }],
  welcome: [false, { option: true }],
  clock: [false, { option: true }],

  page: async ({ page, expectedErrors, view, welcome, clock }, use) => {
    const errors = [];
    if (clock) await page.clock.install();
    await page.addInitScript(([view, welcome]) => {
      // A page without an origin keeps nothing, and a frame in somebody's page is not the page.
      if (self !== top || location.protocol === "about:" || location.protocol === "chrome-error:") return;
      const begin = (name, value) => localStorage.getItem(name) ?? localStorage.setItem(name, value);
      if (view) begin("kubeglass.view", view);
      if (!welcome) begin("kubeglass.tour", "seen");
    }, [view, welcome]);
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error}`));
    page.on("requestfailed", (request) => {
      // A request that the page itself gave up is none of its faults.
      if (request.failure()?.errorText !== "net::ERR_ABORTED") {
        errors.push(`request: ${request.url()} ${request.failure()?.errorText}`);
      }
    });
    await use(page);
    const unexpected = errors.filter((error) => !expectedErrors.some((pattern) => pattern.test(error)));
    expect(unexpected, "what the browser complained about").toEqual([]);
  },

  axe: async ({ page }, use) => {
    await use(async ({ include } = {}) => {
      const builder = new AxeBuilder({ page }).withTags(WCAG);
      if (include) builder.include(include);
      const { violations, passes } = await builder.analyze();
      expect(passes.length, "rules that axe found something to check for").toBeGreaterThan(0);
      const readable = violations.map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        at: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      }));
      expect(readable, "violations of WCAG 2.2 AA").toEqual([]);
    });
  },
});

export { expect };
