//! GET of one object.

use std::sync::Arc;

use store::Revision;

use super::unreadable;
use crate::answer::Outcome;
use crate::context::{Reading, RequestContext};
use crate::stored::Stored;
use crate::watch_cache::caches::CacheId;
use apimachinery::status::Status;
use golang::strconv::parse_uint;
use protocol::trace::Layer;

impl RequestContext<'_> {
    /// Answers with the object in the version of the request.
    pub(crate) async fn get(&self) -> Outcome {
        self.answer_object(200, &self.read_object().await?.json)
    }

    /// The object that the path names: without a version the newest state, out of the store; with one a state that is
    /// not older, out of the watch cache, and with `0` whatever is there.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter>
    ///
    /// # Errors
    /// 404, 500 for a version that is no number, 504 for one that the cache does not reach in time.
    pub(crate) async fn read_object(&self) -> Result<Arc<Stored>, Box<Status>> {
        let missing = || self.missing();
        if let Some(revision) = self.at {
            let found = self.find_at(revision)?;
            return self.show_one(found.ok_or_else(missing)?, Reading::Cached).await;
        }
        let text = self.query.text("resourceVersion");
        let version = match text {
            "" => 0,
            text => parse_uint(text).map_err(|why| Status::unclassified(invalid_version(text, &why)))?,
        };
        let cache = self.cache.filter(|_| !text.is_empty());
        if let Some(cache) = cache {
            let fresh = self.until_fresh(cache, version).await;
            fresh.map_err(|current| Status::too_large_resource_version(version, current))?;
        }
        let (found, reading) = self.find_in(cache);
        self.show_one(found.ok_or_else(missing)?, reading).await
    }

    /// Looks for the object that the path names as it was at a revision.
    fn find_at(&self, revision: Revision) -> Result<Option<Arc<Stored>>, Box<Status>> {
        let storage = self.shared.storage();
        let found = storage.store.get_at(&self.key(), revision).map_err(unreadable)?;
        Ok(found.map(|entry| Arc::clone(&entry.value)))
    }

    /// Looks for the object that the path names in a cache, or in the store.
    fn find_in(&self, cache: Option<CacheId>) -> (Option<Arc<Stored>>, Reading) {
        let storage = self.shared.storage();
        let key = self.key();
        match cache.and_then(|cache| storage.cache(self.server, cache)) {
            Some(cache) => {
                self.read_from(Layer::Cache, cache.revision);
                (cache.get(&key).cloned(), Reading::Cached)
            }
            None => {
                self.read_from(Layer::Store, storage.store.revision());
                let found = storage.store.get(&key);
                (found.map(|entry| Arc::clone(&entry.value)), Reading::Object)
            }
        }
    }
}

/// Returns kube-apiserver's message for a resource version that is no number.
pub(super) fn invalid_version(text: &str, why: &str) -> String {
    format!("resourceVersion: Invalid value: {}: {why}", field::quote(text))
}
