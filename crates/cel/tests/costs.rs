//! The estimated and the actual costs of expressions.

mod common;

use cel::{Budget, Env, Type, Value};
use common::{env, spend};

#[test]
fn estimates() {
    for (text, least, most) in [
        ("true", 0, 0),
        ("self.a > 1", 3, 3),
        ("self.a == 1", 2, 2),
        ("has(self.a)", 1, 1),
        ("!has(self.a) || self.a > 1", 2, 5),
        ("self.name == 'abc'", 3, 3),
        ("self.name.startsWith('abc')", 3, 3),
        ("self.name.matches('^a.*')", 3, 5),
        ("self.list.all(v, v > 0)", 3, 28),
        ("self.map.all(k, self.map[k] != 'bad')", 3, 35),
        ("[1, 2].exists(v, v == self.a)", 19, 25),
        ("'a' + string(self.a)", 4, 1_844_674_407_370_955_267),
        ("self.text.contains(self.text)", 4, 98_956_172_333),
    ] {
        let estimate = env().compile(text).expect(text).estimate();
        assert_eq!((estimate.min, estimate.max), (least, most), "{text}");
    }
}

#[test]
fn costs() {
    for (text, expected) in [
        ("true", 0),
        ("self.a", 2),
        ("self.a > 1", 3),
        ("self.a == 1", 3),
        ("has(self.a)", 1),
        ("has(self.map.k)", 2),
        ("self.list[0]", 3),
        ("self.list[i - 3]", 5),
        ("self.map['k']", 3),
        ("true ? self.a : self.b", 1),
        ("[1, 2, 3]", 0),
        ("[self.a]", 12),
        ("{'a': 1}", 30),
        ("self.a in [1, 2, 3]", 2),
        ("self.a in self.list", 7),
        ("duration('1s') > duration('2s')", 1),
        ("self.name.startsWith('ab')", 3),
        ("self.name.contains('ab')", 3),
        ("self.name.matches('^a')", 3),
        ("'a' + self.name", 3),
        ("self.list.all(v, v > 0)", 2 + 3 * (3 + 2) + 1),
        ("self.list.exists(v, v == 2)", 2 + 2 * (4 + 2) + 3 + 1),
        ("self.list.map(v, v * 2)", 2 + 3 * (12 + 2) + 1),
        ("self.list.filter(v, v > 2)", 2 + 3 * 2 + (12 + 1) + 1),
        ("cel.bind(v, self.a, v + v)", 2 + 3),
    ] {
        assert_eq!(spend(text).1, expected, "{text}");
    }
}

#[test]
fn what_costs_too_much_is_ended() {
    let list = Value::list((0..2000).map(Value::Int).collect());
    let env = Env::new().variable("l", Type::list(Type::Int));
    let variables = [list];
    for (text, expected) in [
        ("l.all(a, l.all(b, a + b >= 0))", "operation cancelled: actual cost limit exceeded"),
        ("l.all(a, l.all(b, a + b >= 0)) || true", "operation cancelled: actual cost limit exceeded"),
        (
            "l.map(a, l + l + l + l + l + l + l + l + l + l + l + l + l + l + l + l).size() > 0",
            "operation cancelled: actual cost limit exceeded",
        ),
        ("l.all(a, a >= 0)", ""),
    ] {
        let program = env.compile(text).expect(text);
        let outcome = program.eval(&variables, &mut Budget::default());
        assert_eq!(outcome.err().map(|error| error.to_string()).unwrap_or_default(), expected, "{text}");
    }
}
