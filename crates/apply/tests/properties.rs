//! The properties that hold for any sets, configurations and managers.

use apply::{Converter, Manager, Managers, Operation, PathElement, Set, Shape, Updater};
use json_tree::{Map, Value, json};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use schema::{TypeId, Types};

const NOW: &str = "2026-11-20T10:00:00Z";
const LATER: &str = "2026-11-20T10:00:01Z";

/// A key of `fieldsV1`.
fn key() -> impl Strategy<Value = String> {
    select(vec![
        "f:a",
        "f:b",
        "f:",
        "f:a.b/c",
        "f:<&>",
        "v:1",
        "v:\"x\"",
        "v:true",
        "i:0",
        "i:12",
        r#"k:{"name":"x"}"#,
        r#"k:{"port":80,"protocol":"TCP"}"#,
    ])
    .prop_map(str::to_owned)
}

/// `fieldsV1` that a client may have written, in any order.
fn fields() -> impl Strategy<Value = Value> {
    let leaf = Just(json!({}));
    leaf.prop_recursive(3, 20, 4, |inner| {
        (btree_map(key(), inner, 0..4), any::<bool>()).prop_map(|(entries, own)| {
            let mut map: Map<String, Value> = entries.into_iter().collect();
            if own && !map.is_empty() {
                map.insert(".".to_owned(), json!({}));
            }
            Value::Object(map)
        })
    })
}

fn set() -> impl Strategy<Value = Set> {
    fields().prop_map(|fields| Set::from_json(&fields).expect("in its form"))
}

/// A Service that somebody applies.
fn config() -> impl Strategy<Value = Value> {
    let labels = btree_map(select(vec!["a", "b", "c"]), select(vec!["1", "2"]), 0..3);
    let ports = vec(
        (select(vec![80, 443]), select(vec![None, Some("TCP"), Some("UDP")]), select(vec![None, Some("x")])),
        0..3,
    );
    let finalizers = subsequence(vec!["e.x/a", "e.x/b", "e.x/c"], 0..=3).prop_shuffle();
    let kind = select(vec![None, Some("ClusterIP"), Some("NodePort")]);
    (labels, ports, finalizers, kind).prop_map(|(labels, ports, finalizers, kind)| {
        let mut seen = Vec::new();
        let mut list = Vec::new();
        for (port, protocol, name) in ports {
            if seen.contains(&(port, protocol.unwrap_or("TCP"))) {
                continue;
            }
            seen.push((port, protocol.unwrap_or("TCP")));
            let mut item = Map::new();
            item.insert("port".to_owned(), port.into());
            item.extend(protocol.map(|text| ("protocol".to_owned(), text.into())));
            item.extend(name.map(|text| ("name".to_owned(), text.into())));
            list.push(Value::Object(item));
        }
        let mut spec = Map::new();
        if !list.is_empty() {
            spec.insert("ports".to_owned(), list.into());
        }
        spec.extend(kind.map(|text| ("type".to_owned(), text.into())));
        let mut metadata = Map::new();
        if !labels.is_empty() {
            metadata.insert("labels".to_owned(), json!(labels));
        }
        if !finalizers.is_empty() {
            metadata.insert("finalizers".to_owned(), json!(finalizers));
        }
        json!({"metadata": metadata, "spec": spec})
    })
}

struct OneVersion(TypeId);

impl Converter for OneVersion {
    fn root(&self, api_version: &str) -> Option<Shape<'_>> {
        (api_version == "v1").then_some(Shape::Object(self.0))
    }

    fn convert(&self, object: &Value, _: &str, to: &str) -> Result<Option<Value>, String> {
        Ok((to == "v1").then(|| object.clone()))
    }
}

/// A Service and who manages it.
struct State {
    root: TypeId,
    live: Value,
    managers: Managers,
}

/// The object as it is stored: what became null is gone, but structs that are always there are.
fn stored(mut object: Value, zero: &Value) -> Value {
    fn drop_nulls(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|_, value| !value.is_null());
                map.values_mut().for_each(drop_nulls);
            }
            Value::Array(items) => items.iter_mut().for_each(drop_nulls),
            _ => {}
        }
    }
    drop_nulls(&mut object);
    for (key, value) in zero.as_object().into_iter().flatten() {
        if object.get(key).is_none() {
            object[key] = value.clone();
        }
    }
    object
}

impl State {
    fn new() -> Self {
        let types = Types::builtin();
        let root = types.find("k8s.io/api/core/v1", "Service").expect("a kind");
        Self { root, live: schema::zero(types, root), managers: Managers::default() }
    }

