//! Compares quantities with Kubernetes' own, which `quantity/main.go` writes down: see `quantity/README.md`.

use std::fmt::Write as _;

use golang::strconv::format_float;
use schema::quantity::{Quantity, canonical};

fn answer(function: &str, arguments: &[&str]) -> String {
    let of = |text: &str| Quantity::parse(text).expect("a quantity");
    match (function, arguments) {
        ("Parse", [text]) => canonical(text).unwrap_or_else(|why| format!("error: {why}")),
        ("AsInt64", [text]) => {
            of(text).as_integer().map_or_else(|| "0 false".to_owned(), |number| format!("{number} true"))
        }
        ("AsApproximateFloat64", [text]) => format_float(of(text).as_float()),
        ("Cmp", [one, other]) => (of(one).compare(&of(other)) as i32).to_string(),
        ("Add", [one, other]) => of(one).plus(&of(other)).to_string(),
        ("Sub", [one, other]) => of(one).minus(&of(other)).to_string(),
        _ => panic!("{function} is not known"),
    }
}

#[test]
fn quantities() {
    let (mut wrong, mut checked) = (String::new(), 0);
    for line in include_str!("quantity/quantity.txt").lines() {
        let row: Vec<&str> = line.split('\t').collect();
        let [function, arguments @ .., expected] = row.as_slice() else {
            panic!("a row without columns: {line}")
        };
        let found = answer(function, arguments);
        checked += 1;
        if found != *expected {
            let _ = writeln!(wrong, "{function} {arguments:?}\n  Go:   {expected}\n  here: {found}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked > 1000, "{checked} rows");
}
