//! The order of the functions of a WebAssembly module.
//!
//! gzip finds again what stands no farther back than 32 KiB. Which function comes first makes no difference to what a
//! module does, so that those which have much in common may come close to each other.

use std::collections::{HashMap, HashSet, VecDeque};

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{BinaryReaderError, CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

/// How many bytes in a row two functions must share for it to count.
const SHARED: usize = 6;
/// The largest number of functions with a byte sequence in common: what more functions share gzip finds anyhow.
const COMMON: usize = 40;
/// How far back it may lie: less than gzip's 32 KiB, for what is shared may stand at a function's start.
const WINDOW: usize = 28_000;

/// The same module with its functions in an order in which it compresses well.
pub(crate) fn reorder(module: &[u8]) -> Result<Vec<u8>, String> {
    let functions = Functions::read(module).map_err(|error| error.to_string())?;
    let order = by_likeness(&functions.bodies);
    let mut places = vec![0; order.len()];
    for (place, function) in order.iter().enumerate() {
        places[*function] = place as u32;
    }
    let mut reordered = Module::new();
    let mut renumber = Renumber { imported: functions.imported, order, places };
    renumber
        .parse_core_module(&mut reordered, Parser::new(0), module)
        .map_err(|error| format!("The module cannot be reordered: {error}"))?;
    Ok(reordered.finish())
}

/// The functions of a module.
struct Functions<'a> {
    /// How many are imported: they have the first numbers.
    imported: u32,
    bodies: Vec<&'a [u8]>,
}

impl<'a> Functions<'a> {
    fn read(module: &'a [u8]) -> Result<Self, BinaryReaderError> {
        let mut functions = Self { imported: 0, bodies: Vec::new() };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        functions.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::CodeSectionEntry(body) => functions.bodies.push(body.as_bytes()),
                _ => {}
            }
        }
        Ok(functions)
    }
}

/// The largest first, and then always the one that shares most, for its length, with those just before it.
fn by_likeness(bodies: &[&[u8]]) -> Vec<usize> {
    let mut likeness = Likeness::new(bodies);
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    left.sort_by_key(|function| bodies[*function].len());
    let mut order = Vec::with_capacity(bodies.len());
    while let Some(largest) = left.last() {
        let next = likeness.best().unwrap_or(*largest);
        likeness.place(next);
        order.push(next);
        left.retain(|function| *function != next);
    }
    order
}

/// The byte sequences that the functions not placed yet share with those placed last.
struct Likeness {
    lengths: Vec<usize>,
    /// The byte sequences of each function that others have too, each once, by their number.
    sequences: Vec<Vec<usize>>,
    /// The functions that have a sequence.
    having: Vec<Vec<usize>>,
    /// How often a sequence is in the window.
    near: Vec<usize>,
    window: VecDeque<usize>,
    window_length: usize,
    /// How many sequences of each function are in the window.
    shared: Vec<u32>,
    placed: Vec<bool>,
}

impl Likeness {
    fn new(bodies: &[&[u8]]) -> Self {
        let mut all: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (function, body) in bodies.iter().enumerate() {
            let distinct: HashSet<&[u8]> = body.windows(SHARED).collect();
            for sequence in distinct {
                all.entry(sequence).or_default().push(function);
            }
        }
        let having: Vec<Vec<usize>> =
            all.into_values().filter(|having| (2..=COMMON).contains(&having.len())).collect();
        let mut sequences = vec![Vec::new(); bodies.len()];
        for (sequence, having) in having.iter().enumerate() {
            having.iter().for_each(|function| sequences[*function].push(sequence));
        }
        Self {
            lengths: bodies.iter().map(|body| body.len()).collect(),
            sequences,
            near: vec![0; having.len()],
            having,
            window: VecDeque::new(),
            window_length: 0,
            shared: vec![0; bodies.len()],
            placed: vec![false; bodies.len()],
        }
    }

