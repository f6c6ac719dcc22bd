use super::*;

#[track_caller]
fn check(selector: &str, expected: Result<&str, &str>) {
    let parsed = FieldSelector::parse(selector).and_then(|parsed| parsed.for_kind(None));
    assert_eq!(parsed.map(|parsed| parsed.to_string()), expected.map(str::to_owned).map_err(str::to_owned));
}

#[test]
fn syntax() {
    check("", Ok(""));
    check(",", Ok(""));
    check("metadata.name=a", Ok("metadata.name=a"));
    check("metadata.name==a", Ok("metadata.name=a"));
    check("metadata.name!=a", Ok("metadata.name!=a"));
    check("metadata.namespace=b,metadata.name=a", Ok("metadata.name=a,metadata.namespace=b"));
    check("metadata.name=", Ok("metadata.name="));
    check(r"metadata.name=a\,b\=\\", Ok(r"metadata.name=a\,b\=\\"));
    check("foo", Err("invalid selector: 'foo'; can't understand 'foo'"));
    check("metadata.name", Err("invalid selector: 'metadata.name'; can't understand 'metadata.name'"));
    check("metadata.name in (a,b)", Err("invalid selector: 'metadata.name in (a,b)'; can't understand 'b)'"));
    check("metadata.name=a=b", Err("invalid field selector: unescaped character in value: 61"));
    check(r"metadata.name=a\b", Err(r"invalid field selector: invalid escape sequence: \b"));
    check(r"metadata.name=a\", Err(r"invalid field selector: invalid escape sequence: \"));
}

#[test]
fn custom_resources() {
    let check = |namespaced: bool, selector: &str, expected: Result<(), &str>| {
        let parsed = FieldSelector::parse(selector)
            .and_then(|parsed| parsed.for_custom_resource(namespaced, &["spec.color"]))
            .map(|_| ());
        assert_eq!(parsed, expected.map_err(str::to_owned));
    };
    check(true, "metadata.namespace=a,spec.color!=red", Ok(()));
    check(true, "spec.nope=1", Err("field label not supported: spec.nope"));
    check(false, "metadata.namespace=a", Err("field label not supported: metadata.namespace"));
}

#[test]
fn the_exact_name() {
    let exact = |selector: &str| {
        FieldSelector::parse(selector).unwrap_or_default().exact("metadata.name").map(str::to_owned)
    };
    assert_eq!(exact("metadata.name=a,metadata.namespace=b"), Some("a".into()));
    assert_eq!(exact("metadata.name!=a"), None);
    assert_eq!(FieldSelector::by_name("a").to_string(), "metadata.name=a");
}
