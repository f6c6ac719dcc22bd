//! How the engine of this tab is, in words.

/// Why what was under way has no response.
pub(crate) const RESTARTED: &str = "the API server was started again";
pub(crate) const RESTART: &str = "Restart with the same history";
pub(crate) const NEW: &str = "Start a new cluster";
pub(crate) const TRY_AGAIN: &str = "Try again";

/// `seconds` have passed without a response.
pub(crate) fn silent(seconds: i32) -> String {
    format!(
        "The API server of this tab has not responded for {seconds} seconds. It may be busy: wait, or start another one."
    )
}

/// `loaded` of `total` bytes are there; `total` is 0 where it is not known.
pub(crate) fn loading(loaded: f64, total: f64) -> String {
    let megabytes = |bytes: f64| format!("{:.1}", bytes / 1e6);
    if total > 0.0 {
        format!("Loading the API server: {} of {} MB", megabytes(loaded.min(total)), megabytes(total))
    } else {
        "Loading the API server".to_owned()
    }
}

/// `why` is told by the browser.
pub(crate) fn no_worker(why: &str) -> String {
    format!("this browser cannot start a worker of a module ({why}); a current one can")
}

/// `why` is told by the browser or the engine.
pub(crate) fn stopped(why: &str) -> String {
    let why = if why.is_empty() { "its script could not be loaded" } else { why };
    format!(
        "The API server of this tab has stopped: {why}. What you see is what is known of it; another one can go on from there."
    )
}

/// `why` is told by the engine.
pub(crate) fn not_restored(why: &str) -> String {
    format!("it cannot go on from the history ({why})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loading_is_told_in_megabytes() {
        assert_eq!(loading(0.0, 0.0), "Loading the API server");
        assert_eq!(loading(1_240_000.0, 3_000_000.0), "Loading the API server: 1.2 of 3.0 MB");
        assert_eq!(loading(9e6, 3e6), "Loading the API server: 3.0 of 3.0 MB");
    }
}
