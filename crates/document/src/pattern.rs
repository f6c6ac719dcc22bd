//! Documented values: JSON with ellipses, comments and abbreviations, as documentation writes it.

use json_tree::{Number, Value};

/// The largest text that is read, in bytes: of a larger one nothing is compared.
const LARGEST: usize = 256 << 10;
/// How deep values are read.
const DEEPEST: usize = 100;

/// A value as it is documented.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// An ellipsis, or prose: anything.
    Any,
    /// A string, number, boolean or null.
    Scalar(Value),
    /// An object with at least these fields.
    Object(Vec<(String, Self)>),
    /// A list.
    List(Vec<Item>),
}

/// An item of a documented list, or of a documented stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A value.
    One(Pattern),
    /// An ellipsis: any number of values.
    Gap,
}

impl Pattern {
    /// Returns a field of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the field at a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the items of a list that are written out.
    pub fn items(&self) -> impl Iterator<Item = &Self> {
        let items = match self {
            Self::List(items) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| match item {
            Item::One(value) => Some(value),
            Item::Gap => None,
        })
    }

    /// Returns the value, without what is left open.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Any => Value::Null,
            Self::Scalar(value) => value.clone(),
            Self::Object(fields) => {
                let told = fields.iter().filter(|(_, value)| *value != Self::Any);
                Value::Object(told.map(|(name, value)| (name.clone(), value.to_value())).collect())
            }
            Self::List(_) => Value::Array(self.items().map(Self::to_value).collect()),
        }
    }

    /// Makes a pattern of a value: one that has at least its fields.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Object(fields) => {
                Self::Object(fields.iter().map(|(name, value)| (name.clone(), Self::of(value))).collect())
            }
            Value::Array(items) => Self::List(items.iter().map(|item| Item::One(Self::of(item))).collect()),
            other => Self::Scalar(other.clone()),
        }
    }
}

/// Returns the first value that is written out.
pub fn first(items: &[Item]) -> Option<&Pattern> {
    items.iter().find_map(|item| match item {
        Item::One(pattern) => Some(pattern),
        Item::Gap => None,
    })
}

