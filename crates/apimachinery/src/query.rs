//! The query of a request, as Go's `net/url` and Kubernetes' parameter conversion read it.

use field::quote;

/// The parameters of a query, decoded, in order. What cannot be decoded is left out, silently, as
/// `url.ParseQuery` leaves it out of its result: parts with `;` and bad percent escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses what stands behind the `?`.
    pub fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|part| !part.is_empty() && !part.contains(';'));
        Self(
            pairs
                .filter_map(|part| {
                    let (key, value) = part.split_once('=').unwrap_or((part, ""));
                    Some((unescape(key, true)?, unescape(value, true)?))
                })
                .collect(),
        )
    }

    /// Leaves out what these keys say.
    pub fn forget(&mut self, keys: &[&str]) {
        self.0.retain(|(name, _)| !keys.contains(&name.as_str()));
    }

    /// Lets this be all that `key` says.
    pub fn set(&mut self, key: &str, value: &str) {
        self.forget(&[key]);
        self.0.push((key.to_owned(), value.to_owned()));
    }

    /// The first value of `key`, if it is there at all.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Every value of `key`, in order.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The first value of `key`; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).unwrap_or_default()
    }

    /// A boolean: only `0` and `false` (in any case of letters) are false, the empty string is true.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key).map(|value| !(value == "0" || value.eq_ignore_ascii_case("false")))
    }

    /// An integer; the error is Go's text.
    pub fn integer(&self, key: &str) -> Result<Option<i64>, String> {
        self.get(key).map(parse_int).transpose()
    }
}

/// Go's `strconv.ParseInt(text, 10, 64)`, with its error text.
pub fn parse_int(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("strconv.ParseInt: parsing {}: invalid syntax", quote(text)));
    }
    text.parse().map_err(|_| format!("strconv.ParseInt: parsing {}: value out of range", quote(text)))
}

/// Go's `strconv.ParseUint(text, 10, 64)`, with its error text.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("strconv.ParseUint: parsing {}: invalid syntax", quote(text)));
    }
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: value out of range", quote(text)))
}

/// Decodes percent escapes, and `+` where `plus` says so. `None` if an escape is broken. Bytes that are not
/// UTF-8 become U+FFFD.
pub fn unescape(text: &str, plus: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let high = char::from(bytes.next()?).to_digit(16)?;
                let low = char::from(bytes.next()?).to_digit(16)?;
                out.push(u8::try_from(high * 16 + low).ok()?);
            }
            b'+' if plus => out.push(b' '),
            other => out.push(other),
        }
    }
    Some(
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[(&str, &str)]) {
        let expected = expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(Query::parse(query), Query(expected));
    }

    #[test]
    fn what_cannot_be_decoded_is_left_out() {
        check("a=1&b=%ZZ&c=1;d=2&e", &[("a", "1"), ("e", "")]);
        check("", &[]);
        check("a+b=%2B+", &[("a b", "+ ")]);
    }

    #[test]
    fn the_first_of_repeated_parameters_counts() {
        assert_eq!(Query::parse("limit=5&limit=abc").integer("limit"), Ok(Some(5)));
    }

    #[test]
    fn only_0_and_false_are_false() {
        for (text, expected) in [("0", false), ("False", false), ("", true), ("no", true), ("1", true)] {
            assert_eq!(Query::parse(&format!("watch={text}")).boolean("watch"), Some(expected), "{text}");
        }
    }

    #[test]
    fn numbers_that_do_not_parse_have_go_s_text() {
        for (text, expected) in [
            ("abc", "strconv.ParseInt: parsing \"abc\": invalid syntax"),
            ("", "strconv.ParseInt: parsing \"\": invalid syntax"),
            (
                "99999999999999999999",
                "strconv.ParseInt: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(parse_int(text), Err(expected.to_owned()));
        }
    }
}
