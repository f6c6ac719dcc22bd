//! Evaluates kubectl's JSONPath templates.
//!
//! <https://kubernetes.io/docs/reference/kubectl/jsonpath/>

use json_tree::Value;

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template(Vec<Node>);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Path(Path),
    Range(Path, Vec<Self>),
}

/// The steps of a path, and whether it begins at the document and not where a range is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path {
    steps: Vec<Step>,
    from_root: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Fields(Vec<String>),
    All,
    Deep,
    Indices(Vec<i64>),
    Slice(Option<i64>, Option<i64>, i64),
    Filter(Path, String, Operand),
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    None,
    Path(Path),
    Literal(Value),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// The part that is not understood, as kubectl says it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut stack: Vec<(Path, Vec<Node>)> = vec![(Path::default(), Vec::new())];
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let end =
                end(after).ok_or_else(|| format!("error: error parsing jsonpath {text}, unclosed action"))?;
            let (inside, behind) =
                (after.get(..end).unwrap_or_default().trim(), after.get(end + 1..).unwrap_or_default());
            rest = behind;
            let Some((_, nodes)) = stack.last_mut() else { break };
            if !before.is_empty() {
                nodes.push(Node::Text(before.to_owned()));
            }
            if inside == "end" {
                if let (true, Some((path, nodes))) = (stack.len() > 1, stack.pop()) {
                    stack
                        .last_mut()
                        .into_iter()
                        .for_each(|(_, outer)| outer.push(Node::Range(path.clone(), nodes.clone())));
                } else {
                    return Err(format!(
                        "error: error parsing jsonpath {text}, not in range, nothing to end"
                    ));
                }
            } else if let Some(path) = inside.strip_prefix("range ") {
                stack.push((path_of(path.trim())?, Vec::new()));
            } else if inside.starts_with(['"', '\'']) {
                nodes.push(Node::Text(unquoted(inside)));
            } else {
                for part in inside.split(' ').filter(|part| !part.is_empty() && !inside.contains("?(")) {
                    nodes.push(Node::Path(path_of(part)?));
                }
                if inside.contains("?(") {
                    nodes.push(Node::Path(path_of(inside)?));
                }
            }
        }
        let (true, Some((_, mut nodes))) = (stack.len() == 1, stack.pop()) else {
            return Err(format!("error: error parsing jsonpath {text}, unclosed range"));
        };
        nodes.extend((!rest.is_empty()).then(|| Node::Text(rest.to_owned())));
        Ok(Self(nodes))
    }

    /// Reads a path that may lack its braces and its dot.
    pub(super) fn relaxed(text: &str) -> Result<Self, String> {
        let inside = text.trim().trim_start_matches('{').trim_end_matches('}');
        let dot = if inside.starts_with(['.', '[', '$']) { "" } else { "." };
        Self::read(&["{", dot, inside, "}"].concat())
    }

    /// Evaluates it for a document.
    pub(super) fn print(&self, document: &Value) -> String {
        let mut out = String::new();
        print(&self.0, document, document, &mut out);
        out
    }

    /// Returns what the paths of it lead to.
    pub(super) fn values<'v>(&self, document: &'v Value) -> Vec<&'v Value> {
        let paths =
            self.0.iter().filter_map(|node| if let Node::Path(path) = node { Some(path) } else { None });
        paths.flat_map(|path| path.find(document, document)).collect()
    }
}

fn print(nodes: &[Node], root: &Value, here: &Value, out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Path(path) => {
                let found: Vec<String> = path.find(root, here).into_iter().map(shown).collect();
                out.push_str(&found.join(" "));
            }
            Node::Range(path, inner) => {
                path.find(root, here).into_iter().for_each(|item| print(inner, root, item, out))
            }
        }
    }
}

/// Returns a value as it is printed.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => {
            let mut other = other.clone();
            other.sort_all_objects();
            other.to_string()
        }
    }
}

