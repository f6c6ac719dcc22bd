//! The order of versions: what is stable before what is in beta before what is in alpha, and higher numbers before lower.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>

use std::cmp::Ordering;

/// Compares the names of two versions; the one with the higher priority is less.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// A version as Kubernetes names them: `v2`, `v1beta3`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    stability: Stability,
    major: u64,
    minor: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let (major, rest) = number(text.strip_prefix('v')?)?;
        if rest.is_empty() {
            return Some(Self { stability: Stability::Stable, major, minor: 0 });
        }
        let (stability, rest) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
            (Some(rest), _) => (Stability::Alpha, rest),
            (_, Some(rest)) => (Stability::Beta, rest),
            _ => return None,
        };
        let (minor, rest) = number(rest)?;
        rest.is_empty().then_some(Self { stability, major, minor })
    }
}

/// The number at the start, which has no leading zero, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_order() {
        let sorted = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
            "v0",
            "v1beta",
            "v1beta01",
            "v1gamma1",
        ];
        let mut versions = sorted.to_vec();
        versions.reverse();
        versions.sort_by(|a, b| compare(a, b));
        assert_eq!(versions, sorted);
    }
}
