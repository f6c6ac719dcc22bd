//! The query parameters that the API server knows.

use crate::ui::messages::params as words;

/// A parameter, when it has a use, and what it does.
pub(crate) struct Known {
    /// The parameter's name.
    pub(crate) name: &'static str,
    /// The value that it begins with.
    pub(crate) value: &'static str,
    /// The values to choose from, if there are only these.
    pub(crate) values: &'static [&'static str],
    /// The methods that it is for.
    pub(crate) methods: &'static [&'static str],
    /// One sentence.
    pub(crate) about: &'static str,
}

const READ: &[&str] = &["GET"];
const WRITE: &[&str] = &["POST", "PUT", "PATCH"];
const CHANGE: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];
const COLLECTION: &[&str] = &["GET", "DELETE"];
const ANY: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/>.
pub(crate) const KNOWN: &[Known] = &[
    Known { name: "watch", value: "true", values: &["true", "false"], methods: READ, about: words::WATCH },
    Known {
        name: "resourceVersion",
        value: "",
        values: &[],
        methods: COLLECTION,
        about: words::RESOURCE_VERSION,
    },
    Known {
        name: "resourceVersionMatch",
        value: "Exact",
        values: &["Exact", "NotOlderThan"],
        methods: COLLECTION,
        about: words::RESOURCE_VERSION_MATCH,
    },
    Known { name: "limit", value: "2", values: &[], methods: COLLECTION, about: words::LIMIT },
    Known { name: "continue", value: "", values: &[], methods: COLLECTION, about: words::CONTINUE },
    Known {
        name: "labelSelector",
        value: "app=web",
        values: &[],
        methods: COLLECTION,
        about: words::LABEL_SELECTOR,
    },
    Known {
        name: "fieldSelector",
        value: "metadata.name=settings",
        values: &[],
        methods: COLLECTION,
        about: words::FIELD_SELECTOR,
    },
    Known {
        name: "allowWatchBookmarks",
        value: "true",
        values: &["true", "false"],
        methods: READ,
        about: words::ALLOW_WATCH_BOOKMARKS,
    },
    Known {
        name: "sendInitialEvents",
        value: "true",
        values: &["true", "false"],
        methods: READ,
        about: words::SEND_INITIAL_EVENTS,
    },
    Known {
        name: "timeoutSeconds",
        value: "60",
        values: &[],
        methods: COLLECTION,
        about: words::TIMEOUT_SECONDS,
    },
    Known { name: "pretty", value: "true", values: &["true", "false"], methods: ANY, about: words::PRETTY },
    Known { name: "dryRun", value: "All", values: &["All"], methods: CHANGE, about: words::DRY_RUN },
    Known {
        name: "fieldManager",
        value: "kubeglass",
        values: &[],
        methods: WRITE,
        about: words::FIELD_MANAGER,
    },
    Known {
        name: "fieldValidation",
        value: "Strict",
        values: &["Strict", "Warn", "Ignore"],
        methods: WRITE,
        about: words::FIELD_VALIDATION,
    },
    Known {
        name: "force",
        value: "true",
        values: &["true", "false"],
        methods: &["PATCH"],
        about: words::FORCE,
    },
    Known {
        name: "includeObject",
        value: "Object",
        values: &["None", "Metadata", "Object"],
        methods: READ,
        about: words::INCLUDE_OBJECT,
    },
];

/// The parameters that have a use with `method` and are not among `taken`, with those whose name holds `typed`.
pub(crate) fn offer(method: &str, taken: &[String], typed: &str) -> Vec<&'static Known> {
    let typed = typed.trim().to_ascii_lowercase();
    KNOWN
        .iter()
        .filter(|known| known.methods.contains(&method) && !taken.iter().any(|name| name == known.name))
        .filter(|known| known.name.to_ascii_lowercase().contains(&typed))
        .collect()
}

/// Returns what is known about the parameter `name`.
pub(crate) fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: &str, taken: &[&str], typed: &str, expected: &[&str]) {
        let taken: Vec<String> = taken.iter().map(|name| (*name).to_owned()).collect();
        let names: Vec<&str> = offer(method, &taken, typed).iter().map(|known| known.name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn offers_what_has_a_use() {
        check("GET", &[], "version", &["resourceVersion", "resourceVersionMatch"]);
        check("GET", &["resourceVersion"], "Version", &["resourceVersionMatch"]);
        check("PUT", &[], "", &["pretty", "dryRun", "fieldManager", "fieldValidation"]);
        check("GET", &[], "dryRun", &[]);
    }

    #[test]
    fn first_values_are_allowed_ones() {
        for known in KNOWN {
            assert!(known.values.is_empty() || known.values.contains(&known.value), "{}", known.name);
        }
        assert_eq!(find("limit").map(|known| known.value), Some("2"));
        assert!(find("Limit").is_none());
    }
}
