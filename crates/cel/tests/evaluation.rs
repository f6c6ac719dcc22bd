//! The values of expressions, by the areas of the language's own conformance tests.

mod common;

use common::run;

#[track_caller]
fn check_all(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(run(text), *expected, "{text}");
    }
}

#[test]
fn literals_mean_themselves() {
    check_all(&[
        ("0", "0"),
        ("-1", "-1"),
        ("--1", "1"),
        ("---1", "-1"),
        ("0x1F", "31"),
        ("-0xf", "-15"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("42u", "42u"),
        ("0xFFU", "255u"),
        ("1.5", "1.5"),
        (".5", "0.5"),
        ("1e3", "1000.0"),
        ("-2.5e-1", "-0.25"),
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("''", "''"),
        ("\"a\"", "'a'"),
        ("'a\\'b'", "'a'b'"),
        ("'''a'b'''", "'a'b'"),
        ("\"\"\"a\"b\"\"\"", "'a\"b'"),
        ("'''a\nb'''", "'a\nb'"),
        ("r'a\\n'", "'a\\n'"),
        ("'\\x41\\u00e4\\U0001F600\\101'", "'Aä😀A'"),
        ("'\\a\\b\\f\\v\\?\\`'", "'\u{7}\u{8}\u{c}\u{b}?`'"),
        ("b'abc'", "b'abc'"),
        ("b'\\x41\\102'", "b'AB'"),
        ("bR'\\x'", "b'\\x'"),
        ("[]", "[]"),
        ("[dyn(1), 'a']", "[1, 'a']"),
        ("{}", "{}"),
        ("{'b': 1, 'a': 2,}", "{'a': 2, 'b': 1}"),
        ("{1: 'a', 2: 'b'}[2]", "'b'"),
        ("// a comment\n1 + // another\n 1", "2"),
        ("((((1))))", "1"),
    ]);
}

#[test]
fn arithmetic() {
    check_all(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 3 - 2", "5"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("7 % 3", "1"),
        ("-7 % 3", "-1"),
        ("7u % 4u", "3u"),
        ("1.0 / 0.0", "inf"),
        ("1.5 * 2.0", "3.0"),
        ("-(1.5)", "-1.5"),
        ("1 / 0", "error: division by zero"),
        ("1u / 0u", "error: division by zero"),
        ("1 % 0", "error: modulus by zero"),
        ("9223372036854775807 + 1", "error: integer overflow"),
        ("-9223372036854775808 - 1", "error: integer overflow"),
        ("9223372036854775807 * 2", "error: integer overflow"),
        ("-9223372036854775808 / -1", "error: integer overflow"),
        ("-(-9223372036854775808)", "error: integer overflow"),
        ("18446744073709551615u + 1u", "error: unsigned integer overflow"),
        ("0u - 1u", "error: unsigned integer overflow"),
        ("'a' + 'b'", "'ab'"),
        ("b'a' + b'b'", "b'ab'"),
        ("[1] + [2, 3]", "[1, 2, 3]"),
        ("x + 1", "6"),
        ("dyn(1) + 'a'", "error: no such overload"),
        ("dyn('a') + dyn('b')", "'ab'"),
    ]);
}

