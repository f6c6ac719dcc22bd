// Manifests of several documents.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, timeline, watches } from "./page.mjs";

test.use({ view: "" });

const method = (page) => request(page).getByLabel("Method");
const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const bar = (page) => request(page).getByRole("group", { name: "Manifest" });
const apply = (page) => bar(page).getByRole("button", { name: /^Apply/ });
const results = (page) => answer(page).getByRole("group", { name: "Manifest" });
const status = (page) => answer(page).getByRole("status");
const rows = (page) => results(page).getByRole("row").filter({ has: page.locator("td") });

const map = (name, data, namespace = "default") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\ndata:\n  a: "${data}"\n`;

const SHOP = [
  "# The shop.\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n",
  map("settings", 1, "shop"),
  map("lost", 1, "nowhere"),
  `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
`,
].join("---\n");

/** Puts a manifest into the body. */
async function write(page, text) {
  await method(page).selectOption("POST");
  await body(page).fill(text);
}

test("objects are applied in their order, and what fails holds nothing up", async ({ page }) => {
  await open(page);
  await write(page, SHOP);
  await expect(apply(page)).toHaveText("Apply 4 documents");
  await apply(page).click();
  await expect(status(page)).toHaveText("4 objects applied: 3 created, 1 failed");
  await expect(rows(page)).toContainText([
    "namespace/shop created",
    "configmap/settings created",
    "configmap/lost failed",
    "deployment.apps/web created",
  ]);
  await expect(rows(page).locator(".message")).toHaveText('Error from server (NotFound): namespaces "nowhere" not found');
  // Where each document begins.
  await expect(rows(page).locator("td:first-child")).toHaveText(["2", "7", "15", "23"]);
  await rows(page).nth(2).getByRole("button").click();
  await expect(answer(page).locator(".asked")).toContainText("PATCH /api/v1/namespaces/nowhere/configmaps/lost?fieldManager=kubectl");
  await expect(answer(page).getByText("404 Not Found")).toBeVisible();
  await bar(page).getByRole("button", { name: "Results" }).click();
  await expect(status(page)).toContainText("4 objects applied");
});

test("the second time nothing changes but what has been written otherwise", async ({ page }) => {
  await open(page);
  await write(page, [map("one", 1), map("two", 1)].join("---\n"));
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(status(page)).toHaveText("2 objects applied: 2 created");
  await write(page, [map("one", 1), map("two", 2)].join("---\n"));
  await request(page).getByRole("button", { name: "Preview (dry run)" }).click();
  await expect(status(page)).toHaveText(/would be applied, nothing was changed: 1 configured, 1 unchanged/);
  await expect(rows(page)).toContainText(["configmap/one unchanged (server dry run)", "configmap/two configured (server dry run)"]);
  await apply(page).click();
  await expect(status(page)).toHaveText("2 objects applied: 1 configured, 1 unchanged");
});

test("each write says which watches were sent it", async ({ page }) => {
  await open(page);
  await write(page, [map("seen", 1), map("elsewhere", 1, "kube-system")].join("---\n"));
  await apply(page).click();
  await expect(rows(page).nth(0)).toContainText("A ADDED");
  await expect(rows(page).nth(1)).not.toContainText("ADDED");
  await expect(watches(page)).toContainText("seen");
});

test("fields that others own are taken over when that is asked for", async ({ page }) => {
  await open(page);
  await write(page, [map("mine", 1), map("more", 1)].join("---\n"));
  await apply(page).click();
  await expect(status(page)).toHaveText("2 objects applied: 2 created");
  await path(page).fill("/api/v1/namespaces/default/configmaps?fieldManager=other");
  await write(page, [map("mine", 2), map("more", 1)].join("---\n"));
  await apply(page).click();
  await expect(rows(page).nth(0)).toContainText(/Error from server \(Conflict\): Apply failed with 1 conflict/);
  await bar(page).getByLabel("Force conflicts").check();
  await apply(page).click();
  await expect(status(page)).toHaveText("2 objects applied: 1 configured, 1 unchanged");
});

test("objects of a kind that the manifest defines come after it", async ({ page }) => {
  await open(page);
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
`;
  const object = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata:\n  name: a\n";
  await write(page, [object.replace("CronTab", "Unknown"), definition, object].join("---\n"));
  await apply(page).click();
  await expect(rows(page)).toContainText([
    'no matches for kind "Unknown" in version "stable.example.com/v1"',
    "customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com created",
    "crontab.stable.example.com/a created",
  ]);
});

test("what is no object is told with its line", async ({ page }) => {
  await open(page);
  await write(page, [map("good", 1), "a: [1\n", "just words\n", "kind: Pod\n", `${map("b", 1)}`].join("---\n"));
  await apply(page).click();
  await expect(status(page)).toHaveText("5 objects applied: 2 created, 3 failed");
  await expect(rows(page).nth(1)).toContainText(/yaml: line 9: did not find expected ',' or '\]'/);
  await expect(rows(page).nth(2)).toContainText("cannot unmarshal string");
  await expect(rows(page).nth(3)).toContainText("Object 'apiVersion' is missing in '{\"kind\":\"Pod\"}'");
});

