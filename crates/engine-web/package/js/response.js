// Responses whose body has come whole.

/** Statuses whose responses have no body. */
const BODILESS = new Set([204, 205, 304]);
/** Node's own `Response` makes a stream of every body, which takes longer than the engine takes for a get, and nothing in Node
 * takes a `Response` but by its methods. Other platforms do (a Service Worker's `respondWith`): they get the platform's own. */
const NODE = typeof process !== "undefined" && process.release?.name === "node" && !process.versions.bun && typeof Deno === "undefined";
const decoder = new TextDecoder();

/** Makes a `Response` of what came: headers as lines of name and value in turn, a body of bytes or a stream. */
export function response({ status, headers, body }, method) {
  if (status === 101) throw new TypeError("fetch cannot switch to another protocol");
  const empty = method === "HEAD" || BODILESS.has(status);
  if (NODE && !empty && body instanceof Uint8Array) return new (Whole ??= wholeResponse())(status, headers, body);
  return new Response(empty ? null : body, { status, headers: pairs(headers) });
}

function pairs(text) {
  const found = [];
  const parts = text === "" ? [] : text.split("\n");
  for (let at = 0; at < parts.length; at += 2) found.push([parts[at], parts[at + 1]]);
  return found;
}

let Whole = null;

/** A `Response` that makes its headers and its stream when somebody asks for them. Node loads its own when it is first named. */
const wholeResponse = () => class WholeResponse extends Response {
  #lines;
  #bytes;
  #headers = null;
  #used = false;
  /** The platform's own of the same, once there is one. Then it has the body. */
  #own = null;

  constructor(status, lines, bytes) {
    super(null, { status });
    this.#lines = lines;
    this.#bytes = bytes;
  }

  get headers() {
    return (this.#headers ??= new Headers(pairs(this.#lines)));
  }

  get body() {
    return this.#whole().body;
  }

  get bodyUsed() {
    return this.#own?.bodyUsed ?? this.#used;
  }

  async json() {
    return this.#own ? this.#own.json() : JSON.parse(decoder.decode(this.#take()));
  }

  async text() {
    return this.#own ? this.#own.text() : decoder.decode(this.#take());
  }

  async bytes() {
    return this.#own ? new Uint8Array(await this.#own.arrayBuffer()) : this.#take();
  }

  async arrayBuffer() {
    const { buffer, byteOffset, byteLength } = await this.bytes();
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  }

  async blob() {
    return this.#whole().blob();
  }

  async formData() {
    return this.#whole().formData();
  }

  clone() {
    return this.#whole().clone();
  }

  /** Makes the platform's own. One whose body has been taken has one that was read. */
  #whole() {
    if (!this.#own) {
      this.#own = new Response(this.#bytes, { status: this.status, headers: this.headers });
      if (this.#used) this.#own.body.cancel();
    }
    return this.#own;
  }

  #take() {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = true;
    return this.#bytes;
  }
};
