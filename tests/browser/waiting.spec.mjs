// What takes long, what is up to date, and what nothing comes of.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, timeline } from "./page.mjs";

const send = (page) => request(page).getByRole("button", { name: "Send", exact: true }).click();

async function get(page, target) {
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(target);
  await page.keyboard.press("Escape");
  await send(page);
}

test("a request that waits says for how long, and can be cancelled", async ({ page }) => {
  await open(page);
  // The server waits for this revision for as long as the cluster's clock says, which stands.
  await page.getByRole("button", { name: "Stop the time" }).click();
  await get(page, "/api/v1/namespaces/default/configmaps?resourceVersion=999999&resourceVersionMatch=NotOlderThan");
  await expect(answer(page).getByText("Waiting for the response")).toBeVisible();
  await expect(answer(page).getByText(/^for \d+ s$/)).toBeVisible();
  await answer(page).getByRole("button", { name: "Cancel" }).click();
  await expect(answer(page).getByText("You cancelled the request.").first()).toBeVisible();
  // The next one is not held up by it.
  await get(page, "/api/v1/namespaces/default/configmaps?limit=5");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(answer(page).getByRole("button", { name: "Cancel" })).toHaveCount(0);
});

test("a watch whose collection is quiet is up to date, whatever else is written", async ({ page }) => {
  await open(page);
  await get(page, "/api/v1/namespaces/kube-system/secrets?watch=true");
  const quiet = timeline(page).locator('[data-letter="B"]');
  await expect(quiet).toHaveAttribute("data-lag", "0");
  for (let count = 0; count < 3; count++) await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", "10258");
  await expect(quiet).toHaveAttribute("data-lag", "0");
  await expect(quiet).toHaveAttribute("title", /^Up to date: nothing for it since 10255\. Resumes from/);
});

test("a workload says that no controllers run", async ({ page }) => {
  await open(page);
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill("/apis/apps/v1/namespaces/default/deployments");
  await page.keyboard.press("Escape");
  await request(page).getByRole("textbox", { name: "Body" }).fill(
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "site" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    }),
  );
  await send(page);
  await expect(answer(page).getByText("No controllers run in this cluster: the Deployment is stored, and no Pods come of it.")).toBeVisible();
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(answer(page).getByText("No controllers run")).toHaveCount(0);
});
