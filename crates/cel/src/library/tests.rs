//! The results of the overloads: a call is written as a list, of the overload's name and its arguments.

mod anything;

use json_tree::{Value as Json, json};

use super::FUNCTIONS;
use crate::{
    error::Error,
    function::{Operand, Overload, Price, Size},
    types::Type,
    value::Value,
};

#[track_caller]
fn overload(id: &str) -> &'static Overload {
    let mut overloads =
        FUNCTIONS.iter().flat_map(|table| table.iter()).flat_map(|function| function.overloads);
    overloads.find(|overload| overload.id == id).expect(id)
}

/// The value of a call, or of JSON that is none: a list is a call if it begins with an id that has a `#`.
#[track_caller]
fn value(json: &Json) -> Result<Value<'_>, Error> {
    let (id, arguments) = match json {
        Json::Array(items) => match items.split_first() {
            Some((Json::String(id), arguments)) if id.starts_with('#') => (&id[1..], arguments),
            _ => {
                return Ok(Value::list(items.iter().map(value).collect::<Result<_, _>>()?));
            }
        },
        _ => return Ok(Value::of_json(json)),
    };
    let arguments = arguments.iter().map(value).collect::<Result<Vec<_>, _>>()?;
    let overload = overload(id);
    assert_eq!(arguments.len(), overload.params.len(), "{id}");
    (overload.call)(&arguments)
}

pub(super) fn show(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => format!("{number}u"),
        Value::Double(number) => format!("{number:?}"),
        Value::String(text) => format!("'{}'", &**text),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| show(&item.unwrap())).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entries: Vec<String> = map
                .keys()
                .iter()
                .map(|key| format!("{}: {}", show(key), show(&map.get(key).unwrap().unwrap())))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Optional(None) => "none".to_owned(),
        Value::Optional(Some(value)) => format!("optional({})", show(value)),
        Value::Opaque(value) => value.type_name().to_owned(),
        Value::Bytes(_)
        | Value::Timestamp(_)
        | Value::Duration(_)
        | Value::Type(_)
        | Value::Made(_)
        | Value::Composed => format!("{value:?}"),
    }
}

#[track_caller]
fn check(calls: &[(Json, &str)]) {
    for (call, expected) in calls {
        let shown = value(call).map_or_else(|error| format!("error: {error}"), |value| show(&value));
        assert_eq!(shown, *expected, "{call}");
    }
}

/// Checks the actual cost of the outermost call.
#[track_caller]
fn check_cost(calls: &[(Json, u64)]) {
    for (call, expected) in calls {
        let (id, arguments) = call.as_array().and_then(|call| call.split_first()).expect("a call");
        let arguments: Vec<Value<'_>> = arguments.iter().map(|argument| value(argument).unwrap()).collect();
        let overload = overload(&id.as_str().expect("an id")[1..]);
        let result = (overload.call)(&arguments).unwrap();
        let cost = match overload.price {
            Price::One => 1,
            Price::By { actual, .. } => actual(&arguments, &result),
        };
        assert_eq!(cost, *expected, "{call}");
    }
}

#[test]
fn overloads_have_names_of_their_own_and_take_only_their_arguments() {
    let mut ids = Vec::new();
    for overload in FUNCTIONS.iter().flat_map(|table| table.iter()).flat_map(|function| function.overloads) {
        assert!(!ids.contains(&overload.id), "{}", overload.id);
        ids.push(overload.id);
        let wrong = vec![Value::Null; overload.params.len() + 1];
        assert!((overload.call)(&wrong).is_err(), "{}", overload.id);
        if overload.member {
            assert!(!overload.params.is_empty());
        }
    }
    assert!(ids.len() > 130);
}

