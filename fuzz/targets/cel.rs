#![no_main]

use cel::{Budget, Env, Type, Value};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let env = Env::new().variable("x", Type::Dyn).variable("l", Type::list(Type::Int));
    match env.compile(text) {
        Err(issues) => assert!(!issues.to_text(text).is_empty()),
        Ok(program) => {
            let estimate = program.estimate();
            assert!(estimate.min <= estimate.max);
            let values = [Value::Int(1), Value::list((0..9).map(Value::Int).collect())];
            let _ = program.eval(&values, &mut Budget::new(10_000));
        }
    }
});