#[test]
fn comparisons() {
    check_all(&[
        ("1 == 1", "true"),
        ("1 != 1", "false"),
        ("dyn(1) == 1.0", "true"),
        ("dyn(1) == 1u", "true"),
        ("dyn(1u) == 1.5", "false"),
        ("dyn(1) == '1'", "false"),
        ("null == null", "true"),
        ("dyn(null) == 1", "false"),
        ("1 < 2.5", "true"),
        ("2u > 1", "true"),
        ("1.0 <= 1", "true"),
        ("1 < 1u", "false"),
        ("'a' < 'b'", "true"),
        ("'Z' < 'a'", "true"),
        ("b'a' < b'b'", "true"),
        ("false < true", "true"),
        ("0.0 / 0.0 == 0.0 / 0.0", "false"),
        ("0.0 / 0.0 < 1.0", "false"),
        ("[1, 2] == [1, 2]", "true"),
        ("[1, 2] == [2, 1]", "false"),
        ("[1] == [1, 2]", "false"),
        ("{'a': 1} == {'a': 1}", "true"),
        ("{'a': 1} == {'b': 1}", "false"),
        ("{'a': 1, 'b': 2} != {'b': 2, 'a': 1}", "false"),
        ("type(1) == int", "true"),
        ("type('a') == type('b')", "true"),
        ("type(1u) == uint", "true"),
        ("type([1]) == list", "true"),
        ("type({}) == map", "true"),
        ("type(null) == null_type", "true"),
        ("type(int) == type", "true"),
        ("type(duration('1s')) == google.protobuf.Duration", "true"),
        ("type(timestamp(0)) == google.protobuf.Timestamp", "true"),
        ("1 in [1, 2]", "true"),
        ("dyn(1.0) in [1, 2]", "true"),
        ("3 in [1, 2]", "false"),
        ("'a' in {'a': 1}", "true"),
        ("'b' in {'a': 1}", "false"),
        ("!(1 in [])", "true"),
    ]);
}

#[test]
fn the_side_that_decides_counts() {
    check_all(&[
        ("true && false", "false"),
        ("true || false", "true"),
        ("!true", "false"),
        ("!!true", "true"),
        ("false && 1 / 0 > 0", "false"),
        ("1 / 0 > 0 && false", "false"),
        ("true || 1 / 0 > 0", "true"),
        ("1 / 0 > 0 || true", "true"),
        ("1 / 0 > 0 && true", "error: division by zero"),
        ("1 / 0 > 0 || 1 % 0 > 0", "error: division by zero"),
        ("true ? 1 : 1 / 0", "1"),
        ("false ? 1 / 0 : 2", "2"),
        ("1 / 0 > 0 ? 1 : 2", "error: division by zero"),
        ("dyn(1) ? 1 : 2", "error: no such overload"),
        ("dyn(1) && true", "error: no such overload"),
        ("dyn('a') || true", "true"),
        ("true ? (false ? 1 : 2) : 3", "2"),
        ("false || false || true || false || false", "true"),
        ("true && true && true && false && true", "false"),
    ]);
}

#[test]
fn strings_and_bytes() {
    check_all(&[
        ("size('äö')", "2"),
        ("'äö'.size()", "2"),
        ("size(b'\\xc3\\xa4')", "2"),
        ("size([1, 2, 3])", "3"),
        ("{'a': 1}.size()", "1"),
        ("'hello'.contains('ell')", "true"),
        ("'hello'.contains('')", "true"),
        ("'hello'.startsWith('he')", "true"),
        ("'hello'.endsWith('he')", "false"),
        ("'hello'.matches('l+')", "true"),
        ("'hello'.matches('^l+$')", "false"),
        ("matches('hello', '^h.*o$')", "true"),
        ("'a'.matches(dyn('['))", "error: error parsing regexp: `[`"),
    ]);
}

