//! Files in a volume whose paths are in each other's way.
//!
//! <https://kubernetes.io/docs/concepts/storage/projected-volumes/>

use json_tree::Value;

use crate::validation::warnings::list;
use field::quote;

/// A file of a volume, and where it comes from, if that is worth a word.
struct File<'a> {
    path: &'a str,
    source: String,
}

impl File<'_> {
    /// Returns whether the two paths are equal, or one is a directory that contains the other.
    fn meets(&self, other: &Self) -> bool {
        let inside = |path: &str, directory: &str| {
            path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !self.path.is_empty()
            && !other.path.is_empty()
            && (inside(self.path, other.path) || inside(other.path, self.path))
    }

    fn words(&self) -> String {
        let path = quote(self.path);
        if self.source.is_empty() { path } else { format!("{path} ({})", self.source) }
    }
}

/// The paths of the volumes of a pod that overlap.
pub(super) fn overlapping(spec: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for volume in list(spec, "volumes") {
        let name = quote(volume.text("name"));
        for (field, kind, own) in [
            ("configMap", "ConfigMap", "name"),
            ("secret", "Secret", "secretName"),
            ("downwardAPI", "DownwardAPI", ""),
        ] {
            let source = &volume[field];
            let what = described(kind, (!own.is_empty()).then(|| source.text(own)));
            compare(files(source, ""), &mut Vec::new(), &name, &what, &mut warnings);
        }
        let mut all = Vec::new();
        for source in list(&volume["projected"], "sources") {
            match projected(source) {
                Some(files) => compare(files, &mut all, &name, "Projected", &mut warnings),
                None => warnings.push(format!("volume {name} (Projected) has no sources provided")),
            }
        }
    }
    warnings
}

/// Compares files with those before them.
fn compare<'a>(
    files: Vec<File<'a>>,
    all: &mut Vec<File<'a>>,
    volume: &str,
    what: &str,
    warnings: &mut Vec<String>,
) {
    for file in files {
        for other in all.iter().filter(|other| file.meets(other)) {
            let (one, other) = (file.words(), other.words());
            warnings.push(format!("volume {volume} ({what}): overlapping paths: {one} with {other}"));
        }
        all.push(file);
    }
}

fn described(kind: &str, name: Option<&str>) -> String {
    name.map_or_else(|| kind.to_owned(), |name| format!("{kind} {}", quote(name)))
}

/// The files that a source lists.
fn files<'a>(source: &'a Value, from: &str) -> Vec<File<'a>> {
    list(source, "items").iter().map(|item| file(item.text("path"), from.to_owned())).collect()
}

fn file(path: &str, source: String) -> File<'_> {
    File { path: path.trim_end_matches('/'), source }
}

/// The files of one source of several; `None` if it is none.
fn projected(source: &Value) -> Option<Vec<File<'_>>> {
    let given = |field: &str| source.get(field).filter(|inner| !inner.is_null());
    let listed = [("configMap", "ConfigMap"), ("secret", "Secret"), ("downwardAPI", "DownwardAPI")];
    for (field, kind) in listed {
        if let Some(inner) = given(field).filter(|inner| inner.get("items").is_some()) {
            let name = (field != "downwardAPI").then(|| inner.text("name"));
            return Some(files(inner, &described(kind, name)));
        }
    }
    if let Some(token) = given("serviceAccountToken") {
        return Some(vec![file(token.text("path"), "ServiceAccountToken".to_owned())]);
    }
    if let Some(bundle) = given("clusterTrustBundle") {
        let name = bundle.get("name").and_then(Value::as_str).unwrap_or_else(|| bundle.text("signerName"));
        return Some(vec![file(bundle.text("path"), described("ClusterTrustBundle", Some(name)))]);
    }
    if let Some(certificate) = given("podCertificate") {
        let parts = [
            ("certificateChainPath", "PodCertificate chain"),
            ("keyPath", "PodCertificate key"),
            ("credentialBundlePath", "PodCertificate credential bundle"),
        ];
        let parts = parts.into_iter().map(|(field, from)| file(certificate.text(field), from.to_owned()));
        return Some(parts.filter(|part| !part.path.is_empty()).collect());
    }
    listed.iter().any(|(field, _)| given(field).is_some()).then(Vec::new)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(volume: Value, expected: &[&str]) {
        let mut volume = volume;
        volume["name"] = "v".into();
        assert_eq!(overlapping(&json!({ "volumes": [volume] })), expected);
    }

    #[test]
    fn paths_that_overlap() {
        let items = |paths: &[&str]| -> Value { paths.iter().map(|path| json!({ "path": path })).collect() };
        check(json!({"configMap": {"name": "a", "items": items(&["x", "xy", "z/"])}}), &[]);
        check(
            json!({"configMap": {"name": "a", "items": items(&["x", "x/y"])}}),
            &["volume \"v\" (ConfigMap \"a\"): overlapping paths: \"x/y\" with \"x\""],
        );
        check(
            json!({"projected": {"sources": [
                {"secret": {"name": "a", "items": items(&["f"])}},
                {"serviceAccountToken": {"path": "f"}},
                {},
            ]}}),
            &[
                "volume \"v\" (Projected): overlapping paths: \"f\" (ServiceAccountToken) with \"f\" (Secret \"a\")",
                "volume \"v\" (Projected) has no sources provided",
            ],
        );
    }
}
