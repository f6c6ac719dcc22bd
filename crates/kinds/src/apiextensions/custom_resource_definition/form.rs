//! A definition as kube-apiserver holds it inside.
//!
//! Whatever is the same in all versions belongs to the definition as a whole, and to no version.

use json_tree::Value;

use crate::validation::read::{at, get, list, same, text};

/// The spec of a definition.
pub(super) struct Form<'a> {
    /// The fields that all versions have in common.
    pub(super) top: Shared<'a>,
    /// The versions, with what they have alone.
    pub(super) versions: Vec<Version<'a>>,
}

/// Fields that can belong to all versions, or to each one.
#[derive(Clone, Copy, Default)]
pub(super) struct Shared<'a> {
    /// `schema`: an object with `openAPIV3Schema`.
    pub(super) schema: Option<&'a Value>,
    /// `subresources`
    pub(super) subresources: Option<&'a Value>,
    /// `additionalPrinterColumns`
    pub(super) columns: &'a [Value],
    /// `selectableFields`
    pub(super) selectable: &'a [Value],
}

/// One version.
pub(super) struct Version<'a> {
    /// The name of the version.
    pub(super) name: &'a str,
    /// All of it.
    pub(super) value: &'a Value,
    /// The fields that this version has alone.
    pub(super) own: Shared<'a>,
}

impl<'a> Form<'a> {
    /// The form of a spec.
    pub(super) fn of(spec: &'a Value) -> Self {
        let values = list(spec, "versions");
        let of_each: Vec<Shared<'_>> = values.iter().map(Shared::of).collect();
        let is_same =
            |field: &str| values.iter().all(|version| same(get(version, field), get(&values[0], field)));
        let (mut top, mut own) = (Shared::default(), of_each);
        if let Some(first) = own.first().copied() {
            let same_schema = is_same("schema");
            let keep = |keep: bool, own: &mut Vec<Shared<'a>>, take: fn(&mut Shared<'a>)| {
                if keep {
                    own.iter_mut().for_each(take);
                }
                keep
            };
            if keep(is_same("subresources"), &mut own, |own| own.subresources = None) {
                top.subresources = first.subresources;
            }
            if keep(same_schema, &mut own, |own| own.schema = None) {
                top.schema = first.schema;
            }
            if keep(is_same("additionalPrinterColumns"), &mut own, |own| own.columns = &[]) {
                top.columns = first.columns;
            }
            if keep(same_schema && is_same("selectableFields"), &mut own, |own| own.selectable = &[]) {
                top.selectable = first.selectable;
            }
        }
        let versions = values.iter().zip(own);
        let versions =
            versions.map(|(value, own)| Version { name: text(value, "name"), value, own }).collect();
        Self { top, versions }
    }

    /// Returns whether any version has the status subresource.
    pub(super) fn has_status(&self) -> bool {
        self.top.has_status() || self.versions.iter().any(|version| version.own.has_status())
    }

    /// Returns whether `version` has the status subresource.
    pub(super) fn has_status_in(&self, version: &Version<'_>) -> bool {
        if self.versions.iter().any(|version| version.own.subresources.is_some()) {
            version.own.has_status()
        } else {
            self.top.has_status()
        }
    }

    /// All schemas: that of all versions, then those of each.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Value> {
        let all = std::iter::once(&self.top).chain(self.versions.iter().map(|version| &version.own));
        all.filter_map(|shared| shared.open_api())
    }
}

impl<'a> Shared<'a> {
    fn of(version: &'a Value) -> Self {
        Self {
            schema: get(version, "schema"),
            subresources: get(version, "subresources"),
            columns: list(version, "additionalPrinterColumns"),
            selectable: list(version, "selectableFields"),
        }
    }

    /// The schema itself.
    pub(super) fn open_api(&self) -> Option<&'a Value> {
        self.schema.and_then(|schema| get(schema, "openAPIV3Schema"))
    }

    fn has_status(&self) -> bool {
        self.subresources.is_some_and(|subresources| !at(subresources, "/status").is_null())
    }
}
