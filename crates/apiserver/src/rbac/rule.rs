//! The rules of roles: what one allows, and whether some say all that another says.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole>

use golang::strconv::quote_all;
use json_tree::Value;

use apimachinery::Attributes;

/// One of the rules of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) verbs: Vec<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) resources: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) urls: Vec<String>,
}

const ANY: &str = "*";

impl Rule {
    /// The rules of a role.
    pub(crate) fn list(role: &Value) -> Vec<Self> {
        let rules = role.get("rules").and_then(Value::as_array).into_iter().flatten();
        rules.map(Self::read).collect()
    }

    fn read(rule: &Value) -> Self {
        let texts = |key: &str| {
            let list = rule.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(|text| Some(text.as_str()?.to_owned())).collect()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            urls: texts("nonResourceURLs"),
        }
    }

    /// The rules that together allow everything.
    pub(crate) fn full() -> [Self; 2] {
        let any = || vec![ANY.to_owned()];
        let resources = Self { verbs: any(), groups: any(), resources: any(), ..Self::default() };
        [resources, Self { verbs: any(), urls: any(), ..Self::default() }]
    }

    /// Reports whether the rule allows a request.
    pub(crate) fn allows(&self, asked: &Attributes) -> bool {
        if !has(&self.verbs, &asked.verb) {
            return false;
        }
        if !asked.is_resource {
            return self.urls.iter().any(|url| url_covers(url, &asked.path));
        }
        has(&self.groups, &asked.group)
            && self.has_resource(&asked.resource, &asked.subresource)
            && (self.names.is_empty() || self.names.contains(&asked.name))
    }

    fn has_resource(&self, resource: &str, subresource: &str) -> bool {
        let whose = |own: &str| match own.strip_suffix(subresource).and_then(|own| own.strip_suffix('/')) {
            Some(own) => own == ANY || own == resource,
            None => false,
        };
        self.resources
            .iter()
            .any(|own| own == ANY || if subresource.is_empty() { own == resource } else { whose(own) })
    }

    /// Reports whether the rule allows all that `other` allows, which has a single value of each kind.
    fn covers(&self, other: &Self) -> bool {
        covers_all(&self.verbs, &other.verbs)
            && covers_all(&self.groups, &other.groups)
            && self.covers_resources(&other.resources)
            && other.urls.iter().all(|url| self.urls.iter().any(|own| url_covers(own, url)))
            && (self.names.is_empty()
                || !other.names.is_empty() && other.names.iter().all(|name| self.names.contains(name)))
    }

    fn covers_resources(&self, resources: &[String]) -> bool {
        covers_all(&self.resources, resources)
            || resources.iter().all(|one| {
                let every = one.split_once('/').map(|(_, part)| ["*/", part].concat());
                self.resources.contains(one) || every.is_some_and(|every| self.resources.contains(&every))
            })
    }

    /// The same as rules that say one thing of each kind.
    fn break_down(&self, into: &mut Vec<Self>) {
        let one = |text: &String| vec![text.clone()];
        for group in &self.groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let rule = Self {
                        verbs: one(verb),
                        groups: one(group),
                        resources: one(resource),
                        ..Self::default()
                    };
                    into.extend(self.names.iter().map(|name| Self { names: one(name), ..rule.clone() }));
                    if self.names.is_empty() {
                        into.push(rule);
                    }
                }
            }
        }
        for url in &self.urls {
            for verb in &self.verbs {
                into.push(Self { verbs: one(verb), urls: one(url), ..Self::default() });
            }
        }
    }

    /// The rule in one line, as errors show it.
    fn show(&self) -> String {
        let parts = [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.urls),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| [*name, ":", &quote_all(list)].concat())
            .collect();
        ["{", &parts.join(", "), "}"].concat()
    }
}

/// Returns the permissions that `wanted` grants and `held` do not, one line each, in the order of the alphabet.
pub(crate) fn missing(held: &[&Rule], wanted: &[Rule]) -> Vec<String> {
    let mut parts = Vec::new();
    wanted.iter().for_each(|rule| rule.break_down(&mut parts));
    parts.retain(|part| !held.iter().any(|own| own.covers(part)));
    let mut lines: Vec<String> = compact(parts).iter().map(Rule::show).collect();
    schema::sort_by(&mut lines, Ord::cmp);
    lines.dedup();
    lines
}

/// Puts the verbs together that are allowed on the same.
fn compact(rules: Vec<Rule>) -> Vec<Rule> {
    let mut compacted: Vec<Rule> = Vec::new();
    for rule in rules {
        let same = |other: &&mut Rule| {
            (&other.groups, &other.resources, &other.names) == (&rule.groups, &rule.resources, &rule.names)
        };
        match compacted.iter_mut().find(same).filter(|_| rule.urls.is_empty()) {
            Some(known) => {
                for verb in rule.verbs {
                    if !known.verbs.contains(&verb) {
                        known.verbs.push(verb);
                    }
                }
            }
            None => compacted.push(rule),
        }
    }
    compacted
}

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|own| own == ANY || own == text)
}

