// What Kubernetes says of its fields: a file that is fetched when it is first needed. Its form is described in
// `xtask/src/web/help.rs` and `crates/descriptions/src/lib.rs`.

let table;

/** The file, read; null where it cannot be had, until the next time. */
function load() {
  // Which version belongs to this script, this script's own address says.
  const url = new URL("kubeglass-help.txt", import.meta.url);
  url.search = new URL(import.meta.url).search;
  table ??= fetch(url).then(
    async (answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      return read(await answer.text());
    },
  ).catch(() => {
    table = undefined;
    return null;
  });
  return table;
}

function read(text) {
  const values = new Map();
  const types = new Map();
  let prefix = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("=")) {
      const [name, ...words] = line.slice(1).split(",");
      values.set(name, words);
    } else if (line.startsWith("@")) {
      prefix = line.slice(1);
    } else if (line.startsWith(" ")) {
      types.get(prefix).push(line);
    } else if (line && !line.startsWith("#")) {
      const at = line.indexOf(" ");
      const name = at < 0 ? line : line.slice(0, at);
      prefix = prefix.replace(/#.*$/, "") + `#${name}`;
      types.set(prefix, [line.slice(name.length)]);
    }
  }
  return { values, types };
}

const tidy = (text) => text.trim().replace(/[\u2028\u2029]/g, "\n");

/** What is said of a field, or of a type where `field` is empty; "" if nothing is known. */
export async function describe(type, field) {
  const lines = (await load())?.types.get(type);
  if (!lines) return "";
  if (!field) return tidy(lines[0]);
  const start = ` ${field} `;
  return tidy(lines.slice(1).find((line) => line.startsWith(start))?.slice(start.length) ?? "");
}

/** What is said of a field, and after a paragraph separator the values that go by any of these names, with commas between. */
export async function explain(type, field, names) {
  const [text, values] = await Promise.all([describe(type, field), valuesOf(names.split(","))]);
  return `${text}\u2029${values.join(" · ")}`;
}

/** The values that go by any of these names: those that a Go type has constants for. */
export async function valuesOf(names) {
  const found = await load();
  return names.map((name) => found?.values.get(name)).find(Boolean) ?? [];
}
