// What the tests of the page say often.
import { expect } from "./fixtures.mjs";

/** Opens the page, and waits until its cluster is alive. */
export async function open(page, hash = "") {
  await page.goto(`./${hash}`);
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(watches(page).getByText("MODIFIED")).toBeVisible();
}

export const request = (page) => page.getByRole("region", { name: "Request" });
export const answer = (page) => page.getByRole("region", { name: "Response" });
export const watches = (page) => page.getByRole("region", { name: "Watches" });
export const timeline = (page) => page.getByRole("region", { name: "Timeline" });
export const resources = (page) => page.getByRole("region", { name: "Resources" });

/** The watch with this letter. */
export const watch = (page, letter) => watches(page).getByRole("article", { name: new RegExp(`^Watches ${letter} `) });

/** What a preset says besides its name. */
const PRESET = { "Update, stale": "Update, stale 409", "Watch, compacted": "Watch, compacted 410" };

/** Clicks the preset with this name: in the row, or in its menu where the row has no room for it. */
export async function preset(page, name) {
  const named = (name) => request(page).getByRole("button", { name, exact: true });
  await named("Create").waitFor();
  if (await named(PRESET[name] ?? name).isVisible()) return named(PRESET[name] ?? name).click();
  await named("More…").click();
  await page.locator("#more-presets").getByRole("button", { name: new RegExp(`^${name}`) }).click();
}

/** What stands in the response's tree. */
export const tree = (page) => answer(page).getByRole("tree");

/** Waits for two frames: what the page knows by now is drawn. What the engine has yet to answer is not waited for. */
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Waits until the last of what is written when the page opens is on the ribbon. */
export const filled = (page) => expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", "10255");

/** The field for the path. */
export const path = (page) => request(page).getByRole("combobox", { name: "Path" });

/** Removes all query parameters from the form. */
export async function clearParams(page) {
  const remove = request(page).getByRole("button", { name: /^Remove / });
  for (let left = await remove.count(); left > 0; left--) {
    await remove.first().click();
    await expect(remove).toHaveCount(left - 1);
  }
}

/** The dialog about the cluster, and the button that opens it. */
export const dialog = (page) => page.getByRole("dialog", { name: "This cluster" });
export const about = (page) => page.getByRole("button", { name: "Keep, undo, export, share" });

/** Waits until what has happened is kept, again if it was `before`. Returns what is said of that. */
export async function kept(page, before = "") {
  await about(page).click();
  const saved = dialog(page).getByText(/^Kept in this browser/);
  await expect(saved).toBeVisible();
  await expect(saved).not.toHaveText(before);
  const said = await saved.textContent();
  await page.keyboard.press("Escape");
  return said;
}

/** Waits until the page has come back with its cluster. */
export async function back(page) {
  await expect(page.locator("#start")).toHaveCount(0);
  await expect(page.getByText("Opening the cluster that was kept")).toHaveCount(0);
  await expect(page.getByText("Loading the API server")).toHaveCount(0);
}
