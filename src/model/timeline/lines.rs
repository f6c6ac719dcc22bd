//! A changed object as lines of JSON, each with its sign and its owners; what has not changed folds.

use json_tree::Value;

use crate::model::timeline::diff::Delta;
use crate::model::timeline::ownership::Owners;

/// Fewer lines than this do not fold.
const FOLDS: usize = 4;

/// The change of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Same,
    Added,
    Removed,
    Changed,
}

/// The content of a line besides its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A bracket, or two where there is nothing between them.
    Bracket(&'static str),
    /// A string, a number, `true`, `false` or `null`.
    Plain(Value),
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// The change of the line.
    pub(crate) sign: Sign,
    /// How many brackets are open around it.
    pub(crate) depth: usize,
    /// The name of the field, if it is one.
    pub(crate) key: Option<String>,
    /// The content of the line; of a removed line, its former content.
    pub(crate) token: Token,
    /// The former content, if it was another one.
    pub(crate) old: Option<Token>,
    /// True if another value follows in the same list or map.
    pub(crate) comma: bool,
    /// The places of who manages it.
    pub(crate) owners: Vec<usize>,
}

/// Some lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// One.
    Line(Line),
    /// Lines that have not changed, at this depth.
    Unchanged(usize, Vec<Line>),
    /// The `managedFields`: at which depth, and what has become of them.
    Managed(usize, Sign, Vec<Line>),
}

/// The lines of `delta`, of whose newer version `owners` tells who manages it.
pub(crate) fn lines(delta: &Delta, owners: &Owners<'_>) -> Vec<Piece> {
    let mut writer = Writer::default();
    writer.delta(Place { depth: 0, key: None, comma: false, path: "" }, delta, owners);
    writer.pieces
}

/// The position of a value.
#[derive(Clone, Copy)]
struct Place<'a> {
    depth: usize,
    key: Option<&'a str>,
    comma: bool,
    /// `metadata`, or anything else.
    path: &'a str,
}

#[derive(Default)]
struct Writer {
    pieces: Vec<Piece>,
}

impl Writer {
    fn delta(&mut self, place: Place<'_>, delta: &Delta, owners: &Owners<'_>) {
        match delta {
            Delta::Same(value) => self.value(Sign::Same, place, value, owners),
            Delta::Added(value) => self.value(Sign::Added, place, value, owners),
            Delta::Removed(value) => self.value(Sign::Removed, place, value, &Owners::default()),
            Delta::Changed(old, new) => match (plain(old), plain(new)) {
                (Some(old), Some(token)) => {
                    let mut line = line(Sign::Changed, place, token, owners);
                    line.old = Some(old);
                    self.pieces.push(Piece::Line(line));
                }
                _ => {
                    self.value(Sign::Removed, Place { comma: true, ..place }, old, &Owners::default());
                    self.value(Sign::Added, place, new, owners);
                }
            },
            Delta::Map(fields) => {
                self.pieces.push(Piece::Line(line(Sign::Same, place, Token::Bracket("{"), owners)));
                let children =
                    fields.iter().map(|(key, delta)| (Some(key.as_str()), delta, owners.field(key)));
                self.children(place, children.collect());
                self.close(place, "}");
            }
            Delta::List(items) => {
                self.pieces.push(Piece::Line(line(Sign::Same, place, Token::Bracket("["), owners)));
                let mut at = 0;
                let children = items.iter().map(|delta| {
                    let owners = newest(delta).map(|item| owners.item(at, &item)).unwrap_or_default();
                    at += usize::from(!matches!(delta, Delta::Removed(_)));
                    (None, delta, owners)
                });
                self.children(place, children.collect());
                self.close(place, "]");
            }
        }
    }

