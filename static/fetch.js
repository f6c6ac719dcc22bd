// Fetches the text of a document, without anybody's cookies; packs a text for a link, and unpacks it. It is a worker, for the page's
// own policy lets it talk to its server alone.
const read = async (stream, largest) => {
  const chunks = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks);
    size += value.byteLength;
    if (size > largest) throw new Error(`more than ${largest} bytes`);
    chunks.push(value);
  }
};

const through = (bytes, packer) => new Blob([bytes]).stream().pipeThrough(packer);

const ways = {
  url: async (url, largest) => {
    const response = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer" });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await read(response.body, largest)).text();
  },
  pack: async (text, largest) => {
    const packed = await read(through(text, new CompressionStream("deflate-raw")), largest);
    const bytes = new Uint8Array(await packed.arrayBuffer());
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  },
  unpack: async (text, largest) => {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return (await read(through(bytes, new DecompressionStream("deflate-raw")), largest)).text();
  },
};

onmessage = async ({ data: { way, of, largest } }) => {
  try {
    postMessage({ text: await ways[way](of, largest) });
  } catch (error) {
    postMessage({ error: error.message });
  }
};
