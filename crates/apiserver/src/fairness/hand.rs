//! Shuffle sharding: the few queues of many that a flow may use, so that one that fills its own leaves most others theirs.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#queuing>

use sha2::{Digest, Sha256};

/// Returns the hash of a flow: a FlowSchema, and what tells its flows apart.
pub(super) fn hash(schema: &str, distinguisher: &str) -> u64 {
    let mut hash = Sha256::new();
    hash.update(schema);
    hash.update([0]);
    hash.update(distinguisher);
    let digest = hash.finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

/// Deals `size` different cards of a deck, 0 up to its number, by a hash.
pub(super) fn deal(hash: u64, deck: usize, size: usize) -> Vec<usize> {
    let mut rest = hash;
    let mut places: Vec<usize> = Vec::with_capacity(size);
    for dealt in 0..size.min(deck) {
        let left = (deck - dealt) as u64;
        places.push(usize::try_from(rest % left).unwrap_or_default());
        rest /= left;
    }
    // Each is a place among the cards that are left when those before it are gone.
    let card = |index: usize| {
        let gone = places[..index].iter().rev();
        gone.fold(places[index], |card, place| if card >= *place { card + 1 } else { card })
    };
    (0..places.len()).map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_have_different_cards() {
        assert_eq!(deal(0, 4, 3), [0, 1, 2]);
        assert_eq!(deal(1, 4, 3), [1, 0, 2]);
        assert_eq!(deal(23, 4, 4), [3, 2, 1, 0]);
        assert_eq!(deal(5, 1, 1), [0]);
        for flow in 0..200_u32 {
            let mut cards = deal(hash("workload-low", &flow.to_string()), 128, 6);
            assert!(cards.iter().all(|card| *card < 128));
            cards.sort_unstable();
            cards.dedup();
            assert_eq!(cards.len(), 6);
        }
    }
}
