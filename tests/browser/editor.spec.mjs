// The editor of the request's body.
import { expect, test } from "./fixtures.mjs";
import { answer, drawn, filled, open, path, preset, request, resources, tree } from "./page.mjs";

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";

const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const editor = (page) => request(page).locator(".cm-editor");
const options = (page) => request(page).locator(".cm-tooltip-autocomplete").getByRole("option");
/**
 * Presses keys that the options are to hear. While others are looked for they hear none, and for 75 ms after they have appeared, lest
 * they take what was meant for the text.
 */
async function choose(page, ...keys) {
  // What was typed last is looked for at once, not after a pause.
  await page.clock.fastForward(150);
  await expect(request(page).locator(".cm-tooltip-autocomplete-disabled")).toHaveCount(0);
  await page.clock.fastForward(150);
  for (const key of keys) await page.keyboard.press(key);
}

const under = (page) => request(page).locator("#body-broken");
/** What is underlined. */
const marked = (page) => request(page).locator(".cm-lintRange");

/** Composes a POST, and goes to its body. */
async function compose(page, target, text, media) {
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill(target);
  if (media) await request(page).getByLabel("Content-Type").selectOption(media);
  await body(page).focus();
  await expect(editor(page)).toBeVisible();
  await body(page).fill(text);
}

/** Puts the cursor behind a piece of the text. */
async function goBehind(page, piece) {
  const lines = request(page).locator(".cm-line");
  await expect(lines.filter({ hasText: piece })).toHaveCount(1);
  const texts = await lines.allTextContents();
  const line = texts.findIndex((text) => text.includes(piece));
  const text = texts[line];
  await body(page).focus();
  await page.keyboard.press("Control+Home");
  for (let at = 0; at < line; at++) await page.keyboard.press("ArrowDown");
  for (let at = 0; at < text.indexOf(piece) + piece.length; at++) await page.keyboard.press("ArrowRight");
}

const pod = (container) =>
  JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [container] } }, null, 2);

test("the editor is loaded when somebody goes to the body, and not before", async ({ page }) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1)));
  await open(page);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await drawn(page);
  expect(asked).not.toContain("kubeglass-editor.js");
  const text = await body(page).inputValue();
  await body(page).focus();
  await expect(editor(page)).toBeVisible();
  await expect(body(page)).toBeFocused();
  expect(asked.filter((name) => name === "kubeglass-editor.js")).toHaveLength(1);
  expect(asked).not.toContain("kubeglass-help.txt");
  await expect(request(page).locator(".cm-line").first()).toHaveText(text.split("\n")[0]);
  // From then on it is there wherever there is a body.
  await request(page).getByLabel("Method").selectOption("GET");
  await expect(editor(page)).toHaveCount(0);
  await request(page).getByLabel("Method").selectOption("PUT");
  await expect(editor(page)).toBeVisible();
  expect(asked.filter((name) => name === "kubeglass-editor.js")).toHaveLength(1);
});

test("what is written is sent with Ctrl+Enter, once", async ({ page }) => {
  await open(page);
  await compose(page, CONFIGMAPS, '{"metadata":{"name":"written"}}');
  await page.keyboard.press("Control+Enter");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await expect(resources(page).getByTitle("List configmaps")).toContainText("3");
  await expect(body(page)).toHaveText('{"metadata":{"name":"written"}}');
});

