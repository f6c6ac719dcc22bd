//! The entries of blocks: what the trace tells, with objects as differences to what is known of them.
//!
//! An [`Entry`] is written by postcard. Writer and reader have the same [`Table`] of objects, which begins anew with each
//! state; an entry names an object by its number there.

use std::collections::HashMap;
use std::mem;

use bytes::Bytes;
use postcard::ser_flavors::Flavor;
use protocol::trace::{Change, Event, Lost, ObjectKey, State, Stored, Write};
use serde::{Deserialize, Serialize};

use crate::delta::{Differ, patch};

/// The bytes that an object takes in memory beside its texts.
const OBJECT: usize = 200;
/// The bytes that an event takes in memory at least, and a pair of texts beside the texts.
const EVENT: usize = 64;

/// Names and values.
type Pairs = Vec<(String, String)>;

/// A part of what the trace tells.
#[derive(Serialize, Deserialize)]
enum Entry<'a> {
    /// A batch begins.
    Begin(Lost),
    /// A state begins, whose objects follow.
    State(Lost, Box<State>),
    /// An object of the state, and the revision of its last write.
    Object(u64, Name, #[serde(borrow)] Body<'a>),
    /// A write. Its revision is how much newer it is than the last one.
    Write(u64, Change, Name, #[serde(borrow)] Option<Body<'a>>),
    /// Another event. Revisions and the numbers of requests are relative: see [`Table::shift`].
    Event(Event),
}

/// Which object.
#[derive(Serialize, Deserialize)]
enum Name {
    /// By its number.
    Known(u32),
    /// One that gets the next number.
    New(ObjectKey),
}

/// An object as it was stored.
#[derive(Serialize, Deserialize)]
struct Body<'a> {
    base: Base,
    /// The difference to the base.
    steps: &'a [u8],
    /// The labels; `None` if they are those of the base.
    labels: Option<Pairs>,
    fields: Option<Pairs>,
}

/// The base of an object's difference.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Base {
    /// Nothing.
    Empty,
    /// The version of it that was told before.
    Own,
    /// The object of this number.
    Other(u32),
}

/// An entry that was read.
pub(crate) enum Decoded {
    /// A batch begins, of which this was lost.
    Begin(Lost),
    /// A state begins; its objects follow.
    State(Lost, Box<State>),
    /// The state has one more object.
    Object,
    /// An event.
    Event(Event),
}

/// An object that the recording has told of.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) key: ObjectKey,
    /// The revision of its last write.
    pub(crate) revision: u64,
    /// The object, while it exists.
    pub(crate) stored: Option<Stored>,
}

/// The objects that have been told of since the last state, and the newest revision and request.
#[derive(Debug, Default)]
pub(crate) struct Table {
    objects: Vec<Known>,
    /// The number of each object. A reader has none of these.
    numbers: HashMap<ObjectKey, u32>,
    /// Of each group and resource the object that was told last, for new ones are like it.
    last: HashMap<(String, String), u32>,
    /// The bytes that the objects take.
    held: usize,
    pub(crate) revision: u64,
    request: u64,
    differ: Differ,
    steps: Vec<u8>,
}

impl Table {
    /// Returns the objects, existing or not.
    pub(crate) fn objects(&self) -> &[Known] {
        &self.objects
    }

    /// Returns the bytes that the objects take.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// Appends the beginning of a batch.
    pub(crate) fn write_begin(&self, lost: Lost, out: &mut Vec<u8>) {
        write(&Entry::Begin(lost), out);
    }

    /// Begins anew, and appends the beginning of a state.
    pub(crate) fn write_state(&mut self, lost: Lost, state: State, out: &mut Vec<u8>) {
        *self = Self { revision: state.revision, differ: mem::take(&mut self.differ), ..Self::default() };
        write(&Entry::State(lost, Box::new(state)), out);
    }

