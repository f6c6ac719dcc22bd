//! The process, as its metrics tell of it: by what Linux says in `/proc`, and nothing elsewhere.

use std::fs;
use std::time::Duration;

use apiserver::ProcessInfo;

/// The ticks of a second in which Linux counts.
const TICKS: f64 = 100.0;

/// Tells of this process.
pub(crate) fn observe() -> ProcessInfo {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let boot = fs::read_to_string("/proc/stat").unwrap_or_default();
    let open_files = fs::read_dir("/proc/self/fd").ok().and_then(|files| u64::try_from(files.count()).ok());
    ProcessInfo { open_files, ..read(&stat, &status, &boot) }
}

/// Reads `/proc/self/stat`, from `/proc/self/status` the memory in kibibytes, and from `/proc/stat` when the machine has begun.
fn read(stat: &str, status: &str, boot: &str) -> ProcessInfo {
    // The name of the program is in parentheses, and may have any in it.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let field = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok());
    let ticks = |count: f64| Duration::try_from_secs_f64(count / TICKS).ok();
    let number = |text: &str, name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name))?;
        value.split_whitespace().next()?.parse::<u64>().ok()
    };
    let booted = number(boot, "btime ");
    let begun = booted.map(Duration::from_secs).zip(field(19).and_then(ticks));
    ProcessInfo {
        cpu: field(11).zip(field(12)).and_then(|(user, system)| ticks(user + system)),
        resident_memory: number(status, "VmRSS:").map(|kibibytes| kibibytes * 1024),
        open_files: None,
        start: begun.map(|(booted, after)| booted + after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_tells() {
        let stat =
            "7 (a ) b) S 1 7 7 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 4 0 1000 99 25 18446744073709551615";
        let process = read(stat, "VmSize:\t9 kB\nVmRSS:\t 25 kB\n", "cpu 1 2\nbtime 1000\n");
        assert_eq!(process.cpu, Some(Duration::from_secs(2)));
        assert_eq!(process.resident_memory, Some(25 * 1024));
        assert_eq!(process.start, Some(Duration::from_secs(1010)));
        assert_eq!(read("", "", ""), ProcessInfo::default());
    }
}
