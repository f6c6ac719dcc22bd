//! The traffic, as it goes.

use apimachinery::target;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::message::{ClusterId, Mode};

use crate::cluster::trace::{Origin, Outcome};
use crate::cluster::{Request, Which};
use crate::model::lab::traffic::{NAMESPACE, Traffic, due};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::dom;

/// How long a batch waits for the next, in milliseconds.
const PAUSE: i32 = 16;
/// And how long where there is more to write than there was time for.
const SHORT: i32 = 2;
/// How long a batch takes at most, in milliseconds, where the page has little else to do.
const BATCH: f64 = 8.0;
/// And however long that takes.
const LONGEST: f64 = 40.0;
/// How many writes are sent in one go.
const AT_ONCE: u32 = 16;
/// How many watches are opened at once.
pub(crate) const WATCHES: usize = 20;
/// How many writes are made at once.
pub(crate) const BURST: u32 = 10_000;

impl Page {
    /// Sets how many writes a second there are.
    pub(crate) fn set_rate(self, rate: u32) {
        self.lab.rate.set(rate);
        self.flow();
    }

    /// Makes many writes at once.
    pub(crate) fn burst(self) {
        self.lab.burst.set((0, BURST));
        self.flow();
    }

    /// Creates objects until there are as many.
    pub(crate) fn fill(self, objects: usize) {
        let missing = self.lab.traffic.try_update_value(|traffic| traffic.fill(objects)).unwrap_or_default();
        self.lab.burst.set((0, u32::try_from(missing).unwrap_or(u32::MAX)));
        self.flow();
    }

    /// Lets the traffic flow until there is none, unless it does already.
    fn flow(self) {
        let lab = self.lab;
        if lab.flowing.get_value() {
            return;
        }
        lab.flowing.set_value(true);
        spawn_local(async move {
            self.make_namespace().await;
            let (mut last, mut left) = (dom::monotonic(), 0.0);
            let mut ended = last;
            loop {
                let rate = lab.rate.get_untracked();
                let (made, asked) = lab.burst.get_untracked();
                let rest = asked - made;
                if rate == 0 && rest == 0 {
                    break;
                }
                let begun = dom::monotonic();
                let (count, part) = due(rate, left, begun - last);
                // Half of the time at least is for writing, but where that would keep the page from answering.
                let end = begun + (begun - ended).clamp(BATCH, LONGEST);
                let written = self.write_some(end, count.max(rest)).await;
                ended = dom::monotonic();
                // What was not written in time is made up for, but for so much that it never could be.
                let late = f64::from(count.saturating_sub(written)).min(f64::from(rate) / 4.0);
                (last, left) = (begun, part + late);
                if rest > 0 {
                    self.tell_burst(made + written.min(rest), asked);
                }
                dom::sleep(if rest > 0 || late > 0.0 { SHORT } else { PAUSE }).await;
            }
            lab.flowing.set_value(false);
        });
    }

    /// Writes until there is nothing more to write, or the time has come to end; returns how many writes were taken. Of the writes of one
    /// packet one may overtake another one to the same object, which is then refused. Whoever watches has a turn in between, so that
    /// what they do is a part of what it takes.
    async fn write_some(self, end: f64, count: u32) -> u32 {
        let embedded = self.embedded();
        let mut written = 0;
        while written < count {
            // What is sent in one go comes to the engine in one packet.
            let some = (count - written).min(AT_ONCE);
            let next = |traffic: &mut Traffic| (0..some).map(|_| traffic.next()).collect::<Vec<_>>();
            let writes = self.lab.traffic.try_update_value(next).unwrap_or_default();
            let answers: Vec<_> = writes
                .iter()
                .map(|write| embedded.send_to(ClusterId::FIRST, 0, Mode::Serve, &write.request()))
                .collect();
            let mut taken = 0;
            for (write, answer) in writes.into_iter().zip(answers) {
                let code = answer.await.map_or(0, |answer| answer.status);
                taken += u32::from(code < 300 && code > 0);
                self.lab.traffic.update_value(|traffic| traffic.answered(write, code));
            }
            // One that was refused is made up for by another, but for where all are: that would never end.
            written += if taken == 0 { some } else { taken };
            if dom::monotonic() > end {
                break;
            }
        }
        written
    }

    fn tell_burst(self, done: u32, asked: u32) {
        let burst = self.lab.burst;
        if done >= asked {
            burst.set((0, 0));
            self.say(&say::burst_done(asked));
        } else {
            burst.set((done, asked));
        }
    }

    async fn make_namespace(self) {
        let body = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"traffic"}}"#;
        if !untrack(|| self.namespaces()).iter().any(|name| name == NAMESPACE) {
            let request = Request::json("POST", "/api/v1/namespaces", body);
            self.exchange(request, Origin::Opening, false).await;
        }
    }

    /// Opens many watches on the traffic, every other with a selector; or closes those that were opened.
    pub(crate) fn crowd(self) {
        let crowd = self.lab.crowd;
        let open = crowd.get_untracked();
        if !open.is_empty() {
            crowd.set(Vec::new());
            open.into_iter().for_each(|id| self.dismiss(id));
            return;
        }
        let version = self.overview.with_untracked(|overview| overview.revision).to_string();
        spawn_local(async move {
            self.cluster.set(Which::ThisTab);
            for number in 0..WATCHES {
                let side = if number % 4 == 1 { "side=left" } else { "side=right" };
                let mut params = vec![("watch", Some("true")), ("allowWatchBookmarks", Some("true"))];
                if number % 2 == 1 {
                    params.push(("labelSelector", Some(side)));
                }
                params.push(("resourceVersion", Some(&version)));
                let request = Request::get(&target::with(crate::model::lab::traffic::COLLECTION, &params));
                let Some(exchange) = self.exchange(request, Origin::Lab, false).await else { return };
                let opened = untrack(|| {
                    self.read(|model| match &model.trace.get(exchange)?.outcome {
                        Outcome::Answered(reply) => reply.watch,
                        _ => None,
                    })
                });
                crowd.update(|crowd| crowd.extend(opened));
            }
        });
    }
}
