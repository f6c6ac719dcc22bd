//! A JSON text as rows that fold.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// More rows than this are not shown at once.
pub(crate) const PAGE: usize = 400;

/// One line of a JSON text as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// How many brackets are open around it.
    pub(crate) depth: usize,
    /// The name of the field, if it is one.
    pub(crate) key: Option<String>,
    /// The content of the line.
    pub(crate) token: Token,
    /// True if another value follows in the same list or map.
    pub(crate) comma: bool,
}

/// The content of a [`Row`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// An opening bracket: whether of a map, how many values are in it, and the row that closes it. An empty
    /// one closes in its own row.
    Open { map: bool, count: usize, close: usize },
    /// The closing bracket.
    Close { map: bool },
    /// A string.
    Text(String),
    /// A number, as it is written.
    Number(String),
    /// `true`, `false` or `null`.
    Word(&'static str),
}

/// A JSON text, in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) rows: Vec<Row>,
}

impl Document {
    /// Reads `bytes`, or gives `None` where they are not JSON.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rows = Vec::new();
        let mut json = serde_json::Deserializer::from_slice(bytes);
        Seed { rows: &mut rows, depth: 0, key: None }.deserialize(&mut json).ok()?;
        json.end().ok()?;
        Some(Self { rows })
    }

    /// Returns the rows to fold at first: `managedFields`, and in a long text whatever lies too deep for one page.
    pub(crate) fn first_folds(&self) -> BTreeSet<usize> {
        let mut folded: BTreeSet<usize> = self
            .openings()
            .filter(|(at, _)| self.rows[*at].key.as_deref() == Some("managedFields"))
            .map(|(at, _)| at)
            .collect();
        // How many rows show, and how many of them close a bracket, by depth.
        let mut shown: Vec<(usize, usize)> = Vec::new();
        for at in self.visible(&folded) {
            let row = &self.rows[at];
            if shown.len() <= row.depth {
                shown.resize(row.depth + 1, (0, 0));
            }
            shown[row.depth].0 += 1;
            shown[row.depth].1 += usize::from(matches!(row.token, Token::Close { .. }));
        }
        let mut left: usize = shown.iter().map(|(rows, _)| rows).sum();
        let mut from = shown.len();
        // What is folded at a depth shows neither what is deeper, nor its own end.
        while from > 1 && left > PAGE {
            from -= 1;
            let deeper = shown.get(from + 1).map_or(0, |(rows, _)| *rows);
            let ends = shown.get(from + 1).map_or(0, |(_, ends)| *ends);
            left -= deeper - ends + shown[from].1;
        }
        if from < shown.len() {
            folded.extend(self.openings().map(|(at, _)| at).filter(|at| self.rows[*at].depth >= from));
        }
        folded
    }

    /// Everything that can be folded, but the outermost.
    pub(crate) fn all_folds(&self) -> BTreeSet<usize> {
        self.openings().map(|(at, _)| at).filter(|at| *at > 0).collect()
    }

    /// The rows that show, by their number.
    pub(crate) fn visible(&self, folded: &BTreeSet<usize>) -> Vec<usize> {
        let mut visible = Vec::new();
        let mut at = 0;
        while at < self.rows.len() {
            visible.push(at);
            at = match self.rows[at].token {
                Token::Open { close, .. } if folded.contains(&at) => close + 1,
                _ => at + 1,
            };
        }
        visible
    }

    /// Returns whether a comma follows what row `at` shows: itself, or all that it folds.
    pub(crate) fn comma(&self, at: usize, folded: bool) -> bool {
        match self.rows[at].token {
            Token::Open { close, .. } if folded => self.rows[close].comma,
            _ => self.rows[at].comma,
        }
    }

    /// The row of the bracket around row `at`.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        let depth = self.rows.get(at)?.depth;
        (0..at).rev().find(|row| self.rows[*row].depth < depth)
    }

    /// The name of what is in the map of row `at`: that of its metadata, or its own.
    pub(crate) fn name(&self, at: usize) -> Option<&str> {
        let Row { depth, token: Token::Open { map: true, close, .. }, .. } = self.rows.get(at)? else {
            return None;
        };
        let within = self.rows.get(at + 1..*close)?;
        let own = |depth: usize| move |row: &&Row| row.depth == depth && row.key.as_deref() == Some("name");
        let metadata =
            within.iter().position(|row| row.depth == depth + 1 && row.key.as_deref() == Some("metadata"));
        let of_metadata = metadata.and_then(|from| {
            let mut rows = within[from + 1..].iter().take_while(|row| row.depth > depth + 1);
            rows.find(own(depth + 2))
        });
        match &of_metadata.or_else(|| within.iter().find(own(depth + 1)))?.token {
            Token::Text(name) => Some(name),
            _ => None,
        }
    }

    /// A JSON pointer to each row's value; that of a closing bracket is that of its opening one.
    /// See <https://www.rfc-editor.org/rfc/rfc6901>.
    pub(crate) fn pointers(&self) -> Vec<String> {
        let mut pointers: Vec<String> = Vec::with_capacity(self.rows.len());
        // The brackets that are open: where they point, and how many items they have had.
        let mut open: Vec<(String, usize)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            if let Token::Close { .. } = row.token {
                pointers.push(open.pop().map(|(pointer, _)| pointer).unwrap_or_default());
                continue;
            }
            let pointer = match (open.last_mut(), &row.key) {
                (None, _) => String::new(),
                (Some((pointer, _)), Some(key)) => {
                    [pointer, "/", &key.replace('~', "~0").replace('/', "~1")].concat()
                }
                (Some((pointer, count)), None) => {
                    *count += 1;
                    [pointer, "/", &(*count - 1).to_string()].concat()
                }
            };
            if let Token::Open { close, .. } = row.token
                && close > at
            {
                open.push((pointer.clone(), 0));
            }
            pointers.push(pointer);
        }
        pointers
    }

    fn openings(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.iter().enumerate().filter_map(|(at, row)| match row.token {
            Token::Open { close, .. } if close > at => Some((at, close)),
            _ => None,
        })
    }
}

