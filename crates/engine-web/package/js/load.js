// Manifests: documents in YAML, applied as `kubectl apply --server-side` does.

/** A manifest could not be applied. What came before it was, and stays. */
export class LoadError extends Error {
  constructor(message, { document, status, done }) {
    super(message);
    this.name = "LoadError";
    /** The number of the document, from 0 on. */
    this.document = document;
    /** What the API server says, if it was asked. */
    this.status = status;
    /** What came of the documents before it. */
    this.done = done;
  }
}

/** The documents of a text, as kubectl parts them. */
function documents(text) {
  return text.split(/^---(?:[ \t].*)?$/m).filter((document) => /^[^\s#]/m.test(document) || /^\s+[^\s#]/m.test(document));
}

/** Applies the documents, in order. */
export async function apply(cluster, yaml, { namespace = "default", fieldManager = "kubeglass" } = {}) {
  const kinds = new Map();
  const done = [];
  for (const [document, text] of documents(String(yaml)).entries()) {
    const fail = (why, status) => {
      throw new LoadError(`document ${document + 1}: ${why}`, { document, status, done });
    };
    let object;
    try {
      object = await cluster.toJson(text);
    } catch (error) {
      fail(error.message);
    }
    const items = Array.isArray(object?.items) && object.kind?.endsWith("List") ? object.items : [object];
    for (const item of items) {
      if (typeof item !== "object" || item === null) fail("it is not an object");
      const { apiVersion, kind, metadata } = item;
      if (!kind) fail("Object 'Kind' is missing in it");
      if (!apiVersion) fail("apiVersion not set");
      const resource = await find(cluster, kinds, apiVersion, kind);
      if (!resource) fail(`no matches for kind "${kind}" in version "${apiVersion}"`);
      const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const within = resource.namespaced ? `/namespaces/${encodeURIComponent(metadata?.namespace ?? namespace)}` : "";
      const collection = `${root}${within}/${resource.name}`;
      const response = metadata?.name
        ? await cluster.fetch(`${collection}/${encodeURIComponent(metadata.name)}?fieldManager=${encodeURIComponent(fieldManager)}&force=true`, {
            method: "PATCH",
            headers: { "Content-Type": "application/apply-patch+yaml" },
            body: JSON.stringify(item),
          })
        : await cluster.fetch(`${collection}?fieldManager=${encodeURIComponent(fieldManager)}`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(item),
          });
      const answer = await response.json();
      if (!response.ok) fail(answer.message ?? `the API server responds with ${response.status}`, answer);
      done.push({ document, code: response.status, object: answer });
    }
  }
  return done;
}

/** The resource of a kind, as discovery tells it. What has been defined by a document before is there a moment later. */
async function find(cluster, kinds, apiVersion, kind) {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const known = () => kinds.get(apiVersion)?.find((resource) => resource.kind === kind && !resource.name.includes("/"));
  if (!known()) {
    const response = await cluster.fetch(root);
    if (response.ok) kinds.set(apiVersion, (await response.json()).resources);
    else await response.body?.cancel();
  }
  return known();
}
