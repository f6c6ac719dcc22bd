//! Trying the policy that is being written.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Page, Shown, tidy};
use crate::access::decided::{GROUP, USER};
use crate::cluster::trace::Outcome as Became;
use crate::cluster::{Request, Which};
use crate::policy::Kind;
use crate::policy::outcome::{Outcome, Verdict};
use crate::policy::run::{Plan, run};
use crate::response::status;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::policy as words;
use crate::ui::panes::Pane;

/// How long nothing is written before it is tried, in milliseconds.
const PAUSE: i32 = 250;

impl Page {
    /// Whether the request that is being composed writes a policy that can be tried here.
    pub(crate) fn writes_policy(self) -> bool {
        let form = self.form;
        let kind = form.method.with(|method| form.path.with(|path| Kind::of(method, path)));
        kind.is_some() && self.cluster.get() == Which::ThisTab
    }

    /// Tries the policy that is being written, and again whenever anything of it has changed.
    pub(crate) fn try_policy(self) {
        self.form.gather();
        self.change.policy.asked.update(|asked| *asked += 1);
        self.show(Shown::Policy);
        if self.pane.get_untracked() != Pane::Timeline {
            self.pane.set(Pane::Answer);
        }
    }

    /// Tries the policy whenever something of it has changed, for as long as that is shown.
    pub(crate) fn follow_policy(self) {
        let tried = self.change.policy;
        let turn = StoredValue::new(0_u64);
        let by_hand = Memo::new(move |_| tried.by_hand());
        Effect::new(move || {
            let policy = tidy(self.form.watched());
            tried.asked.track();
            let (chosen, by_hand) = (tried.chosen.get(), by_hand.get());
            let (bound, params) = (tried.bound.get(), tried.params.get());
            let binding = tried.binding.get();
            let shown = self.shown.get() == Shown::Policy;
            let own = turn.try_update_value(|turn| {
                *turn += 1;
                *turn
            });
            if !shown || !self.writes_policy() {
                return;
            }
            spawn_local(async move {
                let current = move || own.is_some() && turn.try_get_value() == own;
                dom::sleep(PAUSE).await;
                if !current() {
                    return;
                }
                let sent = chosen.and_then(|id| self.sent_before(id));
                let request = sent.or_else(|| Some((self.signed(unsigned(by_hand?)), None)));
                let (namespace, identity) = (self.namespace.get_untracked(), self.form.identity());
                let plan = Plan { policy, request, namespace, identity, bound, binding, params };
                let embedded = self.embedded();
                let outcome = run(&embedded.server, &embedded.clock, &plan).await;
                if current() {
                    self.tell_outcome(outcome);
                }
            });
        });
    }

    fn tell_outcome(self, outcome: Result<Outcome, String>) {
        let tried = self.change.policy;
        if let Ok(outcome) = &outcome {
            let verdict = outcome.verdict();
            let code = if verdict == Verdict::Refused { outcome.policy.code } else { outcome.with.code };
            self.say(&words::verdict(verdict, &[&code.to_string(), " ", status::words(code)].concat()).1);
            if let Some(example) = &outcome.example {
                tried.suggest(example.clone());
            }
        }
        tried.outcome.set(Some(outcome));
    }

    /// The request of an exchange, and the revision that the cluster had before it.
    fn sent_before(self, id: u64) -> Option<(Request, Option<u64>)> {
        self.model.with_value(|model| {
            let exchange = model.trace.get(id)?;
            let made = match &exchange.outcome {
                Became::Answered(reply) => {
                    reply.served.as_ref().and_then(|served| served.wrote.first().copied())
                }
                Became::Pending | Became::Failed(_) => None,
            };
            let at = made.map(|revision| revision.saturating_sub(1)).or(exchange.head);
            Some((Request { encoded: None, ..exchange.request.clone() }, at))
        })
    }
}

/// A request of which is not yet said in whose name it is sent.
fn unsigned(mut request: Request) -> Request {
    request.headers.retain(|(name, _)| ![USER, GROUP].iter().any(|own| own.eq_ignore_ascii_case(name)));
    request
}
