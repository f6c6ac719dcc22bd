// The bytes of a response, its representations, and bodies that are encoded before they are sent.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, tree, watch } from "./page.mjs";

const GREETING = "/api/v1/namespaces/default/configmaps/greeting";

/** Sends what stands in the form, asking for `accept` as the form names it. */
async function send(page, accept) {
  await request(page).getByLabel("Accept").selectOption(accept);
  await request(page).getByRole("button", { name: "Send" }).click();
}

/** On a narrow page the request is a pane of its own. */
async function pane(page, name) {
  const panes = page.getByRole("navigation", { name: "Panes" });
  if (await panes.isVisible()) await panes.getByRole("button", { name }).click();
}

const bytes = (page) => answer(page).getByRole("slider", { name: "Bytes" });
const sentence = (page) => answer(page).locator(".bytes-what");
/** The pieces of bytes that are lit. */
const lit = (page) => answer(page).locator(".byte.lit");

async function get(page, target, accept) {
  await path(page).fill(target);
  await send(page, accept);
  await expect(bytes(page)).toBeVisible();
}

test("the bytes of Protobuf are walked by keyboard, and light up their JSON", async ({ page }) => {
  await open(page);
  await get(page, GREETING, "Protobuf");
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", /^magic: `k8s`/);
  await bytes(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", /^field 1 `typeMeta`, wire type 2 \(length-delimited\), 15 bytes$/);
  await expect(sentence(page)).toHaveText(/^field 1 `typeMeta`/);
  await page.keyboard.press("ArrowDown");
  await expect(sentence(page)).toHaveText(/^field 2 `raw`, wire type 2 \(length-delimited\), \d+ bytes$/);
  await page.keyboard.press("ArrowRight");
  await expect(sentence(page)).toHaveText(/^tag: field 2, `raw`/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(sentence(page)).toHaveText(/^field 1 `metadata`, wire type 2 \(length-delimited\), \d+ bytes$/);
  await expect(sentence(page)).toHaveAttribute("data-path", "/metadata");
  await expect(tree(page).locator(".json.lit")).toContainText('"metadata"');
  await page.keyboard.press("ArrowLeft");
  await expect(sentence(page)).toHaveText(/^field 2 `raw`/);
  await page.keyboard.press("End");
  await expect(bytes(page)).toHaveAttribute("aria-valuenow", await bytes(page).getAttribute("aria-valuemax"));
  await page.keyboard.press("Home");
  await expect(sentence(page)).toHaveText(/^magic/);
});

test("a field that is chosen in JSON lights up its bytes, and the other way round", async ({ page }) => {
  await open(page);
  await get(page, GREETING, "Protobuf");
  await tree(page).getByRole("treeitem", { name: /"name"/ }).click();
  await expect(sentence(page)).toHaveText('field 1 `name`, wire type 2 (length-delimited), 8 bytes: "greeting"');
  await expect(lit(page)).toHaveText(["0a", "08", "67 72 65 65 74 69", "6e 67"]);
  await tree(page).getByRole("treeitem", { name: /"text"/ }).click();
  await expect(sentence(page)).toHaveText(/^field 2 `data`.*, entry `text`$/);
  await answer(page).locator(".says", { hasText: /^value: "hello"$/ }).hover();
  await expect(sentence(page)).toHaveText('field 2 `value`, wire type 2 (length-delimited), 5 bytes: "hello"');
  await expect(tree(page).locator(".json.lit")).toHaveText(/"text": "hello"/);
  // What is pointed at comes first.
  await page.mouse.move(0, 0);
  await bytes(page).focus();
  await page.keyboard.press("Enter");
  await expect(tree(page).getByRole("treeitem", { name: /"text"/ })).toBeFocused();
});

test("the bytes of CBOR are heads, keys and values", async ({ page }) => {
  await open(page);
  await get(page, GREETING, "CBOR");
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", "tag 55799: what follows is CBOR (self-described)");
  await tree(page).getByRole("treeitem", { name: /"kind"/ }).click();
  await expect(sentence(page)).toHaveText('entry `kind`, byte string of 9 bytes: "ConfigMap"');
  await bytes(page).focus();
  await page.keyboard.press("ArrowRight");
  await expect(sentence(page)).toHaveText("head of the key: major type 2 (byte string), argument 4");
  await expect(answer(page).locator(".byte.tag.lit")).toHaveText("44");
  await page.keyboard.press("ArrowDown");
  await expect(answer(page).locator(".byte.key.lit")).toHaveText("6b 69 6e 64");
});

test("long answers build only the rows that can be seen", async ({ page }) => {
  await open(page);
  await get(page, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "Protobuf");
  await get(page, "/api/v1/namespaces", "CBOR");
  const rows = answer(page).locator(".row-of-bytes");
  await expect(rows.first()).toBeVisible();
  await bytes(page).focus();
  await page.keyboard.press("End");
  await expect(answer(page).locator(".row-of-bytes .lit").first()).toBeVisible();
  await expect.poll(() => rows.count()).toBeLessThan(90);
});

test("other answers are bytes too", async ({ page }) => {
  await open(page);
  await path(page).fill(GREETING);
  await send(page, "JSON");
  await expect(tree(page)).toContainText("greeting");
  await answer(page).getByRole("tab", { name: "Bytes" }).click();
  await expect(answer(page).locator(".row-of-bytes").first()).toContainText("7b 22 6b 69 6e 64 22 3a");
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", 'byte 0: {"kind":');
});

test("the event of a watch shows its frame", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces/default/configmaps?watch=1");
  await send(page, "Protobuf");
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(2);
  await watch(page, "B").getByRole("button", { name: /greeting/ }).click();
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", /^frame: the next \d+ bytes are an event$/);
  await bytes(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(sentence(page)).toHaveText('field 1 `type`, wire type 2 (length-delimited), 5 bytes: "ADDED"');
  await expect(tree(page).locator(".json.lit")).toHaveText(/"type": "ADDED"/);
});

test("a response has all its representations, and one is shown beside its JSON", async ({ page }) => {
  await open(page);
  await path(page).fill(GREETING);
  await send(page, "CBOR");
  await answer(page).getByRole("tab", { name: "Representations" }).click();
  const table = answer(page).getByRole("table", { name: "The same response in every media type" });
  await expect(table.getByRole("row")).toHaveCount(8);
  await expect(table.getByRole("row", { name: /Protobuf/ }).getByRole("cell")).toHaveText([/^\d+ B$/, /^0\.\d\d×$/, /^\d+ B$/, /ms$/]);
  await table.getByRole("button", { name: "Protobuf" }).click();
  await expect(bytes(page)).toHaveAttribute("aria-valuetext", /^magic/);
  await expect(tree(page)).toContainText('"greeting"');
  await table.getByRole("button", { name: "YAML" }).click();
  await expect(table.getByRole("button", { name: "YAML" })).toHaveAttribute("aria-pressed", "true");
  await expect(answer(page).getByRole("group", { name: "application/yaml" })).toContainText("kind: ConfigMap");
  await table.getByRole("button", { name: "Pretty JSON" }).click();
  await expect(answer(page).locator("pre.raw")).toContainText('\n  "apiVersion": "v1"');
});

test("what is typed as JSON is sent as CBOR or Protobuf, or byte by byte", async ({ page }) => {
  await open(page);
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill("/api/v1/namespaces/default/configmaps");
  const body = request(page).getByRole("textbox", { name: "Body" });
  for (const [type, name] of [["CBOR", "in-cbor"], ["Protobuf", "in-protobuf"]]) {
    await request(page).getByLabel("Content-Type").selectOption(type);
    await body.fill(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } }));
    await send(page, "JSON");
    await expect(answer(page).getByText("201 Created")).toBeVisible();
    await expect(answer(page).getByText(/^sent \d+ B of application\//)).toBeVisible();
    await expect(tree(page)).toContainText(`"name": "${name}"`);
  }
  await body.fill('{"apiVersion": "v1", "kind": "Nothing"}');
  await send(page, "JSON");
  await expect(answer(page).getByRole("group", { name: "No response came" })).toContainText("as Protobuf needs them, for Nothing");
  await body.fill("6b 38 73 00 0a ff");
  await send(page, "JSON");
  await expect(answer(page).getByText("400 Bad Request")).toBeVisible();
  await expect(answer(page).getByText("sent 6 B of application/vnd.kubernetes.protobuf")).toBeVisible();
});

test("a table is one in YAML too, and in a watch", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces");
  await send(page, "Table in YAML");
  await expect(answer(page).getByRole("table").getByRole("columnheader")).toHaveText(["Name", "Status", "Age"]);
  await path(page).fill("/api/v1/namespaces/default/configmaps?watch=1&includeObject=Object");
  await send(page, "Table");
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(2);
  await watch(page, "B").getByRole("button").filter({ hasText: "ADDED" }).first().click();
  await expect(answer(page).getByRole("table").getByRole("columnheader").first()).toHaveText("Name");
});

