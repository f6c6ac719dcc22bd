//! How much has been computed: how many branches the program has gone through.
//!
//! The compiler has each branch call a function (`-sanitizer-coverage-trace-pc`), those of the standard library that are
//! made for our types among them. Unlike seconds, their number is the same on every machine and under every load.

#![allow(unsafe_code)]

/// How many branches there have been. Only the thread of the test counts.
static mut BRANCHES: u64 = 0;

/// Counts a branch. The compiler leaves functions of such names alone.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc() {
    // SAFETY: the program has one thread that computes; another one that counted would make a sum wrong, no more.
    unsafe { BRANCHES = BRANCHES.wrapping_add(1) }
}

/// How many branches are gone through while `work` is done.
pub(crate) fn count(work: impl FnOnce()) -> u64 {
    // SAFETY: as above.
    let before = unsafe { BRANCHES };
    work();
    // SAFETY: as above.
    unsafe { BRANCHES.wrapping_sub(before) }
}