test.describe("what is offered", () => {
  test.use({ clock: true });

  test("names are completed: required ones first, those that are there left out", async ({ page }) => {
    await open(page);
    await compose(page, PODS, '{"spec": {"containers": [{"name": "a", }]}}');
    await goBehind(page, '"a", ');
    await page.keyboard.press("Control+Space");
    await expect(options(page).first()).toContainText("image");
    await expect(options(page).filter({ hasText: /^name/ })).toHaveCount(0);
    await page.keyboard.type('"imagePull');
    await expect(options(page).first()).toContainText("imagePullPolicy");
    await expect(options(page).first()).toContainText("v1.PullPolicy");
    await choose(page, "Enter");
    await expect(body(page)).toHaveText(/"a", "imagePullPolicy": ""/);
    // Its values follow.
    await expect(options(page).first()).toContainText("Always");
    await choose(page, "ArrowDown", "Enter");
    await expect(body(page)).toHaveText(/"imagePullPolicy": "IfNotPresent"/);
  });

  test("names are completed in YAML, by how far they are indented", async ({ page }) => {
    await open(page);
    await compose(page, PODS, "metadata:\n  name: p\nspec:\n  containers:\n  - name: a\n    image: b\n    x: y\n", "YAML");
    await goBehind(page, "name: a");
    await page.keyboard.press("Enter");
    await page.keyboard.type("po");
    await expect(options(page).first()).toContainText("ports");
    await choose(page, "Enter");
    await expect(request(page).locator(".cm-line", { hasText: "ports:" })).toHaveText("    ports:");
    await expect(options(page).first()).toContainText("containerPort");
    await choose(page, "Enter");
    await expect(request(page).locator(".cm-line", { hasText: "containerPort" })).toHaveText("    - containerPort: ");
    await page.keyboard.type("80");
    await expect(under(page)).toHaveText('Line 9: unknown field "spec.containers[0].x"');
  });

  test("a JSON patch is completed, and marked at its operation", async ({ page }) => {
    await open(page);
    await request(page).getByLabel("Method").selectOption("PATCH");
    await path(page).fill("/api/v1/namespaces/default");
    await request(page).getByLabel("Content-Type").selectOption("JSON patch");
    await body(page).focus();
    await expect(editor(page)).toBeVisible();
    await body(page).fill('[{"op": "add", "path": ""}]');
    await goBehind(page, '"path": "');
    await page.keyboard.type("/meta");
    await expect(options(page)).toHaveText(["/metadata"]);
    await choose(page, "Enter");
    await body(page).fill('[{"op": "add", "path": "/metadata/labels/a", "value": "-"}]');
    await expect(marked(page).first()).toHaveText('"-"');
  });
});

test("whoever points at a field is told what it is", async ({ page }) => {
  await open(page);
  await compose(page, PODS, pod({ name: "a", image: "b", imagePullPolicy: "Always" }));
  await request(page).locator(".cm-line", { hasText: "imagePullPolicy" }).hover({ position: { x: 90, y: 8 } });
  const about = request(page).locator(".about");
  await expect(about).toContainText("imagePullPolicy v1.PullPolicy");
  await expect(about).toContainText("One of Always, Never, IfNotPresent.");
  await expect(about).toContainText("Always · IfNotPresent · Never");
  await page.keyboard.press("Escape");
  await page.mouse.move(2, 2);
  await expect(about).toHaveCount(0);
  // The same without a mouse.
  await goBehind(page, '"containers');
  await page.keyboard.press("F1");
  await expect(about).toContainText("required · list, merged by name");
  await expect(about).toContainText("List of containers belonging to the pod.");
  await page.keyboard.press("Escape");
  await expect(about).toHaveCount(0);
});

test("an unknown field is marked while it is written, and nothing is sent for that", async ({ page }) => {
  await open(page);
  await filled(page);
  const sent = await resources(page).getByTitle(/^Send again/).count();
  await compose(page, CONFIGMAPS, '{\n  "metadata": {"name": "a"},\n  "dat": {}\n}');
  await expect(marked(page)).toHaveText('"dat"');
  await expect(marked(page)).toHaveClass(/warning/);
  await expect(under(page)).toHaveText('Line 3: unknown field "dat"');
  await request(page).getByRole("button", { name: "Go there" }).click();
  await expect(body(page)).toBeFocused();
  await expect(body(page)).toHaveJSProperty("selectionStart", 33);
  await body(page).fill('{\n  "metadata": {"name": "A_"}\n}');
  await expect(marked(page)).toHaveText('"A_"');
  await expect(marked(page)).toHaveClass(/error/);
  await expect(body(page)).toHaveAttribute("aria-invalid", "true");
  await expect(body(page)).toHaveAccessibleDescription(/Line 2: Invalid value/);
  await body(page).fill('{\n  "metadata": {"name": "a"}\n}');
  await expect(marked(page)).toHaveCount(0);
  await expect(under(page)).toHaveText("");
  // The engine has answered everything that was asked before this.
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill("/version");
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(tree(page)).toContainText("gitVersion");
  await drawn(page);
  await filled(page);
  await expect(resources(page).getByTitle(/^Send again/)).toHaveCount(sent + 1);
});

test("what a response minds is marked at its field, until that is changed", async ({ page }) => {
  await open(page);
  await compose(page, PODS, pod({ name: "A_", image: "b" }));
  await page.keyboard.press("Control+Enter");
  const failure = answer(page).getByRole("group", { name: "Unprocessable Entity" });
  await expect(failure).toContainText("spec.containers[0].name");
  await expect(marked(page)).toHaveText('"A_"');
  await failure.getByRole("button", { name: "Show spec.containers[0].name in the body" }).click();
  await expect(body(page)).toBeFocused();
  const text = pod({ name: "A_", image: "b" });
  await expect(body(page)).toHaveJSProperty("selectionStart", text.indexOf('"A_"'));
  await page.keyboard.type('"a"');
  await expect(marked(page)).toHaveCount(0);
  await expect(failure.getByRole("button", { name: /in the body/ })).toHaveCount(0);
});

