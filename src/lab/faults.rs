//! Letting the next request of whoever sits in front of the page fail, and choosing the API server that it goes to.

use leptos::prelude::*;
use protocol::command::{Command, Done};
use protocol::trace::Fault as How;

use crate::cluster::{Request, Which};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::part::{IntoPart, act, flag, live, text};

/// The ways to fail, and what they are called.
const FAULTS: &[(How, &str)] = &[
    (How::TooManyRequests, "429 Too Many Requests"),
    (How::InternalError, "500 Internal Server Error"),
    (How::Unavailable, "503 Service Unavailable"),
    (How::Conflict, "409 Conflict"),
    (How::Cut, say::FAULT_CUT),
];

/// Reports whether a request can fail in that way.
fn concerns(how: How, request: &Request) -> bool {
    how != How::Conflict || matches!(request.method.as_str(), "PUT" | "PATCH" | "DELETE")
}

impl Page {
    /// Lets `request`, which is about to be sent, fail as has been asked for. Nothing else can come in between: it is
    /// sent before anybody else has a turn.
    ///
    /// Returns the number of the API server.
    pub(crate) fn arm(self, which: Which, request: &Request) -> Option<usize> {
        let (how, _) = FAULTS.get(self.lab.fault.get_untracked()?)?;
        if which != Which::ThisTab || !concerns(*how, request) {
            return None;
        }
        let server = self.embedded().next();
        self.command(Command::Fail { server, count: 1, fault: *how });
        Some(server)
    }

    /// The request has been answered: it was the last to fail, or it could not fail in that way.
    pub(crate) async fn disarm(self, server: usize) {
        let left = self.embedded().command(Command::ClearFaults { server }).await;
        if left == Ok(Done::Cleared(0)) {
            self.lab.fault.set(None);
        }
    }
}

/// How the next answer comes, and from which API server.
#[component]
pub(crate) fn Next() -> impl IntoView {
    let page = expect_context::<Page>();
    let lab = page.lab;
    let pending = move || lab.fault.get().is_some();
    view! {
        <label hidden=flag(move || lab.servers.get() < 2) title=say::NEXT_SERVER_ABOUT>
            <span>{say::NEXT_SERVER}</span>
            <select
                prop:value=text(move || lab.server.get().map_or_else(String::new, |number| number.to_string()))
                on:change=move |event| page.choose_server(event_target_value(&event).parse().ok())
            >
                {live(move || {
                    (0..lab.servers.get())
                        .map(|number| {
                            let chosen = lab.server.get_untracked() == Some(number);
                            view! { <option value=number.to_string() selected=chosen>{number.to_string()}</option> }
                        })
                        .collect_view()
                })}
                <option value="">{say::NEXT_IN_TURN}</option>
            </select>
        </label>
        <label hidden=flag(move || page.cluster.get() == Which::Remote) title=say::FAULT_ABOUT>
            <span>{say::FAULT}</span>
            <select
                prop:value=text(move || lab.fault.get().map_or_else(String::new, |fault| fault.to_string()))
                on:change=move |event| lab.fault.set(event_target_value(&event).parse().ok())
            >
                <option value="">{say::FAULT_NONE}</option>
                {FAULTS
                    .iter()
                    .enumerate()
                    .map(|(fault, (_, name))| view! { <option value=fault.to_string()>{*name}</option> })
                    .collect_view()}
            </select>
        </label>
        <span class="pending" hidden=flag(move || !pending())>
            <span class="figure">{say::FAULT_PENDING}</span>
            <button type="button" on:click=act(move |_| lab.fault.set(None))>{say::FAULT_CLEAR}</button>
        </span>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_of_an_object_conflict() {
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let concerned = |how| {
            methods.map(|method| concerns(how, &Request { method: method.to_owned(), ..Request::default() }))
        };
        assert_eq!(concerned(How::Conflict), [false, false, true, true, true]);
        assert_eq!(concerned(How::Cut), [true; 5]);
    }
}