struct Seed<'r> {
    rows: &'r mut Vec<Row>,
    depth: usize,
    key: Option<String>,
}

impl Seed<'_> {
    fn push(self, token: Token) {
        self.rows.push(Row { depth: self.depth, key: self.key, token, comma: false });
    }

    /// Writes the opening row, lets `fill` write what is inside, and closes.
    fn bracket<E>(
        self,
        map: bool,
        fill: impl FnOnce(&mut Vec<Row>, usize) -> Result<usize, E>,
    ) -> Result<(), E> {
        let (depth, open) = (self.depth, self.rows.len());
        self.rows.push(Row { depth, key: self.key, token: Token::Close { map }, comma: false });
        let count = fill(self.rows, depth + 1)?;
        let close = if count == 0 { open } else { self.rows.len() };
        self.rows[open].token = Token::Open { map, count, close };
        if close > open {
            // The last value inside has nothing after it.
            let last = self.rows.iter().rposition(|row| row.depth == depth + 1 && row.comma);
            if let Some(last) = last {
                self.rows[last].comma = false;
            }
            self.rows.push(Row { depth, key: None, token: Token::Close { map }, comma: false });
        }
        Ok(())
    }
}

/// Marks the value that ends the rows as followed by another one.
fn follow(rows: &mut [Row]) {
    if let Some(row) = rows.last_mut() {
        row.comma = true;
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.push(Token::Word(if value { "true" } else { "false" }));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.push(Token::Word("null"));
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.push(Token::Number(value.to_string()));
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.push(Token::Number(value.to_string()));
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.push(Token::Number(value.to_string()));
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.push(Token::Text(value.to_owned()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.bracket(false, |rows, depth| {
            let mut count = 0;
            while items.next_element_seed(Seed { rows, depth, key: None })?.is_some() {
                follow(rows);
                count += 1;
            }
            Ok(count)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.bracket(true, |rows, depth| {
            let mut count = 0;
            while let Some(Key(key)) = entries.next_key()? {
                entries.next_value_seed(Seed { rows, depth, key: Some(key) })?;
                follow(rows);
                count += 1;
            }
            Ok(count)
        })
    }
}

#[derive(Deserialize)]
struct Key(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_has_a_name() {
        let check = |json: &str, at: usize, expected: Option<&str>| {
            let document = Document::parse(json.as_bytes()).unwrap();
            assert_eq!(document.name(at), expected, "{json}");
        };
        check(r#"[{"metadata": {"labels": {"name": "no"}, "name": "a"}, "name": "b"}]"#, 1, Some("a"));
        check(r#"[{"ports": [{"name": "no"}], "name": "b"}]"#, 1, Some("b"));
        check(r#"{"metadata": {"name": "a"}}"#, 1, Some("a"));
        check(r#"{"name": 1}"#, 0, None);
        check(r#"{"spec": {"name": "a"}}"#, 0, None);
        check(r#"["name"]"#, 0, None);
    }

    fn show(document: &Document, folded: &BTreeSet<usize>) -> String {
        let mut text = String::new();
        for at in document.visible(folded) {
            let row = &document.rows[at];
            text.push_str(&"  ".repeat(row.depth));
            if let Some(key) = &row.key {
                text.push_str(&format!("{key:?}: "));
            }
            let brackets = |map: bool| if map { ("{", "}") } else { ("[", "]") };
            match &row.token {
                Token::Open { map, count, .. } => {
                    text.push_str(brackets(*map).0);
                    if folded.contains(&at) {
                        text.push_str(&format!("…{count}"));
                    }
                    if folded.contains(&at) || *count == 0 {
                        text.push_str(brackets(*map).1);
                    }
                }
                Token::Close { map } => text.push_str(brackets(*map).1),
                Token::Text(value) => text.push_str(&format!("{value:?}")),
                Token::Number(value) => text.push_str(value),
                Token::Word(value) => text.push_str(value),
            }
            if document.comma(at, folded.contains(&at)) {
                text.push(',');
            }
            text.push('\n');
        }
        text
    }

    const OBJECT: &str =
        r#"{"b":[1,-2.5,[]],"a":{"x":null,"y":{}},"s":"t","managedFields":[{"manager":"m"}]}"#;

    #[test]
    fn shows_a_text_line_by_line_in_its_own_order() {
        let document = Document::parse(OBJECT.as_bytes()).unwrap();
        let expected =
            serde_json::to_string_pretty(&serde_json::from_str::<json_tree::Value>(OBJECT).unwrap());
        assert_eq!(show(&document, &BTreeSet::new()).trim_end(), expected.unwrap());
    }

    #[test]
    fn folds_managed_fields_at_first() {
        let document = Document::parse(OBJECT.as_bytes()).unwrap();
        let shown = show(&document, &document.first_folds());
        assert!(shown.ends_with("  \"managedFields\": […1]\n}\n"), "{shown}");
        assert!(shown.contains("-2.5,"), "{shown}");
    }

    #[test]
    fn folds_all_but_the_outermost() {
        let document = Document::parse(OBJECT.as_bytes()).unwrap();
        assert_eq!(
            show(&document, &document.all_folds()),
            "{\n  \"b\": […3],\n  \"a\": {…2},\n  \"s\": \"t\",\n  \"managedFields\": […1]\n}\n"
        );
    }

    #[test]
    fn a_long_text_is_folded_to_a_page_where_it_can_be() {
        let items = vec![r#"{"metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}}"#; 300].join(",");
        let document = Document::parse(format!(r#"{{"kind":"List","items":[{items}]}}"#).as_bytes()).unwrap();
        let shown = document.visible(&document.first_folds()).len();
        assert_eq!(shown, 305, "an item to a row");
        let wide = Document::parse(format!("[{}]", vec!["1"; 5000].join(",")).as_bytes()).unwrap();
        assert_eq!(wide.visible(&wide.first_folds()).len(), 5002, "nothing to fold");
    }

    #[test]
    fn knows_the_bracket_around() {
        let document = Document::parse(br#"{"a":{"x":[1]},"b":2}"#).unwrap();
        let parents: Vec<_> = (0..document.rows.len()).map(|at| document.parent(at)).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(1), Some(0), Some(0), None]);
    }

    #[test]
    fn points_to_each_row() {
        let document = Document::parse(br#"{"a/b":{"x":[1,{"y":2}]},"c":[],"d":3}"#).unwrap();
        let expected = [
            "",
            "/a~1b",
            "/a~1b/x",
            "/a~1b/x/0",
            "/a~1b/x/1",
            "/a~1b/x/1/y",
            "/a~1b/x/1",
            "/a~1b/x",
            "/a~1b",
            "/c",
            "/d",
            "",
        ];
        assert_eq!(document.pointers(), expected);
    }

    #[test]
    fn what_is_not_json_is_not_shown_as_json() {
        for text in ["", "404 page not found\n", "{", "{} {}", "\u{feff}{}"] {
            assert_eq!(Document::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn one_value_alone_is_a_document() {
        let document = Document::parse(b"\"x\"").unwrap();
        assert_eq!(show(&document, &document.first_folds()), "\"x\"\n");
        assert_eq!(show(&Document::parse(b"{}").unwrap(), &BTreeSet::new()), "{}\n");
    }
}
