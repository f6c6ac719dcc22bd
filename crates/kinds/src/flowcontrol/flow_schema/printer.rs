//! The rows of tables of the kind FlowSchema.

use std::cmp::Ordering;

use json_tree::Value;

use crate::printing::row::{Row, condition, number, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
PriorityLevel||||`name` is the name of the priority level configuration being referenced Required.
MatchingPrecedence||||`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The chosen FlowSchema is among those with the numerically lowest (which we take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as default.
DistinguisherMethod||||`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.
Age||||@created
MissingPL||||references a broken or non-existent PriorityLevelConfiguration";

/// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let dangling = condition(row.list("/status/conditions"), "Dangling");
    vec![
        row.name(),
        row.text("/spec/priorityLevelConfiguration/name").into(),
        row.count("/spec/matchingPrecedence"),
        row.text_or("/spec/distinguisherMethod/type", "<none>"),
        row.age(),
        dangling.map_or("?", |condition| text(condition, "/status")).into(),
    ]
}

/// FlowSchemas are listed in the order they are tried in.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    let key = |schema| number(schema, "/spec/matchingPrecedence");
    key(a).cmp(&key(b)).then_with(|| text(a, "/metadata/name").cmp(text(b, "/metadata/name")))
}
