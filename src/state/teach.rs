//! Recording a lesson.

use leptos::prelude::*;

use crate::cluster::trace::{Exchange, Origin};
use crate::state::{Dialog, Page};
use crate::ui::messages::learn as words;

impl Page {
    /// Begins to record a lesson, or ends that and shows what can be written of it.
    pub(crate) fn record_lesson(self) {
        if self.teaches.with_untracked(Option::is_some) {
            // It says that something is recorded.
            self.notice.set(None);
            self.dialog.set(Some(Dialog::Draft));
        } else {
            self.teaches.set(Some(untrack(|| self.read(|model| model.trace.next()))));
            self.tell_over(words::RECORDS.to_owned(), None);
        }
    }

    /// Returns how many requests have been recorded; `None` while no lesson is.
    pub(crate) fn recorded_requests(self) -> Option<usize> {
        let from = self.teaches.get()?;
        let of_user = |sent: &&Exchange| sent.origin == Origin::User;
        Some(
            self.read(|model| {
                model.trace.newest().take_while(|sent| sent.id >= from).filter(of_user).count()
            }),
        )
    }
}
