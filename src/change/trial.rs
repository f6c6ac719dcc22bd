//! What a request would do: a dry run, and its outcome laid over the object as it is.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>.

use json_tree::{Value, json};
use leptos::prelude::*;

use super::deletion::Deletion;
use super::difference::{Changed, Difference, Fate, difference};
use crate::cluster::{Request, Which};
use crate::request::target;
use crate::response::status::{self, Status};
use crate::response::warnings;
use crate::state::Page;
use crate::timeline::rails::difference::{owner_class, show_legend};
use crate::timeline::rails::ownership::Manager;
use crate::ui::changes::{self, Row};
use crate::ui::messages::change as words;
use crate::ui::messages::rails;
use crate::ui::part::{IntoPart, Part, act};
use crate::why::view as why;

/// More fields than this are not shown.
const MOST: usize = 300;
/// More characters of a value than this are not shown.
const LONGEST: usize = 200;

/// A dry run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trial {
    pub(crate) cluster: Which,
    /// The request that was tried, as it would be sent.
    pub(crate) request: Request,
    /// The HTTP status code; 0 if nothing answered.
    pub(crate) code: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The object as it is; null if there is none.
    pub(crate) before: Value,
    /// The object as it would be; null if it would be gone.
    pub(crate) after: Value,
    /// Why it would fail.
    pub(crate) failure: Option<Status>,
}

impl Trial {
    /// What came back of trying `request`.
    pub(crate) fn new(
        (cluster, request): (Which, Request),
        before: Value,
        (code, headers, body): (u16, Vec<(String, String)>, &[u8]),
    ) -> Self {
        let failed = !(200..300).contains(&code);
        let failure = status::failure(body).or_else(|| {
            failed.then(|| {
                Status::plain(code, String::from_utf8_lossy(body).trim().chars().take(300).collect())
            })
        });
        let after: Value = serde_json::from_slice(body).unwrap_or_default();
        // A deletion that is over is answered with a Status, or with what the object was.
        let gone = after["kind"] == "Status"
            || Deletion::of(&after).map_or(request.method == "DELETE", |deletion| deletion.is_over());
        let kept = failure.is_none() && (!gone || after.get("items").is_some());
        let after = if kept { after } else { Value::Null };
        Self { cluster, request, code, headers, before, after, failure }
    }
}

/// The request that does nothing but say what `request` would do; `None` if it changes nothing anyway.
pub(crate) fn dry(request: &Request) -> Option<Request> {
    if request.method == "GET" {
        return None;
    }
    let mut dry = request.clone();
    dry.target = target::with(&request.target, &[("dryRun", Some("All"))]);
    // The result is compared as it is, not as a table.
    dry.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Accept"));
    dry.headers.push(("Accept".to_owned(), "application/json".to_owned()));
    if request.method == "DELETE" && !request.body.trim().is_empty() {
        // Of a deletion with a body only that counts. What is no JSON is not sent: it might be done.
        let mut options: Value = serde_json::from_str(&request.body).ok()?;
        options.as_object_mut()?.insert("dryRun".to_owned(), json!(["All"]));
        dry.body = options.to_string();
    }
    Some(dry)
}

/// The outcome of a dry run.
pub(crate) fn show(page: Page, trial: &Trial) -> Part {
    let Trial { cluster, request, code, headers, before, after, failure } = trial;
    let asked = [&request.method, " ", &request.target].concat();
    let code = [&code.to_string(), " ", status::words(*code)].concat();
    let bad = failure.is_some();
    let told = match failure {
        Some(failure) => why::of_trial(page, *cluster, request.clone(), failure.clone()),
        None => show_change(before, after),
    };
    let again = request.clone();
    view! {
        <div class="answer-head" data-trial="">
            <span class="status trial">{words::TRIAL}</span>
            <span class="status" class:bad=bad>{code}</span>
            <span class="figure">{words::TRIED}</span>
            <span class="asked mono">{asked}</span>
            {(!bad).then(|| view! {
                <button type="button" class="primary" on:click=act(move |_| page.resend(again.clone()))>
                    {words::SEND}
                </button>
            }.part())}
        </div>
        {warnings::show(headers)}
        {told}
    }
    .part()
}

fn show_change(before: &Value, after: &Value) -> Part {
    if after.is_null() {
        return view! { <p class="quiet">{words::GONE}</p> }.part();
    }
    if let Some(Value::Array(items)) = after.get("items").filter(|_| before.is_null()) {
        return show_gone(items);
    }
    let inside = show_difference(before, after);
    view! {
        <div class="panel scroll" role="group" tabindex="0" aria-label=words::WOULD_CHANGE>
            {inside}
        </div>
    }
    .part()
}

/// The fields of an object that would be another way.
pub(crate) fn show_difference(before: &Value, after: &Value) -> Part {
    let Difference { managers, fields } = difference(before, after);
    if fields.is_empty() {
        return view! { <p class="quiet">{words::NOTHING}</p> }.part();
    }
    let passed = fields.iter().filter(|field| field.fate == Fate::Passed).count();
    let said = words::would(fields.len() - passed, passed);
    let cut = fields.len().saturating_sub(MOST);
    let rows = fields.iter().take(MOST).map(|field| row(field, &managers)).collect();
    let columns = [words::WHAT, words::FIELD, words::NOW, words::THEN, words::OWNERS];
    view! {
        <p class="said">{said}</p>
        {(!managers.is_empty()).then(|| show_legend(&managers))}
        {changes::table(words::WOULD_CHANGE, &columns, rows)}
        {(cut > 0).then(|| view! { <p class="quiet">{rails::rest(cut)}</p> }.part())}
    }
    .part()
}

