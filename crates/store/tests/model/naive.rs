//! The store as one would write it without caring for time or memory: every write ever made, in one vector that is
//! searched from end to end.

use store::{CompactError, Guard, KeyRange, ReadError, Revision};

/// Which revision made the value, and the how manieth value it was of its test.
pub(crate) type Value = (Revision, u32);

/// An entry: key, value, create revision, mod revision, version.
pub(crate) type Fields = (&'static str, Value, Revision, Revision, u64);

/// An event: revision, key, what the key holds since, and what it held before.
pub(crate) type Written = (Revision, &'static str, Option<Fields>, Option<Fields>);

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Put(&'static str, Guard, u32),
    Delete(&'static str, Guard),
    Check(&'static str, Guard),
}

impl Step {
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Put(key, ..) | Self::Delete(key, _) | Self::Check(key, _) => key,
        }
    }

    fn guard(&self) -> Guard {
        match self {
            Self::Put(_, guard, _) | Self::Delete(_, guard) | Self::Check(_, guard) => *guard,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The key whose guard does not hold, and what it holds.
    Conflict(&'static str, Option<Fields>),
    DuplicateKey(&'static str),
}

#[derive(Debug)]
pub(crate) struct Naive {
    pub(crate) revision: Revision,
    pub(crate) compact_revision: Revision,
    pub(crate) log: Vec<Written>,
}

impl Naive {
    pub(crate) fn new(first_revision: Revision) -> Self {
        let revision = first_revision - 1;
        Self { revision, compact_revision: revision, log: Vec::new() }
    }

    /// Returns the fields of `key` at a revision, readable or not.
    pub(crate) fn held(&self, key: &str, at: Revision) -> Option<Fields> {
        self.log.iter().rfind(|write| write.1 == key && write.0 <= at).and_then(|write| write.2)
    }

    pub(crate) fn get(&self, key: &str, at: Revision) -> Result<Option<Fields>, ReadError> {
        self.check(at)?;
        Ok(self.held(key, at))
    }

    pub(crate) fn range(&self, range: &KeyRange, at: Revision) -> Result<Vec<Fields>, ReadError> {
        self.check(at)?;
        let mut keys: Vec<_> =
            self.log.iter().map(|write| write.1).filter(|key| range.contains(key)).collect();
        keys.sort_unstable_by_key(|key| key.as_bytes());
        keys.dedup();
        Ok(keys.into_iter().filter_map(|key| self.held(key, at)).collect())
    }

    /// `Ok(None)`: there was nothing to write.
    pub(crate) fn commit(&mut self, steps: &[Step]) -> Result<Option<Revision>, Refusal> {
        let mut written: Vec<_> =
            steps.iter().filter(|step| !matches!(step, Step::Check(..))).map(Step::key).collect();
        written.sort_unstable();
        for pair in written.windows(2) {
            if pair[0] == pair[1] {
                return Err(Refusal::DuplicateKey(pair[0]));
            }
        }
        for step in steps {
            let current = self.held(step.key(), self.revision);
            let holds = match step.guard() {
                Guard::None => true,
                Guard::Absent => current.is_none(),
                Guard::ModRevision(revision) => current.map(|current| current.3) == Some(revision),
            };
            if !holds {
                return Err(Refusal::Conflict(step.key(), current));
            }
        }
        let revision = self.revision + 1;
        let before = self.log.len();
        for step in steps {
            let previous = self.held(step.key(), self.revision);
            match *step {
                Step::Put(key, _, value) => {
                    let (create, version) = previous.map_or((revision, 1), |entry| (entry.2, entry.4 + 1));
                    let entry = (key, (revision, value), create, revision, version);
                    self.log.push((revision, key, Some(entry), previous));
                }
                Step::Delete(key, _) if previous.is_some() => self.log.push((revision, key, None, previous)),
                Step::Delete(..) | Step::Check(..) => {}
            }
        }
        if self.log.len() == before {
            return Ok(None);
        }
        self.revision = revision;
        Ok(Some(revision))
    }

    pub(crate) fn events(&self, after: Revision) -> Result<Vec<Written>, ReadError> {
        if after < self.compact_revision {
            return Err(self.compacted(after));
        }
        Ok(self.log.iter().filter(|write| write.0 > after).copied().collect())
    }

    pub(crate) fn compact(&mut self, at: Revision) -> Result<(), CompactError> {
        if at <= self.compact_revision {
            let compact_revision = self.compact_revision;
            return Err(CompactError::AlreadyCompacted { requested: at, compact_revision });
        }
        if at > self.revision {
            return Err(CompactError::Future { requested: at, revision: self.revision });
        }
        self.compact_revision = at;
        Ok(())
    }

    fn check(&self, at: Revision) -> Result<(), ReadError> {
        if at > self.revision {
            return Err(ReadError::Future { requested: at, revision: self.revision });
        }
        if at < self.compact_revision {
            return Err(self.compacted(at));
        }
        Ok(())
    }

    fn compacted(&self, requested: Revision) -> ReadError {
        ReadError::Compacted { requested, compact_revision: self.compact_revision }
    }
}

/// A watch that remembers all it has been given.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) range: KeyRange,
    pub(crate) after: Revision,
    pub(crate) given: Vec<Written>,
    /// How many writes of the log it has looked at.
    looked_at: usize,
}

impl Watch {
    pub(crate) fn new(range: KeyRange, after: Revision) -> Self {
        Self { range, after, given: Vec::new(), looked_at: 0 }
    }

    /// The next event that is due; an error when a write is gone that it should have looked at.
    pub(crate) fn next(&mut self, naive: &Naive) -> Result<Option<Written>, ()> {
        while let Some(write) = naive.log.get(self.looked_at) {
            let due = write.0 > self.after;
            if due && write.0 <= naive.compact_revision {
                return Err(());
            }
            self.looked_at += 1;
            if due && self.range.contains(write.1) {
                self.given.push(*write);
                return Ok(Some(*write));
            }
        }
        Ok(None)
    }

    /// Returns the writes that it should have been given once it has looked at everything up to revision `until`.
    pub(crate) fn due(&self, naive: &Naive, until: Revision) -> Vec<Written> {
        let due = naive.log.iter().filter(|write| write.0 > self.after && write.0 <= until);
        due.filter(|write| self.range.contains(write.1)).copied().collect()
    }
}
