use super::*;

#[track_caller]
fn check(format: &str, valid: &[&str], invalid: &[&str]) {
    for text in valid {
        assert_eq!(super::check(format, text), Some(true), "{format} {text:?}");
    }
    for text in invalid {
        assert_eq!(super::check(format, text), Some(false), "{format} {text:?}");
    }
}

#[test]
fn identifiers() {
    check(
        "bsonobjectid",
        &["507f1f77bcf86cd799439011"],
        &["507f1f77bcf86cd79943901", "x07f1f77bcf86cd799439011"],
    );
    let uuid = "a987FBC9-4bed-3078-cf07-9141ba07c9f3";
    check("uuid", &[uuid, "a987fbc94bed3078cf079141ba07c9f3"], &["", "a987"]);
    check("uuid3", &[uuid], &["a987fbc9-4bed-4078-8f07-9141ba07c9f3"]);
    check("uuid4", &["57b73598-8764-4ad0-a76a-679bb6640eb1"], &[uuid]);
    check("uuid5", &["987fbc97-4bed-5078-af07-9141ba07c9f3"], &[uuid]);
    check("isbn", &["0321751043", "978-0321751041", "3-836-22119-5"], &["0321751044", "978-0321751042"]);
    check(
        "isbn10",
        &["3836221195", "1-61729-085-8", "007462542X"],
        &["978-0321751041", "3836221194", "", "ä"],
    );
    check("isbn13", &["978-3-8362-2119-1"], &["3836221195"]);
    check(
        "creditcard",
        &["375556917985515", "4716-2210-5188-5662", "5105105105105100"],
        &["foo", "5398228707871528"],
    );
    check("ssn", &["111-11-1111", "111 11 1111"], &["111111111", "111-11-111a"]);
    check("hexcolor", &["#ff0034", "fff", "#CCCCCC"], &["#ff", "fff0", "#ff12FG"]);
    check(
        "rgbcolor",
        &["rgb(0,31,255)", "rgb( 1, 2 ,3 )"],
        &["rgb(1,349,275)", "rgb(01,31,255)", "rgba(0,0,0)"],
    );
    check("k8s-short-name", &["a", "a-1"], &["", "A", "-a", "a.b"]);
    check("k8s-long-name", &["a.b", "a"], &["", "a..b", "a.B"]);
}

#[test]
fn bytes_and_quantities() {
    check("byte", &["YQ==", "YWI=", "YWJj"], &["", "YQ", "YQ=", "Y===", "Y Q="]);
    check("password", &["", "x"], &[]);
    check("quantity", &["1", "100m", "1.5Gi", "-1e3"], &["", "Gi", "1 Gi", "x"]);
}

#[test]
fn times() {
    check(
        "date",
        &["2020-02-29", "0001-01-01"],
        &["2019-02-29", "2020-13-01", "2020-1-1", "2020-01-01T00:00:00Z"],
    );
    check(
        "date-time",
        &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20z", "2014-12-15T08:00:00+02:00"],
        &[
            "2014-12-15",
            "2014-12-15 19:30:20Z",
            "2014-12-15T24:00:00Z",
            "2014-12-15T19:30:20",
            "2014-12-15T19:30Z",
        ],
    );
    check(
        "duration",
        &[
            "0",
            "1h30m",
            "-1.5s",
            "22 ns",
            "3 days",
            "1 week 2 hours",
            "5µs",
            "1hour",
            "12 sec",
            "10000000000h",
            // Five days, with something before them.
            "1.5 days",
        ],
        &["", "1", "h", "1x", "5 fortnights ago", "-"],
    );
}

#[test]
fn hosts_and_addresses() {
    check(
        "hostname",
        &["localhost", "a", "a-b", "www.example.com", "x-y.example.org", "a-", "日本.jp"],
        &["", "-a", "my-long-name", "a..b", "a.b1", "a_b", "example.com.", "a.c"],
    );
    check(
        "ipv4",
        &["1.2.3.4", "01.002.3.4", "::ffff:1.2.3.4"],
        &["1.2.3", "256.1.1.1", "::1", "1.2.3.4/8", ""],
    );
    check("ipv6", &["::1", "2001:DB8::", "::ffff:1.2.3.4"], &["1.2.3.4", "::1%eth0", ":::", ""]);
    check(
        "cidr",
        &["10.0.0.0/8", "010.0.0.0/8", "2001:db8::/128"],
        &["10.0.0.0", "10.0.0.0/33", "x/8", "1.1.1.1/"],
    );
    check(
        "mac",
        &["01:02:03:04:05:06", "01-02-03-04-05-aF", "0102.0304.0506"],
        &["", "01:02:03:04:05", "01:02-03:04:05:06", "0102.0304"],
    );
}

#[test]
fn uris() {
    check(
        "uri",
        &[
            "http://a.b/c?d=%zz",
            "/a/b",
            "mailto:a@b",
            "*",
            "https://u:p@[::1]:80/x%20y",
            "http://ä/",
            "urn:a:b",
            "http://",
        ],
        &[
            "",
            "a/b",
            "www.example.com",
            "http://a b/",
            "http://[::1",
            "/a%zz",
            "http://a:b/",
            ":a",
            "http://a/\u{7f}",
        ],
    );
}

#[test]
fn emails() {
    check(
        "email",
        &[
            "a@b",
            "a.b+c@d.e",
            "Name <a@b.c>",
            "\"a b\"@c",
            "A \"B C\" <a@b>",
            "a@[1.2.3.4]",
            " a@b ",
            "ä@ö.de",
        ],
        &["", "a", "@b", "a@", "a..b@c", ".a@b", "a@b c", "<a@b", "a@b.", "a b@c"],
    );
}

#[test]
fn formats_belong_to_types() {
    let of = |ty: Option<Type>, format: &str| is_known_format(ty, format);
    assert!(of(None, "email") && of(Some(Type::String), "date-time") && of(Some(Type::String), ""));
    assert!(of(Some(Type::Integer), "int32") && of(Some(Type::Number), "double"));
    assert!(!of(Some(Type::Integer), "email") && !of(Some(Type::String), "int32"));
    assert!(!of(Some(Type::Object), "email") && !of(None, "nope") && !of(Some(Type::Number), "int32"));
}
