#![no_main]

#[path = "../changes.rs"]
mod changes;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| changes::apply(bytes));
