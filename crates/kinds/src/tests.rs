//! The facts, warnings and dropped fields of the kinds.

mod disabled;
mod fields;
mod warnings;

/// Each is a resource that is served, and stands in one list.
#[test]
fn every_kind_is_a_resource() {
    let mut all = super::all();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    for (group, resource) in all {
        let mut rows = schema::resources().iter();
        let served = rows.any(|row| row.group == group && row.name == resource);
        // A scale is shown in place of another object, and has no path of its own.
        assert!(served || (group, resource) == ("autoscaling", "scales"), "{group}/{resource}");
    }
}
