//! Selectors of autoscalers: who of them scales the same pods.

use std::collections::{BTreeMap, BTreeSet};

use apimachinery::selector::LabelSelector;
use apimachinery::selector::label::Operator;

use crate::object;
use crate::store::Shared;

/// The selectors of all autoscalers, by their keys; `None` as long as one is not known.
#[derive(Default)]
pub(super) struct Selectors(BTreeMap<String, Option<LabelSelector>>);

impl Selectors {
    /// Begins to know an autoscaler.
    pub(super) fn begin(&mut self, key: &str) {
        self.0.entry(key.to_owned()).or_default();
    }

    /// Forgets an autoscaler.
    pub(super) fn end(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Sets the selector of an autoscaler that is known.
    pub(super) fn set(&mut self, key: &str, selector: &LabelSelector) {
        if let Some(known) = self.0.get_mut(key) {
            *known = Some(selector.clone());
        }
    }

    /// Returns the keys of all that select any of these pods of a namespace.
    pub(super) fn of_pods(&self, namespace: &str, pods: &[Shared]) -> BTreeSet<&str> {
        let prefix = [namespace, "/"].concat();
        let own = self.0.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let selects = |selector: &LabelSelector| pods.iter().any(|pod| object::selects(selector, pod));
        let selecting = own.filter(|(_, selector)| selector.as_ref().is_some_and(selects));
        selecting.map(|(key, _)| key.as_str()).collect()
    }
}

/// Reads the selector of a scale, as it is after a client has read it into a `LabelSelector` of the API.
pub(super) fn parse(text: &str) -> Result<LabelSelector, String> {
    let parsed = LabelSelector::parse(text)
        .map_err(|why| format!("couldn't parse the selector string \"{text}\": {why}"))?;
    let (mut labels, mut others) = (BTreeMap::new(), Vec::new());
    for requirement in parsed.requirements() {
        let mut requirement = requirement.clone();
        match requirement.operator {
            Operator::Equals | Operator::DoubleEquals => {
                requirement.operator = Operator::Equals;
                labels.insert(requirement.key.clone(), requirement.to_string());
                continue;
            }
            Operator::NotEquals => {
                return Err("\"!=\" is not a valid label selector operator".to_owned());
            }
            Operator::GreaterThan => return Err("\"gt\" isn't supported in label selectors".to_owned()),
            Operator::LessThan => return Err("\"lt\" isn't supported in label selectors".to_owned()),
            _ => {}
        }
        others.push(requirement.to_string());
    }
    let all: Vec<String> = labels.into_values().chain(others).collect();
    LabelSelector::parse(&all.join(","))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = parse(text).map(|selector| selector.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn selectors_are_read() {
        check("b==2,a=1", Ok("a=1,b=2"));
        check("a=1,a=2", Ok("a=2"));
        check("c notin (3), d in (y,x),!e,f", Ok("c notin (3),d in (x,y),!e,f"));
        check("a=1,c!=3", Err("\"!=\" is not a valid label selector operator"));
        check("a>1", Err("\"gt\" isn't supported in label selectors"));
        check("a<1", Err("\"lt\" isn't supported in label selectors"));
        check(
            "app in (",
            Err(
                "couldn't parse the selector string \"app in (\": unable to parse requirement: found '', expected: ',', ')' or identifier",
            ),
        );
    }

    #[test]
    fn who_scales_the_same_pods_is_known() {
        let pods = [Arc::new(json!({"metadata": {"name": "p", "labels": {"app": "web", "tier": "front"}}}))];
        let mut selectors = Selectors::default();
        for (key, selector) in [("a/x", "app=web"), ("a/y", "tier"), ("a/z", "app=db"), ("ab/x", "app=web")] {
            selectors.set(key, &parse("app").unwrap());
            selectors.begin(key);
            selectors.set(key, &parse(selector).unwrap());
        }
        selectors.begin("a/new");
        assert_eq!(selectors.of_pods("a", &pods).into_iter().collect::<Vec<_>>(), ["a/x", "a/y"]);
        selectors.end("a/x");
        assert_eq!(selectors.of_pods("a", &pods).into_iter().collect::<Vec<_>>(), ["a/y"]);
        assert!(selectors.of_pods("b", &pods).is_empty() && selectors.of_pods("a", &[]).is_empty());
    }
}
