//! The resource versions of a draft. In its cluster only what is in the draft is written: where something else was written
//! meanwhile, the versions behind it are other ones.

use bytes::Bytes;

use super::Draft;

/// The name of the field and the parameter.
const VERSION: &str = "resourceVersion";

/// Gives the requests the versions that their objects have in the draft's cluster.
pub(super) fn renumber(draft: &mut Draft) {
    let Some(first) = draft.revision else { return };
    let wrote = draft.done.iter().flat_map(|done| done.wrote.iter().map(|wrote| wrote.write.revision));
    let mut written: Vec<u64> = wrote.filter(|revision| *revision > first).collect();
    written.sort_unstable();
    written.dedup();
    // As many writes of the draft as there are up to a version come before it.
    let renumbered = |version: &str| {
        let old: u64 = version.parse().ok()?;
        if old < first || written.last().is_none_or(|last| old > *last) {
            return None;
        }
        let new = first + written.partition_point(|revision| *revision <= old) as u64;
        (new != old).then(|| new.to_string())
    };
    for done in &mut draft.done {
        done.request.target = replaced(&done.request.target, &renumbered);
        if let Ok(body) = std::str::from_utf8(&done.request.body)
            && body.contains(VERSION)
        {
            done.request.body = Bytes::from(replaced(body, &renumbered));
        }
    }
}

/// Returns a text with another version behind each `resourceVersion`: `resourceVersion=10250`, `"resourceVersion": "10250"`,
/// `resourceVersion: '10250'`.
fn replaced(text: &str, renumbered: &impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(VERSION) {
        let (before, after) = rest.split_at(at + VERSION.len());
        let digits = after.trim_start_matches(['"', '\'', ' ', ':', '=', '\t']);
        let (between, digits) = after.split_at(after.len() - digits.len());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (version, after) = digits.split_at(end);
        let new = if between.is_empty() { None } else { renumbered(version) };
        out.extend([before, between, new.as_deref().unwrap_or(version)]);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let renumbered = |version: &str| (version == "12").then(|| "7".to_owned());
        assert_eq!(replaced(text, &renumbered), expected);
    }

    #[test]
    fn versions_of_requests() {
        check(
            "/api/v1/pods?watch=1&resourceVersion=12&limit=12",
            "/api/v1/pods?watch=1&resourceVersion=7&limit=12",
        );
        check("{\"resourceVersion\": \"12\",\"a\":\"12\"}", "{\"resourceVersion\": \"7\",\"a\":\"12\"}");
        check("metadata:\n  resourceVersion: '12'\n", "metadata:\n  resourceVersion: '7'\n");
        check("?resourceVersion=120", "?resourceVersion=120");
        check(
            "?resourceVersionMatch=Exact&resourceVersion=0",
            "?resourceVersionMatch=Exact&resourceVersion=0",
        );
        check("resourceVersion", "resourceVersion");
    }
}