#[test]
fn strings() {
    check(&[
        (json!(["#string_char_at_int", "tacocat", 3]), "'o'"),
        (json!(["#string_char_at_int", "tacocat", 30]), "error: index out of range: 30"),
        (json!(["#string_index_of_string", "tacocat", "ac"]), "1"),
        (json!(["#string_index_of_string_int", "tacocat", "a", 3]), "5"),
        (json!(["#string_last_index_of_string", "tacocat", "at"]), "5"),
        (json!(["#string_last_index_of_string_int", "tacocat", "a", -1]), "error: index out of range: -1"),
        (json!(["#string_lower_ascii", "TacoCÆt Xii"]), "'tacocÆt xii'"),
        (json!(["#string_upper_ascii", "TacoCæt Xii"]), "'TACOCæT XII'"),
        (json!(["#string_trim", " \u{85}\u{a0}\u{3000}\u{200b}trim\n "]), "'\u{200b}trim'"),
        (json!(["#string_replace_string_string", "hello hello", "he", "we"]), "'wello wello'"),
        (json!(["#string_replace_string_string_int", "hello hello", "he", "we", 1]), "'wello hello'"),
        (json!(["#string_split_string", "a b c", " "]), "['a', 'b', 'c']"),
        (json!(["#string_split_string_int", "a b c", " ", 2]), "['a', 'b c']"),
        (json!(["#string_substring_int", "tacocat", 4]), "'cat'"),
        (
            json!(["#string_substring_int_int", "tacocat", 4, 3]),
            "error: invalid substring range. start: 4, end: 3",
        ),
        (json!(["#list_join", ["x", "y"]]), "'xy'"),
        (json!(["#list_join_string", ["x", "y"], "-"]), "'x-y'"),
        (json!(["#list_join", ["x", 1]]), "error: no such overload"),
        (json!(["#string_format", "%s is %d", ["a", 1]]), "'a is 1'"),
        (json!(["#strings_quote", "a\n"]), "'\"a\\n\"'"),
    ]);
    check_cost(&[
        (json!(["#string_lower_ascii", "ABCDEFGHIJ abcdefghij"]), 3),
        (json!(["#string_replace_string_string", "abc 123 def 123", "123", "456"]), 3),
        (json!(["#string_split_string", "abc 123 def 123", " "]), 3),
        (json!(["#string_substring_int", "abc 123 def 123", 5]), 2),
        (json!(["#list_join_string", ["aa", "bb", "cc", "d", "e", "f", "g", "h", "i", "j"], " "]), 5),
        (json!(["#list_join", ["aa", "bb", "cc", "d", "e", "f", "g", "h", "i", "j"]]), 3),
        (json!(["#string_index_of_string", "01234567890123456789012345678901234567890123456789", "123"]), 5),
        (json!(["#string_char_at_int", "0123456789012345678901234", 1]), 1),
    ]);
}

#[test]
fn lists() {
    check(&[
        (json!(["#list_int_is_sorted_bool", [1, 2, 2]]), "true"),
        (json!(["#list_double_is_sorted_bool", [2.0, 1.0]]), "false"),
        (json!(["#list_string_is_sorted_bool", []]), "true"),
        (json!(["#list_int_sum_int", [1, 3]]), "4"),
        (json!(["#list_int_sum_int", []]), "0"),
        (json!(["#list_int_sum_int", [i64::MAX, 1]]), "error: integer overflow"),
        (json!(["#list_double_sum_double", [1.0, 3.5]]), "4.5"),
        (json!(["#list_uint_sum_uint", []]), "0u"),
        (json!(["#list_int_max_int", [1, 3, 2]]), "3"),
        (json!(["#list_string_min_string", ["b", "ab", "a"]]), "'a'"),
        (json!(["#list_int_min_int", []]), "error: min called on empty list"),
        (json!(["#list_bool_max_bool", []]), "error: max called on empty list"),
        (json!(["#list_a_index_of_int", [1, 2, 2, 3], 2]), "1"),
        (json!(["#list_a_last_index_of_int", ["a", "b", "b", "c"], "b"]), "2"),
        (json!(["#list_a_index_of_int", [1.0], 1.1]), "-1"),
        (json!(["#list_a_index_of_int", [[1], {"a": 1}], {"a": 1.0}]), "1"),
    ]);
    check_cost(&[
        (json!(["#list_int_sum_int", [1, 2, 3, 4, 5]]), 5),
        (
            json!([
                "#list_string_max_string",
                ["012345678901", "012345678901", "012345678901", "012345678901", "012345678901"]
            ]),
            5,
        ),
        (json!(["#list_a_index_of_int", [[1, 2], {"0123456789": "a"}], 3]), 3),
    ]);
}