#[test]
fn conversions() {
    check_all(&[
        ("int('42')", "42"),
        ("int(4.9)", "4"),
        ("int(-4.9)", "-4"),
        ("int(5u)", "5"),
        ("int(timestamp('1970-01-01T00:01:00Z'))", "60"),
        ("int(double(i) * 1e19)", "error: integer overflow"),
        ("int(dyn(1e19))", "fault: integer overflow"),
        ("int(uint(i) + 18446744073709551600u)", "error: integer overflow"),
        ("int(self.name)", "error: type conversion error from 'string' to 'int'"),
        ("int('x')", "fault: type conversion error from 'string' to 'int'"),
        ("uint(5)", "5u"),
        ("uint('7')", "7u"),
        ("uint(i - 4)", "error: unsigned integer overflow"),
        ("double('1.5')", "1.5"),
        ("double('+.5e1')", "5.0"),
        ("double('-Infinity') == -double('inf')", "true"),
        ("double('NaN') == double('NaN')", "false"),
        ("double('-nan')", "fault: type conversion error from 'string' to 'double'"),
        ("double('1e999')", "fault: type conversion error from 'string' to 'double'"),
        ("double('0x1')", "fault: type conversion error from 'string' to 'double'"),
        ("double(2)", "2.0"),
        ("string(1)", "'1'"),
        ("string(1u)", "'1'"),
        ("string(1.5)", "'1.5'"),
        ("string(100000.0)", "'100000'"),
        ("string(1000000.0)", "'1e+06'"),
        ("string(0.00001)", "'1e-05'"),
        ("string(-0.25)", "'-0.25'"),
        ("string(true)", "'true'"),
        ("string(b'abc')", "'abc'"),
        ("string(b'\\xff' + b'')", "error: invalid UTF-8 in bytes, cannot convert to string"),
        ("string(duration('90s'))", "'90s'"),
        ("string(duration('1.5s'))", "'1.5s'"),
        ("string(timestamp('2024-02-29T12:00:00+01:00'))", "'2024-02-29T11:00:00Z'"),
        ("bytes('ä').size()", "2"),
        ("bool('true')", "true"),
        ("bool('F')", "false"),
        ("dyn([1])", "[1]"),
        ("string(dyn([1]))", "fault: type conversion error from 'list' to 'string'"),
        ("string(dyn([i]))", "error: no such overload"),
    ]);
}

#[test]
fn times_and_durations() {
    check_all(&[
        ("timestamp('2024-02-29T12:30:45.123456789Z')", "2024-02-29T12:30:45.123456789Z"),
        ("timestamp(1709209845)", "2024-02-29T12:30:45Z"),
        ("timestamp('2024-02-29T12:30:45Z').getFullYear()", "2024"),
        ("timestamp('2024-02-29T12:30:45Z').getMonth()", "1"),
        ("timestamp('2024-02-29T12:30:45Z').getDate()", "29"),
        ("timestamp('2024-02-29T12:30:45Z').getDayOfMonth()", "28"),
        ("timestamp('2024-02-29T12:30:45Z').getDayOfYear()", "59"),
        ("timestamp('2024-02-29T12:30:45Z').getDayOfWeek()", "4"),
        ("timestamp('2024-02-29T12:30:45Z').getHours()", "12"),
        ("timestamp('2024-02-29T12:30:45Z').getHours('-08:00')", "4"),
        ("timestamp('2024-02-29T23:30:45Z').getDate('+01:00')", "1"),
        ("timestamp('2024-02-29T12:30:45Z').getMinutes('UTC')", "30"),
        ("timestamp('2024-02-29T12:30:45Z').getSeconds()", "45"),
        ("timestamp('2024-02-29T12:30:45.5Z').getMilliseconds()", "500"),
        ("timestamp(0).getHours('Nowhere/City')", "error: unknown time zone Nowhere/City"),
        ("timestamp('0001-01-01T00:00:00Z') - duration('1s')", "error: timestamp overflow"),
        ("timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"),
        ("timestamp(60) - timestamp(0)", "60s"),
        ("timestamp(0) + duration('1h')", "1970-01-01T01:00:00Z"),
        ("duration('1h') + timestamp(0)", "1970-01-01T01:00:00Z"),
        ("timestamp(0) < timestamp(1)", "true"),
        ("duration('1h30m')", "5400s"),
        ("duration('-1.5s')", "-1.5s"),
        ("duration('100ms') + duration('1us')", "0.100001s"),
        ("duration('1h') - duration('2h')", "-3600s"),
        ("duration('90m').getHours()", "1"),
        ("duration('90m').getMinutes()", "90"),
        ("duration('90m').getSeconds()", "5400"),
        ("duration('1s').getMilliseconds()", "1000"),
        ("duration('1m') > duration('59s')", "true"),
        ("duration('9223372036s') + duration('9223372036s')", "error: duration overflow"),
    ]);
}

