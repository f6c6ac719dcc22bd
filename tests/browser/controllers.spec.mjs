import { expect, test } from "./fixtures.mjs";
import { answer, open, path, request, resources, watches } from "./page.mjs";

const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "shop" } },
    template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "web", image: "nginx:1.29" }] } },
  },
};
const button = (page, name) => watches(page).getByRole("button", { name, exact: true });
const row = (page, name) => watches(page).locator(".controllers tbody").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const latest = (page) => watches(page).locator(".reconciles li");

/** Opens the tab of the controllers, and starts them. */
async function start(page) {
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  await button(page, "Start controllers").click();
  await expect(row(page, "kubelet node-3")).toBeVisible();
  await expect(row(page, "ttl-after-finished")).toHaveCount(0);
  await showAll(page);
}

/** Shows those controllers, too, that have had nothing to do. */
async function showAll(page) {
  await button(page, /^Show all \d+ controllers$/).click();
  await expect(row(page, "ttl-after-finished")).toBeVisible();
}

/** Sends a POST. */
async function create(page, target, object) {
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill(target);
  await request(page).getByRole("textbox", { name: "Body" }).fill(JSON.stringify(object));
  await request(page).getByRole("button", { name: "Send" }).click();
  await expect(answer(page).getByText("201 Created")).toBeVisible();
}

const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
const deploy = (page) => create(page, "/apis/apps/v1/namespaces/default/deployments", DEPLOYMENT);

test.beforeEach(({ page }) => open(page));

test("a Deployment makes pods that run, and each write says what led to it", async ({ page }) => {
  await start(page);
  await deploy(page);
  await expect(latest(page).filter({ hasText: "kubelet node-" }).filter({ hasText: "default/shop-" }).first()).toBeVisible();
  const set = latest(page).filter({ hasText: "replicaset" }).filter({ hasText: "wrote" }).first();
  await expect(set).toContainText("saw");
  await view(page, "Cluster").click();
  await resources(page).getByRole("button", { name: /^pods/ }).first().click();
  const pods = page.getByRole("row").filter({ hasText: "shop-" }).filter({ hasText: "Running" });
  await expect(pods).toHaveCount(2);
  await pods.first().getByRole("link").click();
  await page.getByRole("tab", { name: "History" }).click();
  const versions = page.getByRole("list", { name: "History" }).getByRole("listitem");
  await versions.last().getByRole("button").click();
  const causes = page.getByRole("list", { name: "What led to this write" }).getByRole("listitem");
  await expect(causes).toHaveText([
    /pods\/shop-\S+ created \d+ by replicaset-controller, which looked at default\/shop-\S+ because of change \d+/,
    /replicasets\/shop-\S+ created \d+ by deployment-controller, which looked at default\/shop because of change \d+/,
    /deployments\/shop created \d+ by your POST \/apis\/apps\/v1\/namespaces\/default\/deployments/,
  ]);
});

test("controllers wait, do one step, and go on until all is quiet", async ({ page, axe }) => {
  await start(page);
  await button(page, "Pause").click();
  await expect(watches(page).getByText("All controllers are paused.")).toBeVisible();
  // What they had to do before is done first: then the Deployment is what waits, and the latest are about it.
  await button(page, "Until quiet").click();
  await expect(row(page, "deployment")).not.toContainText(" now");
  await deploy(page);
  const deployment = row(page, "deployment");
  await expect(deployment).toContainText("default/shop now");
  const runs = (name) => row(page, name).locator(".figure").nth(1);
  const before = Number(await runs("deployment").innerText());
  await expect(row(page, "replicaset").getByRole("button", { name: "Step" })).toBeHidden();
  await deployment.getByRole("button", { name: "Step" }).click();
  await expect(runs("deployment")).toHaveText(String(before + 1));
  await expect(latest(page).first()).toContainText("deployment default/shop saw");
  await expect(row(page, "replicaset")).toContainText("default/shop-");
  await axe({ include: "#watches" });
  const scheduled = Number(await runs("kube-scheduler").innerText());
  await button(page, "Until quiet").click();
  await expect(latest(page).filter({ hasText: "kube-scheduler default/shop-" })).toHaveCount(2);
  await expect(runs("kube-scheduler")).not.toHaveText(String(scheduled));
  await button(page, "Resume").click();
  await expect(button(page, "Pause")).toBeVisible();
});