    fn children(&mut self, parent: Place<'_>, children: Vec<(Option<&str>, &Delta, Owners<'_>)>) {
        let count = children.len();
        let mut same: Vec<Line> = Vec::new();
        for (at, (key, delta, owners)) in children.into_iter().enumerate() {
            let (depth, path) = (parent.depth + 1, key.unwrap_or_default());
            let place = Place { depth, key, comma: at + 1 < count, path };
            let managed = parent.path == "metadata" && parent.depth == 1 && key == Some("managedFields");
            if let Delta::Same(value) = delta
                && !managed
            {
                write(Sign::Same, place, value, &owners, &mut same);
                continue;
            }
            self.fold(depth, &mut same);
            if managed {
                let mut inside = Self::default();
                inside.delta(place, delta, &owners);
                self.pieces.push(Piece::Managed(depth, sign(delta), flat(inside.pieces)));
            } else {
                self.delta(place, delta, &owners);
            }
        }
        self.fold(parent.depth + 1, &mut same);
    }

    /// A whole value, all of it of one sign.
    fn value(&mut self, sign: Sign, place: Place<'_>, value: &Value, owners: &Owners<'_>) {
        let split = sign != Sign::Same && place.depth < 2 && place.path != "managedFields";
        match value {
            // So that the managed fields of an object that is new or gone fold, too.
            Value::Object(fields) if split && !fields.is_empty() => {
                self.pieces.push(Piece::Line(line(sign, place, Token::Bracket("{"), owners)));
                let depth = place.depth + 1;
                for (at, (key, value)) in fields.iter().enumerate() {
                    let below = Place { depth, key: Some(key), comma: at + 1 < fields.len(), path: key };
                    let owners = owners.field(key);
                    if place.path == "metadata" && key == "managedFields" {
                        let mut inside = Vec::new();
                        write(sign, below, value, &owners, &mut inside);
                        self.pieces.push(Piece::Managed(depth, sign, inside));
                    } else {
                        self.value(sign, below, value, &owners);
                    }
                }
                let close = line(sign, Place { key: None, ..place }, Token::Bracket("}"), &Owners::default());
                self.pieces.push(Piece::Line(close));
            }
            _ => {
                let mut lines = Vec::new();
                write(sign, place, value, owners, &mut lines);
                self.pieces.extend(lines.into_iter().map(Piece::Line));
            }
        }
    }

    fn close(&mut self, place: Place<'_>, bracket: &'static str) {
        let place = Place { key: None, ..place };
        self.pieces.push(Piece::Line(line(Sign::Same, place, Token::Bracket(bracket), &Owners::default())));
    }

    fn fold(&mut self, depth: usize, same: &mut Vec<Line>) {
        let same = std::mem::take(same);
        if same.len() < FOLDS {
            self.pieces.extend(same.into_iter().map(Piece::Line));
        } else {
            self.pieces.push(Piece::Unchanged(depth, same));
        }
    }
}

/// The lines of a whole value.
fn write(sign: Sign, place: Place<'_>, value: &Value, owners: &Owners<'_>, lines: &mut Vec<Line>) {
    if let Some(token) = plain(value) {
        lines.push(line(sign, place, token, owners));
        return;
    }
    let close = match value {
        Value::Array(items) => {
            lines.push(line(sign, place, Token::Bracket("["), owners));
            for (at, item) in items.iter().enumerate() {
                let comma = at + 1 < items.len();
                let below = Place { depth: place.depth + 1, key: None, comma, path: "" };
                write(sign, below, item, &owners.item(at, item), lines);
            }
            "]"
        }
        Value::Object(fields) => {
            lines.push(line(sign, place, Token::Bracket("{"), owners));
            for (at, (key, value)) in fields.iter().enumerate() {
                let comma = at + 1 < fields.len();
                let below = Place { depth: place.depth + 1, key: Some(key), comma, path: "" };
                write(sign, below, value, &owners.field(key), lines);
            }
            "}"
        }
        _ => return,
    };
    lines.push(line(sign, Place { key: None, ..place }, Token::Bracket(close), &Owners::default()));
}

fn line(sign: Sign, place: Place<'_>, token: Token, owners: &Owners<'_>) -> Line {
    let opens = matches!(token, Token::Bracket("{" | "["));
    let (depth, key) = (place.depth, place.key.map(str::to_owned));
    Line { sign, depth, key, token, old: None, comma: place.comma && !opens, owners: owners.here().to_vec() }
}

/// Returns the content of a value that takes a single line.
fn plain(value: &Value) -> Option<Token> {
    match value {
        Value::Array(items) => items.is_empty().then_some(Token::Bracket("[]")),
        Value::Object(fields) => fields.is_empty().then_some(Token::Bracket("{}")),
        value => Some(Token::Plain(value.clone())),
    }
}

fn sign(delta: &Delta) -> Sign {
    match delta {
        Delta::Same(_) => Sign::Same,
        Delta::Added(_) => Sign::Added,
        Delta::Removed(_) => Sign::Removed,
        _ => Sign::Changed,
    }
}

/// The newer version of an item, as far as its owners know it: of a map its plain fields.
fn newest(delta: &Delta) -> Option<Value> {
    match delta {
        Delta::Same(value) | Delta::Added(value) | Delta::Changed(_, value) => Some(value.clone()),
        Delta::Removed(_) => None,
        Delta::List(_) => Some(Value::Array(Vec::new())),
        Delta::Map(fields) => {
            let fields = fields.iter().filter_map(|(key, delta)| Some((key.clone(), newest(delta)?)));
            Some(Value::Object(fields.collect()))
        }
    }
}

