//! Shortcodes of Hugo, in which Kubernetes' documentation is written: `{{< note >}}`, `{{% code_sample file="…" %}}`. Without Hugo
//! there is no page of them: what they say is kept, and how it would look is not.

/// The parameters whose value is what a reader sees.
const SAID: [&str; 3] = ["text", "file", "title"];

/// Replaces the shortcodes of a text by what they say. Lines stay lines.
pub(crate) fn resolve(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let close = match rest.get(2..3) {
            Some("<") => ">}}",
            Some("%") => "%}}",
            _ => {
                out.push_str("{{");
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
        };
        let end = rest.find(close).filter(|end| *end < 1000);
        let Some(end) = end else {
            out.push_str("{{");
            rest = rest.get(2..).unwrap_or_default();
            continue;
        };
        let inside = rest.get(3..end).unwrap_or_default();
        out.push_str(&said(inside));
        out.extend(std::iter::repeat_n('\n', inside.matches('\n').count()));
        rest = rest.get(end + close.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn said(shortcode: &str) -> String {
    let value = |name: &str| {
        let (_, rest) = shortcode.split_once(&[" ", name, "=\""].concat())?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    SAID.iter().find_map(|name| value(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(resolve(text), expected);
    }

    #[test]
    fn what_they_say_is_kept() {
        check("a {{< glossary_tooltip term_id=\"x\" text=\"Pod\" >}} b", "a Pod b");
        check("{{< note >}}\nx\n{{< /note >}}", "\nx\n");
        check("{{% code_sample file=\"a/b.yaml\" %}}", "a/b.yaml");
        check("{{ .Values }} {{<", "{{ .Values }} {{<");
        check("{{< a\nb >}}c", "\nc");
    }
}