#[test]
fn collections() {
    check(&[
        (json!(["#list_slice", [1, 2, 3, 4], 1, 3]), "[2, 3]"),
        (json!(["#list_slice", [1, 2, 3, 4], 4, 4]), "[]"),
        (json!(["#list_slice", [1, 2], -1, 3]), "error: cannot slice(-1, 3), negative indexes not supported"),
        (
            json!(["#list_slice", [1, 2], 2, 1]),
            "error: cannot slice(2, 1), start index must be less than or equal to end index",
        ),
        (json!(["#list_slice", [1, 2], 0, 3]), "error: cannot slice(0, 3), list is length 2"),
        (json!(["#list_flatten", [1, [2, [3, 4]], []]]), "[1, 2, [3, 4]]"),
        (json!(["#list_flatten_int", [1, [2, [3, [4]]]], 2]), "[1, 2, 3, [4]]"),
        (json!(["#list_flatten_int", [1, [2]], 0]), "[1, [2]]"),
        (json!(["#list_flatten_int", [1, [2, [3]]], i64::MAX]), "[1, 2, 3]"),
        (json!(["#list_flatten_int", [1], -1]), "error: level must be non-negative"),
        (json!(["#list_int_sort", [3, 2, 1]]), "[1, 2, 3]"),
        (json!(["#list_string_sort", ["b", "c", "a"]]), "['a', 'b', 'c']"),
        (json!(["#list_int_sort", []]), "[]"),
        (json!(["#list_int_sort", [1, "b"]]), "error: list elements must have the same type"),
        (json!(["#list_int_sort", [[1]]]), "error: list elements must be comparable"),
        (
            json!(["#list_int_sortByAssociatedKeys", ["foo", "bar", "baz"], [3, 1, 2]]),
            "['bar', 'baz', 'foo']",
        ),
        (json!(["#lists_range", 3]), "[0, 1, 2]"),
        (json!(["#lists_range", -3]), "[]"),
        (json!(["#lists_range", i64::MAX]), "error: operation cancelled: actual cost limit exceeded"),
        (json!(["#list_reverse", [5, 3, 1]]), "[1, 3, 5]"),
        (json!(["#list_distinct", [1, "b", 2, "b", 1.0, null, null]]), "[1, 'b', 2, null]"),
        (
            json!(["#list_distinct", ["#lists_range", 100_000]]),
            "error: operation cancelled: actual cost limit exceeded",
        ),
    ]);
    check_cost(&[
        (json!(["#list_slice", [1, 2, 3, 4], 1, 3]), 13),
        (json!(["#list_flatten", [1, [2, [3, 4]], []]]), 14),
        (json!(["#list_string_sort", ["b", "c", "a"]]), 29),
        (json!(["#list_distinct", [1, 2]]), 19),
    ]);
}

#[test]
fn regexes() {
    check(&[
        (json!(["#string_find_string", "abc 123", "[0-9]+"]), "'123'"),
        (json!(["#string_find_string", "abc 123", "xyz"]), "''"),
        (json!(["#string_find_all_string", "123 abc 456", "[0-9]+"]), "['123', '456']"),
        (json!(["#string_find_all_string", "ab", "x*"]), "['', '', '']"),
        (json!(["#string_find_all_string_int", "123 abc 456", "[0-9]+", 1]), "['123']"),
        (json!(["#string_find_all_string_int", "123 abc 456", "[0-9]+", 0]), "[]"),
        (json!(["#string_find_all_string_int", "123 abc 456", "[0-9]+", -1]), "['123', '456']"),
        (json!(["#string_find_all_string", "éa é", "é"]), "['é', 'é']"),
    ]);
    check_cost(&[(json!(["#string_find_string", "abc 123 def 123", "123"]), 2)]);
}

