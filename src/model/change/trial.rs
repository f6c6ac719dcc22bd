//! The effect that a request would have: a dry run, and the object as it would be.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>.

use apimachinery::target;
use json_tree::{Value, json};

use crate::cluster::status::{self, Status};
use crate::cluster::{Request, Which};
use crate::model::change::deletion::Deletion;

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
    /// Reads the response to the dry run of `request`.
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
