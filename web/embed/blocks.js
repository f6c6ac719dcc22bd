// The code blocks of a page, whatever made it: Hugo, Docusaurus, mdBook, MkDocs, or a person.

/** The languages that run wherever they stand. Others run where they are marked. */
const RUN = ["http", "kubectl"];
/** What marks a block, or a part of a page with blocks, and what has a block left as it is. */
const MARK = ".kubeglass, [data-kubeglass]";
const LEFT = '.no-kubeglass, [data-kubeglass="off"]';

/** Returns the language that a code block is marked with. */
function language(code) {
  for (const element of [code, code.parentElement, code.parentElement?.parentElement]) {
    const named = /(?:^|\s)(?:language|lang|highlight-source)-([\w+-]+)/.exec(element?.className ?? "");
    if (named) return named[1].toLowerCase();
    if (element?.dataset?.lang) return element.dataset.lang.toLowerCase();
  }
  return "";
}

/** Returns whether a block of a language is to run. */
function runs(code, of) {
  const told = code.closest(`${LEFT}, ${MARK}`);
  if (told?.matches(LEFT)) return false;
  return RUN.includes(of) || Boolean(told);
}

/** Returns the heading that an element stands under. */
function heading(element) {
  let found = "";
  for (const one of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!(one.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
    found = one.textContent.trim();
  }
  return found;
}

/** Returns the text of a block. Line numbers and the buttons of others are not of it. */
function text(code) {
  const copy = code.cloneNode(true);
  copy.querySelectorAll("button, .lineno, .linenos, .ln, .lnt").forEach((other) => other.remove());
  copy.querySelectorAll("br").forEach((line) => line.replaceWith("\n"));
  return copy.textContent;
}

/** Returns what an example's toolbar is to stand behind: the block with all that its page has put around it. */
function whole(pre) {
  let around = pre;
  while (around.parentElement?.matches("div, figure") && around.parentElement.querySelectorAll("pre").length === 1) {
    const parent = around.parentElement;
    const words = parent.textContent.length - pre.textContent.length;
    if (words > 80 || !/highlight|code|snippet|language-|listing/i.test(parent.className)) break;
    around = parent;
  }
  return around;
}

/** Returns the code blocks of the page and its own elements, in order: what each says, and whether it runs. */
export function all() {
  const found = [];
  for (const element of document.querySelectorAll("pre, kube-http, kube-watch")) {
    if (element.localName !== "pre") {
      // An element that belongs to a block of the page is that block.
      if (element.of) continue;
      found.push({ element, text: element.written, language: "http", heading: heading(element), runs: true });
      continue;
    }
    if (element.closest("kube-http, kube-watch")) continue;
    const code = element.querySelector("code") ?? element;
    const of = language(code);
    found.push({ element: whole(element), pre: element, text: text(code), language: of, heading: heading(element), runs: runs(code, of) });
  }
  return found;
}
