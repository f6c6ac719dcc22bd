//! Pieces of views whose types do not tell what is in them. Each type of view, of reactive attribute and of event
//! handler makes machine code of its own, and the page is downloaded: so everything is one of a few types here.

use std::future::Future;
use std::sync::Arc;

use leptos::attr::Attribute;
use leptos::attr::any_attribute::AnyAttribute;
use leptos::prelude::*;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::renderer::types::{Element, Node};
use leptos::tachys::view::{Position, PositionState};

/// A piece of a view, to be built once. Where another one takes its place, it is built anew and not compared.
pub(crate) struct Part(Box<dyn FnOnce() -> Box<dyn Mountable> + Send>);

/// The elements built from a [`Part`].
pub(crate) struct Built(Box<dyn Mountable>);

/// Makes a [`Part`] of a view.
pub(crate) trait IntoPart {
    /// The view, without its type.
    fn part(self) -> Part;
}

impl<V: IntoView + 'static> IntoPart for V {
    fn part(self) -> Part {
        Part(Box::new(move || Box::new(self.build())))
    }
}

impl Render for Part {
    type State = Built;

    fn build(self) -> Built {
        Built((self.0)())
    }

    fn rebuild(self, state: &mut Built) {
        let mut new = self.build();
        state.insert_before_this(&mut new);
        state.unmount();
        *state = new;
    }
}

impl Mountable for Built {
    fn unmount(&mut self) {
        self.0.unmount();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        self.0.mount(parent, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        self.0.insert_before_this(child)
    }

    fn elements(&self) -> Vec<Element> {
        self.0.elements()
    }
}

impl AddAnyAttr for Part {
    type Output<A: Attribute> = Self;

    /// Nothing in this page spreads attributes over a part.
    fn add_any_attr<A: Attribute>(self, _: A) -> Self {
        self
    }
}

/// The page is never rendered to text.
impl RenderHtml for Part {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    fn resolve(self) -> impl Future<Output = Self> + Send {
        std::future::ready(self)
    }

    fn to_html_with_buf(self, _: &mut String, _: &mut Position, _: bool, _: bool, _: Vec<AnyAttribute>) {}

    fn hydrate<const FROM_SERVER: bool>(self, _: &Cursor, _: &PositionState) -> Built {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}

/// A piece of a view that changes.
pub(crate) fn live<V: IntoView + 'static>(
    mut view: impl FnMut() -> V + Send + 'static,
) -> Box<dyn FnMut() -> Part + Send> {
    Box::new(move || view().part())
}

/// A list that changes: a part for each key, kept for as long as its key is in the list.
pub(crate) fn each(
    keys: impl Fn() -> Vec<u64> + Send + Sync + 'static,
    child: impl Fn(u64) -> Part + Send + Sync + 'static,
) -> Part {
    let keys: Box<dyn Fn() -> Vec<u64> + Send + Sync> = Box::new(keys);
    let child: Arc<dyn Fn(u64) -> Part + Send + Sync> = Arc::new(child);
    view! { <For each=keys key=|key| *key children=move |key| child(key) /> }.part()
}

/// A text that changes.
pub(crate) fn text<S: Into<String>>(text: impl Fn() -> S + Send + Sync + 'static) -> Signal<String> {
    derive(Box::new(move || text().into()))
}

/// An attribute that changes, and may be missing.
pub(crate) fn maybe<S: Into<String>>(
    text: impl Fn() -> Option<S> + Send + Sync + 'static,
) -> Signal<Option<String>> {
    derive(Box::new(move || text().map(Into::into)))
}

/// A condition that changes.
pub(crate) fn flag(flag: impl Fn() -> bool + Send + Sync + 'static) -> Signal<bool> {
    derive(Box::new(flag))
}

/// One for each type of value, not for each closure.
fn derive<T: Send + Sync + 'static>(value: Box<dyn Fn() -> T + Send + Sync>) -> Signal<T> {
    Signal::derive(value)
}

/// Returns the handler of an event, boxed.
pub(crate) fn act<E>(act: impl FnMut(E) + 'static) -> Box<dyn FnMut(E)> {
    Box::new(act)
}

/// A line in the quiet colour, such as why there is nothing to show.
pub(crate) fn quiet(text: &'static str) -> Part {
    view! { <p class="quiet">{text}</p> }.part()
}
