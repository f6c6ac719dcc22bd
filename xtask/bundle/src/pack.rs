//! Small chunks in one file: what several functions lead to is split off in dozens of them, and each would be a request.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file that the small chunks are in. It is a module of WebAssembly with nothing but a section for others, so that whoever
/// serves modules knows what to do with it.
const FILE: &str = "chunks.wasm";

/// The script that loads the chunks.
pub(crate) const SCRIPT: &str = "__wasm_split.js";

/// The most bytes of a small chunk.
const SMALL: u64 = 16 * 1024;

/// The functions of [`SCRIPT`] that load what is told in tables. `chunk` gives a part of [`FILE`] as if it had been fetched by itself;
/// after a failure the next one who asks tries again. `pick` has of each place how far it is behind the
/// one before, as a character.
const FUNCTIONS: &str = r#"let chunks;
function chunk(place) {
    chunks ??= fetch(new URL("./chunks.wasm", import.meta.url)).then((response) => {
        if (!response.ok) throw new TypeError(`chunks.wasm: ${response.status}`);
        return response.arrayBuffer();
    });
    chunks.catch(() => (chunks = undefined));
    const headers = { "Content-Type": "application/wasm" };
    return chunks.then((bytes) => {
        const at = (place) => new DataView(bytes).getUint32(table + 4 * place, true);
        return new Response(bytes.slice(at(place), at(place + 1)), { headers });
    });
}
function load(get, deps) {
    return makeLoad(() => {
        const src = get();
        src.catch(() => {});
        return async (imports) => WebAssembly.instantiateStreaming(src, imports);
    }, deps);
}
function file(name, deps) {
    return load(() => fetch(new URL(`./${name}.wasm`, import.meta.url)), deps);
}
function pick(steps) {
    let place = 0;
    return [...steps].map((step) => parts[(place += step.charCodeAt() - 48)]);
}
"#;

/// The character of no step at all: `0`.
const STEP: u32 = 48;

/// How the script of the splitter loads a chunk: what stands before the name of the file, and between that and the chunks that have to
/// be there before. With debug assertions, another function stands around what makes an instance.
const BEFORE: &str = "makeLoad(() => {\n    const src = fetch(new URL(\"./";
const AFTER: &str = ".wasm\", import.meta.url));\n    src.catch(() => {});\n    return async (imports) => ";
const INSTANCE: &str = "(WebAssembly.instantiateStreaming(src, imports));\n}\n, [";

/// Puts the small ones among a folder's chunks into one file, and has its script load them from there.
///
/// # Errors
/// A file cannot be read or written, or the script does not fetch a chunk in the way that is known.
pub(crate) fn pack(folder: &Path) -> io::Result<()> {
    let small = small(folder)?;
    if small.len() < 2 {
        return Ok(());
    }
    let script = folder.join(SCRIPT);
    let (names, files): (Vec<String>, Vec<PathBuf>) = small.into_iter().unzip();
    let modules = files.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
    let (file, table) = join(&modules);
    let loads = rewrite(&fs::read_to_string(&script)?, &names, table).map_err(io::Error::other)?;
    fs::write(folder.join(FILE), file)?;
    fs::write(script, loads)?;
    files.iter().try_for_each(fs::remove_file)
}

/// Lists the small chunks of a folder, in the order of their names.
fn small(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut small = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("chunk_") && name.ends_with(".wasm") && entry.metadata()?.len() <= SMALL {
            small.push((name, entry.path()));
        }
    }
    small.sort();
    Ok(small)
}

/// Returns a file with all these modules in it, and where in it the table stands of where each begins, and the last one ends:
/// numbers of 32 bits, the lowest byte first.
fn join(modules: &[Vec<u8>]) -> (Vec<u8>, usize) {
    const NAME: &[u8] = b"\x06chunks";
    let table = (modules.len() + 1) * 4;
    let length = NAME.len() + table + modules.iter().map(Vec::len).sum::<usize>();
    let mut file = b"\0asm\x01\0\0\0\0".to_vec();
    leb128(length, &mut file);
    file.extend(NAME);
    let begin = file.len();
    let mut place = begin + table;
    file.extend((place as u32).to_le_bytes());
    for module in modules {
        place += module.len();
        file.extend((place as u32).to_le_bytes());
    }
    modules.iter().for_each(|module| file.extend(module));
    (file, begin)
}

fn leb128(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A statement of a script that says how a chunk is loaded.
#[derive(Debug, PartialEq)]
struct Load<'a> {
    /// The beginning of the statement, up to the name of the constant.
    begins: &'a str,
    /// The rest up to the call: a function that wraps it, or nothing.
    wraps: &'a str,
    name: &'a str,
    /// The file, without its ending.
    file: &'a str,
    /// The constants of the chunks that have to be there before.
    needs: Vec<&'a str>,
}

/// Finds the next of these statements. Returns what stands before it, without a comment about it, and what stands behind it.
fn next(script: &str) -> Option<(&str, Load<'_>, &str)> {
    let (before, rest) = script.split_once(BEFORE)?;
    let (file, rest) = rest.split_once(AFTER)?;
    let (_, rest) = rest.split_once(INSTANCE).filter(|(function, _)| ["", "debugWrap"].contains(function))?;
    let (needs, rest) = rest.split_once(']')?;
    let (_, rest) = rest.split_once('\n')?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let (head, statement) = before.split_at(line);
    let comment =
        head.rfind("/*").filter(|at| head.get(*at..).is_some_and(|comment| comment.ends_with("*/\n")));
    let head = comment.and_then(|at| head.get(..at)).unwrap_or(head);
    let (declares, wraps) = statement.split_once(" = ")?;
    let (begins, name) = declares.rsplit_once(' ')?;
    let needs = needs.split(", ").filter(|name| !name.is_empty()).collect();
    Some((head, Load { begins, wraps, name, file, needs }, rest))
}

