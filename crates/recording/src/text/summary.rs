//! The summary at the end of the text.

use std::collections::BTreeMap;

use super::line::printable;

/// Counts of things that have happened.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// By manager and resource.
    pub(super) writes: Counts<2>,
    /// By manager and object.
    pub(super) conflicts: Counts<2>,
    /// By user and collection.
    pub(super) relists: Counts<2>,
    /// By how they ended.
    pub(super) ends: Counts<1>,
    /// By what they answered.
    pub(super) faults: Counts<1>,
    /// The number of answers 410 Gone.
    pub(super) gone: u64,
    /// `true` if something is missing.
    pub(super) lost: bool,
}

impl Summary {
    pub(super) fn write(&self, out: &mut String) {
        self.writes.write("WRITES BY MANAGER AND RESOURCE", out);
        self.conflicts.write("CONFLICTS BY MANAGER AND OBJECT", out);
        self.relists.write("RELISTS BY USER AND COLLECTION", out);
        self.ends.write("WATCHES BY END", out);
        self.faults.write("FAULTS BY ANSWER", out);
        if self.gone > 0 {
            out.push_str(&format!("\n410 GONE {}\n", self.gone));
        }
        if self.lost {
            out.push_str("\nSomething is missing in this trace, and in these numbers.\n");
        }
    }
}

/// Numbers by names.
#[derive(Debug)]
pub(super) struct Counts<const N: usize>(BTreeMap<[String; N], u64>);

impl<const N: usize> Default for Counts<N> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<const N: usize> Counts<N> {
    pub(super) fn add(&mut self, names: [String; N]) {
        *self.0.entry(names).or_default() += 1;
    }

    /// Writes a table, the largest numbers first, unless it has no rows.
    fn write(&self, heading: &str, out: &mut String) {
        if self.0.is_empty() {
            return;
        }
        let all: u64 = self.0.values().sum();
        out.push_str(&format!("\n{heading} ({all})\n"));
        let mut rows: Vec<_> = self.0.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (names, count) in rows {
            let names = names.iter().map(|name| if name.is_empty() { "-" } else { name });
            let names: String = names.map(|name| format!(" {name:<32}")).collect();
            out.push_str(&printable(&format!("{count:>8} {}", names.trim_end())));
        }
    }
}
