use super::*;

#[track_caller]
fn check(complaints: impl AsRef<[String]>, expected: &[&str]) {
    assert_eq!(complaints.as_ref(), expected);
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

#[test]
fn subdomains() {
    for name in ["a", "0", "a-b.c0", &"a".repeat(253)] {
        check(subdomain(name), &[]);
    }
    for name in ["", "A", "a_b", "-a", "a-", ".a", "a.", "a..b", "a-.b", "ä", "a\n"] {
        check(subdomain(name), &[SUBDOMAIN]);
    }
    check(subdomain(&"a".repeat(254)), &["must be no more than 253 characters"]);
    check(NameRule::LongName.check(&"a".repeat(254)), &["must be no more than 253 bytes"]);
    check(NameRule::LongName.check("A"), &[SUBDOMAIN]);
}

#[test]
fn wildcards() {
    check(wildcard_subdomain("*.a.b"), &[]);
    for host in ["*", "*a.b", "a.*.b", "*.*.b"] {
        check(
            wildcard_subdomain(host),
            &[
                "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ],
        );
    }
}

#[test]
fn labels() {
    for name in ["a", "1", "a-b"] {
        check(label(name), &[]);
    }
    check(label("a.b"), &["must not contain dots"]);
    check(label("A.b"), &[LABEL]);
    check(label(""), &[LABEL]);
    check(label(&"A".repeat(64)), &["must be no more than 63 characters", LABEL]);
    check(dns1035_label("a1"), &[]);
    check(dns1035_label("1a"), &[DNS1035]);
    check(dns1035_label("a.b"), &[DNS1035]);
}

#[test]
fn path_segments() {
    check(path_segment("system:X y"), &[]);
    check(path_segment(".."), &["may not be '..'"]);
    check(path_segment("a/%b"), &["may not contain '/'", "may not contain '%'"]);
    check(NameRule::PathSegment.check_prefix("."), &[]);
}

#[test]
fn label_keys() {
    for key in ["a", "A_b.c-1", "example.com/A", &"a".repeat(63)] {
        check(qualified_name(key), &[]);
    }
    check(qualified_name(""), &["name part must be non-empty", KEY_NAME]);
    check(qualified_name("a b"), &[KEY_NAME]);
    check(qualified_name("-x"), &[KEY_NAME]);
    check(qualified_name("a/b/c"), &[KEY]);
    check(qualified_name("/b"), &["prefix part must be non-empty"]);
    check(qualified_name("A_/b"), &[&format!("prefix part {SUBDOMAIN}")]);
    check(qualified_name(&"a".repeat(64)), &["name part must be no more than 63 bytes"]);
    check(qualified_name(&format!("{}/b", "a".repeat(254))), &["prefix part must be no more than 253 bytes"]);
}

#[test]
fn label_values() {
    check(label_value(""), &[]);
    check(label_value("A_b"), &[]);
    check(label_value("@"), &[VALUE]);
    check(label_value("-"), &[VALUE]);
    check(label_value(&"v".repeat(64)), &["must be no more than 63 bytes"]);
}

#[test]
fn config_keys() {
    check(config_key("a.B_c-1"), &[]);
    check(config_key("a b"), &[CONFIG_KEY]);
    check(config_key(""), &[CONFIG_KEY]);
    check(config_key("."), &["must not be '.'"]);
    check(config_key(".."), &["must not be '..'"]);
    check(config_key("..a"), &["must not start with '..'"]);
}

#[test]
fn prefixes_may_end_with_a_dash() {
    check(NameRule::Subdomain.check_prefix("a.b-"), &[]);
    check(NameRule::Label.check_prefix("1-"), &[]);
    check(NameRule::Subdomain.check_prefix("Bad_"), &[SUBDOMAIN]);
    check(NameRule::Subdomain.check_prefix("-"), &[SUBDOMAIN]);
    check(NameRule::Subdomain.check_prefix("ä-"), &[SUBDOMAIN]);
}
