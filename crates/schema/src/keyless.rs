//! Types of which an item of a list may have none of the keys that tell it apart.

use crate::types::{Empty, Field, FieldType, ListType, TypeId, Types};

impl Types {
    /// Returns whether a value of this type can have such an item somewhere, so that Server-Side Apply cannot take it apart.
    pub fn may_lack_keys(&self, id: TypeId) -> bool {
        let lacking = self.keyless.get_or_init(|| self.find_keyless());
        lacking.get(id.index()).copied().unwrap_or_default()
    }

    fn find_keyless(&self) -> Vec<bool> {
        let mut found: Vec<bool> =
            self.iter().map(|(_, ty)| ty.fields.iter().any(|field| self.is_keyless(field))).collect();
        // What such a type is a part of has it too.
        loop {
            let mut grew = false;
            for (id, ty) in self.iter() {
                let holds = |field: &Field| inner(&field.ty).is_some_and(|inner| found[inner.index()]);
                if !found[id.index()] && ty.fields.iter().any(holds) {
                    found[id.index()] = true;
                    grew = true;
                }
            }
            if !grew {
                return found;
            }
        }
    }

    /// Returns whether a field is a list whose items may be without any key.
    fn is_keyless(&self, field: &Field) -> bool {
        let (Some(ListType::Map(keys)), FieldType::List(item)) = (&field.list, &field.ty) else {
            return false;
        };
        let FieldType::Struct(id) = **item else { return false };
        let is_there = |key: &String| {
            let key = self.get(id).field(key);
            key.is_some_and(|key| key.default.is_some() || key.empty == Empty::Keep)
        };
        !keys.iter().any(is_there)
    }
}

/// Returns the struct that a value of this type is or consists of.
fn inner(ty: &FieldType) -> Option<TypeId> {
    match ty {
        FieldType::Struct(id) => Some(*id),
        FieldType::List(inside) | FieldType::Map(inside) => inner(inside),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_what_priorities_report_may_lack_keys() {
        let types = Types::builtin();
        let mut fields = Vec::new();
        for (_, ty) in types.iter() {
            let keyless = ty.fields.iter().filter(|field| types.is_keyless(field));
            fields.extend(keyless.map(|field| [ty.name.as_str(), ".", &field.name].concat()));
        }
        fields.sort();
        let expected = [
            "v1.FlowSchemaStatus.conditions",
            "v1.PriorityLevelConfigurationStatus.conditions",
            "v1.ServiceAccount.secrets",
        ];
        assert_eq!(fields, expected);
        for (package, name, expected) in [
            ("k8s.io/api/core/v1", "ServiceAccount", true),
            ("k8s.io/api/flowcontrol/v1", "FlowSchema", true),
            ("k8s.io/api/core/v1", "Pod", false),
        ] {
            let id = types.find(package, name).expect("the table has it");
            assert_eq!(types.may_lack_keys(id), expected, "{name}");
        }
    }
}
