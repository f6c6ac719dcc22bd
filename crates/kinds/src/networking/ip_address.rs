//! The kind IPAddress.
//!
//! See <https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects>.

mod printer;

use json_tree::{Value, json};

use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::networking::service_cidr::IMMUTABLE;
use crate::validation::address::canonical_ip;
use crate::validation::checks::{optional_name, required_name};
use crate::validation::name;
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, same, text};
use field::{AddError, Error, Path};

/// The kind IPAddress.
pub(crate) struct IPAddress;

impl Kind for IPAddress {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ipaddresses";
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate_name(own_name).validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a name, which is the address.
fn own_name(object: &Value) -> Vec<Error> {
    let (this, path) = (text(at(object, "/metadata"), "name"), Path::new("metadata").child("name"));
    canonical_ip(this).map(|why| Error::invalid(&path, this, why)).into_iter().collect()
}

/// Validates an IPAddress, the address of a service.
fn create(object: &Value) -> Vec<Error> {
    let path = Path::new("spec").child("parentRef");
    let mut errors = Vec::new();
    let Some(parent) = get(at(object, "/spec"), "parentRef") else {
        errors.required(&path, "");
        return errors;
    };
    errors.extend(optional_name(parent, "group", name::subdomain, &path));
    for field in ["resource", "name"] {
        errors.extend(required_name(parent, field, name::path_segment, &path));
    }
    errors.extend(optional_name(parent, "namespace", name::path_segment, &path));
    errors
}

/// Validates an update of an IPAddress.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let parent = |object| get(at(object, "/spec"), "parentRef");
    if same(parent(object), parent(old)) {
        return Vec::new();
    }
    let value = parent(object).map_or(Value::Null, |parent| {
        json!({"Group": text(parent, "group"), "Resource": text(parent, "resource"),
            "Namespace": text(parent, "namespace"), "Name": text(parent, "name")})
    });
    vec![Error::invalid(Path::new("spec").child("parentRef"), value, IMMUTABLE)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn addresses() {
        let address =
            |name: &str, parent: Value| json!({"metadata": {"name": name}, "spec": {"parentRef": parent}});
        let parent = json!({"resource": "services", "namespace": "a", "name": "b"});
        let created = |address: Value| [own_name(&address), create(&address)].concat();
        check(&created(address("10.0.0.1", parent.clone())), "");
        check(
            &created(address("10.0.0.01", json!({}))),
            "[metadata.name: Invalid value: \"10.0.0.01\": must not have leading 0s, \
             spec.parentRef.resource: Required value, spec.parentRef.name: Required value]",
        );
        check(
            &update(&address("a", json!({"resource": "r", "name": "n"})), &address("a", parent)),
            "spec.parentRef: Invalid value: {\"Group\":\"\",\"Resource\":\"r\",\"Namespace\":\"\",\"Name\":\"n\"}: field is immutable",
        );
    }
}
