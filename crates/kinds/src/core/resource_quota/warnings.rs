//! The warnings to writers of objects of the kind ResourceQuota.

use json_tree::Value;
use schema::quantity::Quantity;

const LIMITED: [&str; 4] = ["cpu", "memory", "storage", "ephemeral-storage"];

pub(super) fn warn(quota: &Value, old: Option<&Value>) -> Vec<String> {
    let hard = &quota["spec"]["hard"];
    let find = |name: String| {
        let amount = Quantity::of(hard.get(name.as_str())?)?;
        Some((name, amount))
    };
    let mut warnings = Vec::new();
    for resource in LIMITED.into_iter().filter(|_| old.is_none()) {
        let plain = || matches!(resource, "cpu" | "memory").then(|| find(resource.to_owned())).flatten();
        let request = find(["requests.", resource].concat()).or_else(plain);
        let limit = find(["limits.", resource].concat());
        let (Some((request, asked)), Some((limit, most))) = (request, limit) else { continue };
        if asked.exceeds(&most) {
            let (asked, most) = (asked.to_string(), most.to_string());
            warnings.push(format!("ResourceQuota {request} ({asked}) should be less than {limit} ({most})"));
        }
    }
    warnings
}
