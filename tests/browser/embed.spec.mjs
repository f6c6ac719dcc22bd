// Examples that run in anybody's page: `kubeglass.js`, its elements, and the frame behind them.
import { createServer } from "node:http";

import { expect, test as base } from "./fixtures.mjs";

/** A page of somebody else, on an origin of its own: `host(body, headers)` resolves to its address. */
const test = base.extend({
  view: "",
  host: async ({ baseURL }, use) => {
    let page = { body: "", headers: {} };
    const files = {};
    const server = createServer(({ url }, response) => {
      const file = files[url];
      if (file !== undefined) response.writeHead(200, { "Content-Type": "text/plain" }).end(file);
      else if (url === "/") response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...page.headers }).end(page.body);
      else response.writeHead(url === "/favicon.ico" ? 204 : 404).end();
    });
    await new Promise((resolve) => server.listen(0, "localhost", resolve));
    const script = (attributes) => `<script type="module" src="${baseURL}kubeglass.js" ${attributes}></script>`;
    await use(async (body, { headers = {}, attributes = "", more = {} } = {}) => {
      page = { body: `<!doctype html><html lang="en"><head><title>Pages</title>${script(attributes)}</head><body>${body}</body></html>`, headers };
      Object.assign(files, more);
      return `http://localhost:${server.address().port}/`;
    });
    server.close();
  },
});

const CREATE = `POST /api/v1/namespaces/default/configmaps
Content-Type: application/json

{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "colours"}, "data": {"sky": "blue"}}`;
const LIST = "/api/v1/namespaces/default/configmaps";
const code = (language, text, attributes = "") => `<pre ${attributes}><code class="language-${language}">${text}</code></pre>`;
const button = (place, name) => place.getByRole("button", { name, exact: true });
const example = (page, number = 0) => page.locator("kube-http").nth(number);
const run = (page, number = 0) => button(example(page, number), "Run").click();

test("a code block runs where it stands, and nothing is loaded before", async ({ page, host, axe, baseURL }) => {
  const address = await host(`<h1>Pages</h1>${code("http", `${CREATE}\n---\n201 Created\n\n{"kind": "ConfigMap", "data": {"sky": "green"}, ...}`)}`);
  const loaded = [];
  page.on("request", (request) => request.url().startsWith(baseURL) && loaded.push(new URL(request.url()).pathname));
  await page.goto(address);
  await expect(button(example(page), "Run")).toBeVisible();
  expect(loaded).toEqual(["/kubeglass.js"]);
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await expect(example(page)).toContainText("1 difference");
  await expect(example(page).getByRole("row", { name: ".data.sky green blue" })).toBeVisible();
  await axe({ include: "kube-http" });
});

test("which blocks run is said by their language, or by a mark", async ({ page, host }) => {
  const object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shapes";
  const blocks = [
    ["runs", code("kubectl", "kubectl get configmaps")],
    ["", code("yaml", object)],
    ["runs", code("yaml", object, 'class="kubeglass"')],
    ["runs", `<div class="kubeglass"><div class="highlight">${code("console", "$ kubectl get pods")}</div></div>`],
    ["", code("http", "GET /api", 'class="no-kubeglass"')],
    ["", code("go", "package main")],
    ["runs", `<div class="language-http highlight"><pre><code>GET /api</code></pre></div>`],
    ["runs", `<pre class="language-http"><code><span class="token">GET</span> /api<br></code></pre>`],
  ];
  await page.goto(await host(blocks.map(([, block], at) => `<section id="b${at}">${block}</section>`).join("")));
  await expect(example(page)).toBeVisible();
  for (const [at, [runs]] of blocks.entries()) {
    await expect(page.locator(`#b${at} kube-http`), `block ${at}`).toHaveCount(runs ? 1 : 0);
  }
  await button(page.locator("#b2"), "Run").click();
  await expect(page.locator("#b2")).toContainText("configmap/shapes serverside-applied");
  await button(page.locator("#b7"), "Run").click();
  await expect(page.locator("#b7")).toContainText("200 OK");
});

