// Media types besides JSON: what they give, and when the code for them is fetched.
import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, tree, watch } from "./page.mjs";

/** The chunks of the engine, each with what is needed by it alone. */
const CHUNK = /engine-[0-9a-f]+\/(split_.*)$/;

/** Sends what stands in the form, asking for `accept` as the form names it. */
async function send(page, accept) {
  await request(page).getByLabel("Accept").selectOption(accept);
  await request(page).getByRole("button", { name: "Send" }).click();
}

/** Which chunks of the engine are fetched from now on. */
function fetched(page) {
  const files = [];
  page.on("request", (request) => {
    const [, file] = CHUNK.exec(new URL(request.url()).pathname) ?? [];
    if (file) files.push(file);
  });
  return files;
}

async function hasContentType(page, type) {
  await answer(page).getByRole("tab", { name: "Headers" }).click();
  await expect(answer(page).getByRole("row", { name: /content-type/i }).getByRole("cell")).toHaveText(type);
  await answer(page).getByRole("tab", { name: "Body" }).click();
}

test("every chunk is fetched once, and before it is needed if the page is quiet", async ({ page }) => {
  const files = fetched(page);
  await open(page);
  const chunks = ["discovery", "documents", "expressions", "media_types", "openapi", "tables", "validation", "webhooks", "workloads", "writes"];
  await expect.poll(() => [...files].sort()).toEqual(chunks.map((chunk) => `split_${chunk}.wasm`));
  await send(page, "Metadata only");
  await expect(answer(page).getByRole("group", { name: "Not Acceptable" })).toContainText("is a list");
  await send(page, "YAML");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(answer(page).getByRole("tabpanel")).toContainText("kind: ConfigMapList");
  await send(page, "CBOR");
  await expect(answer(page).getByText("The body is not text; these are its bytes.")).toBeVisible();
  expect(files).toHaveLength(chunks.length);
});

test("every media type is what its name says", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces/default/configmaps/greeting");
  const panel = answer(page).getByRole("tabpanel");
  await send(page, "YAML");
  await expect(panel).toContainText(/^apiVersion: v1\ndata:\n {2}text: hello\nkind: ConfigMap\nmetadata:\n/);
  await hasContentType(page, "application/yaml");
  await send(page, "CBOR");
  await expect(panel).toContainText("d9 d9 f7");
  await hasContentType(page, "application/cbor");
  await send(page, "Protobuf");
  await expect(panel).toContainText("6b 38 73 00");
  await hasContentType(page, "application/vnd.kubernetes.protobuf");
  await send(page, "Metadata only");
  await expect(tree(page)).toContainText('"kind": "PartialObjectMetadata"');
  await expect(tree(page)).not.toContainText('"data"');
  await hasContentType(page, "application/json");
});

test("a table is a table", async ({ page, axe }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces");
  await send(page, "Table");
  const table = answer(page).getByRole("table");
  await expect(table.getByRole("columnheader")).toHaveText(["Name", "Status", "Age"]);
  await expect(table.getByRole("row", { name: /^default Active \d+s$/ })).toBeVisible();
  await expect(answer(page).getByLabel("All columns")).toHaveCount(0);
  await axe({ include: "table.rows" });
  await path(page).fill("/apis/apps/v1/daemonsets");
  await send(page, "Table");
  await expect(answer(page).getByText("The table has no rows")).toBeVisible();
  await answer(page).getByRole("tab", { name: "Raw" }).click();
  await expect(answer(page).getByRole("tabpanel")).toContainText('{"kind":"Table","apiVersion":"meta.k8s.io/v1"');
});

test("the other columns of a table are there for who wants them", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/services");
  await send(page, "Table");
  const headings = answer(page).getByRole("table").getByRole("columnheader");
  await expect(headings).toHaveText(["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"]);
  await answer(page).getByLabel("All columns").check();
  await expect(headings.last()).toHaveText("Selector");
  await expect(answer(page).getByRole("row", { name: /^web ClusterIP .* app=web$/ })).toBeVisible();
});

