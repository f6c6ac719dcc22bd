//! Files beside the page: its own documents, and the list of lessons.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use crate::ui::dom;

/// The prefix of the source of a document that comes with the page.
pub(super) const OWN: &str = "kubeglass:";
/// The error of a file that does not exist.
pub(super) const NOT_FOUND: &str = "HTTP 404";

/// Returns the source of one of the page's own documents.
pub(crate) fn own(name: &str) -> String {
    [OWN, name].concat()
}

/// Fetches a text from the page's own server.
pub(super) async fn near(url: &str) -> Result<String, String> {
    let told = |error: JsValue| error.dyn_into::<js_sys::Error>().map(|error| error.message().into());
    let text = async {
        let response = JsFuture::from(dom::window().fetch_with_str(url)).await?.unchecked_into::<Response>();
        if !response.ok() {
            return Ok(Err(["HTTP ", &response.status().to_string()].concat()));
        }
        Ok(Ok(JsFuture::from(response.text()?).await?.as_string().unwrap_or_default()))
    };
    text.await.unwrap_or_else(|error| Err(told(error).unwrap_or_default()))
}
