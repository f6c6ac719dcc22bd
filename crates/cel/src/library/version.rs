//! Semantic versions.
//!
//! See <https://semver.org>; the texts are those of `github.com/blang/semver`.

use std::cmp::Ordering;

use golang::strconv::{parse_uint, quote};

/// A version, with what decides which of two is newer. Build metadata does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Major, minor and patch.
    pub(super) numbers: [u64; 3],
    before: Vec<Identifier>,
}

/// A part of what stands after `-`; numbers come before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

const NUMBERS: [&str; 3] = ["major", "minor", "patch"];

fn only_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn only_alphanumeric(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

impl Version {
    /// Reads a version as the specification has it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (rest, build) = cut(rest, '+');
        let (patch, before) = cut(rest, '-');
        let mut version = Self { numbers: [0; 3], before: Vec::new() };
        for (at, part) in [major, minor, patch].into_iter().enumerate() {
            if !only_digits(part) {
                return Err(format!("Invalid character(s) found in {} number {}", NUMBERS[at], quote(part)));
            }
            if leading_zero(part) {
                let mut name = NUMBERS[at].to_owned();
                name[..1].make_ascii_uppercase();
                return Err(format!("{name} number must not contain leading zeroes {}", quote(part)));
            }
            version.numbers[at] = parse_uint(part)?;
        }
        for part in before.into_iter().flat_map(|before| before.split('.')) {
            version.before.push(Identifier::parse(part)?);
        }
        for part in build.into_iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if !only_alphanumeric(part) {
                return Err(format!("Invalid character(s) found in build meta data {}", quote(part)));
            }
        }
        Ok(version)
    }

    /// Reads what people write for a version: with `v`, with zeros in front, without the last numbers.
    pub(super) fn parse_tolerantly(text: &str) -> Result<Self, String> {
        let mut parts: Vec<String> =
            text.strip_prefix('v').unwrap_or(text).splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let trimmed = part.trim_start_matches('0');
                let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
                *part = format!("{zero}{trimmed}");
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    /// Which of two is newer.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        // What comes before a version is older than it.
        let released = |version: &Self| version.before.is_empty();
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| released(self).cmp(&released(other)))
            .then_with(|| self.before.cmp(&other.before))
    }
}

impl Identifier {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            Err("Prerelease is empty".to_owned())
        } else if only_digits(text) {
            if leading_zero(text) {
                return Err(format!(
                    "Numeric PreRelease version must not contain leading zeroes {}",
                    quote(text)
                ));
            }
            parse_uint(text).map(Self::Number)
        } else if only_alphanumeric(text) {
            Ok(Self::Text(text.to_owned()))
        } else {
            Err(format!("Invalid character(s) found in prerelease {}", quote(text)))
        }
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_strictly() {
        for (text, expected) in [
            ("1.2.3", ""),
            ("0.1.0-alpha.1", ""),
            ("1.0.0-0A.is.legal-x", ""),
            ("1.2.3+b.0042", ""),
            ("", "Version string empty"),
            ("1.2", "No Major.Minor.Patch elements found"),
            ("200K", "No Major.Minor.Patch elements found"),
            ("v1.0.0", "Invalid character(s) found in major number \"v1\""),
            ("1.x.0", "Invalid character(s) found in minor number \"x\""),
            ("1.0.0.0", "Invalid character(s) found in patch number \"0.0\""),
            ("01.0.0", "Major number must not contain leading zeroes \"01\""),
            ("1.0.00", "Patch number must not contain leading zeroes \"00\""),
            ("1..0", "strconv.ParseUint: parsing \"\": invalid syntax"),
            (
                "1.2.99999999999999999999",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
            ("1.0.0-", "Prerelease is empty"),
            ("1.0.0-01", "Numeric PreRelease version must not contain leading zeroes \"01\""),
            ("1.0.0-é", "Invalid character(s) found in prerelease \"é\""),
            ("1.0.0+", "Build meta data is empty"),
            ("1.0.0+a_b", "Invalid character(s) found in build meta data \"a_b\""),
        ] {
            assert_eq!(Version::parse(text).err().unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn versions_are_read_tolerantly() {
        for (text, expected) in [
            ("v1.0.0", [1, 0, 0]),
            ("1.0", [1, 0, 0]),
            ("v3", [3, 0, 0]),
            ("01.01.01", [1, 1, 1]),
            ("00.0.0", [0, 0, 0]),
        ] {
            assert_eq!(
                Version::parse_tolerantly(text).map(|version| version.numbers),
                Ok(expected),
                "{text}"
            );
        }
        for (text, expected) in [
            ("1.2-rc1", "short version cannot contain PreRelease/Build meta data"),
            ("", "strconv.ParseUint: parsing \"\": invalid syntax"),
            (" 1.0.0", "Invalid character(s) found in major number \"0 1\""),
        ] {
            assert_eq!(Version::parse_tolerantly(text).err().unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn versions_are_ordered() {
        let ordered = [
            "0.9.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.10.0",
            "2.0.0",
        ];
        for pair in ordered.windows(2) {
            let (older, newer) = (Version::parse(pair[0]).unwrap(), Version::parse(pair[1]).unwrap());
            assert_eq!(older.compare(&newer), Ordering::Less, "{pair:?}");
            assert_eq!(newer.compare(&older), Ordering::Greater, "{pair:?}");
        }
        let build = |text| Version::parse(text).unwrap();
        assert_eq!(build("1.0.0+a").compare(&build("1.0.0+b")), Ordering::Equal);
    }
}
