//! The location of the page's engine: see `static/boot.js`, which starts it.

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;

use crate::ui::dom;

/// The property of the window by which the page's script says where the engine is.
const SCRIPT: &str = "kubeglass";

/// The beginning of the key under which the page's script finds the token of an address. The address follows.
const TOKEN: &str = "kubeglass.token ";

/// The location of the page's engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Host {
    /// In this tab.
    #[default]
    Tab,
    /// In a worker that all tabs share.
    Tabs,
    /// In the `kubeglass serve` at this address.
    Server(String),
}

impl Host {
    /// Reads it as it stands in the page's address.
    fn of(place: &str) -> Self {
        match place {
            "" | "tab" => Self::Tab,
            "tabs" => Self::Tabs,
            address => Self::Server(address.to_owned()),
        }
    }

    /// Returns it as it stands in the page's address.
    pub(crate) fn place(&self) -> &str {
        match self {
            Self::Tab => "tab",
            Self::Tabs => "tabs",
            Self::Server(address) => address,
        }
    }

    /// Returns where the engine of this page is.
    pub(crate) fn here() -> Self {
        Self::of(&script("place").as_string().unwrap_or_default())
    }

    /// Returns whether others may talk to the same cluster.
    pub(crate) fn is_shared(&self) -> bool {
        *self != Self::Tab
    }

    /// Returns whether the cluster's time can be set.
    pub(crate) fn keeps_time(&self) -> bool {
        !matches!(self, Self::Server(_))
    }
}

/// Returns whether this browser can share an engine among tabs.
pub(crate) fn can_share() -> bool {
    script("canShare").is_truthy()
}

/// Starts the engine, or the way to it.
///
/// # Errors
/// This browser has no workers of modules, or none are allowed.
pub(crate) fn start() -> Result<Worker, JsValue> {
    let start: Function = script("start").dyn_into()?;
    // That of all tabs only behaves as a worker.
    Ok(start.call0(&JsValue::NULL)?.unchecked_into())
}

/// Opens the page anew, with the engine of another place.
pub(crate) fn open(place: &Host) {
    let search = match place {
        Host::Tab => String::new(),
        other => ["?engine=", &js_sys::encode_uri_component(other.place()).as_string().unwrap_or_default()]
            .concat(),
    };
    let location = dom::window().location();
    // What was asked of one cluster is not asked of another.
    let path = location.pathname().unwrap_or_default();
    let _ = location.assign(&[path, search].concat());
}

/// Keeps the token that the server at an address asks for, for as long as this tab lives. No other server gets it.
pub(crate) fn remember_token(address: &str, token: &str) {
    if let Some(session) = dom::session() {
        let _ = session.set_item(&[TOKEN, address].concat(), token);
    }
}

/// Returns the token that this tab has for an address.
pub(crate) fn token(address: &str) -> Option<String> {
    dom::session()?.get_item(&[TOKEN, address].concat()).ok()?
}

/// Opens the page anew as it is.
pub(crate) fn reload() {
    let _ = dom::window().location().reload();
}

/// Returns what the page's script has under a name.
pub(crate) fn script(name: &str) -> JsValue {
    let script = Reflect::get(&dom::window(), &SCRIPT.into()).unwrap_or(JsValue::UNDEFINED);
    Reflect::get(&script, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: &str, expected: &Host) {
        let host = Host::of(place);
        assert_eq!(host, *expected);
        assert_eq!(Host::of(host.place()), host);
    }

    #[test]
    fn places() {
        check("", &Host::Tab);
        check("tab", &Host::Tab);
        check("tabs", &Host::Tabs);
        check("http://127.0.0.1:8001", &Host::Server("http://127.0.0.1:8001".to_owned()));
    }
}
