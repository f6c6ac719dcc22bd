//! The libraries as expressions use them: what comes out, and what it costs.

use crate::{Budget, Env, Value, function::Size};

/// `true`, another value, or what is wrong.
fn result(text: &str) -> String {
    let program = match Env::new().compile(text) {
        Ok(program) => program,
        Err(issues) => return issues.to_text(text).lines().next().unwrap_or_default().to_owned(),
    };
    match program.eval(&[], &mut Budget::new(1_000_000)) {
        Ok(Value::Bool(value)) => value.to_string(),
        Ok(value) => super::tests::show(&value),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn expressions_are_true() {
    let mut wrong = Vec::new();
    for text in [
        // strings
        "'tacocat'.charAt(3) == 'o' && 'tacocat'.indexOf('a', 3) == 5 && 'tacocat'.lastIndexOf('a', 4) == 1",
        "'TacoCÆt'.lowerAscii() == 'tacocÆt' && ' a '.trim() == 'a' && 'a-b'.replace('-', '') == 'ab'",
        "'a,b'.split(',').join('+') == 'a+b' && 'tacocat'.substring(4) == 'cat'",
        "'%s has %d of %.1f%%'.format([dyn('a'), dyn(2), dyn(99.5)]) == 'a has 2 of 99.5%'",
        "strings.quote('a\"b') == '\"a\\\\\"b\"'",
        // lists
        "[1, 2, 3].isSorted() && !['b', 'a'].isSorted() && [1, 3].sum() == 4 && [1.0, 2.5].max() == 2.5",
        "[duration('1m'), duration('1s')].sum() == duration('61s')",
        "['a', 'b', 'b'].lastIndexOf('b') == 2 && [timestamp('2020-01-01T00:00:00Z')].min() < timestamp('2021-01-01T00:00:00Z')",
        "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3]",
        "[3, 1, 2].sort() == [1, 2, 3] && [1, 2].reverse() == [2, 1] && lists.range(3) == [0, 1, 2]",
        "['bb', 'a', 'ccc'].sortBy(e, size(e)) == ['a', 'bb', 'ccc'] && [[2], [1]].sortBy(e, e[0]).flatten() == [1, 2]",
        "[1, 2, 2, 3, 3].distinct() == [1, 2, 3] && [1, 2].first().value() == 1 && [1, 2].last().orValue(0) == 2",
        // regex
        "'abc 123'.find('[0-9]+') == '123' && '1 a 2'.findAll('[0-9]') == ['1', '2'] && '1 2'.findAll('[0-9]', 1) == ['1']",
        // urls
        "url('https://example.com:80/path?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
        "isURL('/absolute-path') && !isURL('../relative-path') && url('https://[::1]:80/').getHostname() == '::1'",
        "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
        // quantities
        "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').sub(20000) == quantity('30k')",
        "quantity('200M').compareTo(quantity('0.2G')) == 0 && quantity('150Mi').isGreaterThan(quantity('100Mi'))",
        "isQuantity('1.3Gi') && !isQuantity('1,3G') && sign(quantity('-1')) == -1 && quantity('50k').asInteger() == 50000",
        "!quantity('9999999999999999999999999999999999999G').isInteger()",
        // addresses
        "ip('127.0.0.1').family() == 4 && ip('::1').isLoopback() && isIP('::1') && !isIP(':::1')",
        "type(ip('::1')) == net.IP && type(cidr('::1/128')) == net.CIDR",
        "ip.isCanonical('2001:db8::abcd') && string(ip('2001:DB8::ABCD')) == '2001:db8::abcd'",
        "cidr('192.168.0.0/24').containsIP('192.168.0.1') && cidr('192.168.0.0/24').containsIP(ip('192.168.0.2'))",
        "cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24')) && !cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')",
        "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24') && cidr('192.168.0.1/24').ip() == ip('192.168.0.1')",
        "string(cidr('10.0.0.1/8')) == '10.0.0.1/8' && cidr('::1/128').prefixLength() == 128 && isCIDR('::1/128')",
        // versions
        "semver('v1.0', true) == semver('1.0.0') && semver('1.2.3').isLessThan(semver('2.0.0')) && isSemver('1.0.0')",
        "semver('1.2.3').major() == 1 && semver('1.2.3').compareTo(semver('0.1.2')) == 1 && !isSemver('v1.0')",
        // formats
        "!format.dns1123Label().validate('my-name').hasValue()",
        "format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
        "format.dns1123Label().validate('a.b').orValue([]).join('\\n') == 'must not contain dots'",
        "!format.named('unknown').hasValue()",
        // optionals
        "optional.of(1).value() == 1 && !optional.none().hasValue() && optional.ofNonZeroValue('').orValue('x') == 'x'",
        "optional.none().or(optional.of(2)).value() == 2 && optional.of(1).optMap(v, v + 1).value() == 2",
        "[optional.of(1), optional.none()].unwrapOpt() == [1] && optional.unwrap([optional.of(2)]) == [2]",
        // sets
        "sets.contains([1, 2, 3, 4], [2, 3]) && sets.equivalent([1], [1, 1]) && !sets.intersects([1], [])",
    ] {
        let result = result(text);
        if result != "true" {
            wrong.push(format!("{text}\n    {result}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_goes_wrong_has_the_texts_of_the_libraries() {
    for (text, expected) in [
        ("'a'.charAt(2) == ''", "error: index out of range: 2"),
        ("[1, 2].slice(0, 3) == []", "error: cannot slice(0, 3), list is length 2"),
        ("quantity('1.5').asInteger() == 1", "error: cannot convert value to integer"),
        ("optional.none().value() == 1", "error: optional.none() dereference"),
        (
            "url('a') == url('b')",
            "error: URL parse error during conversion from string: parse \"a\": invalid URI for request",
        ),
        (
            "'%d'.format(['a'].map(x, x)) == ''",
            "error: error during formatting: decimal clause can only be used on integers, was given string",
        ),
        ("[1].sortBy(1, 2)", "ERROR: <input>:1:12: argument is not an identifier"),
        ("semver('1') == semver('2')", "error: No Major.Minor.Patch elements found"),
        (
            "quantity('1').sign() == 1",
            "ERROR: <input>:1:19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'",
        ),
    ] {
        assert_eq!(result(text), expected, "{text}");
    }
}

/// Constants are evaluated once, before the program runs, and cost nothing then.
#[test]
fn costs_are_those_of_kubernetes() {
    let mut wrong = Vec::new();
    for (text, (min, max), spent) in [
        ("[1, 2, 3, 4, 5].sum()", (15, 15), 5),
        ("[uint(1), uint(2), uint(3), uint(4), uint(5)].sum()", (20, 20), 5),
        ("[1.0, 2.0, 3.0, 4.0, 5.0].isSorted()", (15, 15), 5),
        ("[duration('1s'), duration('2s'), duration('3s')].max()", (16, 16), 3),
        ("'01234567890123456789012345678901234567890123456789'.indexOf('123')", (5, 5), 5),
        ("url('https:://kubernetes.io/').getScheme()", (4, 4), 4),
        ("ip('192.168.0.1')", (2, 2), 2),
        ("ip('2001:db8:3333:4444:5555:6666:7777:8888').family()", (5, 5), 5),
        ("ip('192.168.0.1') == ip('192.168.0.1')", (5, 5), 5),
        ("quantity('200M') == quantity('200M')", (3, 3), 3),
        ("url('https:://kubernetes.io/') == url('https:://kubernetes.io/')", (7, 9), 7),
        ("format.date() == format.date()", (3, 9), 3),
        ("ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", (8, 8), 8),
        ("cidr('192.168.0.0/16').masked()", (3, 3), 3),
        ("cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/30'))", (7, 11), 7),
        ("cidr('192.168.0.0/16').containsCIDR('192.0.0.0/30')", (7, 11), 7),
        ("cidr('192.168.0.0/16').containsIP(ip('192.0.0.1'))", (4, 7), 4),
        ("cidr('192.168.0.0/16').containsIP('192.169.0.1')", (5, 8), 5),
        ("'abc 123 def 123'.substring(5, 8)", (2, 2), 2),
        ("'  abc 123 def 123  '.trim()", (2, 2), 2),
        ("'abc 123 def 123'.find('123')", (2, 2), 2),
        ("'abc 123 def 123'.findAll('123', 1)", (2, 2), 2),
        ("isQuantity(\"20M\")", (1, 1), 1),
        ("quantity(\"50M\").isLessThan(quantity(\"50Mi\"))", (3, 3), 3),
        ("quantity(\"50k\").add(20).sub(quantity(\"100k\")).asInteger() > 0", (6, 6), 6),
        ("quantity(\"50.703k\").asApproximateFloat() > 0.0", (3, 3), 3),
        ("lists.range(3)", (14, 14), 14),
        ("[1, 2, 3, 4].slice(1, 3)", (23, 23), 13),
        ("[[1], [2]].flatten(2)", (45, 45), 15),
        ("sets.contains([], [])", (21, 21), 1),
        ("sets.contains([1, 2, 3, 4], [2, 3])", (29, 29), 9),
        ("sets.contains([[1], [2, 3]], [[2, 3]])", (53, 53), 3),
        ("!sets.contains([1], [1, 2])", (24, 24), 4),
        ("sets.equivalent([1, 2, 3], [3, 2, 1])", (39, 39), 19),
        ("sets.intersects([[1], [2, 3]], [[1, 2], [2, 3]])", (65, 65), 5),
    ] {
        let program = match Env::new().compile(text) {
            Ok(program) => program,
            Err(issues) => {
                wrong.push(issues.to_text(text));
                continue;
            }
        };
        let mut budget = Budget::new(1_000_000);
        let _ = program.eval(&[], &mut budget);
        if (program.estimate(), budget.spent()) != (Size::new(min, max), spent) {
            wrong.push(format!(
                "{text}: {:?} {}, not {min}..{max} {spent}",
                program.estimate(),
                budget.spent()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
