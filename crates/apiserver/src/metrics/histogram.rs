//! Histograms: how many values there were up to each bound.

use golang::strconv::format_float;

use super::Families;

/// A histogram of values.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    bounds: &'static [f64],
    /// How many values there were between the bound before and each bound, and above the last.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    pub(crate) fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    /// Counts a value.
    pub(crate) fn observe(&mut self, value: f64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.counts[place] += 1;
        self.sum += value;
    }

    /// Counts values by their buckets, and their sum.
    pub(super) fn add(&mut self, counts: impl Iterator<Item = u64>, sum: f64) {
        self.counts.iter_mut().zip(counts).for_each(|(count, more)| *count += more);
        self.sum += sum;
    }

    /// Returns how many values there were.
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds it to the last family, if there were any values.
    pub(crate) fn write_if_any(&self, families: &mut Families, labels: &str) {
        if self.count() > 0 {
            self.write(families, labels, 0);
        }
    }

    /// Adds it to the last family, without its first bounds.
    pub(super) fn write(&self, families: &mut Families, labels: &str, without: usize) {
        let mut below = 0;
        for (place, count) in self.counts.iter().enumerate() {
            below += count;
            if place < without {
                continue;
            }
            let bound =
                self.bounds.get(place).map_or_else(|| "+Inf".to_owned(), |bound| format_float(*bound));
            let labels = [labels, ",le=\"", &bound, "\""].concat();
            families.sample("_bucket", &labels, &below.to_string());
        }
        families.sample("_sum", labels, &format_float(self.sum));
        families.sample("_count", labels, &below.to_string());
    }
}