#[test]
fn urls() {
    let url = json!(["#string_to_url", "https://user:pass@example.com:80/a b?k=1&k=2&j=#fragment"]);
    check(&[
        (url.clone(), "kubernetes.URL"),
        (json!(["#url_get_scheme", url]), "'https'"),
        (json!(["#url_get_host", url]), "'example.com:80'"),
        (json!(["#url_get_hostname", url]), "'example.com'"),
        (json!(["#url_get_port", url]), "'80'"),
        (json!(["#url_get_escaped_path", url]), "'/a%20b'"),
        (json!(["#url_get_query", url]), "{'j': [''], 'k': ['1', '2']}"),
        (json!(["#is_url_string", "/a"]), "true"),
        (json!(["#is_url_string", "../a"]), "false"),
        (
            json!(["#string_to_url", "../a"]),
            "error: URL parse error during conversion from string: parse \"../a\": invalid URI for request",
        ),
    ]);
    check_cost(&[(json!(["#string_to_url", "https:://kubernetes.io/"]), 3)]);
}

#[test]
fn quantities() {
    let quantity = |text: &str| json!(["#string_to_quantity", text]);
    check(&[
        (quantity("1.5Gi"), "kubernetes.Quantity"),
        (quantity("10K"), "error: unable to parse quantity's suffix"),
        (quantity("Ei"), "error: unable to parse numeric part of quantity"),
        (json!(["#is_quantity_string", "1.3Gi"]), "true"),
        (json!(["#is_quantity_string", "200K"]), "false"),
        (json!(["#quantity_sign", quantity("-1")]), "-1"),
        (json!(["#quantity_is_greater_than", quantity("150Mi"), quantity("100Mi")]), "true"),
        (json!(["#quantity_is_less_than", quantity("50M"), quantity("50Mi")]), "true"),
        (json!(["#quantity_compare_to", quantity("200M"), quantity("0.2G")]), "0"),
        (json!(["#quantity_get_float", quantity("50.703k")]), "50703.0"),
        (json!(["#quantity_get_int", quantity("50k")]), "50000"),
        (json!(["#quantity_get_int", quantity("1.5")]), "error: cannot convert value to integer"),
        (json!(["#quantity_is_integer", quantity("1.5")]), "false"),
        (json!(["#quantity_get_int", ["#quantity_add", quantity("50k"), quantity("20")]]), "50020"),
        (
            json!([
                "#quantity_get_int",
                ["#quantity_sub_int", ["#quantity_add_int", quantity("50k"), 20], 50000]
            ]),
            "20",
        ),
        (json!(["#quantity_get_int", ["#quantity_sub", quantity("50k"), quantity("20k")]]), "30000"),
    ]);
    check_cost(&[(quantity("12Mi"), 1), (json!(["#quantity_sign", quantity("-1")]), 1)]);
}

#[test]
fn networks() {
    let ip = |text: &str| json!(["#string_to_ip", text]);
    let cidr = |text: &str| json!(["#string_to_cidr", text]);
    check(&[
        (ip("::1"), "net.IP"),
        (
            ip("1"),
            "error: IP Address \"1\" parse error during conversion from string: ParseAddr(\"1\"): unable to parse IP",
        ),
        (json!(["#is_ip", "127.0.0.256"]), "false"),
        (json!(["#ip_is_canonical", "2001:DB8::ABCD"]), "false"),
        (json!(["#ip_is_canonical", "2001:db8::abcd"]), "true"),
        (json!(["#ip_family", ip("127.0.0.1")]), "4"),
        (json!(["#ip_is_unspecified", ip("::")]), "true"),
        (json!(["#ip_is_loopback", ip("::1")]), "true"),
        (json!(["#ip_is_link_local_multicast", ip("ff02::1")]), "true"),
        (json!(["#ip_is_link_local_unicast", ip("fe80::1")]), "true"),
        (json!(["#ip_is_global_unicast", ip("ff00::1")]), "false"),
        (json!(["#ip_to_string", ip("2001:DB8::0")]), "'2001:db8::'"),
        (cidr("10.0.0.0/8"), "net.CIDR"),
        (
            cidr("10.0.0.0"),
            "error: network address parse error during conversion from string: network address parse error during \
             conversion from string: netip.ParsePrefix(\"10.0.0.0\"): no '/'",
        ),
        (json!(["#is_cidr", "::1/128"]), "true"),
        (json!(["#cidr_contains_ip_string", cidr("192.168.0.0/24"), "192.168.0.1"]), "true"),
        (json!(["#cidr_contains_ip_ip", cidr("192.168.0.0/24"), ip("192.168.1.1")]), "false"),
        (json!(["#cidr_contains_cidr_string", cidr("192.168.0.0/16"), "192.168.10.0/24"]), "true"),
        (json!(["#cidr_contains_cidr", cidr("192.168.0.0/16"), cidr("192.0.0.0/8")]), "false"),
        (json!(["#cidr_to_string", ["#cidr_masked", cidr("192.168.0.1/24")]]), "'192.168.0.0/24'"),
        (json!(["#ip_to_string", ["#cidr_ip", cidr("192.168.0.1/24")]]), "'192.168.0.1'"),
        (json!(["#cidr_prefix_length", cidr("::1/128")]), "128"),
    ]);
    check_cost(&[
        (ip("192.168.0.1"), 2),
        (ip("2001:db8:3333:4444:5555:6666:7777:8888"), 4),
        (json!(["#ip_is_canonical", "192.168.0.1"]), 3),
        (json!(["#cidr_contains_ip_ip", cidr("192.168.0.0/16"), ip("192.0.0.1")]), 1),
        (json!(["#cidr_contains_ip_string", cidr("192.168.0.0/16"), "192.0.0.1"]), 2),
        (json!(["#cidr_contains_cidr", cidr("192.168.0.0/16"), cidr("192.0.0.0/30")]), 3),
        (json!(["#cidr_contains_cidr_string", cidr("192.168.0.0/16"), "192.0.0.0/30"]), 5),
    ]);
}

