//! Reading a collection as a table, page by page.

use apimachinery::target;

use crate::browse::listing::{Listing, PAGE};
use crate::cluster::{Request, Which};
use crate::model::request::form;
use crate::state::Page;
use crate::state::peek::Refusal;
use crate::ui::messages;

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
        let list = page.peek_at(self.which, at, request).await?;
        Listing::of(&list).ok_or_else(|| Refusal { code: 200, message: messages::browse::NO_LIST.to_owned() })
    }
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
}
