//! The rows of tables of the kind Ingress.

use json_tree::Value;

use crate::core::service::printer::balancers;
use crate::printing::cells::SHOWN;
use crate::printing::row::{Row, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Class||||The name of the IngressClass resource that should be used for additional configuration
Hosts||||Hosts that incoming requests are matched against before the ingress rule
Address||||Address is a list containing ingress points for the load-balancer
Ports||||Ports of TLS configurations that open
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.text_or("/spec/ingressClassName", "<none>"),
        hosts(row.list("/spec/rules")).into(),
        balancers(row).join(",").into(),
        if row.list("/spec/tls").is_empty() { "80" } else { "80, 443" }.into(),
        row.age(),
    ]
}

/// The hosts of the rules. Once enough of them are shown, the rest are counted by their rules.
fn hosts(rules: &[Value]) -> String {
    let mut shown = Vec::new();
    let mut more = false;
    for host in rules.iter().map(|rule| text(rule, "/host")) {
        more |= shown.len() == SHOWN;
        if !more && !host.is_empty() {
            shown.push(host);
        }
    }
    match shown.join(",") {
        _ if shown.is_empty() => "*".to_owned(),
        shown if more => format!("{shown} + {} more...", rules.len() - SHOWN),
        shown => shown,
    }
}
