#![doc = include_str!("../README.md")]

use std::sync::OnceLock;

/// All descriptions, as a text:
///
/// ```text
/// @k8s.io/api/core/v1
/// Container A single application container that you want to run within a pod.
///  imagePullPolicy Image pull policy. ...
///   Always⇥means that kubelet always attempts to pull the latest image. ...
/// ```
///
/// Below a package stand its types, below a type its fields, and below a field whose type is an enumeration the values, each with a tab
/// before its description. Packages and fields are in the order of their names, types in the order in which they compress well, values in the
/// order of OpenAPI documents. U+2029 stands for an empty line, U+2028 for the end of a line. A description may be empty.
pub const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/descriptions.txt"));

/// The descriptions of a type and of its fields.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The lines in [`TEXT`], the first of which begins behind the name.
    lines: &'static str,
}

/// The description of a field, and its values.
#[derive(Clone, Copy, Debug)]
pub struct DescribedField {
    about: &'static str,
    values: &'static str,
}

/// A value that a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value.
    pub name: &'static str,
    /// The description, in one line.
    pub about: &'static str,
}

/// Returns the descriptions of the type of a Go package, such as `k8s.io/api/core/v1`: empty ones if nothing is known of it.
pub fn of(package: &str, name: &str) -> Described {
    static TYPES: OnceLock<Vec<(&str, &str, &str)>> = OnceLock::new();
    let types = TYPES.get_or_init(types);
    let found = types.binary_search_by_key(&(package, name), |(package, name, _)| (package, name));
    Described { lines: found.map_or("", |index| types[index].2) }
}

/// Finds the types in the text: package, name, and the lines of each, in the order of the first two.
fn types() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut types: Vec<(&str, &str, &str)> = Vec::new();
    let mut package = "";
    let (mut start, mut at) = (0, 0);
    for line in TEXT.split_inclusive('\n') {
        let is_type = !line.starts_with(['@', ' ']);
        if is_type {
            let name = line.split([' ', '\n']).next().unwrap_or_default();
            start = at + name.len();
            types.push((package, name, ""));
        }
        at += line.len();
        match types.last_mut() {
            _ if line.starts_with('@') => package = line[1..].trim_end(),
            Some(last) => last.2 = &TEXT[start..at],
            None => {}
        }
    }
    types.sort_unstable();
    types
}

impl Described {
    /// Returns the description of the type itself; an empty text if there is none.
    pub fn about(self) -> String {
        with_lines(self.lines.lines().next().unwrap_or_default().trim_start_matches(' '))
    }

    /// Returns the description of a field: an empty one if nothing is known of it.
    pub fn field(self, name: &str) -> DescribedField {
        let (_, behind) = self.lines.split_once(&["\n ", name, " "].concat()).unwrap_or_default();
        let (about, rest) = behind.split_once('\n').unwrap_or((behind, ""));
        DescribedField { about, values: &rest[..values_end(rest)] }
    }
}

/// Returns where the lines of values end that a text begins with.
fn values_end(text: &str) -> usize {
    text.split_inclusive('\n').take_while(|line| line.starts_with("  ")).map(str::len).sum()
}

impl DescribedField {
    /// Returns the description of the field; an empty text if there is none.
    pub fn about(self) -> String {
        with_lines(self.about)
    }

    /// Returns the values that the field may have, if its type is an enumeration.
    pub fn values(self) -> impl Iterator<Item = Value> {
        let value = |line: &'static str| line.trim_start_matches(' ').split_once('\t');
        self.values.lines().filter_map(value).map(|(name, about)| Value { name, about })
    }
}

fn with_lines(text: &str) -> String {
    text.replace('\u{2029}', "\n\n").replace('\u{2028}', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(package: &str, name: &str, field: &str, expected: &str) {
        let described = of(&["k8s.io/", package].concat(), name);
        let about = if field.is_empty() { described.about() } else { described.field(field).about() };
        assert_eq!(about.split(". ").next().unwrap_or_default(), expected, "{name}.{field}");
    }

    #[test]
    fn types_and_fields() {
        for (package, name, field, expected) in [
            ("api/core/v1", "Pod", "", "Pod is a collection of containers that can run on a host"),
            ("api/core/v1", "PodList", "", "PodList is a list of Pods."),
            ("api/core/v1", "PodList", "items", "List of pods"),
            ("api/core/v1", "Container", "name", "Name of the container specified as a DNS_LABEL"),
            ("api/apps/v1", "ScaleNothing", "", ""),
            (
                "apimachinery/pkg/apis/meta/v1",
                "ListOptions",
                "watch",
                "Watch for changes to the described resources and return them as a stream of add, update, and remove notifications",
            ),
            (
                "apimachinery/pkg/util/intstr",
                "IntOrString",
                "",
                "IntOrString is a type that can hold an int32 or a string",
            ),
            ("apimachinery/pkg/version", "Info", "minor", "Minor is the minor version of the binary version"),
        ] {
            check(package, name, field, expected);
        }
        for field in ["spe", "spec ", ""] {
            assert_eq!(of("k8s.io/api/core/v1", "Pod").field(field).about(), "", "{field:?}");
        }
    }

    #[test]
    fn values() {
        let spec = of("k8s.io/api/core/v1", "ServiceSpec");
        let values = |field: &str| -> Vec<Value> { spec.field(field).values().collect() };
        let names: Vec<&str> = values("ipFamilies").iter().map(|value| value.name).collect();
        assert_eq!(names, ["", "IPv4", "IPv6"]);
        let ty = values("type");
        assert_eq!(ty.first().map(|value| value.name), Some("ClusterIP"));
        assert!(ty.iter().all(|value| value.about.starts_with("means a service ")), "{ty:?}");
        assert!(values("clusterIP").is_empty());
    }

    #[test]
    fn lines() {
        let about = of("k8s.io/api/core/v1", "SeccompProfile").field("type").about();
        assert!(about.contains(":\n\nLocalhost - "), "{about:?}");
    }
}