/// The objects of a collection that would be deleted.
fn show_gone(items: &[Value]) -> Part {
    let names = items.iter().take(MOST).map(|item| {
        let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        view! { <li><code>{name.to_owned()}</code></li> }.part()
    });
    view! {
        <div class="panel scroll" role="group" tabindex="0" aria-label=words::WOULD_CHANGE>
            <p class="said">{words::would_go(items.len())}</p>
            <ul>{names.collect_view()}</ul>
        </div>
    }
    .part()
}

fn row(field: &Changed, managers: &[Manager]) -> Row {
    let Changed { fate, path, old, new, before, after } = field;
    let then = match fate {
        Fate::Passed => view! { <span class="figure">{words::SAME}</span> }.part(),
        _ => show_value(new.as_ref()),
    };
    let owners = match before == after || before.is_empty() || *fate == Fate::Removed {
        true if *fate == Fate::Removed => show_owners(before, managers),
        true => show_owners(after, managers),
        false => (show_owners(before, managers), " → ", show_owners(after, managers)).part(),
    };
    let class = match fate {
        Fate::Added => "plus",
        Fate::Removed => "minus",
        Fate::Changed => "swap",
        Fate::Passed => "passed",
    };
    let path = view! { <code>{path.clone()}</code> }.part();
    (class, words::fate(*fate), vec![path, show_value(old.as_ref()), then, owners])
}

/// A value on a line; nothing where there is none.
pub(crate) fn show_value(value: Option<&Value>) -> Part {
    let Some(value) = value else { return ().part() };
    let class = match value {
        Value::String(_) => "j-text",
        Value::Number(_) => "j-number",
        _ => "j-word",
    };
    let text = value.to_string();
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    view! { <code class=class>{shown}</code> }.part()
}

fn show_owners(places: &[usize], managers: &[Manager]) -> Part {
    if places.is_empty() {
        return view! { <span class="figure">{words::NOBODY}</span> }.part();
    }
    let owners = places.iter().filter_map(|at| Some((*at, managers.get(*at)?))).map(|(at, manager)| {
        view! {
            <span class="owned-by" title=rails::manager(manager)>
                <span class=owner_class(at) aria-hidden="true">{manager.letter.to_string()}</span>
                " "
                {manager.name.clone()}
            </span>
        }
        .part()
    });
    owners.collect_view().part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_says_so_where_it_counts() {
        let delete = |body: &str| Request::json("DELETE", "/api/v1/nodes/a?x=1", body);
        assert_eq!(dry(&Request::get("/p")), None);
        assert_eq!(dry(&delete("")).unwrap().target, "/api/v1/nodes/a?x=1&dryRun=All");
        let with_body = dry(&delete(r#"{"propagationPolicy":"Orphan"}"#)).unwrap();
        assert_eq!(with_body.body, r#"{"propagationPolicy":"Orphan","dryRun":["All"]}"#);
        assert_eq!(dry(&delete("kind: DeleteOptions")), None);
        let table = Request {
            headers: vec![("accept".to_owned(), "application/json;as=Table".to_owned())],
            ..Request::json("PUT", "/p?dryRun=None", "{}")
        };
        let tried = dry(&table).unwrap();
        assert_eq!(
            (tried.target.as_str(), tried.header("Accept")),
            ("/p?dryRun=All", Some("application/json"))
        );
    }

    #[test]
    fn a_deletion_leaves_nothing_or_a_mark() {
        let tried = |body: &str| {
            let asked = (Which::ThisTab, Request::json("DELETE", "/p", ""));
            !Trial::new(asked, Value::Null, (200, Vec::new(), body.as_bytes())).after.is_null()
        };
        assert!(!tried(r#"{"kind":"Pod","metadata":{}}"#));
        assert!(!tried(
            r#"{"kind":"Pod","metadata":{"deletionTimestamp":"t","deletionGracePeriodSeconds":0}}"#
        ));
        assert!(tried(
            r#"{"kind":"Pod","metadata":{"deletionTimestamp":"t","deletionGracePeriodSeconds":30}}"#
        ));
        assert!(tried(r#"{"kind":"X","metadata":{"deletionTimestamp":"t","finalizers":["a/b"]}}"#));
        assert!(tried(r#"{"kind":"XList","items":[]}"#));
    }

    #[track_caller]
    fn check(code: u16, body: &str, gone: bool, failure: Option<&str>) {
        let asked = (Which::ThisTab, Request::get("/p"));
        let trial = Trial::new(asked, Value::Null, (code, Vec::new(), body.as_bytes()));
        assert_eq!(trial.after.is_null(), gone, "{body}");
        assert_eq!(trial.failure.map(|status| status.message).as_deref(), failure, "{body}");
    }

    #[test]
    fn an_answer_is_an_object_or_a_failure() {
        check(200, r#"{"kind":"ConfigMap"}"#, false, None);
        check(200, r#"{"kind":"Status","status":"Success"}"#, true, None);
        check(409, r#"{"kind":"Status","status":"Failure","message":"m","code":409}"#, true, Some("m"));
        check(500, "broken\n", true, Some("broken"));
        check(0, "no way", true, Some("no way"));
    }
}
