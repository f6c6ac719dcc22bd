//! The named formats of texts: what is wrong with a text that should have one.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library> and, for the texts,
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/>.

use field::format::is_base64;
use field::name::{self, NameRule};
use field::time::{is_date, is_date_time};
use golang::url::Url;

/// The name of a format and what it complains about.
type Format = (&'static str, fn(&str) -> Vec<String>);

/// All formats, by the names that expressions use.
pub(super) const FORMATS: [Format; 13] = [
    ("dns1123Label", name::label),
    ("dns1123Subdomain", name::subdomain),
    ("dns1035Label", name::dns1035_label),
    ("qualifiedName", name::qualified_name),
    ("dns1123LabelPrefix", |text| NameRule::Label.check_prefix(text)),
    ("dns1123SubdomainPrefix", |text| NameRule::Subdomain.check_prefix(text)),
    ("dns1035LabelPrefix", |text| NameRule::Dns1035Label.check_prefix(text)),
    ("labelValue", name::label_value),
    ("uri", |text| Url::parse_request_uri(text).err().into_iter().collect()),
    ("uuid", |text| complain(is_uuid(text), "does not match the UUID format")),
    ("byte", |text| complain(is_base64(text), "invalid base64")),
    ("date", |text| complain(is_date(text), "invalid date")),
    ("datetime", |text| complain(is_date_time(text), "invalid datetime")),
];

fn complain(valid: bool, complaint: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![complaint.to_owned()] }
}

fn is_uuid(text: &str) -> bool {
    let mut rest = text.as_bytes();
    for (at, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((part, after)) if part.iter().all(u8::is_ascii_hexdigit) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str) -> Vec<String> {
        let (_, format) = FORMATS.iter().find(|(own, _)| *own == name).expect(name);
        format(text)
    }

    #[test]
    fn valid_texts_have_no_complaints() {
        for (name, texts) in [
            ("dns1123Label", &["my-label-name", "1"][..]),
            ("dns1123Subdomain", &["apiextensions.k8s.io"]),
            ("dns1035Label", &["my-label-name"]),
            ("qualifiedName", &["apiextensions.k8s.io/v1beta1", "A_b.c"]),
            ("dns1123LabelPrefix", &["my-label-prefix-"]),
            ("dns1123SubdomainPrefix", &["mysubdomain.prefix.-"]),
            ("dns1035LabelPrefix", &["my-label-prefix-"]),
            ("labelValue", &["", "Abc_1"]),
            ("uri", &["http://example.com", "/a"]),
            ("uuid", &["123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"]),
            ("byte", &["aGVsbG8=", "aGVsbA==", "aGVs"]),
            ("date", &["2021-01-01", "2024-02-29"]),
            ("datetime", &["2021-01-01T00:00:00Z", "2021-01-01t23:59:59.5+01:00", "2021-01-01T00:00:00x1z"]),
        ] {
            for text in texts {
                assert_eq!(check(name, text), Vec::<String>::new(), "{name} {text}");
            }
        }
    }

    #[test]
    fn invalid_texts_are_complained_about() {
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
            and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
            '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let dns1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
            character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
            validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
        let long = "a".repeat(64);
        for (name, text, expected) in [
            ("dns1123Label", "-a", &[label][..]),
            ("dns1123Label", "a.b", &["must not contain dots"]),
            ("dns1123Label", &long, &["must be no more than 63 characters"]),
            ("dns1123LabelPrefix", "é-", &[label]),
            ("dns1035Label", "1a", &[dns1035]),
            ("uri", "x", &["parse \"x\": invalid URI for request"]),
            ("uuid", "123e4567-e89b-12d3-a456-42661417400", &["does not match the UUID format"]),
            ("byte", "", &["invalid base64"]),
            ("byte", "a===", &["invalid base64"]),
            ("byte", "aGVsbG8", &["invalid base64"]),
            ("date", "2021-02-29", &["invalid date"]),
            ("date", "2021-1-1", &["invalid date"]),
            ("datetime", "2021-01-01", &["invalid datetime"]),
            ("datetime", "2021-01-01T24:00:00Z", &["invalid datetime"]),
            ("datetime", "2021-01-01T00:00:00", &["invalid datetime"]),
            ("datetime", "2021-01-01Té0:00:00Z", &["invalid datetime"]),
            ("qualifiedName", "/a", &["prefix part must be non-empty"]),
        ] {
            assert_eq!(check(name, text), expected, "{name} {text}");
        }
        let parts = check("qualifiedName", "A_/");
        assert_eq!(parts.len(), 3);
        assert!(parts[0].starts_with("prefix part a lowercase RFC 1123 subdomain"));
        assert_eq!(parts[1], "name part must be non-empty");
        assert!(
            check("qualifiedName", "a/b/c")[0]
                .ends_with("with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")
        );
    }
}