test("whatever a page puts around a block, its text is what runs, and its toolbar is outside", async ({ page, host }) => {
  const get = "GET /api/v1/namespaces/default/configmaps";
  const lines = (number, line) => `<span>${number(1)}${line}\n</span><span>${number(2)}Accept: application/json\n</span>`;
  const numbers = (wrap) => `<td class="linenos"><pre>${wrap}1\n2</pre></td>`;
  const blocks = [
    `<div class="highlight kubeglass"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre><code>1\n2</code></pre></td><td class="lntd"><pre class="chroma"><code class="language-http">${lines(() => "", get)}</code></pre></td></tr></table></div></div>`,
    `<div class="language-http highlight"><table class="highlighttable"><tr>${numbers("<span></span>")}<td class="code"><div><pre><code>${lines(() => "", get)}</code></pre></div></td></tr></table></div>`,
    `<div class="highlight"><pre><code class="language-http">${lines((number) => `<span style="user-select:none">${number}</span>`, get)}</code></pre></div>`,
    `<div class="language-http codeBlockContainer theme-code-block"><div class="codeBlockContent"><pre class="prism-code language-http"><code><div class="token-line"><span>${get}</span><br></div><div class="token-line">Accept: application/json<br></div></code></pre><div class="buttonGroup"><button>Copy</button></div></div></div>`,
    `<pre><div class="buttons"><button>Copy</button></div><code class="language-http hljs">${get}\nAccept: application/json\n</code></pre>`,
  ];
  await page.goto(await host(blocks.map((block, at) => `<section id="b${at}">${block}</section>`).join("")));
  for (const at of blocks.keys()) {
    const toolbar = page.locator(`#b${at} > kube-http`);
    await expect(page.locator(`#b${at} kube-http`), `block ${at}`).toHaveCount(1);
    await button(toolbar, "Run").click();
    await expect(toolbar, `block ${at}`).toContainText("200 OK");
    await button(toolbar, "Edit").click();
    await expect(toolbar.getByRole("textbox")).toHaveValue(`${get}\nAccept: application/json`);
  }
});

