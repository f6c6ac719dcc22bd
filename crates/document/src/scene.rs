//! Scenes: what is in the cluster before a document's first example runs. A scene is a file of YAML beside the document, or
//! stands in its front matter under `scene`.

use json_tree::Value;
use serde::Deserialize;

/// A scene. `docs/documents.md` describes the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Scene {
    /// The newest revision of the cluster once all of it is there.
    pub revision: Option<u64>,
    /// The namespace of commands and manifests that name none; `default` unless it is told.
    pub namespace: Option<String>,
    /// Objects, in the order in which they are made.
    pub objects: Vec<Value>,
    /// Objects of which there are many.
    pub copies: Vec<Copies>,
    /// Objects that somebody applies.
    pub applied: Vec<Applied>,
}

/// An object of which there are many.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Copies {
    /// How many.
    pub count: usize,
    /// The object. `{n}` in its texts is the number, from 1.
    pub object: Value,
}

/// An object that somebody applies.
///
/// <https://kubernetes.io/docs/reference/using-api/server-side-apply/>
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Applied {
    /// The field manager.
    pub manager: String,
    /// The configuration.
    pub object: Value,
}

/// The most objects that a scene has.
const MOST: usize = 20_000;

/// The newest revision that a scene has.
const NEWEST: u64 = 1_000_000_000_000;

/// The front matter of a page, as far as a scene is in it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FrontMatter {
    scene: Option<Scene>,
}

impl Scene {
    /// Reads a file.
    ///
    /// # Errors
    /// It is no scene: the reason, with the line.
    pub fn read(yaml: &str) -> Result<Self, String> {
        let scene: Option<Self> = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
        scene.unwrap_or_default().checked()
    }

    /// Reads the scene in a page's front matter, if there is one.
    ///
    /// # Errors
    /// There is one, and it cannot be read.
    pub fn in_front_matter(yaml: &str) -> Result<Option<Self>, String> {
        if !yaml.lines().any(|line| line.starts_with("scene:")) {
            return Ok(None);
        }
        let front: FrontMatter = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
        front.scene.map(Self::checked).transpose()
    }

    fn checked(self) -> Result<Self, String> {
        if self.revision.is_some_and(|revision| revision > NEWEST) {
            return Err(format!("the revision of a scene is {NEWEST} at most"));
        }
        let count: usize = self.copies.iter().map(|copies| copies.count).fold(0, usize::saturating_add);
        if count > MOST {
            return Err(format!("a scene has {MOST} copies at most, and this one has {count}"));
        }
        Ok(self)
    }

    /// Adds what another scene has. Where both say one thing, this one is right.
    pub fn add(&mut self, other: Self) {
        let Self { revision, namespace, objects, copies, applied } = other;
        self.revision = self.revision.or(revision);
        self.namespace = self.namespace.take().or(namespace);
        self.objects.extend(objects);
        self.copies.extend(copies);
        self.applied.extend(applied);
    }

    /// Returns the namespace of what names none.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
}

impl Copies {
    /// Returns the copies.
    pub fn objects(&self) -> impl Iterator<Item = Value> {
        (1..=self.count).map(|number| numbered(&self.object, &number.to_string()))
    }
}

fn numbered(value: &Value, number: &str) -> Value {
    match value {
        Value::String(text) if text.contains("{n}") => text.replace("{n}", number).as_str().into(),
        Value::Array(items) => Value::Array(items.iter().map(|item| numbered(item, number)).collect()),
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), numbered(value, number))).collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files() {
        let scene = Scene::read(
            "revision: 10245\nobjects:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: test}\ncopies:\n- count: 2\n  object: {metadata: {name: 'pod-{n}'}}\napplied:\n- manager: kubectl\n  object: {}\n",
        )
        .unwrap_or_default();
        assert_eq!((scene.revision, scene.objects.len(), scene.applied.len()), (Some(10245), 1, 1));
        let names: Vec<_> =
            scene.copies[0].objects().map(|object| object["metadata"]["name"].to_string()).collect();
        assert_eq!(names, ["\"pod-1\"", "\"pod-2\""]);
        assert_eq!(Scene::read("").map(|scene| scene.namespace().to_owned()), Ok("default".to_owned()));
    }

    #[test]
    fn what_is_no_scene() {
        for (yaml, part) in [
            ("revisions: 1", "unknown field `revisions`"),
            ("revision: x", "line 1"),
            ("copies: [{count: 9999999, object: {}}]", "20000 copies at most"),
            ("revision: [", "line"),
            ("revision: 18446744073709551615", "at most"),
        ] {
            let error = Scene::read(yaml).expect_err(yaml);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn front_matter() {
        assert_eq!(Scene::in_front_matter("title: a\n"), Ok(None));
        let scene = Scene::in_front_matter("title: a\nscene:\n  revision: 7\n");
        assert_eq!(scene.map(|scene| scene.and_then(|scene| scene.revision)), Ok(Some(7)));
        assert!(Scene::in_front_matter("scene:\n  x: 7\n").is_err());
    }
}
