//! Catching a server's panic and what it said, without its report in the middle of ours.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// `None` while panics of this thread are left to others.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Returns the result of `action`, or the message and the place of its panic. Where a panic aborts, as in WebAssembly,
/// none can be caught: it is left to whoever runs the program.
pub(crate) fn catch<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    if cfg!(panic = "abort") {
        return Ok(action());
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let mine = LAST.with_borrow_mut(|last| {
                last.as_mut().map(|last| *last = info.to_string().replace('\n', " ")).is_some()
            });
            if !mine {
                others(info);
            }
        }));
    });
    LAST.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    let said = LAST.take();
    result.map_err(|_| said.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value() {
        assert_eq!(catch(|| 1), Ok(1));
        let said = catch(|| {
            let nothing: &[u8] = &[];
            nothing[std::hint::black_box(3)]
        });
        let said = said.expect_err("an index out of bounds");
        assert!(said.contains("panics.rs") && said.contains("index out of bounds"), "{said}");
    }
}