test("a list is its items, and JSON needs no dashes", async ({ page }) => {
  await open(page);
  const object = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const list = { apiVersion: "v1", kind: "List", items: [object("one"), object("two")] };
  await write(page, `${JSON.stringify(list)}\n---\n${JSON.stringify(object("three"))}\n${JSON.stringify(object("four"))}`);
  await apply(page).click();
  await expect(status(page)).toHaveText("4 objects applied: 4 created");
  await expect(rows(page).locator("td:first-child")).toHaveText(["1", "1", "3", "4"]);
});

test("files are opened: several are one manifest, a single object is the request that applies it", async ({ page }) => {
  await open(page);
  await method(page).selectOption("POST");
  const choose = (files) => request(page).getByLabel("Open file…").setInputFiles(files.map(([name, text]) => ({ name, mimeType: "text/yaml", buffer: Buffer.from(text) })));
  await choose([["b.yaml", map("second", 1)], ["a.yaml", map("first", 1)]]);
  await expect(apply(page)).toHaveText("Apply 2 documents");
  await apply(page).click();
  await expect(rows(page)).toContainText(["configmap/first created", "configmap/second created"]);
  await choose([["web.yaml", map("third", 1)]]);
  await expect(method(page)).toHaveValue("PATCH");
  await expect(path(page)).toHaveValue("/api/v1/namespaces/default/configmaps/third");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  const object = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  await choose([["list.json", JSON.stringify({ apiVersion: "v1", kind: "List", items: [object("one"), object("two")] })]]);
  await expect(apply(page)).toHaveText("Apply 2 documents");
  await apply(page).click();
  await expect(rows(page)).toContainText(["configmap/one created", "configmap/two created"]);
  // What is no text changes nothing.
  const before = await body(page).inputValue();
  await choose([["image.png", "\x89PNG\0"]]);
  await expect(page.getByText("image.png is no text. A manifest is YAML or JSON in UTF-8.")).toBeVisible();
  await expect(body(page)).toHaveValue(before);
});

test("a file that is dropped anywhere is opened", async ({ page }) => {
  await open(page);
  const drop = (type) =>
    page.evaluate(
      ([type, text]) => {
        const held = new DataTransfer();
        held.items.add(new File([text], "shop.yaml"));
        document.querySelector("#answer").dispatchEvent(new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }));
      },
      [type, SHOP],
    );
  await expect(async () => {
    await drop("dragover");
    await expect(page.locator("body")).toHaveAttribute("data-drop", "Drop to open the manifest", { timeout: 100 });
  }).toPass();
  await drop("drop");
  await expect(page.locator("body")).not.toHaveAttribute("data-drop");
  await expect(apply(page)).toHaveText("Apply 4 documents");
});

test("a manifest of 5 MB can be stopped, and the page answers meanwhile", async ({ page }) => {
  await open(page);
  const long = Array.from({ length: 1200 }, (_, number) => map(`many-${number}`, "x".repeat(4100))).join("---\n");
  await method(page).selectOption("POST");
  await request(page).getByLabel("Open file…").setInputFiles({ name: "long.yaml", mimeType: "text/yaml", buffer: Buffer.from(long) });
  await expect(apply(page)).toHaveText("Apply 1200 documents");
  await apply(page).click();
  await expect(status(page)).toContainText(/Applying \d+ of 1200/);
  await answer(page).getByRole("button", { name: "Stop" }).click();
  await expect(status(page)).toContainText(/1200 objects applied: \d+ created, \d+ not sent/);
  await expect(results(page)).toContainText("and 1000 more, none of which failed");
  // The one that was under way is counted with those that were sent.
  await expect(async () => {
    const [, created] = /(\d+) created/.exec(await status(page).textContent());
    await expect(timeline(page).locator(".ribbon")).toHaveAttribute("data-head", String(10255 + Number(created)), { timeout: 1000 });
  }).toPass();
});

for (const [width, height] of [[1280, 720], [853, 480], [390, 844]]) {
  test(`nothing sticks out and axe finds nothing: ${width} px`, async ({ page, axe }) => {
    await page.setViewportSize({ width, height });
    await page.goto("./");
    await expect(request(page).or(page.locator(".last-event")).first()).toBeVisible();
    await expect(page.locator(".engine p")).toHaveCount(0);
    const turn = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Request" });
    if (await turn.isVisible()) await turn.click();
    await write(page, SHOP);
    await expect(apply(page)).toBeVisible();
    await axe();
    await apply(page).click();
    await expect(status(page)).toHaveText("4 objects applied: 3 created, 1 failed");
    await expect(rows(page).nth(0)).toBeVisible();
    await axe();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
}
