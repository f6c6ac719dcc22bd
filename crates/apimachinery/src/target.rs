//! A request's target: path and query, and the parameters in it.

/// Cuts a target into its path and its decoded query parameters.
pub fn split(target: &str) -> (String, Vec<(String, String)>) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let params = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect();
    (path.to_owned(), params)
}

/// Puts a target together. Parameters without a name are left out.
pub fn join(path: &str, params: &[(String, String)]) -> String {
    let mut target = String::new();
    for c in path.trim().chars() {
        encode(c, &mut target, |c| matches!(c, '/' | '%') || legible(c));
    }
    let mut mark = '?';
    for (name, value) in params.iter().filter(|(name, _)| !name.is_empty()) {
        target.push(mark);
        mark = '&';
        // Servers leave out parameters with a semicolon.
        name.chars().for_each(|c| encode(c, &mut target, |c| !matches!(c, '=' | ';') && legible(c)));
        target.push('=');
        value.chars().for_each(|c| encode(c, &mut target, |c| c == '/' || c != ';' && legible(c)));
    }
    target
}

/// The target with `params` set to new values, or taken out where the value is `None`.
pub fn with(target: &str, changes: &[(&str, Option<&str>)]) -> String {
    let (path, mut params) = split(target);
    for (name, value) in changes {
        params.retain(|(known, _)| known != name);
        if let Some(value) = value {
            params.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    join(&path, &params)
}

/// Returns a name as a segment of a path.
pub fn segment(name: &str) -> String {
    let mut segment = String::new();
    name.chars().for_each(|c| encode(c, &mut segment, legible));
    segment
}

/// Returns the name that a segment of a path stands for.
pub fn decoded(segment: &str) -> String {
    // A plus is one, outside of a query.
    decode(&segment.replace('+', "%2B"))
}

/// Reports whether a character stays as it is, so that selectors stay legible.
fn legible(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:@!$'()*,;=".contains(c)
}

fn encode(c: char, out: &mut String, keep: impl Fn(char) -> bool) {
    if keep(c) {
        out.push(c);
        return;
    }
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        out.push('%');
        for nibble in [byte >> 4, byte & 15] {
            out.push(char::from_digit(nibble.into(), 16).unwrap_or('0').to_ascii_uppercase());
        }
    }
}

fn decode(text: &str) -> String {
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let escaped = || {
            let digits = std::str::from_utf8(text.get(at + 1..at + 3)?).ok()?;
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
        };
        match text[at] {
            b'+' => bytes.push(b' '),
            b'%' => match escaped() {
                Some(byte) => {
                    bytes.push(byte);
                    at += 2;
                }
                None => bytes.push(b'%'),
            },
            byte => bytes.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(params: &[(&str, &str)]) -> Vec<(String, String)> {
        params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[track_caller]
    fn check(target: &str, path: &str, params: &[(&str, &str)]) {
        assert_eq!(split(target), (path.to_owned(), pairs(params)));
        assert_eq!(split(&join(path, &pairs(params))), (path.to_owned(), pairs(params)), "there and back");
    }

    #[test]
    fn splits_and_joins() {
        check("/api/v1/pods", "/api/v1/pods", &[]);
        check("/api/v1/pods?", "/api/v1/pods", &[]);
        check("/p?watch=1&limit=5", "/p", &[("watch", "1"), ("limit", "5")]);
        check("/p?watch", "/p", &[("watch", "")]);
        check(
            "/p?labelSelector=app%3Dweb%2Ctier%20in+(a)",
            "/p",
            &[("labelSelector", "app=web,tier in (a)")],
        );
        check("/p?a=%C3%A4%zz%+&&b==", "/p", &[("a", "ä%zz% "), ("b", "=")]);
    }

    #[test]
    fn keeps_selectors_legible_and_everything_else_safe() {
        let params = pairs(&[
            ("labelSelector", "app=web,tier in (a,b)"),
            ("", "lost"),
            ("x&y", "1+1?#ä/b"),
            ("a;b", "c;d"),
        ]);
        assert_eq!(
            join(" /api/v1/namespaces/a b ", &params),
            "/api/v1/namespaces/a%20b?labelSelector=app=web,tier%20in%20(a,b)&x%26y=1%2B1%3F%23%C3%A4/b&a%3Bb=c%3Bd"
        );
    }

    #[test]
    fn sets_and_takes_out() {
        assert_eq!(
            with("/p?watch=1&a=2", &[("a", None), ("resourceVersion", Some("7"))]),
            "/p?watch=1&resourceVersion=7"
        );
        assert_eq!(with("/p", &[("a", None)]), "/p");
    }
}