fn covers_all(own: &[String], wanted: &[String]) -> bool {
    own.iter().any(|one| one == ANY) || wanted.iter().all(|one| own.contains(one))
}

/// Reports whether a path is the one that a rule names, or begins with it where the rule's ends with a `*`.
fn url_covers(own: &str, path: &str) -> bool {
    own == ANY || own == path || own.ends_with('*') && path.starts_with(own.trim_end_matches('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &str) -> Vec<String> {
        words.split(',').filter(|word| !word.is_empty()).map(|word| word.replace("core", "")).collect()
    }

    /// A rule as `verbs groups resources names`, or as `verbs urls`.
    fn rule(text: &str) -> Rule {
        let words: Vec<&str> = text.split(' ').collect();
        let word = |index: usize| texts(words.get(index).copied().unwrap_or_default());
        if words.len() == 2 {
            return Rule { verbs: word(0), urls: word(1), ..Rule::default() };
        }
        Rule { verbs: word(0), groups: word(1), resources: word(2), names: word(3), ..Rule::default() }
    }

    /// A request as `verb group resource/subresource name`, or as `verb path`.
    #[track_caller]
    fn check(own: &str, asked: &str, expected: bool) {
        let words: Vec<&str> = asked.split(' ').collect();
        let word = |index: usize| words.get(index).copied().unwrap_or_default().replace("core", "");
        let mut attributes =
            Attributes { verb: word(0), is_resource: words.len() > 2, ..Attributes::default() };
        if attributes.is_resource {
            let (resource, subresource) = words[2].split_once('/').unwrap_or((words[2], ""));
            (attributes.resource, attributes.subresource) = (resource.to_owned(), subresource.to_owned());
            (attributes.group, attributes.name) = (word(1), word(3));
        } else {
            attributes.path = word(1);
        }
        assert_eq!(rule(own).allows(&attributes), expected, "{own}: {asked}");
    }

    #[test]
    fn resources() {
        check("get core pods", "get core pods p", true);
        check("get core pods", "list core pods", false);
        check("get core pods", "get apps pods p", false);
        check("get core pods", "get core pods/log p", false);
        check("get core pods/log", "get core pods/log p", true);
        check("get core pods/log", "get core pods p", false);
        check("get * */scale", "get apps deployments/scale d", true);
        check("get * */scale", "get apps deployments/status d", false);
        check("* * *", "anything x.com things/part t", true);
        check("get core pods a,b", "get core pods b", true);
        check("get core pods a,b", "get core pods c", false);
        check("list core pods a", "list core pods", false);
        check("get core Pods", "get core pods p", false);
        check("get core pods/*", "get core pods/log p", false);
    }

    #[test]
    fn paths() {
        check("get /metrics", "get /metrics", true);
        check("get /metrics", "get /metrics/x", false);
        check("get /logs/*", "get /logs/a/b", true);
        check("get /logs/*", "get /logs", false);
        check("* *", "post /anything", true);
        check("get core *", "get /metrics", false);
        check("get *", "get core pods p", false);
    }

    #[track_caller]
    fn check_missing(held: &[&str], wanted: &[&str], expected: &[&str]) {
        let held: Vec<Rule> = held.iter().map(|text| rule(text)).collect();
        let wanted: Vec<Rule> = wanted.iter().map(|text| rule(text)).collect();
        assert_eq!(missing(&held.iter().collect::<Vec<_>>(), &wanted), expected);
    }

    #[test]
    fn what_is_missing_is_told_in_few_lines() {
        check_missing(&["get,list core pods"], &["get core pods", "list core pods a"], &[]);
        check_missing(
            &["get core pods"],
            &["get,list,watch core pods,secrets"],
            &[
                r#"{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}"#,
                r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}"#,
            ],
        );
        check_missing(
            &["get core pods a"],
            &["get core pods a,b", "get core pods"],
            &[
                r#"{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}"#,
                r#"{APIGroups:[""], Resources:["pods"], Verbs:["get"]}"#,
            ],
        );
        check_missing(
            &["get apps */scale", "get /logs/*"],
            &["get apps deployments/scale,deployments", "get /logs/x,/metrics"],
            &[
                r#"{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}"#,
                r#"{NonResourceURLs:["/metrics"], Verbs:["get"]}"#,
            ],
        );
        check_missing(&["* * *", "* *"], &["a b c", "get /x"], &[]);
        check_missing(&["* core *"], &["* * *"], &[r#"{APIGroups:["*"], Resources:["*"], Verbs:["*"]}"#]);
    }
}