fn flat(pieces: Vec<Piece>) -> Vec<Line> {
    let mut lines = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Line(line) => lines.push(line),
            Piece::Unchanged(_, inside) | Piece::Managed(_, _, inside) => lines.extend(inside),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::model::timeline::diff::between;

    fn shown(line: &Line) -> String {
        let sign = match line.sign {
            Sign::Same => ' ',
            Sign::Added => '+',
            Sign::Removed => '-',
            Sign::Changed => '~',
        };
        let owners: String = line.owners.iter().map(usize::to_string).collect();
        let token = |token: &Token| match token {
            Token::Bracket(bracket) => (*bracket).to_owned(),
            Token::Plain(value) => value.to_string(),
        };
        let key = line.key.as_ref().map_or(String::new(), |key| format!("{key}: "));
        let old = line.old.as_ref().map_or(String::new(), |old| format!("{} > ", token(old)));
        let comma = if line.comma { "," } else { "" };
        let indent = "  ".repeat(line.depth);
        format!("{sign}{owners:2}{indent}{key}{old}{}{comma}", token(&line.token))
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(old: Option<Value>, new: Option<Value>, expected: &str) {
        let delta = between(old, new.clone()).unwrap();
        let owners = new.as_ref().map(Owners::of).unwrap_or_default();
        let pieces = lines(&delta, &owners).into_iter().map(|piece| match piece {
            Piece::Line(line) => shown(&line),
            Piece::Unchanged(depth, lines) => format!("   {}= {}", "  ".repeat(depth), lines.len()),
            Piece::Managed(depth, sign, lines) => {
                format!("   {}m {sign:?} {}", "  ".repeat(depth), lines.len())
            }
        });
        let shown: Vec<String> = pieces.map(|piece| piece.trim_end().to_owned()).collect();
        let expected: Vec<&str> =
            expected.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn shows_what_has_changed_and_folds_the_rest() {
        check(
            Some(
                json!({"metadata": {"name": "a", "x": {"y": [1, {}]}, "managedFields": [{"m": 1}]}, "data": {"k": "v"}, "e": []}),
            ),
            Some(
                json!({"metadata": {"name": "a", "x": {"y": [1, {}]}, "managedFields": [{"m": 2}]}, "data": {"k": "w"}, "e": {"a": 1}}),
            ),
            r#"
   {
     metadata: {
       = 7
       m Changed 5
     },
     data: {
~      k: "v" > "w"
     },
-    e: [],
+    e: {
+      a: 1
+    }
   }"#,
        );
    }

    #[test]
    fn what_is_new_or_gone_is_shown_whole() {
        let object = || json!({"metadata": {"name": "a", "managedFields": [{"m": 1}]}, "list": [{"a": null}], "x": {}});
        let whole = |sign: &str| {
            let lines = "{\n  metadata: {\n    name: \"a\",\n@    m\n  },\n  list: [\n    {\n      a: null\n    }\n  ],\n  x: {}\n}";
            let word = if sign == "+" { "Added" } else { "Removed" };
            let lines = lines.lines().map(|line| match line.strip_prefix('@') {
                Some(line) => format!("   {line} {word} 5"),
                None => format!("{sign}  {line}"),
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        check(None, Some(object()), &whole("+"));
        check(Some(object()), None, &whole("-"));
    }

    #[test]
    fn lines_have_owners() {
        let fields = json!({"f:data": {".": {}, "f:a": {}}, "f:list": {"k:{\"name\":\"y\"}": {"f:v": {}}}});
        let object = |a: &str, v: u32| {
            json!({
                "metadata": {"managedFields": [{"manager": "m", "fieldsV1": fields}]},
                "data": {"a": a, "b": "1"},
                "list": [{"name": "x"}, {"name": "y", "v": v}],
            })
        };
        check(
            Some(object("1", 1)),
            Some(object("2", 2)),
            r#"
   {
     = 18
 0   data: {
~0     a: "1" > "2",
       b: "1"
     },
     list: [
       {
         name: "x"
       },
       {
         name: "y",
~0       v: 1 > 2
       }
     ]
   }"#,
        );
    }

    #[test]
    fn one_value_alone_is_a_line() {
        check(Some(json!(1)), Some(json!(1)), "   1");
        check(Some(json!(1)), Some(json!([])), "~  1 > []");
    }
}