/// Returns where the brace is that closes, behind an open one.
fn end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '}') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c && !text.get(..at).is_some_and(|text| text.ends_with('\\')) => {
                quote = None
            }
            _ => {}
        }
    }
    None
}

fn unquoted(text: &str) -> String {
    let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let mut out = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => out.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                c => c,
            })),
            (c, _) => out.push(c),
        }
    }
    out
}

fn path_of(text: &str) -> Result<Path, String> {
    let bad = || format!("error: error parsing jsonpath {{{text}}}, unrecognized character in action");
    let mut path = Path::default();
    let mut rest = match text.strip_prefix('$') {
        Some(rest) => {
            path.from_root = true;
            rest
        }
        None => text.strip_prefix('@').unwrap_or(text),
    };
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("..") {
            path.steps.push(Step::Deep);
            rest = after;
            if !rest.starts_with(['[', '*']) {
                rest = field(rest, &mut path.steps);
            }
        } else if let Some(after) = rest.strip_prefix('[') {
            let close = bracket(after).ok_or_else(bad)?;
            path.steps.push(bracketed(after.get(..close).unwrap_or_default().trim())?);
            rest = after.get(close + 1..).unwrap_or_default();
        } else if let Some(after) = rest.strip_prefix('*').or_else(|| rest.strip_prefix(".*")) {
            path.steps.push(Step::All);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = if after.starts_with('[') { after } else { field(after, &mut path.steps) };
        } else {
            return Err(bad());
        }
    }
    Ok(path)
}

/// Takes the name of a field, in which a backslash keeps what follows.
fn field<'t>(text: &'t str, steps: &mut Vec<Step>) -> &'t str {
    let mut name = String::new();
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            '.' | '[' | ' ' => {
                end = at;
                break;
            }
            c => name.push(c),
        }
    }
    if !name.is_empty() {
        steps.push(Step::Fields(vec![name]));
    }
    text.get(end..).unwrap_or_default()
}

/// Returns where the bracket is that closes, behind an open one.
fn bracket(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, ']') if depth == 0 => return Some(at),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

fn bracketed(inside: &str) -> Result<Step, String> {
    let bad = || format!("error: error parsing jsonpath [{inside}], invalid array index {inside}");
    if inside == "*" {
        return Ok(Step::All);
    }
    if let Some(filter) = inside.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
        let operators = ["==", "!=", "<=", ">=", "<", ">"];
        let found = operators.into_iter().find_map(|operator| Some((filter.split_once(operator)?, operator)));
        return Ok(match found {
            Some(((left, right), operator)) => {
                Step::Filter(path_of(left.trim())?, operator.to_owned(), operand(right.trim())?)
            }
            None => Step::Filter(path_of(filter.trim())?, String::new(), Operand::None),
        });
    }
    if inside.starts_with(['\'', '"']) {
        return Ok(Step::Fields(inside.split(',').map(|part| unquoted(part.trim())).collect()));
    }
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        text => text.parse::<i64>().map(Some).map_err(|_| bad()),
    };
    if inside.contains(':') {
        let mut parts = inside.split(':').map(number);
        let mut next = || parts.next().unwrap_or(Ok(None));
        return Ok(Step::Slice(next()?, next()?, next()?.unwrap_or(1).max(1)));
    }
    let indices: Result<Vec<_>, _> = inside.split(',').map(|part| number(part)?.ok_or_else(bad)).collect();
    indices.map(Step::Indices)
}

fn operand(text: &str) -> Result<Operand, String> {
    Ok(match text.chars().next() {
        Some('@' | '$' | '.') => Operand::Path(path_of(text)?),
        Some('"' | '\'') => Operand::Literal(Value::from(unquoted(text))),
        _ => Operand::Literal(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
    })
}

impl Path {
    fn find<'v>(&self, root: &'v Value, here: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![if self.from_root { root } else { here }];
        for step in &self.steps {
            found = found.into_iter().flat_map(|value| step.of(root, value)).collect();
        }
        found
    }
}