/// Reads the values of a text, one behind the other, as a stream of events has them. Prose is a gap.
pub fn read(text: &str) -> Vec<Item> {
    if text.len() > LARGEST {
        return vec![Item::Gap];
    }
    let mut reader = Reader { text, at: 0 };
    let mut items = Vec::new();
    loop {
        match reader.peek() {
            None => return items,
            Some(b'{' | b'[') => items.push(Item::One(reader.value(0))),
            Some(_) => {
                if !reader.ellipsis() {
                    reader.skip_line();
                }
                if items.last() != Some(&Item::Gap) {
                    items.push(Item::Gap);
                }
            }
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte that is neither space nor comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.rest();
            let after = rest.trim_start();
            self.at += rest.len() - after.len();
            let first = self.rest().bytes().next()?;
            if self.rest().starts_with("//") || first == b'#' {
                self.skip_line();
            } else {
                return Some(first);
            }
        }
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
    }

    /// Takes an ellipsis, if one follows.
    fn ellipsis(&mut self) -> bool {
        let length = ["...", "…"].into_iter().find(|dots| self.rest().starts_with(dots)).map(str::len);
        self.at += length.unwrap_or(0);
        length.is_some()
    }

    /// Returns the column of the next character.
    fn column(&self) -> usize {
        let before = self.text.get(..self.at).unwrap_or_default();
        before.len() - before.rfind('\n').map_or(0, |end| end + 1)
    }

    fn value(&mut self, depth: usize) -> Pattern {
        match self.peek() {
            _ if depth > DEEPEST => {
                self.at = self.text.len();
                Pattern::Any
            }
            Some(b'{') => {
                self.at += 1;
                Pattern::Object(self.fields(depth))
            }
            Some(b'[') => {
                self.at += 1;
                Pattern::List(self.items(depth))
            }
            Some(b'"') => Pattern::Scalar(self.string().into()),
            Some(_) if self.ellipsis() => Pattern::Any,
            Some(_) => self.word(),
            None => Pattern::Any,
        }
    }

    fn fields(&mut self, depth: usize) -> Vec<(String, Pattern)> {
        let mut fields: Vec<(String, Pattern)> = Vec::new();
        loop {
            match self.peek() {
                None => return fields,
                Some(b'}') => {
                    self.at += 1;
                    return fields;
                }
                // The text was cut: what follows belongs to something outside.
                Some(b']') => return fields,
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let begin = self.at;
                    let name = self.string();
                    if fields.iter().any(|(known, _)| *known == name) {
                        // The text was cut, and this is the next object's.
                        self.at = begin;
                        return fields;
                    }
                    if self.peek() != Some(b':') {
                        continue;
                    }
                    self.at += 1;
                    let value = self.value(depth + 1);
                    fields.push((name, value));
                }
                Some(_) if self.ellipsis() => {
                    if self.peek() == Some(b'"') && depth > 0 && self.is_outside(&fields) {
                        return fields;
                    }
                }
                // Prose, as in `"items": [...] // returns pods 1-500`.
                Some(_) => self.skip_line(),
            }
        }
    }

    /// Returns whether what follows an ellipsis stands further left than the fields before it, and is none of theirs.
    fn is_outside(&self, fields: &[(String, Pattern)]) -> bool {
        let Some((name, _)) = fields.last() else { return false };
        let written = ["\"", name, "\""].concat();
        let before = self.text.get(..self.at).unwrap_or_default();
        let column = before.rfind(&written).map_or(0, |at| {
            at - before.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
        });
        self.column() < column
    }

    fn items(&mut self, depth: usize) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None => return items,
                Some(b']') => {
                    self.at += 1;
                    return items;
                }
                Some(b'}') => return items,
                Some(b',') => self.at += 1,
                // The text was cut within an item: the next one has its fields only.
                Some(b'"') if items.iter().any(|item| matches!(item, Item::One(Pattern::Object(_)))) => {
                    items.push(Item::One(Pattern::Object(self.fields(depth + 1))));
                }
                Some(_) if self.ellipsis() => items.push(Item::Gap),
                Some(_) => items.push(Item::One(self.value(depth + 1))),
            }
        }
    }

    fn string(&mut self) -> String {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped || *c == '\n';
            escaped = *c == '\\' && !escaped;
            ends
        });
        let end = end.map_or(rest.len(), |(at, c)| if c == '"' { at + 1 } else { at });
        let text = rest.get(..end).unwrap_or_default();
        let read = serde_json::from_str(text).unwrap_or_else(|_| text.trim_matches('"').to_owned());
        self.at += end;
        read
    }

    /// Reads `true`, `12`, `nil`, or prose, which is anything.
    fn word(&mut self) -> Pattern {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '\n']).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().split("//").next().unwrap_or_default().trim();
        let read = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "nil" => Value::Null,
            _ => match word.parse::<Number>() {
                Ok(number) => Value::Number(number),
                Err(_) => {
                    self.at += end.max(1).min(rest.len().max(1));
                    while !self.text.is_char_boundary(self.at.min(self.text.len())) {
                        self.at += 1;
                    }
                    return Pattern::Any;
                }
            },
        };
        self.at += end;
        Pattern::Scalar(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and its values, with `null` for anything and `"..."` for a gap.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        fn shown(item: &Item) -> Value {
            match item {
                Item::Gap => "...".into(),
                Item::One(value) => value_of(value),
            }
        }
        fn value_of(pattern: &Pattern) -> Value {
            match pattern {
                Pattern::Any => "?".into(),
                Pattern::Scalar(value) => value.clone(),
                Pattern::Object(fields) => Value::Object(
                    fields.iter().map(|(name, value)| (name.clone(), value_of(value))).collect(),
                ),
                Pattern::List(items) => Value::Array(items.iter().map(shown).collect()),
            }
        }
        let read: Value = Value::Array(read(text).iter().map(shown).collect());
        assert_eq!(read.to_string(), expected, "{text}");
    }

    #[test]
    fn ellipses_stand_for_anything() {
        check(r#"{"kind": "PodList", "items": [...]}"#, r#"[{"kind":"PodList","items":["..."]}]"#);
        check("{\n  \"kind\": \"Pod\",\n  …\n}", r#"[{"kind":"Pod"}]"#);
        check(r#"{"a": ..., "b": {"c": "d", ...}, ...}"#, r#"[{"a":"?","b":{"c":"d"}}]"#);
        check("... binary encoded PodList object", r#"["..."]"#);
        check("", "[]");
    }

    #[test]
    fn comments_and_loose_json() {
        check(
            "{\"continue\": \"\", // the end\n \"items\": [...] // returns pods 1-500\n}",
            r#"[{"continue":"","items":["..."]}]"#,
        );
        check("{\"a\": nil,\n}", r#"[{"a":null}]"#);
        check(r#"{"a": [1, true, ["x"],],}"#, r#"[{"a":[1,true,["x"]]}]"#);
    }

    #[test]
    fn streams() {
        check(
            "{\n\"type\": \"ADDED\"\n}\n...\n{\"type\": \"BOOKMARK\"}\n...\n<followed by regular watch stream>",
            r#"[{"type":"ADDED"},"...",{"type":"BOOKMARK"},"..."]"#,
        );
    }

    #[test]
    fn texts_that_were_cut() {
        check(
            "{\n  \"kind\": \"ServiceList\",\n  \"items\": [\n    {\n      \"metadata\": {\n        \"name\": \"kubernetes\",\n        \"namespace\": \"default\",\n...\n      \"metadata\": {\n        \"name\": \"kube-dns\",\n...\n",
            r#"[{"kind":"ServiceList","items":[{"metadata":{"name":"kubernetes","namespace":"default"}},{"metadata":{"name":"kube-dns"}}]}]"#,
        );
        check("{\"a\": {\"b\": [1", r#"[{"a":{"b":[1]}}]"#);
    }

    #[test]
    fn garbage_ends() {
        for text in
            ["{", "[", "\"", "{]}[", "{\"a\" \"b\"}", "[}{", "{\"a\": \u{4e2d}}", "…{", "{a: b}", "{\"\\"]
        {
            let _ = read(text);
        }
        let deep = "[".repeat(100_000);
        let _ = read(&deep);
    }
}
