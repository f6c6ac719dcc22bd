//! The text of a Rust file as far as the check of modules reads it: which modules it declares, and which paths stand in it.

/// A module that a file declares, or a path that stands in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// `mod name;`: the module has a file of its own.
    Module(String),
    /// A path that begins with `crate`, `self` or `super`, or any of a `use`; and the name that a `use` gives it.
    Path { segments: Vec<String>, name: Option<String>, line: usize },
}

/// Reads a file. What is only compiled for tests is passed over.
pub(super) fn read(text: &str) -> Vec<Item> {
    let tokens = without_tests(tokens(text));
    let mut items = Vec::new();
    let mut at = 0;
    // The depth of braces, and those of the modules that are written in the file itself.
    let (mut depth, mut inline) = (0, Vec::new());
    while at < tokens.len() {
        let first = items.len();
        match word(&tokens, at) {
            "mod" if word(&tokens, at + 2) == "{" => {
                inline.push(depth);
                depth += 1;
                at += 3;
            }
            "{" => {
                depth += 1;
                at += 1;
            }
            "}" => {
                depth -= 1;
                inline.pop_if(|begin| *begin == depth);
                at += 1;
            }
            "mod" if word(&tokens, at + 2) == ";" => {
                items.push(Item::Module(tokens[at + 1].text.clone()));
                at += 3;
            }
            "use" => at = tree(&tokens, at + 1, &[], true, &mut items),
            "crate" | "self" | "super" if word(&tokens, at + 1) == "::" => {
                at = tree(&tokens, at, &[], false, &mut items);
            }
            _ => at += 1,
        }
        items[first..].iter_mut().for_each(|item| out_of(item, inline.len()));
    }
    items
}

/// Rewrites a path that stands in so many modules within the file, as it would stand in the file itself.
fn out_of(item: &mut Item, modules: usize) {
    let Item::Path { segments, .. } = item else { return };
    let up = segments.iter().take(modules).take_while(|segment| *segment == "super").count();
    if up > 0 {
        segments.drain(..up);
        if segments.first().is_none_or(|first| first != "super") {
            segments.insert(0, "self".to_owned());
        }
    }
}

