//! The query of a request, as Go's `net/url` and Kubernetes' parameter conversion read it.

use golang::strconv::parse_int;
use golang::url::parse_query;

/// The parameters of a query, decoded, in order. What cannot be decoded is left out, silently, as
/// `url.ParseQuery` leaves it out of its result: parts with `;` and bad percent escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses what stands behind the `?`.
    pub fn parse(query: &str) -> Self {
        Self(parse_query(query).collect())
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
}