/// Has a script take chunks from [`FILE`], whose table stands at a place, in the order of their names, and load all of them by tables.
///
/// # Errors
/// The script does not load one of them in the way that is known: what is missing.
fn rewrite(script: &str, names: &[String], table: usize) -> Result<String, String> {
    let (mut head, mut rest, mut loads) = (String::new(), script, Vec::new());
    while let Some((before, load, behind)) = next(rest) {
        head.push_str(before);
        loads.push(load);
        rest = behind;
    }
    let (exported, parts): (Vec<Load<'_>>, Vec<Load<'_>>) =
        loads.into_iter().partition(|load| load.begins.starts_with("export"));
    if let Some(part) = parts.iter().find(|part| !part.needs.is_empty()) {
        return Err(format!("{SCRIPT} has {}, which needs others", part.name));
    }
    let known = |file: &str| parts.iter().find(|part| part.file == file).map(|part| part.name);
    let mut order = Vec::new();
    for name in names {
        let file = name.trim_end_matches(".wasm");
        order.push(known(file).ok_or_else(|| format!("{SCRIPT} does not load {name}"))?);
    }
    let large: Vec<&Load<'_>> = parts.iter().filter(|part| !order.contains(&part.name)).collect();
    order.extend(large.iter().map(|part| part.name));
    let files = large.iter().map(|part| format!("{:?}", part.file)).collect::<Vec<_>>().join(",");
    let small = names.len();
    let mut script = format!(
        "{head}{FUNCTIONS}const table = {table};\nconst parts = Array.from({{ length: {small} }}, (_, place) => load(() => chunk(place), []));\nparts.push(...[{files}].map((name) => file(name, [])));\n"
    );
    for Load { begins, wraps, name, file, needs } in exported {
        let mut places = Vec::new();
        for need in needs {
            let place = order.iter().position(|name| *name == need);
            places.push(place.ok_or_else(|| format!("{SCRIPT} has no {need}"))?);
        }
        places.sort_unstable();
        let mut last = 0;
        let steps = places.iter().map(|place| {
            let step = place - std::mem::replace(&mut last, *place);
            u32::try_from(step)
                .ok()
                .and_then(|step| char::from_u32(STEP + step))
                .filter(|step| step.len_utf16() == 1)
        });
        let steps: String = steps.collect::<Option<_>>().ok_or("there are too many chunks")?;
        let close = if wraps.is_empty() { "" } else { ")" };
        script.push_str(&format!("{begins} {name} = {wraps}file({file:?}, pick({steps:?})){close};\n"));
    }
    Ok(script + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_where_they_were_put() {
        let modules = [b"\0asm-a".to_vec(), vec![7; 300]];
        let (file, table) = join(&modules);
        let at =
            |place: usize| u32::from_le_bytes(file[table + 4 * place..][..4].try_into().unwrap()) as usize;
        let found: Vec<&[u8]> = (0..2).map(|place| &file[at(place)..at(place + 1)]).collect();
        assert_eq!(found, modules);
        // A section of no meaning: 0, its length, its name.
        assert_eq!(file[..18], *b"\0asm\x01\0\0\0\0\xc5\x02\x06chunks");
        assert_eq!((file.len(), at(2)), (11 + 0x145, file.len()));
    }

    #[test]
    fn the_script_takes_them_from_there() {
        check("");
        check("debugWrap");
    }

    /// Rewrites a script that makes instances by a function.
    fn check(function: &str) {
        let load = |begins: &str, file: &str, needs: &str, ends: &str| {
            [begins, BEFORE, file, AFTER, function, INSTANCE, needs, ends].concat()
        };
        let script = [
            "function makeLoad() {}\n".to_owned(),
            load("/* a, b */\nconst __chunk_8 = ", "chunk_8", "", "]);\n"),
            load("/* b */\nconst __chunk_9 = ", "chunk_9", "", "]);\n"),
            load("const __chunk_10 = ", "chunk_10", "", "]);\n"),
            load("export const a = wrap(", "split_a", "__chunk_8", "]));\n"),
            load("export const b = wrap(", "split_b", "__chunk_9, __chunk_8, __chunk_10", "]));\n"),
        ]
        .concat();
        let names = ["chunk_10.wasm".to_owned(), "chunk_8.wasm".to_owned()];
        let rewritten = rewrite(&script, &names, 18).unwrap();
        assert!(
            rewritten.starts_with(
                &[
                    "function makeLoad() {}\n",
                    FUNCTIONS,
                    "const table = 18;\nconst parts = Array.from({ length: 2 },"
                ]
                .concat()
            )
        );
        assert!(rewritten.ends_with(
            "parts.push(...[\"chunk_9\"].map((name) => file(name, [])));\nexport const a = wrap(file(\"split_a\", pick(\"1\")));\nexport const b = wrap(file(\"split_b\", pick(\"011\")));\n"
        ));
        assert!(rewrite("", &names, 18).is_err());
        let missing = load("export const a = wrap(", "split_a", "__chunk_7", "]));\n");
        assert!(rewrite(&[script, missing].concat(), &names, 18).is_err());
    }
}
