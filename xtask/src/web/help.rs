//! Kubernetes' descriptions of its types and fields, as one text. It is taken from the sources of `k8s-openapi`
//! whenever the page is built, and is not ours to commit.
//!
//! ```text
//! # whose words these are
//! =v1.RestartPolicy,Always,OnFailure,Never
//! @k8s.io/api/core/v1
//! Container A single application container that you want to run within a pod.
//!  args Arguments to the entrypoint. ...
//! ```
//!
//! First the values that go by a name, which `crates/schema/facts/values.txt` has; then packages, types and fields, in the
//! order of their names. A U+2029 stands for the end of a paragraph.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::schema::sources;

const VALUES: &str = "crates/schema/facts/values.txt";
const TABLE: &str = "crates/schema/src/table.txt";

const WHOSE: &str =
    "# The descriptions are those of Kubernetes v1.36: Apache License 2.0, (c) The Kubernetes Authors.\n";

/// The descriptions of a type, and of its fields.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    name: String,
    about: String,
    fields: BTreeMap<String, String>,
}

/// The whole text.
///
/// # Errors
/// A source that cannot be read, or that says nothing.
pub(super) fn text(root: &Path) -> Result<String, String> {
    let read = |name: &str| {
        fs::read_to_string(root.join(name)).map_err(|error| format!("{name} cannot be read: {error}"))
    };
    let known = types_of(&read(TABLE)?);
    let mut packages: BTreeMap<String, BTreeMap<String, Said>> = BTreeMap::new();
    for (module, text) in sources::rust_files(&sources::find(root)?.k8s_openapi)? {
        let Some(said) = said(&text) else { continue };
        let package = sources::go_package(&module);
        if known.contains(&(package.clone(), said.name.clone())) {
            packages.entry(package).or_default().insert(said.name.clone(), said);
        }
    }
    if packages.is_empty() {
        return Err("k8s-openapi describes none of the types of the table".to_owned());
    }
    let mut out = [WHOSE, &values(&read(VALUES)?)].concat();
    for (package, types) in packages {
        out += &["@", &package, "\n"].concat();
        for (name, said) in types {
            out += &[&name, " ", &said.about, "\n"].concat();
            for (field, about) in said.fields {
                out += &[" ", &field, " ", &about, "\n"].concat();
            }
        }
    }
    Ok(out)
}

/// The packages and names of the types in the table.
fn types_of(table: &str) -> BTreeSet<(String, String)> {
    let mut package = "";
    let mut types = BTreeSet::new();
    for line in table.lines().filter(|line| !line.starts_with(['#', ' '])) {
        match line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            Some((_, path)) => package = path,
            None => {
                types.insert((package.to_owned(), line.split(' ').next().unwrap_or_default().to_owned()));
            }
        }
    }
    types
}

/// The lines of the values: a name and what may stand for it. Where a value has a space in it, commas are between them.
fn values(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(' ')).map(|(name, values)| {
        let values = if values.contains(',') { values.to_owned() } else { values.replace(' ', ",") };
        format!("={name},{values}\n")
    });
    lines.collect()
}

/// Returns the descriptions in a file of `k8s-openapi`: those in the JSON schema of its type. `None` if it has none.
fn said(text: &str) -> Option<Said> {
    let (_, schema) = text.split_once("fn schema_name()")?;
    let name = schema.split_once(".into()")?.0.rsplit_once('.')?.1.trim_end_matches('"');
    let mut said = Said { name: name.to_owned(), ..Said::default() };
    let mut field = String::new();
    for line in schema.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim_start();
        let opens = line.strip_prefix('"').and_then(|line| line.split_once("\": "));
        match (depth, opens) {
            (16, Some((name, "{" | "({"))) => field = name.to_owned(),
            (12, Some(("description", about))) => said.about = literal(about)?,
            (20, Some(("description", about))) => {
                said.fields.insert(field.clone(), literal(about)?);
            }
            (20, None) => {
                let inserted = line.split_once("insert(\"description\".into(), ").map(|(_, about)| about);
                if let Some(about) = inserted {
                    said.fields.insert(field.clone(), literal(about)?);
                }
            }
            _ => {}
        }
    }
    Some(said)
}

/// The text of the literal that `source` begins with, in one line.
fn literal(source: &str) -> Option<String> {
    let mut texts = serde_json::Deserializer::from_str(source).into_iter::<String>();
    Some(texts.next()?.ok()?.trim().replace("\n\n", "\n").replace('\n', "\u{2029}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_schema() {
        let text = r#"
impl JsonSchema for Container {
    fn schema_name() -> Cow<'static, str> {
        "io.k8s.api.core.v1.Container".into()
    }
    fn json_schema(__gen: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A \"container\".",
            "type": "object",
            "properties": {
                "args": {
                    "description": "One.\n\nTwo.",
                    "type": "array",
                    "items": {
                        "description": "no",
                    },
                },
                "probe": ({
                    let mut schema_obj = __gen.subschema_for::<Probe>();
                    schema_obj.ensure_object().insert("description".into(), "A probe.".into());
                    schema_obj
                }),
            },
"#;
        let fields = [("args", "One.\u{2029}Two."), ("probe", "A probe.")];
        let fields = fields.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())).collect();
        let expected = Said { name: "Container".to_owned(), about: "A \"container\".".to_owned(), fields };
        assert_eq!(said(text), Some(expected));
        assert_eq!(said("pub type Time = String;"), None);
    }

    #[test]
    fn lists_values() {
        assert_eq!(
            values("# core\nv1.Protocol TCP UDP\n\nv1.KeyUsage cert sign,any\n"),
            "=v1.Protocol,TCP,UDP\n=v1.KeyUsage,cert sign,any\n"
        );
    }

    #[test]
    fn lists_the_types_of_the_table() {
        let types = types_of("# a\n@core k8s.io/api/core/v1\nPod kind\n spec 2 PodSpec\nPodSpec\n");
        let types: Vec<&str> = types.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(types, ["Pod", "PodSpec"]);
    }
}