/// Reads the tree of a `use`, or one path, from a token on. Returns the token behind it.
fn tree(tokens: &[Token], mut at: usize, before: &[String], is_use: bool, items: &mut Vec<Item>) -> usize {
    let mut segments = before.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    loop {
        match word(tokens, at) {
            "{" => {
                at += 1;
                while !["}", ""].contains(&word(tokens, at)) {
                    at = tree(tokens, at, &segments, is_use, items);
                    if word(tokens, at) == "," {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "::" => at += 1,
            text if is_name(text) => {
                segments.push(text.to_owned());
                at += 1;
                if word(tokens, at) != "::" {
                    break;
                }
            }
            "*" => {
                items.push(Item::Path { segments, name: None, line });
                return at + 1;
            }
            // The path ends before arguments of types.
            _ => {
                at += 1;
                break;
            }
        }
    }
    let mut name = segments.last().cloned();
    if is_use && word(tokens, at) == "as" {
        name = Some(word(tokens, at + 1).to_owned());
        at += 2;
    }
    // `use a::{self}` names `a`.
    if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
        segments.pop();
        if name.as_deref() == Some("self") {
            name = segments.last().cloned();
        }
    }
    items.push(Item::Path { segments, name: name.filter(|_| is_use), line });
    at
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

#[derive(Debug)]
struct Token {
    text: String,
    line: usize,
}

/// Returns the text of a token; empty behind the last.
fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

/// Removes each item behind `#[cfg(test)]`: up to its semicolon, or its closing brace; of a field, a variant or an arm, up to its comma.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    const ITEMS: [&str; 11] =
        ["fn", "mod", "use", "impl", "struct", "enum", "const", "static", "trait", "type", "let"];
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let mut tokens: Vec<Option<Token>> = tokens.into_iter().map(Some).collect();
    let text = |tokens: &[Option<Token>], at: usize| {
        tokens.get(at).and_then(Option::as_ref).map(|token| token.text.clone()).unwrap_or_default()
    };
    while at < tokens.len() {
        if (0..MARK.len()).all(|offset| text(&tokens, at + offset) == MARK[offset]) {
            let mut depth = 0_usize;
            let mut is_item = false;
            at += MARK.len();
            while at < tokens.len() {
                is_item |= depth == 0 && ITEMS.contains(&text(&tokens, at).as_str());
                match text(&tokens, at).as_str() {
                    "," if depth == 0 && !is_item => break,
                    "{" | "(" | "[" => depth += 1,
                    ")" | "]" => depth = depth.saturating_sub(1),
                    "}" if depth <= 1 => break,
                    "}" => depth -= 1,
                    ";" if depth == 0 => break,
                    _ => {}
                }
                at += 1;
            }
        } else {
            kept.extend(tokens[at].take());
        }
        at += 1;
    }
    kept
}

/// Takes a text apart: names, `::`, and single characters. Comments and literals are left out.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\n' => 1,
            _ if first.is_whitespace() => first.len_utf8(),
            _ => literal_or_comment(rest).unwrap_or_else(|| {
                let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let length = match name {
                    0 if rest.starts_with("::") => 2,
                    0 => first.len_utf8(),
                    name => name,
                };
                tokens.push(Token { text: rest[..length].to_owned(), line });
                length
            }),
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of the comment or literal that a text begins with.
fn literal_or_comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |end| end + 2));
    }
    let unprefixed = text.trim_start_matches(['b', 'c', 'r']);
    let prefix = text.len() - unprefixed.len();
    if prefix <= 2 && text[..prefix].contains('r') {
        let hashes = unprefixed.len() - unprefixed.trim_start_matches('#').len();
        if let Some(inside) = unprefixed[hashes..].strip_prefix('"') {
            let end = ["\"", &"#".repeat(hashes)].concat();
            let length = inside.find(&end).map_or(inside.len(), |length| length + end.len());
            return Some(prefix + hashes + 1 + length);
        }
    }
    if prefix <= 1 && unprefixed.starts_with('"') {
        return Some(prefix + quoted(unprefixed, '"'));
    }
    // A lifetime is no character.
    let mut inside = unprefixed.strip_prefix('\'').filter(|_| prefix <= 1)?.chars();
    let is_character = match inside.next()? {
        '\\' => true,
        _ => inside.next() == Some('\''),
    };
    is_character.then(|| prefix + quoted(unprefixed, '\''))
}

/// Returns the length of a literal between quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let items = read(text);
        let shown: Vec<String> = items
            .into_iter()
            .map(|item| match item {
                Item::Module(name) => ["mod ", &name].concat(),
                Item::Path { segments, name, line } => {
                    format!("{line} {} {}", segments.join("::"), name.unwrap_or_default())
                }
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn paths_and_modules_are_found() {
        check("mod a;\npub(crate) mod b;\nmod c { fn d() {} }", &["mod a", "mod b"]);
        check("use crate::a;", &["1 crate::a a"]);
        check(
            "use crate::a::{self, B, c::{D as E, *}};",
            &["1 crate::a a", "1 crate::a::B B", "1 crate::a::c::D E", "1 crate::a::c "],
        );
        check(
            "fn f() -> crate::a::B {\n super::super::c::d() }",
            &["1 crate::a::B ", "2 super::super::c::d "],
        );
        check("pub use a::B;", &["1 a::B B"]);
    }

    #[test]
    fn what_is_no_code_is_passed_over() {
        check("// crate::a\n/* crate::b */ /// [`crate::c`]", &[]);
        check(r##"f("crate::a \" crate::b", r#"crate::"c"#, b'\'', 'x', crate::d)"##, &["1 crate::d "]);
        check("fn f<'a>(a: &'a str) { crate::d::<'a>() }", &["1 crate::d "]);
        check("#[cfg(test)]\nmod tests {\n use crate::a; fn f() { }\n}\nuse crate::b;", &["5 crate::b b"]);
        check("#[cfg(test)]\nmod tests;\nmod a;", &["mod a"]);
        check("struct A {\n #[cfg(test)]\n a: crate::B,\n c: crate::D,\n}", &["4 crate::D "]);
    }

    #[test]
    fn modules_within_the_file_are_left() {
        check(
            "mod a {\n use super::b;\n mod c { use super::super::super::d; }\n}\nuse super::e;",
            &["2 self::b b", "3 super::d d", "5 super::e e"],
        );
    }
}
