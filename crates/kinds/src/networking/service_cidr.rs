//! The kind ServiceCIDR.
//!
//! See <https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects>.

mod printer;

use json_tree::{Value, json};

use crate::kind::{Checks, DEFAULT, Kind, Paths, Printer, Strategy, keep_metadata};
use crate::validation::address::{canonical_cidr, parse_cidr};
use crate::validation::checks::{go_value, texts};
use crate::validation::read::at;
use field::{AddError, Error, Path};

/// The kind ServiceCIDR.
pub(crate) struct ServiceCIDR;

impl Kind for ServiceCIDR {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "servicecidrs";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..DEFAULT };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).validate_part("status", |_, _| Vec::new())
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

pub(super) const IMMUTABLE: &str = "field is immutable";

/// Validates a ServiceCIDR.
fn create(object: &Value) -> Vec<Error> {
    let spec = at(object, "/spec");
    let (blocks, path) = (texts(spec, "cidrs"), Path::new("spec").child("cidrs"));
    if blocks.is_empty() {
        return vec![Error::required(&path, "at least one CIDR required")];
    }
    if blocks.len() > 2 {
        return vec![Error::invalid(&path, json!({"CIDRs": blocks}), "may only hold up to 2 values")];
    }
    let each = blocks.iter().enumerate();
    let mut errors: Vec<Error> =
        each.filter_map(|(index, block)| canonical_cidr(block, &path.index(index))).collect();
    let families: Vec<bool> =
        blocks.iter().filter_map(|block| parse_cidr(block)).map(|block| block.address.is_ipv4()).collect();
    if let [first, second] = families[..]
        && first == second
    {
        let why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        errors.invalid(&path, blocks, why);
    }
    errors
}

/// Validates an update of a ServiceCIDR: the only change allowed is to add a CIDR of the other IP family.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let path = Path::new("spec").child("cidrs");
    let (new, old) = (texts(at(object, "/spec"), "cidrs"), texts(at(old, "/spec"), "cidrs"));
    let changed = |index: usize| Error::invalid(path.index(index), new[index], IMMUTABLE);
    if new.len() == old.len() {
        return (0..new.len()).filter(|index| new[*index] != old[*index]).map(changed).collect();
    }
    if old.len() == 1 && new.len() == 2 {
        let mut errors: Vec<Error> = (new[0] != old[0]).then(|| changed(0)).into_iter().collect();
        errors.extend(create(object));
        return errors;
    }
    vec![Error::invalid(&path, go_value(at(object, "/spec"), "cidrs"), IMMUTABLE)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    fn ranges(blocks: &[&str]) -> Value {
        json!({"spec": {"cidrs": blocks}})
    }

    #[test]
    fn blocks() {
        check(&create(&ranges(&["10.0.0.0/16", "2001:db8::/64"])), "");
        check(&create(&ranges(&[])), "spec.cidrs: Required value: at least one CIDR required");
        check(
            &create(&ranges(&["10.0.0.0/16", "2001:DB8::/64"])),
            "spec.cidrs[1]: Invalid value: \"2001:DB8::/64\": must be in canonical form (\"2001:db8::/64\")",
        );
        check(
            &create(&ranges(&["10.0.0.0/16", "11.0.0.0/16"])),
            "spec.cidrs: Invalid value: [\"10.0.0.0/16\",\"11.0.0.0/16\"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
        );
        let one = ranges(&["10.0.0.0/16"]);
        check(&update(&ranges(&["10.0.0.0/16", "2001:db8::/64"]), &one), "");
        check(
            &update(&ranges(&["11.0.0.0/16"]), &one),
            "spec.cidrs[0]: Invalid value: \"11.0.0.0/16\": field is immutable",
        );
    }
}