    fn with<T>(&mut self, now: &str, work: impl FnOnce(&Updater<'_>, &mut Self) -> T) -> T {
        let ignored = Set::of_fields(&[&["status"]]);
        let versions = OneVersion(self.root);
        let updater = Updater {
            types: Types::builtin(),
            converter: &versions,
            api_version: "v1",
            root: Shape::Object(self.root),
            ignored: &ignored,
            now,
        };
        work(&updater, self)
    }

    /// Applies by force; whether the object changed.
    fn apply(&mut self, name: &str, config: &Value, now: &str) -> bool {
        self.with(now, |updater, state| {
            let manager = Manager::new(name, Operation::Apply, "v1", "");
            let new = updater.apply(&state.live, config, &mut state.managers, &manager, true);
            let new = new.expect("nothing conflicts with force");
            let changed = new.is_some();
            if let Some(new) = new {
                state.live = stored(new, &schema::zero(Types::builtin(), state.root));
            }
            changed
        })
    }

    fn update(&mut self, name: &str, new: &Value) {
        self.with(NOW, |updater, state| {
            let manager = Manager::new(name, Operation::Update, "v1", "");
            updater.update(&state.live, new, &mut state.managers, &manager);
            state.live = new.clone();
        });
    }
}

proptest! {
    #[test]
    fn fields_v1_goes_there_and_back(set in set()) {
        prop_assert_eq!(Set::from_json(&set.to_json()), Ok(set));
    }

    #[test]
    fn keys_go_there_and_back(key in key()) {
        let element = PathElement::parse(&key).expect("in its form");
        prop_assert_eq!(PathElement::parse(&element.to_json_key()), Some(element));
    }

    #[test]
    fn union_and_intersection_do_not_ask_who_is_first(a in set(), b in set(), c in set()) {
        prop_assert_eq!(a.union(&b), b.union(&a));
        prop_assert_eq!(a.intersection(&b), b.intersection(&a));
        prop_assert_eq!(a.union(&b).union(&c), a.union(&b.union(&c)));
        prop_assert_eq!(a.union(&a), a.clone());
        prop_assert_eq!(a.intersection(&a), a);
    }

    #[test]
    fn a_set_is_its_difference_and_its_intersection(a in set(), b in set()) {
        let (difference, intersection) = (a.difference(&b), a.intersection(&b));
        prop_assert!(difference.intersection(&b).is_empty());
        prop_assert_eq!(difference.union(&intersection), a.clone());
        prop_assert!(a.difference(&a).is_empty());
        let recursive = a.recursive_difference(&b);
        prop_assert_eq!(recursive.intersection(&difference), recursive);
    }

    #[test]
    fn applying_twice_changes_nothing(first in config(), second in config(), again in config()) {
        let mut state = State::new();
        state.apply("a", &first, NOW);
        state.apply("b", &second, NOW);
        state.apply("a", &again, NOW);
        let (live, managers) = (state.live.clone(), state.managers.clone());
        prop_assert!(!state.apply("a", &again, LATER));
        prop_assert_eq!(state.live, live);
        prop_assert_eq!(state.managers, managers);
    }

    #[test]
    fn the_empty_configuration_gives_up_all(first in config(), second in config()) {
        let mut state = State::new();
        state.apply("a", &first, NOW);
        state.apply("b", &second, NOW);
        state.apply("a", &json!({}), NOW);
        state.apply("b", &json!({}), NOW);
        prop_assert!(state.managers.is_empty(), "{:?}", state.managers);
        let none = |pointer: &str| state.live.pointer(pointer).is_none_or(Value::is_null);
        for pointer in ["/metadata/labels", "/metadata/finalizers", "/spec/ports", "/spec/type"] {
            prop_assert!(none(pointer), "{pointer} of {}", state.live);
        }
    }

    #[test]
    fn who_applies_has_what_they_applied(first in config(), second in config()) {
        let mut state = State::new();
        state.apply("a", &first, NOW);
        state.apply("b", &second, NOW);
        for (key, value) in second["metadata"]["labels"].as_object().into_iter().flatten() {
            prop_assert_eq!(&state.live["metadata"]["labels"][key], value);
        }
        let ports = second["spec"]["ports"].as_array().map_or(0, Vec::len);
        prop_assert!(state.live["spec"]["ports"].as_array().map_or(0, Vec::len) >= ports);
    }

    #[test]
    fn a_field_that_is_written_has_one_owner(first in config(), second in config()) {
        let mut state = State::new();
        state.update("a", &first);
        state.update("b", &second);
        let owned: Vec<&Set> = state.managers.0.values().map(|entry| &entry.set).collect();
        if let [a, b] = owned.as_slice() {
            // But a port may be one's, and a field that was added to it another's.
            prop_assert!(a.intersection(b).is_empty());
        }
    }

    #[test]
    fn entries_go_there_and_back(first in config(), second in config()) {
        let mut state = State::new();
        state.apply("a", &first, NOW);
        state.update("b", &second);
        let entries = state.managers.write();
        prop_assert_eq!(Managers::read(entries.as_ref()), Some(state.managers));
    }
}
