use super::*;

#[test]
fn errors_are_joined_as_go_joins_them() {
    let check = |errors: &[&str], expected: &str| {
        let errors: Vec<String> = errors.iter().map(|error| (*error).to_owned()).collect();
        assert_eq!(aggregate(&errors), expected);
    };
    check(&["a"], "a");
    check(&["a", "a"], "a");
    check(&["a", "b", "a"], "[a, b]");
}
