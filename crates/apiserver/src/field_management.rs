//! Field management: who owns which field. `metadata.managedFields` is kept with every write.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>

mod manager;
mod reset;
mod versions;

use apply::{Failure, Manager, Managers, Operation, Shape, Updater, last_applied, scale};
use json_tree::{Value, json};
use schema::Types;

use crate::clock::Clock;
use crate::notes::Notes;
use crate::resource::Resource;
use crate::{convert, registry};
use apimachinery::object::{Object, managed_fields, set_managed_fields};
use apimachinery::time;

pub(crate) use manager::name;
use versions::Versions;

/// The name of the server as a field manager.
const OWN: &str = "kube-apiserver";

/// Somebody's write to an object, as field management sees it.
pub(crate) struct Write<'a> {
    /// The resource that is written, in the version that the client speaks.
    pub(crate) resource: &'a Resource,
    /// Through which subresource; may be empty.
    pub(crate) subresource: &'a str,
    /// The field manager.
    pub(crate) manager: &'a str,
    /// When.
    pub(crate) clock: &'a dyn Clock,
    /// The notes on the request, which have the objects that webhooks have converted.
    pub(crate) notes: Option<&'a Notes>,
}

/// The resulting object, if there is one, and its entries.
type Applied = (Option<Value>, Option<Value>);

impl Write<'_> {
    /// The entries that an object has once it is written in the place of `live`, or for the first time.
    pub(crate) fn track(&self, live: Option<&Object>, new: &Object) -> Option<Value> {
        let resource = self.resource;
        let old = live.and_then(managed_fields);
        let mut managers = match live {
            None => Managers::default(),
            Some(_) => self.start_from(old, managed_fields(new)),
        };
        let (Some(root), true) = (shape_of(resource), live.is_none() || !managers.is_empty()) else {
            return None;
        };
        let live = match live {
            Some(live) => in_version(resource, live),
            None => root.empty(Types::builtin()),
        };
        let manager =
            Manager::new(self.manager, Operation::Update, &resource.api_version(), self.subresource);
        self.updater(root, |updater| {
            updater.update(&live, &in_version(resource, new), &mut managers, &manager);
        });
        managers.write()
    }

    /// The entries that a workload has once its replicas are written through another kind, of which these are the
    /// objects before and after.
    pub(crate) fn track_scale(
        &self,
        workload: &Resource,
        old: &Object,
        live: &Value,
        new: &Value,
    ) -> Option<Value> {
        let version = workload.api_version();
        let owners = Managers::read(managed_fields(old)).unwrap_or_default();
        let path = replicas_of(workload);
        let mut managers = scale::of_workload(&owners, &version, &path);
        if let (Some(root), false) = (shape_of(self.resource), managers.is_empty()) {
            let own = self.resource.api_version();
            let manager = Manager::new(self.manager, Operation::Update, &own, self.subresource);
            self.updater(root, |updater| updater.update(live, new, &mut managers, &manager));
        }
        scale::to_workload(&owners, managers, &version, &path).write()
    }

    /// As [`Self::apply`], to the other kind of a workload; the entries are the workload's.
    pub(crate) fn apply_scale(
        &self,
        root: Shape<'_>,
        (workload, old): (&Resource, &Object),
        live: &Value,
        config: &Value,
        force: bool,
    ) -> Result<Applied, Failure> {
        let version = workload.api_version();
        let owners = Managers::read(managed_fields(old)).unwrap_or_default();
        let path = replicas_of(workload);
        let before = scale::of_workload(&owners, &version, &path);
        let (new, managers) = self.apply_as(root, &before, live, config, force)?;
        Ok((new, scale::to_workload(&owners, managers, &version, &path).write()))
    }

    /// Applies a configuration to the live object, both in the resource's version; it is an empty object if there is
    /// none. Answers what becomes of it, if anything, and its entries.
    pub(crate) fn apply(
        &self,
        root: Shape<'_>,
        live: &Value,
        config: &Value,
        force: bool,
    ) -> Result<Applied, Failure> {
        let entries = live.get("metadata").and_then(|metadata| metadata.get("managedFields"));
        let before = Managers::read(entries).unwrap_or_default();
        let (new, managers) = self.apply_as(root, &before, live, config, force)?;
        Ok((new, managers.write()))
    }

    fn apply_as(
        &self,
        root: Shape<'_>,
        before: &Managers,
        live: &Value,
        config: &Value,
        force: bool,
    ) -> Result<(Option<Value>, Managers), Failure> {
        let mut managers = before.clone();
        let manager =
            Manager::new(self.manager, Operation::Apply, &self.resource.api_version(), self.subresource);
        let apply = |managers: &mut Managers, force| {
            self.updater(root, |updater| updater.apply(live, config, managers, &manager, force))
        };
        let by_kubectl = self.manager == last_applied::KUBECTL;
        let new = match apply(&mut managers, force) {
            Err(Failure::Conflicts(conflicts)) if by_kubectl => {
                let version = self.resource.api_version();
                let covered = last_applied::covered(Types::builtin(), root, &version, live);
                let left = last_applied::remaining(&conflicts, &covered.unwrap_or_default());
                if !left.is_empty() {
                    return Err(Failure::Conflicts(left));
                }
                managers = before.clone();
                apply(&mut managers, true)
            }
            outcome => outcome,
        };
        let mut new = new?;
        if by_kubectl && last_applied::of(new.as_ref().unwrap_or(live)).is_some() {
            last_applied::note(new.get_or_insert_with(|| live.clone()), config);
        }
        Ok((new, managers))
    }

    /// The managers that a write begins with: those in the body, if it has any that can be read; `[]` and `[{}]`
    /// are none. A subresource cannot change them.
    fn start_from(&self, old: Option<&Value>, sent: Option<&Value>) -> Managers {
        if self.subresource.is_empty() {
            if sent.is_some_and(|sent| *sent == json!([{}])) {
                return Managers::default();
            }
            if let Some(managers) = Managers::read(sent).filter(|managers| !managers.is_empty()) {
                return managers;
            }
        }
        Managers::read(old).unwrap_or_default()
    }

    fn updater<T>(&self, root: Shape<'_>, work: impl FnOnce(&Updater<'_>) -> T) -> T {
        let versions = Versions { resource: self.resource, notes: self.notes };
        let ignored = reset::fields(self.resource, self.subresource);
        let now = time::rfc3339(self.clock.now());
        work(&Updater {
            types: Types::builtin(),
            converter: &versions,
            api_version: &self.resource.api_version(),
            root,
            ignored: &ignored,
            now: &now,
        })
    }
}

