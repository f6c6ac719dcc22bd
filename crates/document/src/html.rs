//! The HTML of a page: only what Markdown makes, and nothing that a page brings itself.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

/// The elements of tags without attributes.
fn element(tag: &TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph => "p",
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::Item => "li",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "del",
        TagEnd::TableRow => "tr",
        _ => return None,
    })
}

/// Writes events as HTML. [`Event::Html`] has to be safe: what a page brings itself has been taken out before.
pub(crate) fn write<'e>(events: impl Iterator<Item = Event<'e>>) -> String {
    let mut out = String::new();
    let (mut in_head, mut alignments, mut cell): (bool, Vec<Alignment>, usize) = (false, Vec::new(), 0);
    for event in events {
        match event {
            Event::Start(Tag::Table(columns)) => {
                alignments = columns;
                out.push_str("<table>");
            }
            Event::End(TagEnd::Table) => out.push_str("</tbody></table>\n"),
            Event::Start(Tag::TableHead) => {
                (in_head, cell) = (true, 0);
                out.push_str("<thead><tr>");
            }
            Event::End(TagEnd::TableHead) => {
                in_head = false;
                out.push_str("</tr></thead><tbody>\n");
            }
            Event::Start(Tag::TableCell) => {
                out.push_str(if in_head { "<th" } else { "<td" });
                out.push_str(match alignments.get(cell) {
                    Some(Alignment::Right) => " class=\"right\">",
                    _ => ">",
                });
                cell += 1;
            }
            Event::End(TagEnd::TableCell) => out.push_str(if in_head { "</th>" } else { "</td>" }),
            Event::Start(Tag::List(Some(first))) if first != 1 => {
                out.push_str(&format!("<ol start=\"{first}\">"));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                out.push_str("<a href=\"");
                escape(&dest_url, &mut out);
                out.push_str("\">");
            }
            Event::End(TagEnd::Link) => out.push_str("</a>"),
            Event::Start(tag) => {
                if matches!(tag, Tag::TableRow) {
                    cell = 0;
                }
                if let Some(name) = element(&tag.to_end()) {
                    out.extend(["<", name, ">"]);
                }
            }
            Event::End(tag) => {
                if let Some(name) = element(&tag) {
                    out.extend(["</", name, ">"]);
                    if !matches!(name, "em" | "strong" | "del") {
                        out.push('\n');
                    }
                }
            }
            Event::Text(text) => escape(&text, &mut out),
            Event::Code(text) => {
                out.push_str("<code>");
                escape(&text, &mut out);
                out.push_str("</code>");
            }
            Event::Html(safe) => out.push_str(&safe),
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            _ => {}
        }
    }
    out
}

/// Adds a text so that nothing of it is markup.
pub(crate) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Options, Parser};

    use super::*;

    #[track_caller]
    fn check(markdown: &str, html: &str) {
        assert_eq!(write(Parser::new_ext(markdown, Options::ENABLE_TABLES)).replace('\n', ""), html);
    }

    #[test]
    fn what_markdown_makes() {
        check("a *b* **c** `<`\\\nd", "<p>a <em>b</em> <strong>c</strong> <code>&lt;</code><br>d</p>");
        check("- a\n- b", "<ul><li>a</li><li>b</li></ul>");
        check("3. a", "<ol start=\"3\"><li>a</li></ol>");
        check("> a\n\n---", "<blockquote><p>a</p></blockquote><hr>");
        check("[a](b \"c\")", "<p><a href=\"b\">a</a></p>");
        check(
            "|a|b|\n|-|-:|\n|1|2|\n|3|4|",
            "<table><thead><tr><th>a</th><th class=\"right\">b</th></tr></thead><tbody><tr><td>1</td><td class=\"right\">2</td></tr><tr><td>3</td><td class=\"right\">4</td></tr></tbody></table>",
        );
    }
}
