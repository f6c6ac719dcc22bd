//! Usage that an annotation of a pod tells, where nobody measures it.
//!
//! The statements of an annotation are on lines of their own, or separated by semicolons. One that begins with the name of a container
//! and a colon is about that one, others are about all:
//!
//! ```text
//! cpu=250m, memory=64Mi
//! side: cpu=10m
//! ```
//!
//! Later statements count, where several are about the same.

use std::collections::BTreeMap;

use golang::strconv::quote;
use json_tree::Value;
use schema::quantity::Quantity;

use crate::object;
use crate::pod;

/// The annotation.
pub(super) const ANNOTATION: &str = "kubeglass.dev/usage";

/// Amounts in thousandths, by the names of containers and of resources.
pub(super) type Usage = BTreeMap<String, BTreeMap<String, i64>>;

/// Returns the usage of the containers of a pod; `None` if it has no annotation. The error says what cannot be read.
pub(super) fn of_pod(pod: &Value) -> Option<Result<Usage, String>> {
    let text = object::annotation(pod, ANNOTATION)?;
    let names: Vec<&str> = pod::containers(pod).map(|container| container.text("name")).collect();
    Some(read(text, &names))
}

/// Reads an annotation of a pod, given the names of its containers.
fn read(text: &str, names: &[&str]) -> Result<Usage, String> {
    let mut usage = Usage::new();
    for statement in object::statements(text) {
        let fail = |why: String| [&quote(statement), ": ", &why].concat();
        let (about, amounts) = match statement.split_once(':') {
            Some((name, rest)) => (Some(name.trim()), rest),
            None => (None, statement),
        };
        if let Some(name) = about.filter(|name| !names.contains(name)) {
            return Err(fail(["there is no container ", &quote(name)].concat()));
        }
        let amounts: Vec<(&str, i64)> =
            amounts.split(',').map(amount).collect::<Result<_, _>>().map_err(fail)?;
        for name in names.iter().filter(|name| about.is_none_or(|about| about == **name)) {
            let own = usage.entry((*name).to_owned()).or_default();
            own.extend(amounts.iter().map(|(resource, amount)| ((*resource).to_owned(), *amount)));
        }
    }
    Ok(usage)
}

/// Reads the amount of one resource.
fn amount(text: &str) -> Result<(&str, i64), String> {
    let (resource, amount) = text.split_once('=').unwrap_or_default();
    let (resource, amount) = (resource.trim(), amount.trim());
    if resource.is_empty() {
        return Err("an amount is a resource, = and a quantity, as cpu=250m".to_owned());
    }
    let quantity = Quantity::parse(amount).map_err(|why| format!("{}: {why}", quote(amount)))?;
    if quantity.sign() < 0 {
        return Err(format!("{}: nothing uses less than nothing", quote(amount)));
    }
    Ok((resource, quantity.thousandths()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the amounts of the containers `app` and `side`, in the order of the names of resources.
    #[track_caller]
    fn check(text: &str, expected: Result<&[(&str, &str, i64)], &str>) {
        let found = read(text, &["app", "side"]).map(|usage| {
            let all = usage.into_iter().flat_map(|(name, amounts)| {
                amounts.into_iter().map(move |(resource, amount)| (name.clone(), resource, amount))
            });
            all.collect::<Vec<_>>()
        });
        let owned = |entries: &[(&str, &str, i64)]| {
            entries
                .iter()
                .map(|(name, resource, amount)| ((*name).to_owned(), (*resource).to_owned(), *amount))
                .collect()
        };
        assert_eq!(found, expected.map(owned).map_err(str::to_owned), "{text}");
    }

    #[test]
    fn statements_are_read() {
        check("", Ok(&[]));
        check("cpu=250m", Ok(&[("app", "cpu", 250), ("side", "cpu", 250)]));
        check(
            "app: cpu = 1.5, memory=1Ki; side: cpu=10m;",
            Ok(&[("app", "cpu", 1500), ("app", "memory", 1_024_000), ("side", "cpu", 10)]),
        );
        check("cpu=1\nside: cpu=2", Ok(&[("app", "cpu", 1000), ("side", "cpu", 2000)]));
        check("app: cpu=99E", Ok(&[("app", "cpu", i64::MAX)]));
    }

    #[test]
    fn mistakes_are_told() {
        check("web: cpu=1", Err("\"web: cpu=1\": there is no container \"web\""));
        check("cpu", Err("\"cpu\": an amount is a resource, = and a quantity, as cpu=250m"));
        check("cpu=1,", Err("\"cpu=1,\": an amount is a resource, = and a quantity, as cpu=250m"));
        check("cpu=-1", Err("\"cpu=-1\": \"-1\": nothing uses less than nothing"));
        check(
            "cpu=much",
            Err("\"cpu=much\": \"much\": quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        );
    }
}