test("a body may be YAML, and what is wrong with it is told as Go tells it", async ({ page }) => {
  await open(page);
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill("/api/v1/namespaces/default/configmaps");
  await request(page).getByLabel("Content-Type").selectOption("YAML");
  const body = request(page).getByRole("textbox", { name: "Body" });
  await body.fill("metadata:\n  name: from-yaml\ndata:\n  mode: 0644\n");
  await send(page, "JSON");
  const failure = answer(page).getByRole("group", { name: "Bad Request" });
  await expect(failure).toContainText("cannot unmarshal number into Go struct field ConfigMap.data of type string");
  await body.fill("metadata:\n  name: from-yaml\ndata:\n  mode: '0644'\n");
  await send(page, "JSON");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(tree(page)).toContainText('"mode": "0644"');
});

test("what a definition says of its objects holds for them", async ({ page }) => {
  await open(page);
  const body = request(page).getByRole("textbox", { name: "Body" });
  const post = async (to, object) => {
    await request(page).getByLabel("Method").selectOption("POST");
    await path(page).fill(to);
    await body.fill(JSON.stringify(object));
    await send(page, "JSON");
  };
  const rule = { rule: "self.cells <= 48", message: "a battery has at most 48 cells" };
  const spec = { type: "object", "x-kubernetes-validations": [rule], properties: {
    cells: { type: "integer" }, code: { type: "string", pattern: "^[A-Z]+$" },
  } };
  await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition",
    metadata: { name: "batteries.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "Battery", plural: "batteries" }, versions: [{
      name: "v1", served: true, storage: true,
      schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      additionalPrinterColumns: [{ name: "Cells", type: "integer", jsonPath: ".spec.cells" }],
    }] },
  });
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  const batteries = "/apis/example.com/v1/namespaces/default/batteries";
  const battery = (name, spec) => ({ apiVersion: "example.com/v1", kind: "Battery", metadata: { name }, spec });
  await post(batteries, battery("large", { cells: 49, code: "b" }));
  const failure = answer(page).getByRole("group", { name: "Unprocessable Entity" });
  await expect(failure).toContainText("a battery has at most 48 cells");
  await expect(failure).toContainText("should match '^[A-Z]+$'");
  await post(batteries, battery("small", { cells: 6, code: "B", more: 1 }));
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(tree(page)).not.toContainText("more");
  await request(page).getByLabel("Method").selectOption("GET");
  await send(page, "Table");
  await expect(answer(page).getByRole("row", { name: "small 6" })).toBeVisible();
});

test("a watch in CBOR is read, and each event shows its bytes", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces/default/configmaps?watch=1");
  await send(page, "CBOR");
  await expect(watch(page, "B").getByText("ADDED")).toHaveCount(2);
  await watch(page, "B").getByRole("button", { name: /greeting/ }).click();
  await expect(tree(page)).toContainText('"type": "ADDED"');
  await expect(answer(page).getByText(/^It was sent in \d+ B/)).toBeVisible();
  await expect(answer(page)).toContainText("44 74 79 70 65 45 41 44");
});

test("a watch in YAML there is not", async ({ page }) => {
  await open(page);
  await path(page).fill("/api/v1/namespaces/default/configmaps?watch=1");
  await send(page, "YAML");
  await expect(answer(page).getByText("406 Not Acceptable")).toBeVisible();
  await expect(answer(page).getByRole("tabpanel")).toContainText("application/cbor-seq");
});

test.describe("where a chunk cannot be fetched", () => {
  test.use({ expectedErrors: [/split_media_types|__wasm_split/] });

  test("the page says so, and lives on", async ({ page }) => {
    const chunk = /split_media_types/;
    await page.route(chunk, (route) => route.abort());
    await open(page);
    await send(page, "YAML");
    await expect(answer(page).getByText("503 Service Unavailable")).toBeVisible();
    await expect(answer(page)).toContainText("the part of the API server for media types could not be loaded");
    await expect(answer(page)).toContainText("can be sent again");
    await send(page, "JSON");
    await expect(answer(page).getByText("200 OK")).toBeVisible();
    await page.unroute(chunk);
    await send(page, "YAML");
    await expect(answer(page).getByRole("tabpanel")).toContainText("kind: ConfigMapList");
  });
});
