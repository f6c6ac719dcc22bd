//! Texts that are no Markdown: a page that was copied out of a browser. The requests in it are found by their lines.

use crate::http;

/// Returns whether a text is no Markdown.
pub(crate) fn is_plain(text: &str, name: &str) -> bool {
    let fenced = || text.lines().any(|line| line.trim_start().starts_with("```") || line.starts_with('#'));
    name.ends_with(".txt") || name.is_empty() && !fenced()
}

/// Puts fences around the requests of a text and their responses, and has everything else stand as it is, a paragraph a line.
/// Also returns, for each line of the outcome, the number of the line that it was, from 0.
pub(crate) fn fence(text: &str) -> (String, Vec<usize>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut at, mut numbers) = (String::new(), 0, Vec::new());
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        let length = if http::request_line(line).is_some() { exchange(rest) } else { object(rest) };
        if length == 0 {
            // What is indented or begins with a sign is none of Markdown's.
            out.push_str(&escaped(line.trim()));
            out.push_str("\n\n");
            numbers.extend([at, at]);
            at += 1;
            continue;
        }
        out.push_str("```\n");
        let block = rest.get(..length).unwrap_or_default().join("\n");
        out.push_str(&http::dedent(&block).join("\n"));
        out.push_str("\n```\n\n");
        numbers.push(at);
        numbers.extend(at..at + length);
        numbers.extend([at + length; 2]);
        at += length;
    }
    (out, numbers)
}

fn escaped(line: &str) -> String {
    let mut out = String::new();
    let number = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, c) in line.char_indices() {
        // `1.` begins a list.
        let ends_number = number > 0 && at == number && matches!(c, '.' | ')');
        if ends_number || "\\`*_{}[]<>#+-!|~=".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns how many lines belong to the request in the first one: headers, body, response.
fn exchange(lines: &[&str]) -> usize {
    let mut length = 1;
    let mut in_head = true;
    while let Some(line) = lines.get(length) {
        let line = line.trim();
        let next = lines.get(length + 1).map_or("", |next| next.trim());
        in_head |= line.starts_with("Data:");
        let is_head = line == "---" || http::status_line(line).is_some() || is_header(line);
        let opens = line.starts_with(['{', '[']);
        let is_prose = line.starts_with("...") || line.starts_with('…');
        let data = |line: &str| line.starts_with("Data:");
        let continues = line.is_empty()
            && (data(next)
                || next.starts_with(['{', '['])
                || http::status_line(next).is_some()
                || next == "---");
        if is_head && (in_head || line == "---") {
            in_head = true;
            length += 1;
        } else if opens {
            in_head = false;
            length += balanced(lines.get(length..).unwrap_or_default());
        } else if is_prose || continues {
            length += 1;
        } else if http::request_line(line).is_some()
            && lines.get(length - 1).is_some_and(|line| line.starts_with("Data:"))
        {
            in_head = true;
            length += 1;
        } else {
            break;
        }
    }
    length
}

fn is_header(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    line.len() > name.len() + 1
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns whether a line is a command, and no sentence that begins with its name.
fn is_command(line: &str) -> bool {
    let rest = ["kubectl ", "curl "].iter().find_map(|command| line.strip_prefix(command));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '-') && rest.is_ascii())
}

/// Returns how many lines it takes until all braces are closed; all of them if they never are.
fn balanced(lines: &[&str]) -> usize {
    let (mut open, mut quoted) = (0_i64, false);
    for (number, line) in lines.iter().enumerate() {
        let mut escaped = false;
        for c in line.chars() {
            match c {
                '"' if !escaped => quoted = !quoted,
                '{' | '[' if !quoted => open += 1,
                '}' | ']' if !quoted => open -= 1,
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        quoted = false;
        if open <= 0 {
            return number + 1;
        }
    }
    lines.len()
}

/// Returns how many lines belong to an object of YAML that begins with the first one, or to one of JSON; 0 if none does.
fn object(lines: &[&str]) -> usize {
    match lines.first() {
        Some(line) if line.trim() == "{" => balanced(lines),
        Some(line) if line.starts_with("apiVersion: ") => {
            let belongs = |line: &&&str| {
                let begins = line.starts_with([' ', '-'])
                    || line.split_once(':').is_some_and(|(name, _)| {
                        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    });
                !line.trim().is_empty() && begins
            };
            lines.iter().take_while(belongs).count()
        }
        Some(line) if is_command(line.trim()) => 1,
        _ => 0,
    }
}
