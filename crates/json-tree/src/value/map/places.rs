//! The table of a large map, from keys to the places of their entries.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;

use super::{Value, same};

/// A table from keys to the places of their entries.
#[derive(Clone)]
pub(super) struct Places {
    hasher: RandomState,
    /// Places counted from 1, each at the first free slot from that of its key's hash on. At most half are taken.
    slots: Vec<u32>,
}

type Entries = [(String, Value)];

impl Places {
    /// Returns the table of these entries, with the hashes of another if there was one.
    pub(super) fn of(entries: &Entries, before: Option<Self>) -> Self {
        let hasher = before.map(|places| places.hasher).unwrap_or_default();
        let slots = vec![0; (entries.len() * 4).next_power_of_two()];
        let mut places = Self { hasher, slots };
        for (place, (key, _)) in entries.iter().enumerate() {
            places.insert(key, place);
        }
        places
    }

    /// Reports whether so many entries have room.
    pub(super) fn has_room(&self, length: usize) -> bool {
        length * 2 <= self.slots.len()
    }

    fn home(&self, key: &str) -> usize {
        self.hasher.hash_one(key) as usize & (self.slots.len() - 1)
    }

    /// The slots, from that of a key's hash on.
    fn slots_from(&self, key: &str) -> impl Iterator<Item = (usize, u32)> {
        let (home, mask) = (self.home(key), self.slots.len() - 1);
        (0..self.slots.len()).map(move |step| (home + step) & mask).map(|slot| (slot, self.slots[slot]))
    }

    /// Notes the place of an entry, which is new.
    pub(super) fn insert(&mut self, key: &str, place: usize) {
        let free = self.slots_from(key).find(|(_, taken)| *taken == 0);
        if let Some((slot, _)) = free {
            self.slots[slot] = place as u32 + 1;
        }
    }

    /// Returns the place of a key.
    // Most maps have no table, and whoever looks into them shall not have to make room for this.
    #[inline(never)]
    pub(super) fn find(&self, key: &str, entries: &Entries) -> Option<usize> {
        let taken = self.slots_from(key).map(|(_, place)| place).take_while(|place| *place != 0);
        let mut places = taken.map(|place| place as usize - 1);
        places.find(|place| entries.get(*place).is_some_and(|(own, _)| same(own, key)))
    }

    fn slot_of(&self, key: &str, place: usize) -> Option<usize> {
        self.slots_from(key).find(|(_, taken)| *taken as usize == place + 1).map(|(slot, _)| slot)
    }

    /// Forgets an entry, and closes the gap that it leaves before others.
    pub(super) fn remove(&mut self, place: usize, entries: &Entries) {
        let mask = self.slots.len() - 1;
        let Some(mut gap) = self.slot_of(&entries[place].0, place) else { return };
        let mut next = (gap + 1) & mask;
        while self.slots[next] != 0 {
            let home = self.home(&entries[self.slots[next] as usize - 1].0);
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(gap) & mask {
                self.slots[gap] = self.slots[next];
                gap = next;
            }
            next = (next + 1) & mask;
        }
        self.slots[gap] = 0;
    }

    /// Notes that an entry has come from one place to another.
    pub(super) fn put(&mut self, key: &str, from: usize, to: usize) {
        if let Some(slot) = self.slot_of(key, from) {
            self.slots[slot] = to as u32 + 1;
        }
    }

    /// Notes that the entries after a place, which is empty, have come nearer by one.
    pub(super) fn close(&mut self, place: usize) {
        for slot in self.slots.iter_mut().filter(|slot| **slot as usize > place + 1) {
            *slot -= 1;
        }
    }
}
