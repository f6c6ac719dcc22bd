//! Events as one line of text: `--audit-log-format=legacy`.
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#log-backend>

use std::time::Duration;

use field::quote;
use json_tree::Value;

use super::event::Event;
use super::policy::Stage;
use apimachinery::time;

/// Returns an event at a stage, as a line. The time is that at which the request came.
pub(super) fn line(event: &Event, stage: Stage) -> String {
    let names = |groups: &Value| {
        let groups = groups.as_array().into_iter().flatten().filter_map(Value::as_str);
        groups.map(quote).collect::<Vec<_>>().join(",")
    };
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    let user = event.user["username"].as_str().unwrap_or_default().to_owned();
    let groups = if user.is_empty() { String::new() } else { names(&event.user["groups"]) };
    let (as_user, as_groups) = match &event.impersonated_user {
        Some(user) => {
            let groups = &user["groups"];
            let groups = if groups.is_null() { "<lookup>".to_owned() } else { names(groups) };
            (user["username"].as_str().unwrap_or_default().to_owned(), groups)
        }
        None => ("<self>".to_owned(), "<lookup>".to_owned()),
    };
    let namespace = event.object.as_ref().map(|object| object.namespace.clone()).unwrap_or_default();
    let code = event.status.as_ref().map(|status| status.get("code").and_then(Value::as_u64).unwrap_or(0));
    let code = code.map_or("<deferred>".to_owned(), |code| code.to_string());
    let parts = [
        ("id", event.id.clone()),
        ("stage", stage.name().to_owned()),
        ("ip", event.source_ips.first().cloned().unwrap_or_else(|| "<unknown>".to_owned())),
        ("method", event.verb.clone()),
        ("user", or(user, "<none>")),
        ("groups", or(groups, "<none>")),
        ("as", as_user),
        ("asgroups", as_groups),
        ("user-agent", event.user_agent.clone()),
        ("namespace", or(namespace, "<none>")),
        ("uri", event.uri.clone()),
    ];
    let parts = parts.map(|(key, text)| [key, "=", &quote(&text)].concat()).join(" ");
    format!("{} AUDIT: {parts} response=\"{code}\"\n", timestamp(event.received))
}

/// Returns a time of RFC 3339 with as many digits after the second as there are, as Go's `RFC3339Nano`. The local time is that in UTC.
fn timestamp(at: Duration) -> String {
    let (seconds, nanos) = (time::rfc3339(at), format!(".{:09}", at.subsec_nanos()));
    let digits = nanos.trim_end_matches('0').trim_end_matches('.');
    [seconds.trim_end_matches('Z'), digits, "Z"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_digits_that_there_are() {
        for (nanos, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_500_000_000, "1970-01-01T00:00:01.5Z"),
            (2_000_001_001, "1970-01-01T00:00:02.000001001Z"),
        ] {
            assert_eq!(timestamp(Duration::from_nanos(nanos)), expected);
        }
    }
}
