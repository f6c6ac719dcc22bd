// The npm package: packed, installed in a folder of its own, and used from there. The folder that is packed is
// `target/package`, or what PACKAGE names.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const source = process.env.PACKAGE ?? fileURLToPath(new URL("../../target/package", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "kubeglass-package-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const npm = (...args) => execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd: folder, encoding: "utf8" });
writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
npm("pack", source, "--silent");
const [archive] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
npm("install", `./${archive}`, "--silent");
const installed = join(folder, "node_modules/@kubeglass/engine");
const from = (name) => import(pathToFileURL(join(installed, name)));
const { Cluster, LoadError } = await from("index.js");
const { listen } = await from("node.js");
const { Watch } = await from("client-node.js");

const MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_TYPE = { "Content-Type": "application/json" };
const map = (name, data) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const create = (cluster, name) => cluster.fetch(MAPS, { method: "POST", headers: JSON_TYPE, body: map(name) });

/** A Deployment that runs Pods of one container. */
const deployment = (name, replicas) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: nginx}]}
`;

/** Moves the clock on until what stands at a path is as it is to be; returns that. */
async function eventually(cluster, path, isSo) {
  for (let second = 0; second < 60; second++) {
    const body = await (await cluster.fetch(path)).json();
    if (isSo(body)) return body;
    await cluster.clock.advance(1000);
  }
  assert.fail(`${path} is never as it is to be`);
}

test("the archive has what it should have, and depends on nothing", () => {
  const description = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.equal(description.dependencies, undefined);
  for (const { default: file, types } of Object.values(description.exports)) {
    for (const name of [file, types]) assert.ok(readFileSync(join(installed, name)).length > 0, name);
  }
  for (const name of ["README.md", "LICENSE", "engine_bg.wasm", "worker.js"]) assert.ok(readFileSync(join(installed, name)).length > 0);
});

for (const worker of [false, true]) {
  describe(worker ? "in a worker" : "in this thread", () => {
    const inCluster = (about, check) =>
      test(about, { timeout: 60_000 }, async () => {
        const cluster = await Cluster.start({ worker, now: 1_800_000_000_000, seed: 1 });
        try {
          await check(cluster);
        } finally {
          await cluster.stop();
        }
      });

    inCluster("a response does what the platform's own does", async (cluster) => {
      const text = await (await cluster.fetch("/version")).text();
      const bytes = (response) => response.arrayBuffer().then((buffer) => Buffer.from(buffer).toString());
      const streamed = async (response) => {
        const parts = [];
        for await (const part of response.body) parts.push(part);
        return Buffer.concat(parts).toString();
      };
      const ways = [
        (response) => response.text(),
        async (response) => JSON.stringify(await response.json(), null, 2),
        bytes,
        streamed,
        async (response) => (await response.blob()).text(),
        (response) => response.clone().text(),
        (response) => new Response(response.body, response).text(),
      ];
      for (const [number, way] of ways.entries()) {
        const given = await cluster.fetch("/version");
        const own = new Response(text, { status: given.status, headers: given.headers });
        assert.ok(given instanceof Response && given.ok && !given.bodyUsed);
        assert.equal(given.headers.get("Content-Type"), "application/json");
        assert.equal(await way(given), await way(own), `way ${number}`);
        assert.equal(given.bodyUsed, own.bodyUsed, `way ${number}`);
        const again = (response) => Promise.resolve(response).then((r) => r.text()).catch((error) => error.constructor);
        assert.equal(await again(given), await again(own), `way ${number}`);
        if (own.bodyUsed) assert.throws(() => given.clone(), TypeError);
        assert.equal(given.bodyUsed, own.bodyUsed);
      }
    });

    inCluster("fetch takes what fetch takes", async (cluster) => {
      const inputs = [
        [MAPS, { method: "POST", headers: JSON_TYPE, body: map("a") }, 201],
        [new URL(`https://anywhere.example${MAPS}`), { method: "post", headers: [["content-type", "application/json"]], body: new TextEncoder().encode(map("b")) }, 201],
        [new Request(`http://localhost${MAPS}`, { method: "POST", headers: JSON_TYPE, body: map("c") }), undefined, 201],
        [MAPS, { method: "POST", headers: new Headers(JSON_TYPE), body: new Blob([map("a")]) }, 409],
        [`${MAPS}/a`, { method: "HEAD" }, 405],
        [`${MAPS}?labelSelector=a in (b)`, undefined, 200],
        ["/nowhere", {}, 404],
      ];
      for (const [input, init, code] of inputs) assert.equal((await cluster.fetch(input, init)).status, code, String(input));
      const response = await cluster.fetch(`${MAPS}/a`, { headers: { Accept: "application/yaml" } });
      assert.ok(response instanceof Response);
      assert.equal(response.headers.get("content-type"), "application/yaml");
      assert.match(await response.text(), /name: a/);
    });

    inCluster("what is wrong rejects, and harms nothing", async (cluster) => {
      const aborted = AbortSignal.abort();
      const rejected = [
        [() => cluster.fetch("http://[", {}), TypeError],
        [() => cluster.fetch(MAPS, { method: "GET", body: "x" }), TypeError],
        [() => cluster.fetch(MAPS, { headers: { "a\nb": "c" } }), TypeError],
        [() => cluster.fetch(MAPS, { signal: aborted }), { name: "AbortError" }],
        [() => cluster.command({ format: {} }), TypeError],
        [() => cluster.command(undefined), TypeError],
        [() => cluster.command({ clearFaults: { server: 9 } }), /no such API server/],
        [() => cluster.clock.advance(-1), TypeError],
        [() => cluster.fork(-1), TypeError],
        [() => cluster.fork(1), /not kept/],
        [() => cluster.toJson("a: ["), /yaml: line 1/],
      ];
      for (const [call, expected] of rejected) await assert.rejects(async () => call(), expected, String(call));
      assert.equal((await cluster.fetch("/livez")).status, 200);
    });

    inCluster("a watch is a stream that can be aborted and cancelled", async (cluster) => {
      const given = new AbortController();
      const { body } = await cluster.fetch(`${MAPS}?watch=true`, { signal: given.signal });
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      await create(cluster, "a");
      assert.match((await reader.read()).value, /^\{"type":"ADDED".*"name":"a"/);
      const next = reader.read();
      given.abort();
      await assert.rejects(next, { name: "AbortError" });
      const second = await cluster.fetch(`${MAPS}?watch=true`);
      await second.body.cancel();
    });

    inCluster("a watch that is read late gets all its events, in order", async (cluster) => {
      const { body } = await cluster.fetch(`${MAPS}?watch=true`);
      for (let number = 0; number < 1000; number++) await (await create(cluster, `m${number}`)).body.cancel();
      const names = [];
      let rest = "";
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        names.push(...lines.map((line) => JSON.parse(line).object.metadata.name));
        if (names.length >= 1000) break;
      }
      assert.deepEqual(names, Array.from({ length: 1000 }, (_, number) => `m${number}`));
    });

    inCluster("the trace tells what happens", async (cluster) => {
      const told = [];
      const reading = (async () => {
        for await (const event of cluster.trace()) {
          told.push(event);
          if (event.request?.code === 409) return;
        }
      })();
      for (const name of ["a", "a"]) await create(cluster, name);
      await reading;
      assert.ok(told[0].state.objects.length > 0);
      const write = told.findIndex((event) => event.write?.key.name === "a");
      const request = told.findIndex((event) => event.request?.code === 201);
      assert.ok(write > 0 && write < request);
      assert.equal(told[write].write.object.json.metadata.name, "a");
      for await (const event of cluster.trace()) {
        assert.ok(event.state);
        break;
      }
    });

    inCluster("a watch for the JavaScript client tells by done how it ends", async (cluster) => {
      const watch = (path, onEvent = () => {}) =>
        new Promise((resolve) => new Watch(cluster).watch(path, {}, onEvent, resolve));
      await cluster.command({ fail: { server: 0, count: 1, fault: "cut" } });
      assert.ok((await watch(MAPS)) instanceof TypeError);
      assert.equal((await watch("/api/v1/nothing")).statusCode, 404);
      const ended = watch(MAPS, () => cluster.command({ dropWatches: { server: 0 } }));
      await create(cluster, "a");
      assert.equal(await ended, null);
    });

    inCluster("forks, time and faults", async (cluster) => {
      await create(cluster, "a");
      const fork = await cluster.fork();
      assert.equal((await fork.fetch(`${MAPS}/a`, { method: "DELETE" })).status, 200);
      assert.equal((await cluster.fetch(`${MAPS}/a`)).status, 200);
      await fork.stop();
      await assert.rejects(fork.fetch(MAPS), TypeError);
      const before = await cluster.clock.now();
      await cluster.clock.advance(3_600_000);
      assert.ok((await cluster.clock.now()) >= before + 3_600_000);
      await cluster.command({ fail: { server: 0, count: 1, fault: "cut" } });
      await assert.rejects(cluster.fetch(MAPS), TypeError);
      await cluster.command({ fail: { server: 0, count: 1, fault: "tooManyRequests" } });
      assert.equal((await cluster.fetch(MAPS)).status, 429);
    });

    test("a function stands in for all webhooks", { timeout: 60_000 }, async () => {
      const asked = [];
      const webhook = async (request) => {
        const { apiVersion, kind, request: review } = await request.json();
        asked.push(`${request.method} ${request.url} ${review.operation} ${review.name}`);
        if (review.name === "broken") throw new Error("EOF");
        const allowed = review.name !== "no";
        return Response.json({ apiVersion, kind, response: { uid: review.uid, allowed, status: { message: "it is called no" } } });
      };
      const configuration = JSON.stringify({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "maps" },
        webhooks: [
          {
            name: "maps.example.com",
            clientConfig: { url: "https://maps.example.com/check" },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      const told = async (cluster, name) => {
        const response = await create(cluster, name);
        const { message } = await response.json();
        return message ?? response.status;
      };
      const failed = (why) =>
        "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: " +
        `Post "https://maps.example.com/check?timeout=10s": ${why}`;
      for (const [options, expected] of [
        [{ webhook }, [201, 'admission webhook "maps.example.com" denied the request: it is called no', failed("EOF")]],
        [{}, Array(3).fill(failed("dial tcp: lookup maps.example.com: no such host"))],
      ]) {
        const cluster = await Cluster.start({ worker, seed: 1, ...options });
        try {
          assert.equal((await cluster.load(configuration))[0].code, 201);
          for (const [at, name] of ["yes", "no", "broken"].entries()) assert.equal(await told(cluster, name), expected[at]);
        } finally {
          await cluster.stop();
        }
      }
      const url = "POST https://maps.example.com/check?timeout=10s CREATE";
      assert.deepEqual(asked, ["yes", "no", "broken"].map((name) => `${url} ${name}`));
    });

    inCluster("manifests are applied in order", async (cluster) => {
      const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cats.example.com}
spec:
  group: example.com
  names: {kind: Cat, plural: cats, singular: cat, listKind: CatList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
# nothing but this
---
apiVersion: example.com/v1
kind: Cat
metadata: {name: tom}
--- # and a list
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: v1, kind: ConfigMap, metadata: {generateName: b-}}
`;
      const done = await cluster.load(crd);
      assert.deepEqual(done.map(({ document, code, object }) => [document, code, object.kind]), [
        [0, 201, "CustomResourceDefinition"],
        [1, 201, "Cat"],
        [2, 201, "ConfigMap"],
        [2, 201, "ConfigMap"],
      ]);
      assert.equal((await cluster.load(crd))[1].code, 200);
      for (const [yaml, document, why] of [
        [`${crd}---\nkind: Pod\napiVersion: v1\nmetadata: {name: A_}`, 3, /document 4: Pod "A_" is invalid/],
        ["kind: Dog\napiVersion: example.com/v1\nmetadata: {name: rex}", 0, /no matches for kind "Dog" in version "example.com\/v1"/],
        ["metadata: {name: x}", 0, /Object 'Kind' is missing/],
        ["a: [", 0, /yaml: line 1/],
        ["just a text", 0, /document 1/],
      ]) {
        const error = await cluster.load(yaml).then(() => assert.fail("it was applied"), (error) => error);
        assert.ok(error instanceof LoadError);
        assert.equal(error.document, document);
        assert.match(error.message, why);
      }
    });

    inCluster("controllers run a Deployment", async (cluster) => {
      const began = await cluster.controllers.start();
      assert.deepEqual([began.choice.nodes, began.choice.scheduler, began.start], [3, true, 1]);
      await cluster.load(deployment("web", 3));
      const pods = await eventually(cluster, "/api/v1/namespaces/default/pods", ({ items }) =>
        items.length === 3 && items.every(({ status }) => status.phase === "Running"),
      );
      assert.ok((await cluster.clock.now()) - 1_800_000_000_000 < 10_000, "controllers have their turns while the clock is moved on");
      const log = await cluster.fetch(`/api/v1/namespaces/default/pods/${pods.items[0].metadata.name}/log`);
      assert.equal(log.status, 200);
      const { controllers, reconciles } = await cluster.controllers.state();
      const { user, failures } = controllers.find(({ name }) => name === "deployment-controller");
      assert.deepEqual([user, failures], ["system:serviceaccount:kube-system:deployment-controller", 0]);
      const last = reconciles.at(-1).number;
      assert.deepEqual((await cluster.controllers.state(last)).reconciles.filter(({ number }) => number <= last), []);
      assert.equal((await cluster.controllers.stop()).choice, null);
    });

    inCluster("controllers that wait go step by step", async (cluster) => {
      await cluster.controllers.start({ controllers: ["deployment-controller", "replicaset-controller"], paused: true });
      await cluster.load(deployment("web", 2));
      const count = async (path) => (await (await cluster.fetch(path)).json()).items.length;
      const sets = "/apis/apps/v1/namespaces/default/replicasets";
      assert.equal(await count(sets), 0);
      const { reconciles } = await cluster.controllers.step("deployment-controller");
      assert.deepEqual([reconciles.at(-1).key, reconciles.at(-1).wrote.length > 0], ["default/web", true]);
      assert.equal(await count(sets), 1);
      await cluster.controllers.switch("replicaset-controller", { cutOff: true });
      await cluster.controllers.untilQuiet();
      assert.equal(await count("/api/v1/namespaces/default/pods"), 0);
      await cluster.controllers.switch("replicaset-controller", {});
      await cluster.controllers.resume();
      // It tries again what it could not do, after a while.
      await cluster.clock.advance(1000);
      assert.equal(await count("/api/v1/namespaces/default/pods"), 2);
      assert.equal((await cluster.controllers.pause()).choice.paused, true);
    });

    inCluster("what cannot be started is told", async (cluster) => {
      await assert.rejects(cluster.controllers.start({ controllers: ["no-such-controller"] }), /no-such-controller/);
      await assert.rejects(cluster.controllers.start({ nodes: 1e6 }), /nodes at most/);
      await assert.rejects(cluster.controllers.start({ nodes: -1 }), TypeError);
      await assert.rejects(cluster.controllers.start({ controllers: "*" }), TypeError);
      await assert.rejects(cluster.controllers.step(), Error);
      await assert.rejects(Cluster.start({ worker, controllers: { controllers: ["no-such-controller"] } }), /no-such-controller/);
      const fork = await cluster.fork();
      assert.throws(() => fork.controllers, TypeError);
    });

    inCluster("another program can use it by a socket", async (cluster) => {
      const { url, kubeconfig, close } = await listen(cluster);
      assert.equal(JSON.parse(kubeconfig).clusters[0].cluster.server, url);
      const made = await fetch(url + MAPS, { method: "POST", headers: JSON_TYPE, body: map("a") });
      assert.equal(made.status, 201);
      const given = new AbortController();
      const watching = await fetch(`${url}${MAPS}?watch=true`, { signal: given.signal });
      const reader = watching.body.pipeThrough(new TextDecoderStream()).getReader();
      assert.match((await reader.read()).value, /"ADDED"/);
      given.abort();
      const foreign = await fetch(url + MAPS, { headers: { Origin: "https://evil.example" } });
      assert.equal(foreign.status, 403);
      await close();
      assert.equal((await cluster.fetch(`${MAPS}/a`)).status, 200);
    });
  });
}

test("clusters are apart, and the same requests make the same one", async () => {
  const uids = [];
  for (const seed of [7, 7, 8]) {
    const cluster = await Cluster.start({ seed, now: 0, firstRevision: 5 });
    await cluster.clock.setRate(0);
    uids.push((await (await create(cluster, "a")).json()).metadata.uid);
    await cluster.stop();
    await assert.rejects(cluster.fetch(MAPS), /stopped/);
  }
  assert.equal(uids[0], uids[1]);
  assert.notEqual(uids[0], uids[2]);
  for (const options of [{ seed: -1 }, { now: "soon" }, { firstRevision: 0.5 }]) await assert.rejects(Cluster.start(options), TypeError);
});

for (const worker of [false, true]) {
  test(`a program that no longer waits ends${worker ? ", with a worker" : ""}`, () => {
    const program = `
      import { Cluster } from "@kubeglass/engine";
      const cluster = await Cluster.start({ worker: ${worker}, controllers: true });
      await cluster.fetch("${MAPS}?watch=true").then(({ body }) => body.cancel());
      console.log((await cluster.fetch("/livez")).status);
    `;
    writeFileSync(join(folder, "program.mjs"), program);
    const run = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([run.stdout, run.status], ["200\n", 0], run.stderr);
  });
}

test("what is missing is told", () => {
  const program = `
    delete globalThis.WebAssembly;
    const { Cluster } = await import("@kubeglass/engine");
    await Cluster.start().catch((error) => console.log(error.message));
  `;
  writeFileSync(join(folder, "program.mjs"), program);
  const run = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8", timeout: 30_000 });
  assert.equal(run.stdout, "@kubeglass/engine cannot run here: there is no WebAssembly\n", run.stderr);
});
