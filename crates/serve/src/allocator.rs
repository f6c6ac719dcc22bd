//! The memory allocator of the command, and the return of freed memory to the machine.
//!
//! Objects are many small pieces of memory: getting and freeing them takes half as long with mimalloc as with the system's
//! (BENCHMARKS.md). It keeps what is freed for a moment, for it is soon needed again, and looks at that only when somebody
//! asks for memory.
#![allow(unsafe_code)]

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long what is freed is kept, in milliseconds: without that, a GET takes a third longer.
const KEPT: std::ffi::c_long = 20;
/// The number of that option, which has no name in Rust: `mi_option_purge_delay` of mimalloc 3.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Has memory that is not used go back to the machine.
pub(crate) fn give_back() {
    // SAFETY: an option may be set at any time.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, KEPT) };
    serve::tidy_up_by(collect);
}

/// Gives back what is kept for this thread and is not used, and what is kept for none.
fn collect() {
    // SAFETY: it may be called at any time, from any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
