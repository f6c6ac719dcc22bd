// The code blocks of a page, whatever made it: Hugo, Docusaurus, mdBook, MkDocs, or a person.

/** The languages that run wherever they stand. Others run where they are marked. */
const RUN = ["http", "kubectl"];
/** The marks of a block that runs, or of a part of a page with such blocks, and of those that are left as they are. */
const MARK = ".kubeglass, [data-kubeglass]";
const LEFT = '.no-kubeglass, [data-kubeglass="off"]';

/** Returns the language that a code block is marked with. */
function language(code) {
  const around = code.closest("div.highlight, div.code-toolbar, figure");
  for (const element of [code, code.parentElement, code.parentElement?.parentElement, around]) {
    const named = /(?:^|\s)(?:language|lang|highlight-source)-([\w+-]+)/.exec(element?.className ?? "");
    if (named) return named[1].toLowerCase();
    if (element?.dataset?.lang) return element.dataset.lang.toLowerCase();
  }
  return "";
}

/** The first line of a response. */
const RESPONSE = /^\s*(HTTP\/[\d.]+ )?\d{3}( |\r?\n|$)/;

/** Returns whether a block of a language is to run. A response is that of the block before. */
function runs(code, of) {
  if (RESPONSE.test(code.textContent)) return false;
  const told = code.closest(`${LEFT}, ${MARK}`);
  if (told?.matches(LEFT)) return false;
  return RUN.includes(of) || Boolean(told);
}

/** Returns the text of a block. Line numbers, annotations and the buttons of others are not of it. */
function text(code) {
  const copy = code.cloneNode(true);
  copy.querySelectorAll("button, aside, .lineno, .linenos, .ln, .lnt").forEach((other) => other.remove());
  // What nobody can select is a number, too: some pages have styles in place of classes.
  for (const part of copy.querySelectorAll("[style]")) {
    if (part.style.userSelect === "none" || part.style.webkitUserSelect === "none") part.remove();
  }
  copy.querySelectorAll("br").forEach((line) => line.replaceWith("\n"));
  return copy.textContent;
}

/** Returns whether a block is the line numbers of the one beside it. */
function isGutter(pre) {
  const row = [...(pre.closest("tr")?.querySelectorAll("pre") ?? [])];
  return row.length > 1 && row.at(-1) !== pre && /^[\d\s]*$/.test(pre.textContent);
}

/** Returns whether a part of the page has code in it besides a block. */
const hasOther = (part, pre) => [...part.querySelectorAll("pre")].some((other) => other !== pre && !isGutter(other));

/** The classes that pages give to what they put around a block, and the characters that it may have besides the block. */
const AROUND = /highlight|code|snippet|language-|listing|chroma/i;
const EXTRA = 80;

/** Returns what an example's toolbar is to stand behind: the block with all that its page has put around it. */
function whole(pre) {
  const table = pre.closest("table");
  const isNumbered = table?.querySelectorAll("pre").length > 1 && !hasOther(table, pre);
  let around = isNumbered ? table : pre;
  for (let parent = around.parentElement; parent?.matches("div, figure"); parent = parent.parentElement) {
    const isInner = parent.childElementCount === 1 && AROUND.test(parent.parentElement?.className ?? "");
    const extra = parent.textContent.length - around.textContent.length;
    if (hasOther(parent, pre) || extra > EXTRA || !(AROUND.test(parent.className) || isInner)) break;
    around = parent;
  }
  return around;
}

/** Returns the code blocks of the page and its own elements, in order: what each says, and whether it runs. */
export function all() {
  const found = [];
  let heading = "";
  for (const element of document.querySelectorAll("h1, h2, h3, h4, pre, kube-http, kube-watch")) {
    if (/^h\d$/.test(element.localName)) {
      heading = element.textContent.trim();
    } else if (element.localName !== "pre") {
      // An element that belongs to a block of the page is that block.
      if (!element.of) found.push({ element, text: element.written, language: "http", heading, runs: true, isWhole: true });
    } else if (!element.closest("kube-http, kube-watch") && !isGutter(element)) {
      const code = element.querySelector("code") ?? element;
      const of = language(code);
      found.push({ element: whole(element), pre: element, text: text(code), language: of, heading, runs: runs(code, of) });
    }
  }
  return found;
}
