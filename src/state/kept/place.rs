//! The place where clusters are kept: a database of this browser (IndexedDB) with three stores, one for what there is to tell
//! of each cluster, one for the pieces of its recording, and one for its desk.

use bytes::Bytes;
use idb::{
    Database, DatabaseEvent, Error, Factory, KeyRange, ObjectStore, ObjectStoreParams, TransactionMode,
};
use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};

use crate::ui::messages::kept as words;

const NAME: &str = "kubeglass";
/// The version of the stores; [`About::format`] is that of what is in them.
const STORES: u32 = 1;
const CLUSTERS: &str = "clusters";
const PIECES: &str = "pieces";
const DESKS: &str = "desks";

/// The version of what is kept. It changes whenever a page of before could misread it.
pub(crate) const FORMAT: u32 = 1;

/// The description of a cluster that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// The version of what is kept.
    pub(crate) format: u32,
    /// The number of the recording: each time it is written anew it is one more.
    pub(crate) generation: u32,
    /// When something was kept last, in Unix milliseconds.
    pub(crate) saved: f64,
    /// The newest revision.
    pub(crate) revision: u64,
    /// The number of objects.
    pub(crate) objects: usize,
    /// The number of bytes.
    pub(crate) bytes: u64,
    /// The revision that it was branched off from another one's history at.
    pub(crate) branched: Option<u64>,
}

/// The parts of a cluster that are to be kept.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The description of the cluster.
    pub(crate) about: About,
    /// The number of the first of the pieces; 0 if they are a recording of their own, which takes the place of the last one.
    pub(crate) first: u32,
    /// The pieces that are to be appended to the recording.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The desk, if it has changed.
    pub(crate) desk: Option<Vec<u8>>,
}

/// The database.
pub(crate) struct Place {
    database: Database,
}

impl Place {
    /// Opens the database, and makes it if there is none.
    ///
    /// # Errors
    /// The text to show, when this browser gives the page no database, or a newer page has made it.
    pub(crate) async fn open() -> Result<Self, String> {
        let open = async {
            let mut request = Factory::new()?.open(NAME, Some(STORES))?;
            request.on_upgrade_needed(|event| {
                let Ok(database) = event.database() else { return };
                for store in [CLUSTERS, PIECES, DESKS] {
                    // What fails here fails the opening.
                    let _ = database.create_object_store(store, ObjectStoreParams::new());
                }
            });
            request.await
        };
        let mut database = open.await.map_err(|error| trouble(&error))?;
        // A newer page in another tab is not to wait for this one.
        database.on_version_change(|event| {
            if let Some(database) =
                event.target().and_then(|target| target.dyn_into::<web_sys::IdbDatabase>().ok())
            {
                database.close();
            }
        });
        Ok(Self { database })
    }

    /// Returns the clusters that are kept, the one that was saved last first. What cannot be read is left out.
    ///
    /// # Errors
    /// The text to show, when the browser does not give what it keeps.
    pub(crate) async fn clusters(&self) -> Result<Vec<(String, About)>, String> {
        let read = async {
            let transaction = self.database.transaction(&[CLUSTERS], TransactionMode::ReadOnly)?;
            let store = transaction.object_store(CLUSTERS)?;
            let (names, all) = (store.get_all_keys(None, None)?, store.get_all(None, None)?);
            Ok((names.await?, all.await?))
        };
        let (names, all) = read.await.map_err(|error: Error| trouble(&error))?;
        let read = |(name, about): (JsValue, JsValue)| {
            Some((name.as_string()?, serde_json::from_str(&about.as_string()?).ok()?))
        };
        let mut clusters: Vec<(String, About)> = names.into_iter().zip(all).filter_map(read).collect();
        clusters.sort_by(|(_, one), (_, other)| other.saved.total_cmp(&one.saved));
        Ok(clusters)
    }

    /// Returns the recording and the desk of a cluster.
    ///
    /// # Errors
    /// The text to show, when the browser does not give what it keeps.
    pub(crate) async fn read(&self, id: &str, generation: u32) -> Result<(Bytes, Option<Bytes>), String> {
        let read = async {
            let transaction = self.database.transaction(&[PIECES, DESKS], TransactionMode::ReadOnly)?;
            let range =
                KeyRange::bound(&key(id, &[generation]), &key(id, &[generation + 1]), None, Some(true))?;
            let pieces = transaction.object_store(PIECES)?.get_all(Some(range.into()), None)?;
            let desk = transaction.object_store(DESKS)?.get(JsValue::from_str(id))?;
            Ok((pieces.await?, desk.await?))
        };
        let (pieces, desk) = read.await.map_err(|error: Error| trouble(&error))?;
        let pieces: Vec<Vec<u8>> = pieces.iter().filter_map(bytes).collect();
        Ok((pieces.concat().into(), desk.as_ref().and_then(bytes).map(Bytes::from)))
    }

