//! Functions that few people need: their code is loaded when somebody does.

use futures::future::LocalBoxFuture;

use super::Page;
use crate::cluster::{Answer, Request, Transport};
use crate::ui::later::Loading;

/// Functions whose code is loaded when it is first needed.
#[derive(Clone, Copy)]
pub(crate) struct Rarely {
    /// Sends a request to a remote cluster: see [`crate::cluster::remote`].
    pub(crate) remote: fn(Request) -> LocalBoxFuture<'static, Result<Answer, String>>,
    /// Applies the manifest in the body, or previews that: see [`crate::manifest::run::apply`].
    pub(crate) apply: fn(Page, bool),
    /// Puts the line that was pasted into the form, and sends it if that is wanted: see [`crate::request::pasted::take`].
    pub(crate) pasted: fn(Page, bool),
}

/// Loads them.
pub(crate) type Load = fn() -> Loading<Rarely>;

/// A remote cluster.
pub(super) struct Remote(pub(super) Load);

impl Transport for Remote {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let loading = (self.0)();
        Box::pin(async move {
            let code = loading.await.map_err(|error| error.to_string())?;
            (code.remote)(request).await
        })
    }
}
