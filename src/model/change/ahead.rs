//! The conflicts that applying the current body would run into, known before it is sent.

use apimachinery::target;

use crate::cluster::Request;
use crate::cluster::status::{Cause, Status};
use crate::model::request::subject::How;

/// The conflicts that are ahead.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ahead {
    /// The path of the object.
    pub(crate) path: String,
    /// The fields of the object that others own, as they are written in conflicts, each once.
    pub(crate) fields: Vec<String>,
}

impl Ahead {
    /// Reports whether the field at `field` of the object at `path` is among them.
    pub(crate) fn has(&self, path: &str, field: &str) -> bool {
        self.path == path && self.fields.iter().any(|known| known == field)
    }
}

/// The request that finds it out: the same without force. `None` if it is no configuration to apply.
pub(crate) fn question(request: &Request) -> Option<Request> {
    let media = request.header("Content-Type").unwrap_or_default();
    let applies =
        request.method == "PATCH" && How::of(media) == How::Apply && !request.body.trim().is_empty();
    let target = target::with(&request.target, &[("force", None)]);
    applies.then(|| Request { target, ..request.clone() })
}

/// Returns the conflicts that are ahead, by the response to the request of `question`.
pub(crate) fn of(request: &Request, status: Option<&Status>) -> Ahead {
    let mut fields: Vec<String> = Vec::new();
    for cause in status.map(|status| conflicts(status)).unwrap_or_default() {
        if !fields.contains(&cause.field) {
            fields.push(cause.field.clone());
        }
    }
    Ahead { path: target::split(&request.target).0, fields }
}

/// Returns the causes of a failure that are conflicts between field managers.
pub(crate) fn conflicts(status: &Status) -> Vec<&Cause> {
    status.details.causes.iter().filter(|cause| cause.reason == "FieldManagerConflict").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::status;

    #[test]
    fn asks_without_force() {
        let mut request = Request::json("PATCH", "/api/v1/nodes/a?force=true&fieldManager=b", "{}");
        assert_eq!(question(&request), None);
        request.headers[1].1 = "application/apply-patch+yaml".to_owned();
        let asked = question(&request).unwrap();
        assert_eq!(asked.target, "/api/v1/nodes/a?fieldManager=b");
        request.body = " \n".to_owned();
        assert_eq!(question(&request), None);
    }

    #[test]
    fn fields_are_told_once() {
        let told = status::failure(
            br#"{"kind":"Status","status":"Failure","code":409,"details":{"causes":[
                {"reason":"FieldManagerConflict","message":"conflict with \"a\"","field":".x"},
                {"reason":"FieldManagerConflict","message":"conflict with \"b\"","field":".x"},
                {"reason":"Other","message":"m","field":".y"}]}}"#,
        );
        let ahead = of(&Request::get("/api/v1/nodes/a?x=y"), told.as_ref());
        assert!(ahead.has("/api/v1/nodes/a", ".x") && !ahead.has("/api/v1/nodes/a", ".y"));
        assert_eq!(ahead.fields, [".x"]);
        assert_eq!(of(&Request::get("/p"), None).fields, Vec::<String>::new());
    }
}