    /// Keeps pieces of a cluster. All that is to be done is asked for before the first wait, so that it is done when the page is
    /// closed meanwhile; either all of it is kept, or nothing.
    ///
    /// # Errors
    /// The text to show, when there is no more room, or the browser refuses.
    pub(crate) fn write(
        &self,
        id: &str,
        pieces: &Pieces,
    ) -> impl Future<Output = Result<(), String>> + 'static {
        let asked = self.ask(id, pieces);
        async move { done(asked?.await) }
    }

    fn ask(&self, id: &str, pieces: &Pieces) -> Result<idb::TransactionFuture, String> {
        let ask = || {
            let stores = [CLUSTERS, PIECES, DESKS];
            let transaction = self.database.transaction(&stores, TransactionMode::ReadWrite)?;
            let about = serde_json::to_string(&pieces.about).unwrap_or_default();
            put(&transaction.object_store(CLUSTERS)?, &about.into(), &id.into())?;
            let store = transaction.object_store(PIECES)?;
            let generation = pieces.about.generation;
            if pieces.first == 0 {
                // A page that goes on with the cluster counts generations anew: there may be pieces of this one.
                let all = KeyRange::bound(&key(id, &[]), &key(id, &[u32::MAX]), None, None)?;
                drop(store.delete(all)?);
            }
            for (number, piece) in (pieces.first..).zip(&pieces.pieces) {
                put(&store, &Uint8Array::from(piece.as_slice()), &key(id, &[generation, number]))?;
            }
            if let Some(desk) = &pieces.desk {
                put(&transaction.object_store(DESKS)?, &Uint8Array::from(desk.as_slice()), &id.into())?;
            }
            Ok(transaction.commit()?.into_future())
        };
        ask().map_err(|error: Error| trouble(&error))
    }

    /// Forgets a cluster.
    ///
    /// # Errors
    /// The text to show, when the browser does not delete it.
    pub(crate) async fn forget(&self, id: &str) -> Result<(), String> {
        let ask = || {
            let stores = [CLUSTERS, PIECES, DESKS];
            let transaction = self.database.transaction(&stores, TransactionMode::ReadWrite)?;
            for store in [CLUSTERS, DESKS] {
                drop(transaction.object_store(store)?.delete(JsValue::from_str(id))?);
            }
            let all = KeyRange::bound(&key(id, &[]), &key(id, &[u32::MAX]), None, None)?;
            drop(transaction.object_store(PIECES)?.delete(all)?);
            Ok(transaction.commit()?.into_future())
        };
        done(ask().map_err(|error: Error| trouble(&error))?.await)
    }
}

/// `[id, numbers...]`, by which pieces are in order.
fn key(id: &str, numbers: &[u32]) -> JsValue {
    let key = Array::of1(&id.into());
    for number in numbers {
        key.push(&(*number).into());
    }
    key.into()
}

fn put(store: &ObjectStore, value: &JsValue, key: &JsValue) -> Result<(), Error> {
    // Whether it has come about the transaction tells.
    store.put(value, Some(key)).map(drop)
}

fn bytes(value: &JsValue) -> Option<Vec<u8>> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}

fn done(result: Result<idb::TransactionResult, Error>) -> Result<(), String> {
    match result {
        Ok(idb::TransactionResult::Committed) => Ok(()),
        // A browser that finds out only in the end that there is no more room does not say so.
        Ok(idb::TransactionResult::Aborted) => Err(words::FULL.to_owned()),
        Err(error) => Err(trouble(&error)),
    }
}

/// Returns what to tell of an error of the browser.
fn trouble(error: &Error) -> String {
    match error {
        Error::DomException(exception) => match exception.name().as_str() {
            "QuotaExceededError" => words::FULL.to_owned(),
            "VersionError" => words::NEWER.to_owned(),
            _ => words::refused(&exception.message()),
        },
        other => words::refused(&other.to_string()),
    }
}
