//! The changes of an object's managers, and of the object, when somebody updates or applies.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>

use std::sync::OnceLock;

use json_tree::Value;
use schema::Types;

use crate::conflict::Conflict;
use crate::managers::{Entry, Manager, Managers, Operation};
use crate::set::Set;
use crate::shape::Shape;
use crate::table::Table;
use crate::typed::{Comparison, Typed, ValidationError};
use crate::value::same;

/// Whose fields an object has when it is first applied to and nobody manages it.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Objects in other API versions.
pub trait Converter {
    /// The type of the kind in an API version; `None` if there is no such version.
    fn root(&self, api_version: &str) -> Option<Shape<'_>>;

    /// An object of one API version in another; nothing if there is no such version.
    ///
    /// # Errors
    /// Why it cannot be had in that version.
    fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Option<Value>, String>;
}

/// Writes objects of one API version.
#[derive(Clone, Copy)]
pub struct Updater<'a> {
    /// The table of the types.
    pub types: &'a Types,
    /// Brings objects to the versions in which fields are owned.
    pub converter: &'a dyn Converter,
    /// The API version of the objects that are given and taken.
    pub api_version: &'a str,
    /// Their type.
    pub root: Shape<'a>,
    /// The fields that this kind of write leaves alone, so that nobody comes to own them by it.
    pub ignored: &'a Set,
    /// Now, as RFC 3339.
    pub now: &'a str,
}

/// Why a configuration cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It is not of its type.
    Invalid(Vec<ValidationError>),
    /// Others manage what it would change.
    Conflicts(Vec<Conflict>),
    /// The object that is there is not of its type; its fields may have no managers yet.
    Untyped {
        /// True if nobody manages its fields yet.
        unmanaged: bool,
        /// The errors that were found in it.
        errors: Vec<ValidationError>,
    },
    /// The object cannot be had in a version in which somebody owns fields.
    Unconvertible(String),
}

