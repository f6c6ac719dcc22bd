// JSON with the usual white space. Nothing else is changed: numbers keep their digits, texts their escapes.

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** `text`, which is JSON, one field a line. */
export function format(text) {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  let out = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  tokens.forEach((token, at) => {
    if (token === "{" || token === "[") {
      out += token;
      if (!/^[}\]]/.test(tokens[at + 1] ?? "}")) {
        depth++;
        out += line();
      }
    } else if (token === "}" || token === "]") {
      if (!/^[{[]/.test(tokens[at - 1] ?? "{")) {
        depth = Math.max(depth - 1, 0);
        out += line();
      }
      out += token;
    } else if (token === ",") {
      out += token + line();
    } else {
      out += token === ":" ? ": " : token;
    }
  });
  return out;
}
