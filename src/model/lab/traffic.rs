//! Traffic: writes to ConfigMaps, one after the other, always the same ones in the same order.

use crate::cluster::Request;

/// The namespace that the traffic is in.
pub(crate) const NAMESPACE: &str = "traffic";
/// The collection that it writes to.
pub(crate) const COLLECTION: &str = "/api/v1/namespaces/traffic/configmaps";
/// The choices of how many objects the traffic has; it starts with the first.
pub(crate) const SIZES: [usize; 3] = [OBJECTS, 2_000, 10_000];
const OBJECTS: usize = 200;
/// The field manager of the writes.
const MANAGER: &str = "traffic";
/// The text that a value is filled up with, so that an object has about 300 bytes.
const FILL: &str =
    "the quick brown fox jumps over the lazy dog, again and again, until there is nothing left to jump over";

/// A write: which object it is about, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// The number of the object.
    object: usize,
    /// The verb of the write.
    verb: Verb,
    /// How many writes there were before.
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Create,
    Update,
    Delete,
}

/// The writes that are still to come.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    lives: Vec<bool>,
    count: u64,
    state: u64,
    /// The number from which the next object to create is looked for; `None` unless all missing objects are to be created.
    fills: Option<usize>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { lives: vec![false; OBJECTS], count: 0, state: 1, fills: None }
    }
}

impl Traffic {
    /// Gives the traffic at least this many objects. The next writes create those that are missing. Returns how many are missing.
    pub(crate) fn fill(&mut self, objects: usize) -> usize {
        self.lives.resize(objects.max(self.lives.len()), false);
        self.fills = Some(0);
        self.lives.iter().filter(|lives| !**lives).count()
    }

    /// Returns the next missing object, as long as all missing objects are to be created, and looks behind it the next time.
    fn next_missing(&mut self) -> Option<usize> {
        let from = self.fills.take()?;
        let object = (from..self.lives.len()).find(|object| !self.lives[*object])?;
        self.fills = Some(object + 1);
        Some(object)
    }

    /// The next write.
    pub(crate) fn next(&mut self) -> Write {
        if let Some(object) = self.next_missing() {
            self.lives[object] = true;
            self.count += 1;
            return Write { object, verb: Verb::Create, count: self.count };
        }
        let objects = self.lives.len();
        // Knuth's generator: what looks like chance, and is the same every time.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chance = (self.state >> 33) as usize;
        let object = chance % objects;
        let verb = match self.lives[object] {
            false => Verb::Create,
            true if (chance / objects).is_multiple_of(8) => Verb::Delete,
            true => Verb::Update,
        };
        self.lives[object] = verb != Verb::Delete;
        self.count += 1;
        Write { object, verb, count: self.count }
    }

    /// Takes note of an answer: somebody else may have deleted or created the object.
    pub(crate) fn answered(&mut self, write: Write, code: u16) {
        match code {
            404 => self.lives[write.object] = false,
            409 => self.lives[write.object] = true,
            _ => {}
        }
    }
}

impl Write {
    /// The request that makes it.
    pub(crate) fn request(self) -> Request {
        let number = self.object.to_string();
        let object = [COLLECTION, "/load-", &number].concat();
        let (method, target) = match self.verb {
            Verb::Create => ("POST", COLLECTION.to_owned()),
            Verb::Update => ("PUT", object),
            Verb::Delete => ("DELETE", object),
        };
        let target = [&target, "?fieldManager=", MANAGER].concat();
        let body = if self.verb == Verb::Delete { String::new() } else { self.body(&number) };
        Request::json(method, &target, &body)
    }

    fn body(self, number: &str) -> String {
        // Now and then an object changes sides, so that selectors see it come and go.
        let side = if (self.object as u64 + self.count / 64).is_multiple_of(2) { "left" } else { "right" };
        let count = self.count.to_string();
        [
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"load-"#,
            number,
            r#"","labels":{"app":"traffic","side":""#,
            side,
            r#""}},"data":{"count":""#,
            &count,
            r#"","text":""#,
            FILL,
            r#""}}"#,
        ]
        .concat()
    }
}

/// How many writes are due after `ms` milliseconds at `rate` a second, and what is left of one; never more than a
/// quarter of a second's, so that a page that was asleep does not make up for it.
pub(crate) fn due(rate: u32, left: f64, ms: f64) -> (u32, f64) {
    let due = left + f64::from(rate) * ms.clamp(0.0, 250.0) / 1000.0;
    (due as u32, due.fract())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::executor::block_on;

    use super::*;
    use crate::cluster::Transport;
    use crate::cluster::embedded::in_process::InProcess;

    #[test]
    fn every_write_is_taken() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let send = |request| block_on(cluster.send(request)).unwrap().status;
        let namespace = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"traffic"}}"#;
        assert_eq!(send(Request::json("POST", "/api/v1/namespaces", namespace)), 201);
        let mut traffic = Traffic::default();
        let mut verbs = [0; 3];
        for _ in 0..600 {
            let write = traffic.next();
            let code = send(write.request());
            traffic.answered(write, code);
            assert_eq!(code, if write.verb == Verb::Create { 201 } else { 200 }, "{write:?}");
            verbs[write.verb as usize] += 1;
        }
        assert!(verbs.iter().all(|count| *count > 20), "{verbs:?}");
        let head = cluster.server.inspect().overview().revision;
        let state = cluster.server.inspect().state_at("configmaps", head).unwrap();
        assert!(state.len() <= OBJECTS && state.len() > OBJECTS / 2);
    }

    #[test]
    fn as_many_objects_are_made_as_somebody_wants() {
        let mut traffic = Traffic::default();
        let first = traffic.next();
        assert_eq!(traffic.fill(2_000), 1_999);
        let mut made: Vec<usize> = (0..1_999).map(|_| traffic.next()).map(|write| write.object).collect();
        made.push(first.object);
        made.sort_unstable();
        assert_eq!(made, (0..2_000).collect::<Vec<_>>());
        assert!((0..2_000).any(|_| traffic.next().object > OBJECTS), "the traffic is about all of them");
        assert_eq!(traffic.fill(200), traffic.lives.iter().filter(|lives| !**lives).count());
    }

    #[test]
    fn is_always_the_same() {
        let (mut one, mut other) = (Traffic::default(), Traffic::default());
        assert!((0..1000).all(|_| one.next() == other.next()));
    }

    #[test]
    fn learns_what_others_have_done() {
        let mut traffic = Traffic::default();
        let write = traffic.next();
        traffic.answered(write, 404);
        assert!(!traffic.lives[write.object]);
        traffic.answered(write, 409);
        assert!(traffic.lives[write.object]);
    }

    #[test]
    fn what_is_due_adds_up() {
        assert_eq!(due(10, 0.0, 16.0), (0, 0.16));
        assert_eq!(due(1000, 0.5, 16.0), (16, 0.5));
        assert_eq!(due(100, 0.0, 60_000.0), (25, 0.0));
    }
}
