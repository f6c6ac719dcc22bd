//! The authorization decision on a request: who was allowed or denied, and by what.

use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::decided::binding_kind;
use crate::cluster::trace::Exchange;
use crate::model::access::grant;
use crate::model::views::View;
use crate::state::{Page, views};
use crate::ui::messages::access as words;
use crate::ui::part::{IntoPart, Part, act};

/// Returns whether an exchange was denied.
pub(crate) fn is_denied(exchange: &Exchange) -> bool {
    exchange.access.as_deref().is_some_and(|decided| !decided.access.allowed)
}

/// By which rule an exchange was allowed, in a line.
pub(crate) fn allowed(page: Page, exchange: &Exchange) -> Option<Part> {
    let decided = exchange.access.as_deref().filter(|decided| decided.access.allowed)?;
    let what = words::asked(&decided.asked);
    let Some((grant, [role, binding])) = decided.grant() else {
        return Some(
            view! {
                <p class="decision quiet-line">
                    <strong>{decided.user.clone()}</strong>
                    {words::master(&what)}
                </p>
            }
            .part(),
        );
    };
    Some(
        view! {
            <p class="decision" data-allowed="true">
                <strong>{decided.user.clone()}</strong>
                {words::may(&what)}
                <code>{grant::line(&grant.rule)}</code>
                " · "
                {link(page, &[&grant.role_kind, " ", &grant.role].concat(), role)}
                " · "
                {link(page, &[binding_kind(grant), " ", &grant.binding].concat(), binding)}
                {words::to_subject(&grant.subject)}
            </p>
        }
        .part(),
    )
}

/// A button that opens an object, which not everybody may read: so it is read as oneself.
fn link(page: Page, name: &str, path: String) -> Part {
    view! {
        <button type="button" class="small" title=words::OPENS on:click=act(move |_| page.open_as_admin(&Request::get(&path)))>
            {name.to_owned()}
        </button>
    }
    .part()
}

/// That an exchange was denied, and what would allow it.
pub(crate) fn denied(page: Page, exchange: &Exchange) -> Option<Part> {
    let decided = exchange.access.as_deref()?;
    let (request, what) = (&exchange.request, words::asked(&decided.asked));
    let [role, binding] = grant::requests(decided);
    let reason = (!decided.access.reason.is_empty()).then(|| {
        let reason = decided.access.reason.clone();
        view! { <p class="mono">{reason}</p> }.part()
    });
    let fill = |name: &'static str, request: &Request| {
        let request = request.clone();
        view! {
            <button type="button" on:click=act(move |_| page.fill_as_admin(&request))>{name}</button>
        }
        .part()
    };
    let (show_role, show_binding) = (fill(words::WRITE_ROLE, &role), fill(words::WRITE_BINDING, &binding));
    let steps = vec![role, binding, request.clone()];
    let (user, asked) = (decided.user.clone(), decided.asked.clone());
    let section = view! {
        <section class="decision" data-allowed="false" aria-label=words::DECISION>
            <p><strong>{decided.user.clone()}</strong>{words::may_not(&what)}</p>
            {reason}
            <p>{words::MISSING}" "<code>{grant::line(&grant::rule(&decided.asked))}</code></p>
            <div class="actions">
                <button type="button" class="primary" on:click=act(move |_| page.allow(steps.clone()))>{words::ALLOW}</button>
                {show_role}
                {show_binding}
                <button
                    type="button"
                    title=words::OPEN_ACCESS_ABOUT
                    on:click=act(move |_| {
                        page.question.ask(&user, &asked);
                        views::choose(page, View::Access);
                    })
                >
                    {words::OPEN_ACCESS}
                </button>
            </div>
        </section>
    };
    Some(section.part())
}
