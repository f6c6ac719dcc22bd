// What `@kubernetes/client-node` needs to have a cluster instead of a connection.

/** Its HTTP library over a cluster. */
export function httpLibrary(cluster, k8s) {
  const send = async (request) => {
    const response = await cluster.fetch(request.getUrl(), {
      method: request.getHttpMethod(),
      headers: request.getHeaders(),
      body: request.getBody() ?? undefined,
      signal: request.getSignal?.() ?? undefined,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const body = { text: async () => bytes.toString("utf8"), binary: async () => bytes };
    return new k8s.ResponseContext(response.status, Object.fromEntries(response.headers), body);
  };
  return k8s.wrapHttpLibrary({ send });
}

/** Its watch over a cluster. */
export class Watch {
  #cluster;

  constructor(cluster) {
    this.#cluster = cluster;
  }

  async watch(path, queryParams, callback, done) {
    const given = new AbortController();
    const query = new URLSearchParams({ watch: "true" });
    for (const [name, value] of Object.entries(queryParams ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    let over = false;
    const end = (error) => {
      if (over) return;
      over = true;
      given.abort();
      done(error ?? null);
    };
    // Whoever watches hears by `done` that there is no connection, as by the client's own watch.
    const response = await this.#cluster.fetch(`${path}?${query}`, { signal: given.signal }).catch(end);
    if (!response) return given;
    if (!response.ok) {
      const status = await response.json().catch(() => ({}));
      end(Object.assign(new Error(status.message ?? `the API server responds with ${response.status}`), { statusCode: response.status }));
      return given;
    }
    this.#read(response.body, callback).then(() => end(), end);
    return given;
  }

  async #read(body, callback) {
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") continue;
        const event = JSON.parse(line);
        callback(event.type, event.object, event);
      }
    }
  }
}
