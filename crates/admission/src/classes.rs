//! Default classes: an object that does not choose a class gets the default one, if there is one. Claims grow if their
//! class lets them.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultstorageclass>,
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultingressclass>

use apimachinery::storage_class;
use json_tree::Value;

use super::Request;
use apimachinery::object::{Object, metadata_text};
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;
use kinds::networking::ingress;
use schema::quantity::Quantity;

const DEFAULT_INGRESS: &[&str] = &["ingressclass.kubernetes.io/is-default-class"];

/// Of several defaults the newest counts, and of equally old ones the first by name.
pub(super) fn default_storage(request: &Request<'_>, claim: &mut Object) -> Result<(), Box<Status>> {
    let chosen = claim.get("spec").and_then(|spec| spec.get("storageClassName")).is_some()
        || annotation(claim, storage_class::OLD_CLASS).is_some();
    if request.old.is_some() || chosen {
        return Ok(());
    }
    if let Some(class) = newest(request.all("storageclasses"), &storage_class::DEFAULT)
        && let Some(mut claim) = TypedObject::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim)
        && let Some(mut spec) = claim.ensure("spec")
    {
        spec.set("storageClassName", class);
    }
    Ok(())
}

/// A claim grows only if its class says that it may.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize>
pub(super) fn check_growth(request: &Request<'_>, claim: &Object) -> Result<(), Box<Status>> {
    let size = |claim: &Object| super::text(claim, "spec", "/resources/requests/storage").to_owned();
    let (Some(before), Ok(now)) = (request.old.map(size), Quantity::parse(&size(claim))) else {
        return Ok(());
    };
    if !now.exceeds(&Quantity::parse(&before).unwrap_or(Quantity::count(0))) {
        return Ok(());
    }
    let class = class_of(claim).filter(|name| request.old.and_then(class_of) == Some(*name));
    let class = class.and_then(|name| request.find("storageclasses", name));
    if class.is_some_and(|class| class.get("allowVolumeExpansion") == Some(&Value::Bool(true))) {
        return Ok(());
    }
    let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must \
               support resize";
    Err(request.forbidden(claim, why))
}

/// The storage class of a claim, if it has one.
pub(super) fn class_of(claim: &Object) -> Option<&str> {
    storage_class::named(claim).filter(|name| !name.is_empty())
}

/// As for storage, but for ingresses without the annotation either.
pub(super) fn default_ingress(request: &Request<'_>, ingress: &mut Object) -> Result<(), Box<Status>> {
    let chosen = ingress.get("spec").and_then(|spec| spec.get("ingressClassName")).is_some()
        || annotation(ingress, ingress::OLD_CLASS).is_some();
    if request.old.is_some() || chosen {
        return Ok(());
    }
    if let Some(class) = newest(request.all("ingressclasses"), DEFAULT_INGRESS)
        && let Some(mut ingress) = TypedObject::builtin("k8s.io/api/networking/v1", "Ingress", ingress)
        && let Some(mut spec) = ingress.ensure("spec")
    {
        spec.set("ingressClassName", class);
    }
    Ok(())
}

fn newest(classes: Vec<Object>, annotations: &[&str]) -> Option<String> {
    let created = |class: &Object| metadata_text(class, "creationTimestamp").to_owned();
    let defaults = classes
        .into_iter()
        .filter(|class| annotations.iter().any(|key| annotation(class, key) == Some("true")));
    // The order is that of the keys, which is that of the names: the first of the same second stays.
    let newest =
        defaults.reduce(|newest, class| if created(&class) > created(&newest) { class } else { newest })?;
    Some(metadata_text(&newest, "name").to_owned())
}

fn annotation<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key).and_then(Value::as_str)
}
