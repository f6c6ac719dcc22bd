//! Defaults: kube-apiserver fills in what the sender of an object left out.
//!
//! Go has two places for it, and so has this module: the `SetDefaults_*` functions of a version's types,
//! which run on whatever is decoded ([`apply`](apply())), and what the strategies' `PrepareForCreate` adds to a new
//! object alone ([`prepare_for_create`]). Most defaults are constants and stand in `table`; those that
//! look at other fields are functions, grouped by API group.
//!
//! Allocation (service addresses, node ports), admission and everything that needs a clock is elsewhere.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/> and, for the values, the
//! [API reference](https://kubernetes.io/docs/reference/kubernetes-api/).

use std::sync::OnceLock;

use apimachinery::typed_object::TypedObject;
use json_tree::Value;
use schema::{TypeId, Types};

use plan::Plan;
pub(crate) use prepare::{align_sources, drop_other_source, profile};

mod apps;
mod batch;
mod core;
mod image;
mod others;
mod plan;
pub(crate) mod pod;
mod prepare;
pub(crate) mod quantity;
mod table;

/// Looks at a struct and fills it.
type Fill = fn(&mut TypedObject<'_>);

/// Fills what is unset in an object of a type with what kube-apiserver v1.36 gives it.
///
/// The object is as decoding leaves it: keys in the order of Go's struct. Added keys stand where that
/// order has them. What is not of the type's shape is left alone. Applying it again changes nothing.
pub fn apply(types: &Types, ty: TypeId, object: &mut Value) {
    with_plan(types, |plan| plan.apply(types, ty, object));
}

/// Fills what only a newly created object gets, from what is in it.
///
/// It is to be called after [`apply`](apply()), with `metadata.name` and `metadata.uid` set: a Job's selector
/// is made of them.
pub fn prepare_for_create(types: &Types, ty: TypeId, object: &mut Value) {
    with_plan(types, |plan| plan.prepare_for_create(types, ty, object));
}

/// The plan for the built-in types is made once, others (in tests) each time.
fn with_plan(types: &Types, run: impl FnOnce(&Plan)) {
    static BUILTIN: OnceLock<Plan> = OnceLock::new();
    if std::ptr::eq(types, Types::builtin()) {
        run(BUILTIN.get_or_init(|| Plan::new(types)));
    } else {
        run(&Plan::new(types));
    }
}

#[cfg(test)]
mod tests;
