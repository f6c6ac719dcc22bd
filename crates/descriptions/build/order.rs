//! The order of the types of a package. gzip finds again what stands no farther back than 32 KiB, so what has much in common
//! comes one after the other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// How many bytes in a row two texts must share for it to count.
const SHARED: usize = 16;
/// One of so many sequences is looked at.
const SAMPLED: u64 = 4;
/// The largest number of texts with a sequence in common: what more texts share gzip finds anyhow.
const COMMON: usize = 60;
/// How far back it may lie: less than gzip's 32 KiB.
const WINDOW: usize = 28_000;

/// Returns the numbers of texts in the order in which they compress well: the largest first, and then always the one that shares
/// most, for its length, with those just before it.
pub(crate) fn by_likeness(texts: &[String]) -> Vec<usize> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (text, content) in texts.iter().enumerate() {
        for sequence in sequences(content) {
            places.entry(sequence).or_default().push(text);
        }
    }
    places.retain(|_, texts| (2..=COMMON).contains(&texts.len()));
    let mut own: Vec<Vec<u64>> = vec![Vec::new(); texts.len()];
    for (sequence, texts) in &places {
        texts.iter().for_each(|text| own[*text].push(*sequence));
    }
    let (mut window, mut size, mut within) = (VecDeque::new(), 0, HashMap::<u64, usize>::new());
    let mut scores = vec![0_usize; texts.len()];
    let mut left: Vec<usize> = (0..texts.len()).collect();
    let mut order = Vec::with_capacity(texts.len());
    while !left.is_empty() {
        // Of those that share nothing, the largest; of equal ones, the first by name.
        let worth = |text: usize| (scores[text] * 1_000_000 / (texts[text].len() + 40), texts[text].len());
        let (at, next) = left
            .iter()
            .copied()
            .enumerate()
            .max_by_key(|(at, text)| (worth(*text), usize::MAX - at))
            .unwrap_or_default();
        left.remove(at);
        order.push(next);
        window.push_back(next);
        size += texts[next].len();
        for sequence in &own[next] {
            let count = within.entry(*sequence).or_default();
            *count += 1;
            if *count == 1 {
                places[sequence].iter().for_each(|text| scores[*text] += 1);
            }
        }
        while size > WINDOW && window.len() > 1 {
            let Some(oldest) = window.pop_front() else { break };
            size -= texts[oldest].len();
            for sequence in &own[oldest] {
                let count = within.entry(*sequence).or_default();
                *count -= 1;
                if *count == 0 {
                    places[sequence].iter().for_each(|text| scores[*text] -= 1);
                }
            }
        }
    }
    order
}

/// Returns some of the sequences of bytes in a text, by their hashes: the same ones of the same text each time.
fn sequences(text: &str) -> HashSet<u64> {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let hashes = text.as_bytes().windows(SHARED).map(|bytes| hasher.hash_one(bytes));
    hashes.filter(|hash| hash % SAMPLED == 0).collect()
}
