// The JavaScript client over the npm package: by its HTTP library, without a connection; and unmodified, by a socket.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';
import { Cluster } from '@kubeglass/engine';
import { Watch, httpLibrary } from '@kubeglass/engine/client-node';
import { listen } from '@kubeglass/engine/node';

const namespace = 'default';
const cluster = await Cluster.start();
const api = (Api) => {
  const baseServer = new k8s.ServerConfiguration('http://kubeglass', {});
  return new Api(k8s.createConfiguration({ baseServer, httpApi: httpLibrary(cluster, k8s) }));
};
const core = api(k8s.CoreV1Api);
const objects = api(k8s.CustomObjectsApi);
let passed = 0;

async function scenario(name, run) {
  await run().catch((error) => {
    console.log(`FAILED ${name}: ${String(error?.stack ?? error).slice(0, 900)}`);
    console.log(`${passed} passed, 1 failed`);
    process.exit(1);
  });
  passed += 1;
}

const map = (name, data) => ({ metadata: { name }, data });

await scenario('create, list, patch, apply, delete', async () => {
  await core.createNamespacedConfigMap({ namespace, body: map('a', { x: '1' }) });
  await assert.rejects(core.createNamespacedConfigMap({ namespace, body: map('a') }), (error) => error.code === 409);
  const list = await core.listNamespacedConfigMap({ namespace, labelSelector: '!app' });
  assert.deepEqual(list.items.map((item) => item.metadata.name), ['a']);
  const patch = (type) => k8s.setHeaderOptions('Content-Type', type);
  const merged = await core.patchNamespacedConfigMap({ namespace, name: 'a', body: { data: { y: '2' } } }, patch('application/merge-patch+json'));
  assert.deepEqual(merged.data, { x: '1', y: '2' });
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { z: '3' } };
  const applied = await core.patchNamespacedConfigMap({ namespace, name: 'b', body, fieldManager: 'test' }, patch('application/apply-patch+yaml'));
  assert.equal(applied.metadata.managedFields[0].operation, 'Apply');
  await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'a' }), (error) => error.code === 404);
  await assert.rejects(objects.listClusterCustomObject({ group: 'a.b', version: 'v1', plural: 'cs' }), (error) => error.code === 404);
});

await scenario('watch and informer', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const seen = [];
  const given = await new Watch(cluster).watch(path, {}, (type, object) => seen.push(`${type} ${object.metadata.name}`), () => {});
  const informer = new k8s.ListWatch(path, new Watch(cluster), () => core.listNamespacedConfigMap({ namespace }));
  const added = new Promise((resolve) => informer.on('add', (object) => object.metadata.name === 'c' && resolve()));
  await informer.start();
  await core.createNamespacedConfigMap({ namespace, body: map('c') });
  await added;
  assert.deepEqual(informer.list().map((object) => object.metadata.name).sort(), ['b', 'c']);
  while (!seen.includes('ADDED c')) await new Promise((next) => setTimeout(next, 5));
  given.abort();
  await informer.stop();
});

await cluster.stop();
console.log(`${passed} passed, 0 failed`);

// Everything that is tried on a server, on a cluster of its own.
const behind = await Cluster.start();
const { url, close } = await listen(behind);
process.env.KUBEGLASS_SERVER = url;
process.on('exit', () => close());
await import('./informers.mjs');