    /// The one that shares most for its length, if any does.
    fn best(&self) -> Option<usize> {
        let score = |function: &usize| {
            f64::from(self.shared[*function]) / (self.lengths[*function] as f64 + 15.0).powf(0.8)
        };
        let sharing =
            (0..self.shared.len()).filter(|function| !self.placed[*function] && self.shared[*function] > 0);
        sharing.max_by(|a, b| score(a).total_cmp(&score(b)))
    }

    /// Places a function, and lets go of those that are then too far back.
    fn place(&mut self, function: usize) {
        self.placed[function] = true;
        for sequence in &self.sequences[function] {
            self.near[*sequence] += 1;
            if self.near[*sequence] == 1 {
                self.having[*sequence].iter().for_each(|other| self.shared[*other] += 1);
            }
        }
        self.window.push_back(function);
        self.window_length += self.lengths[function];
        while self.window_length > WINDOW && self.window.len() > 1 {
            let Some(gone) = self.window.pop_front() else { break };
            self.window_length -= self.lengths[gone];
            for sequence in &self.sequences[gone] {
                self.near[*sequence] -= 1;
                if self.near[*sequence] == 0 {
                    self.having[*sequence].iter().for_each(|other| self.shared[*other] -= 1);
                }
            }
        }
    }
}

/// Writes a module with its functions in another order.
struct Renumber {
    imported: u32,
    /// Which function stands in each place.
    order: Vec<usize>,
    /// In which place each function stands.
    places: Vec<u32>,
}

impl Reencode for Renumber {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let own = function.checked_sub(self.imported).and_then(|own| self.places.get(own as usize));
        Ok(own.map_or(function, |place| self.imported + place))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        let types = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for function in &self.order {
            functions.function(types[*function]);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        let bodies = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for function in self.order.clone() {
            self.parse_function_body(code, bodies[function].clone())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{EntityType, ExportKind, ExportSection, Function, ImportSection, TypeSection};

    use super::*;

    /// A module that imports a function and exports as many as there are constants: each calls the one before it, and
    /// adds its constant to itself until it is long enough.
    fn module(constants: &[(i32, usize)]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("a", "b", EntityType::Function(0));
        let (mut functions, mut exports, mut code) =
            (FunctionSection::new(), ExportSection::new(), CodeSection::new());
        for (number, (constant, times)) in (1..).zip(constants) {
            functions.function(0);
            exports.export(&format!("f{constant}"), ExportKind::Func, number);
            let mut body = Function::new([]);
            body.instructions().call(number - 1);
            for _ in 0..*times {
                body.instructions().i32_const(*constant).drop();
            }
            body.instructions().end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
        module.finish()
    }

    /// For each export: its name, and which function it is.
    fn exports(module: &[u8]) -> Vec<(String, u32)> {
        let payloads = Parser::new(0).parse_all(module).map(Result::unwrap);
        let sections = payloads.filter_map(|payload| match payload {
            Payload::ExportSection(section) => Some(section),
            _ => None,
        });
        sections.flatten().map(Result::unwrap).map(|export| (export.name.to_owned(), export.index)).collect()
    }

    #[test]
    fn what_is_alike_comes_together() {
        let long = |constant| (constant, 20);
        let module = module(&[long(1000), long(2000), (1000, 25), (2000, 30)]);
        let reordered = reorder(&module).unwrap();
        let exports: Vec<u32> = exports(&reordered).into_iter().map(|(_, function)| function).collect();
        assert_eq!(exports, [4, 2, 3, 1]);
        // The calls have followed: function 4 was the first, which calls what is imported.
        let functions = Functions::read(&reordered).unwrap();
        let calls: Vec<u8> = functions.bodies.iter().map(|body| body[2]).collect();
        assert_eq!((functions.imported, calls), (1, vec![3, 4, 2, 0]));
    }

    #[test]
    fn what_is_no_module_is_an_error() {
        assert!(reorder(b"<html>").is_err());
    }
}
