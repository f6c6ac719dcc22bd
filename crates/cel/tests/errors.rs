//! The errors of expressions, in cel-go's words.

mod common;

use common::env;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let issues = match env().compile(text) {
        Ok(_) => String::new(),
        Err(issues) => issues.to_text(text),
    };
    // The lines of the text and the marks below them are what the places say.
    let found: Vec<&str> = issues.lines().filter_map(|line| line.strip_prefix("ERROR: <input>:")).collect();
    assert_eq!(found, expected, "{text}\n{issues}");
}

const ANY: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

#[test]
fn the_place_is_shown() {
    let shown =
        |text: &str| env().compile(text).map_err(|issues| issues.to_text(text)).err().unwrap_or_default();
    assert_eq!(
        shown("self.a >"),
        format!(
            "ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {ANY}\n | self.a >\n | ........^"
        )
    );
    assert_eq!(shown("self.c > 1"), "ERROR: <input>:1:5: undefined field 'c'\n | self.c > 1\n | ....^");
    assert_eq!(
        shown("'ä' +\n\t'ö' == y"),
        "ERROR: <input>:2:9: undeclared reference to 'y' (in container '')\n |  'ö' == y\n | ..．.....^"
    );
}

#[test]
fn syntax() {
    check(
        "1 + +",
        &[
            &format!("1:5: Syntax error: mismatched input '+' expecting {ANY}"),
            &format!("1:6: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check(
        "in",
        &[
            &format!("1:1: Syntax error: mismatched input 'in' expecting {ANY}"),
            &format!("1:3: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check("{'a': 1}.'a'", &["1:10: Syntax error: no viable alternative at input '.'a''"]);
    check("self.", &["1:6: Syntax error: no viable alternative at input '.'"]);
    check("self.true", &["1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"]);
    check(
        "{",
        &[
            "1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check("{x}", &["1:3: Syntax error: mismatched input '}' expecting ':'"]);
    check(
        "{:x}",
        &[
            "1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
            "1:4: Syntax error: mismatched input '}' expecting ':'",
        ],
    );
    check("ind[a{b}]", &["1:8: Syntax error: mismatched input '}' expecting ':'"]);
    check(
        "-",
        &[
            "1:2: Syntax error: no viable alternative at input '-'",
            &format!("1:2: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check(
        "--",
        &[
            "1:3: Syntax error: no viable alternative at input '-'",
            &format!("1:3: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check(
        "?",
        &[
            &format!("1:1: Syntax error: mismatched input '?' expecting {ANY}"),
            &format!("1:2: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check(
        "*@a | b",
        &[
            &format!("1:1: Syntax error: extraneous input '*' expecting {ANY}"),
            "1:2: Syntax error: token recognition error at: '@'",
            "1:5: Syntax error: token recognition error at: '| '",
            "1:7: Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
    check(
        "self.a = 'test'",
        &[
            "1:8: Syntax error: token recognition error at: '= '",
            "1:10: Syntax error: extraneous input ''test'' expecting <EOF>",
        ],
    );
    check(
        "\"\\xFh\"",
        &[
            "1:1: Syntax error: token recognition error at: '\"\\xFh'",
            "1:6: Syntax error: token recognition error at: '\"'",
            &format!("1:7: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check(
        "'abc",
        &[
            "1:1: Syntax error: token recognition error at: ''abc'",
            &format!("1:5: Syntax error: mismatched input '<EOF>' expecting {ANY}"),
        ],
    );
    check("(1 + 2", &["1:7: Syntax error: missing ')' at '<EOF>'"]);
    check("size(self.name", &["1:15: Syntax error: missing ')' at '<EOF>'"]);
    check("[1, 2", &["1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"]);
    check("1 2", &["1:3: Syntax error: extraneous input '2' expecting <EOF>"]);
    check("1 2 3", &["1:3: Syntax error: mismatched input '2' expecting <EOF>"]);
    check("true ? 1", &["1:9: Syntax error: mismatched input '<EOF>' expecting ':'"]);
    check("....", &["1:2: Syntax error: no viable alternative at input '..'"]);
    check("", &[&format!("1:0: Syntax error: mismatched input '<EOF>' expecting {ANY}")]);
    check("{1:305 2:569}", &["1:8: Syntax error: mismatched input '2' expecting {'}', ','}"]);
}

#[test]
fn literals_and_words() {
    check("0xFFFFFFFFFFFFFFFFF", &["1:1: invalid int literal"]);
    check("0xFFFFFFFFFFFFFFFFFu", &["1:1: invalid uint literal"]);
    check("1.99e90000009", &["1:1: invalid double literal"]);
    check("9223372036854775808", &["1:1: invalid int literal"]);
    check("while", &["1:1: reserved identifier: while"]);
    check(
        "[1, 2, 3].map(var, var * var)",
        &[
            "1:15: reserved identifier: var",
            "1:15: argument is not an identifier",
            "1:20: reserved identifier: var",
            "1:26: reserved identifier: var",
        ],
    );
    check("has(x)", &["1:5: invalid argument to has() macro"]);
    check("[1].all(x.y, true)", &["1:10: argument must be a simple name"]);
    check("[1].all(i, i, true)", &["1:8: duplicate variable name: i"]);
    check("duration('x') > duration('1s')", &["1:10: invalid duration argument"]);
    check("timestamp('2024') > self.time", &["1:11: invalid timestamp argument"]);
    check("self.name.matches('[')", &["1:19: invalid matches argument"]);
}

#[test]
fn types() {
    for (text, expected) in [
        ("self.a == 'x'", "1:8: found no matching overload for '_==_' applied to '(int, string)'"),
        ("object.a > 1", "1:1: undeclared reference to 'object' (in container '')"),
        ("self.c", "1:5: undefined field 'c'"),
        ("self.undeclared", "1:5: undefined field 'undeclared'"),
        ("has(self.c)", "1:4: undefined field 'c'"),
        ("self.a.b", "1:7: type 'int' does not support field selection"),
        ("self.a && true", "1:5: expected type 'bool' but found 'int'"),
        ("self.a ? 1 : 2", "1:8: found no matching overload for '_?_:_' applied to '(int, int, int)'"),
        ("true ? 1 : 'a'", "1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"),
        ("self.a + 'x'", "1:8: found no matching overload for '_+_' applied to '(int, string)'"),
        ("1 + 1.0", "1:3: found no matching overload for '_+_' applied to '(int, double)'"),
        ("!self.a", "1:1: found no matching overload for '!_' applied to '(int)'"),
        ("-self.name", "1:1: found no matching overload for '-_' applied to '(string)'"),
        (
            "self.a.startsWith('a')",
            "1:18: found no matching overload for 'startsWith' applied to 'int.(string)'",
        ),
        ("size(1)", "1:5: found no matching overload for 'size' applied to '(int)'"),
        ("self.name.nope()", "1:15: undeclared reference to 'nope' (in container '')"),
        ("nope(1)", "1:5: undeclared reference to 'nope' (in container '')"),
        ("self.a in ['x']", "1:8: found no matching overload for '@in' applied to '(int, list(string))'"),
        ("self.list['a']", "1:10: found no matching overload for '_[_]' applied to '(list(int), string)'"),
        ("self.map[1]", "1:9: found no matching overload for '_[_]' applied to '(map(string, string), int)'"),
        (
            "self.a.all(v, v > 0)",
            "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("self.list.all(v, v)", "1:18: expected type 'bool' but found 'int'"),
        ("[1].map(v, v)[0] == 'x'", "1:18: found no matching overload for '_==_' applied to '(int, string)'"),
        ("{'a': 1}.a == 'x'", "1:12: found no matching overload for '_==_' applied to '(int, string)'"),
        ("{1: 2, 'a': 3}", "1:8: expected type 'int' but found 'string'"),
        ("self == 1", "1:6: found no matching overload for '_==_' applied to '(self, int)'"),
        ("self.ports[0].nope", "1:14: undefined field 'nope'"),
        ("type(1) == 1", "1:9: found no matching overload for '_==_' applied to '(type(int), int)'"),
        ("Foo{a: 1}", "1:4: undeclared reference to 'Foo' (in container '')"),
        ("[?1]", "1:3: expected type 'optional_type(int)' but found 'int'"),
        ("self.?a == 1", "1:9: found no matching overload for '_==_' applied to '(optional_type(int), int)'"),
    ] {
        // Where the field of a chain is wrong the place is that of its dot.
        let issues = env().compile(text).err().map(|issues| issues.to_text(text)).unwrap_or_default();
        let first = issues.lines().next().unwrap_or_default();
        assert_eq!(first.strip_prefix("ERROR: <input>:"), Some(expected), "{text}");
    }
}

#[test]
fn the_depth_is_limited() {
    for text in [
        "(".repeat(3000) + "1" + &")".repeat(3000),
        "[".repeat(3000) + &"]".repeat(3000),
        vec!["1"; 3000].join(" + "),
        ["x", &".a".repeat(3000)].concat(),
        ["x", &"[0]".repeat(3000)].concat(),
        vec!["1"; 3000].join(" < "),
        "!(".repeat(400) + "true" + &")".repeat(400),
        "true ? true : ".repeat(3000) + "true",
        "(".repeat(90) + "1" + &"+1+1+1+1+1)".repeat(90),
    ] {
        let issues = env().compile(&text).err().map(|issues| issues.to_text(&text)).unwrap_or_default();
        assert!(
            issues.starts_with("ERROR: <input>:-1:0: expression recursion limit exceeded: 250"),
            "{issues}"
        );
    }
    let chain = vec!["1"; 240].join("+");
    assert_eq!(common::run(&chain), "240");
    assert_eq!(common::run(&["(".repeat(90), chain, ")".repeat(90)].concat()), "240");
    assert_eq!(common::run(&["size(", &"[".repeat(90), &"]".repeat(90), ")"].concat()), "1");
    assert_eq!(common::run(&["[1].all(v, ".repeat(60), "true".to_owned(), ")".repeat(60)].concat()), "true");
    assert_eq!(common::run(&["(1+".repeat(95), "1".to_owned(), "+1)".repeat(95)].concat()), "191");
    let long = vec!["true"; 5000].join(" && ");
    assert_eq!(common::run(&long), "true");
    assert!(
        common::run(&"x".repeat(100_001))
            .contains("expression code point size exceeds limit: size: 100001, limit 100000")
    );
}