impl Step {
    fn of<'v>(&self, root: &'v Value, value: &'v Value) -> Vec<&'v Value> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let count = items.len() as i64;
        let from_end = |index: i64| if index < 0 { index + count } else { index };
        match self {
            Self::Fields(names) => names.iter().filter_map(|name| value.as_object()?.get(name)).collect(),
            Self::All => inside(value),
            Self::Deep => {
                let mut found = vec![value];
                found.extend(inside(value).into_iter().flat_map(|inner| self.of(root, inner)));
                found
            }
            Self::Indices(indices) => {
                let places = indices.iter().map(|index| usize::try_from(from_end(*index)));
                places.filter_map(|place| items.get(place.ok()?)).collect()
            }
            Self::Slice(from, to, step) => {
                let (from, to) = (from_end(from.unwrap_or(0)), from_end(to.unwrap_or(count)));
                let is_in = |place: usize| {
                    let place = place as i64;
                    place >= from && place < to && (place - from) % step == 0
                };
                items.iter().enumerate().filter(|(place, _)| is_in(*place)).map(|(_, item)| item).collect()
            }
            Self::Filter(left, operator, right) => {
                inside(value).into_iter().filter(|item| holds(left, operator, right, root, item)).collect()
            }
        }
    }
}

fn inside(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    }
}

fn holds(left: &Path, operator: &str, right: &Operand, root: &Value, item: &Value) -> bool {
    let left = left.find(root, item);
    let Some(left) = left.first() else { return false };
    let right = match right {
        Operand::None => return true,
        Operand::Literal(value) => value,
        Operand::Path(path) => match path.find(root, item).first() {
            Some(value) => *value,
            None => return false,
        },
    };
    let order = match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.partial_cmp(&right),
        _ => Some(shown(left).cmp(&shown(right))),
    };
    let Some(order) = order else { return false };
    match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        _ => order.is_ge(),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(template: &str, expected: &str) {
        let document = json!({
            "kind": "List",
            "items": [
                {"metadata": {"name": "a", "labels": {"x.y/z": "1"}}, "n": 1, "conditions": [{"type": "Ready", "status": "True"}]},
                {"metadata": {"name": "b"}, "n": 2},
            ],
        });
        assert_eq!(
            Template::read(template).map(|template| template.print(&document)),
            Ok(expected.to_owned()),
            "{template}"
        );
    }

    #[test]
    fn templates_are_evaluated() {
        for (template, expected) in [
            ("{.kind}", "List"),
            ("a{.kind}b", "aListb"),
            ("{.items[*].metadata.name}", "a b"),
            ("{.items[-1:].metadata.name}", "b"),
            ("{.items[0,1].n}", "1 2"),
            ("{.items[0].metadata.labels.x\\.y/z}", "1"),
            ("{.items[0].metadata.labels['x.y/z']}", "1"),
            ("{.items[?(@.n>1)].metadata.name}", "b"),
            ("{.items[?(@.metadata.name==\"a\")].n}", "1"),
            ("{.items[*].conditions[?(@.type == 'Ready')].status}", "True"),
            ("{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}", "a\t1\nb\t2\n"),
            ("{..name}", "a b"),
            ("{.missing.x}", ""),
            ("{.items[0].metadata}", r#"{"labels":{"x.y/z":"1"},"name":"a"}"#),
            ("{$.kind} {@.kind}", "List List"),
            ("{.items[5].n}", ""),
            (".kind", ".kind"),
        ] {
            check(template, expected);
        }
    }

    #[test]
    fn what_is_no_template_is_refused() {
        for template in ["{.a", "{range .a}", "{end}", "{.a[x]}", "{.a[}", "{a}"] {
            assert!(Template::read(template).is_err(), "{template}");
        }
    }
}
