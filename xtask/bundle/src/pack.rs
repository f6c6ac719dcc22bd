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

/// The function of [`SCRIPT`] that gives a part of [`FILE`] as if it had been fetched by itself. After a failure the next one
/// who asks tries again.
const FUNCTION: &str = r#"let chunks;
function chunk(from, to) {
    chunks ??= fetch(new URL("./chunks.wasm", import.meta.url)).then((response) => {
        if (!response.ok) throw new TypeError(`chunks.wasm: ${response.status}`);
        return response.arrayBuffer();
    });
    chunks.catch(() => (chunks = undefined));
    const headers = { "Content-Type": "application/wasm" };
    return chunks.then((bytes) => new Response(bytes.slice(from, to), { headers }));
}
"#;

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
    let (file, places) = join(&modules);
    let loads = rewrite(&fs::read_to_string(&script)?, &names, &places).map_err(io::Error::other)?;
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

/// Returns a file with all these modules in it, and where in it each begins and ends.
fn join(modules: &[Vec<u8>]) -> (Vec<u8>, Vec<(usize, usize)>) {
    const NAME: &[u8] = b"\x06chunks";
    let length = NAME.len() + modules.iter().map(Vec::len).sum::<usize>();
    let mut file = b"\0asm\x01\0\0\0\0".to_vec();
    leb128(length, &mut file);
    file.extend(NAME);
    let mut places = Vec::new();
    for module in modules {
        places.push((file.len(), file.len() + module.len()));
        file.extend(module);
    }
    (file, places)
}

fn leb128(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Has a script take chunks from where they are in [`FILE`].
///
/// # Errors
/// The script does not fetch one of them, or not in the way that is known: what is missing.
fn rewrite(script: &str, names: &[String], places: &[(usize, usize)]) -> Result<String, String> {
    let mut rewritten = script.to_owned();
    for (name, (from, to)) in names.iter().zip(places) {
        let fetches = format!(r#"fetch(new URL("./{name}", import.meta.url))"#);
        if !rewritten.contains(&fetches) {
            return Err(format!("{SCRIPT} has no {fetches}"));
        }
        rewritten = rewritten.replace(&fetches, &format!("chunk({from}, {to})"));
    }
    Ok(rewritten + FUNCTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_where_they_were_put() {
        let modules = [b"\0asm-a".to_vec(), vec![7; 300]];
        let (file, places) = join(&modules);
        let found: Vec<&[u8]> = places.iter().map(|(from, to)| &file[*from..*to]).collect();
        assert_eq!(found, modules);
        // A section of no meaning: 0, its length, its name.
        assert_eq!(file[..18], *b"\0asm\x01\0\0\0\0\xb9\x02\x06chunks");
        assert_eq!(file.len(), 11 + 0x139);
    }

    #[test]
    fn the_script_takes_them_from_there() {
        let script = "a(() => fetch(new URL(\"./chunk_8.wasm\", import.meta.url)));\n";
        let names = ["chunk_8.wasm".to_owned()];
        assert_eq!(
            rewrite(script, &names, &[(18, 25)]),
            Ok(["a(() => chunk(18, 25));\n", FUNCTION].concat())
        );
        assert!(rewrite("", &names, &[(18, 25)]).is_err());
    }
}