    /// Appends an object of a state; returns the bytes that it takes.
    pub(crate) fn write_object(
        &mut self,
        key: &ObjectKey,
        revision: u64,
        object: Stored,
        out: &mut Vec<u8>,
    ) -> usize {
        let (number, name) = self.name(key);
        let mut steps = mem::take(&mut self.steps);
        let body = self.body(number, key, &object, &mut steps);
        write(&Entry::Object(revision, name, body), out);
        self.steps = steps;
        self.store(number, revision, Some(object))
    }

    /// Appends an event; returns the bytes that it takes.
    pub(crate) fn write_event(&mut self, event: Event, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        let write_of = match event {
            Event::Write(write) => write,
            mut event => {
                self.shift(&mut event, false);
                write(&Entry::Event(event), out);
                return out.len() - start + EVENT;
            }
        };
        let Write { revision, change, key, object } = write_of;
        let newer = revision.wrapping_sub(self.revision);
        self.revision = revision;
        let (number, name) = self.name(&key);
        let mut steps = mem::take(&mut self.steps);
        let body = object.as_ref().map(|object| self.body(number, &key, object, &mut steps));
        write(&Entry::Write(newer, change, name, body), out);
        self.steps = steps;
        self.store(number, revision, object) + EVENT
    }

    /// Returns the number of an object.
    fn name(&mut self, key: &ObjectKey) -> (u32, Name) {
        match self.numbers.get(key) {
            Some(number) => (*number, Name::Known(*number)),
            None => {
                let number = self.add(key.clone());
                self.numbers.insert(key.clone(), number);
                (number, Name::New(key.clone()))
            }
        }
    }

    fn add(&mut self, key: ObjectKey) -> u32 {
        // A table of so many objects is too large long before.
        let number = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        self.held += OBJECT + key.group.len() + key.resource.len() + key.namespace.len() + key.name.len();
        self.objects.push(Known { key, revision: 0, stored: None });
        number
    }