#[test]
fn macros() {
    check_all(&[
        ("[1, 2, 3].all(x, x > 0)", "true"),
        ("[1, 2, 3].all(x, x > 1)", "false"),
        ("[].all(x, x > 1)", "true"),
        ("[1, 0].all(x, 1 / x > 0)", "error: division by zero"),
        ("[0, -1].all(x, 1 / x > 0)", "false"),
        ("[1, 2, 3].exists(x, x == 2)", "true"),
        ("[].exists(x, x == 2)", "false"),
        ("[0, 1].exists(x, 1 / x > 0)", "true"),
        ("[0, 1].exists(x, 1 / x > 1)", "error: division by zero"),
        ("[1, 2, 2].exists_one(x, x == 2)", "false"),
        ("[1, 2, 3].exists_one(x, x == 2)", "true"),
        ("[1, 2, 3].existsOne(x, x > 5)", "false"),
        ("[1, 2, 3].map(x, x * 2)", "[2, 4, 6]"),
        ("[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"),
        ("[1, 2, 3].filter(x, x % 2 == 1)", "[1, 3]"),
        ("[[1, 2], [3]].map(l, l.map(x, x + size(l)))", "[[3, 4], [4]]"),
        ("{'a': 1, 'b': 2}.all(k, k < 'c')", "true"),
        ("{'b': 2, 'a': 1}.map(k, k)", "['a', 'b']"),
        ("{'a': 1}.exists(k, k == 'a')", "true"),
        ("[1, 2].all(i, v, v == i + 1)", "true"),
        ("{'a': 1}.all(k, v, k == 'a' && v == 1)", "true"),
        ("[5, 6].exists(i, v, i == 1 && v == 6)", "true"),
        ("[5, 6].existsOne(i, v, v > 4)", "false"),
        ("[5, 6].transformList(i, v, i * 10 + v)", "[5, 16]"),
        ("[5, 6].transformList(i, v, i > 0, v)", "[6]"),
        ("{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}"),
        ("[4, 5].transformMap(i, v, v > 4, v)", "{1: 5}"),
        ("{'a': 'b'}.transformMapEntry(k, v, {v: k})", "{'b': 'a'}"),
        ("cel.bind(v, 2, v * v)", "4"),
        ("cel.bind(v, 1 / 0, true)", "true"),
        ("cel.bind(v, 1 / 0, v > 0)", "error: division by zero"),
        ("cel.bind(v, 2, [1].map(x, x + v))", "[3]"),
        ("[1].all(x, [2].all(y, x < y))", "true"),
        ("dyn([1, 2]).all(x, x > 0)", "true"),
        ("dyn(1).all(x, x > 0)", "error: got 'int', expected iterable type"),
        ("has({'a': 1}.a)", "true"),
        ("has({'a': 1}.b)", "false"),
        ("has(dyn(1).b)", "false"),
    ]);
}

#[test]
fn optionals() {
    check_all(&[
        ("{'a': 1}.?a", "some(1)"),
        ("{'a': 1}.?b", "none"),
        ("{'a': {'b': 2}}.?a.?b", "some(2)"),
        ("{'a': {'b': 2}}.?a.b", "some(2)"),
        ("{'a': {'b': 2}}.?a.c", "none"),
        ("{'a': {'b': 2}}.?c.b", "none"),
        ("{'a': 1}[?'a']", "some(1)"),
        ("[1, 2][?1]", "some(2)"),
        ("[1, 2][?5]", "none"),
        ("[[1]][?0][0]", "some(1)"),
        ("[1, ?{'a': 2}.?a, ?{'a': 2}.?b]", "[1, 2]"),
        ("{'k': 1, ?'a': {'a': 2}.?a, ?'b': {'a': 2}.?b}", "{'a': 2, 'k': 1}"),
        ("has({'a': {'b': 2}}.?a.b)", "true"),
        ("has({'a': {'b': 2}}.?a.c)", "false"),
        ("self.?name", "some('abc')"),
        ("self.map.?z", "none"),
        ("type({}.?a) == optional_type", "true"),
    ]);
}

