//! Trying the policy that is being written.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::trace::Outcome as Became;
use crate::cluster::{Request, Which};
use crate::model::messages::policy as words;
use crate::model::panes::Pane;
use crate::model::policy::outcome::Outcome;
use crate::model::policy::run::{Plan, run};
use crate::model::policy::{Kind, of_text};
use crate::state::{Page, Shown, tidy};
use crate::ui::dom;
use crate::ui::memo::Memo;

/// How long nothing is written before it is tried, in milliseconds.
const PAUSE: i32 = 250;

impl Page {
    /// Returns whether the request that is being composed writes a policy that can be tried here.
    pub(crate) fn writes_policy(self) -> bool {
        let form = self.form;
        let kind = form.method.with(|method| form.path.with(|path| Kind::of(method, path)));
        kind.is_some() && self.cluster.get() == Which::ThisTab
    }

    /// Tries the policy that is being written, and again whenever anything of it has changed.
    pub(crate) fn try_policy(self) {
        self.gather();
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
            let text = by_hand.get();
            let mut plan = Plan {
                policy,
                namespace: self.namespace.get_untracked(),
                identity: self.form.identity(),
                bound: tried.bound.get(),
                binding: tried.binding.get(),
                params: tried.params.get(),
                ..Plan::default()
            };
            match tried.chosen.get().and_then(|id| self.sent_before(id)) {
                Some((request, at)) => (plan.request, plan.at) = (Some(request), at),
                None if text.is_empty() => {}
                None => plan.request = Some(self.signed(of_text(&text))),
            }
            let shown = self.shown.get() == Shown::Policy;
            let own = turn.try_update_value(|turn| {
                *turn += 1;
                *turn
            });
            if shown && self.writes_policy() {
                spawn_local(async move {
                    dom::sleep(PAUSE).await;
                    if turn.try_get_value() == own && own.is_some() {
                        let embedded = self.embedded();
                        plan.policy.encoded = embedded.encoded(&plan.policy).await.unwrap_or_default();
                        let head = self.overview.with_untracked(|overview| overview.revision);
                        let outcome = run(&embedded, head, &plan).await;
                        if turn.try_get_value() == own {
                            self.tell_outcome(Ok(outcome));
                        }
                    }
                });
            }
        });
    }

    fn tell_outcome(self, outcome: Result<Outcome, String>) {
        let tried = self.change.policy;
        if let Ok(outcome) = &outcome {
            self.say(&words::verdict(outcome.verdict(), outcome.code()).2);
            if let Some(example) = &outcome.example {
                tried.suggest(example);
            }
        }
        self.quietly(|model| model.tried = Some(outcome));
        tried.told.update(|told| *told += 1);
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
            Some((exchange.request.clone(), at))
        })
    }
}
