//! The syntax of names, label keys and label values.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/> and
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set>.
//! Each check gives the complaints in the API server's words; none means that the text is valid.

const LABEL_FORMAT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_FORMAT: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS1035_FORMAT: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY_FORMAT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE_FORMAT: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const CONFIG_KEY_FORMAT: &str = "[-._a-zA-Z0-9]+";

const HTTP_HEADER_FORMAT: &str = "[-A-Za-z0-9]+";

const LABEL_TEXT: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
    and must start and end with an alphanumeric character";
const SUBDOMAIN_TEXT: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
    '-' or '.', and must start and end with an alphanumeric character";
const WILDCARD_TEXT: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, \
    which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
const DNS1035_TEXT: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
    start with an alphabetic character, and end with an alphanumeric character";
const LABEL_KEY_TEXT: &str = "must consist of alphanumeric characters, '-', '_' or '.', \
    and must start and end with an alphanumeric character";
const LABEL_VALUE_TEXT: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
    '-', '_' or '.', and must start and end with an alphanumeric character";
const CONFIG_KEY_TEXT: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

const HTTP_HEADER_TEXT: &str = "a valid HTTP header must consist of alphanumeric characters or '-'";

/// How the objects of a resource may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain (RFC 1123).
    Subdomain,
    /// The same, as declarative validation says it, which counts bytes.
    LongName,
    /// A DNS label (RFC 1123).
    Label,
    /// A DNS label (RFC 1035).
    Dns1035Label,
    /// Whatever can be one segment of a path.
    PathSegment,
    /// Any text.
    Any,
}

impl NameRule {
    /// Validates `name`, and returns the complaints.
    pub fn check(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => subdomain(name),
            Self::LongName => long_name(name),
            Self::Label => label(name),
            Self::Dns1035Label => dns1035_label(name),
            Self::PathSegment => path_segment(name),
            Self::Any => Vec::new(),
        }
    }

    /// Validates `prefix`, to which random characters are appended to make a name, and returns the complaints.
    pub fn check_prefix(self, prefix: &str) -> Vec<String> {
        match self {
            Self::PathSegment => path_segment_characters(prefix),
            _ => self.check(&mask_trailing_dash(prefix)),
        }
    }
}

/// A dash at the end of a prefix is fine, for something follows it. The character before it counts no more.
fn mask_trailing_dash(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if rest.ends_with(|c: char| c.is_ascii()) => format!("{}a", &rest[..rest.len() - 1]),
        _ => prefix.to_owned(),
    }
}

/// A DNS subdomain (RFC 1123): at most 253 characters.
pub fn subdomain(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 253, "characters");
    complaints.extend(subdomain_format(text));
    complaints
}

fn long_name(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 253, "bytes");
    complaints.extend(subdomain_format(text));
    complaints
}

fn subdomain_format(text: &str) -> Option<String> {
    (!is_subdomain(text)).then(|| format_error(SUBDOMAIN_TEXT, SUBDOMAIN_FORMAT, &["example.com"]))
}

/// A domain to search names in: a DNS subdomain whose labels may have underscores, though not at their end.
pub fn subdomain_with_underscores(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 253, "characters");
    let fits = |label: &str| {
        let label = label.strip_prefix('_').unwrap_or(label);
        !label.starts_with('_') && !label.ends_with('_') && is_label(&label.replace('_', "-"))
    };
    if !text.split('.').all(fits) {
        complaints.push(format_error(SUBDOMAIN_TEXT, SUBDOMAIN_FORMAT, &["example.com"]));
    }
    complaints
}

/// The name of an HTTP header.
pub fn http_header(text: &str) -> Vec<String> {
    let valid = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if valid {
        return Vec::new();
    }
    vec![format_error(HTTP_HEADER_TEXT, HTTP_HEADER_FORMAT, &["X-Header-Name"])]
}