test("a manifest that runs is no response, and one behind a table is none either", async ({ page, host }) => {
  const object = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}`;
  await page.goto(await host(`${code("kubectl", "kubectl get configmaps")}${code("yaml", object("shapes"), 'class="kubeglass"')}${code("http", `GET ${LIST}/shapes`)}${code("yaml", object("shapes"))}`));
  await run(page, 0);
  await expect(example(page, 0).locator(".outcome")).not.toContainText("difference");
  await run(page, 1);
  await expect(example(page, 1)).toContainText("configmap/shapes");
  await run(page, 2);
  await expect(example(page, 2)).toContainText("as documented");
});

test("a watch tells what examples do, and the timeline draws it", async ({ page, host }) => {
  await page.goto(await host(`<kube-watch path="${LIST}"></kube-watch>${code("http", CREATE)}<kube-http>DELETE ${LIST}/colours</kube-http><kube-timeline></kube-timeline>`));
  const watch = page.locator("kube-watch");
  await button(watch, "Watch").click();
  await expect(watch).toContainText("0 events, open");
  await run(page, 0);
  await expect(watch.getByRole("listitem")).toHaveText(/ADDEDConfigMap colours/);
  await run(page, 1);
  await expect(watch.getByRole("listitem")).toHaveCount(2);
  await watch.getByText("DELETED").click();
  await expect(watch.getByRole("listitem").nth(1)).toContainText('"sky": "blue"');
  const timeline = page.locator("kube-timeline");
  await expect(timeline.getByRole("img", { name: /^ADDED configmaps\/default\/colours at revision/ })).toBeVisible();
  await expect(timeline.getByRole("img", { name: /^DELETED of revision \d+ was sent$/ })).toBeVisible();
  await button(watch, "Stop").click();
  await expect(watch).toContainText("2 events. The watch has ended.");
});

test("a watch begins with what is there, and one of an old version says that it is over", async ({ page, host }) => {
  const old = `GET ${LIST}?watch=1&resourceVersion=1`;
  await page.goto(await host(`${code("http", CREATE)}<kube-watch path="${LIST}"></kube-watch><kube-http>${old}</kube-http>`));
  await run(page, 0);
  await button(page.locator("kube-watch"), "Watch").click();
  await expect(page.locator("kube-watch").getByRole("listitem")).toHaveText(/ADDEDConfigMap colours/);
  await run(page, 1);
  await expect(example(page, 1).getByRole("listitem")).toHaveText(/ERROR/);
  await expect(example(page, 1)).toContainText("1 event. The watch has ended.");
});

test("blocks and elements may come, go and be moved", async ({ page, host }) => {
  await page.goto(await host(`<div id="a">${code("http", CREATE)}</div><kube-http>GET ${LIST}</kube-http>`));
  await expect(page.locator("#a kube-http")).toBeVisible();
  await page.evaluate(async () => {
    const block = document.querySelector("#a pre");
    block.remove();
    await new Promise(requestAnimationFrame);
    document.querySelector("#a").append(block);
    await new Promise(requestAnimationFrame);
  });
  await expect(page.locator("#a kube-http")).toHaveCount(1);
  await page.evaluate(() => (document.querySelector("#a code").textContent = "GET /version"));
  await run(page, 0);
  await expect(example(page, 0)).toContainText("gitVersion");
  await page.evaluate(() => (document.querySelector("#a code").textContent = "GET /apis"));
  await expect(async () => {
    await run(page, 0);
    await expect(example(page, 0)).toContainText("APIGroupList", { timeout: 2_000 });
  }).toPass();
  await page.evaluate(() => document.body.append(document.createElement("kube-timeline")));
  await page.evaluate((text) => {
    const element = document.createElement("kube-http");
    element.textContent = text;
    document.body.append(element);
  }, CREATE);
  await run(page, 2);
  await expect(page.locator("kube-timeline").getByRole("img", { name: /^ADDED configmaps\/default\/colours/ })).toBeVisible();
});

test("a frame that the page removes is made anew, and so is the cluster", async ({ page, host }) => {
  await page.goto(await host(code("http", CREATE)));
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await page.evaluate(() => document.querySelector("iframe").remove());
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await expect(page.locator("iframe")).toHaveCount(1);
});

test("an example can be changed, and all begins anew", async ({ page, host }) => {
  await page.goto(await host(code("http", CREATE)));
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await button(example(page), "Edit").click();
  await page.getByRole("textbox").fill("kubectl get configmap colours -o jsonpath='{.data.sky}'");
  await page.getByRole("textbox").press("Control+Enter");
  await expect(example(page).locator(".printed")).toHaveText("blue");
  await page.getByRole("textbox").fill("hello");
  await run(page);
  await expect(example(page)).toContainText("It could not be run: It is no request");
  await button(example(page), "Original").click();
  await run(page);
  await expect(example(page)).toContainText("409 Conflict");
  await button(example(page), "Start over").click();
  await expect(example(page).locator(".outcome")).toHaveCount(0);
  await run(page);
  await expect(example(page)).toContainText("201 Created");
});

test.describe("what the browser complains about is told", () => {
  test.use({ expectedErrors: [/404|Content Security Policy|csp|ERR_FAILED|ERR_BLOCKED_BY_CSP/] });

  test("a scene that is not there", async ({ page, host }) => {
    await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`, { attributes: 'data-scene="none.yaml"' }));
    await run(page);
    await expect(example(page)).toContainText("The scene none.yaml could not be read: 404");
  });

  test("a policy that lacks the frame", async ({ page, host, baseURL }) => {
    const { origin } = new URL(baseURL);
    await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`, { headers: { "Content-Security-Policy": `default-src 'none'; script-src ${origin}` } }));
    await run(page);
    await expect(example(page)).toContainText(`it needs frame-src ${origin}`);
  });

  test("an engine that cannot be loaded, which can be tried again", async ({ page, host }) => {
    await page.route("**/engine_bg.wasm", (route) => route.abort());
    await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`));
    await run(page);
    await expect(example(page).getByRole("alert")).toContainText("It could not be run");
    await page.unroute("**/engine_bg.wasm");
    await button(example(page), "Start over").click();
    await run(page);
    await expect(example(page)).toContainText("200 OK");
  });

  test("a worker that cannot be loaded", async ({ page, host }) => {
    await page.route("**/worker.js", (route) => route.abort());
    await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`));
    await run(page);
    await expect(example(page).getByRole("alert")).toContainText("It could not be run");
  });

  test("a policy that only reports", async ({ page, host }) => {
    await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`, { headers: { "Content-Security-Policy-Report-Only": "frame-src 'none'" } }));
    await run(page);
    await expect(example(page)).toContainText("200 OK");
  });

  test("where scripts are not allowed, a frame shows examples, or a document", async ({ page, host, baseURL }) => {
    const examples = `${baseURL}#embed?${new URLSearchParams({ run: `GET ${LIST}` })}`;
    const document = `${baseURL}#embed?${new URLSearchParams({ src: "kubeglass:watches" })}`;
    const frames = `<iframe src="${examples}" width="600" height="400"></iframe><iframe src="${document}" width="1000" height="600"></iframe>`;
    await page.goto(await host(frames, { headers: { "Content-Security-Policy": `script-src 'none'; frame-src ${baseURL}` } }));
    const [first, second] = [page.frameLocator("iframe >> nth=0"), page.frameLocator("iframe >> nth=1")];
    await button(first.locator("kube-http"), "Run").click();
    await expect(first.locator("kube-http")).toContainText("200 OK");
    await button(second.locator(".learn-block").first(), "Run").click();
    await expect(second.locator(".learn-block").first()).toContainText("as documented");
    await expect(second.locator("header")).toBeHidden();
    await expect(second.getByRole("navigation", { name: "Views" })).toBeHidden();
  });
});

