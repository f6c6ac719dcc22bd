//! The helpers that the tests share: an environment, and values as text.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use cel::{Budget, Declared, Env, ListKind, Type, Value};
use json_tree::{Value as Json, json};

/// Returns the declaration of `self`.
pub(crate) fn declared() -> Declared {
    let string = |most| Declared::string("", most, None);
    let port = Declared::object(vec![
        ("name".to_owned(), string(Some(10)), true),
        ("port".to_owned(), Declared::int(), true),
    ]);
    let keys = ListKind::Map(vec!["name".to_owned()]);
    Declared::object(vec![
        ("a".to_owned(), Declared::int(), false),
        ("b".to_owned(), Declared::int(), false),
        ("f".to_owned(), Declared::double(), false),
        ("ok".to_owned(), Declared::bool(), false),
        ("name".to_owned(), string(Some(20)), false),
        ("text".to_owned(), string(None), false),
        ("a-b/c.d".to_owned(), Declared::int(), false),
        ("namespace".to_owned(), string(None), false),
        ("io".to_owned(), Declared::int_or_string(), false),
        ("time".to_owned(), Declared::string("date-time", None, None), false),
        ("date".to_owned(), Declared::string("date", None, None), false),
        ("span".to_owned(), Declared::string("duration", None, None), false),
        ("data".to_owned(), Declared::string("byte", None, None), false),
        ("list".to_owned(), Declared::list(Declared::int(), ListKind::Atomic, Some(5)), false),
        ("words".to_owned(), Declared::list(string(Some(9)), ListKind::Atomic, None), false),
        ("set".to_owned(), Declared::list(Declared::int(), ListKind::Set, None), false),
        ("other".to_owned(), Declared::list(Declared::int(), ListKind::Set, None), false),
        ("ports".to_owned(), Declared::list(port.clone(), keys.clone(), Some(10)), false),
        ("more".to_owned(), Declared::list(port, keys, Some(10)), false),
        ("map".to_owned(), Declared::map(string(Some(9)), Some(4)), false),
        ("nothing".to_owned(), string(None).or_null(true), false),
        ("any".to_owned(), Declared::any(), false),
    ])
    .named("self")
}

/// An object that is as it is declared.
pub(crate) fn object() -> Json {
    json!({
        "a": 1, "b": 2, "f": 1.5, "ok": true, "name": "abc", "text": "äö", "a-b/c.d": 7, "namespace": "ns",
        "io": "5%", "time": "2024-02-29T12:30:45.5Z", "date": "2024-02-29", "span": "1m30s", "data": "YWJj",
        "list": [1, 2, 3], "words": ["x", "yy"], "set": [1, 2, 3], "other": [3, 1, 2],
        "ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}],
        "more": [{"name": "b", "port": 2}, {"name": "a", "port": 1}],
        "map": {"k": "v", "l": "w"}, "nothing": null, "any": {"x": [1, "y", 2.5, null]}, "undeclared": 1
    })
}

pub(crate) fn env() -> Env {
    Env::new().declared("self", Arc::new(declared())).variable("x", Type::Dyn).variable("i", Type::Int)
}

/// The value of an expression, or what is wrong with it.
pub(crate) fn run(text: &str) -> String {
    spend(text).0
}

/// The value of an expression as text, and what it has cost.
pub(crate) fn spend(text: &str) -> (String, u64) {
    let (declared, object) = (declared(), object());
    let program = match env().compile(text) {
        Ok(program) => program,
        Err(issues) => return (issues.to_text(text), 0),
    };
    if let Some(fault) = program.fault() {
        return (["fault: ", fault].concat(), 0);
    }
    let value = declared.value(&object).expect("the object is as it is declared");
    let variables = [value, Value::Int(5), Value::Int(3)];
    let mut budget = Budget::default();
    let shown = match program.eval(&variables, &mut budget) {
        Ok(value) => show(&value),
        Err(error) => format!("error: {error}"),
    };
    (shown, budget.spent())
}

pub(crate) fn show(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => format!("{value}u"),
        Value::Double(value) => format!("{value:?}"),
        Value::String(text) => format!("'{}'", &**text),
        Value::Bytes(bytes) => format!("b'{}'", String::from_utf8_lossy(bytes)),
        Value::Timestamp(value) => value.to_text(),
        Value::Duration(value) => value.to_text(),
        Value::List(list) => {
            let items: Vec<String> =
                list.iter().map(|item| item.map_or_else(|e| e.to_string(), |v| show(&v))).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entries = map.keys().into_iter().map(|key| {
                let value = match &key {
                    Value::String(name) => map.member(name),
                    _ => map.get(&key),
                };
                let value = value
                    .map_or_else(String::new, |value| value.map_or_else(|e| e.to_string(), |v| show(&v)));
                format!("{}: {value}", show(&key))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Made(made) => made.kind.name.clone(),
        Value::Composed => "composed".to_owned(),
        Value::Type(of) => of.name(),
        Value::Optional(None) => "none".to_owned(),
        Value::Optional(Some(inner)) => format!("some({})", show(inner)),
        Value::Opaque(value) => value.type_name().to_owned(),
    }
}