/// Returns the shape of a resource's objects, which field management has to know.
pub(crate) fn shape_of(resource: &Resource) -> Option<Shape<'_>> {
    match resource.custom() {
        Some(custom) => Some(Shape::custom(&custom.version().schema)),
        None => resource.ty().map(Shape::Object),
    }
}

/// Returns the path of the replicas in a workload.
fn replicas_of(workload: &Resource) -> Vec<&str> {
    match workload.scale() {
        Some(paths) => paths.spec.split('.').skip(1).collect(),
        None => scale::REPLICAS.to_vec(),
    }
}

/// The object, which is in its storage version, in that of the resource.
pub(crate) fn in_version(resource: &Resource, object: &Object) -> Value {
    let mut object = object.clone();
    if resource.is_custom() {
        return Value::Object(object);
    }
    (registry::strategy(resource).complete)(&mut object);
    convert::tree_from_storage(resource, &mut object);
    Value::Object(object)
}

/// The entries of an object that the server itself creates.
pub(crate) fn track_own_creation(resource: &Resource, clock: &dyn Clock, new: &Object) -> Option<Value> {
    Write { resource, subresource: "", manager: OWN, clock, notes: None }.track(None, new)
}

/// The server itself, as a client of its own, made `new` of the stored object.
pub(crate) fn track_own_update(resource: &Resource, clock: &dyn Clock, old: &Object, new: &mut Object) {
    let write = Write { resource, subresource: "", manager: OWN, clock, notes: None };
    let entries = write.track(Some(old), new);
    set_managed_fields(new, entries);
}

/// The server itself, as a client of its own, made `new` of the status of the stored object.
pub(crate) fn track_own_status(resource: &Resource, clock: &dyn Clock, old: &Object, new: &mut Object) {
    let write = Write { resource, subresource: "status", manager: OWN, clock, notes: None };
    let entries = write.track(Some(old), new);
    set_managed_fields(new, entries);
}

/// A part of the server, as a client of its own, applies a configuration to the status of the stored object. Returns what becomes of
/// it, with its entries; `None` if it stays as it is.
pub(crate) fn apply_own_status(
    resource: &Resource,
    clock: &dyn Clock,
    manager: &str,
    old: &Object,
    config: &Value,
) -> Option<Object> {
    let write = Write { resource, subresource: "status", manager, clock, notes: None };
    let applied = write.apply(shape_of(resource)?, &in_version(resource, old), config, true);
    let (Some(Value::Object(mut new)), entries) = applied.ok()? else { return None };
    set_managed_fields(&mut new, entries);
    Some(new)
}

/// Puts the times of the old entries back, if nothing but such times changed. They are compared one by one: an entry that
/// is elsewhere now, because of its new time, has changed.
pub(crate) fn keep_times(old: &Object, new: &mut Object) {
    let untimed = |entries: &Value| {
        let mut entries = entries.as_array().cloned().unwrap_or_default();
        for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
            entry.shift_remove("time");
        }
        entries
    };
    let (Some(before), Some(after)) = (managed_fields(old), managed_fields(new)) else { return };
    if before == after || untimed(before) != untimed(after) {
        return;
    }
    let after = after.clone();
    set_managed_fields(new, Some(before.clone()));
    if old != new {
        set_managed_fields(new, Some(after));
    }
}

/// The entries of a workload's replicas, as its other kind has them.
pub(crate) fn scale_entries(workload: &Resource, object: &Object) -> Option<Value> {
    let owners = Managers::read(managed_fields(object))?;
    scale::of_workload(&owners, &workload.api_version(), &replicas_of(workload)).write()
}
