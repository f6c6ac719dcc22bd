//! Shows a notice when the page's code panics: that is a bug, and nothing of the page's state can be trusted after it. The notice is
//! plain DOM, for it must not need what has just broken.

use std::panic;

use wasm_bindgen::prelude::*;
use web_sys::{CustomEvent, Element, ErrorEvent};

use crate::state::kept::slots;
use crate::ui::{dom, messages};

/// An event of this name on the window makes the page panic: how tests see the notice.
pub(crate) const PANIC_EVENT: &str = "kubeglass:panic";

/// Shows the notice when the page's code panics, and when it stops otherwise.
pub(crate) fn install() {
    panic::set_hook(Box::new(|info| show(&info.to_string())));
    // A stack that overflows traps without a panic.
    dom::listen("error", |event: ErrorEvent| {
        let message = event.message();
        if message.contains("RuntimeError") || message.contains("call stack") {
            show(&message);
        }
    });
    dom::listen(PANIC_EVENT, |event: CustomEvent| {
        let reason = event.detail().as_string().unwrap_or_default();
        panic!("{reason}");
    });
}

/// Puts the notice over the page. Only the first one is shown: what follows a panic says nothing.
fn show(message: &str) {
    let document = dom::document();
    if document.get_element_by_id("crash").is_some() {
        return;
    }
    // Where even this fails there is nothing left to show it with.
    let _ = try_show(message);
}

fn try_show(message: &str) -> Result<(), JsValue> {
    let document = dom::document();
    let body = document.body().ok_or(JsValue::NULL)?;
    let element = |name: &str, text: &str| -> Result<Element, JsValue> {
        let element = document.create_element(name)?;
        element.set_text_content(Some(text));
        Ok(element)
    };
    let notice = document.create_element("dialog")?;
    notice.set_id("crash");
    notice.set_attribute("aria-labelledby", "crash-title")?;
    let title = element("h2", messages::CRASH_TITLE)?;
    title.set_id("crash-title");
    let restart = element("button", messages::CRASH_RESTART)?;
    restart.set_class_name("primary");
    let reload = Closure::<dyn FnMut()>::new(|| {
        let _ = dom::window().location().reload();
    });
    restart.add_event_listener_with_callback("click", reload.into_js_value().unchecked_ref())?;
    let anew = element("button", messages::engine::NEW)?;
    let leave = Closure::<dyn FnMut()>::new(|| {
        // No cluster is kept under this name.
        slots::own("");
        let _ = dom::window().location().reload();
    });
    anew.add_event_listener_with_callback("click", leave.into_js_value().unchecked_ref())?;
    for child in [title, element("p", messages::CRASH_ABOUT)?, element("pre", message)?, restart, anew] {
        notice.append_child(&child)?;
    }
    body.append_child(&notice)?;
    notice.unchecked_into::<web_sys::HtmlDialogElement>().show_modal()
}