test("a controller that is cut off catches up, and who was at work is so after a reload", async ({ page }) => {
  await start(page);
  await row(page, "replicaset").getByRole("combobox").selectOption("Cut off");
  await deploy(page);
  await expect(latest(page).filter({ hasText: "deployment default/shop" }).first()).toBeVisible();
  // Others have looked at a later object by then.
  await create(page, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "later" } });
  await expect(latest(page).filter({ hasText: "serviceaccount later" }).first()).toBeVisible();
  await expect(latest(page).filter({ hasText: "replicaset default/shop" })).toHaveCount(0);
  await row(page, "replicaset").getByRole("combobox").selectOption("Running");
  await expect(latest(page).filter({ hasText: "replicaset default/shop" }).first()).toBeVisible();
  await button(page, "Pause").click();
  await expect(button(page, "Resume")).toBeVisible();
  await page.reload();
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  await expect(row(page, "deployment")).toBeVisible();
  // They are as they were.
  await button(page, "Resume").click();
  await create(page, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "again" } });
  await expect(latest(page).filter({ hasText: "serviceaccount again" }).first()).toBeVisible();
  await button(page, "Stop all").click();
  await expect(button(page, "Start controllers")).toBeVisible();
  await page.reload();
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  await expect(button(page, "Start controllers")).toBeVisible();
});

test("a scene shows step by step what controllers do", async ({ page, axe }) => {
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  const steps = watches(page).getByRole("list", { name: "Steps of the scene" }).getByRole("listitem");
  const doing = (title) => watches(page).getByRole("combobox", { name: "Scene" }).selectOption({ label: title });
  await doing("Background and foreground deletion");
  await expect(watches(page).getByText("In one the owner goes first, in the other its Pods.")).toBeVisible();
  await button(page, "Begin").click();
  // The controllers start, the scene has a namespace of its own, and its first step is taken.
  await expect(steps).toHaveCount(2);
  await expect(steps.first()).toContainText("The ownerReferences of each object say so.");
  await expect(page.getByRole("combobox", { name: "Namespace", exact: true })).toHaveValue("deletion");
  await expect(latest(page).filter({ hasText: "replicaset deletion/back-" }).first()).toBeVisible();
  await expect(steps.last()).toContainText("DELETE /apis/apps/v1/namespaces/deletion/deployments/back");
  await axe({ include: "#watches" });
  await button(page, "Next step").click();
  await expect(steps).toHaveCount(3);
  await expect(latest(page).filter({ hasText: "garbage-collector" }).filter({ hasText: "wrote" }).first()).toBeVisible();
  await button(page, "Next step").click();
  await expect(button(page, "Next step")).toBeHidden();
  await expect(steps.last()).toContainText("and the Deployment last.");
  // Another one has another namespace, and so has the same one once more. That of the one before is deleted.
  await button(page, "Begin anew").click();
  await expect(page.getByRole("combobox", { name: "Namespace", exact: true })).toHaveValue("deletion-2");
  await expect(steps).toHaveCount(2);
  await doing("A namespace that cannot end");
  await expect(steps).toHaveCount(0);
  await button(page, "Begin").click();
  await expect(steps).toHaveCount(2);
  await expect(latest(page).filter({ hasText: "namespace deletion-2" }).first()).toBeVisible();
});

