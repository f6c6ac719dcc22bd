// The official JavaScript client: typed calls, patches, watches, informers.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const server = process.env.KUBEGLASS_SERVER ?? 'http://127.0.0.1:8001';
const config = new k8s.KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'k', server, skipTLSVerify: true }],
  users: [{ name: 'u' }],
  contexts: [{ name: 'c', cluster: 'k', user: 'u' }],
  currentContext: 'c',
});
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const namespace = 'javascript';
let passed = 0;
let failed = 0;

async function scenario(name, run) {
  try {
    await run();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${String(error?.stack ?? error).slice(0, 900)}`);
  }
}

async function until(what, timeout = 5000) {
  for (const end = Date.now() + timeout; Date.now() < end; await new Promise((next) => setTimeout(next, 20))) {
    if (what()) return;
  }
  throw new Error(`timeout: ${what}`);
}

const named = (name, more = {}) => ({ metadata: { name, ...more } });
const status = async (call) => call.then(() => 200, (error) => error.code);

await scenario('namespace', async () => {
  const made = await core.createNamespace({ body: named(namespace) });
  assert.equal(made.status.phase, 'Active');
});
await scenario('verbs', async () => {
  const made = await core.createNamespacedConfigMap({ namespace, body: { ...named('a'), data: { k: 'v' } } });
  assert.deepEqual(made.data, { k: 'v' });
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  assert.equal(await status(core.createNamespacedConfigMap({ namespace, body: named('a') })), 409);
  assert.equal(await status(core.readNamespacedConfigMap({ namespace, name: 'none' })), 404);
  made.data.l = 'w';
  const changed = await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: made });
  assert.equal(changed.data.l, 'w');
  assert.equal(await status(core.replaceNamespacedConfigMap({ namespace, name: 'a', body: made })), 409);
  const patched = await core.patchNamespacedConfigMap({ namespace, name: 'a', body: [{ op: 'remove', path: '/data/l' }] });
  assert.deepEqual(patched.data, { k: 'v' });
  const list = await core.listNamespacedConfigMap({ namespace, limit: 1 });
  assert.equal(list.items.length, 1);
  assert.equal((await core.deleteNamespacedConfigMap({ namespace, name: 'a' })).status, 'Success');
});
await scenario('every patch', async () => {
  const options = (type) => k8s.setHeaderOptions('Content-Type', type);
  const spec = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
  await apps.createNamespacedDeployment({ namespace, body: { ...named('d'), spec } });
  const merged = await apps.patchNamespacedDeployment({ namespace, name: 'd', body: { spec: { replicas: 3 } } }, options(k8s.PatchStrategy.MergePatch));
  assert.equal(merged.spec.replicas, 3);
  const strategic = await apps.patchNamespacedDeployment({ namespace, name: 'd', body: { spec: { template: { spec: { containers: [{ name: 'e', image: 'j' }] } } } } }, options(k8s.PatchStrategy.StrategicMergePatch));
  assert.equal(strategic.spec.template.spec.containers.length, 2);
  const applied = await apps.patchNamespacedDeployment({ namespace, name: 'd', fieldManager: 'js', force: true, body: { apiVersion: 'apps/v1', kind: 'Deployment', ...named('d'), spec: { replicas: 4 } } }, options(k8s.PatchStrategy.ServerSideApply));
  assert.equal(applied.spec.replicas, 4);
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'd' });
  assert.equal(scale.spec.replicas, 4);
});
await scenario('watch', async () => {
  const seen = [];
  const request = await new k8s.Watch(config).watch(`/api/v1/namespaces/${namespace}/secrets`, { allowWatchBookmarks: true }, (type, object) => seen.push(`${type} ${object.metadata.name}`), () => {});
  await core.createNamespacedSecret({ namespace, body: { ...named('s'), stringData: { a: 'b' } } });
  await core.deleteNamespacedSecret({ namespace, name: 's' });
  await until(() => seen.includes('DELETED s'));
  assert.deepEqual(seen.filter((line) => !line.startsWith('BOOKMARK')), ['ADDED s', 'DELETED s']);
  request.abort();
});
await scenario('informer', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  await core.createNamespacedConfigMap({ namespace, body: named('before') });
  const informer = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const seen = [];
  for (const event of ['add', 'update', 'delete']) informer.on(event, (object) => seen.push(`${event} ${object.metadata.name}`));
  informer.on('error', (error) => seen.push(`error ${error}`));
  await informer.start();
  await core.createNamespacedConfigMap({ namespace, body: named('x') });
  await core.patchNamespacedConfigMap({ namespace, name: 'x', body: [{ op: 'add', path: '/data', value: { a: 'b' } }] });
  await until(() => informer.get('x', namespace)?.data?.a === 'b');
  await core.deleteNamespacedConfigMap({ namespace, name: 'x' });
  await until(() => seen.includes('delete x'));
  assert.deepEqual(seen, ['add before', 'add x', 'update x', 'delete x']);
  assert.deepEqual(informer.list(namespace).map((object) => object.metadata.name), ['before']);
  await informer.stop();
});
await scenario('objects of any kind', async () => {
  const client = k8s.KubernetesObjectApi.makeApiClient(config);
  const made = await client.create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c', namespace }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } } } });
  assert.equal(made.spec.suspend, false);
  assert.equal((await client.read({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c', namespace } })).metadata.uid, made.metadata.uid);
  assert.equal((await client.list('batch/v1', 'CronJob', namespace)).items.length, 1);
  await client.patch({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c', namespace }, spec: { suspend: true } });
  await client.delete(made);
});
await scenario('version and health', async () => {
  assert.equal((await config.makeApiClient(k8s.VersionApi).getCode()).major, '1');
  assert.equal(await new k8s.Health(config).readyz({}), true);
});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
