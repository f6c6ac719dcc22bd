//! Which of the clusters that are kept a tab has.

use std::cell::RefCell;

use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::place::{About, FORMAT};
use crate::cluster::host;
use crate::ui::dom;
use crate::ui::messages::kept as words;

/// The name under which the tab remembers its cluster for as long as the tab lives.
const OWN: &str = "kubeglass.cluster";

thread_local! {
    /// The clusters that this page holds.
    static HELD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The page that was there before a reload gives its cluster back at once, but not always before the next one asks.
const TRIES: usize = 5;
/// The time between two tries, in milliseconds.
const PAUSE: i32 = 60;

/// A cluster that is kept, for this tab.
pub(crate) struct Slot {
    /// The cluster's id.
    pub(crate) id: String,
    /// The description of the cluster.
    pub(crate) about: About,
    /// `true` if another tab has it: this one goes on with a copy.
    pub(crate) copy: bool,
}

/// Returns the cluster that this tab goes on with: its own, or if it is a new tab the one that was left last. `None` if it
/// begins anew.
///
/// # Errors
/// It was kept by a newer page: what to tell.
pub(crate) async fn choose(clusters: Vec<(String, About)>) -> Result<Option<Slot>, String> {
    let own = dom::session().and_then(|session| session.get_item(OWN).ok().flatten());
    let chosen = clusters.into_iter().find(|(id, _)| own.as_ref().is_none_or(|own| own == id));
    let Some((id, about)) = chosen else { return Ok(None) };
    if about.format > FORMAT {
        return Err(words::NEWER.to_owned());
    }
    let tries = if own.is_some() { TRIES } else { 1 };
    let mut held = hold(&id).await;
    for _ in 1..tries {
        if held {
            break;
        }
        dom::sleep(PAUSE).await;
        held = hold(&id).await;
    }
    // A tab that was duplicated has the id of the other one, and a new one has none.
    Ok((held || own.is_some()).then_some(Slot { id, about, copy: !held }))
}

/// Returns an id for another cluster. This tab holds it.
pub(crate) async fn new() -> String {
    let id = format!("{:016x}", dom::seed());
    hold(&id).await;
    id
}

/// Remembers that this tab has a cluster.
pub(crate) fn own(id: &str) {
    if let Some(session) = dom::session() {
        let _ = session.set_item(OWN, id);
    }
}

/// Holds a cluster for as long as the page lives. Returns whether no other tab holds it; without locks nobody knows.
pub(crate) async fn hold(id: &str) -> bool {
    if HELD.with_borrow(|held| held.iter().any(|known| known == id)) {
        return true;
    }
    let is_held = ask_for(id).await;
    if is_held {
        HELD.with_borrow_mut(|held| held.push(id.to_owned()));
    }
    is_held
}

async fn ask_for(id: &str) -> bool {
    let Ok(hold) = host::script("hold").dyn_into::<Function>() else { return true };
    let held = hold.call1(&JsValue::NULL, &["kubeglass ", id].concat().into());
    let held = held.ok().and_then(|held| held.dyn_into::<Promise>().ok());
    match held {
        Some(held) => JsFuture::from(held).await.is_ok_and(|held| held.is_truthy()),
        None => true,
    }
}
