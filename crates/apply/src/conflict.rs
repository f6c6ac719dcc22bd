//! The conflicts for which applying a configuration is refused.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts>

use golang::strconv::quote;

use crate::managers::{Manager, Operation};
use crate::set::Set;

/// Fields that an applied configuration would change, and that somebody else manages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The manager of the fields.
    pub manager: Manager,
    /// The fields.
    pub set: Set,
}

/// One field of a conflict: what the cause of the `Status` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `conflict with "x" using v1`
    pub message: String,
    /// `.spec.replicas`
    pub field: String,
}

impl Conflict {
    /// Returns the manager that the conflict is with, as errors show it: `"x" with subresource "scale" using v1`.
    fn with(&self) -> String {
        let mut out = quote(&self.manager.name);
        if !self.manager.subresource.is_empty() {
            out.push_str(" with subresource ");
            out.push_str(&quote(&self.manager.subresource));
        }
        if self.manager.operation == Operation::Update {
            out.push_str(" using ");
            out.push_str(&self.manager.api_version);
        }
        out
    }
}

/// The causes of a `Status` for these conflicts, a field each.
pub fn causes(conflicts: &[Conflict]) -> Vec<Cause> {
    let mut causes = Vec::new();
    for conflict in conflicts {
        let message = ["conflict with ", &conflict.with()].concat();
        causes
            .extend(conflict.set.paths().into_iter().map(|field| Cause { message: message.clone(), field }));
    }
    causes
}

/// The message of a `Status` for these conflicts.
pub fn message(conflicts: &[Conflict]) -> String {
    let causes = causes(conflicts);
    if let [cause] = causes.as_slice() {
        return ["Apply failed with 1 conflict: ", &cause.message, ": ", &cause.field].concat();
    }
    let mut out = ["Apply failed with ", &causes.len().to_string(), " conflicts: "].concat();
    for (index, conflict) in conflicts.iter().enumerate() {
        out.push_str(if index == 0 { "conflicts with " } else { "\nconflicts with " });
        out.push_str(&conflict.with());
        out.push(':');
        for path in conflict.set.paths() {
            out.push_str("\n- ");
            out.push_str(&path);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(name: &str, operation: Operation, subresource: &str, fields: &[&[&str]]) -> Conflict {
        let manager = Manager::new(name, operation, "v1", subresource);
        Conflict { manager, set: Set::of_fields(fields) }
    }

    #[track_caller]
    fn check(conflicts: &[Conflict], expected: &str) {
        assert_eq!(message(conflicts), expected);
    }

    #[test]
    fn messages() {
        let apply = conflict("a", Operation::Apply, "", &[&["data", "k"]]);
        let update = conflict("b", Operation::Update, "scale", &[&["x"], &["x", "y"]]);
        check(std::slice::from_ref(&apply), "Apply failed with 1 conflict: conflict with \"a\": .data.k");
        check(
            &[apply, update],
            "Apply failed with 3 conflicts: conflicts with \"a\":\n- .data.k\nconflicts with \"b\" with \
             subresource \"scale\" using v1:\n- .x\n- .x.y",
        );
    }
}