/// `*.` and a DNS subdomain (RFC 1034 section 4.3.3), together at most 253 characters.
pub fn wildcard_subdomain(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 253, "characters");
    if !text.strip_prefix("*.").is_some_and(is_subdomain) {
        let format = format!(r"\*\.{SUBDOMAIN_FORMAT}");
        complaints.push(format_error(WILDCARD_TEXT, &format, &["*.example.com"]));
    }
    complaints
}

/// A DNS label (RFC 1123): at most 63 characters.
pub fn label(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 63, "characters");
    if !is_label(text) {
        complaints.push(if is_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            format_error(LABEL_TEXT, LABEL_FORMAT, &["my-name", "123-abc"])
        });
    }
    complaints
}

/// A DNS label (RFC 1035): like [`label`], but it starts with a letter.
pub fn dns1035_label(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 63, "characters");
    if !(is_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())) {
        complaints.push(format_error(DNS1035_TEXT, DNS1035_FORMAT, &["my-name", "abc-123"]));
    }
    complaints
}

/// A name that can stand in a path as one segment.
pub fn path_segment(text: &str) -> Vec<String> {
    if text == "." || text == ".." {
        return vec![format!("may not be '{text}'")];
    }
    path_segment_characters(text)
}

fn path_segment_characters(text: &str) -> Vec<String> {
    ["/", "%"]
        .into_iter()
        .filter(|part| text.contains(part))
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}

/// A label key, also the form of annotation keys and finalizers: `name` or `prefix/name`, the prefix a DNS
/// subdomain, the name at most 63 bytes.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, rest)) if rest.contains('/') => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                label_key_error()
            )];
        }
        Some((prefix, name)) => {
            if prefix.is_empty() {
                complaints.push("prefix part must be non-empty".to_owned());
            } else {
                let mut of_prefix = too_long(prefix, 253, "bytes");
                of_prefix.extend(subdomain_format(prefix));
                complaints.extend(of_prefix.into_iter().map(|complaint| format!("prefix part {complaint}")));
            }
            name
        }
    };
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    }
    complaints
        .extend(too_long(name, 63, "bytes").into_iter().map(|complaint| format!("name part {complaint}")));
    if !is_label_key_name(name) {
        complaints.push(format!("name part {}", label_key_error()));
    }
    complaints
}

fn label_key_error() -> String {
    format_error(LABEL_KEY_TEXT, LABEL_KEY_FORMAT, &["MyName", "my.name", "123-abc"])
}

/// A label value: empty, or at most 63 bytes of the form of a label key's name.
pub fn label_value(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 63, "bytes");
    if !text.is_empty() && !is_label_key_name(text) {
        complaints.push(format_error(
            LABEL_VALUE_TEXT,
            LABEL_VALUE_FORMAT,
            &["MyValue", "my_value", "12345"],
        ));
    }
    complaints
}

/// A key in the data of a ConfigMap or Secret: at most 253 characters.
pub fn config_key(text: &str) -> Vec<String> {
    let mut complaints = too_long(text, 253, "characters");
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)) {
        complaints.push(format_error(
            CONFIG_KEY_TEXT,
            CONFIG_KEY_FORMAT,
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    // A key becomes the name of a file: it must not lead out of its directory.
    match text {
        "." => complaints.push("must not be '.'".to_owned()),
        ".." => complaints.push("must not be '..'".to_owned()),
        _ if text.starts_with("..") => complaints.push("must not start with '..'".to_owned()),
        _ => {}
    }
    complaints
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_label_key_name(text: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    text.starts_with(ends)
        && text.ends_with(ends)
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

fn too_long(text: &str, max: usize, unit: &str) -> Vec<String> {
    if text.len() > max { vec![format!("must be no more than {max} {unit}")] } else { Vec::new() }
}

fn format_error(text: &str, format: &str, examples: &[&str]) -> String {
    // The API server puts two spaces before every "or".
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{text} (e.g. {}regex used for validation is '{format}')", examples.join(" or "))
}

#[cfg(test)]
mod tests;
