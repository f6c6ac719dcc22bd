//! Whatever the text, nothing panics, and no program costs more than it may.

mod common;

use cel::{Budget, Value};
use common::{declared, env, object};
use proptest::prelude::*;

const PARTS: &[&str] = &[
    "self",
    ".",
    "a",
    "b",
    "list",
    "map",
    "name",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    " in ",
    "1",
    "2u",
    "1.5",
    "'x'",
    "b'y'",
    "r'z'",
    "true",
    "null",
    "has(",
    ".all(v, ",
    ".map(v, ",
    ".filter(v, v",
    ".exists(",
    "cel.bind(v, ",
    "size(",
    "string(",
    "duration('1s')",
    ".?",
    "[?",
    "timestamp(0)",
    ".getHours('+01:00')",
    "\n",
    "'''",
    "\\",
    "\"",
    "`a`",
    "ä",
    "@",
    "|",
    "&",
    "=",
    "v",
    " ",
    "type(",
    "int",
    ".matches('a')",
    ".contains(",
    "dyn(",
    "x",
    "i",
    ".transformMap(k, v, ",
    "9223372036854775807",
    ".optMap(v, ",
    "//",
];

/// Compiles and runs, and asks for everything that can be asked for.
fn try_out(text: &str) -> Result<(), TestCaseError> {
    let program = match env().compile(text) {
        Ok(program) => program,
        Err(issues) => {
            prop_assert!(issues.to_text(text).starts_with("ERROR: "));
            return Ok(());
        }
    };
    let (declared, object) = (declared(), object());
    let value = declared.value(&object).expect("the object is as it is declared");
    let variables = [value, Value::Int(5), Value::Int(3)];
    let estimate = program.estimate();
    prop_assert!(estimate.min <= estimate.max, "{text}: {estimate:?}");
    let mut budget = Budget::new(1000);
    let outcome = program.eval(&variables, &mut budget);
    prop_assert!(budget.spent() <= 1000 || outcome.is_err());
    Ok(())
}

#[test]
fn the_corpus_of_the_fuzzer() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/cel");
    let files = std::fs::read_dir(folder).expect("the folder of the corpus");
    let texts = files.map(|file| std::fs::read(file.expect("a file").path()).expect("its bytes"));
    let mut count = 0;
    for bytes in texts {
        try_out(&String::from_utf8_lossy(&bytes)).expect("nothing goes wrong");
        count += 1;
    }
    assert!(count > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(600)) })]

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        try_out(&text)?;
    }

    #[test]
    fn any_parts(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..30)) {
        try_out(&parts.concat())?;
    }
}
