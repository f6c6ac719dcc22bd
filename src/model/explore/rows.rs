//! The rows of the tree: groups, versions, kinds and fields, as far as they are open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use json_tree::Value;

use crate::model::explore::fields::{Field, Look, fields, has_fields, of_built_in};
use crate::model::explore::served::Kind;

/// A row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The path of the row in the tree: `core/v1/pods/spec/containers`.
    pub(crate) id: String,
    /// How deep it is, from 1.
    pub(crate) level: usize,
    /// True if it is open; `None` if there is nothing in it.
    pub(crate) open: Option<bool>,
    pub(crate) what: What,
}

/// The content of a row.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A group, and the kinds in it that are looked for.
    Group(String, usize),
    /// A version, and whether it is the preferred one.
    Version(String, bool),
    Kind(Arc<Kind>),
    Field(Box<Field>),
}

/// The level of kinds.
const KIND: usize = 3;

/// The id of the row of a kind.
pub(crate) fn id_of(kind: &Kind) -> String {
    [kind.group_name(), "/", &kind.version, "/", &kind.resource].concat()
}

/// Reports whether a kind is one that is looked for: its plural name, its kind or its group contains the text
/// `wanted` (in lower case), or a short name or a category is that text.
fn matches(kind: &Kind, wanted: &str) -> bool {
    let has = |text: &str| text.to_ascii_lowercase().contains(wanted);
    has(&kind.resource)
        || has(&kind.kind)
        || has(kind.group_name())
        || kind.short_names.iter().chain(&kind.categories).any(|name| name == wanted)
}

/// Everything that shows. While something is looked for, the groups and versions that have it are open.
pub(crate) fn rows(
    kinds: &[Arc<Kind>],
    schemas: &BTreeMap<String, Arc<Value>>,
    open: &BTreeSet<String>,
    filter: &str,
) -> Vec<Row> {
    let wanted = filter.trim().to_ascii_lowercase();
    let found: Vec<&Arc<Kind>> = kinds.iter().filter(|kind| matches(kind, &wanted)).collect();
    let opened = |id: &str| !wanted.is_empty() || open.contains(id);
    let mut rows = Vec::new();
    let mut rest = found.as_slice();
    while let Some(first) = rest.first() {
        let group: Vec<&Arc<Kind>> =
            rest.iter().copied().take_while(|kind| kind.group == first.group).collect();
        rest = &rest[group.len()..];
        let id = first.group_name().to_owned();
        let shows = opened(&id);
        let what = What::Group(id.clone(), group.len());
        rows.push(Row { id, level: 1, open: Some(shows), what });
        if shows {
            versions(&mut rows, &group, schemas, open, kinds);
        }
    }
    rows
}

/// The versions of a group. They are open unless somebody closes them: what is listed is that they are not.
fn versions(
    rows: &mut Vec<Row>,
    group: &[&Arc<Kind>],
    schemas: &BTreeMap<String, Arc<Value>>,
    open: &BTreeSet<String>,
    kinds: &[Arc<Kind>],
) {
    let mut before = "";
    for kind in group {
        let id = [kind.group_name(), "/", &kind.version].concat();
        let shows = !open.contains(&id);
        if kind.version != before {
            before = &kind.version;
            // Discovery has the preferred version of a group first.
            let preferred = kinds
                .iter()
                .find(|known| known.group == kind.group)
                .is_some_and(|first| first.version == kind.version);
            let what = What::Version(kind.version.clone(), preferred);
            rows.push(Row { id: id.clone(), level: 2, open: Some(shows), what });
        }
        if !shows {
            continue;
        }
        let id = id_of(kind);
        let shows = open.contains(&id);
        rows.push(Row { id: id.clone(), level: KIND, open: Some(shows), what: What::Kind(Arc::clone(kind)) });
        if let Some(look) = look_of(kind, schemas).filter(|_| shows) {
            below(rows, &id, KIND + 1, &look, open);
        }
    }
}

/// Returns what is known of the objects of a kind.
pub(crate) fn look_of(kind: &Kind, schemas: &BTreeMap<String, Arc<Value>>) -> Option<Look> {
    match kind.built_in() {
        Some(known) => of_built_in(known),
        None => schemas.get(&id_of(kind)).map(|schema| Look::Object(Arc::clone(schema))),
    }
}

/// The fields of a value. However deep a type goes, only what somebody has opened is looked at.
fn below(rows: &mut Vec<Row>, id: &str, level: usize, look: &Look, open: &BTreeSet<String>) {
    for field in fields(look) {
        let id = [id, "/", &field.name].concat();
        let shows = has_fields(&field.look).then(|| open.contains(&id));
        let look = field.look.clone();
        rows.push(Row { id: id.clone(), level, open: shows, what: What::Field(Box::new(field)) });
        if shows == Some(true) {
            below(rows, &id, level + 1, &look, open);
        }
    }
}

/// The row that a row is in.
pub(crate) fn parent(rows: &[Row], at: usize) -> Option<usize> {
    let level = rows.get(at)?.level;
    rows[..at].iter().rposition(|row| row.level < level)
}

/// Updates `open` once a row has been opened, or closed: versions are listed where they are closed.
pub(crate) fn toggled(open: &mut BTreeSet<String>, row: &Row, shows: bool) {
    let listed = shows != matches!(row.what, What::Version(..));
    if listed {
        open.insert(row.id.clone());
    } else {
        open.remove(&row.id);
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::model::explore::served::tests::kinds;

    #[track_caller]
    fn check(open: &[&str], filter: &str, expected: &[&str]) {
        let open = open.iter().map(|id| (*id).to_owned()).collect();
        let schema =
            json!({"properties": {"spec": {"type": "object", "properties": {"image": {"type": "string"}}}}});
        let schemas = [("stable.example.com/v1/crontabs".to_owned(), Arc::new(schema))].into();
        let rows = rows(&kinds(), &schemas, &open, filter);
        let shown: Vec<String> = rows
            .iter()
            .map(|row| {
                let sign = row.open.map_or("", |open| if open { "-" } else { "+" });
                format!("{}{sign}{}", " ".repeat(row.level - 1), row.id.rsplit('/').next().unwrap())
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn shows_what_is_open() {
        check(&[], "", &["+core", "+stable.example.com"]);
        check(&["core"], "", &["-core", " -v1", "  +configmaps", "  +nodes", "+stable.example.com"]);
        check(&["core", "core/v1"], "", &["-core", " +v1", "+stable.example.com"]);
        let path =
            ["stable.example.com", "stable.example.com/v1/crontabs", "stable.example.com/v1/crontabs/spec"];
        check(
            &path,
            "",
            &[
                "+core",
                "-stable.example.com",
                " -v1",
                "  -crontabs",
                "   apiVersion",
                "   kind",
                "   +metadata",
                "   -spec",
                "    image",
                " -v1beta1",
                "  +crontabs",
            ],
        );
    }

    #[test]
    fn finds_what_is_looked_for() {
        check(&[], " CM ", &["-core", " -v1", "  +configmaps"]);
        check(&[], "all", &["-stable.example.com", " -v1", "  +crontabs"]);
        check(&[], "crontab", &["-stable.example.com", " -v1", "  +crontabs", " -v1beta1", "  +crontabs"]);
        check(&[], "nothing", &[]);
    }

    #[test]
    fn rows_have_parents() {
        let open = ["core".to_owned()].into();
        let rows = rows(&kinds(), &BTreeMap::new(), &open, "");
        let parents: Vec<Option<usize>> = (0..rows.len()).map(|at| parent(&rows, at)).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1), None]);
    }
}