impl Updater<'_> {
    /// Somebody made `new` of `live`, which is an empty object if it is new: the fields that changed are now theirs.
    pub fn update(&self, live: &Value, new: &Value, managers: &mut Managers, manager: &Manager) {
        let fits = [live, new].into_iter().all(|object| self.check(object).is_ok());
        let reconciled = fits.then(|| self.reconcile(live, managers).ok()).flatten();
        let comparison = reconciled.and_then(|()| self.take(live, new, managers, None, false).ok());
        let Some(comparison) = comparison else {
            // Nobody is known to own anything, when it cannot be found out.
            *managers = Managers::default();
            return;
        };
        let owned = comparison.modified.union(&comparison.added);
        let owned = owned.without(self.ignored, true).without(stripped(), false);
        if !owned.is_empty() {
            let entry = managers.0.get_or_insert(manager.clone(), || Entry {
                api_version: self.api_version.to_owned(),
                set: Set::default(),
                time: None,
            });
            entry.set = entry.set.union(&owned);
            entry.time = Some(self.now.to_owned());
        }
        managers.cap();
    }

    /// Applies a configuration to `live`, which is an empty object if it is to be created. Answers what becomes of
    /// it; nothing if it stays as it is, whatever becomes of its managers.
    ///
    /// # Errors
    /// The configuration is not of its type, or there are conflicts and no `force`. The managers mean nothing then.
    pub fn apply(
        &self,
        live: &Value,
        config: &Value,
        managers: &mut Managers,
        manager: &Manager,
        force: bool,
    ) -> Result<Option<Value>, Failure> {
        let unmanaged = managers.is_empty();
        let check_live = || self.check(live).map_err(|errors| Failure::Untyped { unmanaged, errors });
        if unmanaged {
            check_live()?;
        }
        self.typed(config).validate().map_err(Failure::Invalid)?;
        if unmanaged {
            let before =
                Manager::new(BEFORE_FIRST_APPLY, Operation::Update, self.api_version, &manager.subresource);
            let empty = self.root.empty(self.types);
            self.update(&empty, live, managers, &before);
        } else {
            check_live()?;
        }
        self.reconcile(live, managers)?;
        let merged = self.typed(live).merge(config);
        let set = self.typed(config).to_set().without(self.ignored, true);
        let time = managers.0.get(manager).and_then(|entry| entry.time.clone());
        let entry = Entry { api_version: self.api_version.to_owned(), set, time };
        let last = managers.0.insert(manager.clone(), entry);
        let new = match &last {
            Some(last) => self.prune(merged, managers, manager, last)?,
            None => merged,
        };
        let comparison = self.take(live, &new, managers, Some(manager), force)?;
        let noop = comparison.is_empty() && same(live, &new);
        if let Some(entry) = managers.0.get_mut(manager) {
            entry.set = std::mem::take(&mut entry.set).without(stripped(), false);
            if !noop {
                entry.time = Some(self.now.to_owned());
            }
        }
        managers.0.retain(|_, entry| !entry.set.is_empty());
        Ok((!noop).then_some(new))
    }

    /// Takes from all managers but one what changed and what is gone.
    ///
    /// # Errors
    /// The changed fields that these managers own, unless they are taken by force.
    fn take(
        &self,
        live: &Value,
        new: &Value,
        managers: &mut Managers,
        workflow: Option<&Manager>,
        force: bool,
    ) -> Result<Comparison, Failure> {
        let whole = self.typed(live).compare(new);
        let mut by_version: Table<String, Comparison> = Table::default();
        by_version.insert(self.api_version.to_owned(), whole.without(self.ignored));
        for entry in managers.0.values() {
            if by_version.contains_key(&entry.api_version) {
                continue;
            }
            if let Some(comparison) = self.compare_in(live, new, &entry.api_version)? {
                by_version.insert(entry.api_version.clone(), comparison);
            }
        }
        // Nobody can own fields in a version that there is not any more.
        managers.0.retain(|manager, entry| {
            Some(manager) == workflow || by_version.contains_key(&entry.api_version)
        });
        let others = || managers.0.iter().filter(|(manager, _)| Some(*manager) != workflow);
        if !force && workflow.is_some() {
            let conflicts: Vec<Conflict> = others()
                .filter_map(|(manager, entry)| {
                    let comparison = by_version.get(&entry.api_version)?;
                    let modified = entry.set.intersection(&comparison.modified);
                    let set = modified.union(&entry.set.intersection(&comparison.added));
                    (!set.is_empty()).then(|| Conflict { manager: manager.clone(), set })
                })
                .collect();
            if !conflicts.is_empty() {
                return Err(Failure::Conflicts(conflicts));
            }
        }
        for (manager, entry) in managers.0.iter_mut() {
            if Some(manager) == workflow {
                continue;
            }
            let Some(comparison) = by_version.get(&entry.api_version) else { continue };
            for gone in [&comparison.modified, &comparison.added, &comparison.removed] {
                if entry.set.overlaps(gone) {
                    entry.set = entry.set.difference(gone);
                }
            }
        }
        managers.0.retain(|_, entry| !entry.set.is_empty());
        Ok(whole)
    }

    fn compare_in(&self, live: &Value, new: &Value, version: &str) -> Result<Option<Comparison>, Failure> {
        let before = self.in_version(live, self.api_version, version)?;
        let after = self.in_version(new, self.api_version, version)?;
        let (Some((shape, live)), Some((_, new))) = (before, after) else { return Ok(None) };
        let typed = Typed { types: self.types, shape, value: &live };
        Ok(Some(typed.compare(&new).without(self.ignored)))
    }

    /// Checks that an object matches its shape. Custom resources can fail to do so, and what may have items without keys. Items may occur
    /// twice.
    ///
    /// # Errors
    /// All that was found.
    fn check(&self, object: &Value) -> Result<(), Vec<ValidationError>> {
        let may_fail = match self.root {
            Shape::Custom(_) => true,
            Shape::Object(id) => self.types.may_lack_keys(id),
            _ => false,
        };
        match may_fail.then(|| self.typed(object).validate()) {
            Some(Err(errors)) if errors.iter().any(|error| !error.is_duplicate()) => Err(errors),
            _ => Ok(()),
        }
    }

    /// Brings what is owned into line with a custom resource's schema, which may have changed: of a list or map that is
    /// one value now, nobody owns parts.
    fn reconcile(&self, live: &Value, managers: &mut Managers) -> Result<(), Failure> {
        if !matches!(self.root, Shape::Custom(_)) {
            return Ok(());
        }
        for entry in managers.0.values_mut() {
            if let Some((shape, _)) = self.in_version(live, self.api_version, &entry.api_version)? {
                entry.set = entry.set.reconciled(self.types, shape);
            }
        }
        Ok(())
    }

    /// Takes out of what was merged what its applier had applied last and has no more, unless others own it.
    fn prune(
        &self,
        merged: Value,
        managers: &Managers,
        manager: &Manager,
        last: &Entry,
    ) -> Result<Value, Failure> {
        if last.set.is_empty() {
            return Ok(merged);
        }
        let version = last.api_version.as_str();
        // What is owned still does not have to go: mostly that is all of it.
        let given_up = match managers.0.get(manager) {
            Some(now) if now.api_version == version => last.set.difference(&now.set),
            _ => last.set.clone(),
        };
        if given_up.is_empty() {
            return Ok(merged);
        }
        let Some((root, in_last)) = self.in_version(&merged, self.api_version, version)? else {
            return Ok(merged);
        };
        let typed = |value| Typed { types: self.types, shape: root, value };
        let shape = root;
        let last_set = last.set.with_structs(self.types, Some(shape));
        let mut pruned = typed(&in_last).remove(&last_set);
        let mut versions: Table<&str, Set> = Table::default();
        for entry in managers.0.values() {
            let set = versions.get_or_insert(&entry.api_version, Set::default);
            *set = set.union(&entry.set);
        }
        // What would be missing for a conversion comes back first.
        if let Some(owned) = versions.remove(&version) {
            pruned = self.add_back(&in_last, &pruned, root, &owned);
        }
        for (other, owned) in versions {
            let Some((root, merged)) = self.in_version(&in_last, version, other)? else { continue };
            let Some((_, before)) = self.in_version(&pruned, version, other)? else { continue };
            let added = self.add_back(&merged, &before, root, &owned);
            if let Some((_, added)) = self.in_version(&added, other, version)? {
                pruned = added;
            }
        }
        // What nobody owns any more stays, if it was not this applier's.
        let pruned_set = typed(&pruned).to_set().with_structs(self.types, Some(shape));
        let merged_set = typed(&in_last).to_set().with_structs(self.types, Some(shape));
        let gone = merged_set.difference(&pruned_set).intersection(&last_set);
        let pruned = typed(&in_last).remove(&gone);
        let pruned = self.in_version(&pruned, version, self.api_version)?;
        Ok(pruned.map_or(merged, |(_, pruned)| pruned))
    }

    /// `pruned` with what of `merged` is owned.
    fn add_back(&self, merged: &Value, pruned: &Value, shape: Shape<'_>, owned: &Set) -> Value {
        let typed = |value| Typed { types: self.types, shape, value };
        let full = |set: &Set| set.with_structs(self.types, Some(shape));
        let kept = full(&typed(pruned).to_set()).union(&full(owned));
        typed(merged).remove(&full(&typed(merged).to_set()).difference(&kept))
    }

    fn in_version(
        &self,
        object: &Value,
        from: &str,
        to: &str,
    ) -> Result<Option<(Shape<'_>, Value)>, Failure> {
        if to == self.api_version && from == to {
            return Ok(Some((self.root, object.clone())));
        }
        let converted = self.converter.convert(object, from, to).map_err(Failure::Unconvertible)?;
        Ok(converted.and_then(|object| Some((self.converter.root(to)?, object))))
    }

    fn typed<'v>(&'v self, value: &'v Value) -> Typed<'v> {
        Typed { types: self.types, shape: self.root, value }
    }
}

/// Fields that nobody owns: the server sets them, or they say which object it is.
fn stripped() -> &'static Set {
    static STRIPPED: OnceLock<Set> = OnceLock::new();
    STRIPPED.get_or_init(|| {
        let names = [
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ];
        let mut set = Set::of_fields(&[&["apiVersion"], &["kind"], &["metadata"]]);
        for name in names {
            set = set.union(&Set::of_fields(&[&["metadata", name]]));
        }
        set
    })
}
