//! Going on from a failure.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::trace::Origin;
use crate::model::panes::Pane;
use crate::model::why::action::Action;
use crate::model::why::failure::Failure;
use crate::state::{Page, Shown};
use crate::ui::dom;

impl Page {
    /// Does what a failure's button says. Its last request stays in the form, and its answer is shown; so does one on
    /// the way there that fails.
    pub(crate) fn recover(self, action: Action, failure: Failure) {
        if action == Action::Edit {
            self.form.fill(&failure.request);
            self.pane.set(Pane::Request);
            dom::focus_soon("body");
            return;
        }
        spawn_local(async move {
            let mut answers = Vec::new();
            while let Some(request) = action.next(&failure, &answers) {
                let request = self.signed(request);
                let last = action.is_last(&failure, &answers);
                if last {
                    self.form.fill(&request);
                    if failure.trial {
                        self.try_request(request);
                        break;
                    }
                }
                let Some(id) = self.exchange(request.clone(), Origin::User, last).await else { return };
                let Some((code, answer)) = self.settled(id) else { return };
                if !last && code >= 300 {
                    self.form.fill(&request);
                    self.show(Shown::Exchange(id, false));
                    return;
                }
                answers.push(answer);
            }
            // The button that was pressed is gone.
            dom::focus_soon("answer");
        });
    }
}