test("objects stand below their owners, and it shows what comes and goes", async ({ page, axe }) => {
  await watches(page).getByRole("tab", { name: "Controllers" }).click();
  await page.getByRole("tab", { name: "Owners", exact: true }).click();
  const owners = page.getByRole("region", { name: "Objects, each below its owner" });
  const items = owners.getByRole("listitem");
  await watches(page).getByRole("combobox", { name: "Scene" }).selectOption({ label: "A StatefulSet that loses a Pod" });
  await button(page, "Begin").click();
  await expect(items.filter({ hasText: "statefulsets/db" })).toContainText("3/3 ready");
  const pod = items.filter({ hasText: "pods/db-1" });
  await expect(pod).toContainText(/Running on node-\d/);
  await expect(items.filter({ hasText: "pods/db-" })).toHaveCount(3);
  await axe({ include: ".detail" });
  await button(page, "Next step").click();
  // Another one of its name has come.
  await expect(pod.filter({ hasText: "Running" })).toBeVisible();
  await button(page, "Next step").click();
  await expect(items.filter({ hasText: "statefulsets/db" })).toContainText("1/1 ready");
  await items.filter({ hasText: "pods/db-0" }).getByRole("link").click();
  await expect(page.getByRole("heading", { name: /db-0/ })).toBeVisible();
});

test("a Pod's page shows what its containers write", async ({ page, axe }) => {
  await start(page);
  const behaviour = "web: log begins; web: log goes on after 1s every 1s; side: exit 1 after 1s; side: log out of luck";
  const containers = ["web", "side"].map((name) => ({ name, image: "nginx:1.29" }));
  await create(page, "/api/v1/namespaces/default/pods", {
    metadata: { name: "talk", annotations: { "kubeglass.dev/behaviour": behaviour } },
    spec: { containers },
  });
  await page.goto("./?view=cluster&path=/api/v1/namespaces/default/pods/talk");
  const log = page.getByRole("tabpanel", { name: "Log" });
  await page.getByRole("tab", { name: "Log" }).click();
  await expect(log).toContainText("begins");
  // It goes on by itself.
  await expect(log.locator("pre")).toContainText(/goes on\s+goes on/);
  await axe();
  await log.getByLabel("Timestamps").check();
  await expect(log.locator("pre")).toContainText(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000000Z begins/);
  await log.getByLabel("Container").selectOption("side");
  await log.getByLabel("Previous").check();
  await expect(log.locator("pre")).toContainText("out of luck");
  await log.getByRole("button", { name: "Open as request" }).click();
  await expect(path(page)).toHaveValue(/pods\/talk\/log/);
  // A log that is followed grows in the response.
  await path(page).fill("/api/v1/namespaces/default/pods/talk/log?container=web&follow=true&sinceSeconds=1");
  await request(page).getByRole("button", { name: "Send", exact: true }).click();
  await expect(answer(page)).toContainText(/goes on\s+goes on\s+goes on\s+goes on/);
});

test("commands run in a Pod's containers", async ({ page, axe }) => {
  await start(page);
  await create(page, "/api/v1/namespaces/default/configmaps", { metadata: { name: "conf" }, data: { color: "blue" } });
  await create(page, "/api/v1/namespaces/default/pods", {
    metadata: { name: "shell" },
    spec: {
      containers: [
        { name: "web", image: "nginx:1.29", volumeMounts: [{ name: "v", mountPath: "/etc/conf" }] },
        { name: "side", image: "nginx:1.29" },
      ],
      volumes: [{ name: "v", configMap: { name: "conf" } }],
    },
  });
  await page.goto("./?view=cluster&path=/api/v1/namespaces/default/pods/shell");
  await page.getByRole("tab", { name: "Exec" }).click();
  const panel = page.getByRole("tabpanel", { name: "Exec" });
  const screen = panel.getByRole("log", { name: "Output" });
  const line = panel.getByRole("textbox", { name: "Command" });
  const run = async (text) => {
    await line.fill(text);
    await expect(panel.getByRole("button", { name: "Run", exact: true })).toBeEnabled();
    await line.press("Enter");
  };
  // The Pod needs a moment to run.
  await expect(async () => {
    await run("cat /etc/conf/color");
    await expect(screen).toContainText("blue", { timeout: 1000 });
  }).toPass();
  await run("echo trouble >&2; exit 3");
  await expect(screen).toContainText("trouble");
  await expect(screen).toContainText("exit code 3");
  await panel.getByLabel("Container").selectOption("side");
  await run("ls /etc/conf");
  await expect(screen).toContainText("ls: /etc/conf: No such file or directory");
  await expect(line).toBeFocused();
  await axe();
});
