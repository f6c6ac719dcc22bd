//! Watches, and the copy that comes as the initial events of one.

use std::time::Duration;

use crate::cluster::event::{Event, EventType};
use crate::cluster::frames::Frames;
use crate::cluster::reflector::decision::Decision;
use crate::cluster::reflector::objects::{self, Objects};
use crate::cluster::reflector::why::Why;
use crate::cluster::reflector::{Next, Phase, Purpose, Reflector};

/// A watch that is over sooner, and brought nothing, is taken for a failure.
const SHORT: Duration = Duration::from_secs(1);

/// An open stream of events.
#[derive(Default)]
pub(super) struct Reading {
    frames: Frames,
    /// When it was asked for, or when the initial events were over.
    begun: Duration,
    /// True if it has brought anything since.
    brought: bool,
    /// True if its versions grow from event to event: it began after a version, or something else than ADDED has
    /// come.
    ordered: bool,
    /// The objects so far of a streaming list that has not come to its end.
    initial: Option<Objects>,
}

impl Reflector {
    /// Asks for a list as a stream.
    pub(super) fn stream_list(&mut self, now: Duration, why: Option<Why>) {
        let version = if self.unavailable { String::new() } else { self.version.clone() };
        self.log.push(now, Decision::StreamList { version: version.clone(), why });
        let params = [
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", &version),
            ("resourceVersionMatch", "NotOlderThan"),
            ("sendInitialEvents", "true"),
            ("timeoutSeconds", &self.timeout()),
            ("watch", "true"),
        ];
        self.ask(now, Purpose::StreamingList, &params);
    }

    /// Asks for what comes after the last version.
    pub(super) fn watch(&mut self, now: Duration, why: Option<Why>) {
        let version = self.version.clone();
        self.log.push(now, Decision::Watch { version: version.clone(), why });
        let params = [
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", &version),
            ("timeoutSeconds", &self.timeout()),
            ("watch", "true"),
        ];
        let after = !matches!(version.as_str(), "" | "0");
        self.ask(now, Purpose::Watch { after }, &params);
    }

    /// Begins to read the stream that was asked for at `begun`.
    pub(super) fn read(&mut self, begun: Duration, purpose: &Purpose) {
        let ordered = matches!(purpose, Purpose::Watch { after: true });
        let initial = matches!(purpose, Purpose::StreamingList).then(Objects::default);
        self.phase = Phase::Reading(Reading { begun, ordered, initial, ..Reading::default() });
    }

    /// Takes a piece of the open stream.
    pub(crate) fn chunk(&mut self, now: Duration, chunk: &[u8]) {
        let Phase::Reading(reading) = &mut self.phase else { return };
        for frame in reading.frames.push(chunk) {
            if let Err(why) = self.frame(now, frame) {
                self.close = true;
                return self.broke_off(now, why);
            }
        }
    }

    /// Takes the end of the open stream: the server's, or that of the connection, and why.
    pub(crate) fn ended(&mut self, now: Duration, why: Option<String>) {
        let Phase::Reading(reading) = &self.phase else { return };
        if !reading.brought && now.saturating_sub(reading.begun) < SHORT {
            return self.broke_off(now, Why::Short);
        }
        let why = Some(why.map_or(Why::Closed, Why::Broken));
        let next = if reading.initial.is_some() { Next::Sync(why) } else { Next::Watch(why) };
        self.go(now, next);
    }

    /// Takes an event. An error ends the stream.
    fn frame(&mut self, now: Duration, frame: Vec<u8>) -> Result<(), Why> {
        let Phase::Reading(reading) = &mut self.phase else { return Ok(()) };
        let event = Event::read(frame, now.as_secs_f64() * 1000.0).ok_or(Why::Unreadable)?;
        let objects = reading.initial.as_mut().unwrap_or(&mut self.objects);
        let key = objects::key(&event.namespace, &event.name);
        match event.kind {
            EventType::Added | EventType::Modified => {
                objects.insert(key, objects::of_event(&event).ok_or(Why::Unreadable)?);
            }
            EventType::Deleted => {
                objects.remove(&key);
            }
            EventType::Bookmark => {}
            EventType::Error => return Err(event.status.as_deref().map_or(Why::Unreadable, Why::said)),
        }
        reading.brought = true;
        reading.ordered |= event.kind != EventType::Added;
        if reading.initial.is_none() {
            if reading.ordered {
                self.version = event.version;
            }
        } else if event.kind == EventType::Bookmark && objects::ends_initial_events(&event) {
            let objects = reading.initial.take().unwrap_or_default();
            (reading.begun, reading.brought) = (now, false);
            self.replace(now, objects, event.version);
        }
        Ok(())
    }

    /// Goes on after a stream that an error has ended.
    fn broke_off(&mut self, now: Duration, why: Why) {
        match &self.phase {
            Phase::Reading(Reading { initial: Some(_), .. }) => self.unstreamed(now, why),
            _ => self.unwatched(now, why),
        }
    }

    /// Goes on after a streaming list that did not come to its end.
    pub(super) fn unstreamed(&mut self, now: Duration, why: Why) {
        if why.passes() {
            self.back_off(now, why.clone(), Next::Sync(Some(why)));
        } else if why.unavailable() {
            self.unavailable = true;
            self.stream_list(now, Some(why));
        } else {
            self.log.push(now, Decision::FallBack(why.clone()));
            self.list(now, Some(why));
        }
    }

    /// Goes on after a watch that was refused, or that an error has ended. The last version is still good if the server
    /// was not there, or had no time. Otherwise there has to be a new copy. It is asked for from that version on even
    /// if that one has expired: it must not be older, and the server need not have kept what came before it.
    pub(super) fn unwatched(&mut self, now: Duration, why: Why) {
        let again = Some(why.clone());
        let next = if why.passes() { Next::Watch(again) } else { Next::Sync(again) };
        self.back_off(now, why, next);
    }
}
