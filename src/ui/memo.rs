//! Memos: values that are computed from others that change, and kept until the result is different.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::*;

/// A value that is worked out anew when what it was read from has changed, and who read it is told only if it came out
/// different: leptos' `Memo`, but that all of them are of one type inside. Each type of value would make machine code of
/// its own for everything that a memo does, and the page is downloaded.
pub(crate) struct Memo<T> {
    inner: leptos::prelude::Memo<Kept>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memo<T> {}

/// Works a value out, from what it had been before.
type WorkOut = Box<dyn Fn(Option<&Kept>) -> Kept + Send + Sync>;

/// A value without its type.
#[derive(Clone)]
struct Kept {
    value: Arc<dyn Any + Send + Sync>,
    same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        (self.same)(&*self.value, &*other.value)
    }
}

impl<T: PartialEq + Send + Sync + 'static> Memo<T> {
    /// Works a value out, from what it had been before.
    pub(crate) fn new(work_out: impl Fn(Option<&T>) -> T + Send + Sync + 'static) -> Self {
        let work_out: WorkOut = Box::new(move |before| {
            let value = work_out(before.and_then(|kept| kept.value.downcast_ref()));
            Kept { value: Arc::new(value), same: same::<T> }
        });
        Self { inner: erased(work_out), value: PhantomData }
    }

    /// Looks at the value, and again whenever it has changed.
    pub(crate) fn with<R>(self, look: impl FnOnce(&T) -> R) -> R {
        look_at(&self.inner.get(), look)
    }

    /// Looks at the value once.
    pub(crate) fn with_untracked<R>(self, look: impl FnOnce(&T) -> R) -> R {
        look_at(&self.inner.get_untracked(), look)
    }

    /// The value, and again whenever it has changed.
    pub(crate) fn get(self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// The value, once.
    pub(crate) fn get_untracked(self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }
}

fn erased(work_out: WorkOut) -> leptos::prelude::Memo<Kept> {
    leptos::prelude::Memo::new(work_out)
}

fn same<T: PartialEq + 'static>(one: &dyn Any, other: &dyn Any) -> bool {
    one.downcast_ref::<T>() == other.downcast_ref::<T>()
}

fn look_at<T: 'static, R>(kept: &Kept, look: impl FnOnce(&T) -> R) -> R {
    match kept.value.downcast_ref() {
        Some(value) => look(value),
        None => unreachable!("a memo keeps values of its own type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_out_what_has_changed() {
        let owner = Owner::new();
        owner.with(|| {
            let number = RwSignal::new(1);
            let parity = Memo::new(move |_| (number.get() % 2, "x".to_owned()));
            let worked_out = StoredValue::new(0);
            let shown = Memo::new(move |before: Option<&i32>| {
                worked_out.update_value(|count| *count += 1);
                parity.with(|(parity, _)| *parity) + before.copied().unwrap_or_default()
            });
            assert_eq!(shown.get_untracked(), 1);
            number.set(3);
            assert_eq!((shown.get_untracked(), worked_out.get_value()), (1, 1), "its parity is the same");
            number.set(4);
            assert_eq!((shown.get_untracked(), worked_out.get_value()), (1, 2));
            number.set(5);
            assert_eq!((shown.get_untracked(), worked_out.get_value()), (2, 3), "from what it had been");
        });
    }
}
