//! A response against another one: what the one has that the other has not.

use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::trace::{Exchange, Outcome, Trace};
use crate::state::Page;
use crate::ui::messages;
use crate::ui::messages::against as words;
use crate::ui::part::{IntoPart, Part, act, live, quiet};
use crate::widgets::difference::Diff;

/// The most responses to choose from.
const MOST: usize = 60;

/// Another response.
struct Other {
    exchange: u64,
    name: String,
    /// True if it is about the same path.
    same: bool,
    /// True if it is to a request of the same method, too.
    alike: bool,
}

/// Shows the response of an exchange against another one: at first the last one before it to a request of the same
/// method and path.
pub(crate) fn show(page: Page, exchange: u64) -> Part {
    let others = untrack(|| page.read(|model| others(&model.trace, exchange)));
    let first = others.iter().find(|other| other.alike).or(others.iter().find(|other| other.same));
    let Some(first) = first.or(others.first()) else {
        return quiet(words::NONE);
    };
    let chosen = RwSignal::new(first.exchange);
    let options = |same: bool| {
        let options = others.iter().filter(|other| other.same == same).map(|other| {
            view! {
                <option value=other.exchange.to_string() selected=other.exchange == first.exchange>{other.name.clone()}</option>
            }
            .part()
        });
        options.collect::<Vec<_>>()
    };
    let (same, rest) = (options(true), options(false));
    let difference = move || {
        let other = chosen.get();
        let bodies =
            untrack(|| page.read(|model| (body(model.trace.get(other)), body(model.trace.get(exchange)))));
        match bodies {
            (Some(old), Some(new)) if old == new => quiet(words::SAME),
            (Some(old), Some(new)) => view! { <Diff old=Some(old) new=Some(new) owners=false /> }.part(),
            _ => quiet(messages::ANSWER_DROPPED),
        }
    };
    view! {
        <div class="against">
            <label>
                <span>{words::WITH}</span>
                <select on:change=act(move |event| chosen.set(event_target_value(&event).parse().unwrap_or_default()))>
                    {(!same.is_empty()).then(|| view! { <optgroup label=words::SAME_PATH>{same}</optgroup> })}
                    {(!rest.is_empty()).then(|| view! { <optgroup label=words::OTHERS>{rest}</optgroup> })}
                </select>
            </label>
            <p class="quiet">{words::SIGNS}</p>
        </div>
        {live(difference)}
    }
    .part()
}

/// Lists the other responses that are JSON: the older ones first, newest first, and then those that came later.
fn others(trace: &Trace, exchange: u64) -> Vec<Other> {
    let Some(own) = trace.get(exchange) else { return Vec::new() };
    let path = target::split(&own.request.target).0;
    let other = |other: &Exchange| {
        let Outcome::Answered(reply) = &other.outcome else { return None };
        let Request { method, target, .. } = &other.request;
        let same = target::split(target).0 == path;
        (other.id != exchange && reply.json().is_some()).then(|| Other {
            exchange: other.id,
            name: words::response(method, target, reply.status, other.head),
            same,
            alike: same && *method == own.request.method,
        })
    };
    let (older, later): (Vec<_>, Vec<_>) =
        trace.newest().filter_map(other).partition(|other| other.exchange < exchange);
    older.into_iter().chain(later).take(MOST).collect()
}

/// Returns the body of a response, as JSON.
fn body(exchange: Option<&Exchange>) -> Option<Value> {
    let Outcome::Answered(reply) = &exchange?.outcome else { return None };
    serde_json::from_slice(reply.json()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Which;
    use crate::cluster::trace::{Origin, Reply};

    #[test]
    fn the_last_response_before_it_about_the_same_path_comes_first() {
        let mut trace = Trace::default();
        for (path, body) in [("/a", "{}"), ("/b", "{}"), ("/a?limit=1", "{}"), ("/a", "text"), ("/a", "{}")] {
            let id = trace.sent(Which::ThisTab, Origin::User, Request::get(path), 0.0);
            let reply = Reply {
                status: 200,
                body: Some(body.into()),
                headers: Vec::new(),
                decoded: None,
                size: 0,
                took: 0.0,
                watch: None,
                served: None,
            };
            trace.settled(id, Outcome::Answered(reply), None);
        }
        let check = |exchange: u64, expected: &[(u64, bool)]| {
            let found: Vec<_> =
                others(&trace, exchange).iter().map(|other| (other.exchange, other.same)).collect();
            assert_eq!(found, expected);
        };
        let first = trace.newest().last().map(|exchange| exchange.id).unwrap_or_default();
        let at = |place: u64| first + place;
        check(at(4), &[(at(2), true), (at(1), false), (at(0), true)]);
        check(at(0), &[(at(4), true), (at(2), true), (at(1), false)]);
    }
}
