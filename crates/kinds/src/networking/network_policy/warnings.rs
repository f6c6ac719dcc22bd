//! The warnings to writers of objects of the kind NetworkPolicy.

use json_tree::Value;

use crate::validation::address::cidr_warnings;
use crate::validation::warnings::addresses::{of_cidr, of_each};
use crate::validation::warnings::list;
use field::Path;

pub(super) fn warn(policy: &Value, _: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&policy["spec"], Path::new("spec"));
    let mut warnings = Vec::new();
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in list(spec, rules).iter().enumerate() {
            let path = path.child(rules).index(index).child(peers);
            warnings.extend(of_each(list(rule, peers), &path, |peer, path| {
                let (block, path) = (&peer["ipBlock"], path.child("ipBlock"));
                let mut warnings = cidr_warnings(block.text("cidr"), &path.child("cidr"));
                warnings.extend(of_each(list(block, "except"), &path.child("except"), of_cidr));
                warnings
            }));
        }
    }
    warnings
}