test("what is missing is marked where it should be, in YAML too", async ({ page }) => {
  await open(page);
  await compose(page, PODS, "metadata:\n  name: p\nspec:\n  containers:\n  - name: a\n    ports:\n    - protocol: TCP\n", "YAML");
  await expect(request(page).locator(".cm-lintRange-error")).toHaveText(["name", "protocol"]);
  await expect(under(page)).toHaveText(/^1 of 2 · line 5: Required value/);
  await request(page).getByRole("button", { name: "Go there" }).click();
  await request(page).getByRole("button", { name: "Go there" }).click();
  await expect(under(page)).toHaveText(/^2 of 2 · line 7: Required value/);
  await body(page).fill("metadata:\n  name: p\n   x: [\n");
  await expect(under(page)).toHaveText(/^Line \d: /);
});

test("Tab passes by, indents once somebody writes, and leaves after Escape", async ({ page }) => {
  await open(page);
  await compose(page, CONFIGMAPS, "{}");
  await page.keyboard.press("Tab");
  await expect(body(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(body(page)).not.toBeFocused();
  const before = await body(page).textContent();
  // It is there once the body has been tried out.
  await expect(request(page).getByRole("button", { name: "Go there" })).toBeVisible();
  await request(page).getByRole("button", { name: "Go there" }).focus();
  await expect(request(page).getByRole("button", { name: "Go there" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(body(page)).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(body(page)).not.toBeFocused();
  expect(await body(page).textContent()).toBe(before);
});

test("JSON is formatted and folded", async ({ page }) => {
  await open(page);
  await compose(page, CONFIGMAPS, '{"metadata":{"name":"a","labels":{"n":"1"}}}');
  await request(page).getByRole("button", { name: "Format" }).click();
  await expect(request(page).locator(".cm-line")).toHaveCount(8);
  await request(page).getByRole("button", { name: "Fold all" }).click();
  await expect(request(page).locator(".cm-foldPlaceholder").first()).toBeVisible();
  await request(page).getByRole("button", { name: "Unfold all" }).click();
  await expect(request(page).locator(".cm-foldPlaceholder")).toHaveCount(0);
  await expect(request(page).locator(".cm-line")).toHaveCount(8);
});

test("single keys of the page are letters here", async ({ page }) => {
  await open(page);
  const keys = page.getByRole("dialog", { name: "Keys" });
  await page.keyboard.press("?");
  await expect(keys).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await compose(page, CONFIGMAPS, "");
  await page.keyboard.type("?");
  await expect(body(page)).toHaveText("?");
  await drawn(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test.describe("without the script", () => {
  test.use({ expectedErrors: [/kubeglass-editor/] });

  test("the plain text field stays", async ({ page }) => {
    await page.route("**/kubeglass-editor.js*", (route) => route.abort());
    await open(page);
    await request(page).getByLabel("Method").selectOption("POST");
    await path(page).fill(CONFIGMAPS);
    await body(page).fill('{"metadata":{"name":"Plain"}}');
    await page.keyboard.press("Control+Enter");
    await expect(answer(page).getByText("422 Unprocessable Entity")).toBeVisible();
    await expect(editor(page)).toHaveCount(0);
    await expect(body(page)).toHaveValue('{"metadata":{"name":"Plain"}}');
    await answer(page).getByRole("button", { name: "Show metadata.name in the body" }).click();
    await expect(body(page)).toBeFocused();
    await page.unroute("**/kubeglass-editor.js*");
    await body(page).blur();
    await body(page).focus();
    await expect(editor(page)).toBeVisible();
  });
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`axe finds nothing in the editor: ${colorScheme}, ${width} px`, async ({ page, axe }) => {
      test.slow();
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("./");
      // What stands there before the page is alive takes no input.
      await expect(page.locator("#start")).toHaveCount(0);
      if (width < 760) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Request" }).click();
      await compose(page, PODS, pod({ name: "A_", foo: 1 }));
      await expect(marked(page).first()).toBeVisible();
      await axe();
      await goBehind(page, '"name": "A_",');
      await page.keyboard.press("Enter");
      await page.keyboard.type('"li');
      await expect(options(page).first()).toContainText("livenessProbe");
      await axe();
      await page.keyboard.press("Escape");
      await goBehind(page, '"containers');
      await page.keyboard.press("F1");
      await expect(request(page).locator(".about")).toContainText("List of containers");
      await axe();
      const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sticksOut).toBe(false);
    });
  }
}
