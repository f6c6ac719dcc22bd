//! Views that are made after the page is there, and views whose code is loaded when they are first shown.

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::SplitLoaderError;

use crate::ui::part::{IntoPart, Part, act, live};
use crate::ui::{dom, messages};

/// Code that is being loaded.
pub(crate) type Loading<F> = LocalBoxFuture<'static, Result<F, SplitLoaderError>>;

/// The state of the code of a view.
#[derive(Clone, Copy)]
enum Code<F> {
    Loading,
    There(F),
    Failed,
}

/// Shows `until` while the code is loaded, and then what `show` makes with it. Code that is there already is shown at once;
/// where it cannot be loaded, there is a button to try again.
pub(crate) fn later<F: Copy + Send + Sync + 'static>(
    load: fn() -> Loading<F>,
    until: impl Fn() -> Part + Send + 'static,
    show: impl Fn(F) -> Part + Send + 'static,
) -> Part {
    let code = RwSignal::new(Code::Loading);
    begin(load, code);
    live(move || match code.get() {
        Code::Loading => until(),
        Code::There(code) => show(code),
        Code::Failed => failed(Box::new(move || begin(load, code))),
    })
    .part()
}

/// Shows `until`, and in a later turn of the browser's loop what `show` makes: making everything in one turn would let it wait
/// for that long before it paints, or takes a click.
pub(crate) fn soon(
    until: impl Fn() -> Part + Send + 'static,
    show: impl Fn() -> Part + Send + 'static,
) -> Part {
    let now = RwSignal::new(false);
    spawn_local(async move {
        dom::sleep(0).await;
        let _ = now.try_set(true);
    });
    live(move || if now.get() { show() } else { until() }).part()
}

/// Loads the code.
fn begin<F: Copy + Send + Sync + 'static>(load: fn() -> Loading<F>, code: RwSignal<Code<F>>) {
    let told = |loaded: Result<F, SplitLoaderError>| loaded.map_or(Code::Failed, Code::There);
    let mut loading = load();
    if let Some(loaded) = (&mut loading).now_or_never() {
        code.set(told(loaded));
        return;
    }
    code.set(Code::Loading);
    spawn_local(async move {
        // Who wanted to see it may look at something else by now.
        let _ = code.try_set(told(loading.await));
    });
}

fn failed(again: Box<dyn FnMut()>) -> Part {
    let mut again = again;
    view! {
        <p class="quiet" role="alert">
            {messages::NOT_LOADED}
            " "
            <button type="button" on:click=act(move |_| again())>{messages::TRY_AGAIN}</button>
        </p>
    }
    .part()
}
