// A file server for dist/, as plain as the ones that the page will live on: `node serve-dist.mjs PORT [--gzip]`.
import { createReadStream, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const types = {
  ".css": "text/css; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
if (!existsSync(join(dist, "index.html"))) {
  console.error("There is no page in dist: `cargo xtask build` builds it.");
  process.exit(1);
}

const compressed = new Map();

/** The file, compressed. That takes its time once, not at each request: servers of files have them so. */
function gzipped(file) {
  if (!compressed.has(file)) compressed.set(file, gzipSync(readFileSync(file), { level: 9 }));
  return compressed.get(file);
}

if (process.argv[3] === "--gzip") {
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true });
  entries.filter((entry) => entry.isFile()).forEach((entry) => gzipped(join(entry.parentPath, entry.name)));
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const file = normalize(join(dist, pathname.endsWith("/") ? `${pathname}index.html` : pathname));
  if (!file.startsWith(dist + sep) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n");
    return;
  }
  // Scripts of modules are loaded by other origins with CORS.
  if (pathname === "/kubeglass.js") response.setHeader("Access-Control-Allow-Origin", "*");
  if (process.argv[3] === "--gzip") {
    const bytes = gzipped(file);
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": bytes.length, "Content-Type": type }).end(bytes);
    return;
  }
  response.writeHead(200, {
    "Cache-Control": "no-store",
    "Content-Length": statSync(file).size,
    "Content-Type": types[extname(file)] ?? "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
  });
  createReadStream(file).pipe(response);
});

server.listen(Number(process.argv[2]), "127.0.0.1");
