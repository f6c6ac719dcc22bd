// A cluster behind a socket of this machine: kubectl, and whatever else speaks HTTP, can use it.
import { createServer } from "node:http";
import { Readable } from "node:stream";

/** Listens. Gives the address, a kubeconfig, and what ends it. */
export async function listen(cluster, { port = 0, host = "127.0.0.1" } = {}) {
  const server = createServer((request, response) => {
    pass(cluster, request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.address().port}`;
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "kubeglass", cluster: { server: url } }],
    users: [{ name: "admin", user: {} }],
    contexts: [{ name: "kubeglass", context: { cluster: "kubeglass", user: "admin" } }],
    "current-context": "kubeglass",
  });
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url, kubeconfig, close };
}

async function pass(cluster, request, response) {
  // A page of another origin, or one that has its name lead here, is not to use it.
  const { host, origin } = request.headers;
  const local = (name) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(name);
  if ((host && !local(host)) || (origin && !local(origin.replace(/^https?:\/\//, "")))) {
    return response.writeHead(403, { "content-type": "text/plain" }).end("only for programs on this machine\n");
  }
  const given = new AbortController();
  response.on("close", () => given.abort());
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // The API server refuses more, whatever it is.
    if (size > 4 << 20) break;
    chunks.push(chunk);
  }
  const headers = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    // What is about this connection, and what would have to be undone here.
    if (/^(connection|host|transfer-encoding|content-length|accept-encoding|keep-alive|upgrade)$/i.test(request.rawHeaders[at])) continue;
    headers.push([request.rawHeaders[at], request.rawHeaders[at + 1]]);
  }
  let answer;
  try {
    const body = chunks.length > 0 && !["GET", "HEAD"].includes(request.method) ? Buffer.concat(chunks) : undefined;
    answer = await cluster.fetch(request.url, { method: request.method, headers, body, signal: given.signal });
  } catch {
    // The connection is cut, as the cluster was told to, or its client is gone.
    return response.destroy();
  }
  response.writeHead(answer.status, [...answer.headers].flat());
  response.flushHeaders();
  if (!answer.body) return response.end();
  const stream = Readable.fromWeb(answer.body);
  stream.on("error", () => response.destroy());
  stream.pipe(response);
}
