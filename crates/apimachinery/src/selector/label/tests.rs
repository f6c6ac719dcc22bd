use super::*;

#[track_caller]
fn fails(selector: &str, message: &str) {
    assert_eq!(LabelSelector::parse(selector).map(|parsed| parsed.to_string()), Err(message.to_owned()));
}

#[track_caller]
fn reads(selector: &str, canonical: &str) {
    assert_eq!(LabelSelector::parse(selector).map(|parsed| parsed.to_string()), Ok(canonical.to_owned()));
}

#[track_caller]
fn selects(selector: &str, labels: &[&[(&str, &str)]], expected: &[bool]) {
    let selector = LabelSelector::parse(selector).unwrap_or_default();
    let selected: Vec<bool> = labels
        .iter()
        .map(|labels| {
            selector.matches(|key| labels.iter().find(|(name, _)| *name == key).map(|(_, value)| *value))
        })
        .collect();
    assert_eq!(selected, expected, "{selector}");
}

const KEY: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[test]
fn what_is_malformed_is_said_in_the_parsers_words() {
    fails("x in 1", "unable to parse requirement: found '1' expected: '('");
    fails("x in (1", "unable to parse requirement: found '', expected: ',' or ')'");
    fails("x in (1 2)", "unable to parse requirement: found '2', expected: ',' or ')'");
    fails("x in (,", "unable to parse requirement: found '', expected: ',', or identifier");
    fails("x in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier");
    fails(",", "found ',', expected: !, identifier, or 'end of string'");
    fails("x,", "found '', expected: identifier after ','");
    fails("x,,y", "found ',', expected: identifier after ','");
    fails("!", "unable to parse requirement: found '', expected: identifier");
    fails("x===1", "unable to parse requirement: found '=', expected: identifier");
    fails("a b=1", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
    fails("a=b c", "found 'c', expected: ',' or 'end of string'");
    fails("!x=1", "found '=', expected: ',' or 'end of string'");
    fails("=1", "found '=', expected: !, identifier, or 'end of string'");
}

#[test]
fn keys_and_values_are_checked() {
    fails("a$=1", &format!("unable to parse requirement: <nil>: Invalid value: \"a$\": {KEY}"));
    fails("-x", &format!("unable to parse requirement: <nil>: Invalid value: \"-x\": {KEY}"));
    fails("a=@", &format!("unable to parse requirement: values[0][a]: Invalid value: \"@\": {VALUE}"));
    fails(
        "a in (b,-,@)",
        &format!(
            "unable to parse requirement: [values[0][a]: Invalid value: \"-\": {VALUE}, values[1][a]: Invalid value: \"@\": {VALUE}]"
        ),
    );
    fails(
        &format!("a={}", "v".repeat(64)),
        &format!(
            "unable to parse requirement: values[0][a]: Invalid value: \"{}\": must be no more than 63 bytes",
            "v".repeat(64)
        ),
    );
    fails(
        "x>abc",
        "unable to parse requirement: values[0]: Invalid value: \"abc\": for 'Gt', 'Lt' operators, the value must be an integer",
    );
}

#[test]
fn what_is_well_formed_has_one_form() {
    reads("", "");
    reads(" ", "");
    reads("z,!a", "!a,z");
    reads("x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()");
    reads("x in (b,a,b)", "x in (a,b)");
    reads("x==1, y!=2", "x==1,y!=2");
    reads("a=,b", "a=,b");
    reads("a>1,a<9", "a>1,a<9");
    reads("in in (in,notin)", "in in (in,notin)");
    reads("x in (,)", "x in ()");
}

#[test]
fn selection() {
    let labels: &[&[(&str, &str)]] = &[&[], &[("x", "")], &[("x", "a")], &[("x", "5")]];
    selects("", labels, &[true, true, true, true]);
    selects("x", labels, &[false, true, true, true]);
    selects("!x", labels, &[true, false, false, false]);
    selects("x=a", labels, &[false, false, true, false]);
    selects("x=", labels, &[false, true, false, false]);
    selects("x!=a", labels, &[true, true, false, true]);
    selects("x in (a,5)", labels, &[false, false, true, true]);
    selects("x in ()", labels, &[false, true, false, false]);
    selects("x notin (a,5)", labels, &[true, true, false, false]);
    selects("x>4", labels, &[false, false, false, true]);
    selects("x>5", labels, &[false, false, false, false]);
    selects("x<6", labels, &[false, false, false, true]);
    selects("x,x!=a", labels, &[false, true, false, true]);
}
