//! The same answer in every media type, side by side.

use crate::cluster::media::Measured;

/// A media type, compared with the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// What was measured.
    pub(crate) measured: Measured,
    /// How many percent of the longest it has.
    pub(crate) share: usize,
    /// How many thousandths of JSON it has; nothing where there is no JSON.
    pub(crate) ratio: Option<usize>,
}

/// Compares them. The first is JSON, if there is one.
pub(crate) fn compared(measured: Vec<Measured>) -> Vec<Compared> {
    let longest = measured.iter().map(|measured| measured.bytes).max().unwrap_or_default().max(1);
    let json = measured.iter().find(|measured| measured.media == "application/json");
    let json = json.map(|measured| measured.bytes.max(1));
    let compare = |measured: Measured| Compared {
        share: (measured.bytes * 100).div_ceil(longest),
        ratio: json.map(|json| measured.bytes * 1000 / json),
        measured,
    };
    measured.into_iter().map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sizes: &[(&'static str, usize)], expected: &[(usize, Option<usize>)]) {
        let measured = sizes.iter().map(|(media, bytes)| Measured {
            name: "",
            media,
            bytes: *bytes,
            gzip: None,
            ms: 0.0,
        });
        let found = compared(measured.collect());
        let found: Vec<_> = found.into_iter().map(|compared| (compared.share, compared.ratio)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn compares_with_json_and_with_the_longest() {
        check(
            &[("application/json", 200), ("application/yaml", 400), ("application/cbor", 150)],
            &[(50, Some(1000)), (100, Some(2000)), (38, Some(750))],
        );
        check(&[("application/cbor", 0)], &[(0, None)]);
        check(&[], &[]);
    }
}
