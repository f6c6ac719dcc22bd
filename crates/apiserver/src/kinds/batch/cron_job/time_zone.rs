//! The names of time zones, as in the IANA's database.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones>.

/// A line for each area: its name, which may be empty, and those of its zones.
const ZONES: &str = include_str!("time_zones.txt");

/// Validates the name of a time zone.
pub(super) fn find(name: &str) -> Result<(), String> {
    if name.split('/').any(|part| part == "..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    let (area, zone) = name.rsplit_once('/').unwrap_or(("", name));
    let known = ZONES.lines().any(|line| {
        let mut words = line.split(' ');
        words.next() == Some(area) && words.any(|word| word == zone)
    });
    let known = known || matches!(name, "" | "Local");
    if known { Ok(()) } else { Err(format!("unknown time zone {name}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_names() {
        let check = |name: &str, expected: &str| {
            assert_eq!(find(name).err().unwrap_or_default(), expected, "{name}");
        };
        check("UTC", "");
        check("Etc/UTC", "");
        check("America/Argentina/Buenos_Aires", "");
        check("Local", "");
        check("Europe", "unknown time zone Europe");
        check("Europe/Atlantis", "unknown time zone Europe/Atlantis");
        check("-/UTC", "unknown time zone -/UTC");
        check("../UTC", "time: invalid location name");
    }
}
