import { expect, test } from "./fixtures.mjs";
import { answer, open, path, preset, request, timeline } from "./page.mjs";

const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

const tryIt = (page) => request(page).getByRole("button", { name: "Try it on a request" });
const body = (page) => request(page).getByRole("textbox", { name: "Body" });
const trial = (page) => answer(page).getByRole("group", { name: "Policy on trial" });
const verdict = (page) => trial(page).locator(".verdict");
const row = (page, text) => trial(page).getByRole("row").filter({ hasText: text });

/** Puts a policy into the form. */
async function write(page, at, policy) {
  await request(page).getByLabel("Method").selectOption("POST");
  await path(page).fill(at);
  await page.keyboard.press("Escape");
  await body(page).fill(JSON.stringify(policy, null, 2));
}

function policy(spec, operations = ["CREATE"]) {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations, resources: ["configmaps"] };
  return { metadata: { name: "p" }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } };
}

test("a policy is tried on a request before it is stored", async ({ page, axe }) => {
  test.slow();
  await open(page);
  await expect(tryIt(page)).toBeHidden();
  await request(page).getByRole("button", { name: "More…" }).click();
  await page.locator("#more-presets").getByRole("button", { name: /^Try a policy/ }).click();
  await tryIt(page).click();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "denied");
  await trial(page).getByText("Edit the request").click();
  const example = trial(page).getByRole("textbox", { name: "Its first line" });
  await expect(example).toHaveValue(/^POST \/apis\/apps\/v1\/namespaces\/default\/deployments\n/);
  await expect(row(page, "matchConditions[0] not-the-system")).toContainText("true");
  await expect(row(page, "variables[0] images")).toContainText('["nginx:1.29"]');
  await expect(row(page, "validations[0]")).toContainText("true");
  await expect(row(page, "validations[2]")).toContainText("example needs a label that says whose it is: team");
  await expect(row(page, "auditAnnotations[0] images")).toContainText('"nginx:1.29"');
  await axe({ include: "#answer" });
  // What is changed is tried again, whether it is the request or the policy.
  await example.fill((await example.inputValue()).replace('"app": "example"', '"team": "a"'));
  await expect(verdict(page)).toHaveAttribute("data-verdict", "passed");
  await body(page).fill((await body(page).inputValue()).replace("replicas <= 5", "replicas <= 0"));
  await expect(verdict(page)).toHaveAttribute("data-verdict", "denied");
  await expect(row(page, "validations[0]")).toContainText("failed expression: object.spec.replicas <= 0");
  // Nothing of it is there.
  await request(page).getByLabel("Method").selectOption("GET");
  await path(page).fill(POLICIES);
  await page.keyboard.press("Enter");
  await expect(answer(page).getByText("200 OK")).toBeVisible();
  await expect(answer(page).getByText("careful-deployments")).toHaveCount(0);
});

test("a request of the history meets the cluster as it was", async ({ page }) => {
  await open(page);
  await preset(page, "Create");
  await expect(answer(page).getByText("201 Created")).toBeVisible();
  await write(page, POLICIES, policy({ validations: [{ expression: "false", message: "not now" }] }));
  await tryIt(page).click();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "denied");
  const sent = trial(page).getByRole("combobox", { name: "Request" });
  await sent.selectOption({ label: `POST ${CONFIGMAPS} · 201` });
  await expect(verdict(page)).toContainText("The policy denies this request: 422");
  await expect(trial(page)).toContainText("not now");
  await expect(trial(page).getByText("Edit the request")).toBeHidden();
  await sent.selectOption(await sent.locator("option", { hasText: /^PUT / }).first().getAttribute("value"));
  await expect(verdict(page)).toHaveAttribute("data-verdict", "unmatched");
  await expect(trial(page)).toContainText('resourceRules[0].operations does not name what the request has: "UPDATE"');
});

test("a mutating policy shows what it changes, and what is no policy is refused", async ({ page }) => {
  await open(page);
  const expression = "[JSONPatch{op: 'add', path: '/metadata/labels/env', value: 'test'}]";
  const mutation = { patchType: "JSONPatch", jsonPatch: { expression } };
  const mutates = policy({ reinvocationPolicy: "Never", mutations: [mutation] });
  await write(page, MUTATING, mutates);
  await tryIt(page).click();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "changed");
  await expect(row(page, "mutations[0]")).toContainText("done");
  await expect(row(page, ".metadata.labels.env")).toContainText("Added");
  await body(page).fill(JSON.stringify(policy({ reinvocationPolicy: "Never", mutations: [{ ...mutation, jsonPatch: { expression: "[" } }] })));
  await expect(verdict(page)).toContainText("The policy itself is refused: 422");
  await expect(answer(page).getByText("spec.mutations[0].jsonPatch.expression").first()).toBeVisible();
});

test("parameters and bindings are chosen", async ({ page }) => {
  await open(page);
  await write(page, POLICIES, policy({
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "has(params.data)", message: "nothing in it" }],
  }));
  await tryIt(page).click();
  const params = trial(page).getByRole("combobox", { name: "Parameters" });
  await params.selectOption("default/settings");
  await expect(verdict(page)).toHaveAttribute("data-verdict", "passed");
  await params.selectOption("none");
  await expect(verdict(page)).toHaveAttribute("data-verdict", "denied");
  await trial(page).getByRole("combobox", { name: "Binding" }).selectOption("written by hand");
  const binding = trial(page).getByRole("textbox", { name: "The binding" });
  await expect(binding).toHaveValue(/"policyName": "p"/);
  await binding.fill(JSON.stringify({ policyName: "p", validationActions: ["Audit"] }));
  await expect(verdict(page)).toHaveAttribute("data-verdict", "noted");
  await expect(timeline(page)).toBeVisible();
});
