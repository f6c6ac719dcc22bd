//! Objects without all but their metadata.
//!
//! A client that asks for `as=PartialObjectMetadata` (or `PartialObjectMetadataList`) gets of each object what all
//! kinds have in common. It is cut out of the stored bytes; nothing is parsed.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables> and
//! <https://kubernetes.io/docs/reference/kubernetes-api/>.

use schema::Resource;

/// A version of the group `meta.k8s.io`: `v=` in an Accept header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    /// `v1`.
    V1,
    /// `v1beta1`.
    V1beta1,
}

impl MetaVersion {
    /// The version that `v=` names. `None` for any other than the two.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1beta1),
            _ => None,
        }
    }

    /// Returns the value of `apiVersion`, such as `meta.k8s.io/v1`.
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The PartialObjectMetadata of an object that is compact JSON, as compact JSON.
pub(crate) fn object(json: &[u8], version: MetaVersion) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    write_object(json, version, &mut out);
    out
}

/// The PartialObjectMetadataList of some objects that are compact JSON. `list_metadata` is the list's metadata as
/// compact JSON: `{"resourceVersion":"5"}`. The items of an empty list are `null`.
pub(crate) fn list<'a>(
    list_metadata: &[u8],
    items: impl IntoIterator<Item = &'a [u8]>,
    version: MetaVersion,
) -> Vec<u8> {
    let mut out = Vec::new();
    write_head("PartialObjectMetadataList", version, &mut out);
    out.extend_from_slice(list_metadata);
    out.extend_from_slice(b",\"items\":");
    let mut empty = true;
    for json in items {
        out.push(if empty { b'[' } else { b',' });
        write_object(json, version, &mut out);
        empty = false;
    }
    out.extend_from_slice(if empty { b"null}" } else { b"]}" });
    out
}

/// Why a client that asked for `PartialObjectMetadata` (`of_list` false) or `PartialObjectMetadataList` (true)
/// cannot have it of a list or of an object of this resource: the text of a 406. `None` if it can.
pub(crate) fn refusal(resource: &Resource, asks_for_list: bool, is_list: bool) -> Option<String> {
    match (asks_for_list, is_list) {
        (false, true) => Some(format!(
            "you requested PartialObjectMetadata, but the requested object is a list ({})",
            go_type(resource, &resource.list_kind)
        )),
        (true, false) => Some(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
            go_type(resource, &resource.kind)
        )),
        _ => None,
    }
}

/// The Go type of a kind inside kube-apiserver: `*core.ConfigMap`.
fn go_type(resource: &Resource, kind: &str) -> String {
    if resource.ty().is_none() {
        let list = if kind == resource.list_kind { "List" } else { "" };
        return format!("*unstructured.Unstructured{list}");
    }
    let package = match resource.group.as_str() {
        "" | "events.k8s.io" => "core",
        group => group.split('.').next().unwrap_or_default(),
    };
    format!("*{package}.{kind}")
}

fn write_object(json: &[u8], version: MetaVersion, out: &mut Vec<u8>) {
    write_head("PartialObjectMetadata", version, out);
    out.extend_from_slice(metadata(json));
    out.push(b'}');
}

fn write_head(kind: &str, version: MetaVersion, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"kind\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"apiVersion\":\"");
    out.extend_from_slice(version.api_version().as_bytes());
    out.extend_from_slice(b"\",\"metadata\":");
}

/// The bytes of an object's metadata; `{}` if it has none. The object is compact JSON.
fn metadata(json: &[u8]) -> &[u8] {
    let mut at = 1;
    while let Some(key_end) = end_of_value(json, at) {
        let Some(value_end) = end_of_value(json, key_end + 1) else { break };
        if &json[at..key_end] == b"\"metadata\"" {
            return &json[key_end + 1..value_end];
        }
        at = value_end + 1;
    }
    b"{}"
}

/// Returns the index at which the value ends that begins at `start`. `None` if nothing begins there, or it has no end.
fn end_of_value(json: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in json.iter().enumerate().skip(start) {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            if !in_string && depth == 0 {
                return Some(at + 1);
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return (at > start).then_some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let expected = format!(
            r#"{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{expected}}}"#
        );
        assert_eq!(String::from_utf8_lossy(&object(json.as_bytes(), MetaVersion::V1)), expected);
    }

    #[test]
    fn metadata_is_cut_out() {
        check(r#"{"metadata":{"name":"a"},"data":{"k":"v"}}"#, r#"{"name":"a"}"#);
        check(r#"{"kind":"K","n":1,"metadata":{"labels":{"a":"}\"{"}}}"#, r#"{"labels":{"a":"}\"{"}}"#);
        check(r#"{"a":[{"metadata":{}}],"b":"\\","c":null,"metadata":{"name":"b"}}"#, r#"{"name":"b"}"#);
        check(r#"{"metadata":{}}"#, "{}");
        check(r#"{"spec":{"metadata":{"name":"inner"}}}"#, "{}");
        check("{}", "{}");
        check("", "{}");
        check("{\"a", "{}");
    }

    #[test]
    fn lists() {
        let empty = list(br#"{"resourceVersion":"7"}"#, [], MetaVersion::V1beta1);
        let expected = concat!(
            r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","#,
            r#""metadata":{"resourceVersion":"7"},"items":null}"#
        );
        assert_eq!(String::from_utf8_lossy(&empty), expected);
        let two = list(b"{}", [&b"{\"metadata\":{\"name\":\"a\"}}"[..], b"{}"], MetaVersion::V1);
        let expected = concat!(
            r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":["#,
            r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}},"#,
            r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}}]}"#
        );
        assert_eq!(String::from_utf8_lossy(&two), expected);
    }

    #[test]
    fn a_list_is_no_object() {
        let find = |name: &str| crate::resource::built_in().iter().find(|resource| resource.name == name);
        let (configmaps, roles) =
            (find("configmaps").expect("a resource"), find("roles").expect("a resource"));
        let list =
            "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)";
        assert_eq!(refusal(configmaps, false, true).as_deref(), Some(list));
        let one =
            "you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.Role)";
        assert_eq!(refusal(roles, true, false).as_deref(), Some(one));
        assert_eq!(refusal(roles, true, true), None);
        assert_eq!(refusal(roles, false, false), None);
    }
}
