//! Values that a document writes by another name than they have: a token as `ENCODED_CONTINUE_TOKEN`, a version as `10245`.
//! Each is taken from the response where it is documented, and put into the requests behind it.

use apimachinery::target;
use json_tree::Value;

use crate::message::Request;

/// The sort of a value that is another one in each cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A resource version.
    Version,
    /// An object's name.
    Name,
    /// A token or another word that stands for what a server makes.
    Word,
    /// A time or an address: nothing to be sent again.
    Other,
}

impl Sort {
    /// Returns the sort of what a field has, if it is another one in each cluster. `documented` is the value in a document.
    pub fn of(path: &[&str], documented: &str) -> Option<Self> {
        let field = path.last().copied().unwrap_or_default();
        match field {
            "resourceVersion" => Some(Self::Version),
            "name" if path.ends_with(&["metadata", "name"]) => Some(Self::Name),
            "continue" | "uid" | "token" => Some(Self::Word),
            "time" | "clusterIP" | "clusterIPs" | "nodePort" | "selfLink" | "pod-template-hash" => {
                Some(Self::Other)
            }
            _ if field.ends_with("Timestamp") || field.ends_with("Time") => Some(Self::Other),
            _ => is_placeholder(documented).then_some(Self::Word),
        }
    }
}

/// Returns whether a word stands for something: `ENCODED_CONTINUE_TOKEN`, `<uid>`.
pub fn is_placeholder(word: &str) -> bool {
    let capitals = word.len() > 3 && word.contains('_') && word.starts_with(|c: char| c.is_ascii_uppercase());
    let capitals =
        capitals && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    capitals || word.len() > 2 && word.starts_with('<') && word.ends_with('>')
}

/// A value as it is documented, and as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The sort of both.
    pub sort: Sort,
    /// The value in the document.
    pub documented: String,
    /// The value that came.
    pub came: String,
}

/// The values that are known so far, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<Named>);

impl Names {
    /// Takes note of a value, unless both are the same.
    pub fn learn(&mut self, sort: Sort, documented: &str, came: &str) {
        if sort == Sort::Other || documented.is_empty() || came.is_empty() {
            return;
        }
        self.0.retain(|known| (known.sort, known.documented.as_str()) != (sort, documented));
        if documented != came {
            let (documented, came) = (documented.to_owned(), came.to_owned());
            self.0.push(Named { sort, documented, came });
        }
    }

    /// Returns the value that came for a documented one.
    pub fn came(&self, sort: Sort, documented: &str) -> Option<&Named> {
        let alike = |known: &&Named| known.documented == documented && known.sort == sort;
        self.0.iter().find(alike)
    }

    /// Puts the values that are known into a request, and returns them.
    pub fn fill(&self, request: &mut Request) -> Vec<Named> {
        let mut used = Vec::new();
        let (path, mut params) = target::split(&request.target);
        for (name, value) in &mut params {
            let sort = if name == "resourceVersion" { Sort::Version } else { Sort::Word };
            if let Some(known) = self.came(sort, value) {
                value.clone_from(&known.came);
                used.push(known.clone());
            }
        }
        let mut segments: Vec<String> = path.split('/').map(target::decoded).collect();
        let last = segments.len().saturating_sub(1);
        for (at, segment) in segments.iter_mut().enumerate() {
            let named = if at == last { self.came(Sort::Name, segment) } else { None };
            if let Some(known) = named.or_else(|| self.came(Sort::Word, segment)) {
                segment.clone_from(&known.came);
                used.push(known.clone());
            }
        }
        let body: Option<Value> = serde_json::from_slice(&request.body).ok();
        if let Some(mut body) = body {
            let before = used.len();
            self.fill_value(&mut body, &mut Vec::new(), &mut used);
            if used.len() > before {
                request.body = body.to_string().into();
            }
        }
        if !used.is_empty() {
            let path = segments.iter().map(|segment| target::segment(segment)).collect::<Vec<_>>().join("/");
            request.target = target::join(&path, &params);
        }
        used
    }

    fn fill_value(&self, value: &mut Value, path: &mut Vec<String>, used: &mut Vec<Named>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    path.push(name.to_string());
                    self.fill_value(value, path, used);
                    path.pop();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill_value(item, path, used)),
            Value::String(text) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                let known = Sort::of(&names, text).and_then(|sort| self.came(sort, text));
                if let Some(known) = known {
                    used.push(known.clone());
                    *value = known.came.as_str().into();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::JSON;

    #[track_caller]
    fn check(request: Request, target: &str, body: &str) {
        let mut names = Names::default();
        names.learn(Sort::Version, "10245", "11500");
        names.learn(Sort::Word, "ENCODED_CONTINUE_TOKEN", "abc=");
        names.learn(Sort::Name, "my-pod", "pod-x");
        names.learn(Sort::Other, "now", "then");
        let mut request = request;
        names.fill(&mut request);
        assert_eq!((request.target.as_str(), &*request.body), (target, body.as_bytes()));
    }

    #[test]
    fn values_take_the_place_of_their_names() {
        let get = |target: &str| Request::new("GET", target);
        check(get("/a?watch=1&resourceVersion=10245"), "/a?watch=1&resourceVersion=11500", "");
        check(get("/a?limit=10245"), "/a?limit=10245", "");
        check(get("/a?continue=ENCODED_CONTINUE_TOKEN&limit=1"), "/a?continue=abc=&limit=1", "");
        check(get("/api/v1/namespaces/a/pods/my-pod"), "/api/v1/namespaces/a/pods/pod-x", "");
        let body = r#"{"metadata":{"resourceVersion":"10245","name":"my-pod"},"data":{"a":"10245"}}"#;
        check(
            get("/a").carrying(JSON, body),
            "/a",
            r#"{"metadata":{"resourceVersion":"11500","name":"pod-x"},"data":{"a":"10245"}}"#,
        );
    }

    #[test]
    fn words_that_stand_for_something() {
        for word in ["ENCODED_CONTINUE_TOKEN_2", "<uid>", "A_UID"] {
            assert!(is_placeholder(word), "{word}");
        }
        for word in ["", "NAME", "a_b", "my-pod", "<>", "True"] {
            assert!(!is_placeholder(word), "{word}");
        }
    }
}
