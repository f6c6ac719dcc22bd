// Fetches the text of a document, without anybody's cookies. It is a worker, for the page's own policy lets it talk to its server
// alone.
onmessage = async ({ data: { url, largest } }) => {
  try {
    const response = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer" });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > largest) throw new Error(`more than ${largest} bytes`);
      chunks.push(value);
    }
    postMessage({ text: await new Blob(chunks).text() });
  } catch (error) {
    postMessage({ error: error.message });
  }
};
