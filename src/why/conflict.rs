//! A conflict of applying, field by field: who owns it, its value now, and what was sent.
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts>.

use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::status::Status;
use crate::model::change::ahead::conflicts;
use crate::model::messages::change as words;
use crate::model::why::failure::Failure;
use crate::model::why::fields::find;
use crate::state::Page;
use crate::ui::changes::show_value;
use crate::ui::part::{IntoPart, Part, live};

/// A field that others own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    /// As conflicts write it.
    pub(crate) field: String,
    /// The owners of the field, each with how it came to own it.
    pub(crate) owners: Vec<(String, String)>,
}

/// The fields that a failure names, each once.
pub(crate) fn claims(status: &Status) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for cause in conflicts(status) {
        let owner = owner(&cause.message);
        match claims.iter_mut().find(|claim| claim.field == cause.field) {
            Some(claim) => claim.owners.push(owner),
            None => claims.push(Claim { field: cause.field.clone(), owners: vec![owner] }),
        }
    }
    claims
}

/// Returns the owner that `conflict with "bob" with subresource "status" using v1` names, and the rest of the message.
fn owner(message: &str) -> (String, String) {
    let told = message.strip_prefix("conflict with ").unwrap_or(message);
    let mut names = serde_json::Deserializer::from_str(told).into_iter::<String>();
    match names.next() {
        Some(Ok(name)) => (name, told[names.byte_offset()..].trim().to_owned()),
        _ => (told.to_owned(), String::new()),
    }
}

/// The fields in conflict, as a table.
pub(crate) fn show(page: Page, failure: &Failure) -> Option<Part> {
    let claims = claims(&failure.status);
    if claims.is_empty() {
        return None;
    }
    let now = RwSignal::new(None::<Value>);
    let (which, request) = (failure.cluster, failure.request.clone());
    spawn_local(async move {
        let object = page.object_of(which, &request).await;
        // Who looked at it may look at something else by then.
        let _ = now.try_set(object);
    });
    let sent = failure.body().unwrap_or_default();
    let rows = claims.into_iter().map(|Claim { field, owners }| {
        let owners = owners
            .into_iter()
            .map(|(name, rest)| view! { <div>{name}" "<span class="figure">{rest}</span></div> }.part());
        let mine = find(&sent, &field).cloned();
        let path = field.clone();
        let live_value = move || now.with(|now| value(now.as_ref().and_then(|object| find(object, &path))));
        view! {
            <tr>
                <th scope="row"><code>{field}</code></th>
                <td data-label=words::CLAIMED_BY>{owners.collect_view()}</td>
                <td data-label=words::LIVE>{live(live_value)}</td>
                <td data-label=words::SENT>{value(mine.as_ref())}</td>
            </tr>
        }
        .part()
    });
    let heads = [words::FIELD, words::CLAIMED_BY, words::LIVE, words::SENT];
    let table = view! {
        <table class="changes claims">
            <caption class="unseen">{words::CLAIMS}</caption>
            <thead>
                <tr>{heads.map(|name| view! { <th scope="col">{name}</th> }.part()).into_iter().collect_view()}</tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    Some(table.part())
}

fn value(value: Option<&Value>) -> Part {
    match value {
        Some(value) => show_value(Some(value)),
        None => view! { <span class="figure">{words::ABSENT}</span> }.part(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, name: &str, rest: &str) {
        assert_eq!(owner(message), (name.to_owned(), rest.to_owned()));
    }

    #[test]
    fn tells_who_owns_a_field() {
        check(r#"conflict with "bob" using v1"#, "bob", "using v1");
        check(
            r#"conflict with "a \"b\"" with subresource "status" using apps/v1 at 2026-01-01T00:00:00Z"#,
            "a \"b\"",
            r#"with subresource "status" using apps/v1 at 2026-01-01T00:00:00Z"#,
        );
        check("something else", "something else", "");
    }
}
