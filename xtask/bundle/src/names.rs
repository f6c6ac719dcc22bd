//! The names of a module's imports from wasm-bindgen's script. They are long, and none is said but in the two files: 6 kB of the page's
//! module, gzipped, and 5 kB of its script.

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{ImportSection, Module};
use wasmparser::{ImportSectionReader, Parser, Payload};

/// Shortens the names in a folder with `NAME.js` and `NAME_bg.wasm`.
///
/// # Errors
/// A file cannot be read or written, or the module cannot be read.
pub(crate) fn shorten(folder: &Path, name: &str) -> io::Result<()> {
    let (module, script) = (folder.join([name, "_bg.wasm"].concat()), folder.join([name, ".js"].concat()));
    let from = ["./", name, "_bg.js"].concat();
    let bytes = fs::read(&module)?;
    let names = names(&bytes, &from).map_err(io::Error::other)?;
    let text = fs::read_to_string(&script)?;
    fs::write(&module, renamed(&bytes, &from, &names).map_err(io::Error::other)?)?;
    fs::write(&script, replaced(&text, &names))
}

type Names = HashMap<String, String>;

/// Returns a short name for each function that a module imports from a script.
fn names(module: &[u8], from: &str) -> wasmparser::Result<Names> {
    let mut names = Names::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ImportSection(imports) = payload? else { continue };
        for import in imports.into_imports() {
            let import = import?;
            if import.module == from && !names.contains_key(import.name) {
                names.insert(import.name.to_owned(), format!("i{}", names.len()));
            }
        }
    }
    Ok(names)
}

/// Returns a module with other names for its imports from a script.
fn renamed(module: &[u8], from: &str, names: &Names) -> Result<Vec<u8>, String> {
    let mut out = Module::new();
    let mut rename = Rename { from, names };
    rename
        .parse_core_module(&mut out, Parser::new(0), module)
        .map_err(|error| format!("The imports cannot be renamed: {error}"))?;
    Ok(out.finish())
}

struct Rename<'a> {
    from: &'a str,
    names: &'a Names,
}

impl Reencode for Rename<'_> {
    type Error = std::convert::Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        for import in section.into_imports() {
            let import = import?;
            let own = self.names.get(import.name).filter(|_| import.module == self.from);
            imports.import(
                import.module,
                own.map_or(import.name, String::as_str),
                self.entity_type(import.ty)?,
            );
        }
        Ok(())
    }
}

/// Returns a script with other names in the place of these, where they are whole words.
fn replaced(script: &str, names: &Names) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(begin) = rest.find(is_word) {
        let (before, from) = rest.split_at(begin);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        out.extend([before, names.get(word).map_or(word, String::as_str)]);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{EntityType, TypeSection};

    use super::*;

    #[test]
    fn imports_get_short_names() {
        let (mut types, mut imports, mut module) = (TypeSection::new(), ImportSection::new(), Module::new());
        types.ty().function([], []);
        for (from, name) in
            [("./a_bg.js", "__wbg_call_1"), ("b", "__wbg_call_1"), ("./a_bg.js", "__wbg_then_2")]
        {
            imports.import(from, name, EntityType::Function(0));
        }
        let module = module.section(&types).section(&imports).clone().finish();
        let names = names(&module, "./a_bg.js").expect("it can be read");
        let module = renamed(&module, "./a_bg.js", &names).expect("it can be read");
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(&module) {
            if let Payload::ImportSection(imports) = payload.expect("it can be read") {
                let read = imports.into_imports().map(|import| import.expect("it can be read"));
                found.extend(read.map(|import| [import.module, " ", import.name].concat()));
            }
        }
        assert_eq!(found, ["./a_bg.js i0", "b __wbg_call_1", "./a_bg.js i1"]);
        let script =
            "{ __wbg_call_1: function() {}, __wbg_call_12: 0, a$__wbg_then_2: 1, \"__wbg_then_2\": 2 }";
        assert_eq!(
            replaced(script, &names),
            "{ i0: function() {}, __wbg_call_12: 0, a$__wbg_then_2: 1, \"i1\": 2 }"
        );
    }
}