#[test]
fn versions() {
    let semver = |text: &str| json!(["#string_to_semver", text]);
    check(&[
        (semver("1.2.3-rc.1"), "kubernetes.Semver"),
        (semver("v1.0"), "error: No Major.Minor.Patch elements found"),
        (json!(["#semver_minor", ["#string_bool_to_semver", "v1.07", true]]), "7"),
        (json!(["#is_semver_string", "v1.0"]), "false"),
        (json!(["#is_semver_string_bool", "v1.0", true]), "true"),
        (json!(["#semver_major", semver("1.2.3")]), "1"),
        (json!(["#semver_patch", semver("1.2.3")]), "3"),
        (json!(["#semver_compare_to", semver("1.2.3"), semver("2.0.0")]), "-1"),
        (json!(["#semver_is_greater_than", semver("1.2.3"), semver("1.2.3-a")]), "true"),
        (json!(["#semver_is_less_than", semver("1.2.3"), semver("1.2.3+a")]), "false"),
    ]);
}

#[test]
fn formats() {
    let named = |name: &str| json!(["#optional_value", ["#format-named", name]]);
    check(&[
        (json!(["#format-named", "nothing"]), "none"),
        (json!(["#format-named", "uri"]), "optional(kubernetes.NamedFormat)"),
        (json!(["#format-validate", ["#format.dns1123Label"], "a.b"]), "optional(['must not contain dots'])"),
        (json!(["#format-validate", named("uuid"), "a"]), "optional(['does not match the UUID format'])"),
        (json!(["#format-validate", named("date"), "2021-01-01"]), "none"),
    ]);
}

#[test]
fn optionals() {
    let of = |value: Json| json!(["#optional_of", value]);
    let none = json!(["#optional_none"]);
    check(&[
        (of(json!(1)), "optional(1)"),
        (of(none.clone()), "optional(none)"),
        (json!(["#optional_ofNonZeroValue", 0]), "none"),
        (json!(["#optional_ofNonZeroValue", ""]), "none"),
        (json!(["#optional_ofNonZeroValue", {}]), "none"),
        (json!(["#optional_ofNonZeroValue", [0]]), "optional([0])"),
        (json!(["#optional_value", of(json!("a"))]), "'a'"),
        (json!(["#optional_value", none]), "error: optional.none() dereference"),
        (json!(["#optional_hasValue", none]), "false"),
        (json!(["#optional_or_optional", none, of(json!(2))]), "optional(2)"),
        (json!(["#optional_or_optional", of(json!(1)), of(json!(2))]), "optional(1)"),
        (json!(["#optional_orValue_value", none, 2]), "2"),
        (json!(["#optional_unwrap", [of(json!(1)), none, of(json!(3))]]), "[1, 3]"),
        (json!(["#optional_unwrapOpt", []]), "[]"),
        (json!(["#list_first", [1, 2]]), "optional(1)"),
        (json!(["#list_last", [1, 2]]), "optional(2)"),
        (json!(["#list_last", []]), "none"),
    ]);
}

