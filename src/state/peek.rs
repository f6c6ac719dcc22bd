//! Reading what the page shows without being asked to by a request: nobody is told of it.

use ::bytes::Bytes;
use json_tree::Value;
use leptos::prelude::*;
use protocol::message::Mode;

use crate::cluster::answer::{NEWEST, told};
use crate::cluster::{Request, Which, status};
use crate::state::Page;
use crate::ui::messages;

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The HTTP status code; 0 if there was no response.
    pub(crate) code: u16,
    /// The sentence that says why.
    pub(crate) message: String,
}

impl Page {
    /// Reads JSON as of a revision of the cluster of this tab; `None` is the newest.
    ///
    /// # Errors
    /// There is no response, or one that is no success.
    pub(crate) async fn peek_at(
        self,
        which: Which,
        at: Option<u64>,
        request: Request,
    ) -> Result<Value, Refusal> {
        let body = self.peek_bytes(which, at, request).await?;
        serde_json::from_slice(&body).map_err(|error| Refusal { code: 200, message: error.to_string() })
    }

    /// Reads bytes as of a revision of the cluster of this tab; `None` is the newest.
    ///
    /// # Errors
    /// There is no response, or one that is no success.
    pub(crate) async fn peek_bytes(
        self,
        which: Which,
        at: Option<u64>,
        request: Request,
    ) -> Result<Bytes, Refusal> {
        let silent = |message: String| Refusal { code: 0, message };
        let (code, _, body) = match which {
            Which::ThisTab => {
                let asked = self.embedded().ask(Mode::At(at.unwrap_or(NEWEST)), &request).await;
                told(asked.map_err(|error| silent(error.to_string()))?).await.map_err(silent)?
            }
            Which::Remote => self.quietly_send(which, request).await.map_err(silent)?,
        };
        if (200..300).contains(&code) {
            Ok(body)
        } else {
            Err(Refusal { code, message: message(code, &body) })
        }
    }

    /// Reads JSON as it is now, if it can be read.
    pub(crate) async fn peek(self, which: Which, request: Request) -> Option<Value> {
        self.peek_at(which, None, request).await.ok()
    }

    /// Returns the revision to read at: the one that the page shows, if it shows the past of this tab's cluster.
    pub(crate) fn reads_at(self) -> Option<u64> {
        self.at.get().filter(|_| self.cluster.get() == Which::ThisTab)
    }
}

/// Returns what a response of failure says.
fn message(code: u16, body: &Bytes) -> String {
    let said = status::failure(body).map(|failure| failure.message).filter(|message| !message.is_empty());
    said.unwrap_or_else(|| messages::answered(code, status::words(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_why() {
        let status = br#"{"kind":"Status","status":"Failure","message":"no","code":404}"#;
        assert_eq!(message(404, &Bytes::from_static(status)), "no");
        assert!(message(502, &Bytes::from_static(b"<html>")).contains("502"));
    }
}