test("warnings are a list above the response", async ({ page, axe }) => {
  await open(page);
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill("/api/v1/namespaces/default/configmaps?fieldValidation=Warn");
  const body = request(page).getByRole("textbox", { name: "Body" });
  await body.fill('{"metadata": {"name": "warned"}, "nothing": 1, "other": 2}');
  await send(page, "JSON");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  const warnings = answer(page).getByRole("region", { name: "Warnings" });
  await expect(warnings.getByRole("listitem")).toHaveText(['unknown field "nothing"', 'unknown field "other"']);
  await axe({ include: "#answer" });
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/warnings.png` });
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing in the bytes: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("./");
      // What is read has been written by then.
      await expect(page.getByText("MODIFIED").filter({ visible: true }).first()).toBeVisible();
      await pane(page, "Request");
      await get(page, GREETING, "Protobuf");
      await pane(page, "Response");
      await bytes(page).focus();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      const shot = async (name) => {
        await axe({ include: "#answer" });
        expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}-${width}.png` });
      };
      await shot("bytes");
      await answer(page).getByRole("tab", { name: "Representations" }).click();
      await expect(answer(page).getByRole("table")).toBeVisible();
      await shot("representations");
      await answer(page).getByRole("table").getByRole("button", { name: "CBOR" }).click();
      await expect(bytes(page)).toBeVisible();
      await shot("representation");
    });
  }
}
