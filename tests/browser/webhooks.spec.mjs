// Webhooks that functions stand in for, and what is shown of their calls.
import { expect, test } from "./fixtures.mjs";
import { answer, back, kept, open, path, preset, request, tree, watches } from "./page.mjs";

const MAPS = "/api/v1/namespaces/default/configmaps";
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const calls = (page) => answer(page).getByRole("region", { name: "Webhooks that were called" });

/** Sends a request from the page's form, and waits for its status. */
async function send(page, method, target, body, status) {
  await request(page).getByRole("combobox", { name: "Method" }).selectOption(method);
  await path(page).fill(target);
  if (body) await request(page).getByRole("textbox", { name: "Body" }).fill(JSON.stringify(body));
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).locator(".status")).toContainText(status);
}

/** The configuration of a webhook for ConfigMaps. */
const configuration = (body, more = {}) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "maps", annotations: { "kubeglass.dev/function": `async function review({ request }) { ${body} }` } },
  webhooks: [
    {
      name: "maps.example.com",
      clientConfig: { url: "https://maps.example.com/" },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 1,
      ...more,
    },
  ],
});
const map = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("a function refuses an object, and what it was sent and has said is shown", async ({ page, axe }) => {
  await open(page);
  await preset(page, "Webhook");
  await expect(answer(page).locator(".status")).toContainText("400");
  await expect(answer(page)).toContainText('admission webhook "colours.example.com" denied the request: plaid is not a colour that we have');
  await expect(answer(page)).toContainText("A webhook refuses this.");
  await expect(calls(page)).toContainText("Webhook: denied webhooks.example.com/colours");
  await calls(page).getByText("Webhook: denied").click();
  await expect(calls(page).getByRole("tree", { name: "The review that was sent" })).toContainText('"kind": "AdmissionReview"');
  await expect(calls(page).getByRole("tree", { name: "The response of the webhook" })).toContainText('"allowed": false');
  await expect(calls(page).locator("pre")).toContainText(/^CREATE paint-\S+ plaid$/);
  await axe({ include: "#answer" });
});

test("a function reaches nobody", async ({ page }) => {
  await open(page);
  const reaches = `
    const ways = {
      origin: async () => self.origin,
      fetch: async () => (await fetch("${page.url()}")).status,
      database: async () => new Promise((done, failed) => { const open = indexedDB.open("a"); open.onsuccess = () => done("open"); open.onerror = () => failed(open.error); }),
      evaluates: async () => eval("1 + 1"),
      page: async () => typeof document + typeof window,
    };
    const told = {};
    for (const [name, way] of Object.entries(ways)) told[name] = await way().catch((error) => "no: " + error.name);
    return { allowed: false, status: { message: JSON.stringify(told) } };`;
  await send(page, "POST", CONFIGURATIONS, configuration(reaches), "201");
  await send(page, "POST", MAPS, map("a"), "400");
  const told = await answer(page).locator(".webhook-why").textContent();
  expect(JSON.parse(told)).toEqual({
    origin: "null",
    fetch: "no: TypeError",
    database: expect.stringMatching(/^no: /),
    evaluates: "no: EvalError",
    page: "undefinedundefined",
  });
});

for (const [about, body, message, called] of [
  ["never ends", "for (;;);", "context deadline exceeded", "context deadline exceeded"],
  ["fails", 'throw new Error("oops");', 'an error on the server ("Error: oops") has prevented the request from succeeding', "500 Error: oops"],
  ["cannot be read", "}}}", "has prevented the request from succeeding", "SyntaxError"],
  ["says nothing", "", "0-length response with status code: 200", "Webhook: failed"],
  ["says something else", 'return "hello";', "couldn't get version/kind", "200 hello"],
]) {
  test(`a function that ${about} fails the request, not the page`, async ({ page }) => {
    await open(page);
    await send(page, "POST", CONFIGURATIONS, configuration(body), "201");
    await send(page, "POST", MAPS, map("a"), "500");
    await expect(answer(page)).toContainText(message);
    await expect(answer(page)).toContainText("A webhook could not be called");
    await expect(calls(page)).toContainText(called);
    await send(page, "GET", MAPS, "", "200");
  });
}

test("where no function stands in, nothing listens", async ({ page }) => {
  await open(page);
  const { metadata, ...rest } = configuration("");
  await send(page, "POST", CONFIGURATIONS, { ...rest, metadata: { name: metadata.name } }, "201");
  await send(page, "POST", MAPS, map("a"), "500");
  await expect(answer(page)).toContainText("dial tcp: lookup maps.example.com: no such host");
  await expect(calls(page)).toContainText("Webhook: nothing listens there");
});

test("webhooks are there after the page was loaded again", async ({ page }) => {
  await open(page);
  await send(page, "POST", CONFIGURATIONS, configuration('return { allowed: request.name === "b" };'), "201");
  await kept(page);
  await page.reload();
  await back(page);
  await expect(path(page)).toHaveValue(CONFIGURATIONS);
  await send(page, "POST", MAPS, map("a"), "400");
  await send(page, "POST", MAPS, map("b"), "201");
  await expect(calls(page)).toContainText("Webhook: allowed");
});

test("a preview asks webhooks, and stores nothing", async ({ page }) => {
  await open(page);
  await send(page, "POST", CONFIGURATIONS, configuration('return { allowed: false, status: { message: "dryRun " + request.dryRun } };'), "201");
  await path(page).fill(MAPS);
  await request(page).getByRole("textbox", { name: "Body" }).fill(JSON.stringify(map("a")));
  await request(page).getByRole("button", { name: "Preview (dry run)" }).click();
  await expect(answer(page)).toContainText("denied the request: dryRun true");
});

test("a webhook changes what controllers write", async ({ page }) => {
  const { metadata, webhooks, ...rest } = configuration('return { allowed: true, patch: [{ op: "add", path: "/metadata/annotations", value: { by: "webhook" } }] };', {
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
  });
  await open(page);
  await send(page, "POST", CONFIGURATIONS.replace("validating", "mutating"), { ...rest, kind: "MutatingWebhookConfiguration", metadata, webhooks }, "201");
  const labels = { app: "shop" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec };
  await send(page, "POST", "/apis/apps/v1/namespaces/default/deployments", deployment, "201");
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  await watches(page).getByRole("button", { name: "Start controllers" }).click();
  const written = tree(page).getByText('"webhook"');
  await expect(async () => {
    await send(page, "GET", "/api/v1/namespaces/default/pods?labelSelector=app%3Dshop", "", "200");
    await expect(written).toHaveCount(2, { timeout: 1_000 });
  }).toPass();
});

test("a function runs in the tab that has the shared cluster open", async ({ browser }) => {
  const context = await browser.newContext();
  const [one, two] = [await context.newPage(), await context.newPage()];
  for (const page of [one, two]) {
    await page.addInitScript(() => localStorage.setItem("kubeglass.tour", "seen"));
    await page.addInitScript(() => localStorage.setItem("kubeglass.view", "overview"));
    await page.goto("./?engine=tabs");
    await expect(answer(page).locator(".status")).toContainText("200");
  }
  await send(one, "POST", CONFIGURATIONS, configuration("return false;"), "201");
  await send(one, "POST", MAPS, map("a"), "400");
  await two.close();
  await send(one, "POST", MAPS, map("b"), "400");
  await context.close();
});