#[test]
fn objects_by_what_is_declared() {
    check_all(&[
        ("self.a + self.b", "3"),
        ("self.f", "1.5"),
        ("self.name.startsWith('a')", "true"),
        ("size(self.text)", "2"),
        ("self.a__dash__b__slash__c__dot__d", "7"),
        ("self.__namespace__", "'ns'"),
        ("self.namespace", "'ns'"),
        ("has(self.namespace)", "true"),
        ("type(self.io) == int ? self.io > 0 : self.io.endsWith('%')", "true"),
        ("self.time.getFullYear()", "2024"),
        ("self.date < self.time", "true"),
        ("self.span > duration('1m')", "true"),
        ("self.data", "b'abc'"),
        ("self.list.all(v, v > 0)", "true"),
        ("self.list[1]", "2"),
        ("self.list[3]", "error: index out of bounds: 3"),
        ("self.list[-1]", "error: index out of bounds: -1"),
        ("self.list[i]", "error: index out of bounds: 3"),
        ("self.map['k']", "'v'"),
        ("self.map.k", "'v'"),
        ("self.map.z", "error: no such key: z"),
        ("self.map['z']", "error: no such key: z"),
        ("'k' in self.map", "true"),
        ("self.map.all(k, self.map[k] != 'bad')", "true"),
        ("self.ports.all(p, p.port > 0 && p.name != '')", "true"),
        ("self.ports.exists(p, p.name == 'b')", "true"),
        ("has(self.a)", "true"),
        ("has(self.map.k)", "true"),
        ("has(self.map.z)", "false"),
        ("self.set == self.other", "true"),
        ("self.list == self.other", "false"),
        ("self.set + self.other", "[1, 2, 3]"),
        ("self.set + self.list.map(v, v + 1)", "[1, 2, 3, 2, 3, 4]"),
        ("dyn(self.ports) == dyn(self.more)", "true"),
        ("size(dyn(self.ports) + dyn(self.more))", "2"),
        ("self == self", "true"),
        (
            "self.nothing == null",
            "ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, null)'\n | self.nothing == null\n | .............^",
        ),
        ("dyn(self.nothing) == null", "true"),
        ("self.any.x[1]", "'y'"),
        ("self.any.x[0] + 1", "2"),
        ("self.any.x[3] == null", "true"),
        ("self.any.y", "error: no such key: y"),
        ("has(self.any.x)", "true"),
    ]);
}

#[test]
fn what_is_missing_is_an_error() {
    use cel::{Budget, Env};
    use json_tree::json;
    let declared = std::sync::Arc::new(common::declared());
    let object = json!({"a": 1, "time": "never", "span": 5, "list": "x"});
    let value = declared.value(&object).expect("an object");
    for (text, expected) in [
        ("self.b > 1", "no such key: b"),
        ("!has(self.b) || self.b > 1", ""),
        ("has(self.b) && self.b > 1", ""),
        ("self.time > self.time", "Invalid date-time formatted string never"),
        ("self.span > self.span", "invalid data, expected string, got int64"),
        ("self.list == []", "invalid data, expected an array for schema with type=array"),
    ] {
        let program = Env::new().declared("self", declared.clone()).compile(text).expect(text);
        let variables = [value.clone()];
        let outcome = program.eval(&variables, &mut Budget::default());
        assert_eq!(outcome.err().map(|error| error.to_string()).unwrap_or_default(), expected, "{text}");
    }
}