    /// Returns an object as the difference to its own version before, or to another object of its collection.
    fn body<'a>(
        &mut self,
        number: u32,
        key: &ObjectKey,
        object: &Stored,
        steps: &'a mut Vec<u8>,
    ) -> Body<'a> {
        let stored = |number: u32| self.objects.get(number as usize).and_then(|known| known.stored.as_ref());
        let collection = (key.group.clone(), key.resource.clone());
        let other = self.last.get(&collection).copied();
        let (base, known) = match (stored(number), other.and_then(stored)) {
            (Some(own), _) => (Base::Own, Some(own)),
            (None, Some(known)) => (other.map_or(Base::Empty, Base::Other), Some(known)),
            (None, None) => (Base::Empty, None),
        };
        steps.clear();
        self.differ.diff(known.map_or(&[], |known| &known.json), &object.json, steps);
        let unless = |same: bool, pairs: &Pairs| (!same).then(|| pairs.clone());
        let body = Body {
            base,
            steps,
            labels: unless(known.is_some_and(|known| known.labels == object.labels), &object.labels),
            fields: unless(known.is_some_and(|known| known.fields == object.fields), &object.fields),
        };
        self.last.insert(collection, number);
        body
    }

    /// Takes note of an object as it is now; returns the bytes that it takes.
    fn store(&mut self, number: u32, revision: u64, object: Option<Stored>) -> usize {
        let size = object.as_ref().map_or(0, size);
        if let Some(known) = self.objects.get_mut(number as usize) {
            self.held = self.held.saturating_sub(known.stored.as_ref().map_or(0, crate::entry::size)) + size;
            known.revision = revision;
            known.stored = object;
        }
        size
    }

    /// Makes the revisions and the number of an event relative to the newest ones, or absolute again when it is read: what
    /// is told again and again is then nearly always the same.
    fn shift(&mut self, event: &mut Event, reads: bool) {
        let newest = self.revision;
        let by = |number: &mut u64, newest: u64| {
            *number = if reads { number.wrapping_add(newest) } else { number.wrapping_sub(newest) };
        };
        match event {
            Event::Request(request) => {
                let told = request.id;
                by(&mut request.id, self.request);
                self.request = if reads { request.id } else { told };
                request.wrote.iter_mut().for_each(|revision| by(revision, newest));
            }
            Event::Delivered { revision, deliveries, .. } => {
                by(revision, newest);
                deliveries.iter_mut().for_each(|one| by(&mut one.revision, newest));
            }
            // It is absolute, and what follows is relative to it.
            Event::Revision(revision) => self.revision = newest.max(*revision),
            _ => {}
        }
    }

    /// Begins anew, to read a state as of this revision.
    pub(crate) fn begin(&mut self, revision: u64) {
        *self = Self { revision, ..Self::default() };
    }

    /// Reads the next entry, and takes what it takes in memory off `room`. `None`: it is none, or it takes more.
    pub(crate) fn read(&mut self, entries: &mut &[u8], room: &mut usize) -> Option<Decoded> {
        let before = entries.len();
        let (entry, rest) = postcard::take_from_bytes::<Entry<'_>>(entries).ok()?;
        *entries = rest;
        Some(match entry {
            Entry::Begin(lost) => Decoded::Begin(lost),
            Entry::State(lost, state) => Decoded::State(lost, state),
            Entry::Object(revision, name, body) => {
                let number = self.number(name)?;
                let object = self.object(number, body, room)?;
                self.store(number, revision, Some(object));
                Decoded::Object
            }
            Entry::Write(newer, change, name, body) => {
                *room = room.checked_sub(EVENT)?;
                let revision = self.revision.wrapping_add(newer);
                self.revision = revision;
                let number = self.number(name)?;
                let object = match body {
                    None => None,
                    Some(body) => Some(self.object(number, body, room)?),
                };
                self.store(number, revision, object.clone());
                let key = self.objects.get(number as usize)?.key.clone();
                Decoded::Event(Event::Write(Write { revision, change, key, object }))
            }
            Entry::Event(Event::Write(_)) => return None,
            Entry::Event(mut event) => {
                *room = room.checked_sub(before - rest.len() + EVENT)?;
                self.shift(&mut event, true);
                Decoded::Event(event)
            }
        })
    }

    fn number(&mut self, name: Name) -> Option<u32> {
        match name {
            Name::Known(number) => self.objects.get(number as usize).map(|_| number),
            Name::New(key) => Some(self.add(key)),
        }
    }

    fn object(&self, number: u32, body: Body<'_>, room: &mut usize) -> Option<Stored> {
        let base = match body.base {
            Base::Empty => None,
            Base::Own => Some(number),
            Base::Other(other) => Some(other),
        };
        let base = match base {
            None => None,
            Some(base) => Some(self.objects.get(base as usize)?.stored.as_ref()?),
        };
        let json = patch(base.map_or(&[], |base| &base.json), body.steps, *room)?;
        let mut pairs = |own: Option<Pairs>, of_base: Option<&Pairs>| -> Option<Pairs> {
            let size = own.as_ref().or(of_base).map_or(0, pairs_size);
            *room = room.checked_sub(size)?;
            Some(own.or_else(|| of_base.cloned()).unwrap_or_default())
        };
        let labels = pairs(body.labels, base.map(|base| &base.labels))?;
        let fields = pairs(body.fields, base.map(|base| &base.fields))?;
        *room = room.checked_sub(json.len())?;
        Some(Stored { json: Bytes::from(json), labels, fields })
    }
}

/// Appends an entry. Nothing of the trace is a thing that cannot be written.
fn write(entry: &Entry<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    if postcard::serialize_with_flavor(entry, Appended(out)).is_err() {
        out.truncate(start);
    }
}

/// Bytes that postcard appends to.
struct Appended<'a>(&'a mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Returns the bytes that an object takes.
fn size(object: &Stored) -> usize {
    object.json.len() + pairs_size(&object.labels) + pairs_size(&object.fields)
}

fn pairs_size(pairs: &Pairs) -> usize {
    pairs.iter().map(|(name, value)| EVENT + name.len() + value.len()).sum()
}
