// Starts the page. A file of its own, for the page allows no script within it.
const { js, wasm } = document.querySelector("script[data-wasm]").dataset;

try {
  const page = await import(new URL(js, document.baseURI));
  await page.default({ module_or_path: new URL(wasm, document.baseURI) });
} catch (error) {
  const words = document.getElementById("start-words");
  if (words) words.textContent = `Kubeglass could not start: ${error}. Reload the page, or use a current browser.`;
  throw error;
}
