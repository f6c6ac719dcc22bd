// Calls functions that stand in for webhooks. They run in workers of a frame without an origin: they see the reviews, and nothing
// else of the page.
let frame = null;

function open() {
  const element = document.createElement("iframe");
  element.sandbox = "allow-scripts";
  element.hidden = true;
  element.title = "Functions that stand in for webhooks";
  const loaded = new Promise((resolve, reject) => {
    element.onload = () => resolve(element.contentWindow);
    element.onerror = () => reject(new Error("webhooks.html cannot be loaded"));
  });
  // Beside this script, whatever page it is loaded by.
  element.src = new URL("webhooks.html", import.meta.url);
  document.body.append(element);
  // Who asks next tries again.
  loaded.catch(() => {
    frame = null;
    element.remove();
  });
  return loaded;
}

/**
 * Calls the function of a source with a review, a text. Resolves to JSON: the status, the media type, the body and the lines that it
 * has logged; or `failed`, the reason why there is no response.
 */
export async function call(source, url, text, timeout) {
  frame ??= open();
  const target = await frame;
  const { port1, port2 } = new MessageChannel();
  const outcome = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  target.postMessage({ source, url, text, timeout }, "*", [port2]);
  const response = await outcome;
  port1.close();
  return JSON.stringify(response);
}
