//! Putting values of this run where a scenario names them: `${ns}`, `${step#/json/pointer}`, `${step#/pointer|+1}`.

use std::collections::HashMap;

use json_tree::{Map, Value};

/// The values that the names in a scenario stand for in this run.
pub struct Names {
    /// The name that is the run's own.
    pub ns: String,
    /// The bodies of the answers so far, by the name of their step.
    pub answers: HashMap<String, Value>,
}

impl Names {
    /// `value` with every name in its keys and strings replaced.
    ///
    /// # Errors
    /// A name that stands for nothing: an unknown step, or a pointer at nothing.
    pub fn substitute(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.substitute(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => Value::Object(self.map(map)?),
            other => other.clone(),
        })
    }

    /// The same for a whole object.
    ///
    /// # Errors
    /// As [`Names::substitute`].
    pub fn map(&self, map: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        map.iter().map(|(key, value)| Ok((self.text(key)?, self.substitute(value)?))).collect()
    }

    /// The same for a text.
    ///
    /// # Errors
    /// As [`Names::substitute`].
    pub fn text(&self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let Some(length) = rest[start + 2..].find('}') else { break };
            out.push_str(&rest[..start]);
            if length == 0 {
                out.push_str("${}");
            } else {
                out.push_str(&self.name(&rest[start + 2..start + 2 + length])?);
            }
            rest = &rest[start + 2 + length + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }

    fn name(&self, name: &str) -> Result<String, String> {
        if name == "ns" {
            return Ok(self.ns.clone());
        }
        let nothing = || format!("${{{name}}} stands for nothing");
        let (step, pointer) = name.split_once('#').ok_or_else(nothing)?;
        let (pointer, add) = match (pointer.strip_suffix("|+1"), pointer.strip_suffix("|-1")) {
            (Some(pointer), _) => (pointer, 1),
            (_, Some(pointer)) => (pointer, -1),
            _ => (pointer, 0),
        };
        let answer = self.answers.get(step).ok_or_else(nothing)?;
        let text = match answer.pointer(pointer).ok_or_else(nothing)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if add == 0 {
            return Ok(text);
        }
        let number: i128 = text.parse().map_err(|_| format!("${{{name}}} is {text:?}, not a number"))?;
        Ok((number + add).to_string())
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: Result<&str, &str>) {
        let names = Names {
            ns: "cf-run".to_owned(),
            answers: HashMap::from([(
                "a".to_owned(),
                json!({"metadata": {"resourceVersion": "41", "k/e~y": "v"}, "items": [{"n": 7}]}),
            )]),
        };
        assert_eq!(
            names.text(text).as_deref().map_err(String::as_str),
            want.as_ref().map(|text| *text).map_err(|text| *text)
        );
    }

    #[test]
    fn texts() {
        check("plain", Ok("plain"));
        check("/x/${ns}/y/${ns}", Ok("/x/cf-run/y/cf-run"));
        check("v=${a#/metadata/resourceVersion}", Ok("v=41"));
        check("v=${a#/metadata/resourceVersion|+1}", Ok("v=42"));
        check("v=${a#/metadata/resourceVersion|-1}", Ok("v=40"));
        check("${a#/items/0/n}", Ok("7"));
        check("${a#/metadata/k~1e~0y}", Ok("v"));
        check("${open", Ok("${open"));
        check("${}", Ok("${}"));
        check("${b#/x}", Err("${b#/x} stands for nothing"));
        check("${a#/x}", Err("${a#/x} stands for nothing"));
        check("${what}", Err("${what} stands for nothing"));
        check("${a#/metadata/k~1e~0y|+1}", Err("${a#/metadata/k~1e~0y|+1} is \"v\", not a number"));
    }

    #[test]
    fn keys_and_values_at_any_depth() {
        let names = Names { ns: "cf-run".to_owned(), answers: HashMap::new() };
        assert_eq!(
            names.substitute(&json!({"${ns}": [{"a": "${ns}"}, 1, null]})),
            Ok(json!({"cf-run": [{"a": "cf-run"}, 1, null]}))
        );
    }
}
