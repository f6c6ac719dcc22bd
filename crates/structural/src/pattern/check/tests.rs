#[track_caller]
fn check(expression: &str, expected: &str) {
    let found = super::check(expression).err().unwrap_or_default();
    assert_eq!(found.strip_prefix("error parsing regexp: ").unwrap_or(&found), expected, "{expression}");
}

#[test]
fn sound_expressions() {
    for expression in [
        "",
        "a",
        "^a+b*?c??$",
        "(a|b)|",
        "(?i)x",
        "(?i:x)",
        "(?P<n>x)",
        "(?<n>x)",
        "(?s-i:.)",
        "[a-z]",
        "[]a]",
        "[^]a]",
        "[a-]",
        "[[:alpha:][:^digit:]]",
        r"[\d\-\]]",
        r"\pL\p{Greek}\P{^Lu}\p{old_italic}",
        "a{2}{",
        "a{,3}",
        "{",
        "a{2,}?",
        r"\Qa(b\E?",
        r"\x41\x{1F600}\101\.\_",
        "a*(?i)*",
        "(a{10}){100}",
    ] {
        check(expression, "");
    }
}

#[test]
fn broken_expressions() {
    check("(", "missing closing ): `(`");
    check("a)b", "unexpected ): `a)b`");
    check("(a", "missing closing ): `(a`");
    check("[a", "missing closing ]: `[a`");
    check("x[", "missing closing ]: `[`");
    check("[z-a]", "invalid character class range: `z-a`");
    check("[[:foo:]]", "invalid character class range: `[:foo:]`");
    check("*a", "missing argument to repetition operator: `*`");
    check("a|+?", "missing argument to repetition operator: `+?`");
    check("(*)", "missing argument to repetition operator: `*`");
    check("a**", "invalid nested repetition operator: `**`");
    check("a+*?b", "invalid nested repetition operator: `+*?`");
    check("a{2}{3}", "invalid nested repetition operator: `{2}{3}`");
    check("a{1001}", "invalid repeat count: `{1001}`");
    check("a{3,2}", "invalid repeat count: `{3,2}`");
    check("a{99999999999}", "invalid repeat count: `{99999999999}`");
    check("(a{100}){100}", "invalid repeat count: `{100}`");
    check("(?=a)", "invalid or unsupported Perl syntax: `(?=`");
    check("(?!a)", "invalid or unsupported Perl syntax: `(?!`");
    check("(?<=a)b", "invalid named capture: `(?<=a)b`");
    check("(?P<n-n>a)", "invalid named capture: `(?P<n-n>`");
    check("(?i", "invalid or unsupported Perl syntax: `(?i`");
    check("(?-)", "invalid or unsupported Perl syntax: `(?-)`");
    check(r"a\", "trailing backslash at end of expression: ``");
    check(r"\1", r"invalid escape sequence: `\1`");
    check(r"\C", r"invalid escape sequence: `\C`");
    check(r"\q", r"invalid escape sequence: `\q`");
    check(r"\Z", r"invalid escape sequence: `\Z`");
    check(r"\x4g", r"invalid escape sequence: `\x4g`");
    check(r"\x{110000}", r"invalid escape sequence: `\x{110000`");
    check(r"\pQ", r"invalid character class range: `\pQ`");
    check(r"\p{Klingon}", r"invalid character class range: `\p{Klingon}`");
    check(r"[\p{X]", r"invalid character class range: `\p{X]`");
}