#[test]
fn sets() {
    check(&[
        (json!(["#sets_contains_list_list", [1, 2, 3, 4], [2, 3.0]]), "true"),
        (json!(["#sets_contains_list_list", [], [1]]), "false"),
        (json!(["#sets_equivalent_list_list", [1], [1, 1]]), "true"),
        (json!(["#sets_equivalent_list_list", [1, 2], [1]]), "false"),
        (json!(["#sets_intersects_list_list", [[1], [2, 3]], [[1, 2], [2, 3.0]]]), "true"),
        (json!(["#sets_intersects_list_list", [1], []]), "false"),
        (
            json!(["#sets_contains_list_list", ["#lists_range", 10_000], ["#lists_range", 10_000]]),
            "error: operation cancelled: actual cost limit exceeded",
        ),
    ]);
    check_cost(&[
        (json!(["#sets_contains_list_list", [], []]), 1),
        (json!(["#sets_contains_list_list", [1, 2, 3, 4], [2, 3]]), 9),
        (json!(["#sets_equivalent_list_list", [1, 2, 3], [3, 2, 1]]), 19),
        (json!(["#sets_intersects_list_list", [1], [1, 1]]), 3),
    ]);
}

#[test]
fn costs_are_estimated() {
    let ten = Some(Size::exactly(10));
    let strings = Type::list(Type::String);
    let operand = |kind, size, items| Operand { kind, size, items, literal: None };
    for (id, operands, expected, size) in [
        ("string_to_ip", vec![operand(&Type::String, ten, None)], Size::exactly(1), None),
        (
            "ip_is_canonical",
            vec![operand(&Type::String, Some(Size::exactly(39)), None)],
            Size::exactly(8),
            None,
        ),
        (
            "string_trim",
            vec![operand(&Type::String, Some(Size::exactly(19)), None)],
            Size::exactly(2),
            Some(Size::exactly(19)),
        ),
        (
            "list_join_string",
            vec![
                operand(&strings, ten, Some(Size::new(0, 12))),
                operand(&Type::String, Some(Size::exactly(1)), None),
            ],
            Size::new(1, 13),
            Some(Size::new(9, 129)),
        ),
        (
            "list_string_max_string",
            vec![operand(&strings, Some(Size::exactly(5)), Some(Size::new(0, 12)))],
            Size::new(5, 15),
            None,
        ),
        (
            "string_index_of_string",
            vec![operand(&Type::String, Some(Size::exactly(50)), None)],
            Size::exactly(5),
            None,
        ),
        (
            "string_find_string",
            vec![
                operand(&Type::String, Some(Size::exactly(15)), None),
                operand(&Type::String, Some(Size::exactly(3)), None),
            ],
            Size::exactly(2),
            Some(Size::new(0, 15)),
        ),
        ("cidr_contains_ip_ip", vec![], Size::new(1, 4), None),
        ("cidr_contains_cidr", vec![], Size::new(3, 7), None),
        (
            "sets_equivalent_list_list",
            vec![operand(&strings, ten, None), operand(&strings, ten, None)],
            Size::exactly(201),
            None,
        ),
        (
            "list_string_sort",
            vec![operand(&strings, ten, None)],
            Size::exactly(221),
            Some(Size::exactly(100)),
        ),
        ("list_reverse", vec![operand(&strings, None, None)], Size::new(11, u64::MAX), Some(Size::UNKNOWN)),
        (
            "format-validate",
            vec![operand(&Type::Dyn, None, None), operand(&Type::String, ten, None)],
            Size::exactly(32),
            None,
        ),
    ] {
        let Price::By { estimate, .. } = overload(id).price else { panic!("{id}") };
        assert_eq!(estimate(&operands), (expected, size), "{id}");
    }
}
