//! Reading for the Cluster view. Nobody is told of it: these are no requests of the user.

use bytes::Bytes;
use json_tree::Value;
use leptos::prelude::*;
use protocol::message::Mode;

use super::listing::{Listing, PAGE};
use crate::cluster::{Request, Which};
use crate::request::{form, target};
use crate::response::status;
use crate::state::Page;
use crate::state::trial::{NEWEST, told};
use crate::ui::messages;

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The HTTP status code; 0 if there was no response.
    pub(crate) code: u16,
    /// What to tell.
    pub(crate) message: String,
}

/// Reads JSON as of a revision.
///
/// # Errors
/// There is no response, or it is none of 200.
pub(crate) async fn read(
    page: Page,
    which: Which,
    at: Option<u64>,
    request: Request,
) -> Result<Value, Refusal> {
    let silent = |message: String| Refusal { code: 0, message };
    let (code, _, body) = match which {
        Which::ThisTab => {
            let asked = page.embedded().ask(Mode::At(at.unwrap_or(NEWEST)), &request).await;
            told(asked.map_err(|error| silent(error.to_string()))?).await.map_err(silent)?
        }
        Which::Remote => page.quietly_send(which, request).await.map_err(silent)?,
    };
    if code != 200 {
        return Err(Refusal { code, message: message(code, &body) });
    }
    serde_json::from_slice(&body).map_err(|error| Refusal { code, message: error.to_string() })
}

/// Returns what a response of failure says.
fn message(code: u16, body: &Bytes) -> String {
    let said = status::failure(body).map(|failure| failure.message).filter(|message| !message.is_empty());
    said.unwrap_or_else(|| messages::answered(code, status::words(code)))
}

/// Returns the request for `limit` objects of a collection as a table, from a continue token on.
fn page_of(path: &str, labels: &str, limit: usize, token: &str) -> Request {
    let some = |text: &'static str, value: &str| (text, (!value.is_empty()).then(|| value.to_owned()));
    let params =
        [("limit", Some(limit.to_string())), some("labelSelector", labels.trim()), some("continue", token)];
    let params: Vec<(&str, Option<&str>)> =
        params.iter().map(|(name, value)| (*name, value.as_deref())).collect();
    let accept = [form::TABLE, ",application/json"].concat();
    Request { headers: vec![("Accept".to_owned(), accept)], ..Request::get(&target::with(path, &params)) }
}

/// A collection to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Collection {
    pub(crate) which: Which,
    pub(crate) path: String,
    pub(crate) labels: String,
    /// The revision; `None` for the newest.
    pub(crate) at: Option<u64>,
}

impl Collection {
    /// Reads the first objects, at least `least` of them if there are as many.
    pub(crate) async fn first(&self, page: Page, least: usize) -> Result<Listing, Refusal> {
        let limit = least.div_ceil(PAGE).max(1) * PAGE;
        self.read(page, self.at, limit, "").await
    }

    /// Reads the page that comes after those that have been read.
    pub(crate) async fn next(&self, page: Page, before: &Listing, limit: usize) -> Result<Listing, Refusal> {
        self.read(page, Some(before.version), limit, &before.token).await
    }

    async fn read(&self, page: Page, at: Option<u64>, limit: usize, token: &str) -> Result<Listing, Refusal> {
        let request = page_of(&self.path, &self.labels, limit, token);
        let list = read(page, self.which, at, request).await?;
        Listing::of(&list).ok_or_else(|| Refusal { code: 200, message: messages::browse::NO_LIST.to_owned() })
    }
}

/// Returns the revision to read at: the one that the page shows, if it shows the past of this tab's cluster.
pub(crate) fn at(page: Page) -> Option<u64> {
    page.at.get().filter(|_| page.cluster.get() == Which::ThisTab)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_request() {
        let asked = |labels: &str, token: &str| page_of("/api/v1/pods", labels, 250, token).target;
        assert_eq!(asked("", ""), "/api/v1/pods?limit=250");
        assert_eq!(
            asked(" app in (a,b) ", "x"),
            "/api/v1/pods?limit=250&labelSelector=app%20in%20(a,b)&continue=x"
        );
    }

    #[test]
    fn a_refusal_is_told() {
        let status = br#"{"kind":"Status","status":"Failure","message":"no","code":404}"#;
        assert_eq!(message(404, &Bytes::from_static(status)), "no");
        assert!(message(502, &Bytes::from_static(b"<html>")).contains("502"));
    }
}
