// A client that is generated from the cluster's own OpenAPI documents, over the npm package's `fetch`.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { buildSync } from 'esbuild';
import { Cluster } from '@kubeglass/engine';

const cluster = await Cluster.start();
const folder = await mkdtemp('./generated-');
let passed = 0;

async function scenario(name, run) {
  await run().catch((error) => {
    console.log(`FAILED ${name}: ${String(error?.stack ?? error).slice(0, 900)}`);
    console.log(`${passed} passed, 1 failed`);
    process.exit(1);
  });
  passed += 1;
}

/** Generates the client of a group's version. */
async function generated(group) {
  const document = await (await cluster.fetch(`/openapi/v3/${group}`)).json();
  const name = group.replaceAll('/', '-');
  await writeFile(`${folder}/${name}.json`, JSON.stringify(document));
  await createClient({ input: `${folder}/${name}.json`, output: `${folder}/${name}`, logs: { level: 'silent' }, plugins: ['@hey-api/client-fetch', '@hey-api/sdk'] });
  const outfile = `${folder}/${name}.mjs`;
  buildSync({ stdin: { contents: `export * from './${name}/sdk.gen'; export { client } from './${name}/client.gen';`, resolveDir: folder, loader: 'ts' }, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
  const module = await import(pathToFileURL(outfile));
  module.client.setConfig({ baseUrl: 'http://kubeglass', fetch: (request) => cluster.fetch(request) });
  // The document says that a body may be of any media type, and the generator takes that for one.
  module.client.interceptors.request.use((request) => {
    if (request.headers.get('Content-Type') === '*/*') request.headers.set('Content-Type', 'application/json');
    return request;
  });
  return module;
}

const [core, apps] = [await generated('api/v1'), await generated('apis/apps/v1')];
const path = { namespace: 'default' };
const map = (name, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

await scenario('create, read, list, patch, delete', async () => {
  const created = await core.createCoreV1NamespacedConfigMap({ path, body: map('a', { x: '1' }) });
  assert.equal(created.response.status, 201);
  const again = await core.createCoreV1NamespacedConfigMap({ path, body: map('a') });
  assert.equal(again.error.reason, 'AlreadyExists');
  const patched = await core.patchCoreV1NamespacedConfigMap({
    path: { ...path, name: 'a' },
    body: { data: { y: '2' } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  assert.deepEqual(patched.data.data, { x: '1', y: '2' });
  const { data: list } = await core.listCoreV1NamespacedConfigMap({ path, query: { labelSelector: '!app' } });
  assert.deepEqual(list.items.map((item) => item.metadata.name), ['a']);
  await core.deleteCoreV1NamespacedConfigMap({ path: { ...path, name: 'a' } });
  const { error, response } = await core.readCoreV1NamespacedConfigMap({ path: { ...path, name: 'a' } });
  assert.equal(response.status, 404);
  assert.equal(error.reason, 'NotFound');
});

await scenario('an update of what somebody has changed first is a conflict', async () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } };
  const { data: first } = await apps.createAppsV1NamespacedDeployment({ path, body });
  assert.equal(first.spec.replicas, 1);
  const named = { ...path, name: 'web' };
  const scaled = await apps.replaceAppsV1NamespacedDeployment({ path: named, body: { ...first, spec: { ...first.spec, replicas: 2 } } });
  assert.equal(scaled.data.metadata.generation, 2);
  const late = await apps.replaceAppsV1NamespacedDeployment({ path: named, body: { ...first, spec: { ...first.spec, replicas: 3 } } });
  assert.equal(late.response.status, 409);
});

await scenario('a watch', async () => {
  const stop = new AbortController();
  const { data: body } = await core.listCoreV1NamespacedConfigMap({ path, query: { watch: true }, parseAs: 'stream', signal: stop.signal });
  await core.createCoreV1NamespacedConfigMap({ path, body: map('b') });
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('\n')) break;
  }
  const event = JSON.parse(text.split('\n')[0]);
  assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', 'b']);
  stop.abort();
});

await cluster.stop();
await rm(folder, { recursive: true });
console.log(`${passed} passed, 0 failed`);