test("scenes are made first: a file, and an element of the page", async ({ page, host }) => {
  const map = (name) => `objects:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: ${name}, namespace: default}\n`;
  const body = `<script type="text/yaml" id="more">${map("second")}</script><kube-http scene="#more">GET ${LIST}</kube-http><kube-http>kubectl get configmaps -o name</kube-http>`;
  await page.goto(await host(body, { attributes: 'data-scene="scene.yaml"', more: { "/scene.yaml": map("first") } }));
  await run(page, 1);
  await expect(example(page, 1).locator(".printed")).toHaveText("configmap/first\nconfigmap/second\n");
});

test("a strict content security policy is enough", async ({ page, host, baseURL }) => {
  const { origin } = new URL(baseURL);
  const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin}`;
  await page.goto(await host(`<kube-http>GET ${LIST}</kube-http>`, { headers: { "Content-Security-Policy": policy } }));
  await run(page);
  await expect(example(page)).toContainText("200 OK");
});

test("no styles come in or go out", async ({ page, host }) => {
  const styles = "<style>button { background: red !important; font-size: 40px } * { letter-spacing: normal } p { color: rgb(1, 2, 3) }</style>";
  await page.goto(await host(`${styles}<p>Words</p><button>Theirs</button>${code("http", CREATE)}`));
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await expect(button(example(page), "Edit")).not.toHaveCSS("background-color", "rgb(255, 0, 0)");
  await expect(page.locator("p").first()).toHaveCSS("color", "rgb(1, 2, 3)");
  await expect(button(page, "Theirs")).toHaveCSS("font-size", "40px");
  expect(await page.evaluate(() => document.styleSheets.length)).toBe(1);
});

test("theme, language and size are those of the page, or those that are asked for", async ({ page, host }) => {
  await page.goto(await host(`<kube-http>GET /api</kube-http><kube-http theme="light" size="large" language="zh-CN">GET /api</kube-http>`));
  const ground = (number) => example(page, number).locator("section");
  await expect(ground(0)).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await page.evaluate(() => (document.body.style.backgroundColor = "#101010"));
  await expect(ground(0)).toHaveCSS("background-color", "rgb(26, 29, 34)");
  await page.evaluate(() => (document.body.style.backgroundColor = "oklch(1 0 0)"));
  await expect(ground(0)).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await expect(ground(1)).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await expect(ground(1)).toHaveCSS("font-size", "18px");
  await button(example(page, 1), "运行").click();
  await expect(example(page, 1)).toContainText("头部");
});

test("nothing that is written becomes markup", async ({ page, host }) => {
  const name = "&lt;img src=x onerror=document.title='bad'&gt;";
  await page.goto(await host(`<kube-http>GET /api/v1/namespaces/${name}/pods</kube-http><kube-http>kubectl get pods '${name}'</kube-http>`));
  await run(page, 0);
  await expect(example(page, 0).locator(".shown")).toContainText("It could not be run");
  await run(page, 1);
  await expect(example(page, 1).locator(".outcome")).toContainText("<img");
  await expect(page).toHaveTitle("Pages");
  await expect(page.locator("img")).toHaveCount(0);
});

test("a page that scripts change: its blocks run, and another page has another cluster", async ({ page, host }) => {
  await page.goto(await host(`<div id="page">${code("http", CREATE)}</div>`));
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await page.evaluate((body) => (document.getElementById("page").innerHTML = body), code("http", CREATE));
  await expect(example(page).locator(".outcome")).toHaveCount(0);
  await run(page);
  await expect(example(page)).toContainText("201 Created");
});

test("a function stands in for a webhook in somebody's page", async ({ page, host }) => {
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "maps", annotations: { "kubeglass.dev/function": "function review() { return false; }" } },
    webhooks: [
      {
        name: "maps.example.com",
        clientConfig: { url: "https://maps.example.com" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const configure = `POST ${path}\nContent-Type: application/json\n\n${JSON.stringify(configuration)}`;
  await page.goto(await host(code("http", configure) + code("http", CREATE)));
  await run(page);
  await expect(example(page)).toContainText("201 Created");
  await run(page, 1);
  await expect(example(page, 1)).toContainText("400 Bad Request");
  await expect(example(page, 1)).toContainText("denied the request without explanation");
});
